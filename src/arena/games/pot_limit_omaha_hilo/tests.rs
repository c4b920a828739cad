use serde_json::json;

use super::cards::Card;
use super::*;
use crate::arena::engine::events::{Audience, NoEvents};
use crate::arena::engine::table::Table;
use crate::arena::engine::{Input, MatchSetup, Play, Verdict};

type Heard = Vec<(Audience, Value)>;

const LONG: (u32, u32) = (600, 40);

/// A match with these stacks; the last of them has the button.
fn with_stacks(stacks: &[u32]) -> State {
    let mut all = [0; MAX_PLAYERS];
    all[..stacks.len()].copy_from_slice(stacks);
    let button = Seat::new(stacks.len() as u8 - 1);
    State::begin(all, stacks.len() as u8, button, LONG, Pcg::new(1))
}

fn seat(n: u8) -> Seat {
    Seat::new(n)
}

/// Plays one decision, written `f`, `x`, `c` or as the total of a raise, after checking that it is that seat's turn.
fn play(state: &mut State, who: u8, what: &str) -> Heard {
    assert_eq!(state.to_act, Some(seat(who)), "before {what}");
    let action = match what {
        "f" => Action::Fold,
        "x" => Action::Check,
        "c" => Action::Call,
        to => Action::Raise { to: to.parse().unwrap() },
    };
    assert_eq!(PotLimitOmahaHilo::check(state, seat(who), &action), Ok(()), "{who} {what}");
    let mut heard = Heard::new();
    state.play(action, &mut heard);
    heard
}

/// Plays decisions like `0 c, 1 35, 2 f`.
fn play_all(state: &mut State, line: &str) -> Heard {
    let decisions = line.split(", ").map(|decision| decision.split_once(' ').unwrap());
    decisions.flat_map(|(who, what)| play(state, who.parse().unwrap(), what)).collect()
}

fn cards<const N: usize>(text: &str) -> [Card; N] {
    let cards: Vec<Card> = (0..text.len() / 2).map(|n| text[2 * n..2 * n + 2].parse().unwrap()).collect();
    cards.try_into().unwrap()
}

fn observe(state: &State, seat: Seat) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ObservationWriter::open(&mut bytes, &[]);
    PotLimitOmahaHilo::observe(state, seat, &mut writer);
    writer.close();
    bytes
}

fn chips(state: &State) -> u32 {
    state.stacks.iter().sum::<u32>() + state.pot()
}

#[test]
fn the_pot_is_the_limit() {
    // The first to bet before the flop: three and a half big blinds.
    let state = with_stacks(&[1000, 1000, 1000]);
    assert_eq!(state.options(seat(2)), Options { to_call: 10, raise: Some((20, 35)) });
    // A pot of 200, a bet of 150 and a call: 150 to call and 650 more.
    let mut state = with_stacks(&[1000, 1000, 1000, 1000]);
    play_all(&mut state, "2 20, 3 50, 0 c, 1 c, 2 c");
    assert_eq!((state.pot(), state.street), (200, Street::Flop));
    play_all(&mut state, "0 150, 1 c");
    assert_eq!(state.options(seat(2)), Options { to_call: 150, raise: Some((300, 800)) });
}

#[test]
fn the_stack_limits_a_raise_before_the_pot_does() {
    let mut state = with_stacks(&[1000, 1000, 25]);
    assert_eq!(state.options(seat(2)).raise, Some((20, 25)));
    let mut shorter = with_stacks(&[1000, 1000, 15]);
    assert_eq!(shorter.options(seat(2)).raise, Some((15, 15)), "all-in for less than the minimum");
    play(&mut shorter, 2, "15");
    assert_eq!(shorter.options(seat(0)), Options { to_call: 10, raise: Some((25, 55)) });
    play(&mut state, 2, "c");
    assert_eq!(state.options(seat(0)), Options { to_call: 5, raise: Some((20, 40)) });
}

#[test]
fn a_short_all_in_does_not_reopen_the_betting() {
    let mut state = with_stacks(&[1000, 130, 1000]);
    play_all(&mut state, "2 35, 0 100, 1 130");
    // The button has not acted since the full raise to 100, the small blind made it.
    assert_eq!(state.options(seat(2)).raise, Some((195, 490)));
    play(&mut state, 2, "c");
    assert_eq!(state.options(seat(0)), Options { to_call: 30, raise: None });
    let menu = View::new(&state, seat(0)).menu();
    assert_eq!(menu, [(Action::Fold, 1.0), (Action::Call, 3.0)]);
    let refused = PotLimitOmahaHilo::check(&state, seat(0), &Action::Raise { to: 300 });
    assert!(refused.unwrap_err()[0].contains("can_raise"));
    play(&mut state, 0, "c");
    assert_eq!(state.street, Street::Flop);
    assert_eq!(state.to_act, Some(seat(0)), "the all-in seat is not asked");
    // A full raise does reopen it.
    let mut state = with_stacks(&[1000, 165, 1000]);
    play_all(&mut state, "2 35, 0 100, 1 165, 2 c");
    assert_eq!(state.options(seat(0)).raise, Some((230, 660)));
}

#[test]
fn the_big_blind_may_raise_when_all_only_called() {
    let mut state = with_stacks(&[1000, 1000, 1000]);
    play_all(&mut state, "2 c, 0 c");
    assert_eq!(state.options(seat(1)), Options { to_call: 0, raise: Some((20, 40)) });
    play_all(&mut state, "1 20, 2 c, 0 c");
    assert_eq!((state.street, state.to_act), (Street::Flop, Some(seat(0))));
}

#[test]
fn heads_up_the_button_posts_the_small_blind_and_acts_first_before_the_flop_only() {
    let mut state = with_stacks(&[1000, 1000]);
    assert_eq!(state.street_bets[..2], [10, 5]);
    play_all(&mut state, "1 c, 0 x, 0 x, 1 x, 0 x, 1 x, 0 x");
    assert_eq!(state.street, Street::River);
    play(&mut state, 1, "x");
    assert_eq!((state.hand_number, state.button, state.to_act), (2, seat(0), Some(seat(0))));
    assert!(state.showdown.is_some());
}

#[test]
fn the_button_skips_seats_that_are_out() {
    let mut state = with_stacks(&[1000, 1000, 1000, 1000]);
    state.remove_failed(seat(0), &mut Heard::new());
    play_all(&mut state, "2 f, 3 f");
    assert_eq!((state.hand_number, state.button), (2, seat(1)));
    assert_eq!(state.street_bets[..4], [0, 0, 5, 10]);
    assert_eq!(state.to_act, Some(seat(1)));
}

#[test]
fn a_short_blind_goes_all_in_and_the_full_blind_is_to_be_matched() {
    let state = with_stacks(&[1000, 4, 1000]);
    assert_eq!(state.street_bets[..3], [5, 4, 0]);
    assert_eq!(state.options(seat(2)), Options { to_call: 10, raise: Some((20, 29)) });
    // Two seats: the one with chips has put in more than the other can win, so nobody decides anything.
    let state = with_stacks(&[4, 1000]);
    assert!(state.hand_number > 1 || state.is_complete());
    // It has put in less: it may still fold.
    let state = with_stacks(&[8, 1000]);
    assert_eq!((state.to_act, state.options(seat(1)).to_call), (Some(seat(1)), 5));
    assert_eq!(state.options(seat(1)).raise, None, "nobody could call it");
}

#[test]
fn the_board_runs_out_without_ticks_when_one_seat_can_bet_at_most() {
    let mut state = with_stacks(&[100, 1000]);
    play_all(&mut state, "1 30, 0 90, 1 270");
    assert_eq!(state.options(seat(0)), Options { to_call: 10, raise: None });
    let before = state.tick;
    let heard = play(&mut state, 0, "c");
    assert_eq!(state.tick, before + 1);
    let streets = heard.iter().filter(|(_, event)| event.get("street").is_some()).count();
    assert_eq!(streets, 3);
    assert!(heard.iter().any(|(_, event)| event["returned"] == json!({"amount": 170, "seats": ["p1"]})));
    assert_eq!(chips(&state), 1100);
}

#[test]
fn two_equal_lows_are_quartered() {
    let mut state = with_stacks(&[100, 100, 100]);
    state.holes[0] = cards("As2sKdJh");
    state.holes[1] = cards("Ad2dKcJc");
    state.holes[2] = cards("9s9h9cQd");
    state.board = cards("9d8c6h4sQs");
    play_all(&mut state, "2 35, 0 100, 1 c");
    let heard = play(&mut state, 2, "c");
    let paid = json!({"amount": 150, "half": "high", "seats": ["p2"]});
    assert_eq!(heard.iter().filter(|(_, event)| event["won"] == paid).count(), 1, "{heard:?}");
    let shares = &state.showdown.as_ref().unwrap().shares;
    assert_eq!((shares[1].amount, shares[1].winners.len()), (150, 2));
    // The blinds of the next hand are out already.
    let all = [0, 1, 2].map(|n| state.stacks[n] + state.paid[n]);
    assert_eq!(all, [75, 75, 150]);
}

#[test]
fn losing_every_chip_eliminates_and_the_last_seat_wins() {
    let mut state = with_stacks(&[1000, 1000]);
    let aces = cards("AsAhKsKh");
    let twos = cards("2s2h7d7c");
    let board = cards("AdKd9c3sJh");
    (state.holes[0], state.holes[1], state.board) = (aces, twos, board);
    play_all(&mut state, "1 30, 0 90, 1 270, 0 810, 1 1000");
    let heard = play(&mut state, 0, "c");
    assert!(heard.iter().any(|(_, event)| *event == json!({"eliminated": {"seat": "p1"}})));
    assert_eq!(PotLimitOmahaHilo::over(&state), Some(EndReason::GameComplete));
    assert_eq!(PotLimitOmahaHilo::turn(&state), Turn::Over);
    assert_eq!(state.eliminated, SeatSet::one(seat(1)));
    let scores = [0, 1].map(|n| PotLimitOmahaHilo::score(&state, seat(n)) as i64);
    assert_eq!(scores, [100, -100]);
}

#[test]
fn a_fold_is_lost_at_once_and_the_pot_counts_while_in_it() {
    let score = |state: &State, n| (PotLimitOmahaHilo::score(state, seat(n)) * 10.0).round() as i64;
    let mut state = with_stacks(&[1000, 1000, 1000]);
    play(&mut state, 2, "35");
    assert_eq!([0, 1, 2].map(|n| score(&state, n)), [0, 0, 0]);
    play(&mut state, 0, "f");
    assert_eq!([0, 1, 2].map(|n| score(&state, n)), [-5, 0, 0]);
    play(&mut state, 1, "f");
    assert_eq!([0, 1, 2].map(|n| score(&state, n)), [-5, -10, 15]);
}

#[test]
fn a_hand_that_the_horizon_cuts_is_void() {
    let mut all = [0; MAX_PLAYERS];
    all[..3].fill(1000);
    let mut state = State::begin(all, 3, seat(2), (3, 40), Pcg::new(1));
    let heard = play_all(&mut state, "2 35, 0 f, 1 c");
    assert!(heard.iter().any(|(_, event)| event.get("void").is_some()));
    assert_eq!(state.stacks[..3], [1000; 3]);
    assert_eq!(PotLimitOmahaHilo::over(&state), Some(EndReason::MaxTicks));
}

#[test]
fn a_match_is_complete_after_its_last_hand() {
    let setup = MatchSetup { config: &json!({"hands": 2}), seats: 2, max_ticks: 600, seed: 3 };
    let mut table = Table::<PotLimitOmahaHilo>::start(&setup).unwrap();
    while table.probe().over.is_none() {
        table.submit(&SeatMap::default());
    }
    // Silent seats check or fold: the small blind folds to the big one.
    assert_eq!((table.probe().over, table.probe().tick), (Some(EndReason::GameComplete), 2));
    for hands in [0, 201, -1] {
        let setup = MatchSetup { config: &json!({"hands": hands}), ..setup };
        assert!(Table::<PotLimitOmahaHilo>::start(&setup).is_err(), "{hands}");
    }
}

#[test]
fn a_seat_that_fails_folds_and_its_stack_is_out_of_play() {
    let mut state = with_stacks(&[1000, 1000, 1000]);
    play(&mut state, 2, "35");
    let mut heard = Heard::new();
    state.remove_failed(seat(1), &mut heard);
    assert_eq!((state.to_act, state.pot()), (Some(seat(0)), 50), "it was not its turn");
    state.remove_failed(seat(0), &mut heard);
    assert_eq!(state.to_act, None);
    assert_eq!(state.stacks[..3], [0, 0, 1015]);
    assert_eq!(PotLimitOmahaHilo::over(&state), Some(EndReason::GameComplete));
    let scores = [0, 1, 2].map(|n| (PotLimitOmahaHilo::score(&state, seat(n)) * 10.0).round() as i64);
    assert_eq!(scores, [-1000, -1000, 15]);
}

#[test]
fn actions_are_read_in_all_their_spellings_and_nonsense_is_rejected() {
    let setup = MatchSetup { config: &json!({}), seats: 3, max_ticks: 600, seed: 1 };
    let table = Table::<PotLimitOmahaHilo>::start(&setup).unwrap();
    let Turn::One(on_turn) = table.probe().turn else { panic!("nobody is on turn") };
    for (sent, meant) in [
        (json!({"action": "fold"}), Action::Fold),
        (json!([{"action": "call", "note": "x"}]), Action::Call),
        (json!({"action": "raise", "to": 20}), Action::Raise { to: 20 }),
        (json!({"action": "bet", "to": 35}), Action::Raise { to: 35 }),
        (json!({"action": "raise", "to": "pot"}), Action::Raise { to: 35 }),
        (json!({"action": "raise", "to": "min"}), Action::Raise { to: 20 }),
        (json!([]), Action::Fold),
    ] {
        assert_eq!(table.read(on_turn, &sent), Ok(meant), "{sent}");
    }
    for bad in [
        json!({"action": "check"}),
        json!({"action": "all_in"}),
        json!({"action": "raise"}),
        json!({"action": "raise", "to": 19}),
        json!({"action": "raise", "to": 36}),
        json!({"action": "raise", "to": 20.5}),
        json!({"action": "raise", "to": "20"}),
        json!({"action": "raise", "to": -20}),
        json!({"action": "raise", "to": 4_294_967_316_u64}),
        json!([{"action": "fold"}, {"action": "fold"}]),
    ] {
        let Err(Verdict::Rejected(reasons)) = table.read(on_turn, &bad) else { panic!("{bad} is accepted") };
        assert!(reasons.iter().all(|reason| reason.len() < 120), "{reasons:?}");
    }
}

#[test]
fn a_call_with_nothing_to_match_is_a_check() {
    let mut state = with_stacks(&[1000, 1000]);
    play(&mut state, 1, "c");
    let heard = play(&mut state, 0, "c");
    assert_eq!(heard[0].1, json!({"check": {"seat": "p0"}}));
    assert_eq!(state.street, Street::Flop);
}

/// Plays a random match and shows every state; now and then a seat fails.
fn random_match(seats: u8, seed: u64, mut look: impl FnMut(&State, u32)) {
    let mut rng = Pcg::new(seed);
    let mut state = State::new(seats, 150, 40, seed);
    let mut out_of_play = 0;
    look(&state, out_of_play);
    while let Some(on_turn) = state.to_act {
        let menu = View::new(&state, on_turn).menu();
        let (action, _) = menu[rng.below(menu.len() as u64) as usize];
        if rng.one_in(60) {
            out_of_play += state.stacks[on_turn.index()];
            state.remove_failed(on_turn, &mut NoEvents);
        } else {
            state.play(action, &mut NoEvents);
        }
        look(&state, out_of_play);
    }
}

#[test]
fn no_chip_is_made_or_lost_whatever_happens() {
    for seats in 2..=6 {
        for seed in 0..25 {
            random_match(seats, seed, |state, out_of_play| {
                let failed_in_pot_of_a_void_hand = state.tick >= state.max_ticks && !state.failed.is_empty();
                let total = chips(state) + out_of_play;
                let all = u32::from(seats) * START_STACK;
                assert!(total == all || failed_in_pot_of_a_void_hand && total < all, "{total} of {all}");
                if let Some(on_turn) = state.to_act {
                    assert!(state.in_hand.contains(on_turn) && state.stacks[on_turn.index()] > 0);
                    assert!(state.in_hand.len() > 1);
                    let Options { to_call, raise } = state.options(on_turn);
                    let (mine, stack) = (state.street_bets[on_turn.index()], state.stacks[on_turn.index()]);
                    assert!(to_call <= stack);
                    if let Some((least, most)) = raise {
                        assert!(least <= most && most <= mine + stack && least > mine + to_call);
                        assert!(most - mine - to_call <= state.pot() + to_call);
                    }
                }
            });
        }
    }
}

#[test]
fn a_redeal_keeps_what_is_known_and_every_card_once() {
    let mut state = with_stacks(&[1000, 1000, 1000]);
    play_all(&mut state, "2 c, 0 c, 1 x");
    let mut other = state.clone();
    other.redeal(seat(1), &mut Pcg::new(2));
    assert_eq!(other.holes[1], state.holes[1]);
    assert_eq!(other.board[..3], state.board[..3]);
    assert_ne!(other.holes[0], state.holes[0]);
    let all = other.holes[..3].iter().flatten().chain(&other.board);
    assert_eq!(all.fold(0u64, |bits, card| bits | card.bit()).count_ones(), 17);
}

#[test]
fn cards_are_dealt_one_at_a_time_from_the_left_of_the_button() {
    let state = with_stacks(&[1000, 1000, 1000]);
    let (mut rng, mut deck) = (Pcg::new(1), Card::deck());
    rng.shuffle(&mut deck);
    let hole = |first: usize| [0, 3, 6, 9].map(|round| deck[first + round]);
    assert_eq!(state.holes[..3], [hole(0), hole(1), hole(2)]);
    assert_eq!(state.board, deck[12..17]);
}

#[test]
fn the_example_of_the_prompt_is_as_it_says() {
    let mut state = with_stacks(&[1000, 1000]);
    play_all(&mut state, "1 30, 0 c");
    state.holes[0] = cards("As2sKd5h");
    state.board[..3].copy_from_slice(&cards::<3>("Ah7d2c"));
    let words =
        |state: &State| serde_json::from_slice::<Value>(&observe(state, seat(0))).unwrap()["hand"].clone();
    assert_eq!(words(&state)["high"], "two pair, aces and twos");
    assert_eq!(words(&state)["low"], "5-card low possible");
    play_all(&mut state, "0 x, 1 x");
    state.board[3] = cards::<1>("4c")[0];
    assert_eq!(words(&state)["low"], "7-5-4-2-A");
}

fn table(seats: u8, hands: u32, seed: u64) -> Table<PotLimitOmahaHilo> {
    let config = json!({"hands": hands});
    Table::start(&MatchSetup { config: &config, seats, max_ticks: 600, seed }).unwrap()
}

#[test]
fn an_observation_never_changes_its_form() {
    let mut table = table(3, 40, 2);
    for action in [json!({"action": "raise", "to": 30}), json!({"action": "call"}), json!({"action": "call"})]
    {
        let Turn::One(on_turn) = table.probe().turn else { panic!("nobody is on turn") };
        table.submit(&[(on_turn, Input::Act(action))].into_iter().collect());
    }
    let Turn::One(on_turn) = table.probe().turn else { panic!("nobody is on turn") };
    let mut bytes = Vec::new();
    table.observe(on_turn, &[], &mut bytes);
    insta::assert_snapshot!(String::from_utf8(bytes).unwrap());
}

#[test]
fn a_known_match_never_plays_differently() {
    // If this changes, `game_version` has to.
    let mut state = State::new(3, 600, 4, 11);
    let (mut rng, mut lines) = (Pcg::new(12), Vec::new());
    let mut heard = Heard::new();
    while let Some(on_turn) = state.to_act {
        let (&action, pot) = (rng.weighted(&View::new(&state, on_turn).menu()).unwrap(), state.pot());
        let hole = state.holes[on_turn.index()].map(|card| card.to_string()).concat();
        lines.push(format!("{pot:>5} {on_turn} {hole} {}", serde_json::to_string(&action).unwrap()));
        state.play(action, &mut heard);
        for (_, event) in heard.drain(..).skip(1) {
            lines.push(format!("      {event}"));
        }
    }
    let scores = Seat::first(3).map(|seat| PotLimitOmahaHilo::score(&state, seat)).collect::<Vec<_>>();
    insta::assert_snapshot!(format!("{}\n{scores:?}", lines.join("\n")));
}
