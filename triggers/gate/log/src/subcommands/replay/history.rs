//! Request rates of users in a log, or the records that their requests read, as a basis for choosing
//! limits.

use p4warden_gate::rate::queue::Ends;
use std::collections::HashMap;

/// Milliseconds between two requests, of candidate rates.
pub const INTERVALS_MS: [u64; 12] =
    [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
/// Requests of further pairs of user and command name, in one class, are left out.
pub const MAX_PAIRS: usize = 1 << 20;

#[derive(Debug, Default)]
pub struct History {
    /// By main command name, or in a `BudgetHistory` of all commands, by the empty one.
    pub requests: HashMap<Vec<u8>, Senders>,
    pairs: usize,
    pub omitted_count: u64,
}

/// By class, which is empty for requests of none, and then by user.
pub type Senders = HashMap<Vec<u8>, HashMap<Vec<u8>, RequestCounts>>;

#[derive(Debug, Default)]
pub struct RequestCounts {
    pub count: u64,
    /// For each rate in `INTERVALS_MS`, the smallest burst with which no request would have been
    /// refused or delayed: of requests, or of records if these are counted.
    pub bursts: [u64; INTERVALS_MS.len()],
    until_ns: [u64; INTERVALS_MS.len()],
    /// The most that ran at once, of those whose end is known, and the number of the others.
    pub most_at_once: usize,
    pub without_end: u64,
    running_until_ns: Vec<u64>,
}

impl History {
    /// None if they would be those of one pair too many.
    pub fn counts(
        &mut self,
        command: &[u8],
        class: &str,
        user: &[u8],
    ) -> Option<&mut RequestCounts> {
        let class = class.as_bytes();
        let users = self.requests.get(command).and_then(|senders| senders.get(class));
        if users.is_none_or(|users| !users.contains_key(user)) {
            if self.pairs >= MAX_PAIRS {
                self.omitted_count += 1;
                return None;
            }
            self.pairs += 1;
            let senders = self.requests.entry(command.to_vec()).or_default();
            let users = senders.entry(class.to_vec()).or_default();
            users.insert(user.to_vec(), RequestCounts::default());
        }
        self.requests.get_mut(command)?.get_mut(class)?.get_mut(user)
    }
}

impl RequestCounts {
    /// A request of a weight, at rates of a weight of `per_interval` in each interval.
    pub fn note(&mut self, now_ns: u64, weight: u64, per_interval: u64) {
        self.count += 1;
        let rates = self.until_ns.iter_mut().zip(&mut self.bursts).zip(INTERVALS_MS);
        for ((until_ns, burst), interval_ms) in rates {
            let rate = p4warden_gate::rate::gcra::Rate {
                interval_ns: interval_ms * 1_000_000 / per_interval,
                tolerance_ns: u64::MAX,
            };
            *burst = rate.used_at(*until_ns, now_ns).saturating_add(weight).max(*burst);
            *until_ns = rate.next_arrival_ns(*until_ns, now_ns, weight);
        }
    }

    pub fn note_run(&mut self, now_ns: u64, ends: Ends) {
        let Ends::After(ns) = ends else {
            self.without_end += 1;
            return;
        };
        self.running_until_ns.retain(|until_ns| *until_ns > now_ns);
        self.running_until_ns.push(now_ns.saturating_add(ns));
        self.most_at_once = self.most_at_once.max(self.running_until_ns.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_burst_of_a_rate_is_the_smallest_that_refuses_no_request() {
        let mut history = History::default();
        for second in [0, 0, 0, 1, 60] {
            let counts = history.counts(b"fstat", "", b"ann").unwrap();
            counts.note((1_000 + second) * 1_000_000_000, 1, 1);
        }
        history.counts(b"fstat", "builds", b"ann").unwrap().note(1_000, 1, 1);
        let senders = &history.requests[&b"fstat"[..]];
        assert_eq!(senders[&b"builds"[..]][&b"ann"[..]].count, 1);
        let counts = &senders[&b""[..]][&b"ann"[..]];
        assert_eq!(counts.count, 5);
        // At rates of 100, 1 and 1/60 requests per second.
        assert_eq!(counts.bursts[0], 3);
        assert_eq!(counts.bursts[6], 3);
        assert_eq!(counts.bursts[11], 4);
    }

    #[test]
    fn a_weight_uses_its_part_of_each_interval() {
        let mut counts = RequestCounts::default();
        for number in 0..10 {
            counts.note((1_000 + 10 * number) * 1_000_000_000, 3_700, 10_000);
        }
        assert_eq!(counts.count, 10);
        assert_eq!(counts.bursts[0], 3_700);
        // 20,000 a minute regain 3,333 of the 3,700 in 10 seconds, 10,000 a minute 1,666.
        assert_eq!(counts.bursts[10], 3_700 + 3_300);
        assert_eq!(counts.bursts[11], 3_700 + 18_300);
    }
}
