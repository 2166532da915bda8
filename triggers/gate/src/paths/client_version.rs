//! Parsing and comparison of the version that a client program reports: a release or an API level.
//!
//! Programs report it in one of two fields. P4V sends the program name `P4V/NTX64/2019.2/1904275`
//! with the API level `v86` as its version; `p4` sends the version `2024.1/LINUX26X86_64/2611120`
//! (start lines of server logs, `[program/version]`). Some programs send only the level, some
//! neither.

use crate::base::text::number;
use std::cmp::Ordering;

/// The text of a program's name before the first slash and before the ` [PY3.11/P4PY2026.1/...]` that
/// P4Python appends to a script's name.
pub fn bare_name(prog: &[u8]) -> &[u8] {
    let name = prog.split(|byte| *byte == b'/').next().unwrap_or(prog);
    let bracket = name.windows(2).position(|two| two == b" [");
    name.get(..bracket.unwrap_or(name.len())).unwrap_or(name)
}

/// Only versions of the same kind can be compared.
#[derive(Clone, Copy, Debug)]
pub enum Version<'a> {
    /// Such as `2019.2` or `17.2.152.3804`.
    Release(&'a [u8]),
    /// Level of the API, such as `v86`.
    Level(&'a [u8]),
}

impl<'a> Version<'a> {
    /// None for a text that is not exactly a version.
    pub fn parse(text: &'a [u8]) -> Option<Self> {
        let version = release(text).or_else(|| level(text))?;
        (version.text() == text).then_some(version)
    }

    /// From the name or the version field; None if none is of the kind of `self`.
    pub fn reported_by(&self, prog: &'a [u8], version: Option<&'a [u8]>) -> Option<Version<'a>> {
        let parse_part = match self {
            Version::Release(_) => release,
            Version::Level(_) => level,
        };
        let behind_the_name = prog.split(|byte| *byte == b'/').skip(1);
        let version = version.unwrap_or_default().split(|byte| *byte == b'/');
        let mut parts = behind_the_name.chain(version);
        parts.find_map(parse_part)
    }

    /// As originally written, including the `v` of an API level.
    pub fn text(&self) -> &'a [u8] {
        let (Version::Release(text) | Version::Level(text)) = self;
        text
    }

    /// Missing numbers count as 0, so `2019.2` equals `2019.2.0`.
    pub fn compare(&self, other: &Version<'_>) -> Ordering {
        let (mut numbers, mut other_numbers) = (self.numbers(), other.numbers());
        loop {
            match (numbers.next(), other_numbers.next()) {
                (None, None) => return Ordering::Equal,
                (one, another) => match one.unwrap_or(0).cmp(&another.unwrap_or(0)) {
                    Ordering::Equal => {}
                    unequal => return unequal,
                },
            }
        }
    }

    fn numbers(&self) -> impl Iterator<Item = u64> + use<'a> {
        let text = self.text();
        text.strip_prefix(b"v").unwrap_or(text).split(|byte| *byte == b'.').filter_map(number)
    }
}

/// At least two numbers with dots, such as `2017.1` in `2017.1.SNAPSHOT`.
fn release(text: &[u8]) -> Option<Version<'_>> {
    let mut end = digits(text);
    let mut more = end;
    while more > 0 && text.get(end) == Some(&b'.') {
        more = digits(text.get(end + 1..)?);
        end += if more > 0 { more + 1 } else { 0 };
    }
    let numbers = text.get(..end).filter(|numbers| numbers.contains(&b'.'))?;
    numbers.split(|byte| *byte == b'.').all(|part| number(part).is_some()).then_some(())?;
    Some(Version::Release(numbers))
}

/// The API level at the start of a text, alone or before a blank: `v86` in `v86 (brokered)`.
fn level(text: &[u8]) -> Option<Version<'_>> {
    let end = 1 + digits(text.strip_prefix(b"v")?);
    let level = text.get(..end).filter(|_| text.get(end).is_none_or(u8::is_ascii_whitespace))?;
    number(level.get(1..)?).map(|_| Version::Level(level))
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn version_in<'a>(like: &'a str, prog: &'a str, version: Option<&'a str>) -> Option<&'a str> {
        let like = Version::parse(like.as_bytes())?;
        let version = like.reported_by(prog.as_bytes(), version.map(str::as_bytes))?;
        str::from_utf8(version.text()).ok()
    }

    #[test]
    fn the_version_is_read_from_prog_or_from_version() {
        let v86 = Some("v86");
        assert_eq!(version_in("1.0", "Helix P4V/NTX64/2019.2/1904275", v86), Some("2019.2"));
        assert_eq!(version_in("v1", "Helix P4V/NTX64/2019.2/1904275", v86), Some("v86"));
        assert_eq!(
            version_in("1.0", "p4", Some("2024.1.TEST/LINUX26X86_64/2611120")),
            Some("2024.1")
        );
        assert_eq!(version_in("1.0", "p4/2016.2/LINUX26X86_64/1598668", None), Some("2016.2"));
        assert_eq!(version_in("v1", "p4jobdt/v93 (brokered)", None), Some("v93"));
        assert_eq!(
            version_in("1.0", "Git Fusion/2017.1.SNAPSHOT/1778910 (2019/04/01)", v86),
            Some("2017.1")
        );
        assert_eq!(version_in("1.0", "P4VS", Some("17.2.152.3804")), Some("17.2.152.3804"));
    }

    #[test]
    fn text_without_a_version_gives_none() {
        for prog in ["Unity", "3DSMax", "x/NTX64/12", "x/.1", "x/1.", "99.1", "x/v", "x/v8x"] {
            assert_eq!(version_in("1.0", prog, Some("v86")), None, "{prog}");
        }
        assert_eq!(version_in("v1", "x/v8x", Some("2019.2")), None);
        assert_eq!(version_in("1.0", "x/99999999999999999999.1", None), None);
        for text in ["", "2019", "2019.", ".2", "v", "v8.6", "2019.2/1904275", "2019.2 ", "x1.0"] {
            assert!(Version::parse(text.as_bytes()).is_none(), "{text}");
        }
    }

    #[test]
    fn versions_are_compared_by_number() {
        let compared = |one: &'static str, other: &'static str| {
            let [one, other] = [one, other].map(|text| Version::parse(text.as_bytes()));
            one.zip(other).map(|(one, other)| one.compare(&other))
        };
        assert_eq!(compared("2008.1", "2019.2"), Some(Ordering::Less));
        assert_eq!(compared("99.2", "2001.1"), Some(Ordering::Less));
        assert_eq!(compared("2019.10", "2019.9"), Some(Ordering::Greater));
        assert_eq!(compared("2019.2.0", "2019.2"), Some(Ordering::Equal));
        assert_eq!(compared("2019.2", "2019.2.1"), Some(Ordering::Less));
        assert_eq!(compared("v9", "v86"), Some(Ordering::Less));
    }

    proptest! {
        #[test]
        fn a_version_read_from_any_bytes_equals_itself(prog: Vec<u8>, version: Option<Vec<u8>>) {
            for like in [Version::Release(b"1.0"), Version::Level(b"v1")] {
                let result = like.reported_by(&prog, version.as_deref());
                prop_assert!(result.is_none_or(|version| version.compare(&version) == Ordering::Equal));
            }
        }
    }
}
