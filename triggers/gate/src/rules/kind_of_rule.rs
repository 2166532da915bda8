//! A kind of rule, as the programs that check and install a policy need it.

use crate::rules::remarks::{Document, Remarks};

pub struct KindOfRule {
    /// The rule's objection, a constant text.
    pub summary: &'static str,
    /// The events of trigger lines that rules of the kind may judge.
    pub events: &'static [&'static str],
    /// Saved forms, by type, that triggers record for the rule, because a command is judged by the
    /// form last saved.
    pub noted_forms: &'static [&'static str],
    pub remarks: fn(&Document, &mut Remarks),
}

pub fn no_remarks(_: &Document, _: &mut Remarks) {}
