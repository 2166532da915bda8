//! The lines of a client view, each with its kind: plain, exclusion (`-`), overlay (`+`), ditto
//! (`&`), or internal to the server.

/// A line of a client view, with its flag as stored in `db.view`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewRow {
    /// Flag of the view line in `db.view`: 0 maps, 1 excludes, 2 overlays (`+`), 3 is internal to
    /// the server, 5 maps additionally (ditto, `&`).
    pub flag: u64,
    /// The left side of the view line, in depot syntax (`//depot/...`).
    pub depot: Vec<u8>,
    /// The right side of the view line, in client syntax (`//client/...`).
    pub client: Vec<u8>,
}

pub(super) const EXCLUDES: u64 = 1;
pub(super) const OVERLAYS: u64 = 2;
const OF_SERVER: u64 = 3;
pub(super) const ADDS: u64 = 5;

impl ViewRow {
    /// The character before the depot path of the view line in a client form: `-`, `+`, `&`, or
    /// none for another line.
    #[must_use]
    pub fn mark(&self) -> &'static str {
        match self.flag {
            EXCLUDES => "-",
            OVERLAYS => "+",
            ADDS => "&",
            _ => "",
        }
    }

    /// Whether the view line is internal to the server (flag 3) and not shown in client forms.
    #[must_use]
    pub fn is_of_server(&self) -> bool {
        self.flag == OF_SERVER
    }

    /// Whether the view line includes files, that is, neither excludes them nor is internal (flag
    /// 3).
    #[must_use]
    pub fn includes(&self) -> bool {
        !matches!(self.flag, EXCLUDES | OF_SERVER)
    }

    pub(super) fn is_on_top(&self) -> bool {
        matches!(self.flag, OVERLAYS | ADDS)
    }

    /// Whether the depot side of the view line ends with `...`, so that the line may map everything
    /// below a directory.
    pub(super) fn is_whole(&self) -> bool {
        self.depot.ends_with(b"...")
    }

    pub(super) fn is_plain(&self) -> bool {
        !self.is_on_top() && self.flag != EXCLUDES
    }
}
