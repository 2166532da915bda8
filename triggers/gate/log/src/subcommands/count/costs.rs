use std::collections::BTreeMap;

const BOUNDS_MS: [u64; 10] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/// How many decisions about an event took how many microseconds.
#[derive(Debug, Default)]
pub(super) struct Costs {
    by_us: BTreeMap<u64, u64>,
    pub decisions: u64,
}

impl Costs {
    pub fn add(&mut self, took_s: f64) {
        *self.by_us.entry((took_s * 1e6).round_ties_even() as u64).or_default() += 1;
        self.decisions += 1;
    }

    pub fn total_us(&self) -> u64 {
        self.by_us.iter().fold(0, |sum, (us, count)| sum.saturating_add(us.saturating_mul(*count)))
    }

    /// The duration that this part of the decisions did not exceed, in nanoseconds.
    pub fn within_ns(&self, part: f64) -> u64 {
        let place = ((self.decisions - 1) as f64 * part).round_ties_even() as u64;
        let mut end = 0;
        let found = self.by_us.iter().find(|(_, count)| {
            end += **count;
            end > place
        });
        found.map_or(0, |(us, _)| us * 1000)
    }

    /// Numbers of decisions, by what they stayed below.
    pub fn spread(&self) -> Vec<(String, u64)> {
        let mut low_us = 0;
        let mut below = |high_us: u64| {
            self.by_us.range(std::mem::replace(&mut low_us, high_us)..high_us).map(|(_, n)| n).sum()
        };
        let mut spread: Vec<(String, u64)> =
            BOUNDS_MS.iter().map(|ms| (format!("< {ms} ms"), below(ms * 1000))).collect();
        spread.push(("more".to_owned(), below(u64::MAX)));
        spread
    }
}
