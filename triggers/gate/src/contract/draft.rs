//! Example events that a rule should stop; `judge` tries them to find a witness of the rule.

use crate::facts::known_depots::KnownDepots;
use serde_json::{Map, Value, json};

/// Of the client or other spec in a draft; unlike names on servers.
pub const CLIENT: &str = "p4warden-witness";
/// Directories below a depot.
pub const DEEP: &str = "p4warden/witness/of/a/deep/path";
const MAPPED_TYPES: [&[u8]; 2] = [b"local", b"stream"];

#[derive(Clone, Debug)]
pub struct Draft {
    /// Such as `a client that maps //depot/...`.
    pub description: String,
    /// Of an event for `judge`, without those of its sender.
    pub fields: Map<String, Value>,
    /// How often it is sent, one each millisecond; the rule should stop the last.
    pub times: u64,
    /// To which the sender must belong.
    pub groups: Vec<String>,
}

/// The server that a draft is for.
#[derive(Clone, Copy, Debug)]
pub struct Server<'f> {
    pub depots: &'f KnownDepots<'f>,
    pub case_sensitive: bool,
}

impl Draft {
    pub fn of_command(description: String, command: &str, path: &str) -> Self {
        let event = json!({"event": "command", "command": command, "args": [path]});
        Draft::new(description, event)
    }

    /// Each command with each of these arguments.
    pub fn of_each(commands: &[&str], arguments: &[Vec<String>]) -> Vec<Self> {
        let draft = |command: &str, args: &Vec<String>| {
            let description = format!("{command} {}", args.join(" "));
            Draft::new(description, json!({"event": "command", "command": command, "args": args}))
        };
        let of_command =
            |command: &&str| arguments.iter().map(|args| draft(command, args)).collect();
        commands.iter().flat_map::<Vec<_>, _>(of_command).collect()
    }

    pub fn of_form(description: String, event: &str, form_type: &str, form: String) -> Self {
        let name = name_of(form_type);
        let event = json!({"event": event, "type": form_type, "name": name, "form": form});
        Draft::new(description, event)
    }

    /// The saving of a form whose view has these depot paths.
    pub fn of_view(description: String, form_type: &str, paths: &[String]) -> Self {
        let root = if form_type == "client" { "Root:\t/nowhere\n\n" } else { "" };
        let field = if form_type == "stream" { "Paths" } else { "View" };
        let (first, rest) = form_type.split_at(form_type.len().min(1));
        let mut form = format!("{}{rest}:\t{}\n\n", first.to_ascii_uppercase(), name_of(form_type));
        form += &format!("{root}{field}:\n");
        for (number, path) in paths.iter().enumerate() {
            form += &format!("\t{}\n", view_line(form_type, path, number));
        }
        Draft::of_form(description, "form-save", form_type, form)
    }

    pub fn of_submit(description: String, path: &str) -> Self {
        let files = json!([{"action": "add", "path": path}]);
        Draft::new(description, json!({"event": "change-submit", "files": files}))
    }

    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.fields.insert(field.to_owned(), value.into());
        self
    }

    /// On a server with only these depots: the type of each, and its top directories.
    pub fn on_server_with(self, depots: &[(String, &str, Vec<String>)]) -> Self {
        let depot = |(name, kind, directories): &(String, &str, Vec<String>)| {
            (name.clone(), json!({"type": kind, "directories": directories}))
        };
        let depots: Map<String, Value> = depots.iter().map(depot).collect();
        self.with("facts", json!({"depots": depots}))
    }

    fn new(description: String, event: Value) -> Self {
        let fields = if let Value::Object(fields) = event { fields } else { Map::new() };
        Draft { description, fields, times: 1, groups: Vec::new() }
    }
}

impl Server<'_> {
    /// The local and stream depots, sorted, then those of `more`; else `depot`. A name that is not
    /// UTF-8 is left out.
    pub fn depot_names<'m>(&self, more: impl Iterator<Item = &'m str>) -> Vec<String> {
        let mapped = self.depots.all().iter().filter(|one| MAPPED_TYPES.contains(&&*one.kind));
        let mut names: Vec<String> =
            mapped.filter_map(|one| String::from_utf8(one.name.clone()).ok()).collect();
        names.sort();
        for name in more {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        if names.is_empty() { vec!["depot".to_owned()] } else { names }
    }

    pub fn first_depot(&self) -> String {
        self.depot_names(std::iter::empty()).swap_remove(0)
    }
}

/// `client` if the rule judges it, because a trial of a deploy saves clients.
pub fn form_to_draft(forms: &[String]) -> Option<&str> {
    let client = forms.iter().find(|form| *form == "client");
    client.or(forms.first()).map(String::as_str)
}

/// An example of a name that matches a pattern with `*` and `?`.
pub fn instance(pattern: &str) -> String {
    let name = pattern.replace('*', "").replace('?', "x");
    if name.is_empty() { "x".to_owned() } else { name }
}

/// Why a rule with a maximum stops no draft; `example` is a maximum to propose.
pub fn without_maximum(warns: bool, example: u32) -> String {
    let reason = if warns { "warn_from only observes" } else { "it has no limit" };
    format!("{reason} (write max, for example max: {example})")
}

fn name_of(form_type: &str) -> String {
    if form_type == "stream" { format!("//depot/{CLIENT}") } else { CLIENT.to_owned() }
}

fn view_line(form_type: &str, path: &str, number: usize) -> String {
    let below = path.trim_start_matches('/').split_once('/').map_or("", |(_, rest)| rest);
    match form_type {
        "client" => format!("{path} //{CLIENT}/{number}/{below}"),
        "branch" => format!("{path} //depot/{DEEP}/{number}/{below}"),
        "stream" => format!("import {number}/{below} {path}"),
        _ => path.to_owned(),
    }
}
