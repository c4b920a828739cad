//! Games that keep their turns apart: no observation repeats an earlier one, and no built-in player remembers any.

use super::*;

/// A text of this length in letters is not repeated by chance.
const TELLING: usize = 8;

fn isolated() -> impl Iterator<Item = &'static dyn Game> {
    GAMES.iter().copied().filter(|game| game.spec().turn_isolated)
}

/// The texts in a value that tell something.
fn texts(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(members) => members.values().for_each(|member| texts(member, found)),
        Value::String(text) if text.len() >= TELLING => _ = found.insert(text.clone()),
        _ => (),
    }
}

/// What a seat is shown, but for what it may play: that is made of what it is shown.
fn shown(play: &dyn Play, seat: Seat) -> Value {
    let mut observation = observation(play, seat);
    observation.as_object_mut().unwrap().remove("_action_space");
    observation
}

#[test]
fn nothing_that_was_shown_is_shown_again_but_what_the_seat_wrote_itself() {
    let mut n_gone = 0;
    for game in isolated() {
        let spec = game.spec();
        // Words of the game's own language say nothing.
        let vocabulary = (spec.observation_schema)().to_string();
        let mut play = start(game, spec.default_seats, spec.canonical_ticks, 201);
        let mut rng = Pcg::new(202);
        let [mut gone, mut own]: [SeatMap<BTreeSet<String>>; 2] =
            [(); 2].map(|()| Seat::first(spec.default_seats).map(|seat| (seat, BTreeSet::new())).collect());
        while play.probe().over.is_none() {
            let inputs = random_inputs(game, &*play, &mut rng);
            let mut before: SeatMap<BTreeSet<String>> = SeatMap::default();
            for seat in Seat::first(spec.default_seats) {
                let mut now = BTreeSet::new();
                texts(&shown(&*play, seat), &mut now);
                now.retain(|text| !vocabulary.contains(&format!("\"{text}\"")));
                before.insert(seat, now);
            }
            play.submit(&inputs);
            for seat in Seat::first(spec.default_seats) {
                let (gone, own) = (gone.get_mut(seat).unwrap(), own.get_mut(seat).unwrap());
                if let Some(Input::Act(action)) = inputs.get(seat) {
                    texts(action, own);
                }
                gone.append(before.get_mut(seat).unwrap());
                gone.retain(|text| !own.contains(text));
                n_gone += gone.len();
                let now = shown(&*play, seat).to_string();
                for text in gone.iter() {
                    assert!(!now.contains(&**text), "{} {seat}: {text} is shown again: {now}", spec.slug);
                }
            }
        }
    }
    // Not in every game: short words come again by chance, so a game that shows such has a test of its own.
    assert!(n_gone > 0, "nothing was shown that must be gone");
}

#[test]
fn what_was_shown_in_an_earlier_turn_is_hidden_and_so_drawn_anew() {
    for game in isolated() {
        let spec = game.spec();
        let mut play = start(game, spec.default_seats, spec.canonical_ticks, 203);
        let mut differed = false;
        play_out(game, &mut *play, 204, |play, _, _| {
            for viewer in Seat::first(spec.default_seats) {
                let [one, other] = [1, 2].map(|stream| {
                    let mut other = play.redeal(viewer, stream);
                    other.reseed(0);
                    other.digest()
                });
                differed |= one != other;
            }
        });
        assert!(differed, "{}: `redeal` draws nothing anew", spec.slug);
    }
}

#[test]
fn a_built_in_player_decides_like_one_that_was_hired_for_this_very_turn() {
    for game in isolated() {
        let spec = game.spec();
        for name in game.bots().iter().flat_map(|bot| [bot.name.to_owned(), format!("{}+eps0.3", bot.name)]) {
            let hire = || game.player(&name, 205).unwrap();
            let mut veterans: SeatMap<_> =
                Seat::first(spec.default_seats).map(|seat| (seat, hire())).collect();
            let mut play = start(game, spec.default_seats, spec.canonical_ticks.min(HORIZON), 206);
            while play.probe().over.is_none() {
                let mut inputs = SeatMap::default();
                for seat in play.probe().turn.seats().iter() {
                    let action = veterans.get_mut(seat).unwrap().act(&*play, seat);
                    assert_eq!(hire().act(&*play, seat), action, "{} {name}", spec.slug);
                    inputs.insert(seat, Input::Act(action));
                }
                play.submit(&inputs);
            }
        }
    }
}
