//! `gert arena provider`: the endpoints that write submissions. They are kept in the arena's database, which may be in use
//! by a running arena: it looks its providers up whenever it is asked for them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::arena::providers::writer;
use crate::arena::secret;
use crate::arena::store::StoreError;
use crate::arena::store::providers::{self, InFileError, ProviderRow};
use crate::arena::{command, providers as all};
use crate::cli::{Failure, print};
use crate::policy::{PolicySpec, Source};

/// The longest name.
const MAX_NAME: usize = 100;

/// What `gert arena provider` takes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
    /// The arena's database file [default: arena.db in the data folder]
    #[arg(long, value_name = "FILE", global = true)]
    db: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Register an endpoint like `OpenAI`'s that writes submissions
    Add {
        /// What it is called
        name: String,
        /// Its address, such as <http://localhost:11434/v1>
        #[arg(long, value_name = "URL")]
        openai: String,
        /// A model that may be asked, the usual one first; repeat it, or separate names by commas
        #[arg(long, value_name = "NAME", required = true, value_delimiter = ',')]
        model: Vec<String>,
        /// The environment variable of the arena that holds the key
        #[arg(long, value_name = "VAR")]
        key_env: Option<String>,
    },
    /// List all providers
    List,
    /// Forget an endpoint; what it has written stays
    Remove {
        /// Its name or id
        name: String,
    },
}

/// Changes or lists them.
pub(super) fn run(args: Args) -> Result<i32, Failure> {
    let path = args.db.or_else(command::default_database).ok_or(command::Error::NoDataFolder)?;
    match args.action {
        Action::Add { name, openai, model, key_env } => {
            let row = checked(name, openai, model, key_env)?;
            let kept = row.clone();
            in_file(&path, move |connection| providers::add(connection, &kept, Timestamp::now()))?;
            print(&format!("{}\t{}\t{}\n", row.provider_id, row.name, row.base_url))?;
        }
        Action::List => print(&table(&in_file(&path, providers::list)?))?,
        Action::Remove { name } => {
            if !in_file(&path, |connection| providers::remove(connection, &name))? {
                return Err(
                    format!("there is no provider `{name}`: `gert arena provider list` shows all").into()
                );
            }
        }
    }
    Ok(0)
}

fn in_file<T>(
    path: &Path,
    work: impl FnOnce(&rusqlite::Connection) -> Result<T, StoreError>,
) -> Result<T, InFileError> {
    providers::in_file(path, work)
}

/// Checks what was typed as for `--policy`, whose flags have the same names.
fn checked(
    name: String,
    openai: String,
    models: Vec<String>,
    key_env: Option<String>,
) -> Result<ProviderRow, Failure> {
    let is_name = !name.trim().is_empty() && name.len() <= MAX_NAME && !name.chars().any(char::is_control);
    if !is_name || [all::BUILT_IN, writer::NAME, writer::PROVIDER_ID].contains(&name.as_str()) {
        return Err(
            format!("`{name}` cannot be its name: use up to {MAX_NAME} bytes, not those of another").into()
        );
    }
    let (Some(first), false) = (models.first(), models.iter().any(|model| model.trim().is_empty())) else {
        return Err("`--model` needs a name".into());
    };
    let mut words = vec!["--openai".to_owned(), openai, "--model".to_owned(), first.clone()];
    words.extend(key_env.into_iter().flat_map(|name| ["--key-env".to_owned(), name]));
    let Source::Endpoint(endpoint) = PolicySpec::from_words(words)?.source else {
        return Err("`--openai` needs an address".into());
    };
    Ok(ProviderRow {
        provider_id: secret::id("pr_"),
        name,
        base_url: endpoint.url,
        models,
        key_env: endpoint.key_env,
    })
}

fn table(rows: &[ProviderRow]) -> String {
    let mut text = format!("{}\t{}\tno network, no key\n", writer::PROVIDER_ID, writer::NAME);
    for row in rows {
        let key = row.key_env.as_deref().map_or(String::new(), |name| format!(", key in {name}"));
        // Writing to a text cannot fail.
        _ = writeln!(
            text,
            "{}\t{}\t{} ({}{key})",
            row.provider_id,
            row.name,
            row.base_url,
            row.models.join(", ")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, url: &str, key_env: Option<&str>) -> Result<ProviderRow, String> {
        let models = vec!["m".to_owned()];
        checked(name.into(), url.into(), models, key_env.map(str::to_owned))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn an_endpoint_is_https_or_here_and_its_key_is_only_named() {
        let row = check("mine", "http://127.0.0.1:1/v1/", Some("MY_KEY")).unwrap();
        assert_eq!(
            (row.base_url.as_str(), row.key_env.as_deref()),
            ("http://127.0.0.1:1/v1", Some("MY_KEY"))
        );
        assert!(check("mine", "https://example.org/v1", None).is_ok());
        let error = check("mine", "http://example.org/v1", None).unwrap_err();
        assert!(error.contains("use https"), "{error}");
        let error = check("mine", "https://example.org/v1", Some("sk-hush")).unwrap_err();
        assert!(error.contains("name of an environment variable") && !error.contains("hush"), "{error}");
        for name in ["", " ", "arena", writer::NAME, "a\nb"] {
            assert!(check(name, "https://example.org/v1", None).is_err(), "{name}");
        }
    }

    #[test]
    fn the_list_begins_with_the_writer_that_needs_nothing() {
        let row = check("mine", "https://example.org/v1", Some("K")).unwrap();
        let id = row.provider_id.clone();
        assert_eq!(
            table(&[row]),
            format!(
                "program-writer\tprogram-writer (offline, templates)\tno network, no key\n\
                 {id}\tmine\thttps://example.org/v1 (m, key in K)\n"
            )
        );
    }
}
