//! The way through a recording, without a recording: orders out, answers in.

use super::*;
use crate::client::FeedId;
use crate::tape::View;

const NOW: Duration = Duration::from_secs(100);

struct Rig {
    time: Timeline,
    live: Live,
}

impl Rig {
    fn new(mut time: Timeline, moments: usize) -> Self {
        let mut live = Live::new(FeedId(1), "s_1".into(), None);
        let summary = Summary { moments, ..Summary::default() };
        let order = time.take(NOW, &mut live, TapeEvent::Grew(summary));
        let mut rig = Self { time, live };
        if let Some(order) = order {
            rig.answer(&order);
        }
        rig
    }

    /// Answers an order as the recording would.
    fn answer(&mut self, order: &Order) -> Option<Order> {
        let &Order::Show { ticket, at } = order else { panic!("not to show: {order:?}") };
        let last = self.time.last().unwrap();
        let nth = match at {
            Place::Nth(nth) | Place::MarkerAfter(nth) | Place::MarkerBefore(nth) => nth,
            Place::Tick(tick) => tick as usize,
            Place::Percent(percent) => (percent / 100.0 * last as f64) as usize,
            Place::Last => last,
        }
        .min(last);
        let lasted = (nth < last).then_some(Duration::from_secs(1));
        let view = Box::new(View::new("s_1".into(), None));
        let frame = Box::new(Frame { nth, at: Duration::ZERO, lasted, view });
        self.time.take(NOW, &mut self.live, TapeEvent::Shown { ticket, frame })
    }

    fn nth(&self) -> Option<usize> {
        self.time.past.as_ref().map(|past| past.nth)
    }
}

#[test]
fn a_step_back_leaves_the_live_head_and_steps_on_come_back_to_it() {
    let mut rig = Rig::new(Timeline::default(), 10);
    assert_eq!(rig.time.step(1), None);
    let order = rig.time.step(-1).unwrap();
    rig.answer(&order);
    assert_eq!((rig.nth(), rig.time.behind()), (Some(8), 1));
    let order = rig.time.step(1).unwrap();
    rig.answer(&order);
    assert_eq!(rig.nth(), Some(9));
    assert_eq!(rig.time.step(1), None);
    assert!(!rig.time.looks_back());
}

#[test]
fn only_the_newest_wish_is_kept_while_one_is_on_its_way_and_steps_add_up() {
    let mut rig = Rig::new(Timeline::default(), 100);
    let first = rig.time.step(-1).unwrap();
    for _ in 0..9 {
        assert_eq!(rig.time.step(-1), None);
    }
    let second = rig.answer(&first).expect("the wish that was remembered");
    assert!(matches!(second, Order::Show { at: Place::Nth(89), .. }), "{second:?}");
    assert_eq!(rig.answer(&second), None);
    assert_eq!(rig.nth(), Some(89));
}

#[test]
fn an_answer_that_comes_after_going_back_to_live_is_ignored() {
    let mut rig = Rig::new(Timeline::default(), 100);
    let order = rig.time.step(-50).unwrap();
    assert_eq!(rig.time.to_newest(), None);
    assert_eq!(rig.answer(&order), None);
    assert!(!rig.time.looks_back());
}

#[test]
fn a_recording_plays_from_its_beginning_and_stops_at_its_end() {
    let mut rig = Rig::new(Timeline::recorded(), 3);
    let mut seen = vec![rig.nth().unwrap()];
    while let Some(due) = rig.time.next_wake() {
        assert_eq!(due, NOW + Duration::from_secs(1));
        assert_eq!(rig.time.woke(NOW), None);
        let order = rig.time.woke(due).unwrap();
        assert_eq!(rig.time.next_wake(), None);
        rig.answer(&order);
        seen.push(rig.nth().unwrap());
    }
    assert_eq!(seen, [0, 1, 2]);
    assert!(!rig.time.playing);
    // From the end it plays again.
    let order = rig.time.toggle(NOW).unwrap();
    rig.answer(&order);
    assert_eq!((rig.nth(), rig.time.playing), (Some(0), true));
}

#[test]
fn playing_a_live_session_ends_at_its_head() {
    let mut rig = Rig::new(Timeline::default(), 3);
    let order = rig.time.step(-1).unwrap();
    rig.answer(&order);
    assert_eq!(rig.time.toggle(NOW), None);
    let due = rig.time.next_wake().unwrap();
    let order = rig.time.woke(due).unwrap();
    rig.answer(&order);
    assert!(!rig.time.looks_back() && !rig.time.playing);
}

#[test]
fn speed_changes_how_long_a_moment_stays() {
    let mut rig = Rig::new(Timeline::recorded(), 9);
    rig.time.change_speed(true, NOW);
    assert_eq!(rig.time.next_wake(), Some(NOW + Duration::from_millis(500)));
    rig.time.change_speed(false, NOW);
    rig.time.change_speed(false, NOW);
    assert_eq!(rig.time.next_wake(), Some(NOW + Duration::from_secs(2)));
}

#[test]
fn a_pause_stops_the_live_head_where_it_is() {
    let mut rig = Rig::new(Timeline::default(), 10);
    let order = rig.time.toggle(NOW).unwrap();
    assert!(matches!(order, Order::Show { at: Place::Last, .. }));
    rig.answer(&order);
    let summary = Summary { moments: 30, ..Summary::default() };
    rig.time.take(NOW, &mut rig.live, TapeEvent::Grew(summary));
    assert_eq!((rig.nth(), rig.time.behind()), (Some(9), 20));
}

#[test]
fn a_bookmark_is_set_where_one_is_and_taken_away_again() {
    let mut rig = Rig::new(Timeline::default(), 10);
    assert_eq!(rig.time.toggle_bookmark(), Some(Order::Bookmark { nth: 9, note: Some(String::new()) }));
    let marker = Marker { nth: 9, tick: 9, kind: MarkerKind::Bookmark, text: String::new() };
    let summary = Summary { moments: 10, markers: [marker].into(), ..Summary::default() };
    rig.time.take(NOW, &mut rig.live, TapeEvent::Grew(summary));
    assert_eq!(rig.time.toggle_bookmark(), Some(Order::Bookmark { nth: 9, note: None }));
}

#[test]
fn an_empty_recording_takes_every_wish_quietly() {
    let mut rig = Rig::new(Timeline::recorded(), 0);
    assert_eq!(rig.time.step(-1), None);
    assert_eq!(rig.time.toggle_bookmark(), None);
    assert_eq!(rig.time.to_marker(false), None);
    assert_eq!(rig.time.next_wake(), None);
}

#[test]
fn a_recording_that_cannot_be_read_says_why() {
    let mut rig = Rig::new(Timeline::recorded(), 0);
    rig.time.take(NOW, &mut rig.live, TapeEvent::Failed("no such file".into()));
    assert!(matches!(&rig.live.link, Link::Ended { why, orderly: false } if why == "no such file"));
}
