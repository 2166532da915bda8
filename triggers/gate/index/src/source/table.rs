//! The server's database tables that p4warden reads from checkpoints and journals, and the heads of
//! their records.

/// A table of the server's database. `db.user`, which contains password digests, is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// `db.domain`: specifications of clients, labels, branches, depots, streams and others.
    Domain,
    /// `db.view`: lines of the views of clients and of other specifications.
    View,
    /// `db.rev`: every revision of every file.
    Rev,
    /// `db.revhx`: head revisions of files that are not deleted.
    RevHx,
    /// `db.revdx`: head revisions of deleted files.
    RevDx,
    /// `db.have`: files that clients have synced.
    Have,
    /// `db.working`: files that clients have open.
    Working,
    /// `db.group`: members, owners and limits of groups.
    Group,
    /// `db.protect`: lines of the protections table.
    Protect,
    /// `db.depot`: depots with their types and maps.
    Depot,
    /// `db.stream`: streams with their types and parents.
    Stream,
    /// `db.streamrelation`: the streams on which each stream depends.
    StreamRelation,
    /// `db.template`: path lines of stream specifications, such as `share ...`.
    Template,
    /// `db.counters`: counters, among them `change`.
    Counters,
    /// `db.change`: changelists with client, user and time.
    Change,
    /// `db.revcx`: every revision of every file, by changelist.
    RevCx,
    /// `db.label`: files of static labels.
    Label,
    /// Any other table of the server's database, which is skipped.
    Other,
}

/// List of the database tables that p4warden can read, each with its name without `db.`.
pub const TABLES: [(&[u8], Table); 17] = [
    (b"domain", Table::Domain),
    (b"view", Table::View),
    (b"rev", Table::Rev),
    (b"revhx", Table::RevHx),
    (b"revdx", Table::RevDx),
    (b"have", Table::Have),
    (b"working", Table::Working),
    (b"group", Table::Group),
    (b"protect", Table::Protect),
    (b"depot", Table::Depot),
    (b"stream", Table::Stream),
    (b"streamrelation", Table::StreamRelation),
    (b"template", Table::Template),
    (b"counters", Table::Counters),
    (b"change", Table::Change),
    (b"revcx", Table::RevCx),
    (b"label", Table::Label),
];

impl Table {
    /// Looks up a table by its name without `db.`; `Other` if p4warden does not read the table.
    #[must_use]
    pub fn by_name(name: &[u8]) -> Table {
        let entry = TABLES.iter().find(|(table_name, _)| *table_name == name);
        entry.map_or(Table::Other, |(_, table)| *table)
    }
}

/// The operation of a checkpoint or journal record, which is its first field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Operation `pv`, which adds the record or replaces the record with the same key.
    Put,
    /// Operation `rv`, which replaces the record with the same key.
    Replace,
    /// Operation `dv`, which deletes the record with the same key.
    Delete,
    /// Operation `vv` or an unknown one; its record is ignored.
    Nothing,
    /// Operation `nx`, a note: type 0 marks the start of a checkpoint and type 1 its end; there are
    /// other types, such as 4 (start of a table).
    Note,
    /// Journal operation `ex`, which marks the end of a transaction, with process ID and time.
    Commit,
}

/// The head of a checkpoint or journal record: operation, version and table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The operation of the record, such as adding or deleting.
    pub kind: Kind,
    /// Version of the table's layout in the record; 0 for a record without a table.
    pub version: u32,
    /// The database table of the record; `Other` for a record without a table, and for a table that
    /// p4warden does not read.
    pub table: Table,
    /// Length in bytes of the record's head (operation, version and table name), after which the
    /// record's values begin.
    pub bytes: usize,
}

/// Parses the head of a record, such as `@pv@ 9 @db.rev@ ` or `@ex@ `; None if the text does not
/// begin with a head.
#[must_use]
pub fn head(text: &[u8]) -> Option<Head> {
    let operation = text.strip_prefix(b"@")?.get(..2)?;
    let rest = text.get(3..)?.strip_prefix(b"@ ")?;
    let kind = match operation {
        b"pv" => Kind::Put,
        b"rv" => Kind::Replace,
        b"dv" => Kind::Delete,
        b"nx" => Kind::Note,
        b"ex" => Kind::Commit,
        _ if operation.iter().all(u8::is_ascii_lowercase) => Kind::Nothing,
        _ => return None,
    };
    if !matches!(kind, Kind::Put | Kind::Replace | Kind::Delete) {
        return Some(Head { kind, version: 0, table: Table::Other, bytes: 5 });
    }
    let digits = rest.iter().position(|byte| !byte.is_ascii_digit())?;
    let (number, rest) = rest.split_at_checked(digits)?;
    let version = std::str::from_utf8(number).ok()?.parse().ok()?;
    let rest = rest.strip_prefix(b" @db.")?;
    let name_bytes = rest.iter().position(|byte| *byte == b'@')?;
    let bytes = 5 + digits + 5 + name_bytes + 1;
    Some(Head { kind, version, table: Table::by_name(rest.get(..name_bytes)?), bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_journal_records_are_parsed() {
        let parsed = head(b"@rv@ 9 @db.revhx@ @//a@");
        let bytes = b"@rv@ 9 @db.revhx@".len();
        let expected = Head { kind: Kind::Replace, version: 9, table: Table::RevHx, bytes };
        assert_eq!(parsed, Some(expected));
        assert_eq!(head(b"@dv@ 7 @db.user@ @x@").map(|head| head.table), Some(Table::Other));
        assert_eq!(head(b"@vv@ 9 @db.rev@ ").map(|head| head.kind), Some(Kind::Nothing));
        assert_eq!(
            head(b"@ex@ 12 13").map(|head| (head.kind, head.bytes)),
            Some((Kind::Commit, 5))
        );
    }

    #[test]
    fn text_without_a_valid_head_is_none() {
        for text in [
            &b""[..],
            b"@",
            b"@pv",
            b"@PV@ 1 @db.x@",
            b"@pv@ x @db.x@",
            b"@pv@ 1 db.x",
            b"@pv@ 1 @db.x",
        ] {
            assert_eq!(head(text), None, "{text:?}");
        }
        assert_eq!(head(b"@pv@ 99999999999 @db.x@ "), None);
    }
}
