//! Tests of the room `forms` with the case files that the Python tests run as well, and of its
//! properties for random texts.

#[allow(dead_code)]
#[path = "../examples/oracle.rs"]
mod oracle;

use p4warden_gate::forms::crossings::{Line, crossings};
use p4warden_gate::forms::form_editor::with_lines;
use p4warden_gate::forms::form_parser::{MAX_FORM_BYTES, MAX_LINES, parse};
use p4warden_gate::paths::view_words::{Flag, joined_line, words};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::error::Error;
use std::fs;
use std::path::Path;

#[derive(Deserialize)]
struct Cases<'a> {
    #[serde(borrow)]
    cases: Vec<Case<'a>>,
}

#[derive(Deserialize)]
struct Case<'a> {
    name: String,
    #[serde(borrow)]
    question: &'a RawValue,
    #[serde(borrow)]
    answer: &'a RawValue,
}

#[test]
fn questions_about_forms_are_answered_as_in_the_cases() -> Result<(), Box<dyn Error>> {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/form_texts/texts.json");
    let text = fs::read(file)?;
    let document: Cases<'_> = serde_json::from_slice(&text)?;
    for case in document.cases {
        let answer = oracle::answer(&serde_json::from_str(case.question.get())?);
        assert_eq!(plain(&answer)?, plain(case.answer.get())?, "{}", case.name);
    }
    Ok(())
}

/// A JSON document in which surrogate escapes, which are no characters, are other text.
fn plain(json: &str) -> Result<Value, serde_json::Error> {
    serde_json::from_str(&json.replace("\\udc", "\\\\udc"))
}

#[test]
fn too_large_forms_are_refused() {
    let head = b"Client:\tws\nDescription:\n\t";
    let mut text = head.to_vec();
    text.resize(MAX_FORM_BYTES, b'x');
    assert!(parse(&text).is_ok());
    text.push(b'x');
    let problem = parse(&text).err();
    assert_eq!(problem.as_deref(), Some("is over 4 MiB; remove lines, or split it"));
    let lines = "\n".repeat(MAX_LINES - 2);
    assert!(parse(format!("A: b\n{lines}").as_bytes()).is_ok());
    let problem = parse(format!("A: b\n\n{lines}").as_bytes()).err();
    assert_eq!(problem.as_deref(), Some("has over 50,000 lines; remove lines, or split it"));
}

#[test]
fn the_work_for_a_view_is_bounded() {
    let paths: Vec<_> = (0..2_000).map(|number| format!("//d/*/{number}/...")).collect();
    let of = |path: &'_ String| Line {
        flag: Flag::Include,
        left: path.clone().into_bytes().into(),
        right: path.clone().into_bytes().into(),
    };
    let lines: Vec<Line<'_>> = paths.iter().map(of).collect();
    assert_eq!(crossings(&lines[..1_000], 0), Some(0));
    assert_eq!(crossings(&lines, u64::MAX), None);
    let deep = Line { left: "//d/*".repeat(500_000).into_bytes().into(), ..of(&"//d".to_owned()) };
    assert_eq!(crossings(&[deep.clone(), deep], u64::MAX), None);
}

proptest! {
    #[test]
    fn any_bytes_are_parsed_into_fields_or_a_problem(
        bytes: Vec<u8>,
        parts in prop::collection::vec(
            prop::sample::select(vec!["View:", "\n\t", "\n", "\"", "#", " ", "X:", "a", "\r\n"]), 0..40,
        ),
    ) {
        for text in [bytes, parts.concat().into_bytes()] {
            prop_assert!(parse(&text).map_or(true, |form| !form.fields.is_empty()));
        }
    }

    #[test]
    fn values_are_read_as_they_were_written(
        values in prop::collection::vec("[a-z/.*é]([a-z/. é]{0,8}[a-z/.*é])?", 1..9),
    ) {
        let text = format!("Client:\tws\nView:\n\t{}\n", values.join("\n\t"));
        let form = parse(text.as_bytes()).map_err(TestCaseError::fail)?;
        let read: Vec<_> = form.numbered_lines("view").collect();
        prop_assert_eq!(read, (1..).zip(values.iter().map(String::as_bytes)).collect::<Vec<_>>());
    }

    #[test]
    fn an_edited_form_has_the_new_values_and_its_other_fields(
        old in prop::collection::vec("[a-z#\" /.]{0,8}", 0..5),
        new in prop::collection::vec("[a-z/.*é]([a-z/. é]{0,8}[a-z/.*é])?", 1..5),
        spelling in prop::sample::select(vec!["View", "VIEW", "Map"]),
    ) {
        let text = format!("Client:\tws\nView:\n\t{}\nRoot:\t/r\n", old.join("\n\t"));
        if let Ok(form) = parse(text.as_bytes()) {
            let values: Vec<&[u8]> = new.iter().map(String::as_bytes).collect();
            let edited = with_lines(&form, spelling, &values, &["note"]).unwrap_or_default();
            let edited = parse(&edited).map_err(TestCaseError::fail)?;
            let field = spelling.to_ascii_lowercase();
            let read: Vec<&[u8]> = edited.numbered_lines(&field).map(|(_, line)| line).collect();
            prop_assert_eq!(read, values);
            for (name, lines) in form.fields.iter().filter(|(name, _)| ***name != *field.as_bytes()) {
                prop_assert_eq!(edited.fields.get(name), Some(lines));
            }
        }
    }

    #[test]
    fn a_joined_line_has_the_same_words(
        paths in prop::collection::vec("//[a-z#\" é*.]{1,6}(/[a-z#\" ]{1,4}){0,2}", 1..4),
    ) {
        let paths: Vec<&[u8]> = paths.iter().map(String::as_bytes).collect();
        if let Some(line) = joined_line(&paths, true) {
            prop_assert_eq!(words(line.as_bytes()).collect::<Vec<_>>(), paths);
        }
    }

    #[test]
    fn crossings_of_any_view_are_counted_without_a_panic(
        sides in prop::collection::vec(
            ("([ab/]|\\.{1,4}|\\*|%%[01]){0,12}", "([ab/]|\\.{3}|\\*){0,8}", 0_usize..4), 0..6,
        ),
    ) {
        let flags = [Flag::Include, Flag::Exclude, Flag::Overlay, Flag::Ditto];
        let of = |(left, right, flag): &(String, String, usize)| Line {
            flag: flags[*flag],
            left: left.clone().into_bytes().into(),
            right: right.clone().into_bytes().into(),
        };
        let lines: Vec<Line<'_>> = sides.iter().map(of).collect();
        if let Some(count) = crossings(&lines, u64::MAX) {
            prop_assert_eq!(crossings(&lines, count), Some(count));
            prop_assert_eq!(count.checked_sub(1).and_then(|less| crossings(&lines, less)), None);
        }
    }
}
