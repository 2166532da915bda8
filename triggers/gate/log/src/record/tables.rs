use std::ops::Range;

const MAX_TABLES: usize = 1_024;

/// Several log blocks about one table are merged into one entry.
#[derive(Debug, Default, Clone)]
pub struct Tables {
    names: Vec<u8>,
    list: Vec<Table>,
}

/// A table, or a lock that belongs to no table; None for numbers that the log does not state.
#[derive(Debug, Default, Clone)]
pub struct Table {
    name: Range<usize>,
    /// Read, written and cached.
    pub pages: Option<[i64; 3]>,
    /// Internal and leaf pages.
    pub splits: Option<[i64; 2]>,
    /// Read locks and write locks; rows got, positioned, scanned, put and deleted.
    pub uses: Option<[i64; 7]>,
    /// Read wait, read held, write wait, write held.
    pub total_ms: Option<[i64; 4]>,
    /// The same of a single lock; the four may be of different locks.
    pub max_ms: Option<[i64; 4]>,
    /// Reads without a lock: count, then in milliseconds the total wait, total held, longest wait
    /// and longest held time.
    pub peeks: Option<[i64; 5]>,
}

impl Table {
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
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Each with its name, such as `db.rev`, `meta/commit(W)` or `clientEntity/ann-ws(W)`.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &Table)> {
        self.list.iter().map(|table| (self.name(table), table))
    }

    pub fn get(&mut self, index: usize) -> Option<&mut Table> {
        self.list.get_mut(index)
    }

    /// Searches the first `earlier` entries, otherwise adds an entry; None if there are too many.
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

    /// Memory is kept for reuse, unless it is large.
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

/// A missing `place` counts as zeros; false, without a change, if `more` is None.
pub fn sum<const N: usize>(place: &mut Option<[i64; N]>, more: Option<[i64; N]>) -> bool {
    let Some(more) = more else {
        return false;
    };
    let sums = place.get_or_insert([0; N]);
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.saturating_add(more));
    true
}

/// Keeps the larger number at each index; false, without a change, if `more` is None.
pub fn longest<const N: usize>(place: &mut Option<[i64; N]>, more: Option<[i64; N]>) -> bool {
    let Some(more) = more else {
        return false;
    };
    let longest = place.get_or_insert(more);
    longest.iter_mut().zip(more).for_each(|(longest, more)| *longest = more.max(*longest));
    true
}

/// Adds the count and totals, keeps the longest; false, without a change, if `more` is None.
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
