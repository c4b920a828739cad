//! The tables that ship, and who is drawn from them.

use std::collections::BTreeSet;

use super::calibrate::Order;
use super::*;
use crate::arena::engine::Game;
use crate::arena::games::{GAMES, find};

/// Players whose order is known beforehand, weakest first, who think fast enough to be measured here, and the pairs that
/// they are measured with.
const ANCHORS: &[(&str, &[&str], u32)] = &[
    ("connect_four", &["random", "block", "ab2"], 40),
    ("grid_serpents", &["random", "safe", "greedy", "flood"], 20),
    ("kolmogorov", &["verbatim", "random", "mode", "lz", "fit"], 10),
    ("liars_dice", &["random", "count", "prob", "infer"], 60),
    ("market_simulator", &["random", "idle", "maker", "hybrid"], 10),
    ("minefield", &["random", "dense", "single", "subset", "exact"], 30),
    ("multi_reversi", &["random", "flips", "positional"], 40),
    ("pot_limit_omaha_hilo", &["station", "rock", "loose"], 30),
    ("spe_recall", &["random", "silent", "log", "table", "initials", "codes", "codebook"], 40),
    ("transmit_receive", &["random", "raw", "rep3", "erasure"], 20),
];

/// By how much the share of points between two players may differ from what their ratings promise: the model is one
/// number a player, and who beats whom is not.
const MISFIT: f64 = 0.1;

fn games() -> impl Iterator<Item = (&'static dyn Game, Table)> {
    GAMES.iter().map(|game| {
        let table = shipped(game.spec().slug);
        (*game, table.unwrap_or_else(|| panic!("`{}` has no readable table", game.spec().slug)))
    })
}

fn rated<'a>(entries: &'a [Row], player: &str) -> &'a Row {
    entries.iter().find(|row| row.player == player).unwrap_or_else(|| panic!("`{player}` is not rated"))
}

#[test]
fn every_game_has_a_table_that_was_measured_as_the_game_is_now() {
    for (game, table) in games() {
        let spec = game.spec();
        let made_for = (&*table.game, &*table.game_version, &*table.score_version, table.seats);
        let now = (spec.slug, spec.game_version, spec.score_version, spec.default_seats);
        assert_eq!(made_for, now, "measure it again: gert arena calibrate {} --write", spec.slug);
        let measured: BTreeSet<&str> = table.entries.iter().map(|row| &*row.player).collect();
        let roster = roster::of(game);
        assert_eq!(measured, roster.iter().map(String::as_str).collect(), "{}", spec.slug);
        assert!(measured.iter().all(|name| game.player(name, 0).is_some()), "{}", spec.slug);
    }
    assert_eq!(TEXTS.len(), GAMES.len());
}

#[test]
fn every_league_is_a_ladder_with_steps_that_can_be_climbed() {
    for (game, table) in games() {
        let slug = game.spec().slug;
        assert!(table.entries.len() >= 12 && table.pairs > 0, "{slug}");
        // Who always scores the same has a rating without an error, where scores are what is rated.
        let least = if table.seats == 1 { 0.0 } else { 0.1 };
        assert!(table.entries.iter().all(|row| (least..40.0).contains(&row.error)), "{slug}");
        for step in table.entries.windows(2) {
            let gap = step[1].elo - step[0].elo;
            assert!(
                (0.0..=200.0).contains(&gap),
                "{slug}: {gap} between {} and {}",
                step[0].player,
                step[1].player
            );
        }
        // The first move is worth something; a league must not be decided by it.
        let is_fair = |first_seat| (0.4..=0.6).contains(&first_seat);
        assert!(table.first_seat.is_none_or(is_fair), "{slug}: {:?}", table.first_seat);
        assert_eq!(table.first_seat.is_none(), solo::rates(game), "{slug}");
        assert_eq!(table.reference.is_some(), solo::rates(game), "{slug}");
    }
}

#[test]
fn the_anchors_are_in_order_by_more_than_two_errors() {
    for (slug, players, _) in ANCHORS {
        let table = shipped(slug).unwrap();
        for step in players.windows(2) {
            let (weak, strong) = (rated(&table.entries, step[0]), rated(&table.entries, step[1]));
            assert!(strong.elo - weak.elo > 2.0 * weak.error.hypot(strong.error), "{slug}: {step:?}");
        }
    }
}

#[test]
fn a_small_sample_agrees_with_the_tables() {
    for &(slug, players, pairs) in ANCHORS {
        let names = players.iter().map(|&name| name.to_owned()).collect();
        let order = Order { game: find(slug).unwrap(), players: names, pairs, seed: 99 };
        if solo::rates(order.game) {
            agrees_alone(&order);
            continue;
        }
        let results = calibrate::play_all(&order, 2, &|_, _| ()).unwrap().results;
        let table = shipped(slug).unwrap().entries;
        for (weak, step) in players.windows(2).enumerate() {
            let (points, matches) = results.between(weak + 1, weak);
            let promised = rating::expected(rated(&table, step[1]).elo, rated(&table, step[0]).elo);
            let error = (promised * (1.0 - promised) / matches).sqrt();
            let made = points / matches;
            assert!(
                (made - promised).abs() < MISFIT + 3.0 * error,
                "{slug}: {step:?} made {made} of {matches}, promised are {promised}"
            );
        }
    }
}

/// As the table rates scores, so it rates those of other matches.
fn agrees_alone(order: &Order<'_>) {
    let slug = order.game.spec().slug;
    let table = shipped(slug).unwrap();
    let reference = table.reference.unwrap();
    let played = solo::play_all(order, 2, &|_, _| ()).unwrap();
    for (player, units) in order.players.iter().zip(played) {
        let again = reference.rate(units.iter().map(|units| *units as f64 / 10_000.0));
        let shipped = rated(&table.entries, player);
        let error = shipped.error.hypot(again.error);
        assert!((again.elo - shipped.elo).abs() < 4.0 * error + 5.0, "{slug} {player}: {again:?}");
    }
}

#[test]
fn entries_have_ids_of_their_own_and_are_spread_over_a_year() {
    let entries: Vec<&Entry> = GAMES.iter().flat_map(|game| of(game.spec().slug)).collect();
    let ids: BTreeSet<&str> = entries.iter().map(|entry| &*entry.submission_id).collect();
    assert_eq!(ids.len(), entries.len());
    let quarters: BTreeSet<i64> =
        entries.iter().map(|entry| (entry.created_at.as_second() - 1_735_689_600) / (92 * 86_400)).collect();
    assert_eq!(quarters, BTreeSet::from([0, 1, 2, 3]));
}

#[test]
fn a_percentile_is_the_share_that_is_weaker_ties_half() {
    let all = pool("connect_four", &Wanted::any());
    let n = all.len() as f64;
    for (nth, (entry, percentile)) in all.iter().enumerate() {
        let equals = all.iter().filter(|(other, _)| other.elo.total_cmp(&entry.elo).is_eq()).count();
        assert!(equals > 1 || (percentile - (nth as f64 + 0.5) / n).abs() < 1e-12, "{}", entry.player);
    }
    // Among those that fit the filters, not among all.
    let models: Vec<String> = all.iter().take(2).map(|(entry, _)| entry.player.clone()).collect();
    let two = pool("connect_four", &Wanted { models, ..Wanted::any() });
    assert_eq!(two.iter().map(|(_, percentile)| *percentile).collect::<Vec<_>>(), [0.25, 0.75]);
    assert!(pool("no_such_game", &Wanted::any()).is_empty());
}

#[test]
fn a_band_and_filters_narrow_the_pool() {
    let slug = "multi_reversi";
    let count = |wanted: Wanted| pool(slug, &wanted).len();
    let all = count(Wanted::any());
    let upper = pool(slug, &Wanted { band: Some([0.5, 1.0]), ..Wanted::any() });
    assert!(upper.len() == all / 2 || upper.len() == all.div_ceil(2));
    assert_eq!(upper.last().unwrap().0, of(slug).last().unwrap());
    let providers = |name: &str| Wanted { providers: vec![name.to_owned()], ..Wanted::any() };
    assert_eq!((count(providers(PROVIDER)), count(providers("somebody"))), (all, 0));
    let someday = of(slug)[3].created_at;
    let before = count(Wanted { created_before: Some(someday), ..Wanted::any() });
    let after = count(Wanted { created_after: Some(someday), ..Wanted::any() });
    assert!(before < all && before + after == all);
}

#[test]
fn opponents_are_different_and_drawn_by_the_seed() {
    let draw = |wanted: &Wanted, seats, seed| {
        let drawn = draw("liars_dice", wanted, seats, &mut Pcg::new(seed)).unwrap();
        drawn.into_iter().map(|entry| &*entry.player).collect::<Vec<_>>()
    };
    let band = Wanted { band: Some([0.4, 1.0]), ..Wanted::any() };
    assert_eq!(draw(&band, 3, 5), draw(&band, 3, 5));
    assert!((0..20).any(|seed| draw(&band, 3, seed) != draw(&band, 3, 5)));
    assert_eq!(draw(&band, 5, 1).into_iter().collect::<BTreeSet<_>>().len(), 5);
    // Without a band the three in the middle share a seat.
    let middle: BTreeSet<&str> = (0..50).flat_map(|seed| draw(&Wanted::any(), 1, seed)).collect();
    let percentile = |name: &str| {
        pool("liars_dice", &Wanted::any()).into_iter().find(|(entry, _)| entry.player == name).unwrap().1
    };
    assert_eq!(middle.len(), 3);
    assert!(middle.iter().all(|name| (percentile(name) - 0.5).abs() < 0.15), "{middle:?}");
}

#[test]
fn a_league_that_is_too_thin_says_what_to_do() {
    let wanted = Wanted { band: Some([0.99, 1.0]), ..Wanted::any() };
    let error = draw("connect_four", &wanted, 1, &mut Pcg::new(1)).unwrap_err().to_string();
    for part in ["LEAGUE_TOO_THIN", "1 opponents", "has 0", "0.99 to 1", "widen the band"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}
