/// A table of the server's database. `db.user`, which contains password digests, is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Specifications of clients, labels, branches, depots, streams and others.
    Domain,
    View,
    Rev,
    /// Head revisions of files that are not deleted.
    RevHx,
    /// Head revisions of deleted files.
    RevDx,
    Have,
    Working,
    Group,
    Protect,
    Depot,
    Stream,
    /// The streams on which each stream depends.
    StreamRelation,
    /// Path lines of stream specifications, such as `share ...`.
    Template,
    Counters,
    Change,
    /// Changelists that are not submitted, those with shelved files included.
    ChangeX,
    /// Every revision of every file, by changelist.
    RevCx,
    /// Files of static labels.
    Label,
    /// Values of configurables.
    Config,
    /// Values that the server gives to applications, such as P4V.
    Property,
    Other,
}

/// The names are without `db.`.
pub const TABLES: [(&[u8], Table); 20] = [
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
    (b"changex", Table::ChangeX),
    (b"revcx", Table::RevCx),
    (b"label", Table::Label),
    (b"config", Table::Config),
    (b"property", Table::Property),
];

impl Table {
    pub fn by_name(name: &[u8]) -> Table {
        let entry = TABLES.iter().find(|(table_name, _)| *table_name == name);
        entry.map_or(Table::Other, |(_, table)| *table)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `pv` adds the record or replaces the record with the same key.
    Put,
    /// `rv` replaces the record with the same key.
    Replace,
    /// `dv` deletes the record with the same key.
    Delete,
    /// `vv` or an unknown operation.
    Nothing,
    /// `nx`: type 0 marks the start of a checkpoint and type 1 its end; there are others, such as 4
    /// (start of a table).
    Note,
    /// `ex` marks the end of a transaction, with process ID and time.
    Commit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub kind: Kind,
    /// Of the table's layout; 0 for a record without a table.
    pub version: u32,
    /// `Other` for a record without a table, and for a table that p4warden does not read.
    pub table: Table,
    /// Length of the head, after which the values begin.
    pub bytes: usize,
}

/// Such as `@pv@ 9 @db.rev@ ` or `@ex@ `.
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
