//! For how long the commands of a log ran, for rules that limit how many run at once: a first reading
//! of the logs, because the verdict on a command's start depends on the ends of earlier ones.

use crate::record::command::Command;
use crate::record::request::Request;
use crate::record::sink::Sink;
use p4warden_gate::ask::judge::JudgedPolicy;
use p4warden_gate::paths::command_synonyms::resolve_name;
use p4warden_gate::rate::queue::Ends;
use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub struct Lapses {
    /// Main names of those that such a rule names.
    commands: BTreeSet<Vec<u8>>,
    /// In the order of their starts.
    ends: Vec<Ends>,
    next: usize,
}

impl Lapses {
    /// Of no command yet; None if no rule of the policies needs them.
    pub fn needed_by(policies: &[&JudgedPolicy<'_>]) -> Option<Self> {
        let rules = policies.iter().flat_map(|policy| &policy.rules);
        let commands =
            rules.filter(|(_, rules)| rules.need_the_end()).map(|(name, _)| name.clone());
        let commands: BTreeSet<_> = commands.collect();
        (!commands.is_empty()).then(|| Lapses { commands, ..Lapses::default() })
    }

    /// Of the next command of a second reading.
    pub fn of_next(&mut self, request: &Request) -> Ends {
        if !self.is_about(request) {
            return Ends::Unknown;
        }
        let ends = self.ends.get(self.next).copied().unwrap_or_default();
        self.next += 1;
        ends
    }

    fn is_about(&self, request: &Request) -> bool {
        let name = request.command().and_then(|name| name.strip_prefix(b"user-"));
        name.is_some_and(|name| self.commands.contains(resolve_name(name).main_name))
    }
}

impl Sink for Lapses {
    fn begin(&mut self, command: &mut Command) {
        if command.start_ns.is_some() && self.is_about(&command.request) {
            self.ends.push(Ends::Unknown);
            command.mark = self.ends.len() as u64;
        }
    }

    fn end_command(&mut self, command: &Command) {
        let index = usize::try_from(command.mark).ok().and_then(|mark| mark.checked_sub(1));
        let ends = index.and_then(|index| self.ends.get_mut(index));
        let lapse = command.end_ns().zip(command.start_ns);
        if let Some((ends, (end_ns, start_ns))) = ends.zip(lapse) {
            *ends = Ends::After(end_ns.saturating_sub(start_ns));
        }
    }
}
