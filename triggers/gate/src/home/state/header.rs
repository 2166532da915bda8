//! Header of the state file: the file's layout, the hash secret, the counters, and the data by
//! which a restart of the machine is noticed.

use super::layout::Layout;
use crate::base::bytes::{CorruptData, Reader, Writer};
use crate::base::clock::Clock;
use crate::base::fault::Fault;
use crate::contract::keys::Secret;
use crate::home::folder::TrustedFile;
use crate::judge::command_outcome::Verdict;
use rustix::rand::{GetRandomFlags, getrandom};

const MAGIC: [u8; 8] = *b"p4wstate";
const VERSION: u32 = 7;
const BYTES: usize = 256;
/// Smallest change of the difference between wall clock and boot clock, in nanoseconds, after which
/// the boot identifier is compared, because the machine may have restarted. Setting the wall clock
/// also causes such a change, and so does another time namespace, whose boot clock is ahead.
const DRIFT_NS: u64 = 500_000_000;

/// In their stored order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Events without any rule's objection.
    Allowed,
    /// Events to which only rules object that are not enforced for their user.
    Observed,
    /// Events that were allowed because a fact was unknown.
    Unknown,
    /// Commands that were delayed and then allowed.
    Delayed,
    /// Events that an enforced rule refused.
    Refused,
    /// Failures of p4warden itself.
    Faults,
    /// Rates and running commands for which the file had no room.
    Untracked,
    /// At most 1, as making an invalid file anew sets all others to 0.
    Recreated,
    /// Noticed restarts of the machine; a boot clock that went back counts as one, a wall clock that
    /// was set does not.
    Restarted,
    /// Stored rates that were ignored because their time lay further in the future than their limit
    /// can cause.
    Stale,
    /// Decisions that will be missing in the log because the page for them was full.
    Unlogged,
}

impl Counter {
    pub fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Allow => Counter::Allowed,
            Verdict::Observe => Counter::Observed,
            Verdict::Unknown => Counter::Unknown,
            Verdict::Delay => Counter::Delayed,
            Verdict::Refuse => Counter::Refused,
        }
    }
}

pub const COUNTERS: [&str; 11] = [
    "allowed", "observed", "unknown", "delayed", "refused", "faults", "untracked", "recreated",
    "restarted", "stale", "unlogged",
];

#[derive(Debug)]
pub(super) struct Header {
    pub layout: Layout,
    pub secret: Secret,
    /// Raised after each restart of the machine and when its boot clock goes back; rates, waiting
    /// requests and log entries of another epoch count as expired.
    pub epoch: u32,
    pub counts: [u64; COUNTERS.len()],
    boot_id: [u8; 36],
    booted_wall_ns: u64,
    last_ns: u64,
}

/// The locked state file with its header, and the time of the decision in nanoseconds: since the
/// machine started, and since the epoch.
#[derive(Clone, Copy)]
pub(super) struct LockedState<'f> {
    pub open_file: &'f TrustedFile,
    pub header: &'f Header,
    pub now_ns: u64,
    pub wall_ns: u64,
}

impl LockedState<'_> {
    /// The content of a page or the start of one, without its checksum; None if nothing was written
    /// there. A fault if it is damaged.
    pub fn checked<'b>(&self, bytes: &'b [u8]) -> Result<Option<Reader<'b>>, Fault> {
        if bytes.iter().all(|byte| *byte == 0) {
            return Ok(None);
        }
        Reader::checked(bytes).map(Some).map_err(|CorruptData| self.damage())
    }

    /// The fault of a damaged state, which the next event makes anew.
    pub fn damage(&self) -> Fault {
        let spoiled = self.open_file.write(&[0; BYTES], 0);
        spoiled.err().unwrap_or_else(|| self.open_file.fault(&"damaged"))
    }
}

impl Header {
    pub fn new(layout: Layout, now_ns: u64, clock: &impl Clock) -> Result<Self, Fault> {
        let mut secret = Secret::default();
        getrandom(&mut secret, GetRandomFlags::empty()).map_err(|error| {
            Fault::new(format!("the system provides no random numbers: {error}"))
        })?;
        Ok(Header {
            layout,
            secret,
            epoch: 1,
            counts: [0; COUNTERS.len()],
            boot_id: clock.boot_id(),
            booted_wall_ns: clock.wall_ns().saturating_sub(now_ns),
            last_ns: now_ns,
        })
    }

    /// None if it is invalid or of another layout, a fault if it cannot be read.
    pub fn read(open_file: &TrustedFile, layout: Layout) -> Result<Option<Self>, Fault> {
        if open_file.bytes != layout.bytes() {
            return Ok(None);
        }
        let mut bytes = [0; BYTES];
        open_file.read(&mut bytes, 0)?;
        Ok(Self::from_bytes(&bytes, layout).ok())
    }

    pub fn count(&mut self, counter: Counter) {
        if let Some(count) = self.counts.get_mut(counter as usize) {
            *count = count.saturating_add(1);
        }
    }

    /// Starts a new epoch if stored times of the boot clock are invalid. Returns the time by the boot
    /// clock of the machine, whatever the time namespace.
    pub fn notice_a_new_start(&mut self, boot_ns: u64, clock: &impl Clock) -> u64 {
        let wall_ns = clock.wall_ns();
        let drift_ns = wall_ns.saturating_sub(boot_ns).abs_diff(self.booted_wall_ns);
        if boot_ns >= self.last_ns && drift_ns < DRIFT_NS {
            self.last_ns = boot_ns;
            return boot_ns;
        }
        let now_ns = of_machine(boot_ns, clock);
        let went_back = now_ns.saturating_add(DRIFT_NS) < self.last_ns;
        self.last_ns = now_ns;
        self.booted_wall_ns = wall_ns.saturating_sub(now_ns);
        let boot_id = clock.boot_id();
        if went_back || boot_id != self.boot_id {
            self.boot_id = boot_id;
            self.epoch = self.epoch.wrapping_add(1);
            self.count(Counter::Restarted);
        }
        now_ns
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut to = Writer(Vec::with_capacity(BYTES));
        to.raw(&MAGIC).u32(VERSION);
        let Layout { notes, pages, groups } = self.layout;
        to.u32(notes).u32(pages).u32(groups);
        to.raw(&self.secret).raw(&self.boot_id).u64(self.booted_wall_ns).u64(self.last_ns);
        to.u32(self.epoch);
        self.counts.iter().for_each(|number| {
            to.u64(*number);
        });
        to.sealed(BYTES)
    }

    fn from_bytes(bytes: &[u8; BYTES], layout: Layout) -> Result<Self, CorruptData> {
        let mut from = Reader::checked(bytes)?;
        let is_of_this_format = from.array()? == MAGIC && from.u32()? == VERSION;
        let stored_layout = Layout { notes: from.u32()?, pages: from.u32()?, groups: from.u32()? };
        if !is_of_this_format || stored_layout != layout {
            return Err(CorruptData);
        }
        let (secret, boot_id) = (from.array()?, from.array()?);
        let (booted_wall_ns, last_ns, epoch) = (from.u64()?, from.u64()?, from.u32()?);
        let mut counts = [0; COUNTERS.len()];
        for count in &mut counts {
            *count = from.u64()?;
        }
        Ok(Header { layout, secret, epoch, counts, boot_id, booted_wall_ns, last_ns })
    }
}

/// A time of the boot clock in the machine's own time namespace.
pub(super) fn of_machine(boot_ns: u64, clock: &impl Clock) -> u64 {
    boot_ns.saturating_add_signed(clock.namespace_ns().saturating_neg())
}
