//! Rule `block_client_program`: objects to a command from a client program that the policy forbids,
//! or from a version of it that is too old.
//!
//! Users can choose the name that their program reports, so the rule stops only honest users.

use crate::base::json_text::Text;
use crate::base::patterns::matches;
use crate::base::text::printable;
use crate::base::visible::visible_text;
use crate::contract::command_rule::{CommandRule, ReadRule};
use crate::contract::draft::{DEEP, Draft, Server, instance};
use crate::contract::finding::{Amount, Finding, Fix};
use crate::contract::kind_of_rule::{KindOfRule, Reader};
use crate::contract::named_commands::need_arguments;
use crate::contract::remarks::{Document, Remarks, mappings, value};
use crate::contract::rule_result::RuleResult;
use crate::event::command_event::Event;
use crate::paths::client_version::{Version, bare_name};
use crate::policy::rule_fields::settings;
use serde::Deserialize;
use std::cmp::Ordering;

pub const KIND: KindOfRule = KindOfRule {
    name: "block_client_program",
    summary: "a blocked program sent a command",
    events: &["command"],
    read: Reader::OfCommands(read),
    remarks,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Programs<'a> {
    #[serde(borrow)]
    programs: Vec<Program<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program<'a> {
    /// A pattern.
    #[serde(borrow)]
    program: Text<'a>,
    /// Lowest version that is allowed; None if every version is blocked.
    #[serde(borrow, default)]
    below: Option<Text<'a>>,
    #[serde(borrow, default)]
    advice: Option<Text<'a>>,
}

impl CommandRule for Programs<'_> {
    /// The first entry under `programs:` that blocks the program gives the finding.
    fn find<'e>(&'e self, event: &'e Event<'e>) -> RuleResult<'e> {
        let Some(prog) = event.prog else {
            return RuleResult::unknown("program-unknown");
        };
        let mut unknown = None;
        for entry in self.programs.iter().filter(|entry| names_program(entry, prog, event)) {
            let Some(below) = entry.below.as_deref().and_then(Version::parse) else {
                return objection(entry, event, prog, None);
            };
            match below.reported_by(prog, event.version) {
                None => unknown = Some("version-unreadable"),
                Some(version) if version.compare(&below) == Ordering::Less => {
                    return objection(entry, event, prog, Some((version, below)));
                }
                Some(_) => {}
            }
        }
        RuleResult { unknown, ..RuleResult::default() }
    }

    fn needed_options(&self, commands: &[&[u8]]) -> Vec<&'static str> {
        let version = self.programs.iter().any(|entry| entry.below.is_some()).then_some("version");
        version.into_iter().chain(need_arguments(commands).then_some("args")).collect()
    }

    /// A command from each program: without a version, and with an old one.
    fn drafts(&self, commands: &[&str], server: &Server<'_>) -> Vec<Draft> {
        let Some(command) = commands.first() else { return Vec::new() };
        let path = format!("//{}/{DEEP}", server.first_depot());
        let draft = |prog: String| {
            let description = format!("{command} from {prog}");
            Draft::of_command(description, command, &path).with("prog", prog)
        };
        let of_program = |entry: &Program<'_>| {
            let name = instance(&String::from_utf8_lossy(&entry.program));
            let old = draft(format!("{name}/LINUX26X86_64/0.1/1")).with("version", "v1");
            [draft(name), old]
        };
        self.programs.iter().flat_map(of_program).collect()
    }

    fn without_witness(&self, _: &[&str]) -> String {
        "it allows programs of all its names (check program and below)".to_owned()
    }
}

fn read<'a>(_: &str, rule: &'a str) -> ReadRule<'a> {
    Ok(Box::new(settings::<Programs<'a>>(rule)?.checked()?))
}

impl Programs<'_> {
    fn checked(self) -> Result<Self, String> {
        let versions = self.programs.iter().filter_map(|entry| entry.below.as_ref());
        match versions.into_iter().find(|below| Version::parse(below).is_none()) {
            Some(below) => Err(format!("\"{}\" is not a version", printable(below))),
            None => Ok(self),
        }
    }
}

/// Whether a policy entry's pattern matches the client program's whole text or its bare name.
fn names_program(entry: &Program<'_>, prog: &[u8], event: &Event<'_>) -> bool {
    [prog, bare_name(prog)].iter().any(|name| matches(&entry.program, name, event.case_sensitive))
}

fn objection(
    entry: &Program<'_>,
    event: &Event<'_>,
    prog: &[u8],
    old: Option<(Version<'_>, Version<'_>)>,
) -> RuleResult<'static> {
    let text = |version: Version<'_>| printable(version.text());
    let old = old.map(|(version, below)| (text(version), text(below)));
    let (problem, otherwise) = match &old {
        None => (
            format!("may not send the command p4 {} to this server", event.excerpt(event.command)),
            "Use another program; ask the contact below which ones are allowed.".to_owned(),
        ),
        Some((version, below)) => (
            format!("is version {version}; this server requires version {below} or later"),
            format!("Install version {below} or later."),
        ),
    };
    let advice =
        entry.advice.as_ref().map_or(otherwise, |advice| visible_text(advice, event.unicode));
    let (value, limit) = old.map_or((Amount::Nothing, Amount::Nothing), |(version, below)| {
        (Amount::Text(version), Amount::Text(below))
    });
    let finding = Finding::about(KIND.summary, "Program", event.excerpt(prog), problem);
    RuleResult::from(Finding { value, limit, fix: Fix::Advice(advice), ..finding })
}

fn remarks(rule: &Document, to: &mut Remarks) {
    for (index, entry) in mappings(rule, "programs") {
        let keys = |entry| ["program", "below"].map(|key| value(entry, key));
        let mut earlier = mappings(rule, "programs").take_while(|(other, _)| *other < index);
        if let Some((earlier, _)) = earlier.find(|(_, other)| keys(other) == keys(entry)) {
            let text = format!("is the same as programs[{earlier}] (keep one)");
            to.problem(&["programs".into(), index.into()], text);
        }
    }
}
