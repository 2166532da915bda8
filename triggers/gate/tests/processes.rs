//! Tests of the state file with many concurrent processes, as p4d starts them, each of which
//! decides with the gate's library. Each of these processes runs this test program again,
//! controlled by its environment. They make the number of decisions given here with proptest's usual
//! 256 cases, and in proportion to other numbers in `PROPTEST_CASES`.

use p4warden_gate::base::clock::SystemClock;
use p4warden_gate::event::command_event::Event;
use p4warden_gate::home::folder::{Home, POLICY};
use p4warden_gate::home::state::{COUNTERS, Counter, Layout, State};
use p4warden_gate::judge::command_decision::{RateFreeResults, standings};
use p4warden_gate::judge::command_outcome::Verdict;
use p4warden_gate::judge::command_policy::Rules;
use p4warden_gate::policy::document::Policy;
use p4warden_gate::policy::pressure::Load;
use proptest::test_runner::Config;
use serde_json::json;
use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

type Outcome = Result<(), Box<dyn Error>>;

const ROLE: &str = "P4WARDEN_TEST_DECIDER";
const ADMISSIONS: &str = "admissions";

/// The task of one of the test's processes, passed to it in an environment variable.
#[derive(Clone, Copy, Debug)]
struct Role {
    pages: u32,
    users: u64,
    /// Number of decisions that the process makes; None for a process that the test kills.
    decisions: Option<u64>,
    seed: u64,
}

/// A request that a test process allowed: the user's number, and the time of the decision in
/// nanoseconds on the boot clock.
type Admission = (u64, u64);

/// Not a test of its own: the other tests start it in separate processes. It makes the decisions
/// that its environment sets, and writes to a file the requests that it allowed and whose rates
/// were stored.
#[test]
#[ignore = "the other tests start it"]
fn decider() -> Outcome {
    let role = std::env::var(ROLE)?;
    let [folder, pages, users, decisions, seed] = role.split('|').collect::<Vec<_>>()[..] else {
        return Err("no role".into());
    };
    let role = Role {
        pages: pages.parse()?,
        users: users.parse()?,
        decisions: decisions.parse().ok(),
        seed: seed.parse()?,
    };
    run(Path::new(folder), role)
}

fn run(folder: &Path, role: Role) -> Outcome {
    let home = Home::at(folder);
    let policy = fs::read(folder.join(POLICY))?;
    let rules = Rules::about(&Policy::read(&policy)?, b"fstat")?;
    let admissions = OpenOptions::new().append(true).create(true).open(folder.join(ADMISSIONS))?;
    let mut random = role.seed;
    for _ in 0..role.decisions.unwrap_or(u64::MAX) {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let user = (random >> 33) % role.users;
        if let Some(admission) = decide_once(&home, &rules, role.pages, user)? {
            record(&admissions, admission)?;
        }
    }
    Ok(())
}

/// Makes one decision as `trigger::command` does; returns the user and time of a request that was
/// allowed and whose rate was stored, otherwise None.
fn decide_once(
    home: &Home,
    rules: &Rules,
    pages: u32,
    user: u64,
) -> Result<Option<Admission>, Box<dyn Error>> {
    let text = |fault: p4warden_gate::base::fault::Fault| fault.to_string();
    let name = user.to_string();
    let event = event(name.as_bytes());
    let layout = layout(pages);
    let mut state = State::lock(home, layout, &SystemClock).map_err(text)?;
    let (now_ns, before) = (state.now_ns(), state.counts()[Counter::Untracked as usize]);
    let standings = standings(rules, &event);
    let results = RateFreeResults::new(rules, &standings, &event);
    let outcome = results.decide(&mut state, now_ns).map_err(text)?;
    let admitted = outcome.verdict == Verdict::Allow;
    state.count(if admitted { Counter::Allowed } else { Counter::Refused });
    let tracked = state.counts()[Counter::Untracked as usize] == before;
    state.finish().map_err(text)?;
    Ok((admitted && tracked).then_some((user, now_ns)))
}

fn share(number: u64) -> u64 {
    number * u64::from(Config::default().cases) / 256
}

fn layout(pages: u32) -> Layout {
    Layout { notes: 1, pages, groups: pages }
}

fn event(user: &[u8]) -> Event<'_> {
    Event { user: Some(user), load: Load::LOW, ..Event::unknown(b"fstat", &String::new) }
}

fn record(mut admissions: &File, (user, now_ns): Admission) -> std::io::Result<()> {
    admissions.write_all(format!("{user} {now_ns}\n").as_bytes())
}

/// Creates a home folder for the tests, with a policy of one rate limit per user.
fn home(allow: &str, burst: u64) -> Result<TempDir, Box<dyn Error>> {
    let folder = TempDir::new()?;
    let limit = json!({"per": ["user"], "allow": allow, "burst": burst});
    let rule = json!({"name": "polling", "rule": "limit_command_rate", "mode": "enforce",
                      "commands": ["fstat"], "limits": [limit]});
    let policy = json!({"format": 1, "digest": "0", "contact": "admins", "rules": [rule]});
    fs::write(folder.path().join(POLICY), policy.to_string())?;
    Ok(folder)
}

fn start(folder: &Path, role: Role) -> Result<Child, Box<dyn Error>> {
    let decisions = role.decisions.map_or(String::from("ever"), |count| count.to_string());
    let (pages, users, seed) = (role.pages, role.users, role.seed);
    let role = format!("{}|{pages}|{users}|{decisions}|{seed}", folder.display());
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--exact", "decider", "--ignored"]).env(ROLE, role);
    Ok(command.stdout(Stdio::null()).spawn()?)
}

fn end(mut child: Child) -> std::io::Result<()> {
    child.kill()?;
    child.wait().map(drop)
}

fn admissions(folder: &Path) -> Result<Vec<Admission>, Box<dyn Error>> {
    let text = fs::read_to_string(folder.join(ADMISSIONS))?;
    let mut admissions = Vec::new();
    for line in text.lines() {
        let (user, now_ns) = line.split_once(' ').ok_or("no admission")?;
        admissions.push((user.parse()?, now_ns.parse()?));
    }
    admissions.sort_unstable();
    Ok(admissions)
}

fn counts(folder: &Path, pages: u32) -> Result<[u64; COUNTERS.len()], Box<dyn Error>> {
    let layout = layout(pages);
    let state =
        State::lock(&Home::at(folder), layout, &SystemClock).map_err(|fault| fault.to_string())?;
    Ok(state.counts())
}

/// Number of allowed requests that violate the rate limit: those that came less than `interval_ns`
/// after the same user's allowed request `burst` places before.
fn too_close(admissions: &[Admission], burst: usize, interval_ns: u64) -> usize {
    let pairs = admissions.iter().zip(admissions.iter().skip(burst));
    pairs
        .filter(|((user, first), (other, last))| user == other && last - first < interval_ns)
        .count()
}

#[test]
fn many_processes_on_one_key_keep_the_rate_and_lose_no_count() -> Outcome {
    let (processes, each, burst, interval_ns) = (64, share(2_000), 50, 1_000_000);
    let folder = home("1000 per 1s", burst as u64)?;
    let role = Role { pages: 1_024, users: 1, decisions: Some(each), seed: 1 };
    let children: Vec<_> =
        (0..processes).map(|_| start(folder.path(), role)).collect::<Result<_, _>>()?;
    for mut child in children {
        assert!(child.wait()?.success());
    }
    let (admitted, counts) = (admissions(folder.path())?, counts(folder.path(), role.pages)?);
    let allowed = counts[Counter::Allowed as usize];
    assert_eq!(allowed + counts[Counter::Refused as usize], processes * each);
    assert_eq!(allowed, admitted.len() as u64);
    assert_eq!(too_close(&admitted, burst, interval_ns), 0);
    let first = admitted.first().ok_or("nothing admitted")?.1;
    let last = admitted.last().ok_or("nothing admitted")?.1;
    assert!(allowed <= burst as u64 + (last - first) / interval_ns);
    Ok(())
}

#[test]
fn under_constant_eviction_no_key_is_admitted_too_early() -> Outcome {
    let (processes, each, interval_ns) = (16, share(3_000), 500_000);
    let folder = home("2000 per 1s", 1)?;
    let role = |seed| Role { pages: 1, users: 220, decisions: Some(each), seed };
    let children: Vec<_> =
        (0..processes).map(|seed| start(folder.path(), role(seed))).collect::<Result<_, _>>()?;
    for mut child in children {
        assert!(child.wait()?.success());
    }
    let admitted = admissions(folder.path())?;
    assert_eq!(too_close(&admitted, 1, interval_ns), 0);
    // In this test 220 keys compete for 143 slots of the rate table (127 of one page, 16 of one
    // group), so many requests take the slot of another key whose time has passed.
    assert!(admitted.len() as u64 > share(1_000), "only {} admissions", admitted.len());
    let counts = counts(folder.path(), 1)?;
    assert_eq!(counts.iter().take(5).sum::<u64>(), processes * each);
    Ok(())
}

#[test]
fn processes_killed_at_any_moment_leave_the_state_file_intact() -> Outcome {
    let (interval_ns, kills) = (200_000, share(150));
    let folder = home("5000 per 1s", 1)?;
    let role = |seed| Role { pages: 2, users: 400, decisions: None, seed };
    let mut children: Vec<_> =
        (0..8).map(|seed| start(folder.path(), role(seed))).collect::<Result<_, _>>()?;
    for kill in 0..kills {
        // The number of decisions between two kills of processes varies, so that the kills come at
        // irregular intervals.
        run(folder.path(), Role { decisions: Some(kill % 13 * 7), ..role(kill) })?;
        let index = usize::try_from(kill)? % children.len();
        let next = start(folder.path(), role(kill))?;
        end(std::mem::replace(&mut children[index], next))?;
    }
    children.into_iter().try_for_each(end)?;
    run(folder.path(), Role { decisions: Some(100), ..role(0) })?;
    assert_eq!(too_close(&admissions(folder.path())?, 1, interval_ns), 0);
    let counts = counts(folder.path(), 2)?;
    assert_eq!((counts[Counter::Recreated as usize], counts[Counter::Stale as usize]), (0, 0));
    Ok(())
}
