//! Who issued a certificate and until when it is good. Reads just that much of its DER form (RFC 5280 §4.1); whether it
//! is to be trusted was decided by others.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::text;

/// What is shown of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Certificate {
    pub issuer: String,
    pub ends: Timestamp,
}

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const OBJECT_ID: u8 = 0x06;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
/// `id-at-commonName` and `id-at-organizationName` (RFC 5280 appendix A.1).
const NAMES: [&[u8]; 2] = [&[0x55, 0x04, 0x03], &[0x55, 0x04, 0x0a]];

/// Nothing for what is no certificate.
pub(super) fn read(der: &[u8]) -> Option<Certificate> {
    let mut certificate = Der(der).inner(SEQUENCE)?;
    let mut signed = certificate.inner(SEQUENCE)?;
    if signed.0.first() == Some(&VERSION) {
        signed.next()?;
    }
    let (_serial, _algorithm) = (signed.next()?, signed.next()?);
    let issuer = signed.inner(SEQUENCE)?;
    let mut validity = signed.inner(SEQUENCE)?;
    let (_begins, (kind, ends)) = (validity.next()?, validity.next()?);
    Some(Certificate { issuer: name(issuer), ends: time(kind, ends)? })
}

/// DER that is still to be read.
#[derive(Clone, Copy)]
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    /// The next value: its tag and its content.
    fn next(&mut self) -> Option<(u8, &'a [u8])> {
        let (&[tag, short], rest) = self.0.split_first_chunk()?;
        let (length, rest) = match short {
            0..=0x7f => (usize::from(short), rest),
            0x81..=0x84 => {
                let (bytes, rest) = rest.split_at_checked(usize::from(short - 0x80))?;
                (bytes.iter().fold(0, |length, &byte| length << 8 | usize::from(byte)), rest)
            }
            _ => return None,
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, content))
    }

    /// What is inside the next value, which has this tag.
    fn inner(&mut self, tag: u8) -> Option<Self> {
        self.next().filter(|(found, _)| *found == tag).map(|(_, content)| Der(content))
    }
}

/// The common name, else the organisation, else nothing.
fn name(mut sets: Der<'_>) -> String {
    let mut found = [const { None }; NAMES.len()];
    while let Some((_, set)) = sets.next() {
        let Some(mut pair) = Der(set).inner(SEQUENCE) else { continue };
        let (Some((OBJECT_ID, id)), Some((_, value))) = (pair.next(), pair.next()) else { continue };
        if let Some(nth) = NAMES.iter().position(|name| *name == id) {
            found[nth] = Some(text::excerpt(&String::from_utf8_lossy(value), 60).into_owned());
        }
    }
    found.into_iter().flatten().next().unwrap_or_default()
}

/// `YYMMDDHHMMSSZ` up to 2049, `YYYYMMDDHHMMSSZ` after it.
fn time(kind: u8, bytes: &[u8]) -> Option<Timestamp> {
    let digits = std::str::from_utf8(bytes).ok()?.strip_suffix('Z')?;
    let digits = match kind {
        UTC_TIME if digits < "50" => format!("20{digits}"),
        UTC_TIME => format!("19{digits}"),
        GENERALIZED_TIME => digits.to_owned(),
        _ => return None,
    };
    let time = DateTime::strptime("%Y%m%d%H%M%S", digits).ok()?;
    TimeZone::UTC.to_timestamp(time).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(year: i32, name: &str) -> Vec<u8> {
        let mut params = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(rcgen::DnType::OrganizationName, "Its Makers");
        if !name.is_empty() {
            params.distinguished_name.push(rcgen::DnType::CommonName, name);
        }
        params.not_after = rcgen::date_time_ymd(year, 2, 28);
        params.self_signed(&rcgen::KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn issuer_and_end_are_read_in_both_forms_of_time() {
        for (year, name, issuer) in [(2031, "An Authority", "An Authority"), (2061, "", "Its Makers")] {
            let certificate = read(&made(year, name)).expect("a certificate");
            assert_eq!(certificate.issuer, issuer);
            assert_eq!(certificate.ends.to_string(), format!("{year}-02-28T00:00:00Z"));
        }
    }

    #[test]
    fn what_is_cut_or_no_certificate_gives_nothing_and_no_panic() {
        let whole = made(2031, "An Authority");
        for end in 0..whole.len() {
            assert_eq!(read(&whole[..end]), None);
        }
        for at in 0..200 {
            let mut broken = whole.clone();
            broken[at] ^= 0xff;
            read(&broken);
        }
        assert_eq!(read(b"-----BEGIN CERTIFICATE-----"), None);
    }
}
