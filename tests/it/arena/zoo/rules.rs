//! What an answer that cannot be played costs (arena.md §2.3, the column of evaluation matches, and §9.1).

use super::*;

/// Answers what stands at the place of its turn, and after that plays.
fn answers(list: &str) -> Source {
    let code = format!(
        "LIST = {list}\nn_turns = 0\n\
         def act(observation, seat, info):\n    global n_turns\n    n_turns += 1\n    \
         play = [{{\"action\": \"drop\", \"column\": observation[\"legal_columns\"][0]}}]\n    \
         return LIST[n_turns - 1] if n_turns <= len(LIST) else play\n"
    );
    Source::python(&code)
}

#[tokio::test]
async fn two_strikes_are_forgiven_and_the_third_takes_the_seat_out() {
    let seat = assert_plays("two strikes", answers("[5, [{'action': 'jump'}]]")).await;
    assert_eq!(seat.strikes, 2);
    for (list, code, said) in [
        ("[5, None, [7]]", MalformedAction, "`[7]`"),
        ("[[5], [{'action': 'drop'}], [{'action': 'drop', 'column': 99}]]", RejectedAction, "99"),
        // A move is required in this game.
        ("[[], [], []]", RejectedAction, "a move is required"),
    ] {
        let told = assert_fails(list, answers(list), patient(), code).await;
        assert!(told.contains(said), "{told}");
    }
}

#[tokio::test]
async fn nearly_late_is_not_late() {
    let limits = Limits { turn: Duration::from_secs(2), ..patient() };
    let seat = play(at_second_turn("time.sleep(1.8)"), limits).await;
    // A machine that is busy may make it late once; that is a strike and no more.
    assert_eq!(seat.failure, None);
    assert!(seat.thought >= Duration::from_millis(1800));
}
