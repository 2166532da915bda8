//! How many requests wait at once, for each keeps a process.

/// How many may.
pub const MOST: usize = 64;

/// When each of the waiting ends; 0 where no one waits.
///
/// A waiting process that is killed holds its place until it would have ended, and no longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sleepers(pub [u64; MOST]);

impl Default for Sleepers {
    fn default() -> Self {
        Sleepers([0; MOST])
    }
}

impl Sleepers {
    /// Takes a place until `until_ns`; false if all are taken.
    pub fn add(&mut self, until_ns: u64, now_ns: u64) -> bool {
        let free = self.0.iter_mut().find(|place| **place <= now_ns);
        free.map(|place| *place = until_ns).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_again_when_its_time_is_over() {
        let mut sleepers = Sleepers::default();
        assert!((0..MOST).all(|_| sleepers.add(200, 100)));
        assert!(!sleepers.add(200, 199));
        assert!(sleepers.add(300, 200));
    }
}
