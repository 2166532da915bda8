use p4warden_gate::paths::command_synonyms::{CommandName, contains_addition, resolve_name};
use std::collections::BTreeSet;

/// Commands named in a list; each name covers its synonyms.
#[derive(Debug)]
pub struct ListedCommands(BTreeSet<Vec<u8>>);

impl ListedCommands {
    /// `names` are separated by commas.
    pub fn of(names: &str) -> Self {
        ListedCommands(names.split(',').map(|name| name.as_bytes().to_vec()).collect())
    }

    /// As sent, or a name that covers it, as `sync` covers `flush`, and `flush` covers `sync -k`.
    pub fn name_of(&self, name: &[u8], args: &[u8]) -> Option<&[u8]> {
        let command_name = resolve_name(name);
        let covers = |listed: &&Vec<u8>| {
            let CommandName { main_name, addition } = resolve_name(listed);
            let has_addition = addition.is_empty() || addition == command_name.addition;
            main_name == command_name.main_name
                && (has_addition || contains_addition(args, addition))
        };
        self.0.get(name).or_else(|| self.0.iter().find(covers)).map(Vec::as_slice)
    }
}
