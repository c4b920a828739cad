use super::super::evaluate::{High, Low};
use super::*;

/// Reads seats like `50 h3 l1`, `100 h2`, `20 f`, one after another between bars: chips put in, the strength of the high,
/// the place of the low (1 is best), `f` for folded.
fn payout(seats: &str, first: u8) -> Vec<u32> {
    let (mut paid, mut in_hand, mut shown) = (Vec::new(), SeatSet::EMPTY, Vec::new());
    for (nth, seat) in (0..).zip(seats.split('|')) {
        let mut hand = Shown::NOTHING;
        let mut words = seat.split_whitespace();
        paid.push(words.next().unwrap().parse().unwrap());
        for word in words.filter(|word| *word != "f") {
            in_hand.insert(Seat::new(nth));
            match word.split_at(1) {
                ("h", strength) => hand.high = High::nth(strength.parse().unwrap()),
                (_, place) => hand.low = Some(Low::nth(place.parse().unwrap())),
            }
        }
        shown.push(hand);
    }
    let n = paid.len() as u8;
    let mut won = vec![0; paid.len()];
    for share in divide(&paid, in_hand, |seat| shown[seat.index()]) {
        let order = (0..n).map(|nth| Seat::new((first + nth) % n));
        pay(&share, order, |seat, chips| won[seat.index()] += chips);
    }
    assert_eq!(won.iter().sum::<u32>(), paid.iter().sum::<u32>(), "{seats}: no chip is made or lost");
    won
}

#[test]
fn pots_are_paid_out_to_the_chip() {
    for (seats, won) in [
        // One pot.
        ("100 h2 | 100 h1", &[200, 0][..]),
        ("100 h1 | 100 h1", &[100, 100]),
        ("100 h2 l1 | 100 h1", &[200, 0]),
        ("100 h2 | 100 h1 l1", &[100, 100]),
        ("100 h2 l2 | 100 h1 l1", &[100, 100]),
        // Quartered.
        ("100 h2 l1 | 100 h1 l1", &[150, 50]),
        ("100 h3 | 100 h1 l1 | 100 h1 l1", &[150, 75, 75]),
        ("200 h3 | 200 h1 l1 | 200 h2 l1", &[300, 150, 150]),
        // The odd chip goes to high; the next to the first seat left of the button.
        ("1 h2 | 1 h1 l1", &[1, 1]),
        ("5 h2 | 5 h1 l1 | 5 f", &[8, 7, 0]),
        ("5 h1 | 5 h1 | 5 f", &[8, 7, 0]),
        ("100 h1 l1 | 100 h2 | 5 f", &[102, 103, 0]),
        ("21 h2 | 21 h2 | 21 h1 l1", &[16, 16, 31]),
        ("25 h1 | 25 h1 | 25 h1 | 25 f", &[34, 33, 33, 0]),
        ("33 h1 l1 | 33 h2 l1 | 33 h3 l1 | 2 f", &[17, 17, 67, 0]),
        // What nobody can match comes back.
        ("50 h3 | 100 h2", &[100, 50]),
        ("50 h1 | 100 h2", &[0, 150]),
        ("40 h1 | 70 f", &[110, 0]),
        // Side pots.
        ("50 h3 | 100 h2 | 100 h1", &[150, 100, 0]),
        ("50 h1 | 100 h2 | 100 h3", &[0, 0, 250]),
        ("20 h4 | 50 h3 | 90 h2 | 90 h1", &[80, 90, 80, 0]),
        ("20 h1 | 50 h2 | 90 h3 | 90 h4", &[0, 0, 0, 250]),
        ("30 h1 | 60 h1 | 90 h1", &[30, 60, 90]),
        ("10 h6 | 20 h5 | 30 h4 | 40 h3 | 50 h2 | 60 h1", &[60, 50, 40, 30, 20, 10]),
        // A low that is good for the main pot only, and one for each.
        ("50 h1 l1 | 100 h2 | 100 h3", &[75, 0, 175]),
        ("50 h1 l1 | 100 h2 l2 | 100 h3", &[75, 50, 125]),
        ("30 h3 l1 | 60 h2 l2 | 100 h1", &[90, 60, 40]),
        // Folded chips belong to the layers that they reach, and beyond the top to the top one.
        ("100 h2 | 100 h1 | 60 f", &[260, 0, 0]),
        ("11 h1 | 22 h1 | 22 h1 | 7 f", &[14, 24, 24, 0]),
        ("40 h1 | 70 f | 40 h2 | 70 f", &[0, 0, 220, 0]),
        ("20 h4 | 50 h3 | 90 h2 | 90 h1 | 200 f", &[100, 120, 230, 0, 0]),
        ("60 h1 l1 | 60 h1 l1 | 60 h1 l1 | 60 h1 l1 | 60 h1 l1 | 60 h1 l1", &[60; 6]),
    ] {
        assert_eq!(payout(seats, 0), won, "{seats}");
    }
}

#[test]
fn odd_chips_start_at_the_first_seat_left_of_the_button() {
    for (seats, first, won) in [
        ("5 h1 | 5 h1 | 5 f", 1, &[7, 8, 0][..]),
        ("5 h1 | 5 h1 | 5 f", 2, &[8, 7, 0]),
        ("25 h1 | 25 h1 | 25 h1 | 25 f", 2, &[33, 33, 34, 0]),
        ("33 h1 l1 | 33 h2 l1 | 33 h3 l1 | 2 f", 1, &[16, 17, 68, 0]),
    ] {
        assert_eq!(payout(seats, first), won, "{seats} from {first}");
    }
}

#[test]
fn layers_have_fewer_seats_the_higher_they_are() {
    let set = |seats: &[u8]| seats.iter().map(|&n| Seat::new(n)).collect::<SeatSet>();
    let found = layers(&[20, 50, 90, 90, 200], set(&[0, 1, 2, 3]));
    assert_eq!(
        found.as_slice(),
        [
            Layer { amount: 100, eligible: set(&[0, 1, 2, 3]) },
            Layer { amount: 120, eligible: set(&[1, 2, 3]) },
            Layer { amount: 230, eligible: set(&[2, 3]) },
        ]
    );
}
