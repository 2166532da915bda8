//! The commands of one rule at once, by a log that says when each of them began and ended: a queue
//! that knows its future.

use crate::rate::queue::{Arrival, Ends, Later, MOST_LIMITS, Start, shortage};

#[derive(Clone, Copy, Debug)]
struct Run {
    from_ns: u64,
    until_ns: u64,
    user: u64,
    keys: [u64; MOST_LIMITS],
}

#[derive(Debug, Default)]
pub struct Timetable(Vec<Run>);

impl Timetable {
    /// The earliest time at which the command, until its end, makes no limit be exceeded, by the
    /// commands that came before it.
    pub fn start(&mut self, one: &Arrival, now_ns: u64) -> Start {
        self.0.retain(|run| run.until_ns > now_ns);
        let Some((limit, running)) = self.full_limit(one, now_ns) else { return Start::Now };
        let waiting = || self.0.iter().filter(|run| run.from_ns > now_ns);
        let of_user = waiting().filter(|run| run.user == one.user).count();
        let shortage = shortage(of_user, waiting().count());
        let wait_ns = Some(self.start_ns(one, now_ns) - now_ns);
        Start::Later(Later { limit, running, wait_ns, shortage })
    }

    pub fn add(&mut self, one: &Arrival, now_ns: u64) {
        let from_ns = self.start_ns(one, now_ns);
        let until_ns = from_ns.saturating_add(length_ns(one));
        self.0.push(Run {
            from_ns,
            until_ns,
            user: one.user,
            keys: one.limits.map(|(key, _)| key),
        });
    }

    fn start_ns(&self, one: &Arrival, now_ns: u64) -> u64 {
        let mut ends: Vec<u64> = self.0.iter().map(|run| run.until_ns).collect();
        ends.sort_unstable();
        let last = ends.last().copied().unwrap_or(now_ns);
        let mut times = [now_ns].into_iter().chain(ends);
        times.find(|time| self.full_limit(one, *time).is_none()).unwrap_or(last)
    }

    /// The number of the first limit that the command exceeds if it begins at `from_ns`, and the
    /// number of other commands that run then.
    fn full_limit(&self, one: &Arrival, from_ns: u64) -> Option<(usize, u64)> {
        let until_ns = from_ns.saturating_add(length_ns(one));
        let later = self.0.iter().map(|run| run.from_ns);
        let times: Vec<u64> = [from_ns]
            .into_iter()
            .chain(later.filter(|time| (from_ns..until_ns).contains(time)))
            .collect();
        let mut limits = one.limits.iter().enumerate().filter(|(_, (_, at_most))| *at_most > 0);
        limits.find_map(|(number, (key, at_most))| {
            let most = times.iter().map(|time| self.running_at(*key, *time)).max().unwrap_or(0);
            (most >= u64::from(*at_most)).then_some((number, most))
        })
    }

    fn running_at(&self, key: u64, time_ns: u64) -> u64 {
        let runs = self.0.iter().filter(|run| run.keys.contains(&key));
        runs.filter(|run| (run.from_ns..run.until_ns).contains(&time_ns)).count() as u64
    }
}

fn length_ns(one: &Arrival) -> u64 {
    match one.ends {
        Ends::After(ns) => ns.min(one.max_age_ns),
        Ends::With(_) | Ends::Unknown => one.max_age_ns,
    }
}
