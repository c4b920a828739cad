//! Flags from fields, and back: what clap found becomes the members of a request.

use std::io::Read;
use std::time::Duration;

use clap::builder::{NonEmptyStringValueParser, StyledStr};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::failure::Failure;
use super::method::{Method, Resource};
use super::output;
use super::seats::Seats;
use crate::api::model::{Extra, Json};
use crate::api::{Field, Kind, MAX_PAGE, PageOptions, Place, Rule};

/// The largest file or input that is read for a value.
const MOST: u64 = 64 << 20;

/// How many files a command takes at once.
const MOST_SOURCES: usize = 10_000;

/// Acts for a seat, where no flag gives a token.
const TOKEN_VARIABLE: &str = "GERT_PLAYER_TOKEN";

/// The command of a resource.
pub(super) fn resource(resource: &'static Resource) -> Command {
    Command::new(resource.name)
        .about(resource.about)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(resource.methods.iter().map(method))
}

fn method(method: &'static Method) -> Command {
    let mut command = Command::new(method.name)
        .about(paragraph(method.about))
        .long_about(trimmed(method.about))
        .after_help(facts(method))
        .args(method.flags().map(argument))
        .next_help_heading("Input and output")
        .arg(param())
        .arg(body())
        .args(output_flags());
    if method.flags().any(|field| field.kind == Kind::Secret) {
        command = command.arg(seat_flag());
    }
    if method.pages {
        command = command.args(page_flags());
    }
    if method.watch {
        command = command.arg(watch_flag());
    }
    command
}

/// Price, rule and time-out, from the table that the client goes by.
fn facts(method: &Method) -> StyledStr {
    if method.operation.is_empty() {
        return "Price: free\nIf the answer is lost: it asks nobody\nTime-out: none".into();
    }
    let rule = Rule::of(method.operation);
    let price = format!("Price: {}", rule.price);
    let loss = format!("If the answer is lost: {}", rule.after_loss());
    format!("{price}\n{loss}\nTime-out: {}", rule.patience()).into()
}

fn argument(field: &'static Field) -> Arg {
    let about = paragraph(field.about);
    let arg = Arg::new(field.name).help(about.clone()).value_parser(NonEmptyStringValueParser::new());
    if field.place == Place::Path && field.kind != Kind::Secret {
        let several = if field.kind == Kind::Texts { 1..=MOST_SOURCES } else { 1..=1 };
        return arg.required(true).num_args(several).value_name(field.name.to_uppercase());
    }
    let arg = arg.long(field.name.replace('_', "-"));
    match field.kind {
        Kind::Bool => arg
            .value_parser(["true", "false"])
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_name("BOOL"),
        Kind::Texts => arg.action(ArgAction::Append).value_name("TEXT|@FILE"),
        Kind::Jsons => arg.action(ArgAction::Append).value_name("JSON|@FILE").allow_hyphen_values(true),
        Kind::Json => arg.value_name("JSON|@FILE").allow_hyphen_values(true),
        Kind::Integer => arg.value_name("N").allow_negative_numbers(true),
        Kind::Number => arg.value_name("NUMBER").allow_hyphen_values(true),
        Kind::Text => arg.value_name("TEXT|@FILE").allow_hyphen_values(true),
        Kind::Secret => arg.value_name("@FILE|-").help(format!(
            "{about}: a file, or `-` for stdin; else ${TOKEN_VARIABLE}, else as this machine took it"
        )),
    }
}

/// `--param`.
pub(super) fn param() -> Arg {
    Arg::new("param")
        .long("param")
        .value_name("KEY=JSON")
        .action(ArgAction::Append)
        .help("Send a field that has no flag; may be repeated")
}

/// `--body`.
pub(super) fn body() -> Arg {
    Arg::new("body")
        .long("body")
        .value_name("JSON|@FILE|-")
        .help("All fields as one JSON object; flags and `--param` win over it")
}

/// `--json` and `--jsonl`.
pub(super) fn output_flags() -> [Arg; 2] {
    [
        Arg::new("json")
            .long("json")
            .action(ArgAction::SetTrue)
            .help("Print the answer as JSON and nothing else on stdout; failures are JSON on stderr"),
        Arg::new("jsonl")
            .long("jsonl")
            .action(ArgAction::SetTrue)
            .conflicts_with("json")
            .help("As --json, but a list as one item a line, as they arrive"),
    ]
}

fn seat_flag() -> Arg {
    Arg::new("seat")
        .long("seat")
        .value_name("PLAYER_ID")
        .help("Which of the seats that this machine took, if there are several")
}

fn page_flags() -> [Arg; 2] {
    [
        Arg::new("max_items")
            .long("max-items")
            .value_name("N")
            .value_parser(value_parser!(usize))
            .help("Stop after this many; 0 asks for nothing"),
        Arg::new("page_size")
            .long("page-size")
            .value_name("N")
            .value_parser(value_parser!(u32).range(1..=i64::from(MAX_PAGE)))
            .default_value("100")
            .help("How many to ask for at once, 1 to 100"),
    ]
}

fn watch_flag() -> Arg {
    Arg::new("watch")
        .long("watch")
        .value_name("SECONDS")
        .num_args(0..=1)
        .require_equals(true)
        .default_missing_value("2")
        .value_parser(value_parser!(u64).range(1..=86_400))
        .help("Ask again and again and print what changed, until it has ended or ctrl-c")
}

/// How much of a list is asked for.
pub(super) fn pages(args: &ArgMatches) -> PageOptions {
    let get = |name| args.try_get_one::<usize>(name).ok().flatten().copied();
    let page_size = args.try_get_one::<u32>("page_size").ok().flatten().copied();
    PageOptions { page_size: page_size.unwrap_or(MAX_PAGE), max_items: get("max_items") }
}

/// How often it is asked, if again and again.
pub(super) fn watch(args: &ArgMatches) -> Option<Duration> {
    args.try_get_one::<u64>("watch").ok().flatten().map(|seconds| Duration::from_secs(*seconds))
}

/// The members of a request: those of `--body`, then the flags', then those of `--param`.
pub(super) fn members(method: &Method, args: &ArgMatches, seats: &Seats) -> Result<Extra, Failure> {
    let mut stdin = Stdin(false);
    let mut members = ground(args, &mut stdin)?;
    for field in method.flags() {
        let value = match field.kind {
            Kind::Secret => Some(token(field, args, seats, &mut stdin)?),
            _ => value(field, args, &mut stdin)?,
        };
        if let Some(value) = value {
            members.insert(field.name, value);
        }
    }
    add_params(args, &mut members)?;
    match method.flags().find(|field| field.place == Place::Required && members.get(field.name).is_none()) {
        Some(field) => Err(Failure::Usage(format!("{} is needed", flag(field)))),
        None => Ok(members),
    }
}

/// The members that `--body` and `--param` give, for a request without fields.
pub(super) fn body_members(args: &ArgMatches) -> Result<Extra, Failure> {
    let mut members = ground(args, &mut Stdin(false))?;
    add_params(args, &mut members)?;
    Ok(members)
}

fn ground(args: &ArgMatches, stdin: &mut Stdin) -> Result<Extra, Failure> {
    match args.get_one::<String>("body") {
        Some(text) => object(&stdin.resolve("--body", text)?),
        None => Ok(Extra::default()),
    }
}

fn add_params(args: &ArgMatches, members: &mut Extra) -> Result<(), Failure> {
    for text in args.get_many::<String>("param").into_iter().flatten() {
        let Some((name, value)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err(Failure::Usage(format!("--param takes KEY=JSON, not `{text}`")));
        };
        members.insert(name, json(&format!("--param {name}"), value)?);
    }
    Ok(())
}

fn object(text: &str) -> Result<Extra, Failure> {
    serde_json::from_str(text)
        .map_err(|error| Failure::Usage(format!("--body is not a JSON object: {error}")))
}

fn value(field: &Field, args: &ArgMatches, stdin: &mut Stdin) -> Result<Option<Json>, Failure> {
    let flag = flag(field);
    let mut values = args.get_many::<String>(field.name).into_iter().flatten().peekable();
    if values.peek().is_none() {
        return Ok(None);
    }
    let raw: Vec<&String> = values.collect();
    if field.place == Place::Path {
        return Ok(Some(if field.kind == Kind::Texts { encoded(&raw) } else { quoted(raw[0]) }));
    }
    let text = match field.kind {
        Kind::Text | Kind::Secret => return Ok(Some(quoted(&stdin.resolve(&flag, raw[0])?))),
        Kind::Integer => whole(&flag, raw[0])?.to_owned(),
        Kind::Bool | Kind::Number => raw[0].clone(),
        Kind::Json => stdin.resolve(&flag, raw[0])?,
        Kind::Texts => return texts(&flag, &raw, stdin).map(Some),
        Kind::Jsons => return jsons(&flag, &raw, stdin).map(Some),
    };
    json(&flag, &text).map(Some)
}

/// Each value is a text; a file or stdin may hold a JSON list of texts instead.
fn texts(flag: &str, raw: &[&String], stdin: &mut Stdin) -> Result<Json, Failure> {
    let mut all: Vec<String> = Vec::new();
    for value in raw {
        let text = stdin.resolve(flag, value)?;
        match serde_json::from_str::<Vec<String>>(&text) {
            Ok(list) => all.extend(list),
            Err(_) => all.push(text),
        }
    }
    Ok(encoded(&all))
}

/// One value that is a list is the whole list; several values are its items.
fn jsons(flag: &str, raw: &[&String], stdin: &mut Stdin) -> Result<Json, Failure> {
    let mut items = Vec::new();
    for value in raw {
        items.push(json(flag, &stdin.resolve(flag, value)?)?);
    }
    match items.as_slice() {
        [only] if only.get().starts_with('[') => Ok(only.clone()),
        _ => Ok(encoded(&items)),
    }
}

/// A token comes from a file, stdin, the environment, or the seats that this machine took. One on the command line
/// works, but anybody on this machine can read it there (H-16).
fn token(field: &Field, args: &ArgMatches, seats: &Seats, stdin: &mut Stdin) -> Result<Json, Failure> {
    let flag = flag(field);
    let text = match args.get_one::<String>(field.name) {
        Some(text) => {
            if text != "-" && !text.starts_with('@') {
                output::say(&format!(
                    "{flag}: other users of this machine can read a token on the command line; use @FILE, `-` or \
                     ${TOKEN_VARIABLE}"
                ));
            }
            stdin.resolve(&flag, text)?
        }
        None => std::env::var(TOKEN_VARIABLE).unwrap_or_default(),
    };
    if !text.trim().is_empty() {
        return Ok(quoted(text.trim()));
    }
    let session = args.get_one::<String>("session_id").map(String::as_str).unwrap_or_default();
    let seat = args.get_one::<String>("seat").map(String::as_str);
    let known = seats.token(session, seat).ok_or_else(|| {
        Failure::Usage(format!(
            "no seat of this session was taken on this machine: give its token with `{flag} @FILE` or in \
             ${TOKEN_VARIABLE}, or take it again with `gert play join`"
        ))
    })?;
    Ok(quoted(known.expose()))
}

fn flag(field: &Field) -> String {
    format!("--{}", field.name.replace('_', "-"))
}

/// Stdin can be read once.
struct Stdin(bool);

impl Stdin {
    /// The text of a value: of a file for `@FILE`, of stdin for `-`; `@@` begins a text with an at sign.
    fn resolve(&mut self, flag: &str, value: &str) -> Result<String, Failure> {
        let read = |what: &str, from: &mut dyn Read| {
            let mut text = String::new();
            match from.take(MOST + 1).read_to_string(&mut text) {
                Ok(_) if text.len() as u64 > MOST => {
                    Err(Failure::Usage(format!("{flag}: {what} is longer than {} MiB", MOST >> 20)))
                }
                Ok(_) => Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)),
                Err(error) => Err(Failure::Usage(format!("{flag}: {what} cannot be read: {error}"))),
            }
        };
        if value == "-" {
            if std::mem::replace(&mut self.0, true) {
                return Err(Failure::Usage(format!("{flag}: stdin is already taken by another flag")));
            }
            return read("stdin", &mut std::io::stdin().lock());
        }
        match value.strip_prefix('@') {
            Some(text) if text.starts_with('@') => Ok(text.to_owned()),
            Some(path) => match std::fs::File::open(path) {
                Ok(mut file) => read(&format!("`{path}`"), &mut file),
                Err(error) => Err(Failure::Usage(format!("{flag}: `{path}` cannot be opened: {error}"))),
            },
            None => Ok(value.to_owned()),
        }
    }
}

fn whole<'a>(flag: &str, text: &'a str) -> Result<&'a str, Failure> {
    let plain = text.parse::<u64>().is_ok() && text.bytes().all(|byte| byte.is_ascii_digit());
    if plain { Ok(text) } else { Err(Failure::Usage(format!("{flag} takes a whole number, not `{text}`"))) }
}

fn json(flag: &str, text: &str) -> Result<Json, Failure> {
    Json::parse(text).map_err(|error| {
        let hint = if flag.starts_with("--param") { "; text needs quotes: 'KEY=\"text\"'" } else { "" };
        Failure::Usage(format!("{flag}: this is not JSON: {error}{hint}"))
    })
}

fn quoted(text: &str) -> Json {
    encoded(&text)
}

fn encoded(value: &impl serde::Serialize) -> Json {
    let raw = serde_json::value::to_raw_value(value).expect("texts and raw JSON can be written");
    Json::from(raw)
}

/// The first paragraph of documentation, as one line without its full stop.
fn paragraph(about: &str) -> String {
    let first: Vec<&str> = about.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
    first.join(" ").trim_end_matches('.').to_owned()
}

/// All of it, its paragraphs on one line each.
fn trimmed(about: &str) -> String {
    let mut text = String::new();
    for line in about.lines().map(str::trim) {
        match line {
            "" => text.push_str("\n\n"),
            line if text.is_empty() || text.ends_with('\n') => text.push_str(line),
            line => text.extend([" ", line]),
        }
    }
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;

    fn read(line: &[&str]) -> Result<Extra, Failure> {
        let resource_name = line[0];
        let resource = table::RESOURCES.iter().find(|resource| resource.name == resource_name).unwrap();
        let command = Command::new("gert").subcommand(self::resource(resource));
        let matches = command
            .try_get_matches_from([&["gert"], line].concat())
            .map_err(|error| Failure::Usage(error.to_string()))?;
        let (_, inner) = matches.subcommand().unwrap();
        let (name, args) = inner.subcommand().unwrap();
        let method = resource.methods.iter().find(|method| method.name == name).unwrap();
        members(method, args, &Seats::new(None, String::new()))
    }

    fn text(line: &[&str]) -> String {
        serde_json::to_string(&read(line).unwrap()).unwrap()
    }

    #[test]
    fn flags_become_members_with_the_digits_that_were_typed() {
        assert_eq!(
            text(&[
                "play",
                "create",
                "--game",
                "chess",
                "--seats",
                "2",
                "--vs-ai",
                "--tags",
                "a",
                "--tags",
                "b c",
                "--param",
                "seed=12345678901234567890123",
                "--autostart=false"
            ]),
            r#"{"game":"chess","tags":["a","b c"],"seats":2,"vs_ai":true,"autostart":false,"seed":12345678901234567890123}"#
        );
        assert_eq!(text(&["games", "get", "chess"]), r#"{"slug":"chess"}"#);
    }

    #[test]
    fn a_body_is_the_ground_that_flags_win_over() {
        let body = r#"{"game":"chess","max_ticks":10,"new":1.50}"#;
        assert_eq!(
            text(&["play", "create", "--body", body, "--max-ticks", "20"]),
            r#"{"game":"chess","max_ticks":20,"new":1.50}"#
        );
        assert!(read(&["play", "create", "--body", "[1]"]).is_err());
    }

    #[test]
    fn files_are_read_and_bad_values_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("body.json");
        std::fs::write(&path, "\u{feff}{\"game\":\"g\"}\n").unwrap();
        let at = format!("@{}", path.display());
        assert_eq!(text(&["play", "create", "--body", &at]), r#"{"game":"g"}"#);
        assert_eq!(text(&["play", "create", "--game", "@@g"]), r#"{"game":"@g"}"#);
        for (line, word) in [
            (&["play", "create", "--seats", "-1"][..], "seats"),
            (&["play", "create", "--seats=1e3"], "--seats"),
            (&["play", "create", "--param", "x"], "KEY=JSON"),
            (&["play", "create", "--param", "x=abc"], "quotes"),
            (&["play", "create", "--body", "@/nowhere/at/all"], "--body"),
        ] {
            let Err(Failure::Usage(why)) = read(line) else { panic!("{line:?}") };
            assert!(why.contains(word), "{why}");
        }
    }
}
