//! The slots for requests that a rule delays, limited in number because each delayed request
//! occupies a process of the server.

/// Of one pool, all users together.
pub const MOST: usize = 128;
/// In one pool.
pub const MOST_OF_A_USER: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotPool {
    /// Shared by all enforced rules, which really delay.
    Real,
    /// Of one rule that only observes, by a hash of its name.
    Shadow(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotShortage {
    OfUser,
    OfAll,
}

/// A slot whose end has passed is free.
///
/// The slot of a waiting process that is killed stays occupied until the planned end, no longer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitingSlot {
    /// On the clock of the rates: the boot clock in a trigger, the events' times in `judge`.
    pub until_ns: u64,
    pub user: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingSlots(pub [WaitingSlot; MOST]);

impl Default for WaitingSlots {
    fn default() -> Self {
        WaitingSlots([WaitingSlot::default(); MOST])
    }
}

impl WaitingSlots {
    /// None on success.
    pub fn take(&mut self, wanted: WaitingSlot, now_ns: u64) -> Option<SlotShortage> {
        let mut of_user = 0;
        let mut free = None;
        for slot in &mut self.0 {
            if slot.until_ns <= now_ns {
                free = free.or(Some(slot));
            } else {
                of_user += usize::from(slot.user == wanted.user);
            }
        }
        match free {
            _ if of_user >= MOST_OF_A_USER => Some(SlotShortage::OfUser),
            None => Some(SlotShortage::OfAll),
            Some(free) => {
                *free = wanted;
                None
            }
        }
    }

    pub fn is_empty(&self, now_ns: u64) -> bool {
        self.0.iter().all(|slot| slot.until_ns <= now_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(
        waiting: &mut WaitingSlots,
        user: u64,
        until_ns: u64,
        now_ns: u64,
    ) -> Option<SlotShortage> {
        waiting.take(WaitingSlot { until_ns, user }, now_ns)
    }

    #[test]
    fn slots_of_one_user_are_limited_and_other_users_get_slots() {
        let mut waiting = WaitingSlots::default();
        let count = (0..70).filter(|_| take(&mut waiting, 1, 200, 100).is_none()).count();
        assert_eq!(count, MOST_OF_A_USER);
        assert_eq!(take(&mut waiting, 1, 200, 100), Some(SlotShortage::OfUser));
        assert_eq!(take(&mut waiting, 2, 200, 100), None);
    }

    #[test]
    fn a_slot_is_free_after_its_time() {
        let mut waiting = WaitingSlots::default();
        let users = MOST as u64 / MOST_OF_A_USER as u64;
        for user in 0..users {
            assert!((0..MOST_OF_A_USER).all(|_| take(&mut waiting, user, 200, 100).is_none()));
        }
        assert_eq!(take(&mut waiting, users, 300, 199), Some(SlotShortage::OfAll));
        assert!(!waiting.is_empty(199) && waiting.is_empty(200));
        assert_eq!(take(&mut waiting, 0, 300, 200), None);
    }
}
