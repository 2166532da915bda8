use p4warden_log::parse::structured::{Assembly, StructuredLog};
use p4warden_log::parse::text::{Detail, TextLog};
use p4warden_log::record::command::{Command, Trigger};
use p4warden_log::record::request::MAX_BYTES;
use p4warden_log::record::sink::{Event, EventKind, File, Sink};
use p4warden_log::source::log_files::{LogFile, sorted_logs};
use p4warden_log::source::reader::Reader;
use std::error::Error;

const HEADER: &str = "Perforce server info:";
const TEXT_START: &str = "\t2026/03/02 12:00:00 pid 7 ann@ws 1.2.3.4 [p4/v93] 'user-sync";
const START: &str = "0.49,1772452800,0,x,5,1,ann,ws,user-fstat,1.2.3.4,p4,v93,-s";
const ERROR: &str = "4.49,1772452800,0,x,5,1,ann,ws,user-fstat,1.2.3.4,p4,v93,-s,failed";
const END: &str = "2.49,1772452801,0,x,5,1,ann,ws,user-fstat,1.2.3.4,p4,v93,-s,1s,maxscan";

#[derive(Default)]
struct Records {
    ends: Vec<String>,
    errors: Vec<Vec<u8>>,
    runs: Vec<Trigger>,
    ident: Vec<u8>,
    events: Vec<Vec<u8>>,
    operations: Vec<Vec<u8>>,
    files: Vec<(u32, Option<String>)>,
}

impl Sink for Records {
    fn end_command(&mut self, command: &Command) {
        let triggers: Vec<_> =
            command.triggers.iter().map(|run| String::from_utf8_lossy(&run.name)).collect();
        let (is_cut, has_died) = (command.request.is_cut, command.has_died);
        self.ends.push(format!("cut {is_cut}, died {has_died}, triggers {triggers:?}"));
        self.errors.clone_from(&command.errors);
        self.runs.clone_from(&command.triggers);
        self.ident.clone_from(&command.ident);
    }

    fn event(&mut self, event: &Event<'_>) {
        if let EventKind::Error { operation, text } = event.kind {
            self.events.push(text.to_vec());
            self.operations.push(operation.to_vec());
        }
    }

    fn file(&mut self, file: &File<'_>) {
        self.files.push((file.number, file.problem.map(str::to_owned)));
    }
}

fn text_log(lines: &[&str]) -> Records {
    let (mut log, mut output) =
        (TextLog::new(tz::TimeZone::utc(), Detail::Full), Records::default());
    lines.iter().for_each(|line| log.line(line.as_bytes(), &mut output));
    log.finish(&mut output);
    output
}

fn structured_log(lines: &[&str]) -> Records {
    let (mut log, mut output) = (StructuredLog::default(), Records::default());
    let mut assembly = Assembly::default();
    lines.iter().for_each(|line| log.line(0, &mut assembly, line.as_bytes(), &mut output));
    log.finish(&mut output);
    output
}

#[test]
fn the_last_line_of_a_start_line_beyond_the_limit_is_understood() {
    let argument = "a".repeat(MAX_BYTES);
    let start =
        format!("\t2026/03/02 12:00:00 pid 7 ann@ws 1.2.3.4 [p4/v93] 'user-sync {argument}");
    let of = |end: &str, next: &str| text_log(&[HEADER, &start, "two", end, next]).ends;
    let trigger = ["cut true, died false, triggers [\"lint\"]"];
    assert_eq!(of("three' trigger lint", "lapse .1s"), trigger);
    let died = "three' exited unexpectedly, removed from monitor table.";
    let open = format!("{start}'");
    let output = text_log(&[HEADER, &open, HEADER, &start, "two", died]);
    assert_eq!(output.ends, ["cut true, died true, triggers []"]);
    let next = "\t2026/03/02 12:00:01 pid 8 bob@ws 1.2.3.4 [p4/v93] 'user-info'";
    let complete_command = "cut false, died false, triggers []";
    assert_eq!(of("three'", next), ["cut true, died false, triggers []", complete_command]);
}

#[test]
fn the_text_of_an_error_block_without_an_operation_is_limited() {
    let line = format!("\t{}", "a".repeat(1_000));
    let mut lines = vec!["Perforce server error:", "\tPid 7", "\tone", "\ttwo"];
    lines.extend([&*line; 100]);
    let events = text_log(&lines).events;
    assert_eq!(events.iter().map(Vec::len).collect::<Vec<_>>(), [4 << 10]);
    assert!(events.iter().all(|text| text.starts_with(b"one\ntwo\naaa")));
}

#[test]
fn the_operation_of_an_error_block_is_limited() {
    let operation = format!("\tOperation: {}", "a".repeat(600));
    let output = text_log(&["Perforce server error:", "\tPid 7", &operation, "\tone"]);
    assert_eq!(output.operations, ["a".repeat(512).into_bytes()]);
    assert_eq!(output.events, [b"one"]);
}

#[test]
fn the_number_of_errors_is_limited_and_the_reason_of_the_end_is_kept() {
    let mut lines = vec![START];
    lines.extend([ERROR; 70]);
    lines.extend([END; 5]);
    let output = structured_log(&lines);
    assert_eq!(output.errors.len(), 64);
    assert_eq!(output.errors.last().map(Vec::as_slice), Some(&b"maxscan"[..]));
}

#[test]
fn the_texts_of_structured_errors_are_limited() {
    let text = "a".repeat(5_000);
    let error = ERROR.replace("failed", &text);
    let end = END.replace("maxscan", &text);
    let lengths = |texts: &[Vec<u8>]| texts.iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(lengths(&structured_log(&[START, &error, &end]).errors), [4 << 10, 4 << 10]);
    assert_eq!(lengths(&structured_log(&[&error]).events), [4 << 10]);
}

#[test]
fn the_number_of_trigger_runs_and_the_length_of_their_names_are_limited() {
    let name = "a".repeat(600);
    let block = [HEADER, &format!("{TEXT_START}' trigger {name}"), "lapse .1s"];
    let record = format!("11.49,1772452800,0,x,5,1,ann,ws,user-fstat,1.2.3.4,p4,v93,-s,{name},.1s");
    let mut records = vec![START];
    records.extend([&*record; 16_400]);
    for output in [text_log(&block.repeat(16_400)), structured_log(&records)] {
        assert_eq!(output.runs.len(), 16_384);
        let run = Trigger { name: b"a".repeat(512), lapse_ns: Some(100_000_000) };
        assert!(output.runs.iter().all(|other| *other == run));
    }
}

#[test]
fn the_length_of_an_identifier_is_limited() {
    let ident = "a".repeat(600);
    let start = START.replace("0.49", "0.50").replace(",5,1,", &format!(",5,{ident},,1,"));
    assert_eq!(structured_log(&[&start]).ident.len(), 512);
}

#[test]
fn every_log_of_a_merge_is_reported_even_if_it_cannot_be_opened() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let names = ["removed", "emptied", "read"];
    let paths = names.map(|name| folder.path().join(name).to_string_lossy().into_owned());
    for path in &paths {
        std::fs::write(path, START)?;
    }
    let [removed, emptied, _] = &paths;
    let logs = sorted_logs(&LogFile::without_server(&paths), |_| tz::TimeZone::utc())?.logs;
    std::fs::remove_file(removed)?;
    std::fs::write(emptied, "")?;
    let mut reader = Reader::new(tz::TimeZone::utc(), Detail::Full);
    let mut output = Records::default();
    let problems = reader.read_together(&logs, &mut output, |_| {});
    let problem = format!("{removed}: No such file or directory (os error 2)");
    assert_eq!(problems, std::slice::from_ref(&problem));
    assert_eq!(output.files, [(0, Some(problem)), (1, None), (2, None)]);
    Ok(())
}
