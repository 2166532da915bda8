//! The lines of a stream's form, as far as other streams may take files through them.

use crate::base::numbers::{put_number, put_text, take_number, take_text};
use std::collections::BTreeMap;

const VIRTUAL: u64 = 3;
const TASK: u64 = 4;
/// Mainline, release, development, virtual, task, and the two kinds of sparse streams. The others are
/// unloaded or deleted.
const USABLE_KINDS: [u64; 7] = [0, 1, 2, VIRTUAL, TASK, 6, 7];
const SPARSE_KINDS: [u64; 2] = [6, 7];
/// A bit of the kind ("P4 Server Schema", StreamType).
const DELETED: u64 = 0x100;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamView {
    /// As in `db.stream`.
    pub kind: u64,
    /// Empty for none.
    pub parent: Vec<u8>,
    /// As its ParentView says; None if the record does not show it.
    pub inherits: Option<bool>,
    /// Number of the changelist in whose record of `db.template` the lines are; earlier ones are
    /// history.
    pub change: u32,
    /// By the number of the line.
    pub lines: BTreeMap<u32, StreamLine>,
    /// Of records whose layout is unknown, nothing is guessed.
    pub has_unknown_lines: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// `share` or `isolate`: files of the stream itself.
    Own,
    /// `import`, `import+` or `import&`.
    Import,
    Component,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamLine {
    pub kind: LineKind,
    /// Of a component its directory in the client.
    pub view: Vec<u8>,
    /// Empty for files of the stream itself, or of its parent; of a component the stream.
    pub depot: Vec<u8>,
    /// Of a component: the changelist or label after `@`; empty for none.
    pub pin: Vec<u8>,
}

/// A record of `db.template`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    Line(StreamLine),
    /// An exclusion, a comment, or a line of Remapped or Ignored.
    Nothing,
    Unknown,
}

/// By StreamPathType ("P4 Server Schema"); None for a type that no form has.
pub fn kind_of_line(path_type: u64) -> Option<Option<LineKind>> {
    match path_type {
        0 | 1 => Some(Some(LineKind::Own)),
        2 | 7 | 15 => Some(Some(LineKind::Import)),
        17 | 18 | 23 => Some(Some(LineKind::Component)),
        3..=5 | 9..=14 | 19 | 20 => Some(None),
        _ => None,
    }
}

impl StreamView {
    /// A record with a later changelist begins the lines anew.
    pub fn put(&mut self, change: u32, number: u32, row: Row) {
        if change < self.change {
            return;
        }
        if change > self.change {
            self.change = change;
            self.lines.clear();
            self.has_unknown_lines = false;
        }
        self.lines.remove(&number);
        match row {
            Row::Line(line) => {
                self.lines.insert(number, line);
            }
            Row::Nothing => {}
            Row::Unknown => self.has_unknown_lines = true,
        }
    }

    pub fn is_deleted(&self) -> bool {
        self.kind & DELETED != 0
    }

    /// Every stream has lines, so none means that they were not found.
    pub fn is_known(&self) -> bool {
        USABLE_KINDS.contains(&self.kind) && !self.has_unknown_lines && !self.lines.is_empty()
    }

    pub fn is_virtual(&self) -> bool {
        self.kind == VIRTUAL
    }

    /// It shows its own files over those of its parent.
    pub fn shows_parent_files(&self) -> bool {
        self.kind == TASK || SPARSE_KINDS.contains(&self.kind)
    }

    /// Virtual and task streams have no other ParentView (p4 help stream).
    pub fn takes_from_parent(&self) -> Option<bool> {
        match self.kind {
            _ if self.parent.is_empty() => Some(false),
            VIRTUAL | TASK => Some(true),
            _ => self.inherits,
        }
    }

    pub fn lines_of(&self, kind: LineKind) -> impl Iterator<Item = &StreamLine> {
        self.lines.values().filter(move |line| line.kind == kind)
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        put_number(&mut to, self.kind);
        put_text(&mut to, &self.parent);
        put_inheritance(&mut to, self.inherits);
        put_number(&mut to, self.change.into());
        put_number(&mut to, self.has_unknown_lines.into());
        for (number, line) in &self.lines {
            put_number(&mut to, (*number).into());
            line.put(&mut to);
        }
        to
    }

    pub fn read(mut from: &[u8]) -> Option<Self> {
        let from = &mut from;
        let mut view = StreamView {
            kind: take_number(from)?,
            parent: take_text(from)?.to_vec(),
            inherits: take_inheritance(from)?,
            change: u32::try_from(take_number(from)?).ok()?,
            has_unknown_lines: take_number(from)? > 0,
            lines: BTreeMap::new(),
        };
        while !from.is_empty() {
            let number = u32::try_from(take_number(from)?).ok()?;
            view.lines.insert(number, StreamLine::take(from)?);
        }
        Some(view)
    }
}

const KINDS: [LineKind; 3] = [LineKind::Own, LineKind::Import, LineKind::Component];

impl StreamLine {
    pub fn put(&self, to: &mut Vec<u8>) {
        let kind = KINDS.iter().position(|kind| *kind == self.kind);
        put_number(to, kind.unwrap_or(0) as u64);
        [&self.view, &self.depot, &self.pin].into_iter().for_each(|text| put_text(to, text));
    }

    pub fn take(from: &mut &[u8]) -> Option<Self> {
        let kind = *KINDS.get(usize::try_from(take_number(from)?).ok()?)?;
        let mut text = || take_text(from).map(<[u8]>::to_vec);
        Some(StreamLine { kind, view: text()?, depot: text()?, pin: text()? })
    }
}

pub fn put_inheritance(to: &mut Vec<u8>, inherits: Option<bool>) {
    put_number(to, inherits.map_or(0, |inherits| 1 + u64::from(inherits)));
}

pub fn take_inheritance(from: &mut &[u8]) -> Option<Option<bool>> {
    Some(take_number(from)?.checked_sub(1).map(|inherits| inherits > 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(view: &[u8]) -> Row {
        let (view, depot, pin) = (view.to_vec(), Vec::new(), Vec::new());
        Row::Line(StreamLine { kind: LineKind::Own, view, depot, pin })
    }

    #[test]
    fn only_the_lines_of_the_latest_changelist_count() {
        let mut view = StreamView::default();
        view.put(4, 0, line(b"old/..."));
        view.put(9, 0, line(b"..."));
        view.put(9, 1, line(b"new/..."));
        view.put(4, 2, line(b"older/..."));
        let views: Vec<_> = view.lines.values().map(|line| &line.view[..]).collect();
        assert_eq!(views, [&b"..."[..], b"new/..."]);
        assert!(view.is_known());
        view.put(9, 1, Row::Nothing);
        view.put(9, 0, Row::Nothing);
        assert!(!view.is_known());
    }

    #[test]
    fn a_line_of_unknown_layout_makes_the_stream_unknown_until_its_next_save() {
        let mut view = StreamView::default();
        view.put(9, 0, line(b"..."));
        view.put(9, 1, Row::Unknown);
        assert!(!view.is_known());
        view.put(10, 0, line(b"..."));
        assert!(view.is_known());
        view.kind |= DELETED;
        assert!(view.is_deleted() && !view.is_known());
    }

    #[test]
    fn encoded_views_are_decoded_unchanged() {
        let mut view = StreamView {
            kind: 2,
            parent: b"//s/m\xff".to_vec(),
            inherits: Some(false),
            ..StreamView::default()
        };
        view.put(9, 0, line(b"..."));
        let (view_path, depot, pin) = (b"lib".to_vec(), b"//s/lib".to_vec(), b"7".to_vec());
        let kind = LineKind::Component;
        view.put(9, 3, Row::Line(StreamLine { kind, view: view_path, depot, pin }));
        assert_eq!(StreamView::read(&view.bytes()), Some(view));
    }

    proptest! {
        #[test]
        fn reading_arbitrary_bytes_does_not_panic(bytes: Vec<u8>) {
            let _ = StreamView::read(&bytes);
        }
    }
}
