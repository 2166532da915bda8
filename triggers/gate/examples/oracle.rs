//! Answers questions about forms and trigger lines, so that the Python tests can compare the core with
//! the vendor's code: one JSON object per line in, one out. The name of a question is the value of `ask`.

use p4warden_gate::ask::judge::write_fields;
use p4warden_gate::base::json::quote_bytes;
use p4warden_gate::base::json_text::Text;
use p4warden_gate::event::arguments::Arguments;
use p4warden_gate::event::trigger_options::OPTIONS;
use p4warden_gate::forms::client_options::{with_all, words as option_words};
use p4warden_gate::forms::crossings::{Line, crossings};
use p4warden_gate::forms::depot_form::type_of;
use p4warden_gate::forms::form::Form;
use p4warden_gate::forms::form_editor::with_lines;
use p4warden_gate::forms::form_parser::parse;
use p4warden_gate::forms::leading_paths::{AddedPath, LeadingPath, of_depot, of_view};
use p4warden_gate::forms::new_client::is_new;
use p4warden_gate::forms::view_lines::{
    ViewLine, ViewType, adds_to_inherited, exclusions, include_count, is_of_stream, map_lines,
    view_lines,
};
use p4warden_gate::paths::depot_path::{first_wildcard, is_embedded, span};
use p4warden_gate::paths::view_words::{joined_line, split_flag, words};
use serde::Deserialize;
use std::error::Error;
use std::ffi::OsStr;
use std::io::{BufRead, Write, stdin, stdout};
use std::os::unix::ffi::OsStrExt;

#[derive(Deserialize)]
pub struct Question<'a> {
    ask: &'a str,
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default, rename = "type")]
    form_type: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    words: Vec<Text<'a>>,
    /// `[flag, left, right]` of each line of a view.
    #[serde(borrow, default)]
    lines: Vec<[Text<'a>; 3]>,
    #[serde(default)]
    most: u64,
    #[serde(default)]
    field: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut answers = stdout().lock();
    for line in stdin().lock().split(b'\n') {
        let line = line?;
        let mut answer = answer(&serde_json::from_slice(&line)?);
        answer.push('\n');
        answers.write_all(answer.as_bytes())?;
        answers.flush()?;
    }
    Ok(())
}

pub fn answer(question: &Question<'_>) -> String {
    match question.ask {
        "fields" => fields(&question.text),
        "form" => form(&question.text, &question.form_type, &question.name),
        "path" => path(&question.text),
        "words" => list(words(&question.text).map(quoted)),
        "line" => line(&question.words),
        "crossings" => crossings_of(&question.lines, question.most),
        "options" => options(&question.text, &question.words),
        "edit" => edit(question),
        "arguments" => arguments(&question.words),
        _ => "null".to_owned(),
    }
}

fn quoted(text: &[u8]) -> String {
    let mut json = String::new();
    quote_bytes(&mut json, text);
    json
}

fn list(parts: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", parts.into_iter().collect::<Vec<_>>().join(", "))
}

fn maybe(text: Option<impl AsRef<[u8]>>) -> String {
    text.map_or_else(|| "null".to_owned(), |text| quoted(text.as_ref()))
}

/// `[problem, fields]`.
fn fields(text: &[u8]) -> String {
    let form = parse(text);
    let problem = maybe(form.as_ref().err());
    let mut json = String::new();
    write_fields(&mut json, &form.unwrap_or_default());
    list([problem, json])
}

/// The facts about a form that rules use, all in one list.
fn form(text: &[u8], form_type: &[u8], name: &[u8]) -> String {
    let Ok(form) = parse(text) else { return "null".to_owned() };
    let Some(view_type) = ViewType::named(form_type) else { return of_depot_form(&form, name) };
    let lines = view_lines(&form, view_type);
    list([
        list(lines.iter().map(view_line)),
        list(of_view(&form, view_type, name).map(|path| match path {
            AddedPath::Path(path) => leading(&path),
            AddedPath::Malformed(line) => quoted(line.problem.as_bytes()),
        })),
        list(map_lines(&form, view_type).map(|(flag, left, right)| {
            list([quoted(flag.mark().as_bytes()), quoted(left), quoted(right)])
        })),
        list(exclusions(&form).map(|(number, path)| list([number.to_string(), quoted(path)]))),
        include_count(&form, view_type).to_string(),
        is_of_stream(&form).to_string(),
        adds_to_inherited(&form).to_string(),
        is_new(&form).to_string(),
    ])
}

fn of_depot_form(form: &Form<'_>, name: &[u8]) -> String {
    let paths = of_depot(form, name).map(|path| leading(&path));
    list([list(paths), quoted(&type_of(Some(form)))])
}

fn view_line(line: &ViewLine<'_>) -> String {
    match line {
        ViewLine::Malformed(line) => {
            let place = line.line.to_string();
            list([place.as_bytes(), line.text, line.problem.as_bytes()].map(quoted))
        }
        ViewLine::Path(line) => {
            let (place, flag) = (line.place(), line.flag.mark());
            let known = [place.as_bytes(), line.text, flag.as_bytes(), &line.path].map(quoted);
            let other = [maybe(line.client_path.as_ref()), maybe(line.other_path)];
            list(known.into_iter().chain(other))
        }
    }
}

fn leading(path: &LeadingPath<'_>) -> String {
    let place = path.place();
    let known = [&*path.item, place.as_bytes(), &path.path, path.depot()].map(quoted);
    let texts = [path.measured_part(), path.kind_word()].map(|text| quoted(text.as_bytes()));
    list(known.into_iter().chain([path.length_bytes().to_string()]).chain(texts))
}

/// `[depot, directories, exact]` or the problem, wildcards, and what else is known about a path.
fn path(path: &[u8]) -> String {
    let span = match span(path) {
        Err(error) => quoted(error.problem(path, true).as_bytes()),
        Ok(span) => {
            list([quoted(span.depot), list(span.names().map(quoted)), span.is_exact.to_string()])
        }
    };
    let wildcard =
        first_wildcard(path).map(|(start, end)| list([start, end].map(|n| n.to_string())));
    list([span, wildcard.unwrap_or_else(|| "null".to_owned()), is_embedded(path).to_string()])
}

fn line(words: &[Text<'_>]) -> String {
    let words: Vec<&[u8]> = words.iter().map(|word| &**word).collect();
    list([false, true].map(|unicode| maybe(joined_line(&words, unicode))))
}

/// Null for more than `most`.
fn crossings_of(lines: &[[Text<'_>; 3]], most: u64) -> String {
    let line = |[flag, left, right]: &[Text<'_>; 3]| Line {
        flag: split_flag(flag).0,
        left: left.to_vec().into(),
        right: right.to_vec().into(),
    };
    let lines: Vec<_> = lines.iter().map(line).collect();
    crossings(&lines, most).map_or_else(|| "null".to_owned(), |count| count.to_string())
}

fn options(options: &[u8], demanded: &[Text<'_>]) -> String {
    let demanded: Vec<&[u8]> = demanded.iter().map(|word| &**word).collect();
    quoted(&with_all(option_words(options), &demanded).join(&b' '))
}

fn edit(question: &Question<'_>) -> String {
    let values: Vec<&[u8]> = question.words.iter().map(|word| &**word).collect();
    let form = parse(&question.text).ok();
    let text = form.and_then(|form| with_lines(&form, &question.field, &values, &["note"]));
    maybe(text)
}

/// `[known form, tampered, options]` of the words that p4d passes from a trigger line.
fn arguments(words: &[Text<'_>]) -> String {
    let words: Vec<_> = words.iter().map(|word| OsStr::from_bytes(word).to_owned()).collect();
    let arguments = Arguments::parse(&words);
    let option = |name: &str| {
        let value = quoted(arguments.get(name)?);
        Some(list([quoted(name.as_bytes()), value]))
    };
    list([
        arguments.has_known_form.to_string(),
        arguments.is_tampered.to_string(),
        list(OPTIONS.iter().map(|(name, _)| name).filter_map(|name| option(name))),
    ])
}
