//! How fast users have asked: what a limit would have to allow.

use super::names::at;
use std::collections::HashMap;

/// Rates that are tried, as the time between two requests.
pub const INTERVALS_MS: [u64; 12] =
    [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
/// More pairs of a user and a command are not followed.
const MAX_PAIRS: usize = 1 << 20;

/// Requests of each user by command.
#[derive(Debug, Default)]
pub struct History {
    /// By command, then by user.
    pub asked: HashMap<Vec<u8>, HashMap<Vec<u8>, Asked>>,
    pairs: usize,
    /// Requests of users beyond the most that are followed.
    pub left_out: u64,
}

/// How often a user asked, and the burst each rate would have had to allow.
#[derive(Debug, Default, Clone, Copy)]
pub struct Asked {
    /// Requests.
    pub count: u64,
    /// For each of `INTERVALS_MS` the burst with which every request would have passed.
    pub bursts: [u64; INTERVALS_MS.len()],
    until_ns: [u64; INTERVALS_MS.len()],
}

impl History {
    /// Notes a request.
    pub fn note(&mut self, command: &[u8], user: &[u8], now_ns: u64) {
        let History { asked, pairs, left_out } = self;
        at(asked, command, |users| {
            if *pairs >= MAX_PAIRS && !users.contains_key(user) {
                *left_out += 1;
                return;
            }
            at(users, user, |asked: &mut Asked| {
                *pairs += usize::from(asked.count == 0);
                asked.note(now_ns);
            });
        });
    }
}

impl Asked {
    fn note(&mut self, now_ns: u64) {
        self.count += 1;
        let rates = self.until_ns.iter_mut().zip(&mut self.bursts).zip(INTERVALS_MS);
        for ((until_ns, burst), interval_ms) in rates {
            let rate = p4warden_gate::rate::gcra::Rate {
                interval_ns: interval_ms * 1_000_000,
                tolerance_ns: u64::MAX,
            };
            *burst = rate.counted(*until_ns, now_ns).max(*burst);
            *until_ns = rate.taken_ns(*until_ns, now_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_what_a_rate_would_have_to_allow() {
        let mut history = History::default();
        for second in [0, 0, 0, 1, 60] {
            history.note(b"fstat", b"ann", (1_000 + second) * 1_000_000_000);
        }
        let asked = &history.asked[&b"fstat"[..]][&b"ann"[..]];
        assert_eq!(asked.count, 5);
        // At 100, 1 and 1/60 a second.
        assert_eq!(asked.bursts[0], 3);
        assert_eq!(asked.bursts[6], 3);
        assert_eq!(asked.bursts[11], 4);
    }
}
