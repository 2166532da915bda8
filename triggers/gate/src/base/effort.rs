/// The work left for the proposals of one event, in steps of about 10 microseconds.
#[derive(Debug)]
pub struct Effort {
    steps_left: u64,
    /// Whether proposals may look for directories in use, which opens the checkpoint index.
    pub may_look_up: bool,
}

/// The work of a proposal would exceed what is left; the finding stands without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffortSpent;

impl Effort {
    pub fn of(steps: u64) -> Self {
        Effort { steps_left: steps, may_look_up: true }
    }

    pub fn spend(&mut self, steps: u64) -> Result<(), EffortSpent> {
        self.steps_left = self.steps_left.checked_sub(steps).ok_or(EffortSpent)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_spent_until_none_is_left() {
        let mut effort = Effort::of(3);
        assert_eq!([2, 1, 0].map(|steps| effort.spend(steps)), [Ok(()); 3]);
        assert_eq!(effort.spend(1), Err(EffortSpent));
    }
}
