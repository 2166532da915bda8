//! Tests that a rule accepts a view changed exactly as it proposes, and that the work for proposals is
//! bounded.

mod form_facts;

use p4warden_gate::event::form_event::{FormEvent, FormEventKind};
use p4warden_gate::facts::form_facts::FormFacts;
use p4warden_gate::facts::known_depots::{Depot, KnownDepots};
use p4warden_gate::forms::form_parser::parse;
use p4warden_gate::judge::accepted_lines::advise;
use p4warden_gate::judge::form_decision::judge;
use p4warden_gate::judge::form_policy::FormPolicy;
use p4warden_gate::judge::form_standing::standings;
use p4warden_gate::paths::view_words::words;
use p4warden_gate::policy::document::Policy;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Of these tests; below the parser's limit.
const MAX_FORM_BYTES: usize = 2_000_000;

#[derive(Clone, Debug, Default)]
struct Server {
    case_sensitive: bool,
    unicode: bool,
    depots: Vec<Depot>,
    used_directories: Vec<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq)]
struct Found {
    item: Vec<u8>,
    place: String,
    counted_things: String,
    problem: String,
    fix: Vec<String>,
    further_count: usize,
}

struct Judged {
    findings: Vec<Found>,
    lookups: usize,
}

fn judged(policy: &FormPolicy<'_>, form_type: &str, lines: &[String], server: &Server) -> Judged {
    let field = if form_type == "stream" { "Paths" } else { "View" };
    let rows: String = lines.iter().map(|line| format!("\t{line}\n")).collect();
    let text = format!("{field}:\n{rows}");
    let (day, lookups) = (String::new, Cell::new(0));
    let name: &[u8] = if form_type == "stream" { b"//a/ws" } else { b"ws" };
    let event = FormEvent {
        form_type: Some(form_type.as_bytes()),
        name: Some(name),
        form: Some(parse(text.as_bytes())),
        ..FormEvent::unknown(FormEventKind::Save, &day)
    };
    let used_directories = || {
        lookups.set(lookups.get() + 1);
        server.used_directories.clone()
    };
    let depots = KnownDepots::of(server.depots.clone());
    let facts = FormFacts {
        case_sensitive: server.case_sensitive,
        unicode: server.unicode,
        used_directories: &used_directories,
        ..form_facts::facts(&depots)
    };
    let standings = standings(policy, &event, facts.case_sensitive);
    let mut outcome = judge(&standings, &event, &facts, Some(100));
    advise(&mut outcome, &standings, &event, &facts);
    let findings = outcome.judgements.into_iter().flat_map(|judgement| judgement.findings);
    let findings = findings.map(|finding| Found {
        item: finding.item,
        place: finding.place,
        counted_things: finding.counted_things.to_owned(),
        problem: finding.problem,
        fix: finding.fix,
        further_count: finding.further.len(),
    });
    Judged { findings: findings.collect(), lookups: lookups.get() }
}

fn view_scope(settings: Value) -> FormPolicy<'static> {
    policy("limit_view_scope", settings)
}

fn policy(kind: &str, mut rule: Value) -> FormPolicy<'static> {
    let all = ["client", "stream", "branch", "label"];
    let of_all = [
        ("name", json!("r")),
        ("rule", json!(kind)),
        ("mode", json!("enforce")),
        ("forms", json!(all)),
    ];
    of_all.into_iter().for_each(|(name, value)| rule[name] = value);
    let document = json!({"format": 1, "digest": "", "contact": "admins", "rules": [rule]});
    FormPolicy::of(&Policy::read(document.to_string().leak().as_bytes()).unwrap()).unwrap()
}

fn server_of(depots: &[(&str, &[String])]) -> Server {
    let depots = depots.iter().map(|(name, directories)| Depot {
        name: name.as_bytes().to_vec(),
        kind: b"local".to_vec(),
        directories: Some(directories.iter().map(|name| name.as_bytes().to_vec()).collect()),
        directory_count: directories.len() as u64,
        streams: None,
        ..Depot::default()
    });
    Server { case_sensitive: true, depots: depots.collect(), ..Server::default() }
}

fn numbered(name: &str, count: usize) -> Vec<String> {
    (0..count).map(|number| format!("{name}{number}")).collect()
}

/// The view with all proposed lines in place of the refused ones, new names in place of placeholders,
/// and the items of lines that stay as they are.
fn applied(view: &[String], findings: &[Found]) -> (Vec<String>, BTreeSet<Vec<u8>>) {
    let mut fixes: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    for finding in findings {
        let number = finding.place.split_once("line ").and_then(|(_, rest)| {
            rest.split(',').next().and_then(|number| number.parse::<usize>().ok())
        });
        if let Some(number) = number {
            fixes.entry(number).or_default().extend(finding.fix.iter().map(|line| named(line)));
        }
    }
    let (mut lines, mut kept) = (Vec::new(), BTreeSet::new());
    for (number, line) in (1..).zip(view) {
        let mut own = fixes.get(&number).cloned().unwrap_or_default();
        own.dedup();
        if own.is_empty() {
            lines.push(line.clone());
            if fixes.contains_key(&number) {
                kept.insert(joined(line.as_bytes()));
            }
        }
        lines.append(&mut own);
    }
    (lines, kept)
}

fn named(line: &str) -> String {
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    let mut text = line.to_owned();
    for word in ["DIRECTORY", "DEPOT", "SHORT"] {
        let mut from = 0;
        while let Some(at) = text[from..].find(word).map(|at| from + at) {
            let (before, after) =
                (text[..at].chars().last(), text[at + word.len()..].chars().next());
            if is_edge(before) && is_edge(after) {
                text.replace_range(at..at + word.len(), "zz");
            }
            from = at + 1;
        }
    }
    text
}

fn joined(line: &[u8]) -> Vec<u8> {
    words(line).collect::<Vec<_>>().join(&b' ')
}

fn accepts_its_proposals(
    policy: &FormPolicy<'_>,
    form_type: &str,
    view: &[String],
    server: &Server,
) -> Result<(), TestCaseError> {
    let first = judged(policy, form_type, view, server).findings;
    let (view, kept) = applied(view, &first);
    let of_view = |found: &Found| match found.counted_things.as_str() {
        "" => String::from_utf8_lossy(&found.item).into_owned(),
        things => things.to_owned(),
    };
    let whole = first.iter().filter(|found| found.place == "The view").map(of_view);
    let whole: BTreeSet<String> = whole.collect();
    for found in judged(policy, form_type, &view, server).findings {
        if found.place == "The view" {
            prop_assert!(whole.contains(&of_view(&found)), "{view:#?} {found:?}");
        } else {
            prop_assert!(kept.contains(&joined(&found.item)), "{view:#?} {found:?}");
        }
    }
    Ok(())
}

fn names() -> impl Strategy<Value = &'static str> {
    select(
        &["a", "b", "c", "ab", "abc", "B", "my docs", "é", "DIRECTORY", "xxxxxxxxxxxxxxxxxxxx"][..],
    )
}

fn depot(name: &'static str) -> impl Strategy<Value = Depot> {
    let all = vec!["a", "b", "c", "ab", "abc", "B", "my docs", "é"];
    let directories = prop_oneof![
        3 => subsequence(all, 1..8).prop_map(|names| {
            Some(names.into_iter().map(|name| name.as_bytes().to_vec()).collect::<Vec<_>>())
        }),
        1 => Just(None),
    ];
    (directories, select(&["local", "stream", "spec"][..])).prop_map(move |(directories, kind)| {
        Depot {
            name: name.as_bytes().to_vec(),
            kind: kind.as_bytes().to_vec(),
            directory_count: directories.as_ref().map_or(5_000, Vec::len) as u64,
            directories,
            streams: None,
            ..Depot::default()
        }
    })
}

fn servers() -> impl Strategy<Value = Server> {
    let depots = (
        depot("a"),
        proptest::option::of(depot("b")),
        proptest::option::of(depot("ab")),
        proptest::option::of(depot("DEPOT")),
    );
    let part = prop_oneof![names().boxed(), Just("*").boxed()];
    let directory = (select(&["a", "b"][..]), proptest::collection::vec(part, 1..5))
        .prop_map(|(depot, parts)| format!("//{depot}/{}/", parts.join("/")).into_bytes());
    (any::<bool>(), any::<bool>(), depots, proptest::collection::vec(directory, 0..6)).prop_map(
        |(case_sensitive, unicode, (first, second, third, fourth), used_directories)| {
            let depots = [Some(first), second, third, fourth].into_iter().flatten().collect();
            Server { case_sensitive, unicode, depots, used_directories }
        },
    )
}

fn paths() -> impl Strategy<Value = String> {
    let wildcard = select(&["*", "...", "%%1", "a...", "a*", "*.c", "....c"][..]);
    let part = prop_oneof![names().boxed(), wildcard.boxed()];
    let odd = select(&["a", "", ".", "*", "......"][..]);
    let tail = prop_oneof![
        3 => Just("...".to_owned()),
        4 => proptest::collection::vec(part, 1..4).prop_map(|parts| parts.join("/")),
        1 => proptest::collection::vec(odd, 0..4).prop_map(|parts| parts.join("/")),
    ];
    let top = select(&["a", "a", "a", "b", "*", "...", "DEPOT"][..]);
    (top, tail).prop_map(|(top, tail)| format!("//{top}/{tail}"))
}

fn lines(form_type: &'static str) -> impl Strategy<Value = String> {
    (paths(), paths(), 0..6_usize, select(&["", "", "", "-"][..])).prop_map(
        move |(path, other, side, flag)| {
            let tail = path.splitn(4, '/').nth(3).unwrap_or_default();
            let side = match side {
                0 => tail.to_owned(),
                1 => path.trim_start_matches('/').to_owned(),
                2 => format!("c/{tail}"),
                3 => "...".to_owned(),
                4 => "c/...".to_owned(),
                _ => other,
            };
            let side = side.trim_start_matches('/');
            let words = match form_type {
                "client" => vec![format!("{flag}{path}"), format!("//ws/{side}")],
                "branch" => vec![format!("{flag}{path}"), format!("//{side}")],
                "label" => vec![format!("{flag}{path}")],
                _ => vec!["import".to_owned(), side.to_owned(), path],
            };
            words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" ")
        },
    )
}

fn views() -> impl Strategy<Value = (&'static str, Vec<String>)> {
    select(&["client", "branch", "label", "stream"][..]).prop_flat_map(|form_type| {
        proptest::collection::vec(lines(form_type), 1..7).prop_map(move |view| (form_type, view))
    })
}

fn limits() -> impl Strategy<Value = Value> {
    let depots = proptest::collection::btree_map(select(&["a", "b"][..]), 0_u64..4, 0..3);
    let share = proptest::option::of(select(&[0.1, 0.5, 0.8, 1.0][..]));
    (
        (0_u64..4, depots, share, 1_usize..5),
        (proptest::option::of(1_u64..10), proptest::option::of(0_u64..4)),
    )
        .prop_map(
            |((min_depth, depots, max_share, min_directories), (max_lines, max_embedded))| {
                json!({
                    "min_depth": min_depth, "depots": depots, "max_share": max_share,
                    "min_directories": min_directories, "max_lines": max_lines,
                    "max_embedded": max_embedded,
                })
            },
        )
}

proptest! {
    #[test]
    fn limit_view_scope_accepts_its_own_proposed_lines(
        settings in limits(),
        (form_type, view) in views(),
        server in servers(),
    ) {
        accepts_its_proposals(&view_scope(settings), form_type, &view, &server)?;
    }

    #[test]
    fn limit_path_length_accepts_its_own_proposed_lines(
        max_leading in 10_u64..40,
        of_depot in proptest::option::of(10_u64..40),
        (form_type, view) in views(),
        server in servers(),
    ) {
        let depots: BTreeMap<_, _> = of_depot.into_iter().map(|limit| ("a", limit)).collect();
        let settings = json!({"max_leading": max_leading, "depots": depots});
        let rule = policy("limit_path_length", settings);
        accepts_its_proposals(&rule, form_type, &view, &server)?;
    }
}

#[test]
fn work_for_many_wide_lines_on_a_large_server_is_bounded() {
    let (tops, rule) = (numbered("top", 100), view_scope(json!({})));
    let depots = numbered("d", 30);
    let depots: Vec<_> = depots.iter().map(|name| (name.as_str(), tops.as_slice())).collect();
    let server = server_of(&depots);
    let view = vec!["//... //ws/...".to_owned(); 20_000];
    let Judged { findings, lookups } = judged(&rule, "client", &view, &server);
    assert_eq!(findings.len(), 100);
    assert_eq!(lookups, 1);
    let (advised, others) = findings.split_at(6);
    assert!(advised.iter().all(|found| found.fix.len() == 6 && found.further_count == 24));
    assert!(others.iter().all(|found| found.fix.is_empty() && found.problem == advised[0].problem));
}

#[test]
fn hostile_lines_stay_within_the_effort_or_get_nothing() {
    let many = numbered("Dir", 1_000);
    let depots = numbered("Depot", 200);
    let depots: Vec<_> = depots.iter().map(|name| (name.as_str(), many.as_slice())).collect();
    let server = Server { case_sensitive: false, ..server_of(&depots) };
    let rule = view_scope(json!({"max_share": 0.8, "max_embedded": 50, "min_depth": 3}));
    for line in [
        "//*/Dir1/... //ws/*/Dir1/...".to_owned(),
        "//*/None/... //ws/*/None/...".to_owned(),
        "//*e*p*o*t*/... //ws/...".to_owned(),
        "//Depot1/*i*r*/... //ws/*i*r*/...".to_owned(),
        "//DEPOT/DIRECTORY/... //ws/...".to_owned(),
        format!("//*/{}... //ws/...", "a/".repeat(1_000)),
        format!("//Depot1/{}/... //ws/...", "*a".repeat(9)),
    ] {
        let count = 20_000.min(MAX_FORM_BYTES / line.len());
        let judged = judged(&rule, "client", &vec![line.clone(); count], &server);
        assert_eq!(judged.findings.len(), 100, "{line}");
        assert!(judged.findings.iter().skip(6).all(|found| found.fix.is_empty()), "{line}");
    }
}

#[test]
fn many_narrow_lines_on_a_large_server_are_allowed() {
    let many = numbered("Dir", 1_000);
    let depots = numbered("Depot", 200);
    let depots: Vec<_> = depots.iter().map(|name| (name.as_str(), many.as_slice())).collect();
    let server = Server { case_sensitive: false, ..server_of(&depots) };
    let rule = view_scope(json!({"max_share": 0.8}));
    let line = |number: usize| format!("//depot3/dir{0}/... //ws/{0}/...", number % 700);
    let view: Vec<_> = (0..20_000).map(line).collect();
    assert_eq!(judged(&rule, "client", &view, &server).findings, []);
}

#[test]
fn a_share_and_embedded_dots_leave_no_room_beyond_the_limit() {
    let server = server_of(&[("a", &numbered("top", 900))]);
    let rule = view_scope(json!({"max_embedded": 1}));
    let view = ["//a/.../x //ws/.../x".to_owned()];
    let findings = judged(&rule, "client", &view, &server).findings;
    assert_eq!((findings[0].fix.len(), findings[0].further_count), (1, 899));
}

#[test]
fn a_line_of_more_than_1000_bytes_gets_no_proposal() {
    let rule = view_scope(json!({}));
    for (bytes, lines) in [(1_000, 1), (1_001, 0)] {
        let (depot_path, root, tail) = ("//depot/*/...", "//ws/", "/*/...");
        let name = "x".repeat(bytes - depot_path.len() - root.len() - tail.len());
        let view = [format!("{depot_path} {root}{name}{tail}")];
        let findings = judged(&rule, "client", &view, &Server::default()).findings;
        assert_eq!(findings[0].fix.len(), lines, "{bytes}");
    }
}

#[test]
fn directories_in_use_are_looked_up_only_for_wide_lines() {
    let server = server_of(&[("a", &numbered("top", 9))]);
    let used_directories = vec![b"//a/top3/".to_vec(), b"//a/new/x/".to_vec()];
    let server = Server { used_directories, ..server };
    let rule = view_scope(json!({}));
    let judged = |line: &str| judged(&rule, "client", &[line.to_owned()], &server);
    let wide = judged("//a/... //ws/...");
    let fix = ["//a/top3/... //ws/top3/...", "//a/new/x/... //ws/new/x/..."];
    assert_eq!(wide.findings[0].fix, fix);
    assert_eq!((wide.findings[0].further_count, wide.lookups), (8, 1));
    assert_eq!(judged("//a/b/... //ws/...").lookups, 0);
    assert_eq!(judged("//a/b/... //ws/... more").lookups, 0);
}
