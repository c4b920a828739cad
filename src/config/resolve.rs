//! Lays flags, environment, file and defaults over each other. Looks at nothing but its arguments.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::api::{ApiKey, BaseUrl, ProxyRules, Settings};

use super::caps::{Spend, UnknownPrice};
use super::fields::Set;
use super::file::{DEFAULT_PROFILE, File, Profile, SpendTable, check_name};
use super::keep::Keeper;
use super::keys::{KeyPlace, KeySource};
use super::places::{Env, Given, Places, present};
use super::problem::{ConfigError, Problem};
use super::{Config, Recordings, Ui, save};
use crate::api::Micro;

/// A value in force and where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// As `gert config set` takes it.
    pub name: String,
    /// The value; `null` where there is none.
    pub value: Value,
    /// Where it came from.
    pub origin: Origin,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nothing says otherwise.
    Default,
    /// The settings, in this line.
    File(usize),
    /// A variable.
    Variable(&'static str),
    /// A flag.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(line) => write!(f, "line {line}"),
            Self::Variable(name) | Self::Flag(name) => f.write_str(name),
        }
    }
}

type Layer<T> = Option<(T, Origin)>;

fn from_file<T: Clone>(set: Option<&Set<T>>) -> Layer<T> {
    set.map(|set| (set.value.clone(), Origin::File(set.line)))
}

/// The first layer that says something.
fn first<T>(layers: impl IntoIterator<Item = Layer<T>>, default: T) -> (T, Origin) {
    layers.into_iter().flatten().next().unwrap_or((default, Origin::Default))
}

/// The values in force, noted as they are taken.
#[derive(Default)]
struct Values(Vec<Setting>);

impl Values {
    fn take<T>(
        &mut self,
        name: impl Into<String>,
        (value, origin): (T, Origin),
        show: impl FnOnce(&T) -> Value,
    ) -> T {
        self.0.push(Setting { name: name.into(), value: show(&value), origin });
        value
    }
}

/// All but the key that is kept in the keyring or a file.
pub(super) fn resolve(
    given: &Given,
    env: Env<'_>,
    places: Places,
    bytes: Option<&[u8]>,
) -> Result<Config, ConfigError> {
    let path = places.file.clone().unwrap_or_default();
    let file = bytes.map_or_else(|| Ok(File::default()), |bytes| File::parse(&path, bytes))?;
    let mut values = Values::default();

    let (profile, named_by) = profile_in_force(given, env, &file)?;
    let is_named = matches!(named_by, Origin::Flag(_) | Origin::Variable(_));
    let profile = values.take("profile", (profile, named_by), |name| json!(name));
    let nothing = Profile::default();
    let own = file.profiles.get(&profile).unwrap_or(&nothing);
    let name = |member: &str| format!("profiles.{profile}.{member}");
    let defaults = Settings::new(BaseUrl::default(), ApiKey::new("none").expect("a visible word"));

    let plain = first([from_file(own.allow_plain_http.as_ref())], defaults.allow_plain_http);
    let own_base_url = first([from_file(own.base_url.as_ref())], BaseUrl::default()).0;
    let base_url = base_url_in_force(given, env, own)?;
    if let Err(why) = base_url.0.check(plain.0) {
        return Err(Problem::named(&base_url.1.to_string(), why).into());
    }
    let base_url = values.take(name("base_url"), base_url, |url| json!(url.as_str()));
    let (key, key_source) = key_in_force(env, own, &base_url, &own_base_url, &places, &profile)?;
    let origin = own.key.as_ref().map_or(Origin::Default, |set| Origin::File(set.line));
    let place = own.key.as_ref().map_or(KeyPlace::None, |set| set.value.clone());
    let place = values.take(name("key"), (place, origin), |place| json!(place.to_string()));
    let key_problem = key_problem(&profile, &key_source, key.is_some());

    let read_only =
        values.take(name("read_only"), first([from_file(own.read_only.as_ref())], false), |on| json!(on));
    let allow_plain_http = values.take(name("allow_plain_http"), plain, |on| json!(on));
    let ca_files = from_file(own.ca_files.as_ref()).map(|(files, origin)| {
        (files.iter().map(|file| path.parent().unwrap_or(Path::new("")).join(file)).collect(), origin)
    });
    let ca_files = values.take(name("ca_files"), first([ca_files], defaults.ca_files), |files| json!(files));
    let proxy = first([from_file(own.proxy.as_ref()).map(|(proxy, origin)| (Some(proxy), origin))], None);
    let proxy = values.take(name("proxy"), proxy, |proxy| json!(proxy.as_ref().map(ToString::to_string)));
    let timeout = values.take(
        name("timeout_seconds"),
        first([from_file(own.timeout.as_ref())], defaults.timeout),
        |timeout| json!(seconds(*timeout)),
    );
    let max_retries = values.take(
        name("max_retries"),
        first([from_file(own.max_retries.as_ref())], defaults.max_retries),
        |count| json!(count),
    );
    let spend = spend_in_force(&mut values, &profile, &own.spend, &file.spend);
    let flag = |on: bool, name| on.then_some((true, Origin::Flag(name)));
    let ascii = first([flag(given.ascii, "--ascii"), from_file(file.ascii.as_ref())], false);
    let ascii = values.take("ui.ascii", ascii, |on| json!(on));
    let mouse = first([flag(given.mouse, "--mouse"), from_file(file.mouse.as_ref())], false);
    let mouse = values.take("ui.mouse", mouse, |on| json!(on));

    let recordings = recordings_in_force(&mut values, &file);

    let mut warnings = Vec::new();
    if bytes.is_none() {
        warnings.extend(places.warning());
    }
    if file.profiles.values().filter_map(|p| p.proxy.as_ref()).any(|proxy| proxy.value.has_password()) {
        warnings.extend(save::tighten(&path));
    }
    let keeper = Keeper {
        places: places.clone(),
        profile: profile.clone(),
        origin: own_base_url.origin(),
        elsewhere: (base_url.origin() != own_base_url.origin()).then(|| base_url.clone()),
        is_free: is_named && own.base_url.is_none() && own.key.is_none(),
        place,
    };
    Ok(Config {
        profile,
        base_url,
        key,
        key_source,
        key_problem,
        read_only,
        spend,
        allow_plain_http,
        ca_files,
        proxy: proxy.map_or(ProxyRules::Environment, |proxy| proxy.rules()),
        timeout,
        max_retries,
        ui: Ui { ascii, mouse },
        recordings,
        values: values.0,
        warnings,
        places,
        keeper,
    })
}

fn profile_in_force(given: &Given, env: Env<'_>, file: &File) -> Result<(String, Origin), ConfigError> {
    let flag = given.profile.clone().map(|name| (name, Origin::Flag("--profile")));
    let variable =
        present(env, "GERT_PROFILE").map(|name| (name.trim().to_owned(), Origin::Variable("GERT_PROFILE")));
    let (name, origin) =
        first([flag, variable, from_file(file.profile.as_ref())], DEFAULT_PROFILE.to_owned());
    if matches!(origin, Origin::Flag(_) | Origin::Variable(_)) {
        if let Err(why) = check_name(&name) {
            return Err(Problem::named(&origin.to_string(), format_args!("a profile's name {why}")).into());
        }
        if name != DEFAULT_PROFILE && !given.new_profile && !file.profiles.contains_key(&name) {
            let problem = Problem::named(&origin.to_string(), format_args!("there is no profile `{name}`"));
            return Err(problem.advise(file.advise_profile(&name)).into());
        }
    }
    Ok((name, origin))
}

fn base_url_in_force(given: &Given, env: Env<'_>, own: &Profile) -> Result<(BaseUrl, Origin), ConfigError> {
    let flag = given.base_url.clone().map(|text| (text, Origin::Flag("--base-url")));
    let variable = present(env, "GERT_BASE_URL").map(|text| (text, Origin::Variable("GERT_BASE_URL")));
    match flag.or(variable) {
        Some((text, origin)) => match text.parse() {
            Ok(url) => Ok((url, origin)),
            Err(why) => Err(Problem::named(&origin.to_string(), why).into()),
        },
        None => Ok(first([from_file(own.base_url.as_ref())], BaseUrl::default())),
    }
}

/// The key, if a variable holds it, and where it is or would be.
fn key_in_force(
    env: Env<'_>,
    own: &Profile,
    base_url: &BaseUrl,
    own_base_url: &BaseUrl,
    places: &Places,
    profile: &str,
) -> Result<(Option<ApiKey>, KeySource), ConfigError> {
    let variable = |name: &str| match present(env, name).map(|text| ApiKey::new(&text)) {
        None => Ok((None, KeySource::Variable(name.to_owned()))),
        Some(Ok(key)) => Ok((Some(key), KeySource::Variable(name.to_owned()))),
        Some(Err(why)) => Err(ConfigError::from(Problem::named(name, why))),
    };
    if let (Some(key), source) = variable("GERT_API_KEY")? {
        return Ok((Some(key), source));
    }
    let place = own.key.as_ref().map_or(&KeyPlace::None, |set| &set.value);
    if *place != KeyPlace::None && base_url.origin() != own_base_url.origin() {
        return Ok((None, KeySource::Withheld { belongs_to: own_base_url.origin() }));
    }
    Ok(match place {
        KeyPlace::None => (None, KeySource::Nowhere),
        KeyPlace::Keyring => (None, KeySource::Keyring),
        KeyPlace::File => (None, places.key_file(profile).map_or(KeySource::Nowhere, KeySource::File)),
        KeyPlace::Variable(name) => variable(name)?,
    })
}

/// Why there is no key although the profile has one.
fn key_problem(profile: &str, source: &KeySource, has_key: bool) -> Option<String> {
    match source {
        KeySource::Withheld { belongs_to } => Some(format!(
            "the key of the profile `{profile}` belongs to `{belongs_to}` and is not sent to another host: set \
             `GERT_API_KEY` for this one, or use a profile of its own"
        )),
        KeySource::Variable(name) if !has_key => Some(format!(
            "the profile `{profile}` takes its key from the variable `{name}`, which is not set"
        )),
        _ => None,
    }
}

fn recordings_in_force(values: &mut Values, file: &File) -> Recordings {
    let (own, default) = (&file.recordings, Recordings::default());
    let mut size = |name: &str, set: &Option<Set<u64>>, default| {
        values
            .take(format!("recordings.{name}"), first([from_file(set.as_ref())], default), |size| json!(size))
    };
    let max_mib = size("max_mib", &own.max_mib, default.max_mib);
    let total_mib = size("total_mib", &own.total_mib, default.total_mib);
    let mut flag = |name: &str, set: &Option<Set<bool>>, default| {
        values.take(format!("recordings.{name}"), first([from_file(set.as_ref())], default), |on| json!(on))
    };
    let enabled = flag("enabled", &own.enabled, default.enabled);
    let compress = flag("compress", &own.compress, default.compress);
    Recordings { enabled, max_mib, total_mib, compress }
}

fn spend_in_force(values: &mut Values, profile: &str, own: &SpendTable, all: &SpendTable) -> Spend {
    // The name that the value in force was set by.
    let name = |member: &str, is_own: bool| {
        if is_own { format!("profiles.{profile}.spend.{member}") } else { format!("spend.{member}") }
    };
    let mut cap = |member: &str, own: &Option<Set<Micro>>, all: &Option<Set<Micro>>| {
        let layers = [from_file(own.as_ref()), from_file(all.as_ref())];
        let some = layers.into_iter().map(|layer| layer.map(|(cap, origin)| (Some(cap), origin)));
        values.take(name(member, own.is_some()), first(some, None), |cap| json!(cap.map(credits)))
    };
    let per_action = cap("per_action", &own.per_action, &all.per_action);
    let per_day = cap("per_day", &own.per_day, &all.per_day);
    let per_profile = cap("per_profile", &own.per_profile, &all.per_profile);
    let capped = per_action.or(per_day).or(per_profile).is_some();
    let default = if capped { UnknownPrice::Refuse } else { UnknownPrice::Allow };
    let layers = [from_file(own.unknown_price.as_ref()), from_file(all.unknown_price.as_ref())];
    let unknown_price =
        values.take(name("unknown_price", own.unknown_price.is_some()), first(layers, default), |rule| {
            json!(rule.to_string())
        });
    Spend { per_action, per_day, per_profile, unknown_price }
}

/// For showing only: the nearest number to an exact amount.
fn credits(amount: Micro) -> Value {
    serde_json::from_str(&amount.to_string()).unwrap_or_default()
}

/// Whole seconds as such.
fn seconds(time: Duration) -> Value {
    if time.subsec_nanos() == 0 { json!(time.as_secs()) } else { json!(time.as_secs_f64()) }
}
