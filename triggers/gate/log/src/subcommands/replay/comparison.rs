use super::names::Names;
use super::tally::is_hit;
use crate::record::command::Command;
use p4warden_gate::judge::command_outcome::Verdict;

#[derive(Debug, Default)]
pub struct Comparison {
    /// By the verdict of the first policy, then of the second, in the order of `Verdict`.
    pub pairs: [[u64; 5]; 5],
    /// Verdict `Allow` of the first policy, and `Observe`, `Delay` or `Refuse` of the second.
    pub newly_stopped_users: Names,
    pub newly_passed_users: Names,
}

impl Comparison {
    pub fn note(&mut self, first: Verdict, second: Verdict, command: &Command) {
        let pair = self.pairs.get_mut(first as usize);
        if let Some(count) = pair.and_then(|pair| pair.get_mut(second as usize)) {
            *count += 1;
        }
        // `Unknown` counts neither as newly stopped nor as newly passed.
        match (first, second) {
            (Verdict::Allow, second) if is_hit(second) => {
                self.newly_stopped_users.note(command.request.user());
            }
            (first, Verdict::Allow) if is_hit(first) => {
                self.newly_passed_users.note(command.request.user());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_unknown_is_neither_newly_passed_nor_newly_stopped() {
        let (mut comparison, command) = (Comparison::default(), Command::default());
        comparison.note(Verdict::Observe, Verdict::Unknown, &command);
        comparison.note(Verdict::Unknown, Verdict::Refuse, &command);
        assert!(
            comparison.newly_passed_users.counts.is_empty()
                && comparison.newly_stopped_users.counts.is_empty()
        );
        comparison.note(Verdict::Observe, Verdict::Allow, &command);
        comparison.note(Verdict::Allow, Verdict::Refuse, &command);
        assert_eq!(
            (
                comparison.newly_passed_users.counts.len(),
                comparison.newly_stopped_users.counts.len()
            ),
            (1, 1)
        );
    }
}
