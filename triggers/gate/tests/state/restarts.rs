//! Tests of the state file after a restart of the machine or a change of its clock.

use super::{HORIZON_NS, Outcome, S, SMALL, StateHome, TestClock, at};
use p4warden_gate::home::state::Counter;

#[test]
fn a_restart_of_the_machine_clears_rates_and_keeps_counters() -> Outcome {
    let home = StateHome::new(SMALL)?;
    home.keep(at(0), 7, 3_600 * S)?;
    home.with(at(0), |state, _| state.count(Counter::Refused))?;
    let restarted =
        TestClock { since_boot_ns: 2_000 * S, wall_ns: 2_009_000 * S, boot: 2, namespace_ns: 0 };
    assert_eq!(home.stored_ns(restarted, 7, HORIZON_NS)?, 0);
    let count =
        |counter: Counter| home.with(restarted, move |state, _| state.counts()[counter as usize]);
    assert_eq!((count(Counter::Restarted)?, count(Counter::Refused)?), (1, 1));
    Ok(())
}

#[test]
fn setting_the_wall_clock_changes_no_rate() -> Outcome {
    let home = StateHome::new(SMALL)?;
    home.keep(at(0), 7, 3_600 * S)?;
    for wall_ns in [0, at(0).wall_ns + 86_400 * S, at(0).wall_ns - 86_400 * S] {
        let set = TestClock { wall_ns, ..at(1) };
        assert_eq!(home.stored_ns(set, 7, HORIZON_NS)?, 3_599 * S);
    }
    Ok(())
}

#[test]
fn a_boot_clock_that_goes_back_clears_rates_and_is_counted() -> Outcome {
    let home = StateHome::new(SMALL)?;
    home.keep(at(500), 7, 3_600 * S)?;
    assert_eq!(home.stored_ns(at(100), 7, HORIZON_NS)?, 0);
    let restarts = home.with(at(100), |state, _| state.counts()[Counter::Restarted as usize])?;
    assert_eq!(restarts, 1);
    Ok(())
}

#[test]
fn two_time_namespaces_share_their_rates() -> Outcome {
    for (ahead, namespace_ns) in [(86_400 * S, 86_400_000_000_000), (S / 4, 250_000_000)] {
        let home = StateHome::new(SMALL)?;
        home.keep(at(0), 7, 3_600 * S)?;
        for second in 1..5 {
            let own = at(second);
            let inside =
                TestClock { since_boot_ns: own.since_boot_ns + ahead, namespace_ns, ..own };
            for clock in [inside, own] {
                let stored_ns = home.stored_ns(clock, 7, HORIZON_NS)?;
                assert!(stored_ns.abs_diff((3_600 - second) * S) <= S / 4, "{stored_ns}");
            }
        }
        let restarts = home.with(at(5), |state, _| state.counts()[Counter::Restarted as usize])?;
        assert_eq!(restarts, 0);
    }
    Ok(())
}
