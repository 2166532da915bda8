//! A policy with the facts of the server whose commands it judges.

use crate::event::command_event::is_rescue;
use crate::facts::depots::Depots;
use crate::facts::document::FactsDocument;
use crate::judge::command_policy::{NamedRule, Rules};
use crate::judge::policy_problems::problems;
use crate::paths::command_synonyms::resolve_name;
use crate::policy::document::Policy;
use crate::policy::modes::Mode;
use std::collections::BTreeMap;

#[derive(Debug)]
pub struct JudgedPolicy<'t> {
    pub policy: Policy<'t>,
    pub facts: FactsDocument<'t>,
    /// By the main name of the command. A command that p4warden never limits, such as `login`, has
    /// none, even if rules name it.
    pub rules: BTreeMap<Vec<u8>, Rules<'t>>,
    /// As `rules`, about commands that run already.
    pub running: BTreeMap<Vec<u8>, Rules<'t>>,
}

impl<'t> JudgedPolicy<'t> {
    /// Reads every rule and exemption of a `policy.json`.
    pub fn read(text: &'t [u8], facts: FactsDocument<'t>) -> Result<Self, String> {
        JudgedPolicy::of(Policy::read(text)?, facts)
    }

    pub fn of(policy: Policy<'t>, facts: FactsDocument<'t>) -> Result<Self, String> {
        if let Some(problem) = problems(&policy).into_iter().next() {
            return Err(problem);
        }
        let (mut rules, mut running) = (BTreeMap::new(), BTreeMap::new());
        for named in NamedRule::all(&policy)? {
            for name in named.commands.iter().map(|name| resolve_name(name).main_name) {
                if !is_rescue(name) && !rules.contains_key(name) {
                    rules.insert(name.to_vec(), Rules::about(&policy, name)?);
                    running.insert(name.to_vec(), Rules::about_running(&policy, name)?);
                }
            }
        }
        Ok(JudgedPolicy { policy, facts, rules, running })
    }

    /// For all users, a rule of this name.
    pub fn enforce(&mut self, name: &str) {
        let of_commands = self.rules.values_mut().chain(self.running.values_mut());
        let rules = of_commands.flat_map(|rules| &mut rules.rules);
        rules.filter(|rule| rule.name == name).for_each(|rule| rule.mode = Mode::Enforce);
    }

    pub fn depots(&self) -> Option<Depots<'_>> {
        Depots::of(&self.facts.depots)
    }

    pub fn case_sensitive(&self) -> bool {
        self.facts.case_sensitive.unwrap_or(true)
    }
}
