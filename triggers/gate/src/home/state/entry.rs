//! Entry of the state file for repeated decisions: the number of decisions that are not yet in the
//! decision log.

use super::header::LockedState;
use crate::base::bytes::{CorruptData, Reader, Writer};
use crate::judge::command_outcome::Verdict;

pub(super) const ENTRY_BYTES: usize = 256;
const QUIET_NS: u64 = 10_000_000_000;
const MINUTE_NS: u64 = 60_000_000_000;
const MAX_EVENT_BYTES: usize = 16;
const MAX_RULE_BYTES: usize = 64;
/// An IPv6 address has at most 45 characters, with a zone a few more.
const MAX_IP_BYTES: usize = 64;
const MAX_USER_BYTES: usize = 96;
/// In log lines, for many users of one address.
pub const MANY_USERS: &str = "(many users)";
/// In log lines, for many forms of commands from one address that no rule could judge.
pub const MANY_FORMS: &str = "(many forms)";
/// In place of `enforced_verdict` if that is None.
const NOTHING: u8 = u8::MAX;

/// A decision about an event, to be counted in the state file, and logged when a line of the
/// decision log is due.
#[derive(Clone, Copy, Debug)]
pub struct Note<'a> {
    /// Kind of the event that was decided: `command`, `form-save` and so on.
    pub event: &'a str,
    /// The word for the verdict on the event, or `fault` after a failure of p4warden.
    pub verdict: &'a str,
    /// The verdict that the deciding rule would have given on the event if it alone were enforced;
    /// None unless the verdict is `observe`.
    pub enforced_verdict: Option<Verdict>,
    /// Name of the rule that decided the event, or the description of a failure of p4warden or of
    /// an unknown fact; empty if none applies.
    pub rule: &'a str,
    /// Whether the rule allows another reading of the command.
    pub is_unusual: bool,
    /// Name of the user who sent the request that was decided; empty if unknown, or after a failure
    /// of p4warden; `(tampered line)` if the words of the trigger line are broken. The form of a
    /// command that no rule could judge, in place of the user.
    pub user: &'a [u8],
    /// Address that the request came from; empty if unknown, or after a failure of p4warden.
    pub ip: &'a [u8],
}

/// Decisions of the same verdict, rule and user that are not yet in the decision log.
#[derive(Debug, PartialEq, Eq)]
pub struct PendingDecisions {
    /// In the last logged line about these decisions; those counted since may have other kinds.
    pub event: String,
    /// As in `Note`, and the next ones.
    pub verdict: String,
    pub enforced_verdict: Option<Verdict>,
    pub rule: String,
    pub is_unusual: bool,
    /// Or an address and some of its users, each ended by NUL.
    pub user: Vec<u8>,
    pub count: u64,
    /// Time of the last of them, in nanoseconds since the epoch.
    pub last_wall_ns: u64,
}

/// Of one verdict, rule and user: the time of the last line about them in the decision log, and the
/// decisions since.
pub(super) struct Entry {
    pub key: u128,
    epoch: u32,
    written_ns: u64,
    pub pending_decisions: PendingDecisions,
    /// Of an address: number of the users whose decisions were logged since `written_ns`.
    pub logged_users: u8,
}

impl Entry {
    pub fn for_logged_decision(key: u128, note: &Note<'_>, state: LockedState<'_>) -> Self {
        let pending_decisions = PendingDecisions {
            event: cut(note.event.as_bytes(), MAX_EVENT_BYTES),
            verdict: note.verdict.to_owned(),
            enforced_verdict: note.enforced_verdict,
            rule: cut(note.rule.as_bytes(), MAX_RULE_BYTES),
            is_unusual: note.is_unusual,
            user: note.user.get(..MAX_USER_BYTES).unwrap_or(note.user).to_vec(),
            count: 0,
            last_wall_ns: state.wall_ns,
        };
        let (epoch, written_ns) = (state.header.epoch, state.now_ns);
        Entry { key, epoch, written_ns, pending_decisions, logged_users: 0 }
    }

    /// The entry of an address, after the first decision about one of its users was logged.
    pub fn for_address(key: u128, note: &Note<'_>, state: LockedState<'_>) -> Self {
        let mut ip = note.ip.get(..MAX_IP_BYTES).unwrap_or(note.ip).to_vec();
        ip.push(b'\0');
        let entry = Self::for_logged_decision(key, &Note { user: &ip, ..*note }, state);
        Entry { logged_users: 1, ..entry }
    }

    pub fn add(&mut self, wall_ns: u64) {
        let PendingDecisions { count, last_wall_ns, .. } = &mut self.pending_decisions;
        *count = count.saturating_add(1);
        *last_wall_ns = wall_ns;
    }

    /// Keeps the user's name as an example if there is room.
    pub fn add_user(&mut self, user: &[u8], wall_ns: u64) {
        self.add(wall_ns);
        let names = &mut self.pending_decisions.user;
        if names.len() + 1 + user.len() <= MAX_USER_BYTES {
            names.extend_from_slice(user);
            names.push(b'\0');
        }
    }

    /// Whether its last line was written less than 10 seconds ago and since the machine's last start,
    /// so that the next such decision is only counted.
    pub fn is_quiet(&self, LockedState { header, now_ns, .. }: LockedState<'_>) -> bool {
        self.epoch == header.epoch && now_ns.saturating_sub(self.written_ns) < QUIET_NS
    }

    pub fn read(mut from: Reader<'_>) -> Result<Self, CorruptData> {
        let (key, epoch, written_ns) = (from.u128()?, from.u32()?, from.u64()?);
        let (count, last_wall_ns) = (from.u64()?, from.u64()?);
        let (event, verdict) = (from.text()?.to_owned(), from.text()?.to_owned());
        let (rule, user) = (from.text()?.to_owned(), from.bytes()?.to_vec());
        let enforced_verdict = Verdict::of_number(from.u8()?);
        let (logged_users, is_unusual) = (from.u8()?, from.u8()? != 0);
        let pending_decisions = PendingDecisions {
            event,
            verdict,
            enforced_verdict,
            rule,
            is_unusual,
            user,
            count,
            last_wall_ns,
        };
        Ok(Entry { key, epoch, written_ns, pending_decisions, logged_users })
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer(Vec::with_capacity(ENTRY_BYTES));
        to.raw(&self.key.to_le_bytes())
            .u32(self.epoch)
            .u64(self.written_ns)
            .u64(self.pending_decisions.count)
            .u64(self.pending_decisions.last_wall_ns);
        to.text(&self.pending_decisions.event)
            .text(&self.pending_decisions.verdict)
            .text(&self.pending_decisions.rule)
            .bytes(&self.pending_decisions.user)
            .u8(self.pending_decisions.enforced_verdict.map_or(NOTHING, |would| would as u8))
            .u8(self.logged_users)
            .u8(self.pending_decisions.is_unusual.into());
        to.sealed(ENTRY_BYTES)
    }
}

impl PendingDecisions {
    /// Whether a line written now may stand for these decisions too: so that hours and days, which
    /// begin with a minute in every time zone, are those of the decisions.
    pub(super) fn is_of_this_minute(&self, wall_ns: u64) -> bool {
        self.last_wall_ns / MINUTE_NS == wall_ns / MINUTE_NS
    }

    /// The address whose users the decisions are about, and some of these users; None for decisions
    /// about one user.
    pub fn address(&self) -> Option<(&[u8], Vec<u8>)> {
        let at = self.user.iter().position(|byte| *byte == b'\0')?;
        let (ip, names) = self.user.split_at_checked(at)?;
        let names = names.split(|byte| *byte == b'\0').filter(|name| !name.is_empty());
        Some((ip, names.collect::<Vec<_>>().join(&b", "[..])))
    }
}

/// At most `most` bytes, cut between characters; invalid UTF-8 is replaced.
fn cut(text: &[u8], most: usize) -> String {
    String::from_utf8_lossy(text)
        .chars()
        .scan(0, |bytes, c| {
            *bytes += c.len_utf8();
            (*bytes <= most).then_some(c)
        })
        .collect()
}
