use crate::assemble::rows::{stream_inherits, stream_read, template_read};
use crate::assemble::unfinished_file::FileOutput;
use crate::file::delta::Delta;
use crate::file::index::Index;
use crate::file::stream_view::{Row, StreamView};
use crate::file::tree::Tree;
use crate::file::trees::IndexError;
use crate::update::name_map::{self, NameMap, row_of};

/// The operations on each stream, in the order of the journals.
#[derive(Debug, Default)]
pub struct StreamViews {
    folds: bool,
    operations_by_name: NameMap<Vec<Operation>>,
}

#[derive(Debug)]
enum Operation {
    Delete,
    Stream {
        kind: u64,
        parent: Vec<u8>,
        inherits: Option<bool>,
    },
    /// Changelist and number of the line; None for a line that was deleted.
    Line((u32, u32), Option<Row>),
}

impl StreamViews {
    #[must_use]
    pub fn new(folds: bool) -> Self {
        StreamViews { folds, operations_by_name: NameMap::new() }
    }

    /// A value of None means that the record was deleted.
    pub fn take_record(&mut self, name: &[u8], value: Option<&[u8]>) {
        let stream = value.and_then(stream_read).map(|(kind, parent)| Operation::Stream {
            kind,
            parent: parent.to_vec(),
            inherits: value.and_then(stream_inherits),
        });
        self.push(name, stream.unwrap_or(Operation::Delete));
    }

    /// A value of None means that the line was deleted.
    pub fn take_line(&mut self, name: &[u8], place: (u32, u32), value: Option<&[u8]>) {
        self.push(name, Operation::Line(place, value.map(template_read)));
    }

    fn push(&mut self, name: &[u8], operation: Operation) {
        row_of(&mut self.operations_by_name, name, self.folds).push(operation);
    }

    /// `index` includes the old delta file; one of an earlier version lacks what the operations
    /// change.
    pub fn write(
        self,
        index: &Index,
        old: Option<&Delta>,
        out: &mut FileOutput,
    ) -> Result<Tree, IndexError> {
        if index.head.stream_views.is_none() {
            return Ok(Tree::default());
        }
        let old = old.map(|old| (old, old.head.stream_views));
        let mut rows = name_map::of_delta(old, self.folds, StreamView::read)?;
        for (key, (name, operations)) in self.operations_by_name {
            let previous = match rows.remove(&key) {
                Some((_, view)) => Some(view),
                None => index.stream_view(&name)?,
            };
            let mut view = previous.unwrap_or_default();
            operations.into_iter().for_each(|operation| operation.apply(&mut view));
            rows.insert(key, (name, view));
        }
        Ok(name_map::write(rows, StreamView::bytes, out)?)
    }
}

impl Operation {
    fn apply(self, view: &mut StreamView) {
        match self {
            Operation::Delete => view.delete(),
            Operation::Stream { kind, parent, inherits } => {
                (view.kind, view.parent, view.inherits) = (kind, parent, inherits);
            }
            Operation::Line((change, number), Some(row)) => view.put(change, number, row),
            Operation::Line((change, number), None) => view.remove(change, number),
        }
    }
}
