use super::super::cards::DECK;
use super::*;
use crate::arena::engine::rng::Pcg;

fn cards(text: &str) -> Vec<Card> {
    (0..text.len() / 2).map(|n| text[2 * n..2 * n + 2].parse().unwrap()).collect()
}

fn hole(text: &str) -> Hole {
    cards(text).try_into().unwrap()
}

fn high(hand: &str, board: &str) -> String {
    Board::new(&cards(board)).high(hole(hand)).words()
}

fn low(hand: &str, board: &str) -> Option<String> {
    Board::new(&cards(board)).low(hole(hand)).map(Low::words)
}

/// All ways to draw five of some cards.
fn each_five(deck: &[Card], mut look: impl FnMut([Card; 5])) {
    for (i, &a) in deck.iter().enumerate() {
        for (j, &b) in deck.iter().enumerate().skip(i + 1) {
            for (k, &c) in deck.iter().enumerate().skip(j + 1) {
                for (l, &d) in deck.iter().enumerate().skip(k + 1) {
                    for &e in &deck[l + 1..] {
                        look([a, b, c, d, e]);
                    }
                }
            }
        }
    }
}

#[test]
fn five_cards_fall_into_categories_as_often_as_combinatorics_says() {
    let (mut counts, mut strengths) = ([0u32; 9], vec![false; 7463]);
    each_five(&Card::deck(), |five| {
        let high = High::of_five(five);
        strengths[usize::from(high.0)] = true;
        counts[high.category() as usize] += 1;
    });
    assert_eq!(counts, [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40]);
    assert!(!strengths[0] && strengths[1..].iter().all(|&found| found), "7462 strengths, each used");
    assert_eq!(High(7462).words(), "royal flush");
}

#[test]
fn a_high_takes_exactly_two_from_the_hand_and_three_from_the_board() {
    for (hand, board, words) in [
        // Four aces, but only two of them count.
        ("AsAhAdAc", "KsKhQd7c2s", "two pair, aces and kings"),
        // A board of quads gives trips and a pair of the hand.
        ("AsAhKd2c", "9s9h9d9cTs", "full house, nines over aces"),
        // Four hearts on the board and one in the hand are no flush.
        ("AhKsQdJc", "2h5h8hTh9c", "straight to the queen"),
        ("AhKhQdJc", "2h5h8hTh9c", "flush, ace high"),
        ("2h3hKdQc", "AhKh4h5h9c", "straight flush to the five"),
        ("AhKhQd2c", "QhJhTh9h8h", "royal flush"),
        ("As2d9c9h", "3s4h5dKcQc", "straight to the five"),
        ("KsQd9c8h", "Kd7c2sQh3d", "two pair, kings and queens"),
        ("KsJd9c8h", "Kd7c2sKh3d", "three kings"),
        ("AsJd9c8h", "Kd7c2s4h3d", "ace high"),
    ] {
        assert_eq!(high(hand, board), words, "{hand} on {board}");
    }
}

#[test]
fn a_low_needs_five_ranks_of_eight_or_lower_two_and_three() {
    for (hand, board, words) in [
        ("As2sKdKh", "3c4d8hQsJs", Some("8-4-3-2-A")),
        ("As2s3dKh", "3c4d8hQsJs", Some("8-4-3-2-A")),
        // Counterfeited: the deuce on the board takes the hand's away.
        ("As2sKdKh", "2c4d8hQsJs", None),
        ("As2s3dKh", "2c4d8hQsJs", Some("8-4-3-2-A")),
        ("As2d3c4h", "5s6d7c8h9s", Some("7-6-5-2-A")),
        ("7s8d7c8h", "2s3d4cKhQs", Some("8-7-4-3-2")),
        ("As2d3c4h", "5s6d9cThKs", None),
        ("AsAhKdKc", "2s3d4c5h6s", None),
    ] {
        assert_eq!(low(hand, board).as_deref(), words, "{hand} on {board}");
    }
    assert!(best_low(low_ranks(&cards("2c3c4c")), low_ranks(&cards("As5s"))) < best_low(0b0111_0000, 0b11));
}

#[test]
fn a_low_is_possible_while_enough_low_cards_may_come() {
    let possible = |hand: &str, board: &str| {
        low_is_possible(low_ranks(&cards(board)), low_ranks(&cards(hand)), 5 - board.len() as u32 / 2)
    };
    assert!(possible("As2s9dKh", "Ac7dKs"));
    assert!(possible("As2s9dKh", "9c7dKs"));
    assert!(!possible("As2s9dKh", "9cTdKs"));
    assert!(!possible("AsAh9dKh", "3c4dKs"));
    assert!(!possible("As2s9dKh", "3c9dKsQs"));
}

#[test]
fn lows_are_as_many_as_combinatorics_says() {
    let (mut sets, mut distinct) = (0, std::collections::BTreeSet::new());
    each_five(&Card::deck()[..28], |five| {
        // The ace in the deck's last four takes part below.
        if low_ranks(&five).count_ones() == 5 {
            sets += 1;
            distinct.insert(low_ranks(&five));
        }
    });
    let with_ace = 4 * boards_by_low_ranks(&Card::deck()[28..], 4)
        .iter()
        .enumerate()
        .fold(0, |sum, (ranks, n)| if ranks.count_ones() == 4 && ranks & 1 == 0 { sum + n } else { sum });
    assert_eq!((sets, with_ace, sets + with_ace), (21_504, 35_840, 57_344));
    let from_table: std::collections::BTreeSet<u8> =
        TABLES.low.iter().copied().filter(|&low| low != 0).collect();
    assert_eq!((distinct.len(), from_table.len()), (21, 56));
}

/// How many draws of `n` cards have exactly these low ranks, for each set of them.
fn boards_by_low_ranks(dead: &[Card], n: usize) -> Vec<u64> {
    let left = |bit: usize| {
        let low = |card: &Card| low_ranks(std::slice::from_ref(card)) == 1 << bit;
        Card::deck().iter().filter(|card| low(card) && !dead.contains(card)).count()
    };
    let n_high = Card::deck().iter().filter(|card| low_ranks(&[**card]) == 0 && !dead.contains(card)).count();
    let choose =
        |n: usize, k: usize| (0..k).fold(1u64, |ways, i| ways * (n - i.min(n)) as u64 / (i as u64 + 1));
    (0..256usize)
        .map(|set| {
            // ways[k]: draws of k cards so far, with at least one of each rank of the set looked at.
            let mut ways: Vec<u64> = (0..=n).map(|k| choose(n_high, k)).collect();
            for bit in (0..8).filter(|bit| set & 1 << bit != 0) {
                let next = |k: usize| (1..=k).map(|taken| ways[k - taken] * choose(left(bit), taken)).sum();
                ways = (0..=n).map(next).collect();
            }
            ways[n]
        })
        .collect()
}

#[test]
fn boards_have_low_ranks_as_often_as_combinatorics_says() {
    let mut counts = [0u64; 9];
    for (set, boards) in boards_by_low_ranks(&[], 5).into_iter().enumerate() {
        counts[set.count_ones() as usize] += boards;
    }
    assert_eq!(counts, [15_504, 216_000, 805_728, 1_038_464, 465_920, 57_344, 0, 0, 0]);
    assert_eq!(counts[3..].iter().sum::<u64>(), 1_561_728);
}

#[test]
fn hands_make_lows_as_often_as_published() {
    for (hand, lows) in [
        ("As2d3c4h", 908_976),
        ("As2d3cKh", 847_944),
        ("AsAd2c3h", 810_784),
        ("As2dKcKh", 625_344),
        ("7s7d8c8h", 625_344),
        ("AsAdKcKh", 0),
        ("KsKdQcQh", 0),
    ] {
        let hand = hole(hand);
        let boards = boards_by_low_ranks(&hand, 5);
        assert_eq!(boards.iter().sum::<u64>(), 1_712_304);
        let makes = |(set, boards): (usize, u64)| best_low(set as u8, low_ranks(&hand)).map(|_| boards);
        assert_eq!(boards.into_iter().enumerate().filter_map(makes).sum::<u64>(), lows, "{hand:?}");
    }
}

#[test]
fn a_random_hand_makes_a_low_about_a_third_of_the_time() {
    let (mut rng, mut deck, mut lows) = (Pcg::new(4), Card::deck(), 0);
    for _ in 0..20_000 {
        rng.shuffle(&mut deck);
        lows += u32::from(best_low(low_ranks(&deck[4..9]), low_ranks(&deck[..4])).is_some());
    }
    assert!((6_700..7_100).contains(&lows), "{lows}");
}

/// One hand's highs on every board, from tables: by ranks of three and two cards, and by ranks of a suit.
struct Prepared {
    hole: Hole,
    by_ranks: Vec<u16>,
    by_suit: Vec<u16>,
}

impl Prepared {
    fn new(hole: Hole) -> Self {
        let (_, triples) = multisets_of_three();
        let (_, pairs) = multisets_of_two();
        let mut by_ranks = Vec::with_capacity(TRIPLES * PAIRS);
        for [a, b, c] in &triples {
            for [d, e] in &pairs {
                // Five of a rank are no board, and no entry is there for them.
                let board = Board::new(&[*a, *b, *c, *d, *e].map(|rank| Card::new(rank, 0)));
                by_ranks.push(board.by_ranks(hole).0);
            }
        }
        let mut by_suit = vec![0; SUITS << RANKS];
        for suit in 0..SUITS as u8 {
            for set in (0..1u16 << RANKS).filter(|set| (3..=5).contains(&set.count_ones())) {
                let ranks = (0..RANKS as u8).filter(|rank| set & 1 << rank != 0);
                let board: Vec<Card> = ranks.map(|rank| Card::new(rank, suit)).collect();
                let at = usize::from(suit) << RANKS | usize::from(set);
                by_suit[at] = Board::new(&board).by_suit(hole).map_or(0, |high| high.0);
            }
        }
        Self { hole, by_ranks, by_suit }
    }

    fn high(&self, board: [Card; 5]) -> u16 {
        let mut best = self.by_ranks[ranks_at(board)];
        let mut suits = 0u64;
        for card in board {
            suits |= 1 << (u32::from(card.suit()) * 16 + u32::from(card.rank()));
        }
        for suit in 0..SUITS {
            best = best.max(self.by_suit[suit << RANKS | (suits >> (16 * suit)) as usize & 0x1FFF]);
        }
        best
    }
}

#[test]
fn a_board_prepared_by_its_cards_gives_what_the_tables_give() {
    let (mut rng, mut deck) = (Pcg::new(8), Card::deck());
    for _ in 0..4 {
        rng.shuffle(&mut deck);
        let hole: Hole = deck[..4].try_into().unwrap();
        let prepared = Prepared::new(hole);
        for _ in 0..500 {
            rng.shuffle(&mut deck[4..]);
            let board: [Card; 5] = deck[4..9].try_into().unwrap();
            let slow = subsets(0b1111, 2)
                .flat_map(|own| subsets(0b1_1111, 3).map(move |shared| (own, shared)))
                .map(|(own, shared)| {
                    let of = |set: u16, cards: &[Card]| {
                        (0..cards.len()).filter(|n| set & 1 << n != 0).map(|n| cards[n]).collect::<Vec<_>>()
                    };
                    let five = [of(own, &hole), of(shared, &board)].concat();
                    High::of_five(five.try_into().unwrap())
                })
                .max();
            assert_eq!(Some(Board::new(&board).high(hole)), slow, "{hole:?} {board:?}");
            assert_eq!(prepared.high(board), slow.unwrap().0);
        }
    }
}

/// Wins, ties and losses of the first hand.
type Results = [u32; 3];

/// High and low results, boards without a low, scoops of both, equity of the first in quarters of a pot.
fn all_boards(one: &str, other: &str) -> (Results, Results, u32, [u32; 2], u32) {
    let hands = [one, other].map(|text| Prepared::new(hole(text)));
    let dead: Vec<Card> = hands.iter().flat_map(|hand| hand.hole).collect();
    let deck: Vec<Card> = Card::deck().into_iter().filter(|card| !dead.contains(card)).collect();
    let masks = [0, 1].map(|n: usize| low_ranks(&hands[n].hole));
    let (mut highs, mut lows, mut none, mut scoops, mut quarters) = ([0; 3], [0; 3], 0, [0; 2], 0);
    each_five(&deck, |board| {
        let high = hands[1].high(board).cmp(&hands[0].high(board)) as i8 + 1;
        highs[high as usize] += 1;
        let ranks = low_ranks(&board);
        let won = match (best_low(ranks, masks[0]), best_low(ranks, masks[1])) {
            (None, None) => {
                none += 1;
                [4, 2, 0][high as usize]
            }
            (a, b) => {
                let no_low = Low(u8::MAX);
                let low = a.unwrap_or(no_low).cmp(&b.unwrap_or(no_low)) as i8 + 1;
                lows[low as usize] += 1;
                [2, 1, 0][high as usize] + [2, 1, 0][low as usize]
            }
        };
        quarters += won;
        scoops[0] += u32::from(won == 4);
        scoops[1] += u32::from(won == 0);
    });
    (highs, lows, none, scoops, quarters)
}

#[test]
fn equities_are_exact_over_all_boards() {
    let check = |one, other, highs: Results, lows: Results, none, scoops, equity: f64| {
        let (found_highs, found_lows, found_none, found_scoops, quarters) = all_boards(one, other);
        assert_eq!((found_highs, found_lows, found_none), (highs, lows, none), "{one} v {other}");
        assert_eq!(found_scoops, scoops, "{one} v {other}");
        let found = f64::from(quarters) / f64::from(4 * highs.iter().sum::<u32>());
        assert!((found - equity).abs() < 5e-7, "{one} v {other}: {found}");
    };
    let aces = ("AsAh2s3h", "KsKhQdJd");
    check(aces.0, aces.1, [708_686, 0, 377_322], [605_984, 0, 0], 480_024, [708_686, 235_906], 0.717_669);
    let wheel = ("As2s3h4d", "KhKdQhQd");
    check(wheel.0, wheel.1, [404_267, 0, 681_741], [673_840, 0, 0], 412_168, [404_267, 343_141], 0.528_143);
    let same = ("As2h3d4c", "Ad2s3c4h");
    check(same.0, same.1, [0, 1_086_008, 0], [0, 507_936, 0], 578_072, [0, 0], 0.5);
    let rundown = ("AsAhKsKh", "5c6d7c8d");
    check(
        rundown.0,
        rundown.1,
        [635_660, 0, 450_348],
        [0, 0, 584_890],
        501_118,
        [343_417, 450_348],
        0.450_769,
    );
}

#[test]
fn a_deck_has_every_card_once() {
    assert_eq!(Card::deck().iter().fold(0, |bits, card| bits | card.bit()), (1 << DECK) - 1);
}
