use p4warden_index::assemble::change_records::BLOCK_RECORDS;
use p4warden_index::assemble::index_build::{Sources, build};
use p4warden_index::estimate::changes::ChangeRange;
use p4warden_index::estimate::count::Estimate;
use p4warden_index::file::index::Index;
use std::fmt::{Debug, Write};
use std::path::PathBuf;

const START: &str = "@nx@ 0 100 @41@ 1 0 0 0 0 @/root@ @journal@ @@ @@ @@ \n";
const CLOSE: &str = "@nx@ 1 100 @41@ 0 0 0 0 0 @@ @@ @@ @@ \n";

#[derive(Clone, Copy)]
struct Submit {
    change: u64,
    time_s: u64,
    files: u64,
}

/// Times do not always ascend, and the numbers of changelists have gaps.
fn history(count: u64) -> Vec<Submit> {
    let mut draw = 7_u64;
    let mut next = |below: u64| {
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (draw >> 33) % below
    };
    let mut change = 0;
    let mut rows = Vec::new();
    for _ in 0..count {
        change += 1 + next(4);
        let files = match next(40) {
            0 => next(2_000),
            1 => 0,
            _ => 1 + next(20),
        };
        rows.push(Submit { change, time_s: 1_000_000 + change * 100 + next(300), files });
    }
    rows
}

fn records(rows: &[Submit]) -> String {
    let mut text = String::new();
    for Submit { change, files, .. } in rows {
        for file in 0..*files {
            let _ = writeln!(text, "@pv@ 0 @db.revcx@ {change} @//depot/a/{file:06}@ 1 0 ");
        }
    }
    text
}

fn changes(rows: &[Submit]) -> String {
    let mut text = String::new();
    for Submit { change, time_s, .. } in rows {
        let fields = format!("{change} {change} @ws@ @ann@ {time_s} 1 @one@ @//depot/*@ @@ @@ 0 ");
        let _ = writeln!(text, "@pv@ 4 @db.change@ {fields}");
    }
    text
}

fn label(name: &str, revision: &str, files: u64) -> String {
    let mut text = format!(
        "@pv@ 6 @db.domain@ @{name}@ 108 @{revision}@ @@ @@ @@ @ann@ 1 1 0 @Made.\n@ @@ @@ 0 \n"
    );
    for file in 0..files {
        let _ = writeln!(text, "@pv@ 0 @db.label@ @{name}@ @//depot/a/{file:06}@ 1 ");
    }
    text
}

struct Server {
    folder: tempfile::TempDir,
}

impl Server {
    fn new() -> Result<Self, String> {
        Ok(Server { folder: tempfile::tempdir().map_err(text)? })
    }

    fn written(&self, name: &str, content: &str) -> Result<PathBuf, String> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).map_err(text)?;
        Ok(path)
    }

    fn build(&self, checkpoint: &str, journal: &str) -> Result<Index, String> {
        let sources = Sources {
            checkpoints: vec![self.written("checkpoint", checkpoint)?],
            journals: vec![self.written("rotated.1", journal)?],
            server_id: None,
            case: None,
            files: None,
        };
        let index = self.folder.path().join("index");
        build(&sources, &index, &mut |_, _| {}).map_err(text)?;
        Index::open(&index).map_err(text)
    }
}

fn text(error: impl Debug) -> String {
    format!("{error:?}")
}

/// An estimate is never too small, and too large by less than two blocks.
fn check(index: &Index, rows: &[Submit]) -> Result<(), String> {
    let newest = rows.last().map_or(0, |row| row.change);
    for first in (0..=newest + 3).step_by(37) {
        for last in [Some(first), Some(first + 1), Some(first + 400), Some(newest + 9), None] {
            let range = ChangeRange { first, last };
            let inside = |change| change >= first && last.is_none_or(|last| change <= last);
            check_range(index, rows, range, inside, true)?;
        }
    }
    for (from_s, to_s) in
        [(0, u64::MAX), (1_050_000, 1_060_000), (1_000_000 + newest * 100, u64::MAX)]
    {
        let first = index.first_change_since(from_s).map_err(text)?;
        let last = index.last_change_until(to_s).map_err(text)?;
        let (Some(first), Some(last)) = (first, last) else {
            return Err(format!("no changelists from {from_s} to {to_s}"));
        };
        let is_between = |row: &&Submit| row.time_s >= from_s && row.time_s <= to_s;
        let exact: Vec<u64> = rows.iter().filter(is_between).map(|row| row.change).collect();
        assert!(exact.first().is_none_or(|change| first <= *change), "{from_s}: {first}");
        assert!(exact.last().is_none_or(|change| last >= *change), "{to_s}: {last}");
        let inside = |change: u64| {
            exact.first().is_some_and(|first| change >= *first)
                && exact.last().is_some_and(|last| change <= *last)
        };
        check_range(index, rows, ChangeRange { first, last: Some(last) }, inside, false)?;
    }
    Ok(())
}

fn check_range(
    index: &Index,
    rows: &[Submit],
    range: ChangeRange,
    inside: impl Fn(u64) -> bool,
    is_lower_bound: bool,
) -> Result<(), String> {
    let exact: u64 = rows.iter().filter(|row| inside(row.change)).map(|row| row.files).sum();
    let count = index.count_changes(range).map_err(text)?.ok_or("no counts")?;
    check_estimate(exact, count, is_lower_bound);
    let exact = rows.iter().filter(|row| inside(row.change)).count() as u64;
    let count = index.count_changelists(range).map_err(text)?.ok_or("no changelists")?;
    check_estimate(exact, count, is_lower_bound);
    Ok(())
}

fn check_estimate(exact: u64, count: Estimate, is_lower_bound: bool) {
    let Estimate { at_least, at_most, .. } = count;
    let text = format!("{exact}: {at_least} to {at_most}");
    assert!((at_least <= exact || !is_lower_bound) && exact <= at_most, "{text}");
    assert!(exact < at_least + 2 * BLOCK_RECORDS, "{text}");
    assert!(at_most < exact + 2 * BLOCK_RECORDS, "{text}");
}

#[test]
fn ranges_of_changelists_of_a_checkpoint_and_its_journal_are_counted() -> Result<(), String> {
    let rows = history(3_000);
    let (old, new) = rows.split_at(2_000);
    let newest_first: Vec<Submit> = old.iter().rev().copied().collect();
    let labels =
        [label("nightly", "", 40), label("auto", "@@15", 0), label("gone", "", 3)].concat();
    let checkpoint =
        [START, &labels, &records(&newest_first), &changes(&newest_first), CLOSE].concat();
    let deleted = [label("nightly", "", 10), label("gone", "", 3)].concat();
    let deleted = deleted.replace("@pv@ 0 @db.label@", "@dv@ 0 @db.label@");
    let journal = [&records(new), &changes(new), &deleted, "@ex@ 1 2\n"].concat();
    let index = Server::new()?.build(&checkpoint, &journal)?;
    check(&index, &rows)?;
    let found = |name: &[u8]| index.label(name).map_err(text);
    assert_eq!(found(b"nightly")?.map(|label| label.files), Some(30));
    assert_eq!(found(b"auto")?.map(|label| label.revision), Some(b"@15".to_vec()));
    assert_eq!((found(b"gone")?, found(b"other")?), (None, None));
    Ok(())
}

/// No public checkpoint shows whether p4d writes `@pv@` or `@rv@` for `db.revcx`, nor whether one
/// that is written while the server runs has a record twice.
#[test]
fn records_of_a_checkpoint_are_counted_once_in_either_notation() -> Result<(), String> {
    let rows = history(1_500);
    let put = records(&rows);
    let replaced = put.replace("@pv@", "@rv@");
    let mut twice = String::new();
    for line in put.lines() {
        let _ = writeln!(twice, "{line}\n{}", line.replace("@pv@", "@rv@"));
    }
    for text in [&put, &replaced, &twice] {
        let server = Server::new()?;
        let index = server.build(&[START, text, &changes(&rows), CLOSE].concat(), "")?;
        check(&index, &rows)?;
    }
    Ok(())
}

#[test]
fn records_deleted_in_a_journal_are_not_counted() -> Result<(), String> {
    let rows = [Submit { change: 5, time_s: 9, files: 300 }];
    let checkpoint = [START, &records(&rows), CLOSE].concat();
    for (journal, files) in [("", 300), ("@dv@ 0 @db.revcx@ 5 @//depot/a/000007@ 1 0 \n", 299)] {
        let index = Server::new()?.build(&checkpoint, journal)?;
        let all = index.count_changes(ChangeRange { first: 0, last: None }).map_err(text)?;
        assert_eq!(all, Some(Estimate::exact(files)));
    }
    Ok(())
}

#[test]
fn changelists_are_counted_by_their_records_not_by_their_numbers() -> Result<(), String> {
    let pending = |change: u64| {
        format!("@pv@ 4 @db.change@ {change} {change} @ws@ @ann@ 9 0 @one@ @//depot/*@ @@ @@ 0 \n")
    };
    let submit = |change| Submit { change, time_s: 9, files: 1 };
    let rows = [submit(5), submit(900)];
    let checkpoint = [START, &records(&rows), &changes(&rows), &pending(901), CLOSE].concat();
    // A pending changelist becomes submitted, one is submitted with a new number, one is deleted.
    let submitted = changes(&[submit(901)]).replace("@pv@", "@rv@");
    let renumbered = pending(902) + &pending(902).replace("@pv@", "@dv@");
    let deleted = pending(904) + &pending(904).replace("@pv@", "@dv@");
    let journal = [submitted, renumbered, changes(&[submit(903)]), deleted].concat();
    for journal in [pending(902), journal] {
        let index = Server::new()?.build(&checkpoint, &journal)?;
        let all = ChangeRange { first: 1, last: None };
        let found = index.count_changelists(all).map_err(text)?;
        assert_eq!(found.map(|found| found.at_most), Some(4));
    }
    Ok(())
}

#[test]
fn an_index_of_a_checkpoint_without_these_records_has_no_counts() -> Result<(), String> {
    let file = "@pv@ 9 @db.rev@ @//depot/a@ 1 0 0 1 1 1 00 1 \n";
    let index = Server::new()?.build(&[START, file, CLOSE].concat(), "")?;
    assert_eq!(index.count_changes(ChangeRange { first: 1, last: None }).map_err(text)?, None);
    assert_eq!(index.first_change_since(5).map_err(text)?, None);
    Ok(())
}
