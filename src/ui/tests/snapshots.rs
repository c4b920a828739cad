//! Every state as text, at three sizes.

use std::fmt::Write as _;

use super::states::STATES;
use super::{PLAIN, draw, text};

/// A roomy terminal, the usual one, and one that is almost too small.
const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (40, 12)];

#[test]
fn every_state_looks_as_it_did() {
    for (name, make) in STATES {
        let mut screens = String::new();
        for size in SIZES {
            let buffer = draw(&mut make(), size, &PLAIN);
            writeln!(screens, "== {} x {}\n{}", size.0, size.1, text(&buffer)).unwrap();
        }
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(*name, screens);
        });
    }
}
