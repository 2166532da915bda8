//! The numbers of a policy setting, for single depots and for all others.

use crate::base::patterns::{counted_name, folded_name};
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
pub struct LimitByDepot {
    case_sensitive: bool,
    otherwise: u64,
    /// By `folded_name`.
    own: BTreeMap<Vec<u8>, u64>,
    /// By `counted_name`.
    alike: BTreeMap<Vec<u8>, u64>,
    strictest: fn(u64, u64) -> u64,
}

impl LimitByDepot {
    /// `strictest` is the one of two numbers that counts if names of depots may be the same.
    pub fn new<N: Copy + Into<u64>>(
        numbers: &BTreeMap<String, N>,
        otherwise: u64,
        strictest: fn(u64, u64) -> u64,
        case_sensitive: bool,
    ) -> Self {
        let by = |name_of: &dyn Fn(&[u8]) -> Vec<u8>| {
            let mut all = BTreeMap::new();
            for (name, number) in numbers {
                let number = (*number).into();
                let entry = all.entry(name_of(name.as_bytes())).or_insert(number);
                *entry = strictest(*entry, number);
            }
            all
        };
        let own = by(&|name| folded_name(name, case_sensitive).into_owned());
        let alike = by(&|name| counted_name(name, case_sensitive).into_owned());
        LimitByDepot { case_sensitive, otherwise, own, alike, strictest }
    }

    /// Whether a server that ignores case also ignores that of letters beyond ASCII is unknown, so
    /// the number of a depot whose name is equal but for such letters counts where it is stricter.
    pub fn of(&self, depot: &[u8]) -> u64 {
        if self.own.is_empty() {
            return self.otherwise;
        }
        let own = self.own.get(&*folded_name(depot, self.case_sensitive));
        let own = own.copied().unwrap_or(self.otherwise);
        let alike = self.alike.get(&*counted_name(depot, self.case_sensitive));
        alike.map_or(own, |alike| (self.strictest)(own, *alike))
    }

    /// The strictest number of all depots.
    pub fn strictest(&self) -> u64 {
        self.own.values().copied().fold(self.otherwise, self.strictest)
    }
}
