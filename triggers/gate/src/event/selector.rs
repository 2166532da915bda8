//! Comparison of an event with a selector. An unknown fact leaves a part of the selector undecided,
//! also where `not` turns it around.

use crate::base::addresses::{addresses_of, is_in};
use crate::base::patterns::matches;
use crate::base::text::decoded;
use crate::event::hours::{edges, in_words, includes};
use crate::policy::by_name::ByName;
use crate::policy::hours::Hours;
use crate::policy::selector::{Fields, Names, Selector};

/// Who sends an event, from where, to which server and when; None for an unknown fact.
#[derive(Clone, Copy)]
pub struct Sender<'e> {
    pub user: Option<&'e [u8]>,
    pub groups: Option<&'e [&'e [u8]]>,
    /// The client that it is sent from.
    pub client: Option<&'e [u8]>,
    /// That of a client form, which counts as well.
    pub described_client: Option<&'e [u8]>,
    pub ip: Option<&'e [u8]>,
    pub prog: Option<&'e [u8]>,
    pub server: Server<'e>,
    /// Since the Unix epoch.
    pub time_s: Option<i64>,
    pub day: &'e dyn Fn() -> String,
    pub case_sensitive: bool,
}

/// The server that p4d runs the trigger on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Server<'e> {
    pub id: Option<&'e [u8]>,
    /// Such as `commit-server`.
    pub services: Option<&'e [u8]>,
}

pub const GROUPS_UNKNOWN: &str = "groups-unknown";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    Yes,
    No,
    /// With the reason, as `judge` reports it.
    Unknown(&'static str),
}

impl Match {
    pub fn and(self, other: Match) -> Match {
        match (self, other) {
            (Match::No, _) | (_, Match::No) => Match::No,
            (Match::Yes, other) => other,
            (unknown, _) => unknown,
        }
    }

    pub fn or(self, other: Match) -> Match {
        self.negated().and(other.negated()).negated()
    }

    pub fn negated(self) -> Match {
        match self {
            Match::Yes => Match::No,
            Match::No => Match::Yes,
            Match::Unknown(_) => self,
        }
    }

    fn of(answer: Option<bool>, unknown: &'static str) -> Match {
        match answer {
            Some(true) => Match::Yes,
            Some(false) => Match::No,
            None => Match::Unknown(unknown),
        }
    }
}

pub fn compare(selector: &Selector<'_>, sender: &Sender<'_>) -> Match {
    let unreadable = Match::Unknown("selector-unreadable");
    selector.fields().map_or(unreadable, |fields| all_of(fields, sender))
}

/// Whether an event is of those that a rule with a selector is about; without one, and in the trial
/// run of a deploy, it always is.
pub fn is_about(selector: Option<&Selector<'_>>, is_trial: bool, sender: &Sender<'_>) -> Match {
    selector.filter(|_| !is_trial).map_or(Match::Yes, |one| compare(one, sender))
}

/// Of `compare`: one field of a selector, with the reason in words.
pub struct Part {
    pub field: &'static str,
    pub matches: Match,
    pub why: String,
}

pub fn parts(selector: &Selector<'_>, sender: &Sender<'_>) -> Vec<Part> {
    selector.fields().map(|fields| parts_of(fields, sender)).unwrap_or_default()
}

/// The first time after the sender's at which a selector that now matches no longer does, in words;
/// None if that is not a matter of hours.
pub fn end_in_words(selector: &Selector<'_>, sender: &Sender<'_>) -> Option<String> {
    let fields = selector.fields()?;
    let mut edges = edges_of(selector, sender.time_s?);
    edges.sort_unstable();
    let is_over =
        |edge_s: &i64| all_of(fields, &Sender { time_s: Some(*edge_s), ..*sender }) == Match::No;
    let end_s = edges.into_iter().find(is_over)?;
    time_in_words(selector, end_s)
}

/// The times after `time_s`, in the next eight days, at which a selector's hours begin or end.
pub fn edges_of(selector: &Selector<'_>, time_s: i64) -> Vec<i64> {
    let hours = selector.fields().map(hours_in).unwrap_or_default();
    hours.iter().flat_map(|one| edges(one, time_s)).collect()
}

/// In the time zone of a selector's first hours; None without hours.
pub fn time_in_words(selector: &Selector<'_>, time_s: i64) -> Option<String> {
    in_words(&hours_in(selector.fields()?).first()?.zone, time_s)
}

/// The first time zone of a selector's hours whose clock at a time the policy does not know.
pub fn unknown_zone<'s>(selector: &'s Selector<'_>, time_s: i64) -> Option<&'s str> {
    let hours = hours_in(selector.fields()?).into_iter();
    let unknown = hours.map(|one| &one.zone).find(|zone| zone.offset_s(time_s).is_none());
    unknown.map(|zone| zone.name.as_str())
}

fn hours_in(fields: &Fields) -> Vec<&Hours> {
    let classes = fields.classes.iter().flat_map(ByName::values);
    let inner = classes.chain(fields.not.as_deref());
    fields.hours.iter().flatten().chain(inner.flat_map(hours_in)).collect()
}

/// The values of an event that one field of a selector is compared with.
struct Values<'e> {
    known: Vec<&'e [u8]>,
    /// If one of them is.
    unknown: Option<&'static str>,
}

enum Condition<'f> {
    /// With the word for one value.
    Listed(&'static str, &'f [Vec<u8>]),
    Hours(&'f [Hours]),
    Classes(&'f ByName<Fields>),
    Not(&'f Fields),
}

/// The fields that are set, in the order in which they are compared.
fn conditions(fields: &Fields) -> impl Iterator<Item = (&'static str, Condition<'_>)> {
    fn listed<'f>(one: &'static str, entries: &'f Option<Names>) -> Option<Condition<'f>> {
        entries.as_deref().map(|entries| Condition::Listed(one, entries))
    }
    let conditions = [
        ("users", listed("user", &fields.users)),
        ("groups", listed("group", &fields.groups)),
        ("clients", listed("client", &fields.clients)),
        ("ips", listed("address", &fields.ips)),
        ("programs", listed("program", &fields.programs)),
        ("servers", listed("server", &fields.servers)),
        ("hours", fields.hours.as_deref().map(Condition::Hours)),
        ("classes", fields.classes.as_ref().map(Condition::Classes)),
        ("not", fields.not.as_deref().map(Condition::Not)),
    ];
    conditions.into_iter().filter_map(|(field, condition)| Some((field, condition?)))
}

fn all_of(fields: &Fields, sender: &Sender<'_>) -> Match {
    let mut all = Match::Yes;
    for (field, condition) in conditions(fields) {
        all = all.and(condition.compare(field, sender));
        if all == Match::No {
            break;
        }
    }
    all
}

fn parts_of(fields: &Fields, sender: &Sender<'_>) -> Vec<Part> {
    let part = |(field, condition): (&'static str, Condition<'_>)| {
        let matches = condition.compare(field, sender);
        Part { field, matches, why: condition.why(field, sender) }
    };
    conditions(fields).map(part).collect()
}

impl Condition<'_> {
    fn compare(&self, field: &str, sender: &Sender<'_>) -> Match {
        match self {
            Condition::Listed(_, entries) => {
                sender.values(field).compare(|value| sender.is_listed(field, value, entries))
            }
            Condition::Hours(hours) => {
                let is_in = |one: &Hours| includes(one, sender.time_s?);
                let each = hours.iter().map(|one| Match::of(is_in(one), "hours-unknown"));
                each.fold(Match::No, Match::or)
            }
            Condition::Classes(classes) => {
                classes.values().map(|class| all_of(class, sender)).fold(Match::No, Match::or)
            }
            Condition::Not(fields) => all_of(fields, sender).negated(),
        }
    }

    fn why(&self, field: &str, sender: &Sender<'_>) -> String {
        match self {
            Condition::Listed(one, entries) => {
                sender.values(field).why(one, |value| sender.is_listed(field, value, entries))
            }
            Condition::Hours(hours) => {
                let time = |zone| in_words(zone, sender.time_s?);
                match hours.first().and_then(|one| time(&one.zone)) {
                    Some(time) => format!("it is {time}"),
                    None => "the local time is unknown".to_owned(),
                }
            }
            Condition::Classes(classes) => {
                let class = |(name, fields): &(String, Fields)| {
                    format!("{name} ({})", all_in_words(fields, sender))
                };
                classes.0.iter().map(class).collect::<Vec<_>>().join("; ")
            }
            Condition::Not(fields) => all_in_words(fields, sender),
        }
    }
}

fn all_in_words(fields: &Fields, sender: &Sender<'_>) -> String {
    let parts = parts_of(fields, sender).into_iter();
    parts.map(|part| format!("{}: {}", part.field, part.why)).collect::<Vec<_>>().join(", ")
}

impl<'e> Sender<'e> {
    fn values(&self, field: &str) -> Values<'e> {
        match field {
            "users" => Values::of([self.user], "user-unknown"),
            "groups" => Values {
                known: self.groups.unwrap_or_default().to_vec(),
                unknown: self.groups.is_none().then_some(GROUPS_UNKNOWN),
            },
            "clients" => {
                let described = self.described_client.or(self.client);
                Values::of([self.client, described], "client-unknown")
            }
            "programs" => Values::of([self.prog], "program-unknown"),
            "servers" => Values::of([self.server.id, self.server.services], "server-unknown"),
            "ips" => {
                let known: Vec<_> = self.ip.into_iter().flat_map(addresses_of).collect();
                let unknown = known.is_empty().then_some("address-unknown");
                Values { known, unknown }
            }
            _ => Values::of([None], "selector-unreadable"),
        }
    }

    fn is_listed(&self, field: &str, value: &[u8], entries: &[Vec<u8>]) -> bool {
        entries.iter().any(|entry| match field {
            "ips" => is_in(entry, value),
            _ => matches(entry, value, self.case_sensitive),
        })
    }
}

impl<'e> Values<'e> {
    fn of<const N: usize>(values: [Option<&'e [u8]>; N], unknown: &'static str) -> Self {
        let is_one_unknown = values.contains(&None);
        let known = values.into_iter().flatten().collect();
        Values { known, unknown: is_one_unknown.then_some(unknown) }
    }

    fn compare(&self, is_one: impl Fn(&[u8]) -> bool) -> Match {
        match self.unknown {
            _ if self.known.iter().any(|value| is_one(value)) => Match::Yes,
            Some(unknown) => Match::Unknown(unknown),
            None => Match::No,
        }
    }

    fn why(&self, one: &str, is_one: impl Fn(&[u8]) -> bool) -> String {
        if let Some(value) = self.known.iter().find(|value| is_one(value)) {
            return format!("{} is one of them", decoded(value));
        }
        let mut shown = Vec::new();
        for name in self.known.iter().map(|name| decoded(name)).filter(|name| !name.is_empty()) {
            if !shown.contains(&name) {
                shown.push(name);
            }
        }
        match shown.as_slice() {
            [] => format!("the event has no {one}"),
            [name] => format!("{name} is none of them"),
            names => format!("none of {} is one of them", names.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(one: Match) -> u8 {
        match one {
            Match::No => 0,
            Match::Unknown(_) => 1,
            Match::Yes => 2,
        }
    }

    #[test]
    fn three_values_are_joined_as_by_kleene() {
        let all = [Match::No, Match::Unknown("why"), Match::Yes];
        for one in all {
            assert_eq!(number(one.negated()), 2 - number(one));
            for other in all {
                assert_eq!(number(one.and(other)), number(one).min(number(other)));
                assert_eq!(number(one.or(other)), number(one).max(number(other)));
            }
        }
    }

    fn names() -> impl Strategy<Value = Option<Names>> {
        let name = prop::sample::select(vec!["a", "b", "a*", "*"]);
        let names = prop::collection::vec(name.prop_map(|name| name.as_bytes().to_vec()), 1..3);
        prop::option::weighted(0.3, names)
    }

    fn fields() -> impl Strategy<Value = Fields> {
        let plain = (names(), names(), names(), names(), names()).prop_map(
            |(users, groups, clients, programs, servers)| Fields {
                users,
                groups,
                clients,
                programs,
                servers,
                ..Fields::default()
            },
        );
        plain.prop_recursive(2, 6, 2, |inner| {
            let not = prop::option::of(inner.clone().prop_map(Box::new));
            let class = ("[xy]", inner.clone());
            let classes = prop::option::of(prop::collection::vec(class, 1..3).prop_map(ByName));
            (inner, not, classes).prop_map(|(one, not, classes)| Fields { not, classes, ..one })
        })
    }

    proptest! {
        /// A decision without a fact stays the same when the fact is known.
        #[test]
        fn a_fact_more_changes_only_what_was_unknown(
            fields in fields(),
            values in prop::collection::vec(prop::sample::select(vec!["a", "b", "ab"]), 6),
            hidden in prop::collection::vec(any::<bool>(), 6),
        ) {
            let values: Vec<&[u8]> = values.iter().map(|value| value.as_bytes()).collect();
            let [user, group, client, prog, id, services] = values[..] else { return Ok(()) };
            let groups = [group];
            let known = Sender {
                user: Some(user),
                groups: Some(&groups),
                client: Some(client),
                described_client: None,
                ip: None,
                prog: Some(prog),
                server: Server { id: Some(id), services: Some(services) },
                time_s: None,
                day: &String::new,
                case_sensitive: true,
            };
            let seen = |index: usize| !hidden[index];
            let partly = Sender {
                user: known.user.filter(|_| seen(0)),
                groups: known.groups.filter(|_| seen(1)),
                client: known.client.filter(|_| seen(2)),
                prog: known.prog.filter(|_| seen(3)),
                server: Server {
                    id: known.server.id.filter(|_| seen(4)),
                    services: known.server.services.filter(|_| seen(5)),
                },
                ..known
            };
            let (whole, part) = (all_of(&fields, &known), all_of(&fields, &partly));
            prop_assert!(matches!(whole, Match::Yes | Match::No), "{:?}", whole);
            prop_assert!(part == whole || matches!(part, Match::Unknown(_)), "{:?} {:?}", part, whole);
        }
    }
}
