//! Handling of panics in a trigger process: a panic is logged as a fault, and p4d gets the reply
//! that `--on-error` in the trigger line declares.

use crate::base::clock::{Clock, SystemClock};
use crate::base::fault::Fault;
use crate::event::arguments::Arguments;
use crate::home::decision_log;
use crate::trigger::on_error::FailureHandling;
use std::panic::PanicHookInfo;

/// Installs a panic hook that logs the panic as a fault and gives p4d the reply that `--on-error`
/// in the trigger line declares. Without the hook the process would end by a signal, which p4d
/// treats as "allow".
///
/// The panic is not counted in the state file: a second panic within the hook would end the process
/// by a signal, and the process may itself hold the lock of that file, for which other triggers
/// wait.
pub fn answer_as_declared(
    arguments: &Arguments<'_>,
    handling: &FailureHandling,
    triggers_io: bool,
) {
    let (event, handling) = (arguments.event.to_vec(), handling.clone());
    std::panic::set_hook(Box::new(move |info| {
        let fault = Fault::new(format!("a defect: {}", describe(info)));
        let arguments = Arguments::of_event(&event);
        let answer = handling.answer();
        let line =
            decision_log::fault(&arguments, handling.is_denial, &fault, 1, SystemClock.wall_ns());
        let _ = decision_log::append(&handling.home, &line);
        std::process::exit(answer.deliver(triggers_io).into());
    }));
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let place = info.location().map(|place| format!(" ({}:{})", place.file(), place.line()));
    format!("{}{}", text.unwrap_or("no message"), place.unwrap_or_default())
}
