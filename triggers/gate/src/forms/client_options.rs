//! A policy's demands on Options and other fields of a client form.
//!
//! The words of Options are those of p4 help client, by default `noallwrite noclobber nocompress
//! unlocked nomodtime normdir`, and since 2023.1 `noaltsync`.

use crate::base::patterns::matches;
use crate::forms::form::Form;
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

/// Options and field values that a policy demands of some clients; patterns match as in
/// `base/patterns.rs`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wish<'p> {
    /// At least one must match one of the user's groups. None for all users.
    pub groups: Option<Vec<&'p [u8]>>,
    /// For the form's Host field, which its user writes; None for all.
    pub hosts: Option<Vec<&'p [u8]>>,
    /// For the address that the command comes from; None for all.
    pub ips: Option<Vec<&'p [u8]>>,
    /// The demanded words of the Options field.
    pub options: Vec<&'p [u8]>,
    /// The demanded values of the fields of `Field::WITH_DEFAULTS`; None for any.
    pub submit_options: Option<&'p [u8]>,
    pub line_end: Option<&'p [u8]>,
    pub client_type: Option<&'p [u8]>,
}

/// Who saves or fetches a client's form.
#[derive(Clone, Debug)]
pub struct Origin<'e> {
    pub groups: &'e [&'e [u8]],
    pub ip: Option<&'e [u8]>,
    pub case_sensitive: bool,
}

impl Wish<'_> {
    /// Whether all conditions match.
    #[must_use]
    pub fn is_about(&self, form: &Form<'_>, origin: &Origin<'_>) -> bool {
        let one = |name: Option<&[u8]>, pattern: &[u8]| {
            name.is_some_and(|name| matches(pattern, name, origin.case_sensitive))
        };
        let meets = |patterns: &Option<Vec<&[u8]>>, name: Option<&[u8]>| {
            patterns.as_ref().is_none_or(|all| all.iter().any(|pattern| one(name, pattern)))
        };
        let has_group =
            |pattern: &&[u8]| origin.groups.iter().any(|group| one(Some(group), pattern));
        self.groups.as_ref().is_none_or(|patterns| patterns.iter().any(has_group))
            && meets(&self.hosts, form.value("host"))
            && meets(&self.ips, origin.ip)
    }
}

/// Values of a client form's fields that a policy may demand, in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Values<'f> {
    options: Vec<Cow<'f, [u8]>>,
    submit_options: Cow<'f, [u8]>,
    line_end: Cow<'f, [u8]>,
    client_type: Cow<'f, [u8]>,
}

/// The fields of a client's form that must change, each with its new value.
///
/// All wishes that apply to the client count; where two contradict each other, the later one wins.
/// Type is left out for an existing client, as p4d never changes it.
#[must_use]
pub fn wished(
    wishes: &[Wish<'_>],
    form: &Form<'_>,
    origin: &Origin<'_>,
    is_new: &dyn Fn() -> bool,
) -> Vec<(&'static str, Vec<u8>)> {
    let present = values(form);
    let mut wanted = present.clone();
    for wish in wishes.iter().filter(|wish| wish.is_about(form, origin)) {
        wanted.options = with_all(wanted.options, &wish.options);
        let demands = [
            (&mut wanted.submit_options, wish.submit_options),
            (&mut wanted.line_end, wish.line_end),
            (&mut wanted.client_type, wish.client_type),
        ];
        for (value, demanded) in demands {
            if let Some(demanded) = demanded {
                *value = demanded.to_vec().into();
            }
        }
    }
    let mut changes = Vec::new();
    if wanted.options != present.options {
        changes.push(("Options", wanted.options.join(&b' ')));
    }
    for (field, old, new) in [
        ("SubmitOptions", present.submit_options, wanted.submit_options),
        ("LineEnd", present.line_end, wanted.line_end),
        ("Type", present.client_type, wanted.client_type),
    ] {
        if old != new && (field != "Type" || is_new()) {
            changes.push((field, new.into_owned()));
        }
    }
    changes
}

/// The words of an Options field, changed so that all demanded words are there.
///
/// A word replaces its opposite. Without an opposite there, a missing word is appended unless it is
/// p4d's default.
#[must_use]
pub fn with_all<'f>(mut present: Vec<Cow<'f, [u8]>>, demanded: &[&[u8]]) -> Vec<Cow<'f, [u8]>> {
    for word in demanded {
        let opposite = opposite(word);
        let place = present.iter().position(|other| Some(&**other) == opposite);
        let is_missing = !present.iter().any(|other| other == word);
        if is_missing && (place.is_some() || !OFF.iter().any(|(off, _)| off == word)) {
            present.insert(place.unwrap_or(present.len()), word.to_vec().into());
        }
        present.retain(|other| Some(&**other) != opposite);
    }
    present
}

/// The word of opposite meaning; None for a word that is none of Options.
/// Whether a word of Options is the opposite of one that p4d assumes.
#[must_use]
pub fn is_on(word: &[u8]) -> bool {
    OFF.iter().any(|(_, on)| *on == word)
}

#[must_use]
pub fn opposite(word: &[u8]) -> Option<&'static [u8]> {
    OFF.iter().find_map(|(off, on)| match word {
        word if word == *off => Some(*on),
        word if word == *on => Some(*off),
        _ => None,
    })
}

/// The words of an Options field in lower case, as p4d compares them.
#[must_use]
pub fn words(options: &[u8]) -> Vec<Cow<'_, [u8]>> {
    let is_between =
        |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\x0b' | b'\x0c' | b'\r' | b'"');
    let words = options.split(is_between).filter(|word| !word.is_empty());
    words.map(|word| word.to_ascii_lowercase().into()).collect()
}

fn values<'f>(form: &'f Form<'_>) -> Values<'f> {
    let lower = |field, default: &'static [u8]| -> Cow<'f, [u8]> {
        form.value(field).unwrap_or(default).to_ascii_lowercase().into()
    };
    Values {
        options: words(form.value("options").unwrap_or_default()),
        submit_options: lower("submitoptions", b"submitunchanged"),
        line_end: lower("lineend", b"local"),
        client_type: lower("type", b"writeable"),
    }
}
