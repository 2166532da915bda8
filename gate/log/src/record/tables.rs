//! A command's use of the server's database tables and locks.

use std::ops::Range;

/// Maximum number of tables stored per command; further ones are dropped.
const MAX_TABLES: usize = 1_024;

/// The tables used by one command; several log blocks about one table are merged into one entry.
#[derive(Debug, Default, Clone)]
pub struct Tables {
    names: Vec<u8>,
    list: Vec<Table>,
}

/// A command's use of one table, or of one lock that belongs to no table. Times are in
/// milliseconds.
#[derive(Debug, Default, Clone)]
pub struct Table {
    name: Range<usize>,
    /// Database pages of the table read, written and cached.
    pub pages: Option<[i64; 3]>,
    /// Database pages of the table that were split, internal and leaf.
    pub splits: Option<[i64; 2]>,
    /// Read and write locks; rows got, positioned, scanned, put and deleted.
    pub uses: Option<[i64; 7]>,
    /// Total times of all locks in milliseconds: read wait, read held, write wait, write held.
    pub total_ms: Option<[i64; 4]>,
    /// Times of the longest lock in milliseconds: read wait, read held, write wait, write held.
    pub max_ms: Option<[i64; 4]>,
    /// Reads without a lock (peeks): count, total wait, total held, longest wait, longest held.
    pub peeks: Option<[i64; 5]>,
}

impl Table {
    /// Merges another entry for the same table into this one.
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
    /// Number of database tables and locks that the command used.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Iterates over the tables with their names: `db.rev`, `meta/commit(W)`,
    /// `clientEntity/ann-ws(W)`.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &Table)> {
        self.list.iter().map(|table| (self.name(table), table))
    }

    /// A command's use of the table at an index; None beyond the last.
    pub fn get(&mut self, index: usize) -> Option<&mut Table> {
        self.list.get_mut(index)
    }

    /// Index of the table with a given name. Searches the first `earlier` tables and adds a table
    /// if there is none; None if there are too many.
    pub fn index_of(&mut self, name: &[u8], earlier: usize) -> Option<usize> {
        let index = self.list.iter().take(earlier).position(|table| self.name(table) == name);
        if index.is_some() || self.list.len() >= MAX_TABLES {
            return index;
        }
        let start = self.names.len();
        self.names.extend_from_slice(name);
        self.list.push(Table { name: start..self.names.len(), ..Table::default() });
        Some(self.list.len() - 1)
    }

    /// Removes all tables; the allocated memory is kept for the next command unless it is large.
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

/// Adds `more` to the stored values; false if `more` is None.
pub fn sum<const N: usize>(place: &mut Option<[i64; N]>, more: Option<[i64; N]>) -> bool {
    let Some(more) = more else {
        return false;
    };
    let sums = place.get_or_insert([0; N]);
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(more));
    true
}

/// Replaces each stored value by the larger of the stored and the new one; false if `more` is None.
pub fn longest<const N: usize>(place: &mut Option<[i64; N]>, more: Option<[i64; N]>) -> bool {
    let Some(more) = more else {
        return false;
    };
    let longest = place.get_or_insert(more);
    longest.iter_mut().zip(more).for_each(|(longest, more)| *longest = more.max(*longest));
    true
}

/// Merges peek values: count, total wait and total held are added, longest wait and longest held
/// are maxima.
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
