//! Tests of the rate table of the state file.

use super::{HORIZON_NS, Outcome, S, SMALL, StateHome, at, of};
use p4warden_gate::contract::keys::Key;
use p4warden_gate::contract::rate_store::RateStore;
use p4warden_gate::home::state::{Counter, Layout};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::os::unix::fs::MetadataExt;

/// Number of rates that fit into a rate table of one page and one group for overflow.
const CAPACITY: u128 = 127 + 15;

#[test]
fn stored_times_are_read_unchanged() -> Outcome {
    let home = StateHome::new(Layout::default())?;
    for key in 0..100_u128 {
        home.keep(at(0), key << 64 | key, S * (key as u64 + 1))?;
    }
    for key in 0..100_u128 {
        let stored_ns = home.stored_ns(at(0), key << 64 | key, HORIZON_NS)?;
        assert_eq!(stored_ns, S * (key as u64 + 1));
    }
    assert_eq!(home.stored_ns(at(0), 1_000, HORIZON_NS)?, 0);
    Ok(())
}

#[test]
fn a_stored_time_beyond_the_horizon_is_ignored_and_counted_as_stale() -> Outcome {
    let home = StateHome::new(SMALL)?;
    home.keep(at(0), 7, 100 * S)?;
    assert_eq!(home.stored_ns(at(0), 7, at(100).since_boot_ns)?, 100 * S);
    assert_eq!(home.stored_ns(at(0), 7, at(100).since_boot_ns - 1)?, 0);
    assert_eq!(home.count(Counter::Stale)?, 1);
    Ok(())
}

#[test]
fn a_full_table_evicts_only_expired_keys() -> Outcome {
    let home = StateHome::new(SMALL)?;
    for key in 0..CAPACITY {
        home.keep(at(0), key, 10 * S + key as u64)?;
    }
    home.keep(at(0), CAPACITY, S)?;
    assert_eq!(home.count(Counter::Untracked)?, 1);
    assert_eq!(home.stored_ns(at(0), CAPACITY, HORIZON_NS)?, 0);
    for key in 0..CAPACITY {
        assert_eq!(home.stored_ns(at(0), key, HORIZON_NS)?, 10 * S + key as u64);
    }
    home.keep(at(10), CAPACITY, S)?;
    assert_eq!(home.stored_ns(at(10), CAPACITY, HORIZON_NS)?, S);
    assert_eq!(home.stored_ns(at(10), 1, HORIZON_NS)?, 1);
    Ok(())
}

#[test]
fn two_keys_of_one_event_never_share_a_slot() -> Outcome {
    let home = StateHome::new(SMALL)?;
    // Both keys of this test map to the same first slot of a page.
    let keys = [1, 128];
    let result = home.with(at(0), |state, now_ns| {
        for key in keys {
            state.stored_ns(of(key), HORIZON_NS, now_ns)?;
        }
        state.keep(of(keys[0]), now_ns + S, now_ns)?;
        state.keep(of(keys[1]), now_ns + 2 * S, now_ns)
    })?;
    result.map_err(|fault| fault.to_string())?;
    assert_eq!(home.stored_ns(at(0), keys[0], HORIZON_NS)?, S);
    assert_eq!(home.stored_ns(at(0), keys[1], HORIZON_NS)?, 2 * S);
    Ok(())
}

#[test]
fn keys_with_one_shared_part_add_no_blocks_to_the_file() -> Outcome {
    let home = StateHome::new(Layout::default())?;
    home.keep(at(0), 1, S)?;
    let before = fs::metadata(home.path())?.blocks();
    for key in 0..100 {
        home.keep(at(0), key, S)?;
    }
    assert_eq!(fs::metadata(home.path())?.blocks(), before);
    Ok(())
}

/// Property test of the rate table: a stored time is found until it passes. A time that could
/// not be stored is counted and changes nothing else.
#[test]
fn no_unexpired_time_is_lost() -> Outcome {
    let steps = prop::collection::vec((0_u64..600, 3_u32..10, 0_u64..3), 500..1_200);
    // A case has many steps, so there are few; `PROPTEST_CASES` overrides the configuration of a
    // `proptest!`.
    let cases = ProptestConfig::default().cases.div_ceil(16);
    let mut runner = TestRunner::new(ProptestConfig::with_cases(cases));
    Ok(runner.run(&(steps, 1_u32..4), |(steps, pages)| stored_times_are_found(&steps, pages))?)
}

fn stored_times_are_found(steps: &[(u64, u32, u64)], pages: u32) -> Result<(), TestCaseError> {
    let home = StateHome::new(Layout { notes: 1, pages, groups: 2 }).map_err(failure)?;
    let (mut clock, mut times_ns, mut untracked) = (at(0), HashMap::new(), 0);
    for &(key, long, later_s) in steps {
        clock.since_boot_ns += later_s * S / 8;
        clock.wall_ns += later_s * S / 8;
        // The keys of this test map to at most two pages, and there all to the same first slot.
        let own_hash = u128::from(key) << 64 | u128::from(key * 127);
        let key = Key { own_hash, shared_hash: key % 2 };
        let now_ns = clock.since_boot_ns;
        let until_ns = now_ns + (S << long);
        let result = home.with(clock, |state, _| {
            let stored_ns = state.stored_ns(key, HORIZON_NS, now_ns)?;
            state.keep(key, until_ns, now_ns)?;
            Ok((stored_ns, state.counts()[Counter::Untracked as usize]))
        });
        let result: Result<_, p4warden_gate::base::fault::Fault> = result.map_err(failure)?;
        let (stored_ns, count) = result.map_err(|fault| TestCaseError::fail(fault.to_string()))?;
        let expected = times_ns.get(&own_hash).copied().filter(|ns| *ns > now_ns);
        prop_assert_eq!(expected, Some(stored_ns).filter(|ns| *ns > now_ns));
        if count == untracked {
            times_ns.insert(own_hash, until_ns);
        }
        untracked = count;
    }
    Ok(())
}

fn failure(error: Box<dyn Error>) -> TestCaseError {
    TestCaseError::fail(error.to_string())
}
