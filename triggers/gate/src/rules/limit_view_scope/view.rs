//! A form's view with the rule's limits on it.

use super::settings::Settings;
use crate::base::effort::{Effort, EffortSpent};
use crate::base::patterns::{counted_name, is_same};
use crate::base::plural::{at_most, spelled};
use crate::base::visible::visible_text;
use crate::contract::form_finding::FormFinding;
use crate::contract::limit_by_depot::LimitByDepot;
use crate::event::form_event::FormEvent;
use crate::facts::form_facts::FormFacts;
use crate::facts::known_depots::Depot;
use crate::forms::form::Form;
use crate::forms::shares::{Names, Share, Shares};
use crate::forms::view_lines::{ViewLine, ViewPath, ViewType, exclusions, view_lines};
use crate::paths::depot_path::{Span, is_embedded, span};
use crate::proposals::candidates::{MAX_LINES, Proposal, Proposer};
use crate::proposals::line::{Demand, Line};
use crate::proposals::narrowing::starts_with;
use crate::proposals::other_lines::OtherLines;
use crate::proposals::placeholders::{WIDER_WORDS, has_placeholder};
use crate::proposals::stream_clients::{StreamClient, stream_clients};
use std::cell::{Cell, OnceCell};

/// Of one view, in the order of the findings; a refusal shows no more lines.
const MAX_PROPOSALS: usize = 6;
/// For which a step is spent where they are parsed again.
const LINES_OF_A_STEP: usize = 64;

pub struct View<'e> {
    pub settings: &'e Settings,
    pub facts: &'e FormFacts<'e>,
    pub form: &'e Form<'e>,
    pub view_type: ViewType,
    pub lines: Vec<ViewLine<'e>>,
    pub depths: LimitByDepot,
    client: Option<&'e [u8]>,
    proposal_count: Cell<usize>,
    other_lines: OnceCell<OtherLines>,
    used_directories: OnceCell<Vec<Vec<u8>>>,
}

pub struct TooLargeShare<'e> {
    pub depot: &'e Depot,
    pub share: Share,
    /// Directories that only other streams give it.
    inherited: usize,
    unicode: bool,
}

impl<'e> View<'e> {
    pub fn new(
        settings: &'e Settings,
        event: &'e FormEvent<'e>,
        facts: &'e FormFacts<'e>,
        form: &'e Form<'e>,
        view_type: ViewType,
    ) -> Self {
        let (min_depth, case_sensitive) = (settings.min_depth, facts.case_sensitive);
        let is_of_client = view_type == ViewType::Client;
        View {
            settings,
            facts,
            form,
            view_type,
            lines: view_lines(form, view_type),
            depths: LimitByDepot::new(&settings.depots, min_depth, u64::max, case_sensitive),
            client: is_of_client.then_some(event.name.unwrap_or(b"CLIENT")),
            proposal_count: Cell::default(),
            other_lines: OnceCell::new(),
            used_directories: OnceCell::new(),
        }
    }

    pub fn is_narrow(&self, span: &Span<'_>) -> bool {
        span.is_exact || span.depth >= self.depths.of(span.depot)
    }

    pub fn path(&self, number: usize) -> Option<&ViewPath<'e>> {
        match self.lines.get(number)? {
            ViewLine::Path(line) => Some(line),
            ViewLine::Malformed(_) => None,
        }
    }

    pub fn paths(&self) -> impl Iterator<Item = &ViewPath<'e>> {
        (0..self.lines.len()).filter_map(|number| self.path(number))
    }

    /// The depot paths of include lines that have `...` before their end.
    pub fn embedded(&self) -> impl Iterator<Item = &[u8]> {
        self.paths().map(|line| &*line.path).filter(|path| is_embedded(path))
    }

    /// With further paths, in the order of the facts.
    pub fn shares_too_large_with(&self, further: &[Vec<u8>]) -> Vec<TooLargeShare<'e>> {
        let inherited = self.inherited().iter().chain(further);
        let own = self.shares_with(std::iter::empty());
        let (Some(own), Some(shares)) = (own, self.shares_with(inherited)) else {
            return Vec::new();
        };
        let unicode = self.facts.unicode;
        let depots = self.facts.depots.all().iter().filter(|depot| shares.names(&depot.name));
        let shares = depots.filter_map(|depot| {
            let tops = tops(depot, self.facts.case_sensitive);
            let share = shares.of(&depot.name, &tops)?;
            let own = own.of(&depot.name, &tops)?.named_directories.len();
            let inherited = share.named_directories.len().saturating_sub(own);
            share.is_too_large().then_some(TooLargeShare { depot, share, inherited, unicode })
        });
        shares.collect()
    }

    /// Depot paths that a stream certainly has from others.
    pub fn inherited(&self) -> &'e [Vec<u8>] {
        let inherited = self.facts.inherited.as_ref();
        inherited.filter(|_| self.view_type == ViewType::Stream).map_or(&[], |one| &one.certain)
    }

    fn shares_with<'p>(&'p self, further: impl Iterator<Item = &'p Vec<u8>>) -> Option<Shares> {
        let max_share = self.settings.max_share?;
        let own = self.paths().map(|line| &*line.path);
        let paths = own.chain(further.map(Vec::as_slice));
        let spans = paths.filter_map(|path| span(path).ok());
        let min_directories = self.settings.min_directories;
        Some(Shares::new(spans, self.facts.case_sensitive, max_share, min_directories))
    }

    /// Counts a proposal; false if enough were made.
    pub fn may_propose(&self) -> bool {
        self.proposal_count.replace(self.proposal_count.get() + 1) < MAX_PROPOSALS
    }

    /// The proposal in place of a line by `proposal_of`; nothing for a stream's component.
    pub fn propose(
        &self,
        line: Option<&ViewPath<'e>>,
        effort: &mut Effort,
        proposal_of: impl FnOnce(&Proposer<'_>, &Line<'_>, &mut Effort) -> Result<Proposal, EffortSpent>,
    ) -> Result<Proposal, EffortSpent> {
        let Some((replaced, line)) = line.and_then(|line| Some((line.line, Line::of_view(line)?)))
        else {
            return Ok(Proposal::default());
        };
        if self.other_lines.get().is_none() {
            let lines = self.lines.len() + self.form.lines("view").len();
            effort.spend((lines / LINES_OF_A_STEP) as u64)?;
        }
        let is_enough = |path: &[u8]| span(path).is_ok_and(|span| self.is_narrow(&span));
        let case_sensitive = self.facts.case_sensitive;
        let proposer = Proposer {
            demand: Demand { is_enough: &is_enough, client: self.client, case_sensitive },
            depots: self.facts.depots,
            unicode: self.facts.unicode,
            used_directories: self.used_directories(effort),
            other_lines: self.other_lines.get_or_init(|| self.good_lines()),
            number: replaced.number,
        };
        Ok(Proposal { line: Some(replaced), ..proposal_of(&proposer, &line, effort)? })
    }

    /// Those of the view's lines for single top directories of a depot that the client or its user has
    /// files from, at most `most`.
    pub fn lines_in_use(
        &self,
        depot: &Depot,
        most: usize,
        effort: &mut Effort,
    ) -> Result<Proposal, EffortSpent> {
        let (used, case_sensitive) = (self.used_directories(effort), self.facts.case_sensitive);
        effort.spend((self.lines.len() * used.len() / LINES_OF_A_STEP) as u64)?;
        let in_use = self.paths().filter(|line| {
            let Ok(span) = span(&line.path) else { return false };
            let start = [b"//", span.depot, b"/", span.directories, b"/"].concat();
            let is_of_depot = span.depth == 1 && is_same(span.depot, &depot.name, case_sensitive);
            let has_used = || used.iter().any(|one| starts_with(one, &start, case_sensitive));
            is_of_depot && !span.is_exact && has_used()
        });
        let texts = in_use.filter_map(|line| Line::of_view(line)?.text(self.facts.unicode));
        Ok(Proposal { lines: texts.take(most.min(MAX_LINES)).collect(), ..Proposal::default() })
    }

    /// To make in place of a client with this path in its view.
    pub fn stream_clients(&self, path: &[u8], effort: &Effort) -> Vec<StreamClient> {
        match self.view_type {
            ViewType::Client => stream_clients(path, self.facts, self.used_directories(effort)),
            _ => Vec::new(),
        }
    }

    fn used_directories(&self, effort: &Effort) -> &[Vec<u8>] {
        match effort.may_look_up {
            true => self.used_directories.get_or_init(self.facts.used_directories),
            false => &[],
        }
    }

    /// The lines that a refusal of others leaves as they are.
    fn good_lines(&self) -> OtherLines {
        let is_good = |path: &&[u8]| {
            span(path).is_ok_and(|span| self.is_narrow(&span))
                && !has_placeholder(path, WIDER_WORDS)
        };
        let mapped = self.paths().map(|line| &*line.path).filter(is_good);
        OtherLines::new(self.facts.case_sensitive, mapped, exclusions(self.form))
    }
}

impl TooLargeShare<'_> {
    /// That the view may name itself.
    pub fn max_own_directories(&self) -> usize {
        usize::try_from(self.share.max_directories).unwrap_or(0).saturating_sub(self.inherited)
    }

    pub fn finding<'e>(&self) -> FormFinding<'e> {
        let (count, most) = (self.share.named_directories.len() as u64, self.share.max_directories);
        let most = u64::try_from(most).unwrap_or(0);
        let inherited = match self.inherited {
            0 => String::new(),
            inherited => format!(", {inherited} of them only through other streams"),
        };
        let excess = count.saturating_sub(most);
        let remedy = match count - self.inherited as u64 >= excess {
            true => {
                let excess = spelled(excess);
                format!("Remove the view lines of at least {excess} of these directories")
            }
            false => {
                "Remove all its own imports and components, or have those streams import fewer"
                    .to_owned()
            }
        };
        let problem = format!(
            "maps {count} of the {} directories directly below //{}{inherited}; {}. {remedy}",
            self.share.tops,
            visible_text(&self.depot.name, self.unicode),
            at_most(most),
        );
        let item = [b"//", &*self.depot.name, b"/..."].concat();
        FormFinding::new(item, "The view", problem).measured(count, most)
    }
}

/// The names of a depot's top directories; empty if they are unknown.
fn tops(depot: &Depot, case_sensitive: bool) -> Names {
    let names = depot.directories.iter().flatten();
    names.map(|name| counted_name(name, case_sensitive).into_owned()).collect()
}
