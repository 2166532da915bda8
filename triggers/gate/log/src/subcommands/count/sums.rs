//! A damaged log can have counts of any size.

pub(super) fn add(sum: &mut u64, times: u64) {
    *sum = sum.saturating_add(times);
}

pub(super) fn total(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}
