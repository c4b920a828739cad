use serde_json::json;

use super::*;
use crate::arena::games::connect_four::ConnectFour;

const P0: Seat = Seat::new(0);
const P1: Seat = Seat::new(1);

fn table(seed: u64) -> Table<ConnectFour> {
    Table::start(&MatchSetup { config: &json!({}), seats: 2, max_ticks: 42, seed }).unwrap()
}

fn submit(table: &mut Table<ConnectFour>, seat: Seat, input: Input) -> StepReport {
    table.submit(&[(seat, input)].into_iter().collect())
}

fn seen(table: &Table<ConnectFour>, seat: Seat) -> Value {
    let mut bytes = Vec::new();
    table.observe(seat, &[], &mut bytes);
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn one_object_means_a_list_of_one() {
    let table = table(1);
    assert_eq!(table.judge(P0, &json!({"action": "drop", "column": 0})), Ok(()));
    assert_eq!(table.judge(P0, &json!([{"action": "drop", "column": 0}])), Ok(()));
}

#[test]
fn a_seat_off_turn_is_rejected_when_judged_and_ignored_when_submitted() {
    let mut table = table(1);
    let action = json!({"action": "drop", "column": 0});
    assert!(matches!(table.judge(P1, &action), Err(Verdict::Rejected(_))));
    let report = table.submit(&[(P0, Input::Act(action)), (P1, Input::Act(json!(0)))].into_iter().collect());
    assert_eq!(report.seats.get(P1).unwrap().verdict, None);
    assert!(table.probe().failed.is_empty());
}

#[test]
fn what_is_played_for_a_silent_seat_depends_on_the_seed_alone() {
    let boards = |seed| {
        let mut table = table(seed);
        for _ in 0..6 {
            let report = table.submit(&SeatMap::default());
            assert_eq!(
                report.seats.iter().filter(|(_, seat)| seat.verdict == Some(Verdict::Passed)).count(),
                1
            );
        }
        table.digest()
    };
    assert_eq!(boards(1), boards(1));
    assert_ne!(boards(1), boards(2));
}

#[test]
fn a_failure_costs_no_tick_and_its_price_is_the_reward() {
    let mut table = table(1);
    submit(&mut table, P0, Input::Pass);
    let report = submit(&mut table, P1, Input::Fail("crashed".into()));
    assert_eq!(report.tick, 1);
    assert_eq!(
        report.seats.get(P1).unwrap(),
        &SeatReport { verdict: Some(Verdict::Failed("crashed".into())), reward: -50.0 }
    );
    assert_eq!(report.seats.get(P0).unwrap(), &SeatReport { verdict: None, reward: 50.0 });
}

#[test]
fn events_wait_until_the_seat_has_acted() {
    let mut table = table(1);
    submit(&mut table, P0, Input::Act(json!({"action": "drop", "column": 3})));
    let first = json!({"drop": {"column": 3, "row": 0, "seat": "p0"}});
    assert_eq!(seen(&table, P1)["events"], json!([first]));
    assert_eq!(seen(&table, P0)["events"], json!([first]), "its own move is shown too");
    submit(&mut table, P1, Input::Act(json!({"action": "drop", "column": 3})));
    let second = json!({"drop": {"column": 3, "row": 1, "seat": "p1"}});
    assert_eq!(seen(&table, P0)["events"], json!([first, second]));
    assert_eq!(seen(&table, P1)["events"], json!([second]));
}

#[test]
fn a_player_at_another_games_table_does_nothing() {
    struct NoTable(Table<ConnectFour>);
    // The player knows its table by type; anything else that plays is foreign to it.
    impl Play for NoTable {
        fn probe(&self) -> Probe {
            self.0.probe()
        }
        fn observe(&self, seat: Seat, feedback: &[String], out: &mut Vec<u8>) {
            self.0.observe(seat, feedback, out);
        }
        fn judge(&self, seat: Seat, action: &Value) -> Result<(), Verdict> {
            self.0.judge(seat, action)
        }
        fn submit(&mut self, inputs: &SeatMap<Input>) -> StepReport {
            self.0.submit(inputs)
        }
        fn fail(&mut self, seat: Seat, why: &str) {
            self.0.fail(seat, why);
        }
        fn standings(&self) -> SeatMap<Standing> {
            self.0.standings()
        }
        fn playout(&self, _: &Playout<'_>) -> Result<PlayoutEnd, UnknownPlayer> {
            unreachable!()
        }
        fn fork(&self) -> Box<dyn Play> {
            self.0.fork()
        }
        fn redeal(&self, viewer: Seat, stream: u64) -> Box<dyn Play> {
            self.0.redeal(viewer, stream)
        }
        fn reseed(&mut self, stream: u64) {
            self.0.reseed(stream);
        }
        fn digest(&self) -> u64 {
            self.0.digest()
        }
        fn as_any(&self) -> &dyn Any {
            self
        }
    }
    let mut player = Game::player(&ConnectFour, "random", 1).unwrap();
    assert_eq!(player.act(&NoTable(table(1)), P0), json!([]));
}
