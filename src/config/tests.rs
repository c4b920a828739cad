//! What flags, environment and file come to.

use std::fs;

use super::*;
use crate::api::Micro;

/// Settings from flags, variables and a file's text; nothing is read from outside the folder.
struct Rig {
    folder: tempfile::TempDir,
    given: Given,
    env: Vec<(&'static str, &'static str)>,
}

impl Rig {
    fn new(text: &str, env: &[(&'static str, &'static str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.toml");
        fs::write(&file, text).unwrap();
        Self { folder, given: Given { config: Some(file), ..Given::default() }, env: env.to_vec() }
    }

    fn profile(mut self, name: &str) -> Self {
        self.given.profile = Some(name.to_owned());
        self
    }

    fn base_url(mut self, url: &str) -> Self {
        self.given.base_url = Some(url.to_owned());
        self
    }

    fn load(&self) -> Result<Config, ConfigError> {
        let env =
            |name: &str| self.env.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Config::load(&self.given, &env)
    }

    fn config(&self) -> Config {
        self.load().unwrap()
    }
}

fn value<'c>(config: &'c Config, name: &str) -> (String, &'c Origin) {
    let setting = config.values.iter().find(|setting| setting.name == name).expect(name);
    (setting.value.to_string(), &setting.origin)
}

const TWO: &str = "profile = 'work'
[profiles.work]
base_url = 'https://work.test/v1'
read_only = true
[profiles.home]
base_url = 'https://home.test/v1'
";

#[test]
fn a_flag_wins_over_the_environment_and_that_over_the_file_and_that_over_the_default() {
    let none = Rig::new("", &[]).config();
    assert_eq!((none.base_url.as_str(), &*none.profile), (BaseUrl::DEFAULT, "default"));
    let file = Rig::new(TWO, &[]).config();
    assert_eq!(
        (file.base_url.as_str(), &*file.profile, file.read_only),
        ("https://work.test/v1", "work", true)
    );
    assert_eq!(value(&file, "profiles.work.base_url"), ("\"https://work.test/v1\"".into(), &Origin::File(3)));
    let variable = [("GERT_PROFILE", "home"), ("GERT_BASE_URL", "http://localhost:8080/api/v1/")];
    let env = Rig::new(TWO, &variable).config();
    assert_eq!((env.base_url.as_str(), &*env.profile), ("http://localhost:8080/api/v1", "home"));
    assert_eq!(value(&env, "profile").1, &Origin::Variable("GERT_PROFILE"));
    let flag = Rig::new(TWO, &variable).profile("work").base_url("https://x.test").config();
    assert_eq!((flag.base_url.as_str(), &*flag.profile), ("https://x.test", "work"));
    assert_eq!(value(&flag, "profiles.work.base_url").1, &Origin::Flag("--base-url"));
}

#[test]
fn an_empty_variable_counts_as_absent() {
    let config = Rig::new("", &[("GERT_BASE_URL", ""), ("GERT_API_KEY", " "), ("GERT_PROFILE", "")]).config();
    assert!(config.key.is_none());
    assert_eq!((config.base_url.as_str(), config.key_source), (BaseUrl::DEFAULT, KeySource::Nowhere));
}

#[test]
fn a_bad_value_is_named_and_a_key_is_never_shown() {
    // H-17
    let error = Rig::new("", &[("GERT_API_KEY", "sk_gert_a b")]).load().unwrap_err();
    assert_eq!(error.to_string(), "`GERT_API_KEY`: the API key has an illegal character at position 10");
    for (url, words) in [("ftp://x", "`--base-url`: "), ("http://example.test/api", "in clear")] {
        let error = Rig::new("", &[]).base_url(url).load().unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    let key = Rig::new("", &[("GERT_API_KEY", "\u{feff} sk_gert_a\r\n")]).config().key.unwrap();
    assert_eq!(key.expose(), "sk_gert_a");
}

#[test]
fn a_profile_that_is_not_there_is_an_error_unless_it_is_to_be_made() {
    let mut rig = Rig::new(TWO, &[]).profile("hom");
    assert_eq!(
        rig.load().unwrap_err().to_string(),
        "`--profile`: there is no profile `hom`; did you mean `home`?"
    );
    rig.given.new_profile = true;
    assert_eq!(rig.config().base_url.as_str(), BaseUrl::DEFAULT);
    let error = Rig::new("", &[("GERT_PROFILE", "x")]).load().unwrap_err();
    assert!(error.to_string().contains("`gert auth login --profile x` makes one"), "{error}");
    assert_eq!(Rig::new(TWO, &[]).profile("default").config().base_url.as_str(), BaseUrl::DEFAULT);
    assert!(Rig::new(TWO, &[]).profile("../x").load().is_err());
}

#[test]
fn a_file_that_was_named_has_to_be_there() {
    let rig = Rig::new("", &[]);
    fs::remove_file(rig.given.config.as_ref().unwrap()).unwrap();
    assert!(rig.load().unwrap_err().to_string().contains("`--config` names a file that is not there"));
}

#[test]
fn a_key_comes_from_where_the_profile_says_and_a_variable_goes_before() {
    let text = "[profiles.default]\nkey = 'env:MINE_KEY'\n";
    let config = Rig::new(text, &[("MINE_KEY", "sk_mine")]).config();
    assert_eq!(config.key.unwrap().expose(), "sk_mine");
    assert_eq!(config.key_source, KeySource::Variable("MINE_KEY".into()));
    let config = Rig::new(text, &[("MINE_KEY", "sk_mine"), ("GERT_API_KEY", "sk_env")]).config();
    assert_eq!(config.key.unwrap().expose(), "sk_env");
    let config = Rig::new(text, &[]).config();
    assert!(
        config.key.is_none()
            && config.key_problem.as_deref().unwrap().contains("`MINE_KEY`, which is not set")
    );
    assert!(config.client_settings().unwrap_err().to_string().contains("MINE_KEY"));
}

#[test]
fn a_stored_key_is_found_again_and_is_sent_to_its_own_host_only() {
    let key = ApiKey::new("sk_gert_secret").unwrap();
    let rig = Rig::new("# mine\n", &[]);
    let kept = rig.config().keep_key(&key, Store::File).unwrap();
    assert_eq!(kept.source, KeySource::File(rig.folder.path().join("keys/default")));
    let text = fs::read_to_string(&kept.noted_in).unwrap();
    assert_eq!(text, "# mine\n[profiles.default]\nkey = \"file\"\n");
    assert_eq!(rig.config().key, Some(key));

    let rig = rig.base_url("https://other.test/v1");
    let elsewhere = rig.config();
    assert!(elsewhere.key.is_none());
    assert_eq!(elsewhere.key_source, KeySource::Withheld { belongs_to: "https://gertlabs.com".into() });
    let why = elsewhere.client_settings().unwrap_err().to_string();
    assert!(why.contains("belongs to `https://gertlabs.com`") && why.contains("GERT_API_KEY"), "{why}");
    // Another path of the same host is no other host.
    let rig = rig.base_url("https://gertlabs.com/api/v2");
    assert!(rig.config().key.is_some());
    let mut rig = rig.base_url("https://other.test/v1");
    rig.env = vec![("GERT_API_KEY", "sk_env")];
    assert_eq!(rig.config().key.unwrap().expose(), "sk_env");
}

#[test]
fn a_key_for_another_host_needs_a_profile_of_its_own() {
    let key = ApiKey::new("sk_gert_secret").unwrap();
    let rig = Rig::new(TWO, &[]).base_url("http://localhost:8080/api/v1");
    let error = rig.config().keep_key(&key, Store::File).unwrap_err();
    assert!(
        matches!(error, KeepError::OtherHost { .. }) && error.to_string().contains("--profile"),
        "{error}"
    );
    let mut rig = rig.profile("local");
    rig.given.new_profile = true;
    rig.config().keep_key(&key, Store::File).unwrap();
    rig.given.base_url = None;
    let local = rig.config();
    assert_eq!((local.base_url.as_str(), local.key), ("http://localhost:8080/api/v1", Some(key)));
}

#[test]
fn a_key_is_forgotten_where_it_is_stored() {
    let key = ApiKey::new("sk_gert_secret").unwrap();
    let rig = Rig::new(TWO, &[]);
    rig.config().keep_key(&key, Store::File).unwrap();
    let file = rig.folder.path().join("keys/work");
    assert_eq!(rig.config().forget_key().unwrap().from, [KeySource::File(file.clone())]);
    assert!(!file.exists() && rig.config().key_source == KeySource::Nowhere);
    assert_eq!(fs::read_to_string(rig.given.config.as_ref().unwrap()).unwrap(), TWO);
    assert_eq!(rig.config().forget_key().unwrap().from, []);
}

#[test]
fn a_key_that_cannot_be_noted_is_not_left_behind() {
    let rig = Rig::new("", &[]);
    let config = rig.config();
    fs::write(rig.given.config.as_ref().unwrap(), "broken = \n").unwrap();
    let error = config.keep_key(&ApiKey::new("sk_gert_secret").unwrap(), Store::File).unwrap_err();
    assert!(matches!(error, KeepError::Save(SaveError::Unreadable(_))), "{error}");
    assert!(!rig.folder.path().join("keys/default").exists());
}

#[cfg(unix)]
#[test]
fn a_key_file_is_private_and_a_loose_one_is_tightened_and_told() {
    // C-04
    use std::os::unix::fs::PermissionsExt;
    let rig = Rig::new("", &[]);
    rig.config().keep_key(&ApiKey::new("sk_gert_secret").unwrap(), Store::File).unwrap();
    let file = rig.folder.path().join("keys/default");
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let config = rig.config();
    assert!(
        config.key.is_some() && config.warnings[0].contains("could be read by others"),
        "{:?}",
        config.warnings
    );
    assert_eq!(mode(&file), 0o600);
    assert_eq!(rig.config().warnings, [""; 0]);
}

#[test]
fn a_key_file_with_white_space_is_read_and_one_without_a_key_is_told() {
    // H-17
    let rig = Rig::new("[profiles.default]\nkey = 'file'\n", &[]);
    let missing = rig.config().key_problem.unwrap();
    assert!(missing.contains("keys/default") && missing.contains("gert auth login"), "{missing}");
    fs::create_dir(rig.folder.path().join("keys")).unwrap();
    let file = rig.folder.path().join("keys/default");
    fs::write(&file, "\u{feff} sk_gert_secret \r\n").unwrap();
    assert_eq!(rig.config().key.unwrap().expose(), "sk_gert_secret");
    fs::write(&file, "sk_gert_secret\nanother\n").unwrap();
    let problem = rig.config().key_problem.unwrap();
    assert!(problem.contains("position 15") && !problem.contains("secret"), "{problem}");
}

#[test]
fn caps_of_a_profile_go_before_those_of_all_and_refuse_what_has_no_price() {
    let text = "profile = 'a'\n[profiles.a.spend]\nper_day = 2\n[profiles.b.spend]\nunknown_price = 'allow'\n\
                [spend]\nper_action = 0.5\nper_day = 5\n";
    let a = Rig::new(text, &[]).config();
    let expected = Spend {
        per_action: Some(Micro(500_000)),
        per_day: Some(Micro(2_000_000)),
        per_profile: None,
        unknown_price: UnknownPrice::Refuse,
    };
    assert_eq!(a.spend, expected);
    assert_eq!(value(&a, "profiles.a.spend.per_day"), ("2".into(), &Origin::File(3)));
    assert_eq!(value(&a, "spend.per_action"), ("0.5".into(), &Origin::File(7)));
    let b = Rig::new(text, &[]).profile("b").config();
    assert_eq!((b.spend.per_day, b.spend.unknown_price), (Some(Micro(5_000_000)), UnknownPrice::Allow));
    assert_eq!(Rig::new("", &[]).config().spend, Spend::default());
}

#[test]
fn a_client_gets_what_the_profile_says() {
    let rig = Rig::new(
        "[profiles.default]\ntimeout_seconds = 7\nmax_retries = 1\nproxy = 'direct'\nca_files = ['ca.pem', '/x.pem']\n",
        &[("GERT_API_KEY", "sk")],
    );
    let settings = rig.config().client_settings().unwrap();
    assert_eq!((settings.timeout, settings.max_retries), (Duration::from_secs(7), 1));
    assert!(matches!(settings.proxy, ProxyRules::Direct));
    assert_eq!(settings.ca_files, [rig.folder.path().join("ca.pem"), "/x.pem".into()]);
}

#[test]
fn the_template_is_the_defaults() {
    let show = |config: Config| -> Vec<_> {
        config.values.into_iter().map(|setting| (setting.name, setting.value)).collect()
    };
    assert_eq!(show(Rig::new(TEMPLATE, &[]).config()), show(Rig::new("", &[]).config()));
}

#[test]
fn what_the_template_leaves_out_can_be_put_in() {
    let is_setting = |line: &str| line.strip_prefix("# ").is_some_and(|line| line.contains(" = "));
    let whole: Vec<&str> =
        TEMPLATE.lines().map(|line| if is_setting(line) { &line[2..] } else { line }).collect();
    let config = Rig::new(&whole.join("\n"), &[]).config();
    assert!(config.values.iter().all(|setting| !setting.value.is_null()), "{:?}", config.values);
    // Every setting there is stands in it.
    for setting in &config.values {
        let name = setting.name.rsplit('.').next().unwrap();
        assert!(whole.iter().any(|line| line.starts_with(&format!("{name} = "))), "{name}");
    }
}
