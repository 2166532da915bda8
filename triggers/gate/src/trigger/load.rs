//! The server's load at the time of a command.

use crate::event::arguments::Arguments;
use crate::home::monitor_file;
use crate::judge::command_policy::Rules;
use crate::policy::pressure::{self, Level, Load, Measures};

/// The parts of the server's load that rules need; the others count as low.
pub fn load(arguments: &Arguments<'_>, rules: &Rules<'_>, measures: &Measures<'_>) -> Load {
    let level = if rules.need_the_level() { level(arguments, measures) } else { Level::Low };
    let lock_waiters = match rules.need_the_lock_waiters() {
        true => measures.monitor_file.as_deref().and_then(monitor_file::lock_waiters),
        false => Some(0),
    };
    Load { level: Some(level), lock_waiters }
}

/// The load level of the server: the one that p4d passed, otherwise the kernel's if the policy sets
/// thresholds for it, otherwise low.
fn level(arguments: &Arguments<'_>, measures: &Measures<'_>) -> Level {
    let thresholds = measures.thresholds();
    let from_server =
        pressure::worst_of(["pressure-cpu", "pressure-mem"].map(|name| arguments.get(name)));
    let kernels = || {
        let files = ["/proc/pressure/cpu", "/proc/pressure/memory"];
        let texts = files.into_iter().filter_map(|file| std::fs::read_to_string(file).ok());
        texts.map(|text| pressure::of_kernel(&text, thresholds?).into()).max().flatten()
    };
    from_server.or_else(kernels).unwrap_or(Level::Low)
}
