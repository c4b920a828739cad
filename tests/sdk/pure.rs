//! The algorithms without traffic, byte for byte: prompts, actions, keys, statistics, transcripts.
//!
//! Each test gives some thousand inputs from a seed to both sides. `GERT_SDK_SEED` and `GERT_SDK_CASES` choose others.
//! Where the two differ on purpose is said once, in [`KNOWN`].

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gert::api::model::Json;
use gert::rollout::{self, Decision, JsonError, Observation, ParsedAction, TranscriptError};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::oracle::{self, Answer};

mod export;
mod generate;

use self::export::Export;
use self::generate::Source;

/// A result of ours, or why there is none.
type Ours = Result<String, String>;

/// A function that both sides have.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Function {
    Encode,
    FormatText,
    FormatJson,
    ParseAction,
    ActionKey,
    DistinctActions,
    Statistics,
    Reconstruct,
}
use Function::{
    ActionKey, DistinctActions, Encode, FormatJson, FormatText, ParseAction, Reconstruct, Statistics,
};

/// Where the two differ on purpose.
struct Difference {
    why: &'static str,
    /// The functions and, for each, an input that shows it.
    examples: &'static [(Function, &'static str)],
    excuses: fn(Function, &str, &Answer, &Ours) -> bool,
}

const KNOWN: &[Difference] = &[
    Difference {
        why: "a number that is not finite is no JSON: the SDK writes `nane` and `infe` into a prompt, and returns an \
              action that its own request encoder then refuses; here it is an error, and no action",
        examples: &[
            (Encode, "[NaN]"),
            (Encode, "1e999"),
            (FormatText, r#"{"_action_space":[],"x":-Infinity}"#),
            (FormatJson, r#"{"x":1e999}"#),
            (ParseAction, r#"{"bid":1e999,"items":[]}"#),
            (Reconstruct, r#"[{"kind":"model","raw_content":[NaN]}]"#),
        ],
        excuses: |function, _, sdk, ours| match sdk {
            Answer::Ok { is_finite, .. } => !is_finite && (ours.is_err() || function == ParseAction),
            Answer::Raised { .. } => false,
        },
    },
    Difference {
        why: "half a surrogate pair cannot be sent as UTF-8: in a rejection's prose, and in an observation that is one \
              text, it is U+FFFD here, where the SDK makes a text that cannot be sent (in JSON it stays an escape)",
        examples: &[
            (FormatText, r#"{"_rejection_feedback":"\ud800"}"#),
            (FormatJson, r#"{"_rejection_feedback":["a\udfff"]}"#),
        ],
        excuses: |function, _, sdk, ours| match (function, sdk, ours) {
            (FormatText | FormatJson, Answer::Ok { text, .. }, Ok(ours)) => {
                without_halves(text) == without_halves(ours)
            }
            _ => false,
        },
    },
    Difference {
        why: "nesting has a bound of 500 levels; Python raises RecursionError where its stack ends, at 500 or 1000",
        examples: &[(FormatText, DEEP), (ParseAction, DEEP), (ActionKey, DEEP), (Reconstruct, DEEP)],
        excuses: |function, input, sdk, ours| {
            nesting(input) > 450
                && (function == ParseAction
                    || matches!(sdk, Answer::Raised { error, .. } if error == "RecursionError")
                    || ours.as_ref().is_err_and(|why| why.contains("nested deeper")))
        },
    },
    Difference {
        why: "Python reads no integer of more than 4300 digits unless told to; here there is no limit",
        examples: &[(Encode, DIGITS), (FormatJson, DIGITS), (ParseAction, DIGITS), (ActionKey, DIGITS)],
        excuses: |_, input, _, ours| {
            input.split(|c: char| !c.is_ascii_digit()).any(|run| run.len() > 4300) && ours.is_ok()
        },
    },
    Difference {
        why: "a transcript must be JSON as a whole; the SDK stops looking behind its last entry",
        examples: &[(Reconstruct, "[{}"), (Reconstruct, "[] and more"), (Reconstruct, "[{}} x")],
        excuses: |function, input, sdk, ours| {
            function == Reconstruct
                && matches!(sdk, Answer::Ok { .. })
                && ours.is_err()
                && Json::parse(input).is_err()
        },
    },
    Difference {
        why: "scores so large that rounding them to thousandths overflows: the SDK raises OverflowError, here the \
              percentile is infinite",
        examples: &[(Statistics, "[1e308,1e308]")],
        excuses: |function, _, sdk, _| {
            function == Statistics && matches!(sdk, Answer::Raised { error, .. } if error == "OverflowError")
        },
    },
];

/// Stands for a value of 700 levels, which is too long for the table; likewise [`DIGITS`] for one of 5000 digits.
const DEEP: &str = "deep";
const DIGITS: &str = "digits";

fn without_halves(text: &str) -> String {
    let mut parts = text.split("\\ud");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| match part.get(..3) {
        Some(hex) if hex.as_bytes()[0] >= b'8' && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            out + "\u{fffd}" + &part[3..]
        }
        _ => out + "\\ud" + part,
    })
}

fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// What is equal, or why it need not be; else what is wrong.
fn compare(
    function: Function,
    input: &str,
    sdk: &Answer,
    ours: &Ours,
) -> Result<Option<&'static str>, String> {
    let is_same = match (sdk, ours) {
        (Answer::Ok { text, .. }, Ok(ours)) => text == ours,
        // An error of ours may name what the SDK's message must name too.
        (Answer::Raised { message, .. }, Err(ours)) => {
            !ours.starts_with('`') || message.contains(ours.trim_matches('`'))
        }
        _ => false,
    };
    if is_same {
        return Ok(None);
    }
    let known = KNOWN.iter().find(|known| (known.excuses)(function, input, sdk, ours));
    known.map(|known| Some(known.why)).ok_or_else(|| {
        let mut report = format!("{function:?} of\n{}\n", clipped(input));
        let _ = writeln!(
            report,
            "the SDK: {}\nours:    {}",
            clipped(&format!("{sdk:?}")),
            clipped(&format!("{ours:?}"))
        );
        report
    })
}

fn clipped(text: &str) -> String {
    text.chars().take(3000).collect()
}

/// Both sides on many inputs. Excuses must stay rare, or nothing is compared.
fn run(name: &str, cases: usize, mut one: impl FnMut(&mut Source) -> Result<Option<&'static str>, String>) {
    let setting = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = setting("GERT_SDK_SEED").unwrap_or(20_261_129);
    let cases = setting("GERT_SDK_CASES").map_or(cases, |cases| cases as usize);
    let mut excused = BTreeMap::<_, usize>::new();
    for case in 0..cases {
        let mut source = Source::new(seed.wrapping_add(case as u64));
        match one(&mut source) {
            Ok(excuse) => excuse.into_iter().for_each(|why| *excused.entry(why).or_default() += 1),
            Err(report) => {
                panic!("{name}: GERT_SDK_SEED={} GERT_SDK_CASES=1\n{report}", seed.wrapping_add(case as u64))
            }
        }
    }
    println!("{name}: {cases} inputs");
    for (why, n) in &excused {
        println!("    {n} excused: {}", why.split(':').next().unwrap_or_default());
    }
    assert!(excused.values().sum::<usize>() * 8 <= cases.max(100), "{name}: too many inputs are excused");
}

fn json(text: &str) -> Result<Json, String> {
    Json::parse(text).map_err(|error| error.to_string())
}

fn ours(function: Function, input: &str) -> Ours {
    let told = |error: JsonError| error.to_string();
    match function {
        Encode => rollout::encode(&json(input)?).map_err(told),
        FormatText => rollout::format_observation(Observation::Text(input)).map_err(told),
        FormatJson => rollout::format_observation(Observation::Json(&json(input)?)).map_err(told),
        ParseAction => Ok(match rollout::parse_action(input) {
            ParsedAction::Action(action) => format!("action:{}", action.get()),
            ParsedAction::Text(text) => format!("text:{text}"),
        }),
        ActionKey => {
            let (action, key) = rollout::canonical_action(&json(input)?).map_err(told)?;
            Ok(format!("{key}\0{}", rewritten(action.get())))
        }
        DistinctActions | Statistics | Reconstruct => unreachable!("these take more than one text"),
    }
}

fn sdk(function: Function, input: &str) -> Answer {
    let name = match function {
        Encode => "encode",
        FormatText => "format_text",
        FormatJson => "format_json",
        ParseAction => "parse_action",
        ActionKey => "action_key",
        DistinctActions | Statistics | Reconstruct => unreachable!("these take more than one text"),
    };
    oracle::ask(name, &json!([input]))
}

/// JSON of ours as Python reads and writes it, so that only spelling is lost in the comparison.
fn rewritten(text: &str) -> String {
    match oracle::ask("rewrite", &json!([text])) {
        Answer::Ok { text, .. } => text,
        Answer::Raised { message, .. } => format!("not JSON: {message}"),
    }
}

fn same(function: Function, input: &str) -> Result<Option<&'static str>, String> {
    compare(function, input, &sdk(function, input), &ours(function, input))
}

#[test]
fn values_are_encoded_alike() {
    run("encode", 5000, |source| {
        let value = source.value(4);
        same(Encode, &value)
    });
    run("numbers", 5000, |source| {
        let number = source.number();
        same(Encode, &number)
    });
}

#[test]
fn observations_are_shown_alike() {
    run("format_observation of text", 4000, |source| {
        let text = source.observation();
        let text = if source.once_in(8) { source.broken(&text) } else { text };
        same(FormatText, &text)
    });
    run("format_observation of a value", 4000, |source| {
        let text = source.observation();
        same(FormatJson, &text)
    });
}

#[test]
fn the_prompts_are_alike() {
    let constants = format!("{}\0{}", rollout::DECISION_INSTRUCTIONS, rollout::PROMPT_SUFFIX);
    assert!(matches!(oracle::ask("constants", &json!([])), Answer::Ok { text, .. } if text == constants));
    let check = |rules: Option<&str>| match oracle::ask("system_prompt", &json!([rules])) {
        Answer::Ok { text, .. } => assert_eq!(rollout::system_prompt(rules), text),
        other @ Answer::Raised { .. } => panic!("{other:?}"),
    };
    check(None);
    for rules in ["", " ", "\n", "Win.\n\n", "é\u{2028}\0 <&>"] {
        check(Some(rules));
    }
}

#[test]
fn actions_are_found_alike() {
    run("parse_action", 15_000, |source| {
        let answer = source.answer();
        same(ParseAction, &answer)
    });
}

#[test]
fn actions_have_the_same_keys() {
    run("canonical keys", 5000, |source| {
        let action = if source.once_in(3) { format!("[{}]", source.value(3)) } else { source.value(4) };
        same(ActionKey, &action)
    });
    run("distinct candidates", 1500, |source| {
        let kinds: Vec<_> = (0..=source.below(4)).map(|_| source.object(2)).collect();
        let actions: Vec<_> = (0..=source.below(9))
            .map(|_| {
                let action = kinds[source.below(kinds.len())].clone();
                if source.once_in(3) { format!("[{action}]") } else { action }
            })
            .collect();
        let answer = oracle::ask("distinct_actions", &json!([actions]));
        let ours =
            actions.iter().map(|action| json(action)).collect::<Result<Vec<_>, _>>().and_then(|actions| {
                let distinct = rollout::distinct_actions(&actions)
                    .map_err(|error| format!("`candidate_actions[{}]`", error.index))?;
                Ok(rewritten(&serde_json::to_string(&distinct).unwrap()))
            });
        compare(DistinctActions, &actions.join("\n"), &answer, &ours)
    });
}

#[test]
fn statistics_are_the_same_bits() {
    let words = |scores: &[f64]| scores.iter().map(|x| x.to_bits().to_string()).collect::<Vec<_>>();
    run("score statistics", 5000, |source| {
        let scores = source.scores();
        let answer = oracle::ask("score_stats", &json!([words(&scores)]));
        compare(Statistics, &format!("{scores:?}"), &answer, &Ok(statistics(&scores)))
    });
    run("percentiles", 3000, |source| {
        let mut scores = source.scores();
        scores.push(source.double());
        scores.sort_by(f64::total_cmp);
        let p = source.below(1001) as f64 / 1000.0;
        let answer = oracle::ask("percentile", &json!([words(&scores), p.to_bits().to_string()]));
        let ours = rollout::percentile(&scores, p).to_bits().to_string();
        compare(Statistics, &format!("{p} of {scores:?}"), &answer, &Ok(ours))
    });
}

fn statistics(scores: &[f64]) -> String {
    let stats = rollout::score_stats(scores);
    let mut members = vec![
        ("min", stats.min),
        ("max", stats.max),
        ("mean", stats.mean),
        ("median", stats.median),
        ("std_dev", stats.std_dev),
    ];
    if let Some(percentiles) = stats.percentiles {
        let rollout::Percentiles { p10, p25, p50, p75, p90 } = percentiles;
        members.extend([("p10", p10), ("p25", p25), ("p50", p50), ("p75", p75), ("p90", p90)]);
    }
    members.iter().map(|(name, x)| format!("{name}={}", x.to_bits())).collect::<Vec<_>>().join(" ")
}

#[test]
fn transcripts_are_rebuilt_alike() {
    let mut rebuilt = 0;
    run("reconstruct_messages", 6000, |source| {
        let export = source.export();
        let ours = reconstruct(&export);
        rebuilt += usize::from(ours.is_ok());
        compare_export(&export, &ours)
    });
    println!("reconstruct_messages: {rebuilt} rebuilt");
    assert!(rebuilt > 0, "every export was refused");
}

fn compare_export(export: &Export, ours: &Ours) -> Result<Option<&'static str>, String> {
    let Export { transcript, frame, index, pruned, count, windowed } = export;
    let answer = oracle::ask("reconstruct", &json!([transcript, frame, index, pruned, count, windowed]));
    let excuse = compare(Reconstruct, transcript, &answer, ours);
    excuse.map_err(|report| format!("{report}{frame}\n{index} {pruned} {count:?} {windowed}"))
}

fn reconstruct(export: &Export) -> Ours {
    let (frame, pruned) = (json(&export.frame)?, json(&export.pruned)?);
    let decision = Decision {
        transcript: &export.transcript,
        request_context: &frame,
        index: export.index,
        pruned: Some(&pruned),
        state_entry_count: export.count,
        windowed: export.windowed,
    };
    match rollout::reconstruct_messages(&decision) {
        Ok(request) => Ok(rewritten(&serde_json::to_string(&request).unwrap())),
        Err(TranscriptError::Version) => Err("`projection_version=`".to_owned()),
        Err(TranscriptError::NoVerdicts) => Err("`pruned is None`".to_owned()),
        Err(TranscriptError::NoPrompt(index)) => Err(format!("`step_prompts has no entry for step {index}`")),
        Err(TranscriptError::NoTranscript) => Err("`state_entry_count is 0`".to_owned()),
        Err(TranscriptError::NoWindow) => Err("`transcript_window missing`".to_owned()),
        Err(TranscriptError::Json { source, .. }) => Err(source.to_string()),
        Err(other) => Err(other.to_string()),
    }
}

#[test]
fn every_known_difference_is_still_one() {
    for known in KNOWN {
        for (function, example) in known.examples {
            let deep = format!("{}1{}", "{\"a\":".repeat(700), "}".repeat(700));
            let digits = format!("{{\"a\":{}}}", "9".repeat(5000));
            let input = match *example {
                DEEP => {
                    if *function == Reconstruct {
                        format!("[{deep}]")
                    } else {
                        deep
                    }
                }
                DIGITS => digits,
                other => other.to_owned(),
            };
            let verdict = match function {
                Statistics => {
                    let scores = [1e308, 1e308];
                    let words = scores.map(|x: f64| x.to_bits().to_string());
                    compare(
                        Statistics,
                        &input,
                        &oracle::ask("score_stats", &json!([words])),
                        &Ok(statistics(&scores)),
                    )
                }
                Reconstruct => {
                    let frame = r#"{"projection_version":4,"step_prompts":{"1":"go"}}"#.to_owned();
                    let export = Export {
                        transcript: input,
                        frame,
                        index: 1,
                        pruned: "{}".to_owned(),
                        count: None,
                        windowed: false,
                    };
                    compare_export(&export, &reconstruct(&export))
                }
                _ => same(*function, &input),
            };
            assert_eq!(verdict, Ok(Some(known.why)), "{function:?} {example}");
        }
    }
}

/// The SDK's own fixture, made by the platform.
#[test]
fn the_platforms_prompts_are_ours() {
    #[derive(serde::Deserialize)]
    struct Fixture<'a> {
        rules: String,
        system_prompt: String,
        rules_trailing: String,
        system_prompt_trailing: String,
        decision_instructions: String,
        prompt_suffix: String,
        #[serde(borrow)]
        cases: Vec<Case<'a>>,
    }
    #[derive(serde::Deserialize)]
    struct Case<'a> {
        name: String,
        #[serde(borrow)]
        observation: &'a RawValue,
        user_prompt: String,
    }
    let text = oracle::sdist_file("tests/testdata/prompt_parity.json");
    let fixture: Fixture<'_> = serde_json::from_str(&text).unwrap();
    assert_eq!(rollout::system_prompt(Some(&fixture.rules)), fixture.system_prompt);
    assert_eq!(rollout::system_prompt(Some(&fixture.rules_trailing)), fixture.system_prompt_trailing);
    assert_eq!(rollout::DECISION_INSTRUCTIONS, fixture.decision_instructions);
    assert_eq!(rollout::PROMPT_SUFFIX, fixture.prompt_suffix);
    assert!(!fixture.cases.is_empty());
    for case in fixture.cases {
        let observation = Json::from(case.observation.to_owned());
        let prompt = rollout::format_observation(Observation::Json(&observation));
        assert_eq!(prompt, Ok(case.user_prompt), "{}", case.name);
    }
}

/// The SDK's own fixture, made by the platform.
#[test]
fn the_platforms_projections_are_ours() {
    let fixture: Value =
        serde_json::from_str(&oracle::sdist_file("tests/testdata/projection_conformance.json")).unwrap();
    let raw = |value: &Value| Json::parse(&value.to_string()).unwrap();
    let cases = fixture["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        let request = rollout::reconstruct_messages(&Decision {
            transcript: fixture["transcript"].as_str().unwrap(),
            request_context: &raw(&fixture["request_context"]),
            index: case["decision_index"].as_i64().unwrap(),
            pruned: Some(&raw(&case["pruned"])),
            state_entry_count: case["state_entry_count"].as_u64().map(|count| count as usize),
            windowed: case["windowed"].as_bool().unwrap(),
        });
        assert_eq!(serde_json::to_value(request.unwrap()).unwrap(), case["expected"], "{}", case["name"]);
    }
}
