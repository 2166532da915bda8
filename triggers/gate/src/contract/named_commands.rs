//! The commands that a rule names.

use crate::contract::remarks::{Document, Remarks, texts};
use crate::event::command_event::is_rescue;
use crate::paths::command_synonyms::{CommandName, names_of, resolve_name};

const KEY: &str = "commands";

pub fn rescue_problems(rule: &Document, to: &mut Remarks) {
    for (index, name) in texts(rule, KEY).filter(|(_, name)| is_rescue(name.as_bytes())) {
        let text = format!("{name} is a rescue command, which is never limited (remove it)");
        to.problem(&[KEY.into(), index.into()], text);
    }
}

/// About synonyms whose addition makes them: if p4d passes the main command, the rule may not
/// recognize every use.
pub fn synonym_doubts(rule: &Document, to: &mut Remarks) {
    for (index, name) in texts(rule, KEY) {
        let CommandName { main_name, addition } = resolve_name(name.as_bytes());
        let main = str::from_utf8(main_name).unwrap_or_default();
        if !addition.is_empty() && texts(rule, KEY).all(|(_, other)| other != main) {
            let text = format!(
                "{name} is {main} {addition}, and a server may pass it as {main} (add {main} to be \
                 sure of every {name})"
            );
            to.doubt(&[KEY.into(), index.into()], text);
        }
    }
}

/// Every name of each command, because p4d may fire triggers for any of them.
pub fn all_names<'n>(commands: impl Iterator<Item = &'n [u8]>) -> Vec<&'n [u8]> {
    let mut names: Vec<&[u8]> = Vec::new();
    for command in commands {
        let main = resolve_name(command).main_name;
        for name in std::iter::once(command).chain(names_of(main)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// Whether only a command's arguments tell it from others of its main name.
pub fn need_arguments(commands: &[&[u8]]) -> bool {
    commands.iter().any(|command| !resolve_name(command).addition.is_empty())
}
