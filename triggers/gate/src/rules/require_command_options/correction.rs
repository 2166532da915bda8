//! The refusal of a command: its breaches in words, and the command as it should be.

use super::KIND;
use super::breaches::Breach;
use super::settings::{Settings, shown};
use crate::contract::finding::{Amount, Finding, Fix};
use crate::contract::rule_result::{Allows, RuleResult};
use crate::event::command_event::Event;
use crate::paths::command_bounds::CommandBounds;
use crate::paths::command_line::CommandLine;
use crate::paths::command_options::options_of;
use crate::paths::option_words::without;
use crate::proposals::plain_arguments::plain_arguments;

/// Options that the synopsis of `p4 help sync` has in other lines than `-p`.
const NOT_WITH_P: &[u8] = b"fkrs";
const COST_OF_P: &str = "With -p the server does not record the files that you get: use it in a new, empty workspace that \
     you delete after the build, because the next sync -p copies every file again.";

impl Settings {
    pub fn objection<'e>(&'e self, event: &'e Event<'e>, breaches: Vec<Breach>) -> RuleResult<'e> {
        let problems: Vec<_> = breaches.iter().map(|breach| self.problem(*breach)).collect();
        let problem = problems.join(", and ");
        let max = || Amount::Number(self.max.unwrap_or(0));
        let (value, limit) = match breaches.first() {
            Some(Breach::Has(letter)) => (Amount::Text(shown(*letter)), Amount::Nothing),
            Some(Breach::Lacks(letter)) => (Amount::Nothing, Amount::Text(shown(*letter))),
            Some(Breach::IsAbove(most)) => (most.map_or(Amount::Nothing, Amount::Number), max()),
            Some(Breach::LacksNumber) => (Amount::Nothing, max()),
            None => (Amount::Nothing, Amount::Nothing),
        };
        let item = event.excerpt(event.command);
        let name = match event.name.addition {
            "" => item.clone(),
            addition => {
                format!("{item} is {} {addition}, which", event.excerpt(event.name.main_name))
            }
        };
        let finding = Finding {
            detail: format!("{name} {problem}"),
            value,
            limit,
            fix: Fix::Advice(self.advice(event, &breaches)),
            ..Finding::of_command(event, KIND.summary, problem)
        };
        RuleResult::from(finding).with(move |allows| self.fix(event, &breaches, allows))
    }

    fn fix(&self, event: &Event<'_>, breaches: &[Breach], allows: Allows<'_>) -> Fix {
        let advice = match self.corrected(event, breaches, allows) {
            Some(command) => format!("Send instead: p4 {command}"),
            None => self.advice(event, breaches),
        };
        let fix = Fix::Advice(advice);
        let lacks_p = event.name.main_name == b"sync" && breaches.contains(&Breach::Lacks(b'p'));
        if lacks_p { fix.and_then(COST_OF_P.to_owned()) } else { fix }
    }

    fn problem(&self, breach: Breach) -> String {
        match breach {
            Breach::Lacks(letter) => format!("must have the option {}", shown(letter)),
            Breach::LacksNumber | Breach::IsAbove(_) => {
                format!("must have the option -m with a number up to {}", self.max.unwrap_or(0))
            }
            Breach::Has(letter) => format!("must not have the option {}", shown(letter)),
        }
    }

    /// In words, for a command that cannot be shown or corrected.
    fn advice(&self, event: &Event<'_>, breaches: &[Breach]) -> String {
        let added = self.added(breaches);
        let name = event.excerpt(event.name.main_name);
        match added.is_empty() {
            true => "Leave the option out, or ask the contact below.".to_owned(),
            false => format!("Write the options first: p4 {name} {}", added.join(" ")),
        }
    }

    fn added(&self, breaches: &[Breach]) -> Vec<String> {
        let added = breaches.iter().filter_map(|breach| match breach {
            Breach::Lacks(letter) => Some(shown(*letter)),
            Breach::LacksNumber | Breach::IsAbove(_) => {
                Some(format!("-m {}", self.max.unwrap_or(0)))
            }
            Breach::Has(_) => None,
        });
        added.collect()
    }

    /// The user's own command as it should be, if it can be shown and the policy allows it.
    fn corrected(
        &self,
        event: &Event<'_>,
        breaches: &[Breach],
        allows: Allows<'_>,
    ) -> Option<String> {
        let is_unwanted = |letter: u8| {
            breaches.iter().any(|breach| match breach {
                Breach::Has(own) => *own == letter,
                Breach::IsAbove(_) => letter == b'm',
                Breach::Lacks(b'p') if event.name.main_name == b"sync" => {
                    NOT_WITH_P.contains(&letter)
                }
                Breach::Lacks(_) | Breach::LacksNumber => false,
            })
        };
        let added_by_name = event.name.addition.as_bytes().get(1).copied();
        // Without its option such a command, as flush, has another purpose.
        if added_by_name.is_some_and(|letter| breaches.contains(&Breach::Has(letter))) {
            return None;
        }
        let is_renamed = added_by_name.is_some_and(is_unwanted);
        let command = if is_renamed { event.name.main_name } else { event.command };
        let args = plain_arguments(event, event.args?)?;
        let bounds = CommandBounds::seeing(event.name.main_name, &[]);
        let line = CommandLine::read(&bounds, args.as_bytes());
        let start = line.readings.first().filter(|_| line.readings.len() == 1)?.words;
        let words: Vec<&str> = args.split_ascii_whitespace().collect();
        let (options, files) = words.split_at_checked(start.count_before())?;
        // A path with a blank looks like two words.
        if files.iter().skip(1).any(|file| !file.starts_with("//")) {
            return None;
        }
        let kept = without(&options_of(event.name.main_name), options, is_unwanted)?;
        let files = files.iter().map(|word| (*word).to_owned());
        let corrected: Vec<String> =
            self.added(breaches).into_iter().chain(kept).chain(files).collect();
        let corrected = corrected.join(" ");
        allows(corrected.as_bytes())
            .then(|| format!("{} {corrected}", event.excerpt(command)).trim_end().to_owned())
    }
}
