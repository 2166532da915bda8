//! A command's use of the server's database tables and locks.

use std::ops::Range;

/// Maximum number of tables and locks stored per command; further ones are dropped.
const MAX_TABLES: usize = 1_024;

/// The tables and locks that one command used; several log blocks about one table are merged into
/// one entry.
#[derive(Debug, Default, Clone)]
pub struct Tables {
    names: Vec<u8>,
    list: Vec<Table>,
}

/// A command's use of one database table, or of one lock that belongs to no table; None for numbers
/// that the log does not state.
#[derive(Debug, Default, Clone)]
pub struct Table {
    name: Range<usize>,
    /// Numbers of database pages of the table that were read, written and cached for the command.
    pub pages: Option<[i64; 3]>,
    /// Numbers of internal pages and of leaf pages of the table that the command split.
    pub splits: Option<[i64; 2]>,
    /// Numbers of the command's read locks and write locks on the table, and of rows got,
    /// positioned, scanned, put and deleted.
    pub uses: Option<[i64; 7]>,
    /// Total times of the command's locks on the table in milliseconds: read wait, read held, write
    /// wait, write held.
    pub total_ms: Option<[i64; 4]>,
    /// Longest times of a single lock of the command on the table in milliseconds: read wait, read
    /// held, write wait, write held. The four may be of different locks.
    pub max_ms: Option<[i64; 4]>,
    /// Reads of the table without a lock (peeks): their count, then in milliseconds the total wait,
    /// total held, longest wait and longest held time.
    pub peeks: Option<[i64; 5]>,
}

impl Table {
    /// Merges the numbers that another log block states about the same table or lock of the command
    /// into this entry: adds them up, but keeps the maximum of the longest times.
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
    /// Number of entries for database tables and locks that the command used.
    #[must_use]
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Iterates over the command's tables and locks, each with its name, such as `db.rev`,
    /// `meta/commit(W)` or `clientEntity/ann-ws(W)`.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &Table)> {
        self.list.iter().map(|table| (self.name(table), table))
    }

    /// The entry of a command's table or lock at an index; None beyond the last entry.
    pub fn get(&mut self, index: usize) -> Option<&mut Table> {
        self.list.get_mut(index)
    }

    /// Index of the entry for the table or lock `name` among the first `earlier` entries; if there
    /// is none, an entry is added at the end, unless the maximum number is reached: then None.
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

    /// Removes the entries of all tables and locks; the memory is kept for the next command, unless
    /// it is large.
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

/// Adds each number in `more` to the number at the same index of `place`, where a missing array
/// counts as zeros; returns false, without a change, if `more` is None.
pub fn sum<const N: usize>(place: &mut Option<[i64; N]>, more: Option<[i64; N]>) -> bool {
    let Some(more) = more else {
        return false;
    };
    let sums = place.get_or_insert([0; N]);
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(more));
    true
}

/// Replaces each number in `place` by the number at the same index of `more` if that is larger; a
/// missing `place` becomes `more`. Returns false, without a change, if `more` is None.
pub fn longest<const N: usize>(place: &mut Option<[i64; N]>, more: Option<[i64; N]>) -> bool {
    let Some(more) = more else {
        return false;
    };
    let longest = place.get_or_insert(more);
    longest.iter_mut().zip(more).for_each(|(longest, more)| *longest = more.max(*longest));
    true
}

/// Merges the statistics `more` of reads without a lock (peeks) into `place`: count, total wait and
/// total held time are added, of the longest wait and longest held time the maximum is kept.
/// Returns false, without a change, if `more` is None.
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
