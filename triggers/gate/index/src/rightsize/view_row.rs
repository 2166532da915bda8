use crate::assemble::rows;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewRow {
    /// Of `db.view`, as in `rows::includes`.
    pub flag: u64,
    pub depot: Vec<u8>,
    pub client: Vec<u8>,
}

pub(super) const EXCLUDES: u64 = 1;
pub(super) const OVERLAYS: u64 = 2;
pub(super) const ADDS: u64 = 5;

impl ViewRow {
    /// Before the depot path in a client form.
    #[must_use]
    pub fn mark(&self) -> &'static str {
        match self.flag {
            EXCLUDES => "-",
            OVERLAYS => "+",
            ADDS => "&",
            _ => "",
        }
    }

    /// Not shown in the view of client forms.
    #[must_use]
    pub fn is_of_server(&self) -> bool {
        self.flag != EXCLUDES && !self.includes()
    }

    #[must_use]
    pub fn includes(&self) -> bool {
        rows::includes(self.flag)
    }

    pub(super) fn is_on_top(&self) -> bool {
        matches!(self.flag, OVERLAYS | ADDS)
    }

    /// The line may map everything below a directory.
    pub(super) fn is_whole(&self) -> bool {
        self.depot.ends_with(b"...")
    }

    pub(super) fn is_plain(&self) -> bool {
        !self.is_on_top() && self.flag != EXCLUDES
    }
}
