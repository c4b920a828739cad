//! The way to the platform and what it says.

use jiff::Timestamp;
use jiff::fmt::rfc2822;

use super::super::facts::{Facts, Host, Network, Step, Stop};
use super::super::head::Head;
use super::{Finding, Verdict, count};
use crate::api::ErrorKind;
use crate::text::number;

/// A clock that is off by more seconds than this is wrong.
const OFF: u64 = 60;
/// A certificate that ends within so many days is worth a word.
const SOON: i64 = 7;
const DAY: i64 = 24 * 60 * 60;

/// Which proxy counts for the host.
pub(in super::super) fn proxy(facts: &Facts) -> Finding {
    let proxy = &facts.proxy;
    if let Some(why) = &proxy.problem {
        // Said once, where it is.
        if facts.authorities.iter().any(|place| place.holds.is_err()) {
            return Finding::skipped("unknown, since the certificate authorities cannot be read: see `ca`");
        }
        return Finding::problem(
            why,
            "check `proxy` and `ca_files` in the settings, `HTTPS_PROXY` and `SSL_CERT_FILE`",
        );
    }
    let set = proxy.variables.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
    let ignored = if set.is_empty() { String::new() } else { format!("; set: {}", set.join(", ")) };
    match &proxy.in_force {
        Some(host) => Finding::ok(format!("through {host} ({}){ignored}", proxy.by)),
        None if proxy.by.is_empty() => {
            Finding::skipped(format!("unknown, since the settings cannot be read{ignored}"))
        }
        None => Finding::ok(format!("direct ({}){ignored}", proxy.by)),
    }
}

/// Which certificate authorities are trusted.
pub(in super::super) fn authorities(facts: &Facts) -> Finding {
    let broken = facts.authorities.iter().find_map(|place| Some((place, place.holds.as_ref().err()?)));
    if let Some((place, why)) = broken {
        return Finding::problem(
            format!("{} ({}) {why}", place.path, place.by),
            format!("let `{}` name a PEM file with certificates, or remove it", place.by),
        );
    }
    let own = facts.authorities.iter().map(|place| {
        let holds = place.holds.as_ref().ok().copied().flatten();
        let holds = holds.map_or_else(String::new, |number| format!(", {}", count(number, "certificate")));
        format!("{} ({}{holds})", place.path, place.by)
    });
    let places: Vec<String> = own.collect();
    // On Linux the two variables stand for the system's list, elsewhere and for `ca_files` they add to it.
    Finding::ok(if places.is_empty() { "the system's own".to_owned() } else { places.join(", ") })
}

/// What was asked, or why nothing was.
fn network(facts: &Facts) -> Result<&Network, Finding> {
    facts.network.as_ref().map_err(Finding::skipped)
}

/// Whether the host answers, and as the API would.
pub(in super::super) fn host(facts: &Facts) -> Finding {
    let host = match network(facts) {
        Ok(network) => &network.host,
        Err(skipped) => return skipped,
    };
    let answer = match &host.end {
        Ok(answer) => answer,
        Err(stop) => {
            return Finding::problem(&stop.why, stopped(host, stop, facts.proxy.in_force.is_some()));
        }
    };
    let found = format!("{} answers ({}){}", host.name, times(host), certificate(host, answer.at));
    if let Some(advice) = odd(&answer.head) {
        let what = if answer.head.is_page() { ", a web page" } else { "" };
        let found = format!("{} answers with HTTP {}{what}", host.name, answer.head.status);
        return Finding { verdict: advice.0, found, advice: Some(advice.1) };
    }
    match &host.certificate {
        Some(certificate) if days(answer.at, certificate.ends) < SOON => {
            Finding::warning(found, "tell its owner that the certificate ends soon")
        }
        _ => Finding::ok(found),
    }
}

/// What to do about a way that ended at a step.
fn stopped(host: &Host, stop: &Stop, is_proxied: bool) -> &'static str {
    match stop.at {
        // TLS has no other word in common for what it does not trust.
        Step::Tls if stop.why.contains("certificate") => {
            "if your network has its own certificate authority, name its file in `SSL_CERT_FILE`"
        }
        Step::Tls => "check that this port speaks https, and that nothing on the way breaks it open",
        _ if is_proxied => "check that the proxy runs, lets this host through, and takes your password",
        Step::Name => "check the address (`gert config show`) and that this machine is online",
        Step::Connect => "check that the server runs, the port is right and no firewall is in between",
        Step::Answer if host.is_secure => "check that the address is the API's, and try again in a moment",
        Step::Answer => "check the address, and that this port does not want https",
    }
}

/// What to do about an answer that is not the API's.
fn odd(head: &Head) -> Option<(Verdict, String)> {
    let to = head.location.as_deref().unwrap_or("nowhere");
    match head.status {
        300..=399 => {
            Some((Verdict::Warning, format!("it points to `{to}`: if that is right, set it as the base URL")))
        }
        407 => Some((
            Verdict::Problem,
            "the proxy wants a user name and password: add them to its address".into(),
        )),
        500.. => Some((Verdict::Warning, "the fault is the server's: try again in a moment".into())),
        _ if head.is_page() => Some((
            Verdict::Problem,
            "check the base URL: it should end like `/api/v1`; or a network sign-in page is in between"
                .into(),
        )),
        404 => Some((Verdict::Problem, "check the base URL: it should end like `/api/v1`".into())),
        _ => None,
    }
}

fn times(host: &Host) -> String {
    let words = host.took.iter().map(|(step, took)| {
        let name = match step {
            Step::Name => "name",
            Step::Connect => "connection",
            Step::Tls => "TLS",
            Step::Answer => "answer",
        };
        format!("{name} {} ms", took.as_millis())
    });
    words.collect::<Vec<_>>().join(", ")
}

fn certificate(host: &Host, now: Timestamp) -> String {
    host.certificate.as_ref().map_or_else(String::new, |certificate| {
        let day = certificate.ends.strftime("%Y-%m-%d");
        format!(
            "; certificate by {} until {day}, {}",
            certificate.issuer,
            count(days(now, certificate.ends).max(0) as usize, "day")
        )
    })
}

fn days(now: Timestamp, then: Timestamp) -> i64 {
    (then.as_second() - now.as_second()) / DAY
}

/// Whether our clock agrees with the server's.
pub(in super::super) fn clock(facts: &Facts) -> Finding {
    let answer = match network(facts) {
        Ok(Network { host: Host { end: Ok(answer), .. }, .. }) => answer,
        Ok(_) => return Finding::skipped("unknown, since the host gives no answer"),
        Err(skipped) => return skipped,
    };
    let date = answer.head.date.as_deref().and_then(|date| rfc2822::parse(date).ok());
    let Some(date) = date else { return Finding::skipped("the server does not say what time it is") };
    let ahead = answer.at.as_second().saturating_sub(date.timestamp().as_second());
    let off = ahead.unsigned_abs();
    if off <= OFF {
        return Finding::ok(format!("agrees with the server's to {off} s"));
    }
    let way = if ahead > 0 { "ahead of" } else { "behind" };
    Finding::warning(
        format!("this machine's clock is {off} s {way} the server's"),
        "set it, or let it be set (`timedatectl set-ntp true`): ages and certificates are judged by it",
    )
}

/// Whether the platform takes the key, and what is left.
pub(in super::super) fn account(facts: &Facts) -> Finding {
    let network = match network(facts) {
        Ok(network) => network,
        Err(skipped) => return skipped,
    };
    let why = match &network.account {
        Ok(account) => {
            let tier = account.tier.as_deref().map_or_else(String::new, |tier| format!("{tier} plan, "));
            let found = format!("{tier}{} credits", number::credits(account.credits));
            return if account.credits > 0.0 {
                Finding::ok(found)
            } else {
                Finding::warning(found, "add credits: what costs something will be refused")
            };
        }
        Err(None) => return Finding::skipped("unknown, since there is no key"),
        Err(Some(why)) => why,
    };
    // Said once, where the host is.
    if network.host.end.is_err() && why.status().is_none() {
        return Finding::skipped("unknown, since the host gives no answer");
    }
    match why.kind() {
        ErrorKind::Authentication => Finding::problem(
            format!("the platform refuses the key: {}", why.why()),
            "`gert auth login` stores another one; check that it belongs to this host",
        ),
        _ => Finding::problem(why.why(), why.advice().unwrap_or("try again in a moment")),
    }
}

/// Whether an upgrade to a socket gets through: a proper refusal shows that it does.
pub(in super::super) fn websocket(facts: &Facts) -> Finding {
    const ADVICE: &str =
        "let WebSocket upgrades pass for this host in the proxy or firewall, or go around it with `NO_PROXY`";
    let network = match network(facts) {
        Ok(network) => network,
        Err(skipped) => return skipped,
    };
    let head = match &network.websocket {
        Ok(head) => head,
        Err(_) if network.host.end.is_err() => {
            return Finding::skipped("unknown, since the host gives no answer");
        }
        Err(why) => {
            return Finding::problem(format!("the host answers, but not to an upgrade: {why}"), ADVICE);
        }
    };
    let status = head.status;
    let by = head.server.as_deref().map_or_else(String::new, |server| format!(" by `{server}`"));
    match status {
        101 | 401 | 403 | 404 | 409 | 410 | 429 if !head.is_page() => {
            Finding::ok(format!("upgrades get through (HTTP {status} for a made-up session)"))
        }
        300..=399 => Finding::warning(
            format!("an upgrade is sent elsewhere (HTTP {status})"),
            "if the new address is right, set it as the base URL",
        ),
        500.. => Finding::warning(
            format!("an upgrade is answered with HTTP {status}{by}"),
            "try again in a moment; if it stays so, sockets are blocked on the way",
        ),
        _ => {
            let what = if head.is_page() { "a web page" } else { "what is no refusal of the API" };
            Finding::problem(format!("an upgrade is answered with {what} (HTTP {status}){by}"), ADVICE)
        }
    }
}
