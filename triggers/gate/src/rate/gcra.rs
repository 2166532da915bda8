//! Rate limiting by the generic cell rate algorithm (ITU-T I.371) in whole nanoseconds.
//!
//! For each key, such as a user, one number is stored: the theoretical arrival time, at which the
//! key's last accepted request is fully accounted for. A request has a weight, 1 if requests are
//! counted and its estimated records if these are.

/// A rate limit: a weight of one per interval at the steady rate, with a tolerance for bursts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Nanoseconds for a weight of 1 at the steady rate of the limit, at least 1.
    pub interval_ns: u64,
    /// Nanoseconds by which the theoretical arrival time may be ahead of the current time: `(burst
    /// - 1) * interval_ns`.
    pub tolerance_ns: u64,
}

impl Rate {
    /// 0 if it conforms now. A weight above the burst counts as the burst: such a request conforms
    /// once all earlier ones are accounted for.
    pub fn wait_ns(&self, stored_ns: u64, now_ns: u64, weight: u64) -> u64 {
        let burst_ns = self.tolerance_ns.saturating_add(self.interval_ns);
        let own_ns = self.interval_ns.saturating_mul(weight).min(burst_ns);
        let ahead_ns = stored_ns.max(now_ns) - now_ns;
        ahead_ns.saturating_sub(burst_ns - own_ns)
    }

    /// After a request at `now_ns` is accepted.
    pub fn next_arrival_ns(&self, stored_ns: u64, now_ns: u64, weight: u64) -> u64 {
        stored_ns.max(now_ns).saturating_add(self.interval_ns.saturating_mul(weight))
    }

    /// The weight of a key's earlier requests that counts against the rate limit at `now_ns`.
    pub fn used_at(&self, stored_ns: u64, now_ns: u64) -> u64 {
        let ahead_ns = stored_ns.max(now_ns) - now_ns;
        ahead_ns.div_ceil(self.interval_ns.max(1))
    }

    /// The upper bound of a key's theoretical arrival time at `now_ns`, in nanoseconds, if accepted
    /// requests have a weight of 1 and are delayed by at most `delay_ns`.
    pub fn horizon_ns(&self, delay_ns: u64, now_ns: u64) -> u64 {
        let ahead_ns = self.tolerance_ns.saturating_add(self.interval_ns).saturating_add(delay_ns);
        now_ns.saturating_add(ahead_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rate(interval_ns: u64, burst: u64) -> Rate {
        Rate { interval_ns, tolerance_ns: (burst - 1) * interval_ns }
    }

    #[test]
    fn a_rate_admits_a_burst_and_then_one_request_per_interval() {
        let rate = rate(1_000, 3);
        let mut stored = 0;
        for _ in 0..3 {
            assert_eq!(rate.wait_ns(stored, 5_000, 1), 0);
            stored = rate.next_arrival_ns(stored, 5_000, 1);
        }
        assert_eq!(rate.wait_ns(stored, 5_000, 1), 1_000);
        assert_eq!(rate.used_at(stored, 5_000), 3);
        assert_eq!(rate.wait_ns(stored, 6_000, 1), 0);
        assert_eq!(stored, rate.horizon_ns(0, 5_000));
    }

    #[test]
    fn a_weight_above_the_burst_waits_for_the_whole_burst_and_leaves_a_debt() {
        let rate = rate(1_000, 3);
        assert_eq!(rate.wait_ns(0, 5_000, 10), 0);
        let stored = rate.next_arrival_ns(0, 5_000, 10);
        assert_eq!(rate.used_at(stored, 5_000), 10);
        assert_eq!(rate.wait_ns(stored, 5_000, 1), 8_000);
        assert_eq!(rate.wait_ns(stored, 5_000, 10), 10_000);
        assert_eq!(rate.wait_ns(stored, 15_000, 10), 0);
    }

    #[test]
    fn extreme_times_and_weights_saturate_without_overflow() {
        let rate = Rate { interval_ns: u64::MAX, tolerance_ns: u64::MAX };
        assert_eq!(rate.wait_ns(u64::MAX, 0, 1), u64::MAX);
        assert_eq!(rate.wait_ns(0, 0, u64::MAX), 0);
        assert_eq!(rate.next_arrival_ns(u64::MAX, 1, u64::MAX), u64::MAX);
        assert_eq!(rate.horizon_ns(u64::MAX, u64::MAX), u64::MAX);
    }

    proptest! {
        #[test]
        fn a_rate_never_admits_more_than_the_burst_and_one_per_interval(
            interval in 1_u64..1_000, burst in 1_u64..20, steps in prop::collection::vec(0_u64..2_000, 1..200),
        ) {
            let rate = rate(interval, burst);
            let (mut stored, mut now, mut admitted) = (0, 1_000_000, Vec::new());
            for step in steps {
                now += step;
                if rate.wait_ns(stored, now, 1) == 0 {
                    stored = rate.next_arrival_ns(stored, now, 1);
                    admitted.push(now);
                }
            }
            for (first, from) in admitted.iter().enumerate() {
                for (last, until) in admitted.iter().enumerate().skip(first) {
                    let count = u64::try_from(last - first + 1)?;
                    prop_assert!(count <= burst + (until - from) / interval);
                }
            }
        }

        #[test]
        fn the_returned_wait_is_the_shortest_sufficient_wait(
            interval in 1_u64..1_000, burst in 1_u64..20, stored in 0_u64..40_000, now in 0_u64..40_000,
        ) {
            let rate = rate(interval, burst);
            for weight in [1, 2, burst, burst + 9] {
                let wait = rate.wait_ns(stored, now, weight);
                prop_assert_eq!(rate.wait_ns(stored, now + wait, weight), 0);
                prop_assert!(wait == 0 || rate.wait_ns(stored, now + wait - 1, weight) == 1);
            }
        }

        #[test]
        fn a_budget_admits_at_most_the_burst_the_rate_and_one_request_in_every_period(
            interval in 1_u64..1_000, burst in 1_u64..50,
            requests in prop::collection::vec((0_u64..20_000, 1_u64..200), 1..120),
        ) {
            let rate = rate(interval, burst);
            let (mut stored, mut now, mut admitted) = (0, 1_000_000, Vec::new());
            for (step, weight) in requests {
                now += step;
                if rate.wait_ns(stored, now, weight) == 0 {
                    stored = rate.next_arrival_ns(stored, now, weight);
                    admitted.push((now, weight));
                }
            }
            for (first, (from, _)) in admitted.iter().enumerate() {
                let (mut sum, mut dearest) = (0, 0);
                for (until, weight) in &admitted[first..] {
                    (sum, dearest) = (sum + weight, dearest.max(*weight));
                    let over = dearest.saturating_sub(burst);
                    prop_assert!(sum <= burst + (until - from) / interval + over);
                }
            }
        }

        #[test]
        fn a_budget_admits_all_that_fits_in_any_order(
            interval in 1_u64..1_000, weights in prop::collection::vec(1_u64..200, 1..40),
        ) {
            let rate = rate(interval, weights.iter().sum());
            let mut stored = 0;
            for weight in &weights {
                prop_assert_eq!(rate.wait_ns(stored, 5_000, *weight), 0);
                stored = rate.next_arrival_ns(stored, 5_000, *weight);
            }
            prop_assert_eq!(rate.wait_ns(stored, 5_000, 1), interval);
        }
    }
}
