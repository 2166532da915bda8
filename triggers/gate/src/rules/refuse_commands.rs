//! Rule `refuse_commands`: refuses commands outright; the site's `advice:` names the way to go.

use crate::contract::command_rule::CommandRule;
use crate::contract::draft::{DEEP, Draft, Server};
use crate::contract::finding::Finding;
use crate::contract::kind_of_rule::{KindOfRule, Reader, of_commands};
use crate::contract::named_commands::need_arguments;
use crate::contract::remarks::{Document, Remarks, text};
use crate::contract::rule_result::RuleResult;
use crate::event::command_event::Event;
use serde::Deserialize;

pub const KIND: KindOfRule = KindOfRule {
    name: "refuse_commands",
    summary: "a command that the policy does not allow",
    events: &["command"],
    read: Reader::OfCommands(of_commands::<Settings>),
    remarks,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {}

impl CommandRule for Settings {
    fn find<'e>(&'e self, event: &'e Event<'e>) -> RuleResult<'e> {
        Finding::of_command(event, KIND.summary, "is not allowed".to_owned()).into()
    }

    fn needed_options(&self, commands: &[&[u8]]) -> Vec<&'static str> {
        need_arguments(commands).then_some("args").into_iter().collect()
    }

    /// Each command on a narrow path.
    fn drafts(&self, commands: &[&str], server: &Server<'_>) -> Vec<Draft> {
        Draft::of_each(commands, &[vec![format!("//{}/{DEEP}/...", server.first_depot())]])
    }

    fn without_witness(&self, commands: &[&str]) -> String {
        format!("it names only commands that are never limited: {}", commands.join(", "))
    }
}

fn remarks(rule: &Document, to: &mut Remarks) {
    if text(rule, "advice").is_none() {
        let text = "does not say what to use instead (write advice: one to three lines)";
        to.doubt(&[], text);
    }
}
