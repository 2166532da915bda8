/// A line of a client's view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewLine {
    /// From 0 in the view. A later line applies before earlier ones.
    pub number: u64,
    /// Of `db.view`: 0, 2 (overlay) and 5 (ditto) map files, 1 excludes them; others, such as 3 and 4
    /// (MfHavemap, MfChangemap in the C++ API), belong to other fields of the form or to the server.
    pub flag: u64,
    pub depot: Vec<u8>,
    pub client: Vec<u8>,
}

pub const EXCLUDES: u64 = 1;
pub const OVERLAYS: u64 = 2;
pub const ADDS: u64 = 5;

impl ViewLine {
    /// `depot` begins with the mark, if there is one.
    pub fn marked(number: u64, depot: &[u8], client: &[u8]) -> Self {
        let (flag, depot) = match depot {
            [b'-', path @ ..] => (EXCLUDES, path),
            [b'+', path @ ..] => (OVERLAYS, path),
            [b'&', path @ ..] => (ADDS, path),
            path => (0, path),
        };
        ViewLine { number, flag, depot: depot.to_vec(), client: client.to_vec() }
    }

    /// Before the depot path in a client form.
    pub fn mark(&self) -> &'static str {
        match self.flag {
            EXCLUDES => "-",
            OVERLAYS => "+",
            ADDS => "&",
            _ => "",
        }
    }

    /// Not shown in the view of client forms.
    pub fn is_of_server(&self) -> bool {
        self.flag != EXCLUDES && !self.includes()
    }

    pub fn includes(&self) -> bool {
        matches!(self.flag, 0 | OVERLAYS | ADDS)
    }

    pub fn is_on_top(&self) -> bool {
        matches!(self.flag, OVERLAYS | ADDS)
    }

    /// The line may map everything below a directory.
    pub fn is_whole(&self) -> bool {
        self.depot.ends_with(b"...")
    }

    pub fn is_plain(&self) -> bool {
        !self.is_on_top() && self.flag != EXCLUDES
    }
}
