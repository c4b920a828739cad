use super::*;
use crate::arena::engine::difficulty::Difficulty;
use crate::arena::engine::rng::mix;
use crate::arena::games::kolmogorov::payload::{draw, text};

const CODECS: [(&str, Write, Read); 6] = [
    ("pack", plain::pack, plain::read_pack),
    ("runs", plain::runs, plain::read_runs),
    ("lz", lz::write, lz::read),
    ("fit", fit::write, fit::read),
    ("arithmetic", arithmetic::write, arithmetic::read),
    ("model", best_of_all, read_any),
];

#[test]
fn what_was_written_whole_is_read_back() {
    let mut rng = Pcg::new(1);
    for nth in 0..200_u16 {
        let length = 64 + 16 * usize::from(nth % 29);
        let symbols =
            draw(&mut rng, length, Difficulty::try_from(f64::from(nth) / 200.0).unwrap(), true).symbols;
        for (name, write, read) in &CODECS[..5] {
            let note = write(&symbols);
            assert!(note.is_ascii(), "{name}");
            assert_eq!(text(&read(&note, length)), text(&symbols), "{name}: {note}");
        }
    }
}

#[test]
fn any_text_is_read_as_so_many_symbols() {
    let mut rng = Pcg::new(2);
    for nth in 0..4000 {
        let head = ["", "p", "q", "r", "s", "t", "u", "~", "A", "é"][nth % 10];
        let tail: String = (0..rng.below(12)).map(|_| char::from(33 + rng.below(94) as u8)).collect();
        let note = format!("{head}{tail}");
        for (name, _, read) in CODECS {
            let symbols = read(&note, 100);
            assert!(symbols.len() == 100 && symbols.iter().all(|symbol| *symbol < 8), "{name}: {note}");
        }
    }
}

#[test]
fn every_rule_is_found_but_runs_and_noise() {
    // Of eight kinds of payload six have a rule.
    let mut rng = Pcg::new(3);
    let found = (0..400).filter(|_| {
        let note = fit::write(&draw(&mut rng, 266, Difficulty::default(), false).symbols);
        note.starts_with(['p', 'q', 'r', 's', 't', 'u'])
    });
    let found = found.count();
    assert!((275..325).contains(&found), "{found} of 400");
}

#[test]
fn a_note_is_never_longer_than_what_it_saves() {
    for seed in 0..8 {
        let payload = text(&draw(&mut Pcg::new(mix(&[seed, 4])), 266, Difficulty::default(), true).symbols);
        let worth = |write: Write, read: Read| {
            let note = shortened(&payload, write(&symbols(&payload)), read);
            earns(&payload, &note, read)
        };
        let [pack, runs, lz, fit, _, model] = CODECS.map(|(_, write, read)| worth(write, read));
        assert!(pack > 0 && runs > 0 && lz > 0, "{payload}");
        assert!(fit >= lz || fit > 90_000, "{payload}: fit {fit}, lz {lz}");
        assert!(model >= fit, "{payload}: model {model}, fit {fit}");
    }
}
