//! The client of a stream to make in place of one that maps files of a stream depot by its own view.
//!
//! From the latter, p4d lets nobody submit such files: it warns when they are opened (msgs/msgdm.cc
//! 553 of Perforce's C++ API). So its view lines serve to read files only.

use crate::base::patterns::is_same;
use crate::base::visible::visible_text;
use crate::facts::form_facts::FormFacts;
use crate::facts::known_depots::Depot;
use crate::paths::depot_path::{first_name, literal_start};
use crate::proposals::choice::is_plain;
use crate::proposals::narrowing::starts_with;
use crate::proposals::other_lines::overlap;
use crate::proposals::placeholders::{DIRECTORY, NAME, STREAM, before_placeholder};
use crate::proposals::program_words::{Remedy, words_of};

const MAX_DEPOTS: usize = 2;
const MAX_STREAM_BYTES: usize = 120;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamClient {
    pub depot: Vec<u8>,
    /// As `//depot/main`; `STREAM` if no name is known that can be copied.
    pub stream: String,
    pub is_only_stream: bool,
    pub has_limit_view: bool,
}

/// The first of each depot, in their order.
pub fn one_of_each_depot(all: impl IntoIterator<Item = StreamClient>) -> Vec<StreamClient> {
    let mut clients: Vec<StreamClient> = Vec::new();
    for client in all {
        if clients.iter().all(|one| one.depot != client.depot) {
            clients.push(client);
        }
    }
    clients
}

/// For the stream depots that a path may name. `used` are directories in use, the most used first.
pub fn stream_clients(path: &[u8], facts: &FormFacts<'_>, used: &[Vec<u8>]) -> Vec<StreamClient> {
    let case_sensitive = facts.case_sensitive;
    let before = before_placeholder(path);
    let literal = if before == path { literal_start(path) } else { &[before, b"/"].concat() };
    let is_near = |depot: &&Depot| {
        let root = [b"//", &*depot.name, b"/"].concat();
        depot.kind == b"stream"
            && depot.streams.as_ref().is_none_or(|streams| !streams.is_empty())
            && overlap(&root, literal, case_sensitive)
    };
    let depots = facts.depots.all().iter().filter(is_near).take(MAX_DEPOTS);
    depots.map(|depot| stream_client(depot, literal, facts, used)).collect()
}

fn stream_client(
    depot: &Depot,
    literal: &[u8],
    facts: &FormFacts<'_>,
    used: &[Vec<u8>],
) -> StreamClient {
    let streams = depot.streams.as_deref().unwrap_or_default();
    let names = streams.iter().filter_map(|stream| str::from_utf8(stream).ok());
    let names: Vec<&str> = names.filter(|name| can_be_copied(name, facts.unicode)).collect();
    let is_within = |name: &&&str, directory: &[u8]| {
        overlap(format!("{name}/").as_bytes(), directory, facts.case_sensitive)
    };
    let of_path = || names.iter().filter(|name| is_within(name, literal));
    let in_use = used.iter().find_map(|one| of_path().find(|name| is_within(name, one)));
    let beginning = || names.iter().find(|name| starts_with(name.as_bytes(), literal, true));
    let name = in_use.or_else(|| of_path().next()).or_else(beginning);
    StreamClient {
        depot: depot.name.clone(),
        stream: (*name.unwrap_or(&STREAM)).to_owned(),
        is_only_stream: streams.len() == 1 && name.is_some(),
        has_limit_view: facts.limit_view,
    }
}

fn can_be_copied(stream: &str, unicode: bool) -> bool {
    let name = stream.strip_prefix("//").unwrap_or_default();
    is_plain(name)
        && stream.len() <= MAX_STREAM_BYTES
        && visible_text(stream.as_bytes(), unicode) == stream
}

impl StreamClient {
    pub fn command(&self) -> String {
        format!("p4 client -S {} {NAME}", self.stream)
    }

    fn in_words(&self) -> &str {
        if self.stream == STREAM { "your stream" } else { &self.stream }
    }

    /// Whether a view line is for files of this depot.
    pub fn is_of(&self, line: &str) -> bool {
        let path = line.trim_start_matches(['"', '+', '&']);
        is_same(first_name(path.as_bytes()), &self.depot, false)
    }
}

/// The lines that tell how to change files of the depots; empty without one.
pub fn sentences(clients: &[StreamClient], prog: Option<&[u8]>) -> Vec<String> {
    let [first, ..] = clients else { return Vec::new() };
    let heading = "To change files in a stream depot, make a client of the stream, because submits \
                   from other clients are refused:";
    let menu = words_of(prog, Remedy::StreamClient);
    let make = clients.iter().map(|client| match menu {
        Some(words) => format!("  {}", words.replace(STREAM, client.in_words())),
        None => format!("  {}", client.command()),
    });
    let mut lines = vec![heading.to_owned()];
    lines.extend(make);
    lines.extend(menu.is_none().then(|| names(clients)));
    lines.push(smaller_part(first));
    lines
}

/// How a client of a stream maps less of it from now on, such as `part`; None if the stream's name
/// cannot be copied.
pub fn less_of(
    stream: &[u8],
    part: Option<&str>,
    has_limit_view: bool,
    unicode: bool,
) -> Option<String> {
    let stream = str::from_utf8(stream).ok().filter(|stream| can_be_copied(stream, unicode))?;
    let start = format!("To have only a part of stream {stream} from now on,");
    if !has_limit_view {
        return Some(format!("{start} ask its owner for a virtual stream."));
    }
    let example = part.map_or_else(|| format!("{stream}/{DIRECTORY}/..."), str::to_owned);
    Some(format!(
        "{start} name it in the LimitView of your client, such as {example} (the next sync removes \
         other files)"
    ))
}

fn names(clients: &[StreamClient]) -> String {
    let is_placeholder = clients.iter().any(|client| client.stream == STREAM);
    let stream = if is_placeholder { ", and a stream in place of STREAM" } else { "" };
    let put = format!("Put a new client's name in place of NAME{stream}");
    let listed = clients.iter().filter(|client| !client.is_only_stream);
    let depots = listed.filter_map(|client| str::from_utf8(&client.depot).ok());
    let paths = depots.filter(|name| is_plain(name)).map(|depot| format!(" \"//{depot}/...\""));
    match paths.collect::<String>() {
        paths if paths.is_empty() => format!("{put}."),
        paths => format!("{put}; this lists the streams: p4 streams{paths}"),
    }
}

fn smaller_part(client: &StreamClient) -> String {
    if client.has_limit_view {
        return format!(
            "To have only a part of the stream, name it in the LimitView of that client, such as \
             {}/{DIRECTORY}/...",
            client.stream
        );
    }
    "To have only a part of a stream, ask its owner for a virtual stream.".to_owned()
}
