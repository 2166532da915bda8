//! `tests/cases/logs/NAME.expected` contains one JSON object per line for the record at the same
//! position that the reader makes of `NAME.log`: each field in the object must have the given
//! value, null meaning absent. The last object is for the counts.

use p4warden_log::parse::structured::Assembly;
use p4warden_log::parse::text::Detail;
use p4warden_log::record::command::Command;
use p4warden_log::record::sink::{Event, Sink};
use p4warden_log::source::reader::{MoreData, Reader};
use p4warden_log::source::{lines, log_files};
use p4warden_log::write::json;
use serde_json::Value;
use std::error::Error;
use std::path::{Path, PathBuf};

type Outcome = Result<(), Box<dyn Error>>;

#[derive(Default)]
struct Records(String);

impl Sink for Records {
    fn end_command(&mut self, command: &Command) {
        json::command(&mut self.0, command);
    }

    fn event(&mut self, event: &Event<'_>) {
        json::event(&mut self.0, event);
    }
}

fn utc() -> tz::TimeZone {
    tz::TimeZone::utc()
}

fn records(text: &str) -> Result<Vec<Value>, serde_json::Error> {
    text.lines().map(serde_json::from_str).collect()
}

fn read(path: &Path) -> Result<Vec<Value>, Box<dyn Error>> {
    let paths = [path.to_str().ok_or("a path that is no text")?.to_owned()];
    let mut reader = Reader::new(utc(), Detail::Full);
    let mut output = Records::default();
    let logs = log_files::LogFile::without_server(&paths);
    for log in log_files::sorted_logs(&logs, |_| utc())?.logs {
        reader.read(&log, &mut output, |_, _| MoreData::No, |_| true)?;
    }
    reader.finish(&mut output);
    let (counts, bytes) = (reader.counts(), reader.bytes);
    json::counts(&mut output.0, &counts, bytes);
    Ok(records(&output.0)?)
}

fn logs(folder: &Path) -> Result<Vec<PathBuf>, std::io::Error> {
    let paths = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>()?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "log"));
    paths.sort();
    Ok(paths)
}

#[test]
fn every_log_case_gives_the_expected_records() -> Outcome {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/cases/logs");
    let paths = logs(&folder)?;
    assert!(!paths.is_empty());
    for path in paths {
        let expected = records(&std::fs::read_to_string(path.with_extension("expected"))?)?;
        let output = read(&path)?;
        for (index, (expected, output)) in expected.iter().zip(&output).enumerate() {
            for (field, value) in expected.as_object().ok_or("no object")? {
                let place = format!("{} record {index}: {field}\n{output}", path.display());
                assert_eq!(output.get(field).unwrap_or(&Value::Null), value, "{place}");
            }
        }
        assert_eq!(output.len(), expected.len(), "{}", path.display());
    }
    Ok(())
}

/// Reads real server logs in a folder beside the checkout, if there are any.
#[test]
fn real_logs_have_no_unknown_lines() -> Outcome {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/data/logs");
    let Ok(paths) = logs(&folder) else {
        println!("no real logs beside the checkout");
        return Ok(());
    };
    for path in paths {
        let output = read(&path)?;
        let counts = output.last().ok_or("no counts")?;
        assert_eq!(counts["unknown"], 0, "{}: {counts}", path.display());
        // In one of the real logs, two lines report the use of a lock but name no command.
        let without_command = u64::from(path.to_string_lossy().contains("SyncMultiArgMetaDb")) * 2;
        assert_eq!(counts["without_command"], without_command, "{}: {counts}", path.display());
    }
    Ok(())
}

fn text_of(text: &[u8], detail: Detail) -> (Records, p4warden_log::record::counts::Counts) {
    let mut log = p4warden_log::parse::text::TextLog::new(utc(), detail);
    let (mut output, mut lines) = (Records::default(), lines::Lines::new(text));
    while let Ok(Some(line)) = lines.complete_line() {
        log.line(line, &mut output);
    }
    if let Some(line) = lines.last_line() {
        log.line(line, &mut output);
    }
    log.finish(&mut output);
    (output, log.counts())
}

#[test]
fn a_hundred_thousand_commands_without_an_end_are_read() {
    let mut text = String::new();
    for pid in 0..100_000 {
        text += "Perforce server info:\n\t2026/03/02 12:00:00 pid ";
        text += &format!("{pid} ann@ws 1.2.3.4 [p4/v93] 'user-fstat //depot/{pid}'\n");
    }
    let (output, counts) = text_of(text.as_bytes(), Detail::Locks);
    assert_eq!(output.0.lines().count(), 100_000);
    assert_eq!((counts.commands, counts.without_end), (100_000, 100_000));
    assert_eq!(counts.evicted_commands, 100_000 - (1 << 15));
}

proptest::proptest! {
    /// Lines in real forms, in any order, some cut short or joined.
    #[test]
    fn all_lines_of_a_random_text_log_are_read(
        picks in proptest::collection::vec((0_usize..SHAPES.len(), 0_usize..90, 0_u8..4), 0..60),
    ) {
        let mut text = Vec::new();
        for (shape, length, kind) in picks {
            let line = SHAPES[shape].as_bytes();
            text.extend_from_slice(if kind == 0 { &line[..length.min(line.len())] } else { line });
            if kind != 1 {
                text.push(b'\n');
            }
        }
        for detail in [Detail::Full, Detail::Locks] {
            let (output, counts) = text_of(&text, detail);
            let records = records(&output.0)?;
            let lines = text.split(|byte| *byte == b'\n').count() as u64;
            proptest::prop_assert!(lines - counts.lines <= 1);
            let commands = records.iter().filter(|record| record["record"] == "command").count();
            proptest::prop_assert_eq!(commands as u64, counts.commands);
        }
    }
}

proptest::proptest! {
    /// Records in real forms, each with one byte replaced.
    #[test]
    fn all_records_of_a_random_structured_log_are_read(
        picks in proptest::collection::vec((0_usize..RECORDS.len(), proptest::num::u8::ANY), 0..40),
    ) {
        let mut log = p4warden_log::parse::structured::StructuredLog::default();
        let (mut output, mut assembly) = (Records::default(), Assembly::default());
        for (record, byte) in &picks {
            let mut line = RECORDS[*record].as_bytes().to_vec();
            let place = usize::from(*byte) % line.len();
            line[place] = *byte;
            log.line(0, &mut assembly, &line, &mut output);
        }
        log.end(0, &mut assembly, &mut output);
        log.finish(&mut output);
        let counts = log.counts();
        proptest::prop_assert_eq!(counts.lines, picks.len() as u64);
        proptest::prop_assert_eq!(records(&output.0)?.len() as u64, counts.commands + counts.events);
    }
}

const RECORDS: [&str; 10] = [
    "0.55,1772452800,5,2026/03/02 12:00:00 5,7,0A,srv:1,1,ann,ws,user-fstat,1.2.3.4,p4,v93,-s,g",
    "2.56,1772452801,5,2026/03/02 12:00:01 5,7,0A,srv:1,1,ann,ws,user-fstat,1.2.3.4,p4,v93,-s,g,.5s",
    "4.50,1772452801,5,2026/03/02 12:00:01 5,7,0A,srv:1,1,ann,ws,user-fstat,1.2.3.4,p4,v93,x,\"a\"",
    "7.55,1772452801,5,2026/03/02 12:00:01 5,7,0A,srv:1,1,ann,ws,user-fstat,1.2.3.4,p4,v93,-s,g,.5s,1,2,3,4,5,6,7,8",
    "8.55,1772452801,5,2026/03/02 12:00:01 5,7,0A,srv:1,1,ann,ws,user-fstat,1.2.3.4,p4,v93,-s,g,1,2,3,4,5,6,.1s,.2s",
    "9.49,1772452801,5,2026/03/02 12:00:01 5,8,1,ann,ws,user-fstat,1.2.3.4,p4,v93,-s,db.rev,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20",
    "14.50,1772452801,5,2026/03/02 12:00:01 5,7,0A,srv:1,1,ann,ws,user-sync,1.2.3.4,p4,v93,x,1,2,3,4,5",
    "22.55,1772452801,5,2026/03/02 12:00:01 5,7,0A,srv:1,1,ann,ws,user-fstat,1.2.3.4,p4,v93,-s,g,meta/db(R),0,1,0,2",
    "24.55,1772452801,5,2026/03/02 12:00:01 5,7,0A,srv:1,1,ann,ws,user-fstat,1.2.3.4,p4,v93,-s,g,Rcs,1,2,3,4,5,1.5K,7,8,9,10,11,12",
    "12.49,1772452802,5,2026/03/02 12:00:02 5,7,1,ann,ws,user-fstat,1.2.3.4,p4,v93,-s,startup",
];

const SHAPES: [&str; 18] = [
    "Perforce server info:",
    "Perforce server error:",
    "\t2026/03/02 12:00:00 pid 7 ann@ws 1.2.3.4 [p4/v93] 'user-fstat //depot/a'",
    "\t2026/03/02 12:00:00 pid 7 ann@ws 1.2.3.4 [p4/v93] 'user-fstat //depot/a' trigger x",
    "\t2026/03/02 12:00:09 pid 8 bob@ws 1.2.3.4 [p4/v93] 'user-sync -d one",
    "two'",
    "\t2026/03/02 12:00:30 pid 7 completed .031s 1+2us 3+4io 5+6net 7k 8pf",
    "\t2026/03/02 12:00:00 pid 8 compute end 2s",
    "\tServer network estimates: files added/updated/deleted=1/2/3, bytes added/updated=4/5",
    "\tPid 7",
    "\tOperation: user-fstat",
    "--- lapse 2.02s",
    "--- db.have",
    "--- meta/commit(W)",
    "---   total lock wait+held read/write 0ms+0ms/0ms+-9ms",
    "lapse .1s",
    "",
    "2026/03/02 12:00:05 731966731 pid 9: Server is now using 148 active threads.",
];

/// Start, usage and end records of commands that start three seconds apart, sorted by time.
fn timeline(commands: usize) -> Vec<String> {
    let head = |kind: &str, at: usize, pid: usize| {
        format!("{kind}.49,{},0,x,{pid},1,ann,ws,user-fstat,1.2.3.4,p4,v93,-s", 1_772_452_800 + at)
    };
    let mut records = Vec::new();
    for pid in 0..commands {
        records.push((pid * 3, head("0", pid * 3, pid)));
        records.push((pid * 3 + 4, head("7", pid * 3 + 4, pid) + ",4s,1,2,3,4,5,6,7,8"));
        records.push((pid * 3 + 5, head("2", pid * 3 + 5, pid) + ",5s"));
    }
    records.sort_by_key(|(at, _)| *at);
    records.into_iter().map(|(_, record)| record).collect()
}

/// Returns the JSON records without their line numbers.
fn together(folder: &Path, files: &[String]) -> Result<Vec<Value>, Box<dyn Error>> {
    let mut paths = Vec::new();
    for (number, text) in files.iter().enumerate() {
        let path = folder.join(number.to_string());
        std::fs::write(&path, text)?;
        paths.push(path.to_str().ok_or("a path that is no text")?.to_owned());
    }
    let paths = log_files::LogFile::without_server(&paths);
    let (mut reader, mut output) = (Reader::new(utc(), Detail::Full), Records::default());
    let logs = log_files::sorted_logs(&paths, |_| utc())?.without_empty().logs;
    assert_eq!(reader.read_together(&logs, &mut output, |_| {}), Vec::<String>::new());
    reader.finish(&mut output);
    let mut records = records(&output.0)?;
    for record in &mut records {
        record.as_object_mut().ok_or("no object")?.remove("line");
    }
    Ok(records)
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(32))]

    #[test]
    fn records_split_over_several_files_give_the_commands_of_one_file(
        commands in 1_usize..20, places in proptest::collection::vec(0_usize..4, 60),
    ) {
        let folder = tempfile::tempdir()?;
        let records = timeline(commands);
        let mut files = vec![String::new(); 4];
        for (record, place) in records.iter().zip(&places) {
            files[*place] += &format!("{record}\n");
        }
        let spread = together(folder.path(), &files).map_err(|error| {
            proptest::test_runner::TestCaseError::fail(error.to_string())
        })?;
        let one = together(folder.path(), &[records.join("\n")]).map_err(|error| {
            proptest::test_runner::TestCaseError::fail(error.to_string())
        })?;
        proptest::prop_assert_eq!(spread.len(), commands);
        proptest::prop_assert_eq!(spread, one);
    }
}
