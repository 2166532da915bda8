//! A command that runs on the server, as readings of `p4 monitor show` tell of it.

use std::borrow::Cow;

/// Between two readings that tell of the same command.
const LEAST_APART_NS: u64 = 10 * NS;
/// Between the starts of one command by two readings, whose ages are whole seconds.
const MOST_OFF_NS: u128 = 2 * NS as u128;
const NS: u64 = 1_000_000_000;

#[derive(Clone, Debug)]
pub struct RunningProcess<'a> {
    pub last: Reading<'a>,
    /// Empty if the type is unknown.
    pub user_type: &'a [u8],
    /// When the server's clock was last found set, by itself: older ages are wrong.
    pub clock_set_ns: Option<u64>,
    /// The readings before. None for a command that only might run, as the author of a policy
    /// describes it.
    pub earlier: Option<Vec<Reading<'a>>>,
}

/// A row of `p4 monitor show`. None for a field that the server left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading<'a> {
    /// One connection keeps it for all its commands.
    pub number: Option<u64>,
    pub state: Option<&'a [u8]>,
    pub user: Option<&'a [u8]>,
    pub client: Option<&'a [u8]>,
    pub host: Option<&'a [u8]>,
    pub prog: Option<&'a [u8]>,
    pub command: Option<&'a [u8]>,
    pub args: Option<Cow<'a, [u8]>>,
    /// Of this command.
    pub age_ns: Option<u64>,
    /// By the server's clock, which also gives the age.
    pub time_ns: Option<u64>,
    /// By a clock of the reader that nobody sets.
    pub steady_ns: Option<u64>,
}

impl RunningProcess<'_> {
    /// Why it is not certain that all readings tell of the same command, which is still running.
    pub fn doubt(&self) -> Option<&'static str> {
        let earlier = self.earlier.as_ref()?;
        let Reading { number, state, user, host, prog, .. } = &self.last;
        let is_listed =
            number.is_some() && [state, user, host, prog].iter().all(|one| one.is_some());
        if !is_listed {
            return Some("details-unknown");
        }
        if !earlier.iter().all(|one| one.is_of_same_command(&self.last)) {
            return Some("another-command");
        }
        let is_apart = |one: &Reading<'_>| {
            let apart_ns = self.last.steady_ns?.checked_sub(one.steady_ns?)?;
            Some(apart_ns >= LEAST_APART_NS)
        };
        if !earlier.iter().any(|one| is_apart(one) == Some(true)) {
            return Some("seen-once");
        }
        let start_ns = self.last.start_ns(|one| one.time_ns);
        let is_old = |set_ns: u64| start_ns.is_none_or(|start_ns| start_ns <= i128::from(set_ns));
        if self.clock_set_ns.is_some_and(is_old) {
            return Some("clock-was-set");
        }
        self.user_type.is_empty().then_some("user-type-unknown")
    }
}

impl Reading<'_> {
    fn is_of_same_command(&self, later: &Reading<'_>) -> bool {
        let off_ns = |time_ns| Some(self.start_ns(time_ns)?.abs_diff(later.start_ns(time_ns)?));
        let is_near = |off_ns: Option<u128>| off_ns.is_some_and(|ns| ns <= MOST_OFF_NS);
        self.number == later.number
            && self.names() == later.names()
            && is_near(off_ns(|one| one.time_ns))
            // The reader's own clock tells that nobody set the server's meanwhile.
            && is_near(off_ns(|one| one.steady_ns))
    }

    fn names(&self) -> [Option<&[u8]>; 6] {
        [self.user, self.client, self.host, self.prog, self.command, self.args.as_deref()]
    }

    fn start_ns(&self, time_ns: fn(&Reading<'_>) -> Option<u64>) -> Option<i128> {
        Some(i128::from(time_ns(self)?) - i128::from(self.age_ns?))
    }
}
