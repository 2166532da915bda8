//! A command's use of the tables and locks of the server.

use std::ops::Range;

/// Most tables of a command; those beyond are not kept.
const MAX_TABLES: usize = 1_024;

/// The tables of one command; several blocks about one table are one entry.
#[derive(Debug, Default, Clone)]
pub struct Tables {
    names: Vec<u8>,
    list: Vec<Table>,
}

/// A command's use of one table, or of one lock that is no table's. Times are milliseconds.
#[derive(Debug, Default, Clone)]
pub struct Table {
    name: Range<usize>,
    /// Pages in, out and cached.
    pub pages: Option<[i64; 3]>,
    /// Pages split, internal and leaf.
    pub splits: Option<[i64; 2]>,
    /// Locks to read and to write; rows got, positioned, scanned, put and deleted.
    pub uses: Option<[i64; 7]>,
    /// How long all its locks took: read wait, read held, write wait, write held.
    pub total_ms: Option<[i64; 4]>,
    /// The same of the lock that took longest.
    pub max_ms: Option<[i64; 4]>,
    /// Reads without a lock: how many, how long they waited and held in all, and the longest.
    pub peeks: Option<[i64; 5]>,
}

impl Table {
    /// Adds another account of the same table.
    pub fn add(&mut self, more: &Table) {
        sum(&mut self.pages, more.pages);
        sum(&mut self.splits, more.splits);
        sum(&mut self.uses, more.uses);
        sum(&mut self.total_ms, more.total_ms);
        longest(&mut self.max_ms, more.max_ms);
        peeks(&mut self.peeks, more.peeks);
    }
}

impl Tables {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// The tables and their names: `db.rev`, `meta/commit(W)`, `clientEntity/ann-ws(W)`.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &Table)> {
        self.list.iter().map(|table| (self.name(table), table))
    }

    /// The table of an index.
    pub fn get(&mut self, index: usize) -> Option<&mut Table> {
        self.list.get_mut(index)
    }

    /// The index of a table; it is looked for among the first `earlier` ones, and added if it is
    /// not there. None if there are too many.
    pub fn named(&mut self, name: &[u8], earlier: usize) -> Option<usize> {
        let known = self.list.iter().take(earlier).position(|table| self.name(table) == name);
        if known.is_some() || self.list.len() >= MAX_TABLES {
            return known;
        }
        let start = self.names.len();
        self.names.extend_from_slice(name);
        self.list.push(Table { name: start..self.names.len(), ..Table::default() });
        Some(self.list.len() - 1)
    }

    /// Forgets all; a place that is not too large is kept for the next command.
    pub fn clear(&mut self) {
        self.names.clear();
        self.names.shrink_to(1 << 12);
        self.list.clear();
        self.list.shrink_to(64);
    }

    fn name(&self, table: &Table) -> &[u8] {
        self.names.get(table.name.clone()).unwrap_or_default()
    }
}

/// Adds values, where some were told; false if none were.
pub fn sum<const N: usize>(place: &mut Option<[i64; N]>, more: Option<[i64; N]>) -> bool {
    let Some(more) = more else {
        return false;
    };
    let sums = place.get_or_insert([0; N]);
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(more));
    true
}

/// Keeps the larger values.
pub fn longest<const N: usize>(place: &mut Option<[i64; N]>, more: Option<[i64; N]>) -> bool {
    let Some(more) = more else {
        return false;
    };
    let longest = place.get_or_insert(more);
    longest.iter_mut().zip(more).for_each(|(longest, more)| *longest = more.max(*longest));
    true
}

/// Adds peeks: a count and the total wait and held are sums, the longest wait and held are not.
pub fn peeks(place: &mut Option<[i64; 5]>, more: Option<[i64; 5]>) -> bool {
    let Some([count, wait, held, max_wait, max_held]) = more else {
        return false;
    };
    let before = place.unwrap_or([0, 0, 0, i64::MIN, i64::MIN]);
    let [sum_count, sum_wait, sum_held, longest_wait, longest_held] = before;
    *place = Some([
        sum_count.saturating_add(count),
        sum_wait.saturating_add(wait),
        sum_held.saturating_add(held),
        longest_wait.max(max_wait),
        longest_held.max(max_held),
    ]);
    true
}
