use serde_json::json;

use super::complete::Completion;
use super::*;

fn drop() -> Schema {
    schema(&json!({"type": "object", "required": ["action", "column"], "properties": {
        "action": {"const": "drop"}, "column": {"type": "integer", "minimum": 0, "maximum": 6}}}))
}

fn market() -> Schema {
    let order = |verb: &str| {
        json!({"type": "object", "additionalProperties": false, "required": ["action", "symbol", "qty"],
            "properties": {"action": {"const": verb}, "symbol": {"$ref": "#/$defs/symbol"},
                "qty": {"type": "integer", "exclusiveMinimum": 0}, "price": {"type": ["number", "null"]}}})
    };
    let cancel = json!({"type": "object", "required": ["action"], "properties": {
        "action": {"const": "cancel"}, "all": {"type": "boolean"}}});
    schema(
        &json!({"oneOf": [order("buy"), order("sell"), cancel], "$defs": {"symbol": {"enum": ["ORE", "ZAP"]}}}),
    )
}

fn schema(json: &Value) -> Schema {
    Schema::read(&json.to_string()).unwrap()
}

fn check(schema: &Schema, text: &str) -> String {
    let fault = schema.check(&serde_json::from_str(text).unwrap());
    fault.map_or_else(String::new, |fault| fault.to_string())
}

#[test]
fn what_fits_is_let_pass_and_what_does_not_is_told_with_its_place() {
    for (text, wrong) in [
        (r#"{"action":"drop","column":6}"#, ""),
        (r#"{"action":"drop","column":6.0}"#, ""),
        (r#"[{"action":"drop","column":0}]"#, ""),
        ("[]", ""),
        (r#"{"action":"drop","column":7}"#, "column must be at most 6"),
        (r#"{"action":"drop","column":"3"}"#, "column must be an integer"),
        (r#"{"action":"drop","column":1.5}"#, "column must be an integer"),
        (r#"{"action":"fall","column":1}"#, "action must be \"drop\""),
        (r#"[{"action":"drop","column":1},{"action":"drop"}]"#, "[1] lacks `column`"),
    ] {
        assert_eq!(check(&drop(), text), wrong, "{text}");
    }
}

#[test]
fn of_alternatives_the_one_that_was_meant_is_told() {
    for (text, wrong) in [
        (r#"{"action":"buy","symbol":"ORE","qty":1}"#, ""),
        (r#"{"action":"sell","symbol":"ORE","qty":1,"price":null}"#, ""),
        (r#"{"action":"sell","symbol":"IRON","qty":1}"#, "symbol must be one of \"ORE\", \"ZAP\""),
        (r#"{"action":"sell","symbol":"ORE","qty":0}"#, "qty must be more than 0"),
        (r#"{"action":"buy","symbol":"ORE","qty":1,"side":2}"#, "side is no member of this action"),
        (r#"{"action":"hold"}"#, "action must be one of \"buy\", \"sell\", \"cancel\""),
        (r#"{"action":"cancel","all":3}"#, "all must be a boolean"),
    ] {
        assert_eq!(check(&market(), text), wrong, "{text}");
    }
}

#[test]
fn what_is_not_known_is_never_a_fault() {
    let odd = schema(&json!({"$ref": "https://elsewhere/x", "type": "string"}));
    assert_eq!(check(&odd, "{}"), "");
    let endless = schema(&json!({"$ref": "#"}));
    assert_eq!(check(&endless, "{}"), "");
    let nested = schema(&json!({"anyOf": [{"$ref": "#"}]}));
    assert_eq!(check(&nested, "{}"), "");
    let later =
        schema(&json!({"type": "thing", "not": {}, "if": {}, "then": false, "properties": {"a": true}}));
    assert_eq!(check(&later, r#"{"a":1}"#), "");
    assert!(Schema::read("7").is_none() && Schema::read("{").is_none());
}

#[test]
fn the_line_of_a_fault_is_found() {
    let text = "[\n  {\"action\": \"drop\", \"column\": 1},\n  {\"a\\\"}\": [1, {\"x\": 2}],\n   \"action\": \"drop\",\n   \"column\": 9}\n]";
    let fault = drop().check(&serde_json::from_str(text).unwrap()).unwrap();
    assert_eq!((fault.to_string().as_str(), fault.line(text)), ("[1].column must be at most 6", Some(4)));
}

#[track_caller]
fn offers(schema: &Schema, text: &str, from: usize, expected: &[&str]) {
    let options = expected.iter().map(|&option| option.to_owned()).collect();
    assert_eq!(schema.complete(text, text.len()), Some(Completion { from, options }), "{text}");
}

#[test]
fn names_and_values_are_completed() {
    offers(&drop(), "{", 1, &["\"action\": \"drop\"", "\"column\": "]);
    offers(&drop(), "[{\"co", 2, &["\"column\": "]);
    offers(&drop(), "{\"action\": \"drop\", ", 19, &["\"column\": "]);
    offers(&drop(), "{\"action\": \"d", 11, &["\"drop\""]);
    offers(&drop(), "{\"column\": ", 11, &["0", "1", "2", "3", "4", "5", "6"]);
    offers(&market(), "{\"action\":\"cancel\",", 19, &["\"all\": "]);
    offers(&market(), "{\"action\":\"buy\",\"symbol\":", 25, &["\"ORE\"", "\"ZAP\""]);
    offers(&market(), "{\"action\":\"cancel\",\"all\":t", 25, &["true"]);
    offers(&market(), "{\"action\":", 10, &["\"buy\"", "\"sell\"", "\"cancel\""]);
}

#[test]
fn where_nothing_may_come_nothing_is_offered() {
    for text in ["", "{\"action\": \"drop\"", "{}", "}", "]", "{\"x\":{", "{\"é\": \"漢", "[[[["] {
        assert_eq!(drop().complete(text, text.len()), None, "{text}");
    }
    assert_eq!(drop().complete("é", 1), None, "the middle of a letter");
}
