//! An arena with something to export: submissions that were rated in real matches, a generation that was branched.

use gert::arena::games;
use gert::arena::matches::{Order, Player};
use gert::arena::store::StoreError;
use gert::arena::store::evaluations::{self, Findings, NewEvaluation};
use gert::arena::store::matches::{self, MatchRow};
use gert::arena::store::submissions::{self, Code, NewSubmission, Stage, Standing};
use jiff::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::super::{Server, text};

impl Server {
    /// The account of the key.
    pub(super) async fn account(&self) -> String {
        self.arena.bootstrap_key("me@example.org").await.unwrap().0
    }

    /// A submission that can play; with a percentile it is rated, too.
    pub(super) async fn submission(
        &self,
        slug: &str,
        branch_mode: &'static str,
        percentile: Option<f64>,
    ) -> String {
        let spec = games::find(slug).unwrap().spec();
        let mut new =
            NewSubmission::new(&self.account().await, spec, "python", Code::python("print('né')\n"));
        new.stage = Stage::Ready;
        if branch_mode != "none" {
            new.branch_mode = branch_mode;
            new.branch_config =
                Some(json!({ "mode": branch_mode, "ticks": spec.canonical_ticks, "adopt_percentile": 0.75 }));
            (new.provider, new.provider_source) = (Some("lab".to_owned()), Some("org:local".to_owned()));
            new.model = Some("m-1".to_owned());
        }
        let (id, at) = (new.submission_id.clone(), Timestamp::now());
        self.sql(move |connection| submissions::add(connection, &new, at)).await;
        if let Some(percentile) = percentile {
            self.rate(slug, &id, percentile, 0).await;
        }
        id
    }

    /// Evaluates a submission in one match, in which a built-in player stands in for its code. Gives the replay's id.
    pub(super) async fn rate(&self, slug: &str, submission_id: &str, percentile: f64, seed: u64) -> String {
        let game = games::find(slug).unwrap();
        let players: Vec<Player> = (0..game.spec().default_seats)
            .map(|seat| Player::BuiltIn(if seat == 0 { game.bots()[1].name } else { "random" }.to_owned()))
            .collect();
        // Long enough for every game that is over by itself.
        let order =
            Order { max_ticks: game.spec().canonical_ticks.min(60), ..Order::new(game, seed, players) };
        let mut series = self.arena.matches().series();
        let record = series.play(&order, &CancellationToken::new()).await.unwrap();
        series.close().await;
        let seats: Vec<Value> = record
            .seats
            .iter()
            .enumerate()
            .map(|(nth, seat)| {
                let own = json!({ "submission_id": submission_id });
                let other = json!({ "submission_id": "league", "provider": "arena", "model": "random" });
                let mut line = if nth == 0 { own } else { other };
                (line["score"], line["rank"], line["outcome"]) =
                    (json!(seat.score), json!(seat.rank), json!(seat.outcome));
                line
            })
            .collect();
        let account_id = self.account().await;
        let eval_run_id = format!("ev_{submission_id}_{seed}");
        let evaluation = NewEvaluation {
            eval_run_id: eval_run_id.clone(),
            submission_id: submission_id.to_owned(),
            account_id,
            job_id: format!("j_{eval_run_id}"),
            match_count: 1,
            seed,
            opponents: json!({}),
            pool: json!([]),
        };
        let spec = game.spec();
        let replay_id = format!("m_{submission_id}_{seed}");
        let played = MatchRow {
            replay_id: replay_id.clone(),
            eval_run_id,
            n: 0,
            game: slug.to_owned(),
            game_version: spec.game_version.to_owned(),
            score_version: spec.score_version.to_owned(),
            config: order.config.clone(),
            seed,
            max_ticks: order.max_ticks,
            ticks: record.ticks,
            completion_reason: record.end.as_str().to_owned(),
            seat: 0,
            seats: json!(seats),
            wall_ms: 5,
            cpu_ms: 3,
            log: record.log.as_bytes().to_vec(),
        };
        let standing = Standing { elo: 1000.0, error: 50.5, percentile, matches: 1, failure_rate: 0.0 };
        let score = record.seats[0].score;
        let score_stats =
            json!({ "min": score, "max": score, "mean": score, "median": score, "std_dev": 0.0 });
        let found = Findings { played: 1, standing, failures: json!({}) };
        let at = Timestamp::now();
        self.sql(move |connection| {
            evaluations::add(connection, &evaluation, at)?;
            matches::add(connection, &played, at)?;
            evaluations::complete(connection, &evaluation, &found, &score_stats, at)
        })
        .await;
        replay_id
    }

    /// Adds what a branched generation of so many decision points leaves.
    pub(super) async fn generated(&self, submission_id: &str, points: u32) {
        let id = submission_id.to_owned();
        self.sql(move |connection| {
            let transcript = r#"[{"step":0, "turn":1,"kind":"model","raw_content":[]}]"#;
            connection.execute(
                "INSERT INTO transcripts VALUES (?1, ?2, ?3, ?4)",
                [
                    &id,
                    transcript,
                    r#"{"system":"be good","transcript_window":4}"#,
                    r#"{"branch_config":{"ticks":42}}"#,
                ],
            )?;
            for index in 0..points {
                let record = json!({
                    "submission_id": id, "decision_index": index, "state_entry_count": 1 + index,
                    "pruned": if index == 0 { Value::Null } else { json!({ "call_1": "(Stale)" }) },
                    "branch_mode": "best_of_n", "adopt_percentile": 0.75,
                    "actions": [{ "action": { "text": "try" }, "action_rank": 1, "value": { "mean": 0.5 },
                        "code": { "main.py": "pass" } }],
                    "note": "kept",
                });
                let sql = "INSERT INTO decision_points VALUES (?1, 'j_generation', ?2, ?3)";
                connection.execute(sql, rusqlite::params![id, index, record.to_string()])?;
            }
            Ok(())
        })
        .await;
    }

    pub(super) async fn sql(
        &self,
        work: impl FnMut(&rusqlite::Connection) -> Result<(), StoreError> + Send + 'static,
    ) {
        self.arena.store().write(work).await.unwrap();
    }

    /// Exports and waits for the end. Gives the job.
    pub(super) async fn export(&self, ask: Value) -> Value {
        let (status, answer) = self.post("/exports", ask).await;
        assert_eq!(status, 202, "{answer}");
        let job_id = text(&answer["data"]["job_id"]).to_owned();
        self.arena.jobs().ended(&job_id).await;
        let job = self.data(&format!("/jobs/{job_id}")).await["job"].clone();
        assert_eq!(job["status"], "completed", "{job}");
        job
    }

    /// Where the files of an export are.
    pub(super) async fn addresses(&self, job: &Value) -> Vec<Value> {
        let download = self.data(&format!("/exports/{}/download", text(&job["job_id"]))).await;
        match download["chunks"].as_array() {
            Some(chunks) => {
                assert_eq!(
                    (&download["chunked"], &download["chunk_count"]),
                    (&json!(true), &json!(chunks.len()))
                );
                chunks.clone()
            }
            None if download["download_url"].is_string() => vec![download],
            None => Vec::new(),
        }
    }

    /// A file as anybody gets it who has its address: name and content.
    pub(super) async fn fetch(&self, address: &Value) -> (String, Vec<u8>) {
        let response = self.client.request(Method::GET, text(&address["download_url"])).send().await.unwrap();
        assert_eq!(response.status(), 200);
        let name = response.headers()["content-disposition"].to_str().unwrap();
        let name =
            name.strip_prefix("attachment; filename=\"").unwrap().strip_suffix('"').unwrap().to_owned();
        let content = response.bytes().await.unwrap().to_vec();
        assert_eq!(address["size_bytes"], content.len());
        (name, content)
    }

    /// The documents of a JSON export.
    pub(super) async fn documents(&self, job: &Value) -> Vec<Value> {
        let mut documents = Vec::new();
        for address in self.addresses(job).await {
            let document: Value = serde_json::from_slice(&self.fetch(&address).await.1).unwrap();
            assert_eq!(address["record_count"], document["records"].as_array().unwrap().len());
            documents.push(document);
        }
        documents
    }

    /// The rows of a JSON export.
    pub(super) async fn records(&self, job: &Value) -> Vec<Value> {
        let documents = self.documents(job).await;
        documents.iter().flat_map(|document| document["records"].as_array().unwrap().clone()).collect()
    }
}
