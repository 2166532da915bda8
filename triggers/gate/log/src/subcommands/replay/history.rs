//! Request rates of users in a log, as a basis for choosing limits.

use super::names::update_entry;
use std::collections::HashMap;

/// Candidate rates for a rate limit, each as the number of milliseconds between two requests.
pub const INTERVALS_MS: [u64; 12] =
    [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
/// Maximum number of pairs of user and command name whose requests are counted; requests of further
/// pairs are left out of the statistics.
const MAX_PAIRS: usize = 1 << 20;

/// Statistics of the requests in a log by main command name and user: their number, and the bursts
/// with which limits at candidate rates would have allowed them all without delay.
#[derive(Debug, Default)]
pub struct History {
    /// For each main command name, and within it for each user: the number of requests, and per
    /// candidate rate the smallest burst with which none of them would have been refused or
    /// delayed.
    pub requests: HashMap<Vec<u8>, HashMap<Vec<u8>, RequestCounts>>,
    pairs: usize,
    /// Number of requests in the log that these statistics leave out, because there were too many
    /// pairs of user and command name.
    pub omitted_count: u64,
}

/// Number of one user's requests for one command, and for each candidate rate the smallest burst
/// with which all would have been allowed without delay.
#[derive(Debug, Default, Clone, Copy)]
pub struct RequestCounts {
    /// Number of the user's requests for the command in the log.
    pub count: u64,
    /// For each rate in `INTERVALS_MS`, the smallest burst with which no request would have been
    /// refused or delayed.
    pub bursts: [u64; INTERVALS_MS.len()],
    until_ns: [u64; INTERVALS_MS.len()],
}

impl History {
    /// Adds a request of the log to the statistics of its main command name and user, or to
    /// `omitted_count` if there are too many such pairs.
    pub fn note(&mut self, command: &[u8], user: &[u8], now_ns: u64) {
        let History { requests, pairs, omitted_count } = self;
        update_entry(requests, command, |users| {
            if *pairs >= MAX_PAIRS && !users.contains_key(user) {
                *omitted_count += 1;
                return;
            }
            update_entry(users, user, |counts: &mut RequestCounts| {
                *pairs += usize::from(counts.count == 0);
                counts.note(now_ns);
            });
        });
    }
}

impl RequestCounts {
    fn note(&mut self, now_ns: u64) {
        self.count += 1;
        let rates = self.until_ns.iter_mut().zip(&mut self.bursts).zip(INTERVALS_MS);
        for ((until_ns, burst), interval_ms) in rates {
            let rate = p4warden_gate::rate::gcra::Rate {
                interval_ns: interval_ms * 1_000_000,
                tolerance_ns: u64::MAX,
            };
            *burst = rate.count_at(*until_ns, now_ns).max(*burst);
            *until_ns = rate.next_arrival_ns(*until_ns, now_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_burst_of_a_rate_is_the_smallest_that_refuses_no_request() {
        let mut history = History::default();
        for second in [0, 0, 0, 1, 60] {
            history.note(b"fstat", b"ann", (1_000 + second) * 1_000_000_000);
        }
        let counts = &history.requests[&b"fstat"[..]][&b"ann"[..]];
        assert_eq!(counts.count, 5);
        // The smallest bursts with which none of these five requests would have been refused or
        // delayed, at rates of 100, 1 and 1/60 requests per second.
        assert_eq!(counts.bursts[0], 3);
        assert_eq!(counts.bursts[6], 3);
        assert_eq!(counts.bursts[11], 4);
    }
}
