//! Remarks about a rule as the author of the policy wrote it.

use crate::base::addresses;
use serde_json::{Map, Value};

/// Each value may have any shape: another check reports a wrong one, and remarks skip it.
pub type Document = Map<String, Value>;

/// About the value at the end of a path of keys and indexes.
#[derive(Clone, Debug, PartialEq)]
pub struct Remark {
    pub path: Vec<Value>,
    /// The problem, usually with the correction in parentheses.
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Remarks {
    /// With one of these, the policy is not used.
    pub problems: Vec<Remark>,
    /// About values that are valid but probably not intended.
    pub doubts: Vec<Remark>,
    /// Before the paths of later remarks.
    start: Vec<Value>,
}

impl Remarks {
    /// Later remarks are about a part of this entry of a list.
    pub fn about(&mut self, list: &str, index: usize) {
        self.start = vec![list.into(), index.into()];
    }

    pub fn problem(&mut self, path: &[Value], text: impl Into<String>) {
        let remark = self.remark(path, text.into());
        self.problems.push(remark);
    }

    pub fn doubt(&mut self, path: &[Value], text: impl Into<String>) {
        let remark = self.remark(path, text.into());
        self.doubts.push(remark);
    }

    fn remark(&self, path: &[Value], text: String) -> Remark {
        Remark { path: [&self.start, path].concat(), text }
    }
}

/// About `ips` that match no address.
pub fn address_problems(path: &[Value], selector: &Document, to: &mut Remarks) {
    for (index, entry) in texts(selector, "ips") {
        if let Some(text) = addresses::problem(entry) {
            to.problem(&[path, &["ips".into(), index.into()]].concat(), text);
        }
    }
}

/// The entries of a list; none if the value is no list.
pub fn entries<'d>(document: &'d Document, key: &str) -> impl Iterator<Item = (usize, &'d Value)> {
    document.get(key).and_then(Value::as_array).into_iter().flatten().enumerate()
}

/// Those entries of a list that are mappings.
pub fn mappings<'d>(
    document: &'d Document,
    key: &str,
) -> impl Iterator<Item = (usize, &'d Document)> {
    entries(document, key).filter_map(|(index, entry)| Some((index, entry.as_object()?)))
}

/// Those entries of a list that are texts.
pub fn texts<'d>(document: &'d Document, key: &str) -> impl Iterator<Item = (usize, &'d str)> {
    entries(document, key).filter_map(|(index, entry)| Some((index, entry.as_str()?)))
}

/// None also for null.
pub fn value<'d>(document: &'d Document, key: &str) -> Option<&'d Value> {
    document.get(key).filter(|value| !value.is_null())
}

pub fn text<'d>(document: &'d Document, key: &str) -> Option<&'d str> {
    document.get(key).and_then(Value::as_str)
}
