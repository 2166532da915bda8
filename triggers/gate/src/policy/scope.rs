//! The settings of one rule `limit_command_scope`.

use crate::base::json_text::Text;
use crate::base::patterns::{is_same, may_be_same};
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use std::fmt;

/// Maximum depth of paths that a policy may require, the same as in `p4warden check`; a refusal
/// shows an example path with that many directories.
const MAX_DEPTH: u64 = 20;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scope<'a> {
    /// Complete directories below the depot before the first wildcard.
    pub min_depth: u64,
    #[serde(borrow, default)]
    depots: DepthsByDepot<'a>,
}

/// In place of `min_depth`; sorted by the depots' names.
#[derive(Debug, Default)]
struct DepthsByDepot<'a>(Vec<(Text<'a>, u64)>);

impl Scope<'_> {
    /// Depots with a depth of their own: name and minimum number of directories.
    pub fn depots(&self) -> impl Iterator<Item = (&[u8], u64)> {
        self.depots.0.iter().map(|(name, depth)| (&**name, *depth))
    }

    /// The setting of a depot whose name equals it but for the case of letters beyond ASCII counts
    /// only if it demands more.
    pub fn min_depth_in(&self, depot: &[u8], case_sensitive: bool) -> u64 {
        let mut depots = self.depots();
        let own = depots.find(|(name, _)| is_same(name, depot, case_sensitive));
        let alike = self.depots().filter(|(name, _)| may_be_same(name, depot, case_sensitive));
        let depths = alike.map(|(_, depth)| depth);
        depths.fold(own.map_or(self.min_depth, |(_, depth)| depth), u64::max)
    }

    pub fn checked(self) -> Result<Self, String> {
        let deepest = self.depots().map(|(_, depth)| depth).fold(self.min_depth, u64::max);
        if deepest > MAX_DEPTH {
            return Err(format!("{deepest} directories are over {MAX_DEPTH}"));
        }
        Ok(self)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for DepthsByDepot<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(DepthsVisitor)
    }
}

struct DepthsVisitor;

impl<'de> Visitor<'de> for DepthsVisitor {
    type Value = DepthsByDepot<'de>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("depths by depot")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut from: M) -> Result<Self::Value, M::Error> {
        let mut depths: Vec<(Text<'de>, u64)> = Vec::new();
        while let Some(entry) = from.next_entry()? {
            depths.push(entry);
        }
        depths.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(DepthsByDepot(depths))
    }
}
