//! A policy's demands on Options and other fields of a client form.
//!
//! The words of Options are those of p4 help client, by default `noallwrite noclobber nocompress
//! unlocked nomodtime normdir`, and since 2023.1 `noaltsync`.

use crate::base::addresses::{addresses_of, is_in};
use crate::base::patterns::matches;
use crate::forms::form::Form;
use serde::Deserialize;
use std::borrow::Cow;

/// The words that p4d assumes, each with the word of opposite meaning.
const OFF: [(&[u8], &[u8]); 7] = [
    (b"noallwrite", b"allwrite"),
    (b"noclobber", b"clobber"),
    (b"nocompress", b"compress"),
    (b"nomodtime", b"modtime"),
    (b"normdir", b"rmdir"),
    (b"noaltsync", b"altsync"),
    (b"unlocked", b"locked"),
];

/// Options and field values that a policy demands of some clients, as `policy.json` lists them;
/// patterns match as in `base/patterns.rs`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// At least one must match one of the user's groups. None for all users.
    pub groups: Option<Vec<String>>,
    /// For the form's Host field, which its user writes; None for all.
    pub hosts: Option<Vec<String>>,
    /// Addresses that the command may come from, patterns of them, or networks; None for all.
    pub ips: Option<Vec<String>>,
    /// The demanded words of the Options field.
    #[serde(default)]
    pub options: Vec<String>,
    submit_options: Option<String>,
    line_end: Option<String>,
    #[serde(rename = "type")]
    client_type: Option<String>,
}

/// Another field of a client form: its name, p4d's value for an absent one and another value, and the
/// value that a wish demands.
type Field = (&'static str, [&'static str; 2], fn(&Wish) -> Option<&String>);

pub const FIELDS: [Field; 3] = [
    ("SubmitOptions", ["submitunchanged", "leaveunchanged"], |wish| wish.submit_options.as_ref()),
    ("LineEnd", ["local", "unix"], |wish| wish.line_end.as_ref()),
    ("Type", ["writeable", "readonly"], |wish| wish.client_type.as_ref()),
];

/// Who saves or fetches a client's form.
#[derive(Clone, Debug)]
pub struct Origin<'e> {
    pub groups: &'e [&'e [u8]],
    pub ip: Option<&'e [u8]>,
    pub case_sensitive: bool,
}

impl Wish {
    /// Whether all conditions match.
    fn is_about(&self, form: &Form<'_>, origin: &Origin<'_>) -> bool {
        let meets = |patterns: &Option<Vec<String>>, names: &[&[u8]]| {
            let fits = |pattern: &String| {
                let matches = |name| matches(pattern.as_bytes(), name, origin.case_sensitive);
                names.iter().copied().any(matches)
            };
            patterns.as_ref().is_none_or(|all| all.iter().any(fits))
        };
        let comes_from = |entry: &String| {
            let mut addresses = origin.ip.into_iter().flat_map(addresses_of);
            addresses.any(|address| is_in(entry.as_bytes(), address))
        };
        meets(&self.groups, origin.groups)
            && meets(&self.hosts, form.value("host").as_slice())
            && self.ips.as_ref().is_none_or(|all| all.iter().any(comes_from))
    }
}

/// The fields of a client's form that must change, each with its new value.
///
/// All wishes that apply to the client count; where two contradict each other, the later one wins.
/// Type is left out for an existing client, as p4d never changes it.
pub fn wished(
    wishes: &[Wish],
    form: &Form<'_>,
    origin: &Origin<'_>,
    is_new: &dyn Fn() -> bool,
) -> Vec<(&'static str, Vec<u8>)> {
    let about: Vec<_> = wishes.iter().filter(|wish| wish.is_about(form, origin)).collect();
    let mut changes = Vec::new();
    let present = words(form.value("options").unwrap_or_default());
    let wanted = about.iter().fold(present.clone(), |words, wish| with_all(words, &wish.options));
    if wanted != present {
        changes.push(("Options", wanted.join(&b' ')));
    }
    for (field, [default, _], demand_of) in FIELDS {
        let present = form.value(&field.to_ascii_lowercase()).unwrap_or(default.as_bytes());
        let demanded = about.iter().rev().find_map(|wish| demand_of(wish));
        if let Some(demanded) = demanded
            && demanded.as_bytes() != present.to_ascii_lowercase()
            && (field != "Type" || is_new())
        {
            changes.push((field, demanded.clone().into_bytes()));
        }
    }
    changes
}

/// The words of an Options field, changed so that all demanded words are there.
///
/// A word replaces its opposite. Without an opposite there, a missing word is appended unless it is
/// p4d's default.
pub fn with_all<'f>(
    mut present: Vec<Cow<'f, [u8]>>,
    demanded: &[impl AsRef<[u8]>],
) -> Vec<Cow<'f, [u8]>> {
    for word in demanded.iter().map(AsRef::as_ref) {
        let opposite = opposite(word);
        let place = present.iter().position(|other| Some(&**other) == opposite);
        let is_missing = !present.iter().any(|other| &**other == word);
        if is_missing && (place.is_some() || !OFF.iter().any(|(off, _)| *off == word)) {
            present.insert(place.unwrap_or(present.len()), word.to_vec().into());
        }
        present.retain(|other| Some(&**other) != opposite);
    }
    present
}

/// Whether a word of Options is the opposite of one that p4d assumes.
pub fn is_on(word: &[u8]) -> bool {
    OFF.iter().any(|(_, on)| *on == word)
}

/// The word of opposite meaning; None for a word that is none of Options.
pub fn opposite(word: &[u8]) -> Option<&'static [u8]> {
    OFF.iter().find_map(|(off, on)| match word {
        word if word == *off => Some(*on),
        word if word == *on => Some(*off),
        _ => None,
    })
}

/// The words of an Options field in lower case, as p4d compares them.
pub fn words(options: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let is_between =
        |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\x0b' | b'\x0c' | b'\r' | b'"');
    let words = options.split(is_between).filter(|word| !word.is_empty());
    words.map(|word| word.to_ascii_lowercase().into()).collect()
}
