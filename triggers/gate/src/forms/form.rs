//! A spec form as fields.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Values of each field, by the field's name in lower case. A value has no indentation, comment or
/// line end; quotes are kept.
pub type Fields<'f> = BTreeMap<Cow<'f, [u8]>, Vec<Cow<'f, [u8]>>>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form<'f> {
    /// As written; empty if the form was made of fields.
    pub text: &'f [u8],
    pub fields: Fields<'f>,
    /// Of a client that the server has: its empty View stays empty (`t9809-git-p4-client-view.sh` of
    /// git: "client view with no mappings").
    pub is_of_existing_client: bool,
}

impl<'f> Form<'f> {
    /// The values of a field, named in lower case; empty if it is absent.
    pub fn lines(&self, field: &str) -> &[Cow<'f, [u8]>] {
        self.fields.get(field.as_bytes()).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether the field is present without a value.
    pub fn has_empty(&self, field: &str) -> bool {
        self.fields
            .get(field.as_bytes())
            .is_some_and(|values| values.iter().all(|it| it.is_empty()))
    }

    /// `lines` with their numbers, from 1.
    pub fn numbered_lines(&self, field: &str) -> impl Iterator<Item = (usize, &[u8])> {
        (1..).zip(self.lines(field).iter().map(|line| &**line))
    }

    /// The first value of a field that is not empty.
    pub fn value(&self, field: &str) -> Option<&[u8]> {
        self.lines(field).iter().map(|line| &**line).find(|line| !line.is_empty())
    }
}
