use crate::assemble::follower::Follower;
use crate::assemble::rows::{
    Domain, RELATION_TAIL, TEMPLATE_TAIL, place_of_template, stream_inherits, stream_read,
    template_read,
};
use crate::file::blocks::BlockOutput;
use crate::file::stream::Stream;
use crate::file::stream_view::StreamView;
use crate::file::tree::{Tree, TreeWriter};
use crate::sorted::merge::Merge;
use crate::sorted::run::Run;
use std::io::{self, Write};

#[derive(Debug)]
pub struct StreamRuns<'r> {
    pub domains: &'r [Run],
    pub streams: Vec<Run>,
    /// `db.streamrelation`, sorted by the name of the dependent stream.
    pub relations: Vec<Run>,
    pub templates: Vec<Run>,
    pub folds: bool,
}

/// The trees of streams and of their lines.
pub fn write(runs: &StreamRuns<'_>, out: &mut BlockOutput<impl Write>) -> io::Result<[Tree; 2]> {
    let mut domains = Merge::new(runs.domains, runs.folds)?;
    let mut records = Follower::new(&runs.streams, runs.folds, 0)?;
    let mut relations = Follower::new(&runs.relations, runs.folds, RELATION_TAIL)?;
    let mut templates = Follower::new(&runs.templates, runs.folds, TEMPLATE_TAIL)?;
    let (mut tree, mut views) = (TreeWriter::default(), TreeWriter::default());
    while domains.advance()? {
        let Some(domain) = Domain::read(domains.value()).filter(Domain::is_stream) else {
            continue;
        };
        let mut stream = Stream { updated_s: domain.updated_s, ..Stream::default() };
        let mut view = StreamView::default();
        records.each_of(domains.order_key(), |_, value| {
            if let Some((kind, parent)) = stream_read(value) {
                (stream.kind, view.kind) = (kind, kind);
                view.parent = parent.to_vec();
                view.inherits = stream_inherits(value);
                stream.sources.extend((!parent.is_empty()).then(|| parent.to_vec()));
            }
        })?;
        relations.each_of(domains.order_key(), |_, source| {
            if !stream.sources.iter().any(|other| other == source) {
                stream.sources.push(source.to_vec());
            }
        })?;
        templates.each_of(domains.order_key(), |key, value| {
            if let Some((change, number)) = place_of_template(key) {
                view.put(change, number, template_read(value));
            }
        })?;
        tree.push(out, domains.key(), &stream.bytes())?;
        views.push(out, domains.key(), &view.bytes())?;
    }
    Ok([tree.finish(out)?, views.finish(out)?])
}
