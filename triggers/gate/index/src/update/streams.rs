use crate::assemble::rows::{Domain, stream_read};
use crate::assemble::unfinished_file::FileOutput;
use crate::file::delta::Delta;
use crate::file::index::Index;
use crate::file::stream::Stream;
use crate::file::tree::Tree;
use crate::file::trees::IndexError;
use crate::update::name_map::{self, NameMap, row_of};

#[derive(Debug, Default)]
pub struct Streams {
    folds: bool,
    operations_by_name: NameMap<Operations>,
}

#[derive(Debug, Default)]
struct Operations {
    updated: Option<(u64, u64)>,
    record: Option<(u64, Vec<u8>, u64)>,
    sources: Vec<Vec<u8>>,
    save_transaction: u64,
}

impl Streams {
    #[must_use]
    pub fn new(folds: bool) -> Self {
        Streams { folds, operations_by_name: NameMap::new() }
    }

    /// The server also writes such a record at each use of the stream.
    pub fn take_domain(&mut self, name: &[u8], domain: &Domain, at: u64) {
        self.operations_of(name).updated = Some((domain.updated_s, at));
    }

    /// The server also writes such a record for other reasons than a save.
    pub fn take_record(&mut self, name: &[u8], value: &[u8], at: u64) {
        if let Some((kind, parent)) = stream_read(value) {
            self.operations_of(name).record = Some((kind, parent.to_vec(), at));
        }
    }

    /// The transaction contains one of the stream's path lines or, with `source`, a
    /// `db.streamrelation` record of its dependence on that stream.
    pub fn take_path(&mut self, name: &[u8], source: Option<&[u8]>, at: u64) {
        let operations = self.operations_of(name);
        operations.save_transaction = at;
        operations.sources.extend(source.map(<[u8]>::to_vec));
    }

    fn operations_of(&mut self, name: &[u8]) -> &mut Operations {
        row_of(&mut self.operations_by_name, name, self.folds)
    }

    /// `index` includes the old delta file.
    pub fn write(
        &self,
        index: &Index,
        old: Option<&Delta>,
        out: &mut FileOutput,
    ) -> Result<Tree, IndexError> {
        let old = old.map(|old| (old, old.head.streams));
        let mut rows = name_map::of_delta(old, self.folds, Stream::read)?;
        for (key, (name, operations)) in &self.operations_by_name {
            let previous = match rows.remove(key) {
                Some((_, stream)) => Some(stream),
                None => index.stream(name)?,
            };
            rows.insert(key.clone(), (name.clone(), operations.state_after(previous)));
        }
        Ok(name_map::write(rows, Stream::bytes, out)?)
    }
}

impl Operations {
    fn state_after(&self, previous: Option<Stream>) -> Stream {
        let is_new = previous.is_none();
        let mut stream = previous.unwrap_or_default();
        let mut saved_at = self.save_transaction;
        if let Some((updated_s, at)) = self.updated {
            let is_later = is_new || updated_s > stream.updated_s;
            saved_at = saved_at.max(if is_later { at } else { 0 });
            stream.updated_s = stream.updated_s.max(updated_s);
        }
        if let Some((kind, parent, at)) = &self.record {
            let has_parent = parent.is_empty() || stream.sources.contains(parent);
            let is_same = !is_new && stream.kind == *kind && has_parent;
            saved_at = saved_at.max(if is_same { 0 } else { *at });
            stream.kind = *kind;
            stream.sources.extend((!has_parent).then(|| parent.clone()));
        }
        for source in &self.sources {
            if !stream.sources.contains(source) {
                stream.sources.push(source.clone());
            }
        }
        stream.save_transaction = stream.save_transaction.max(saved_at);
        stream
    }
}
