//! `gert config`: the settings file and what it comes to.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::config::{Config, ConfigError, Given, Origin, Places, TEMPLATE, change};
use crate::policy::parse_command_line;

use super::{Failure, chain, env, load, print, prompt};

/// What `gert config` does.
#[derive(Debug, clap::Subcommand)]
pub(super) enum Action {
    /// Say where the settings are
    Path,
    /// Show what is in force and where it came from
    Show {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Open the settings in $VISUAL or $EDITOR; they are checked before they are replaced
    Edit,
    /// Change one setting
    Set {
        /// Its name, like `profiles.default.read_only`
        #[arg(value_name = "KEY")]
        name: String,
        /// Its value; text needs no quotes
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Remove one setting, so that its default applies
    Unset {
        /// Its name, like `spend.per_day`
        #[arg(value_name = "KEY")]
        name: String,
    },
    /// Check the settings; the exit status is 2 if anything is wrong
    Validate {
        /// Another file
        file: Option<PathBuf>,
    },
}

/// Does it; returns the exit status.
pub(super) async fn run(action: Action, given: Given) -> Result<i32, Failure> {
    let places = Places::find(&given, &env);
    match action {
        Action::Path => print(&format!("{}\n", places.file()?.display()))?,
        Action::Show { json } => return show(&load(given, Config::load).await?, json),
        Action::Edit => return edit(places.file()?).await,
        Action::Set { name, value } => {
            let file = places.file()?;
            let changed = change::set(file, &name, &value)?;
            eprintln!("{}: {}", file.display(), if changed { "changed" } else { "was so already" });
        }
        Action::Unset { name } => {
            let file = places.file()?;
            change::unset(file, &name)?;
            eprintln!("{}: changed", file.display());
        }
        Action::Validate { file } => return validate(places, file),
    }
    Ok(0)
}

fn validate(places: Places, file: Option<PathBuf>) -> Result<i32, Failure> {
    let places = match file {
        Some(file) => Places { file: Some(file), chosen_by: Some("FILE") },
        None => places,
    };
    let path = places.file()?;
    match places.read()? {
        Some(bytes) => {
            change::validate(path, &bytes)?;
            eprintln!("{}: good", path.display());
        }
        None => eprintln!("{}: is not there, so every default applies", path.display()),
    }
    Ok(0)
}

fn show(config: &Config, json: bool) -> Result<i32, Failure> {
    let file = config.places.file.as_deref();
    let exists = file.is_some_and(Path::exists);
    if json {
        let values: Map<String, Value> = config
            .values
            .iter()
            .map(|value| {
                (value.name.clone(), json!({ "value": value.value, "origin": origin(&value.origin, file) }))
            })
            .collect();
        let shown = json!({
            "file": file,
            "exists": exists,
            "key": {
                "fingerprint": config.key_shown(),
                "source": config.key_source.to_string(),
                "problem": config.key_problem,
            },
            "settings": values,
        });
        print(&format!("{shown:#}\n"))?;
        return Ok(0);
    }
    let mut rows: Vec<[String; 3]> = config
        .values
        .iter()
        .map(|value| [value.name.clone(), plain(&value.value), origin(&value.origin, file)])
        .collect();
    let key = config.key_shown().unwrap_or_else(|| "-".to_owned());
    rows.push(["the key itself".to_owned(), key, config.key_source.to_string()]);
    let widths =
        [0, 1].map(|column| rows.iter().map(|row| crate::text::width(&row[column])).max().unwrap_or(0));
    let mut text = match file {
        Some(file) if exists => format!("# {}\n", file.display()),
        Some(file) => format!("# {} is not there: `gert config edit` makes it\n", file.display()),
        None => String::new(),
    };
    for [name, value, origin] in &rows {
        let (name, value) = (crate::text::pad(name, widths[0]), crate::text::pad(value, widths[1]));
        // Writing into a string does not fail.
        let _ = writeln!(text, "{name}  {value}  {origin}");
    }
    print(&crate::text::clean_lines(&text))?;
    if let Some(why) = &config.key_problem {
        eprintln!("gert: {why}");
    }
    Ok(0)
}

pub(super) fn origin(origin: &Origin, file: Option<&Path>) -> String {
    match (origin, file.and_then(Path::file_name)) {
        (Origin::File(line), Some(name)) => format!("{}:{line}", name.display()),
        (origin, _) => origin.to_string(),
    }
}

pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Lets the user edit a copy and puts it in place once it is good.
async fn edit(path: &Path) -> Result<i32, Failure> {
    let before = match std::fs::read(path) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(format!("`{}` cannot be read: {error}", path.display()).into()),
    };
    let start = before.as_deref().unwrap_or(TEMPLATE.as_bytes());
    let mut copy = tempfile::Builder::new().prefix("gert-config-").suffix(".toml").tempfile()?;
    copy.write_all(start)?;
    copy.flush()?;
    let copy = copy.into_temp_path();
    loop {
        open_editor(&copy).await?;
        let after = std::fs::read(&copy)?;
        if after == start {
            eprintln!("{}: nothing was changed", path.display());
            return Ok(0);
        }
        let why: Failure = match change::validate(&copy, &after) {
            Ok(()) => match change::replace(path, before.as_deref(), &after) {
                Ok(()) => {
                    eprintln!("{}: {}", path.display(), if before.is_some() { "changed" } else { "made" });
                    return Ok(0);
                }
                Err(why) => why.into(),
            },
            Err(why) => why.into(),
        };
        let is_wrong = why.is::<ConfigError>();
        if is_wrong {
            eprintln!("{}", chain(&*why));
        }
        if is_wrong && prompt::yes("gert: edit it again?") {
            continue;
        }
        let kept = copy.keep()?;
        eprintln!("gert: the settings are as before; your text is in {}", kept.display());
        return if is_wrong { Ok(2) } else { Err(why) };
    }
}

async fn open_editor(file: &Path) -> Result<(), Failure> {
    let set = |name| env(name).filter(|value| !value.trim().is_empty());
    let editor = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let words = parse_command_line(&editor)
        .map_err(|why| format!("`{editor}` is no command for an editor: {why}"))?;
    let Some((program, arguments)) = words.split_first() else {
        return Err("set `EDITOR` to the command of an editor".into());
    };
    let status = tokio::process::Command::new(program)
        .args(arguments)
        .arg(file)
        .status()
        .await
        .map_err(|why| format!("the editor `{editor}` cannot be started ({why}): set `EDITOR`"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("the editor `{editor}` failed ({status}): nothing was changed").into())
    }
}
