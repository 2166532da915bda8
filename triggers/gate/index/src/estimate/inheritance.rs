//! The files that a stream takes from others: the imports of its ancestors, and the views of its
//! components (p4 help stream).
//!
//! Facts of p4d that are not documented are taken both ways, so that some paths are only possible:
//! - An inherited import outside the child's own paths: the child may be a part of its parent.
//! - The components of an ancestor: ParentView is said to affect Paths, Remapped and Ignored.
//!
//! Exclusions are not subtracted, as in a client's view: p4d reads the excluded files too.

use crate::base::order::{begins_with_name, folded_key, is_same_name};
use crate::estimate::count::Table;
use crate::file::index::Index;
use crate::file::stream_view::{LineKind, StreamLine, StreamView};
use crate::file::trees::IndexError;
use crate::ranges::range::range;
use std::collections::BTreeSet;

/// Looked up for one form.
const MAX_STREAMS: usize = 64;
const MAX_PATHS: usize = 20_000;
/// Comparisons of an inherited line with a path of a child: under 0.1 s.
const MAX_STEPS: usize = 1_000_000;

/// Of a form to be saved.
#[derive(Clone, Debug, Default)]
pub struct StreamForm<'f> {
    pub name: &'f [u8],
    /// Empty for none.
    pub parent: &'f [u8],
    /// As its ParentView says; None if it does not say it.
    pub inherits: Option<bool>,
    /// A virtual or task stream, which has no other ParentView.
    pub must_inherit: bool,
    /// The view paths of `share` and `isolate`, and of imports without a depot path.
    pub own_paths: Vec<&'f [u8]>,
    /// Each with its changelist or label after `@`, empty for none.
    pub components: Vec<(&'f [u8], &'f [u8])>,
}

/// Depot paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inherited {
    pub certain: BTreeSet<Vec<u8>>,
    /// Further ones.
    pub possible: BTreeSet<Vec<u8>>,
    /// False if a stream is missing in the index, was saved since, or has an unknown form, or if
    /// there are too many.
    pub is_complete: bool,
}

impl Index {
    pub fn inherited(&self, form: &StreamForm<'_>) -> Result<Inherited, IndexError> {
        let result = Inherited { is_complete: true, ..Inherited::default() };
        let mut walk = Walk { index: self, result, consumed: Vec::new(), streams: 0, steps: 0 };
        walk.form(form)?;
        Ok(walk.result)
    }

    /// The files that paths span, each counted once.
    pub fn files_of(&self, paths: &[&[u8]]) -> Result<u64, IndexError> {
        let ranges: Vec<_> = paths.iter().map(|path| range(path, self.folds())).collect();
        self.count_union(Table::Files, &ranges)
    }
}

struct Walk<'i> {
    index: &'i Index,
    result: Inherited,
    /// The components found so far; the first entry is the form.
    consumed: Vec<Consumed>,
    streams: usize,
    steps: usize,
}

/// A stream of which another has the view.
#[derive(Clone, Default)]
struct Consumed {
    name: Vec<u8>,
    pin: Pin,
    is_certain: bool,
    /// Position of the stream that has it as a component.
    by: Option<usize>,
}

/// A component at a changelist has the lines of that time.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Pin {
    #[default]
    Latest,
    At(u64),
    Unknown,
}

impl Pin {
    fn and(self, text: &[u8]) -> Pin {
        let number = || str::from_utf8(text).ok()?.parse().ok();
        match self {
            _ if text.is_empty() => self,
            Pin::Unknown => Pin::Unknown,
            Pin::Latest => number().map_or(Pin::Unknown, Pin::At),
            Pin::At(change) => {
                number().map_or(Pin::Unknown, |number: u64| Pin::At(number.min(change)))
            }
        }
    }

    fn admits(self, change: u32) -> bool {
        match self {
            Pin::Latest => true,
            Pin::At(pin) => u64::from(change) <= pin,
            Pin::Unknown => false,
        }
    }
}

impl Walk<'_> {
    fn form(&mut self, form: &StreamForm<'_>) -> Result<(), IndexError> {
        let name = form.name.to_vec();
        self.consumed.push(Consumed { name, is_certain: true, ..Consumed::default() });
        for (stream, pin) in &form.components {
            self.add_component(stream, pin, 0, true);
        }
        if let Some(is_certain) = self.form_inherits(form)? {
            let own_paths = form.own_paths.iter().map(|path| path.to_vec()).collect();
            self.ancestors(form.parent.to_vec(), own_paths, 0, is_certain)?;
        }
        let mut place = 1;
        while let Some(component) = self.consumed.get(place).cloned() {
            self.component(&component, place)?;
            place += 1;
        }
        Ok(())
    }

    /// Whether it is certain that the stream inherits; None if it does not.
    fn form_inherits(&mut self, form: &StreamForm<'_>) -> Result<Option<bool>, IndexError> {
        if form.parent.is_empty() {
            return Ok(None);
        }
        if form.must_inherit {
            return Ok(Some(true));
        }
        let stored = self.index.stream_view(form.name)?.filter(|view| !view.is_deleted());
        // A form cannot change the ParentView of an existing stream (p4 help stream).
        match (form.inherits, stored.as_ref().and_then(|view| view.inherits)) {
            (_, Some(true)) | (Some(true) | None, None) => Ok(Some(true)),
            (Some(false) | None, Some(false)) => Ok(None),
            (Some(false), None) if stored.is_none() && !self.index.was_saved(form.name) => Ok(None),
            _ => {
                self.result.is_complete = false;
                Ok(Some(false))
            }
        }
    }

    fn component(&mut self, component: &Consumed, place: usize) -> Result<(), IndexError> {
        if self.is_inside_itself(component) {
            self.result.is_complete = false;
            return Ok(());
        }
        let Some(view) = self.known(&component.name, component.pin)? else { return Ok(()) };
        if view.shows_parent_files() {
            self.result.is_complete = false;
        }
        let root = self.root(&component.name, &view, component.pin)?;
        for line in view.lines_of(LineKind::Own) {
            if let Some(root) = &root {
                self.add([root, &b"/"[..], &line.view].concat(), component.is_certain);
            }
        }
        self.lines(&view, component.pin, place, component.is_certain, &[])?;
        match view.takes_from_parent() {
            Some(true) => {
                let own_paths = own_paths_of(&view);
                self.ancestors(view.parent.clone(), own_paths, place, component.is_certain)?;
            }
            Some(false) => {}
            None => self.result.is_complete = false,
        }
        Ok(())
    }

    /// From the parent upwards; `own_paths` are those of the child.
    fn ancestors(
        &mut self,
        parent: Vec<u8>,
        own_paths: Vec<Vec<u8>>,
        place: usize,
        is_certain: bool,
    ) -> Result<(), IndexError> {
        let consumer = self.consumed.get(place).cloned().unwrap_or_default();
        let (mut name, mut below) = (parent, vec![own_paths]);
        let mut trail = vec![self.folded(&consumer.name)];
        loop {
            let folded = self.folded(&name);
            if trail.contains(&folded) {
                self.result.is_complete = false;
                return Ok(());
            }
            let Some(view) = self.known(&name, consumer.pin)? else { return Ok(()) };
            self.lines(&view, consumer.pin, place, is_certain, &below)?;
            match view.takes_from_parent() {
                Some(true) => {}
                Some(false) => return Ok(()),
                None => {
                    self.result.is_complete = false;
                    return Ok(());
                }
            }
            below.push(own_paths_of(&view));
            trail.push(folded);
            name = view.parent;
        }
    }

    /// Imports and components; `below` are the paths of the children, the nearest ancestor's last.
    fn lines(
        &mut self,
        view: &StreamView,
        pin: Pin,
        place: usize,
        is_certain: bool,
        below: &[Vec<Vec<u8>>],
    ) -> Result<(), IndexError> {
        // Only a component brings what it takes from its parent by an import without a depot path;
        // for the form itself these are files of its own tree of streams.
        let parent_root = match place {
            0 => None,
            _ if view.parent.is_empty() => None,
            _ => match self.known(&view.parent, pin)? {
                Some(parent) => self.root(&view.parent, &parent, pin)?,
                None => None,
            },
        };
        for line in view.lines_of(LineKind::Import) {
            let depot = match (&line.depot[..], &parent_root) {
                (b"", None) => continue,
                (b"", Some(root)) => [root, &b"/"[..], &line.view].concat(),
                (depot, _) => depot.to_vec(),
            };
            let line = StreamLine { depot, ..line.clone() };
            let narrowed = self.narrowed(line.clone(), below);
            if narrowed.iter().all(|narrow| narrow.depot != line.depot) {
                self.add(line.depot, false);
            }
            narrowed.into_iter().for_each(|narrow| self.add(narrow.depot, is_certain));
        }
        let is_own = below.is_empty();
        for line in view.lines_of(LineKind::Component) {
            let pin = line.pin.clone();
            self.add_component(&line.depot, &pin, place, is_certain && is_own);
        }
        Ok(())
    }

    /// The parts of a line that are within the paths of all children.
    fn narrowed(&mut self, line: StreamLine, below: &[Vec<Vec<u8>>]) -> Vec<StreamLine> {
        let folds = self.index.folds();
        let mut lines = vec![line];
        for paths in below.iter().rev() {
            self.steps += lines.len() * paths.len();
            if self.steps > MAX_STEPS {
                self.result.is_complete = false;
                return Vec::new();
            }
            let narrow = |line: &StreamLine| {
                if paths.iter().any(|path| contains(path, &line.view, folds)) {
                    return vec![line.clone()];
                }
                paths.iter().filter_map(|path| part(line, path, folds)).collect()
            };
            lines = lines.iter().flat_map(narrow).collect();
        }
        lines
    }

    fn add(&mut self, path: Vec<u8>, is_certain: bool) {
        if self.result.certain.len() + self.result.possible.len() >= MAX_PATHS {
            self.result.is_complete = false;
            return;
        }
        if is_certain {
            self.result.possible.remove(&path);
            self.result.certain.insert(path);
        } else if !self.result.certain.contains(&path) {
            self.result.possible.insert(path);
        }
    }

    fn add_component(&mut self, stream: &[u8], pin: &[u8], by: usize, is_certain: bool) {
        if self.consumed.len() > MAX_STREAMS {
            self.result.is_complete = false;
            return;
        }
        let pin = self.consumed.get(by).map_or(Pin::Unknown, |consumer| consumer.pin.and(pin));
        let new = Consumed { name: stream.to_vec(), pin, is_certain, by: Some(by) };
        let is_same = |old: &Consumed| {
            let is_enough = old.is_certain || !is_certain;
            old.by.is_some() && old.pin == pin && is_enough && self.is_name(&old.name, stream)
        };
        // Streams may share a component; one within itself is found by its own lines.
        if !self.consumed.iter().any(is_same) || self.is_inside_itself(&new) {
            self.consumed.push(new);
        }
    }

    fn is_inside_itself(&self, component: &Consumed) -> bool {
        let mut by = component.by;
        while let Some(consumer) = by.and_then(|place| self.consumed.get(place)) {
            if self.is_name(&consumer.name, &component.name) {
                return true;
            }
            by = consumer.by;
        }
        false
    }

    /// The directory of the stream's own files; those of a virtual stream are its parent's.
    fn root(
        &mut self,
        name: &[u8],
        view: &StreamView,
        pin: Pin,
    ) -> Result<Option<Vec<u8>>, IndexError> {
        let (mut name, mut view) = (name.to_vec(), view.clone());
        while view.is_virtual() {
            let parent = std::mem::take(&mut view.parent);
            let Some(next) = self.known(&parent, pin)? else { return Ok(None) };
            (name, view) = (parent, next);
        }
        Ok(Some(name))
    }

    /// None, with the result incomplete, if the present form of the stream is not known.
    fn known(&mut self, name: &[u8], pin: Pin) -> Result<Option<StreamView>, IndexError> {
        self.streams += 1;
        let view = match self.streams > MAX_STREAMS || self.index.was_saved(name) {
            true => None,
            false => self.index.stream_view(name)?,
        };
        let view = view.filter(|view| view.is_known() && pin.admits(view.change));
        self.result.is_complete &= view.is_some();
        Ok(view)
    }

    fn folded(&self, name: &[u8]) -> Vec<u8> {
        folded_key(name, self.index.folds())
    }

    fn is_name(&self, one: &[u8], other: &[u8]) -> bool {
        is_same_name(one, other, self.index.folds())
    }
}

fn own_paths_of(view: &StreamView) -> Vec<Vec<u8>> {
    let is_own = |line: &&StreamLine| line.kind == LineKind::Own || line.kind == LineKind::Import;
    let own = view.lines.values().filter(is_own).filter(|line| line.depot.is_empty());
    own.map(|line| line.view.clone()).collect()
}

fn contains(path: &[u8], view: &[u8], folds: bool) -> bool {
    path.strip_suffix(b"...").is_some_and(|start| begins_with_name(view, start, folds))
}

/// The part of a line that a narrower path of the child leaves.
fn part(line: &StreamLine, path: &[u8], folds: bool) -> Option<StreamLine> {
    let (start, depot) = (line.view.strip_suffix(b"...")?, line.depot.strip_suffix(b"...")?);
    let rest = path.get(start.len()..).filter(|_| begins_with_name(path, start, folds))?;
    Some(StreamLine { view: path.to_vec(), depot: [depot, rest].concat(), ..line.clone() })
}
