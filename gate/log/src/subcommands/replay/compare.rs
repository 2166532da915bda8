//! Two policies on one log: who would newly be stopped, and who no more.

use super::names::Names;
use super::tally::is_hit;
use crate::record::command::Command;
use p4warden_gate::rules::outcome::Verdict;

/// Where two policies differ.
#[derive(Debug, Default)]
pub struct Compare {
    /// How often each pair of verdicts came, first policy first.
    pub pairs: [[u64; 5]; 5],
    /// Users whom only the second would stop or delay.
    pub newly_stopped: Names,
    /// Users whom only the first would.
    pub newly_passed: Names,
}

impl Compare {
    /// Counts two verdicts on a command.
    pub fn note(&mut self, first: Verdict, second: Verdict, command: &Command) {
        let pair = self.pairs.get_mut(first as usize);
        if let Some(count) = pair.and_then(|pair| pair.get_mut(second as usize)) {
            *count += 1;
        }
        // An unknown verdict is neither.
        match (first, second) {
            (Verdict::Allow, second) if is_hit(second) => {
                self.newly_stopped.note(command.request.user());
            }
            (first, Verdict::Allow) if is_hit(first) => {
                self.newly_passed.note(command.request.user());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_neither_refused_nor_allowed() {
        let (mut compare, command) = (Compare::default(), Command::default());
        compare.note(Verdict::Observe, Verdict::Unknown, &command);
        compare.note(Verdict::Unknown, Verdict::Refuse, &command);
        assert!(compare.newly_passed.counts.is_empty() && compare.newly_stopped.counts.is_empty());
        compare.note(Verdict::Observe, Verdict::Allow, &command);
        compare.note(Verdict::Allow, Verdict::Refuse, &command);
        assert_eq!((compare.newly_passed.counts.len(), compare.newly_stopped.counts.len()), (1, 1));
    }
}
