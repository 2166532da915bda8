//! The settings of the rule, and problems in them.

use crate::contract::remarks::{Document, Remarks, texts, value};
use crate::paths::command_options::options_of;
use crate::paths::command_synonyms::resolve_name;
use serde::Deserialize;

/// Options with which a sync copies no files: a preview, the preview of its network traffic, and
/// the writing of have records alone (`p4 help sync`).
pub const COPIES_NOTHING: &[u8] = b"nNk";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    #[serde(default)]
    pub required: Vec<Letter>,
    #[serde(default)]
    pub forbidden: Vec<Letter>,
    /// The largest number that `-m`, which is then required, may have.
    pub max: Option<u64>,
}

/// Such as `-p` in the policy.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Letter(pub u8);

impl TryFrom<String> for Letter {
    type Error = String;

    fn try_from(option: String) -> Result<Self, String> {
        match option.as_bytes() {
            [b'-', letter] if letter.is_ascii_alphanumeric() => Ok(Letter(*letter)),
            _ => Err(format!("{option:?} is not an option of one letter")),
        }
    }
}

impl Settings {
    pub fn letters(&self) -> Vec<u8> {
        let own = self.required.iter().chain(&self.forbidden).map(|letter| letter.0);
        own.chain(COPIES_NOTHING.iter().copied()).chain([b'm']).collect()
    }
}

pub fn shown(letter: u8) -> String {
    format!("-{}", char::from(letter))
}

pub fn remarks(rule: &Document, to: &mut Remarks) {
    let of_list = |key: &'static str| {
        let letter = move |(index, option): (usize, &str)| {
            Some((key, vec![key.into(), index.into()], *option.as_bytes().get(1)?))
        };
        texts(rule, key).filter_map(letter)
    };
    let max = value(rule, "max").map(|_| ("max", vec!["max".into()], b'm'));
    let letters: Vec<_> = of_list("required").chain(of_list("forbidden")).chain(max).collect();
    if letters.is_empty() {
        to.problem(&[], "asks for nothing (write required, forbidden or max)");
    }
    for (key, path, letter) in &letters {
        let mut names = texts(rule, "commands").map(|(_, name)| name);
        if let Some(text) = names.find_map(|name| option_problem(name, *letter, key)) {
            to.problem(path, text);
        }
        let mut required = letters.iter().filter(|(key, ..)| *key != "forbidden");
        if *key == "forbidden" && required.any(|(_, _, other)| other == letter) {
            to.problem(path, format!("{} is required as well (keep one)", shown(*letter)));
        }
    }
    cost_of_p(rule, to);
}

fn option_problem(name: &str, letter: u8, key: &str) -> Option<String> {
    let main = resolve_name(name.as_bytes()).main_name;
    let options = options_of(main);
    if options.all().next().is_none() {
        return Some(format!("{name} has no options that p4warden knows (remove {name})"));
    }
    if !options.has(letter) {
        return Some(format!("{name} has no option {} (p4 help {name} lists them)", shown(letter)));
    }
    let needs_value = options.kind(letter).is_some();
    (needs_value && key == "required").then(|| match letter {
        b'm' => "-m needs a number (write max: 1000 instead)".to_owned(),
        _ => format!("{} needs a value, which no rule can choose (remove it)", shown(letter)),
    })
}

fn cost_of_p(rule: &Document, to: &mut Remarks) {
    let is_of_sync = |(_, name): (usize, &str)| resolve_name(name.as_bytes()).main_name == b"sync";
    let p = texts(rule, "required").find(|(_, option)| *option == "-p");
    let p = p.filter(|_| !rule.contains_key("for"));
    if let Some((index, _)) = p.filter(|_| texts(rule, "commands").any(is_of_sync)) {
        let text = "sync -p writes no have records: every sync copies all files again, and a \
            workspace that lasts cannot be brought up to date (for new, empty workspaces of builds \
            only)";
        to.doubt(&["required".into(), index.into()], text);
    }
}
