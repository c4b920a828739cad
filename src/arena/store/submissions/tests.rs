use serde_json::json;

use super::*;
use crate::arena::credits::Credits;
use crate::arena::games;
use crate::arena::jobs::{Kind, Order};
use crate::arena::store::evaluations::{self, NewEvaluation};
use crate::arena::store::{Place, Store, accounts, jobs};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn new(account_id: &str, slug: &str, model: Option<&str>) -> NewSubmission {
    let game = games::find(slug).unwrap().spec();
    let code = Code::python("def act(observation): return []");
    NewSubmission { model: model.map(str::to_owned), ..NewSubmission::new(account_id, game, "python", code) }
}

/// Two accounts; `a` has submissions of several games, models and moments, `b` has one. Gives the ids of `a`'s.
async fn filled() -> (Store, Vec<String>) {
    let store = Store::open(&Place::Ephemeral).unwrap();
    let written = store.write(|connection| {
        for account in ["a", "b"] {
            accounts::add(connection, account, &format!("{account}@example.org"), None, at(0))?;
        }
        let mut mine = vec![
            new("a", "connect_four", Some("m1")),
            new("a", "connect_four", Some("m2")),
            new("a", "liars_dice", Some("m1")),
            new("a", "liars_dice", None),
        ];
        mine[1].provider = Some("lab".to_owned());
        mine[2].branch_mode = "measure";
        for (nth, submission) in mine.iter().enumerate() {
            add(connection, submission, at(10 * nth as i64))?;
        }
        add(connection, &new("b", "connect_four", Some("m1")), at(5))?;
        Ok(mine.into_iter().map(|submission| submission.submission_id).collect())
    });
    let ids = written.await.unwrap();
    (store, ids)
}

#[tokio::test]
async fn selectors_are_conjunctive_and_never_reach_another_account() {
    let (store, ids) = filled().await;
    let found = store.read(move |connection| {
        let which = |wanted: Selector| -> Vec<usize> {
            let rows = list(connection, "a", &wanted, None, 100).unwrap();
            assert_eq!(rows.len() as u64, count(connection, "a", &wanted).unwrap());
            let place = |row: SubmissionRow| ids.iter().position(|id| *id == row.submission_id).unwrap();
            rows.into_iter().map(place).collect()
        };
        let any = Selector::default;
        let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(which(any()), [3, 2, 1, 0], "newest first");
        assert_eq!(which(Selector { models: texts(&["m1"]), ..any() }), [2, 0]);
        assert_eq!(
            which(Selector { game: Some("liars_dice".into()), models: texts(&["m1", "m9"]), ..any() }),
            [2]
        );
        assert_eq!(which(Selector { providers: texts(&["lab"]), ..any() }), [1]);
        assert_eq!(which(Selector { branch_modes: texts(&["measure", "best_of_n"]), ..any() }), [2]);
        assert_eq!(
            which(Selector { created_after: Some(at(10)), created_before: Some(at(30)), ..any() }),
            [2, 1]
        );
        assert_eq!(
            which(Selector { submission_ids: Some(vec![]), ..any() }),
            [0; 0],
            "an empty list names nobody"
        );
        assert_eq!(which(Selector { submission_ids: Some(vec![ids[3].clone(), "x".into()]), ..any() }), [3]);
        assert!(get(connection, "b", &ids[0])?.is_none());
        let kept = code(connection, &ids[0])?;
        assert_eq!(kept, Some(Code::python("def act(observation): return []")));
        Ok(())
    });
    found.await.unwrap();
}

#[tokio::test]
async fn deletion_is_soft_and_names_the_jobs_that_it_makes_pointless() {
    let (store, ids) = filled().await;
    let checked = store.write(move |connection| {
        let order = Order::new("a", Kind::Evaluation, json!({}));
        let evaluation = NewEvaluation {
            eval_run_id: "e1".into(),
            submission_id: ids[0].clone(),
            account_id: "a".into(),
            job_id: order.job_id.clone(),
            match_count: 4,
            seed: u64::MAX,
            opponents: json!({}),
            pool: json!([]),
        };
        jobs::add(connection, &order.row(), Credits(0))?;
        evaluations::add(connection, &evaluation, at(1))?;
        assert_eq!(evaluations::by_job(connection, &order.job_id)?.unwrap().order, evaluation);
        let wanted = Selector { game: Some("connect_four".into()), ..Selector::default() };
        assert_eq!(delete(connection, "a", &wanted, at(99))?, [order.job_id]);
        assert!(get(connection, "a", &ids[0])?.is_none());
        assert_eq!(any(connection, &ids[0])?.unwrap().deleted_at, Some(99_000));
        assert_eq!(count(connection, "a", &Selector::default())?, 2);
        assert_eq!(count(connection, "b", &Selector::default())?, 1);
        assert_eq!(delete(connection, "a", &wanted, at(100))?, [""; 0], "what is gone does not match");
        Ok(())
    });
    checked.await.unwrap();
}

#[tokio::test]
async fn a_check_is_written_once_and_only_rated_ones_are_opponents() {
    let (store, ids) = filled().await;
    let checked = store.write(move |connection| {
        let game = games::find("connect_four").unwrap().spec();
        let standing =
            |rate| Standing { elo: 1000.0, error: 50.0, percentile: 0.5, matches: 9, failure_rate: rate };
        let rated_now = || -> Vec<String> {
            let rows = rated(connection, "a", game, 0.2, 9).unwrap();
            rows.into_iter().map(|row| row.submission_id).collect()
        };
        checked(connection, &ids[0], None)?;
        checked(connection, &ids[0], Some(&json!({ "code": "crashed" })))?;
        assert_eq!(get(connection, "a", &ids[0])?.unwrap().stage, Stage::Ready);
        checked(connection, &ids[1], Some(&json!({ "code": "crashed" })))?;
        assert_eq!(get(connection, "a", &ids[1])?.unwrap().failure, Some(json!({ "code": "crashed" })));
        assert_eq!(rated_now(), [""; 0]);
        for id in &ids {
            rate(connection, id, &standing(0.2))?;
        }
        assert_eq!(rated_now(), [ids[0].clone()], "another game, pending and failed ones are none");
        rate(connection, &ids[0], &standing(0.21))?;
        assert_eq!(rated_now(), [""; 0], "one that fails often is none");
        Ok(())
    });
    checked.await.unwrap();
}
