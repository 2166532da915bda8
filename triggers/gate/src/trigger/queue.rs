//! How a command waits until others of its kind have ended, and how p4d tells that one has. Nobody
//! wakes those that wait: they look again and again, the more often the fewer wait before them.

use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::home::folder::Home;
use crate::home::processes;
use crate::home::state::State;
use crate::rate::queue::Arrival;
use crate::trigger::last_word::LastWord;
use std::thread;
use std::time::Duration;

const FIRST_LOOKS_EVERY: Duration = Duration::from_millis(20);
const MOST_BETWEEN_LOOKS: Duration = Duration::from_millis(500);

/// Of a command that waits in the queues of some rules.
#[derive(Clone, Copy, Debug)]
pub struct Waited {
    pub ns: u64,
    /// Whether it may run; if not, it is in none of the queues any more.
    pub runs: bool,
}

/// Waits for at most the shortest of the rules' delays. Each look at the state is watched.
pub fn wait(
    home: &Home,
    clock: &impl Clock,
    arrivals: &[Arrival],
    last_word: &LastWord,
) -> Result<Waited, Fault> {
    let began_ns = clock.since_boot_ns();
    let most_ns = arrivals.iter().map(|one| one.max_delay_ns).min().unwrap_or(0);
    loop {
        let (before, ns) = look(home, clock, arrivals, (began_ns, most_ns))?;
        let Some(before) = before.filter(|_| ns < most_ns) else {
            return Ok(Waited { ns: ns.min(most_ns), runs: before.is_none() });
        };
        let pause = FIRST_LOOKS_EVERY.saturating_mul(u32::try_from(before + 1).unwrap_or(u32::MAX));
        let pause = pause.min(MOST_BETWEEN_LOOKS).min(Duration::from_nanos(most_ns - ns));
        last_word.unwatched(|| thread::sleep(pause));
    }
}

/// Counts the last command of this connection no longer.
pub fn end(home: &Home, clock: &impl Clock) -> Result<(), Fault> {
    let Some(process) = processes::of_the_connection() else { return Ok(()) };
    State::once(home, clock, |state| state.end(process)).map_err(|fault| fault.of_state())
}

/// The most that wait before it in a queue, None if it may run, and for how long it has waited. It
/// leaves the queues when its time is over.
fn look(
    home: &Home,
    clock: &impl Clock,
    arrivals: &[Arrival],
    (began_ns, most_ns): (u64, u64),
) -> Result<(Option<usize>, u64), Fault> {
    State::once(home, clock, |state| {
        let ns = clock.since_boot_ns().saturating_sub(began_ns);
        let mut most_before = None;
        for one in arrivals {
            most_before = most_before.max(state.waiting_before(one)?);
        }
        if most_before.is_some() && ns >= most_ns {
            for one in arrivals {
                state.leave(one)?;
            }
        }
        Ok((most_before, ns))
    })
}
