//! Rule `require_command_options`: refuses commands without options that the policy requires, and
//! with options that it forbids.
//!
//! A text of arguments may have several readings (`paths/command_line.rs`): the command is refused
//! if it breaks the rule in each, and unusual if it does in some.

mod breaches;
mod correction;
mod settings;

use crate::contract::command_rule::CommandRule;
use crate::contract::draft::{DEEP, Draft, Server};
use crate::contract::kind_of_rule::{KindOfRule, Reader, of_commands};
use crate::contract::readings::{OfReading, OfReadings};
use crate::contract::rule_result::RuleResult;
use crate::contract::too_many_arguments::judged_args;
use crate::event::command_event::Event;
use crate::paths::command_bounds::CommandBounds;
use crate::paths::command_line::CommandLine;
use breaches::Breach;
use settings::{Settings, remarks, shown};

pub const KIND: KindOfRule = KindOfRule {
    name: "require_command_options",
    summary: "a command lacks options that the policy requires, or has options that it forbids",
    events: &["command"],
    read: Reader::OfCommands(of_commands::<Settings>),
    remarks,
};

impl CommandRule for Settings {
    fn find<'e>(&'e self, event: &'e Event<'e>) -> RuleResult<'e> {
        let args = match judged_args(event) {
            Ok(args) => args,
            Err(result) => return *result,
        };
        let command = event.name.main_name;
        let options = CommandBounds::seeing(command, &self.letters());
        let line = CommandLine::read(&options, args);
        let mut readings = OfReadings::default();
        for reading in &line.readings {
            let breaches = self.breaches(event, &options, reading);
            if self.may_be_later(command, args, reading, &breaches) {
                readings.add(OfReading::Allowed);
            }
            readings.add(of_reading(breaches));
        }
        let has = self.has_in_any_reading(event, &options, args);
        if !has.is_empty() {
            readings.add(OfReading::Refused(has));
        }
        readings.result(|breaches| self.objection(event, breaches))
    }

    fn needed_options(&self, _: &[&[u8]]) -> Vec<&'static str> {
        vec!["args"]
    }

    /// Each command without options, and with those that are forbidden.
    fn drafts(&self, commands: &[&str], server: &Server<'_>) -> Vec<Draft> {
        let path = format!("//{}/{DEEP}/...", server.first_depot());
        let forbidden = self.forbidden.iter().map(|letter| vec![shown(letter.0), path.clone()]);
        let arguments: Vec<_> = std::iter::once(vec![path.clone()]).chain(forbidden).collect();
        Draft::of_each(commands, &arguments)
    }

    fn without_witness(&self, commands: &[&str]) -> String {
        format!("{} without options, and with those it forbids, is allowed", commands.join(", "))
    }
}

fn of_reading(breaches: Vec<Breach>) -> OfReading<Vec<Breach>> {
    if breaches.is_empty() { OfReading::Allowed } else { OfReading::Refused(breaches) }
}
