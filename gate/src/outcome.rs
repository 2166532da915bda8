//! What comes out of judging an event.

use crate::finding::Finding;
use crate::flat::Exemption;
use crate::keys::Key;

/// Every verdict, the mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing was objected.
    Allow,
    /// It would have been stopped.
    Observe,
    /// What is not known would have decided.
    Unknown,
    /// It waits, then goes on.
    Delay,
    /// It does not happen.
    Refuse,
}

impl Verdict {
    /// The verdict as logs and `judge` write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Allow => "allow",
            Verdict::Observe => "observe",
            Verdict::Unknown => "unknown",
            Verdict::Delay => "delay",
            Verdict::Refuse => "refuse",
        }
    }
}

/// What one rule says of an event.
#[derive(Debug)]
pub struct Judgement<'p> {
    /// The rule's name.
    pub rule: &'p str,
    /// What it says.
    pub verdict: Verdict,
    /// What let the event pass.
    pub exemption: Option<Exemption<'p>>,
    /// What it objects to.
    pub finding: Option<Finding>,
    /// What it takes of its rates if the event goes on.
    pub places: Vec<(Key, u64)>,
}

/// The answer to an event.
#[derive(Debug)]
pub struct Outcome<'p> {
    /// The worst of all judgements.
    pub verdict: Verdict,
    /// One for each rule, in policy order.
    pub judgements: Vec<Judgement<'p>>,
}

impl<'p> Outcome<'p> {
    /// The first rule in policy order that has the verdict; None when nothing was objected.
    #[must_use]
    pub fn decisive(&self) -> Option<&Judgement<'p>> {
        let objected = self.verdict > Verdict::Allow;
        self.judgements.iter().find(|judgement| objected && judgement.verdict == self.verdict)
    }

    /// The judgement that has the verdict, and what it objects to.
    #[must_use]
    pub fn decisive_finding(&self) -> Option<(&Judgement<'p>, &Finding)> {
        let judgement = self.decisive()?;
        Some((judgement, judgement.finding.as_ref()?))
    }

    /// What let the event pass, the first in policy order.
    #[must_use]
    pub fn exemption(&self) -> Option<&Exemption<'p>> {
        self.judgements.iter().find_map(|judgement| judgement.exemption.as_ref())
    }

    /// How long it has to wait before all the rules that have the verdict let it through; None
    /// where one of them never will.
    #[must_use]
    pub fn wait_ns(&self) -> Option<u64> {
        let decisive = self.judgements.iter().filter(|judgement| judgement.verdict == self.verdict);
        let waits = decisive.map(|judgement| judgement.finding.as_ref()?.wait_ns);
        waits.collect::<Option<Vec<_>>>()?.into_iter().max()
    }
}
