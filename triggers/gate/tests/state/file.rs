//! Tests of the state file as a file: its creation, its recovery when invalid, its lock, and the
//! names of its counters.

use super::{HORIZON_NS, Outcome, S, SMALL, StateHome, at, of};
use p4warden_gate::contract::rate_store::RateStore;
use p4warden_gate::home::state::{COUNTERS, Counter, Layout, LogTime, State};
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};

/// A way to damage the state file in a test: its name, and the function that does it.
type Damage = (&'static str, fn(&File) -> std::io::Result<()>);

#[test]
fn a_new_file_is_private_and_allocates_under_64_kib() -> Outcome {
    let home = StateHome::new(Layout::default())?;
    home.keep(at(0), 7, S)?;
    let status = fs::metadata(home.path())?;
    assert_eq!(status.len(), Layout::default().bytes());
    assert_eq!(status.permissions().mode() & 0o777, 0o600);
    assert!(status.blocks() * 512 < 64 * 1024);
    assert_eq!(home.count(Counter::Recreated)?, 0);
    Ok(())
}

#[test]
fn a_damaged_file_is_recreated() -> Outcome {
    let ways: [Damage; 7] = [
        ("cut short", |file| file.set_len(4_000)),
        ("cut to a header", |file| file.set_len(1_024)),
        ("too long", |file| file.set_len(file.metadata()?.len() + 1)),
        ("another version", |file| file.write_all_at(&[9], 8)),
        ("no magic", |file| file.write_all_at(b"nonsense", 0)),
        ("a counter changed", |file| file.write_all_at(&[0xFF], 120)),
        ("full of noise", |file| {
            let noise: Vec<u8> =
                (0..file.metadata()?.len()).map(|n| (n * n) as u8 ^ 0x5A).collect();
            file.write_all_at(&noise, 0)
        }),
    ];
    for (damage, spoil) in ways {
        let home = StateHome::new(Layout::default())?;
        home.keep(at(0), 7, S)?;
        spoil(&OpenOptions::new().write(true).open(home.path())?)?;
        assert_eq!(home.stored_ns(at(0), 7, HORIZON_NS)?, 0, "{damage}");
        home.keep(at(0), 7, S)?;
        assert_eq!(home.stored_ns(at(0), 7, HORIZON_NS)?, S, "{damage}");
        assert_eq!(home.count(Counter::Recreated)?, 1, "{damage}");
    }
    Ok(())
}

#[test]
fn noise_after_a_valid_header_is_a_fault_and_then_the_file_is_recreated() -> Outcome {
    let home = StateHome::new(SMALL)?;
    home.keep(at(0), 7, S)?;
    let noise: Vec<u8> = (0..SMALL.bytes() - 4_096).map(|n| (n * 31) as u8 ^ 0xC3).collect();
    OpenOptions::new().write(true).open(home.path())?.write_all_at(&noise, 4_096)?;
    let mut state = State::lock(&home.home, SMALL, &at(0)).map_err(|fault| fault.to_string())?;
    let fault = state.stored_ns(of(7), HORIZON_NS, at(0).since_boot_ns).err().ok_or("no fault")?;
    drop(state);
    assert_eq!(fault.to_string(), format!("{}: damaged", home.path().display()));
    assert_eq!(home.stored_ns(at(0), 7, HORIZON_NS)?, 0);
    assert_eq!(home.count(Counter::Recreated)?, 1);
    home.keep(at(0), 7, S)?;
    assert_eq!(home.stored_ns(at(0), 7, HORIZON_NS)?, S);
    assert_eq!(home.note(at(0), b"ann")?, LogTime::Now(1, vec![]));
    Ok(())
}

#[test]
fn a_damaged_count_of_unlogged_decisions_is_a_fault_and_then_the_file_is_recreated() -> Outcome {
    let home = StateHome::new(SMALL)?;
    home.note(at(0), b"ann")?;
    home.note(at(1), b"ann")?;
    let file = OpenOptions::new().read(true).write(true).open(home.path())?;
    let mut content = vec![0; usize::try_from(SMALL.bytes())?];
    file.read_exact_at(&mut content, 0)?;
    let user = content.windows(3).rposition(|three| three == b"ann").ok_or("no entry")?;
    file.write_all_at(b"b", user as u64)?;
    let state = State::lock(&home.home, SMALL, &at(2)).map_err(|fault| fault.to_string())?;
    let fault = state.pending().err().ok_or("no fault")?;
    drop(state);
    assert_eq!(fault.to_string(), format!("{}: damaged", home.path().display()));
    assert_eq!(home.note(at(2), b"ann")?, LogTime::Now(1, vec![]));
    assert_eq!(home.count(Counter::Recreated)?, 1);
    Ok(())
}

#[test]
fn a_lock_that_is_held_is_a_fault_after_a_second() -> Outcome {
    let home = StateHome::new(SMALL)?;
    home.keep(at(0), 7, S)?;
    let file = OpenOptions::new().read(true).write(true).open(home.path())?;
    file.lock()?;
    let error = State::lock(&home.home, SMALL, &at(0)).err().ok_or("the lock was free")?;
    assert!(error.to_string().ends_with("another process kept it locked for a second"), "{error}");
    drop(file);
    assert_eq!(home.stored_ns(at(0), 7, HORIZON_NS)?, S);
    Ok(())
}

#[test]
fn counter_names_are_in_the_order_of_the_counters() -> Outcome {
    let home = StateHome::new(SMALL)?;
    home.with(at(0), |state, _| state.count(Counter::Unlogged))?;
    let counts = home.with(at(0), |state, _| state.counts())?;
    let nonzero: Vec<_> = COUNTERS.iter().zip(counts).filter(|(_, count)| *count > 0).collect();
    assert_eq!(nonzero, [(&"unlogged", 1)]);
    Ok(())
}
