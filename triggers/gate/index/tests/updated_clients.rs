use p4warden_index::assemble::index_build::{Sources, build};
use p4warden_index::assemble::unfinished_file::UnfinishedFile;
use p4warden_index::file::changed_client::ChangedClient;
use p4warden_index::file::delta::{Delta, DeltaHead, MAGIC, delta_path};
use p4warden_index::update::index_update::update;
use p4warden_index::update::name_map::{NameMap, of_delta, write};
use p4warden_index::update::pieces::Journals;
use std::fmt::Debug;
use std::fs::File;
use std::path::PathBuf;

const START: &str = "@nx@ 0 100 @41@ 1 0 0 0 0 @/root@ @journal@ @@ @@ @@ \n";
const CLOSE: &str = "@nx@ 1 100 @41@ 0 0 0 0 0 @@ @@ @@ @@ \n";
const END: &str = "@ex@ 1 200\n";
/// Totals that no view in the test spans.
const STORED: [u64; 2] = [7, 7];

#[test]
fn all_clients_are_counted_again_only_after_operations_on_files() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(text)?;
    let server = Server { folder: folder.path().to_owned() };
    server.build(&[START, &file("a"), CLOSE, END].concat())?;
    let clients = [domain("one"), view("one", 0), domain("two"), view("two", 0)].concat();
    let mut journal = clients + END;
    assert_eq!(server.totals_after(&journal)?, [[1, 1], [1, 1]]);
    server.replace_totals()?;
    journal += &[&view("two", 1), END].concat();
    assert_eq!(server.totals_after(&journal)?, [STORED, [1, 1]]);
    journal += &[&file("b"), END].concat();
    assert_eq!(server.totals_after(&journal)?, [[2, 2], [2, 2]]);
    Ok(())
}

struct Server {
    folder: PathBuf,
}

impl Server {
    fn written(&self, name: &str, content: &str) -> Result<PathBuf, String> {
        let path = self.folder.join(name);
        std::fs::write(&path, content).map_err(text)?;
        Ok(path)
    }

    fn index(&self) -> PathBuf {
        self.folder.join("index")
    }

    fn build(&self, checkpoint: &str) -> Result<(), String> {
        let checkpoints = vec![self.written("checkpoint", checkpoint)?];
        let sources = Sources { checkpoints, journals: Vec::new(), server_id: None, case: None };
        build(&sources, &self.index(), &mut |_, _| {}).map(|_| ()).map_err(text)
    }

    /// Of the clients in the delta file.
    fn totals_after(&self, journal: &str) -> Result<Vec<[u64; 2]>, String> {
        let live_path = self.written("journal", journal)?;
        let rotated_path = live_path.clone();
        update(&self.index(), &Journals { live_path, rotated_path }).map_err(text)?;
        let clients = self.delta_clients()?.1.into_values().filter_map(|(_, row)| row.client);
        Ok(clients.map(|client| client.totals).collect())
    }

    fn delta_clients(&self) -> Result<(DeltaHead, NameMap<ChangedClient>), String> {
        let delta = Delta::of_file(File::open(delta_path(&self.index())).map_err(text)?);
        let delta = delta.map_err(text)?;
        let clients = of_delta(Some((&delta, delta.head.clients)), false, ChangedClient::read);
        Ok(((*delta.head).clone(), clients.map_err(text)?))
    }

    /// The old delta file contains no changes but those of clients.
    fn replace_totals(&self) -> Result<(), String> {
        let (mut head, mut clients) = self.delta_clients()?;
        for client in clients.values_mut().filter_map(|(_, row)| row.client.as_mut()) {
            client.totals = STORED;
        }
        let mut unfinished = UnfinishedFile::of(&delta_path(&self.index())).map_err(text)?;
        head.clients = write(clients, ChangedClient::bytes, &mut unfinished.out).map_err(text)?;
        unfinished.finish(MAGIC, &head.bytes()).map_err(text)
    }
}

fn file(name: &str) -> String {
    let record = |table| format!("@pv@ 9 @db.{table}@ @//depot/{name}@ 1 0 0 1 1 1 00 1 \n");
    ["rev", "revhx"].map(record).concat()
}

fn domain(name: &str) -> String {
    format!("@pv@ 6 @db.domain@ @{name}@ 99 @@ @/{name}@ @@ @@ @ann@ 150 150 0 @@ @@ @@ 0 \n")
}

fn view(name: &str, number: u64) -> String {
    format!("@pv@ 1 @db.view@ @{name}@ {number} 0 @//{name}/{number}/...@ @//depot/...@ \n")
}

fn text(error: impl Debug) -> String {
    format!("{error:?}")
}
