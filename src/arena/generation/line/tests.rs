use super::*;
use crate::arena::games;
use crate::arena::generation::transcript::Transcript;

fn frame() -> Frame {
    let mut frame = Frame::new(games::find("connect_four").unwrap().spec(), "m", "p");
    (1..=3).for_each(|step| frame.prompt(step, format!("prompt {step}")));
    frame
}

fn answer(blocks: Vec<Value>) -> Answer {
    Answer { blocks, stop_reason: "end_turn", by: None }
}

fn write(text: &str) -> Value {
    tool_use("write_workspace_file", json!({ "path": "submission.py", "content": text }))
}

/// Plays one turn in which evaluations give a score.
fn play(line: &mut Line, frame: &Frame, blocks: Vec<Value>) -> bool {
    for call in line.heard(&mut answer(blocks), frame) {
        let result = line.look(&call).unwrap_or_else(|| {
            line.evaluated("evaluation: mean score 1.5".to_owned());
            json!({ "mean_score": 1.5, "matches": 1 })
        });
        line.ran(&call, &result);
    }
    line.end_turn()
}

fn kinds(transcript: &Transcript) -> Vec<String> {
    let entry = |text: &String| {
        let entry: Value = serde_json::from_str(text).unwrap();
        format!("{} {}.{}", entry["kind"].as_str().unwrap(), entry["step"], entry["turn"])
    };
    transcript.entries().iter().map(entry).collect()
}

#[test]
fn a_step_is_a_look_around_turns_and_an_evaluation_of_what_changed() {
    // The order of the SDK's projection fixture: turn 0, whole turns, a half turn (protocol.md §5.14).
    let (mut line, frame) = (Line::default(), frame());
    line.open_step();
    assert!(play(&mut line, &frame, vec![write("v1")]));
    let call = line.auto_evaluation(2).unwrap();
    line.auto_evaluated(&call, &json!({ "mean_score": 50 }));
    line.evaluated("evaluation: mean score 50".to_owned());
    assert_eq!(line.auto_evaluation(2), None, "nothing has changed since");
    line.open_step();
    assert_eq!(
        kinds(&line.transcript),
        [
            "model_turn 1.0",
            "tool 1.0",
            "tool 1.0",
            "model_turn 1.1",
            "tool 1.1",
            "model_turn 1.1.5",
            "tool 1.1.5",
            "model_turn 2.0",
            "tool 2.0",
            "tool 2.0"
        ]
    );
    let last: Value = serde_json::from_str(line.transcript.entries().last().unwrap()).unwrap();
    assert_eq!(last["result"], "evaluation: mean score 50");
}

#[test]
fn a_model_that_calls_nothing_is_reminded_once_and_then_believed() {
    let (mut line, frame) = (Line::default(), frame());
    line.open_step();
    let text = || vec![json!({ "type": "text", "text": "done" })];
    assert!(play(&mut line, &frame, text()));
    assert!(!play(&mut line, &frame, text()));
    assert_eq!(kinds(&line.transcript)[3..], ["model 1.1", "reminder 1.1", "model 1.2"]);
    let request = serde_json::to_string(&line.request(&frame).unwrap().messages).unwrap();
    assert!(request.contains(REMINDER), "{request}");
}

#[test]
fn a_request_is_the_prompt_of_the_step_and_what_happened() {
    let (mut line, frame) = (Line::default(), frame());
    line.open_step();
    let request = line.request(&frame).unwrap();
    let messages: Value = serde_json::to_value(&request.messages).unwrap();
    assert_eq!(
        messages,
        json!([
            { "role": "user", "content": [{ "type": "text", "text": "prompt 1" }] },
            { "role": "assistant", "content": [
                { "type": "tool_use", "id": "synthetic_000001", "name": "list_workspace", "input": {} },
                { "type": "tool_use", "id": "synthetic_000002", "name": "read_logs", "input": {} },
            ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "synthetic_000001", "content": "\"(empty workspace)\"" },
                { "type": "tool_result", "tool_use_id": "synthetic_000002", "content": "\"no evaluations yet\"" },
            ] },
        ])
    );
    play(&mut line, &frame, vec![write("v1")]);
    // A file has come: the list is old news, and the call loses its arguments.
    let request = serde_json::to_string(&line.request(&frame).unwrap().messages).unwrap();
    assert!(request.contains("(Stale - files were created or deleted later)"), "{request}");
}

#[test]
fn a_turn_has_an_end_and_unknown_tools_an_answer() {
    let (mut line, frame) = (Line::default(), frame());
    line.open_step();
    let mut many = answer((0..10).map(|_| tool_use("list_workspace", json!({}))).collect());
    assert_eq!(line.heard(&mut many, &frame).len(), MAX_CALLS);
    let ids: std::collections::HashSet<String> =
        many.blocks.iter().map(|block| block["id"].to_string()).collect();
    assert_eq!(ids.len(), 10, "every call has an id of its own");
    for tool in ["run_bash_command", "run_script", "rm", ""] {
        let call = Call { id: "x".into(), tool: tool.into(), arguments: json!({}) };
        assert!(line.look(&call).unwrap()["error"].is_string(), "{tool}");
    }
}
