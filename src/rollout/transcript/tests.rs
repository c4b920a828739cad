use super::*;

/// Step 1: a read and a command that changes the file; step 2: a turn of the harness's, then two of the model's.
const TRANSCRIPT: &str = r#" [
    {"kind":"tool","step":1,"turn":1,"tool":"read_file","tool_call_id":"r1","args":{"path":"./a.py"},"result":{"content" : "x", "n":1.10}},
    {"kind":"model_turn","step":1,"turn":1,"raw_content":[{"type":"text","text":"reading"},{"type":"tool_use","id":"r1","name":"read_file","input":{"path":"./a.py"}}]},
    {"kind":"warning","step":1,"turn":1,"message":"nobody sees this"},
    {"kind":"tool","step":1,"turn":2,"tool":"run_script","tool_call_id":"c1","result":{"changed_files":["a.py","b.py",7,""]}},
    {"kind":"reminder","step":1,"turn":2,"message":"go on"},
    "stray",
    {"kind":"model","step":2,"raw_content":[{"type":"tool_use","id":"l1","name":"list"}]},
    {"kind":"tool","step":2,"tool":"list","tool_call_id":"l1","result":"two files"},
    {"kind":"tool","step":2,"turn":0.5,"tool":"edit_file","tool_call_id":"e1","args":{"path":"a.py"},"result":null},
    {"kind":"tool","step":2,"turn":1,"tool":"edit_file","tool_call_id":"e2","args":{"path":"a.py"},"result":{"error":"no"}}
] "#;

fn frame(version: u32) -> Json {
    let text = format!(
        r#"{{"projection_version":{version},"system":"sys","tools":[{{"name": "t"}}],"transcript_window":1,
            "step_prompts":{{"2":"prompt two","3":"prompt three"}}}}"#
    );
    Json::parse(&text).unwrap()
}

struct Case {
    version: u32,
    index: i64,
    pruned: &'static str,
    count: Option<usize>,
    windowed: bool,
}

const CASE: Case = Case { version: 4, index: 2, pruned: "{}", count: None, windowed: false };

impl Case {
    fn run(&self) -> Result<ModelRequest, TranscriptError> {
        let pruned = Json::parse(self.pruned).unwrap();
        reconstruct_messages(&Decision {
            transcript: TRANSCRIPT,
            request_context: &frame(self.version),
            index: self.index,
            pruned: Some(&pruned),
            state_entry_count: self.count,
            windowed: self.windowed,
        })
    }

    /// The messages after the prompt, one a line.
    fn messages(&self) -> Vec<String> {
        let messages = self.run().unwrap().messages;
        messages[1..].iter().map(|message| serde_json::to_string(message).unwrap()).collect()
    }
}

const READ: &str = r#"{"role":"assistant","content":[{"type":"text","text":"reading"},{"type":"tool_use","id":"r1","name":"read_file","input":{"path":"./a.py"}}]}"#;
const READ_RESULT: &str = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"r1","content":"{\"content\" : \"x\", \"n\":1.10}"}]}"#;
const CHANGED: &str = r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"{\"changed_files\":[\"a.py\",\"b.py\",7,\"\"]}"}]}"#;
const REMINDER: &str = r#"{"role":"user","content":[{"type":"text","text":"go on"}]}"#;
const LIST: &str = r#"{"role":"assistant","content":[{"type":"tool_use","id":"l1","name":"list"}]}"#;
const LIST_RESULT: &str =
    r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"l1","content":"\"two files\""}]}"#;

#[test]
fn messages_are_what_the_model_wrote_and_results_as_their_source_text() {
    let expected = [READ, READ_RESULT, CHANGED, REMINDER, LIST, LIST_RESULT];
    for version in 1..=3 {
        assert_eq!(Case { version, ..CASE }.messages(), expected);
    }
    let request = CASE.run().unwrap();
    assert_eq!((request.system.get(), request.tools.get()), ("\"sys\"", r#"[{"name": "t"}]"#));
    let prompt = r#"{"role":"user","content":[{"type":"text","text":"prompt two"}]}"#;
    assert_eq!(serde_json::to_string(&request.messages[0]).unwrap(), prompt);
}

#[test]
fn since_version_4_a_read_of_a_file_that_changed_later_has_a_note() {
    let noted = |edits: u32| {
        let note = format!("[Note: this file changed after this read ({edits} later edits). ");
        let body =
            r"The content below is the old version - read the file again before you quote exact lines.]\n{\";
        READ_RESULT.replacen(r#""{\"#, &format!("\"{note}{body}"), 1)
    };
    assert_eq!(CASE.messages()[1], noted(1));
    // An edit that came to nothing does not count; a null result is no error.
    assert_eq!(Case { index: 3, ..CASE }.messages()[1], noted(2));
}

#[test]
fn a_pruned_call_has_its_verdict_for_a_result_and_no_input() {
    // The verdicts may also be text, as in a column.
    for pruned in [r#"{"r1":"(old)","l1":""}"#, r#""{\"r1\":\"(old)\",\"l1\":\"\"}""#] {
        let messages = Case { pruned, ..CASE }.messages();
        assert_eq!(messages[0], READ.replace(r#"{"path":"./a.py"}"#, r#"{"_pruned":true}"#));
        assert_eq!(
            messages[1],
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"r1","content":"(old)"}]}"#
        );
        assert_eq!(messages[4], LIST.replace("\"list\"", r#""list","input":{"_pruned":true}"#));
        assert_eq!(messages[5], r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"l1"}]}"#);
    }
}

#[test]
fn a_window_keeps_the_last_groups_and_a_count_the_first_entries() {
    // Of five groups three are kept: turns 0, 0.5 and 1 of step 2.
    let windowed = Case { index: 3, windowed: true, ..CASE }.messages();
    assert_eq!(windowed[..2], [LIST, LIST_RESULT]);
    assert_eq!(windowed[2], r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"e1"}]}"#);
    assert_eq!(windowed.len(), 4);
    // The stray text counts as an entry.
    assert_eq!(Case { count: Some(6), ..CASE }.messages().len(), 4);
    assert_eq!(Case { count: Some(7), ..CASE }.messages().len(), 5);
    assert_eq!(Case { count: Some(usize::MAX), windowed: true, ..CASE }.messages().len(), 4);
}

#[test]
fn what_cannot_be_rebuilt_exactly_is_an_error() {
    let error = |case: Case| case.run().unwrap_err();
    assert_eq!(error(Case { version: 5, ..CASE }), TranscriptError::Version);
    assert_eq!(error(Case { version: 0, ..CASE }), TranscriptError::Version);
    assert_eq!(error(Case { pruned: "null", ..CASE }), TranscriptError::NoVerdicts);
    assert_eq!(error(Case { pruned: "[]", ..CASE }), TranscriptError::Shape("pruned"));
    assert_eq!(error(Case { index: 1, ..CASE }), TranscriptError::NoPrompt(1));
    assert_eq!(error(Case { count: Some(0), ..CASE }), TranscriptError::NoTranscript);

    let error = |transcript: &str, frame: &str, windowed| {
        let (frame, pruned) = (Json::parse(frame).unwrap(), Json::parse("{}").unwrap());
        let decision = Decision {
            transcript,
            request_context: &frame,
            index: 0,
            pruned: Some(&pruned),
            state_entry_count: None,
            windowed,
        };
        reconstruct_messages(&decision).unwrap_err()
    };
    let frame = r#"{"projection_version":3.0,"step_prompts":{"0":"p"},"transcript_window":0}"#;
    assert_eq!(error("[]", frame, true), TranscriptError::NoWindow);
    assert_eq!(error("{}", frame, false), TranscriptError::Shape("transcript"));
    assert_eq!(error(r#"[{"step":"1"}]"#, frame, false), TranscriptError::Shape("step"));
    assert_eq!(
        error(r#"[{"kind":"tool","step":-1,"turn":null}]"#, frame, false),
        TranscriptError::Shape("step, turn")
    );
    assert_eq!(
        error(r#"[{"kind":"model","raw_content":5}]"#, frame, false),
        TranscriptError::Shape("raw_content")
    );
    assert_eq!(
        error("[{}", frame, false),
        TranscriptError::Json { part: "transcript", source: JsonError::NotJson }
    );
    assert!(
        error("[]", r#"{"projection_version":3,"step_prompts":{"0":null}}"#, false)
            .to_string()
            .contains("step `0`")
    );
}

#[test]
fn what_a_frame_leaves_out_is_empty() {
    let (frame, pruned) = (
        Json::parse(r#"{"projection_version":1,"step_prompts":{"-1":"p"}}"#).unwrap(),
        Json::parse("{}").unwrap(),
    );
    let decision = Decision {
        transcript: "[]",
        request_context: &frame,
        index: -1,
        pruned: Some(&pruned),
        state_entry_count: None,
        windowed: false,
    };
    let request = serde_json::to_string(&reconstruct_messages(&decision).unwrap()).unwrap();
    assert_eq!(
        request,
        r#"{"system":"","tools":[],"messages":[{"role":"user","content":[{"type":"text","text":"p"}]}]}"#
    );
}
