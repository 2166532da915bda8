//! The settings of one rule `limit_command_scope` as stored in `gate.policy`.

use crate::base::bytes::{CorruptData, Reader, Writer};
use crate::base::patterns::{is_same, may_be_same};
use crate::policy::document;

#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Complete directories below the depot before the first wildcard.
    pub min_depth: u64,
    depots: Reader<'a>,
}

impl<'a> Scope<'a> {
    /// Depots with a depth of their own: name and minimum number of directories.
    pub fn depots(&self) -> impl Iterator<Item = (&'a [u8], u64)> {
        let mut from = self.depots;
        std::iter::from_fn(move || Some((from.bytes().ok()?, from.u64().ok()?)))
    }

    /// The setting of a depot whose name equals it but for the case of letters beyond ASCII counts
    /// only if it demands more.
    #[must_use]
    pub fn min_depth_in(&self, depot: &[u8], case_sensitive: bool) -> u64 {
        let mut depots = self.depots();
        let own = depots.find(|(name, _)| is_same(name, depot, case_sensitive));
        let alike = self.depots().filter(|(name, _)| may_be_same(name, depot, case_sensitive));
        let depths = alike.map(|(_, depth)| depth);
        depths.fold(own.map_or(self.min_depth, |(_, depth)| depth), u64::max)
    }

    pub(super) fn read(mut from: Reader<'a>) -> Result<Self, CorruptData> {
        Ok(Scope { min_depth: from.u64()?, depots: from })
    }
}

pub(super) fn write(to: &mut Writer, scope: &document::Scope) {
    to.u64(scope.min_depth);
    for (name, depth) in &scope.depots {
        to.text(name).u64(*depth);
    }
}
