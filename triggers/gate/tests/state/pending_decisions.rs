//! Tests of the decisions that the state file has counted and that are not yet in the decision log.

use super::{Outcome, S, SMALL, StateHome, TestClock, at};
use p4warden_gate::home::state::{Counter, Layout, LogTime, Note};
use p4warden_gate::judge::command_outcome::Verdict;

#[test]
fn equal_decisions_are_logged_at_once_and_then_every_ten_seconds() -> Outcome {
    let home = StateHome::new(Layout::default())?;
    assert_eq!(home.note(at(0), b"ann")?, LogTime::Now(1, vec![]));
    for second in 1..10 {
        assert_eq!(home.note(at(second), b"ann")?, LogTime::Later);
    }
    assert_eq!(home.note(at(9), b"bob")?, LogTime::Now(1, vec![]));
    assert_eq!(home.pending(at(9))?, [(b"ann".to_vec(), 9)]);
    assert_eq!(home.note(at(10), b"ann")?, LogTime::Now(10, vec![]));
    assert_eq!(home.note(at(11), b"ann")?, LogTime::Later);
    assert_eq!(home.pending(at(11))?, [(b"ann".to_vec(), 1)]);
    Ok(())
}

#[test]
fn an_evicted_entry_is_logged_before_its_slot_is_reused() -> Outcome {
    let home = StateHome::new(SMALL)?;
    for user in 0..16_u8 {
        assert_eq!(home.note(at(0), &[user])?, LogTime::Now(1, vec![]));
        assert_eq!(home.note(at(0), &[user])?, LogTime::Later);
    }
    assert_eq!(home.note(at(9), b"ann")?, LogTime::Later);
    assert_eq!(home.count(Counter::Unlogged)?, 1);
    let LogTime::Now(1, entries) = home.note(at(10), b"ann")? else {
        return Err("no line is due".into());
    };
    let [entry] = &entries[..] else { return Err("not one".into()) };
    assert_eq!((entry.rule.as_str(), entry.count), ("polling", 1));
    assert_eq!(home.pending(at(10))?.len(), 15);
    Ok(())
}

#[test]
fn pending_decisions_survive_a_restart_of_the_machine() -> Outcome {
    let home = StateHome::new(SMALL)?;
    home.note(at(0), b"ann")?;
    home.note(at(1), b"ann")?;
    let restarted =
        TestClock { since_boot_ns: S, wall_ns: 2_009_000 * S, boot: 2, namespace_ns: 0 };
    assert_eq!(home.pending(restarted)?, [(b"ann".to_vec(), 1)]);
    let LogTime::Now(1, others) = home.note(restarted, b"ann")? else {
        return Err("no line".into());
    };
    assert_eq!(others.iter().map(|other| other.count).collect::<Vec<_>>(), [1]);
    Ok(())
}

#[test]
fn decisions_counted_before_midnight_keep_their_time() -> Outcome {
    const DAY_S: u64 = 86_400;
    let home = StateHome::new(SMALL)?;
    for second in [DAY_S - 60, DAY_S - 59, DAY_S - 57] {
        home.note(on_day(second), b"ann")?;
    }
    let [counted] = &home.pending_decisions(on_day(DAY_S + 8))?[..] else {
        return Err("not one".into());
    };
    assert_eq!((counted.count, counted.last_wall_ns), (2, (DAY_S - 57) * S));
    let LogTime::Now(1, others) = home.note(on_day(DAY_S + 8), b"ann")? else {
        return Err("no line".into());
    };
    let [other] = &others[..] else { return Err("not one".into()) };
    assert_eq!((other.count, other.last_wall_ns), (2, (DAY_S - 57) * S));
    assert_eq!(home.note(on_day(DAY_S + 9), b"ann")?, LogTime::Later);
    assert_eq!(home.note(on_day(DAY_S + 18), b"ann")?, LogTime::Now(2, vec![]));
    Ok(())
}

/// The test clock at a number of seconds after a midnight.
fn on_day(seconds: u64) -> TestClock {
    TestClock { wall_ns: seconds * S, ..at(seconds) }
}

#[test]
fn long_names_are_cut_to_fit_their_entry() -> Outcome {
    let home = StateHome::new(SMALL)?;
    let rule = "é".repeat(500);
    let note = Note {
        event: "change-submit",
        verdict: "observe",
        is_unusual: false,
        enforced_verdict: Some(Verdict::Delay),
        rule: &rule,
        user: &[0xFF; 5_000],
        ip: b"",
    };
    for _ in 0..2 {
        home.with(at(0), |state, _| state.note(&note))?.map_err(|fault| fault.to_string())?;
    }
    let [(user, count)] = &home.pending(at(0))?[..] else { return Err("not one".into()) };
    assert_eq!((user.len(), *count), (96, 1));
    Ok(())
}

#[test]
fn a_user_and_an_address_that_are_new_do_not_both_take_one_expired_entry() -> Outcome {
    let home = StateHome::new(SMALL)?;
    for expected in [LogTime::Now(1, vec![]), LogTime::Later] {
        assert_eq!(home.note_from(at(0), b"ann", b"10.0.0.1")?, expected);
    }
    let LogTime::Now(1, others) = home.note_from(at(11), b"bob", b"10.0.0.2")? else {
        return Err("no line".into());
    };
    assert_eq!(others.iter().map(|other| other.count).collect::<Vec<_>>(), [1]);
    assert_eq!(home.note_from(at(11), b"bob", b"10.0.0.2")?, LogTime::Later);
    assert_eq!(home.pending(at(11))?, [(b"bob".to_vec(), 1)]);
    Ok(())
}

#[test]
fn forged_users_of_one_address_get_few_lines_and_none_is_lost() -> Outcome {
    let home = StateHome::new(Layout::default())?;
    let (mut lines, mut counted) = (0, 0);
    for second in [0, 3, 9, 10, 12, 25, 100] {
        for number in 0..200 {
            let user = format!("forged{number}-{second}");
            let LogTime::Now(count, others) =
                home.note_from(at(second), user.as_bytes(), b"10.0.0.1")?
            else {
                continue;
            };
            lines += 1 + others.len();
            counted += count + others.iter().map(|other| other.count).sum::<u64>();
        }
    }
    let pending: u64 = home.pending(at(100))?.iter().map(|(_, count)| count).sum();
    assert_eq!(counted + pending, 7 * 200);
    assert_eq!(lines, 4 * 16 + 3);
    Ok(())
}

#[test]
fn the_same_forged_users_get_few_lines_again() -> Outcome {
    let home = StateHome::new(Layout::default())?;
    let mut lines = 0;
    for second in [0, 10, 20, 30, 40] {
        for number in 0..200 {
            let user = format!("forged{number}");
            let log_time = home.note_from(at(second), user.as_bytes(), b"10.0.0.1")?;
            lines += u32::from(log_time != LogTime::Later);
        }
    }
    assert_eq!(lines, 5 * 16);
    Ok(())
}

#[test]
fn users_of_other_addresses_and_verdicts_keep_their_lines() -> Outcome {
    let home = StateHome::new(Layout::default())?;
    for number in 0..100 {
        home.note_from(at(0), format!("forged{number}").as_bytes(), b"10.0.0.1")?;
    }
    assert_eq!(home.note_from(at(1), b"bob", b"10.0.0.2")?, LogTime::Now(1, vec![]));
    assert_eq!(home.note_from(at(1), b"eve", b"10.0.0.1")?, LogTime::Later);
    let LogTime::Now(1, others) = home.note_from(at(10), b"eve", b"10.0.0.1")? else {
        return Err("no line is due".into());
    };
    let [other] = &others[..] else { return Err("not one".into()) };
    let (ip, users) = other.address().ok_or("no address")?;
    assert_eq!((ip, other.count), (&b"10.0.0.1"[..], 85));
    assert!(users.starts_with(b"forged16, forged17, ") && !users.contains(&0));
    Ok(())
}
