//! What is possible and what is given away: the reference solver and the naive one of every variant.

use std::fmt::Write as _;

use super::*;

/// Mean points of reference and naive solver over some instances.
fn means(variant: &dyn Variant, twentieths: u8, seeds: std::ops::Range<u64>) -> (f64, f64, f64) {
    let count = (seeds.end - seeds.start) as f64;
    let (mut reference, mut naive, mut most) = (0.0, 0.0, 0.0_f64);
    for seed in seeds {
        let instance = variant.draw(seed, level(twentieths));
        reference += points(&*instance, &instance.reference()).points;
        let given = points(&*instance, &instance.naive()).points;
        naive += given;
        most = most.max(given);
    }
    (reference / count, naive / count, most)
}

#[test]
fn exact_references_are_near_perfect_up_to_the_middle() {
    // arena.md §10.1.
    for variant in VARIANTS.iter().filter(|variant| variant.spec().is_exact) {
        for twentieths in [0, 5, 10] {
            let (reference, ..) = means(*variant, twentieths, 0..8);
            assert!(reference >= 0.95, "{} at {twentieths}: {reference}", variant.spec().name);
        }
    }
}

#[test]
fn naive_answers_get_little_from_the_middle_on() {
    // arena.md §10.1: here each single instance, not only their mean.
    for variant in VARIANTS {
        for twentieths in [10, 15, 20] {
            let most = (0..8).map(|seed| {
                let instance = variant.draw(seed, level(twentieths));
                points(&*instance, &instance.naive()).points
            });
            let most = most.fold(0.0, f64::max);
            assert!(most <= 0.3, "{} at {twentieths}: {most}", variant.spec().name);
        }
    }
}

#[test]
fn naive_answers_get_less_the_harder_it_is() {
    // arena.md §10.1. A variant whose naive answer is worth nothing by definition stays at nothing.
    for variant in VARIANTS {
        let means: Vec<f64> = [0, 10, 20].iter().map(|at| naive_mean(*variant, *at)).collect();
        assert!(means.windows(2).all(|pair| pair[1] <= pair[0] + 0.02), "{}: {means:?}", variant.spec().name);
    }
}

fn naive_mean(variant: &dyn Variant, twentieths: u8) -> f64 {
    let points = (0..16).map(|seed| {
        let instance = variant.draw(seed, level(twentieths));
        points(&*instance, &instance.naive()).points
    });
    points.sum::<f64>() / 16.0
}

#[test]
fn what_the_solvers_get_is_written_down() {
    let mut table =
        String::from("variant                      0.00         0.45         1.00   (reference, naive)\n");
    for variant in VARIANTS {
        write!(table, "{:25}", variant.spec().name).unwrap();
        for twentieths in [0, 9, 20] {
            let (reference, naive, _) = means(*variant, twentieths, 100..105);
            write!(table, "  {reference:.2}, {naive:.2} ").unwrap();
        }
        table += "\n";
    }
    insta::assert_snapshot!(table);
}
