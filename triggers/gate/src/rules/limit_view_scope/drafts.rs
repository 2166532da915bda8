use super::Settings;
use crate::contract::draft::{DEEP, Draft, Server, form_to_draft};
use crate::contract::limit_by_depot::LimitByDepot;

/// As many lines fit into a form of 4 MiB, the largest that is read.
const MAX_LINES: u64 = 50_000;

pub(super) fn drafts(settings: &Settings, server: &Server<'_>) -> Vec<Draft> {
    let Some(form_type) = form_to_draft(&settings.forms) else { return Vec::new() };
    let drafter = Drafter { settings, server, form_type };
    let all = [
        drafter.whole_depot(),
        drafter.embedded(),
        drafter.lines(),
        drafter.share(),
        drafter.every_depot(),
    ];
    all.into_iter().flatten().take(2).collect()
}

struct Drafter<'s> {
    settings: &'s Settings,
    server: &'s Server<'s>,
    form_type: &'s str,
}

impl Drafter<'_> {
    fn whole_depot(&self) -> Option<Draft> {
        let Settings { depots, min_depth, .. } = self.settings;
        let case_sensitive = self.server.case_sensitive;
        let depths = LimitByDepot::new(depots, *min_depth, u64::max, case_sensitive);
        let names = self.server.depot_names(depots.keys().map(String::as_str));
        let limited = names.iter().find(|name| depths.of(name.as_bytes()) > 0)?;
        let path = format!("//{limited}/...");
        Some(self.of_view(&format!("that maps {path}"), &[path]))
    }

    fn embedded(&self) -> Option<Draft> {
        let paths = self.deep_paths(self.settings.max_embedded?, "/...");
        let description = format!("of {} lines with ... before their end", paths.len());
        Some(self.of_view(&description, &paths))
    }

    fn lines(&self) -> Option<Draft> {
        let paths = self.deep_paths(self.settings.max_lines.filter(|max| *max < MAX_LINES)?, "");
        Some(self.of_view(&format!("of {} lines", paths.len()), &paths))
    }

    /// All top directories of the known depot with most, or of an example depot.
    fn share(&self) -> Option<Draft> {
        self.settings.max_share?;
        let depots = self.server.depots.all();
        let known = depots.iter().max_by_key(|one| one.directories.as_ref().map(Vec::len));
        let text = |name: &Vec<u8>| String::from_utf8(name.clone()).ok();
        let (name, directories) = match known {
            Some(depot) => {
                let directories = depot.directories.iter().flatten().filter_map(text);
                (text(&depot.name)?, directories.collect())
            }
            None => ("depot".to_owned(), self.example_directories()),
        };
        if directories.is_empty() {
            return None;
        }
        let paths: Vec<_> = directories.iter().map(|top| format!("//{name}/{top}/...")).collect();
        let count = directories.len();
        let description = format!("that names all {count} top directories of //{name}");
        let draft = self.of_view(&description, &paths);
        Some(if known.is_some() {
            draft
        } else {
            draft.on_server_with(&[(name, "local", directories)])
        })
    }

    fn every_depot(&self) -> Option<Draft> {
        self.settings.max_files?;
        let names = self.server.depot_names(std::iter::empty());
        let paths: Vec<_> = names.iter().map(|depot| format!("//{depot}/...")).collect();
        Some(self.of_view("that maps every depot", &paths))
    }

    /// One more than allowed.
    fn deep_paths(&self, max: u64, embedded: &str) -> Vec<String> {
        let depot = self.server.first_depot();
        (0..=max).map(|number| format!("//{depot}/{DEEP}{embedded}/{number}/...")).collect()
    }

    fn example_directories(&self) -> Vec<String> {
        (0..self.settings.min_directories).map(|number| format!("top-{number}")).collect()
    }

    fn of_view(&self, description: &str, paths: &[String]) -> Draft {
        let form_type = self.form_type;
        Draft::of_view(format!("a {form_type} {description}"), form_type, paths)
    }
}

pub(super) fn without_witness(settings: &Settings) -> String {
    let Settings { min_depth, depots, max_share, max_files, .. } = settings;
    if *min_depth > 0 || depots.values().any(|depth| *depth > 0) {
        return "whole depots are allowed in all its forms".to_owned();
    }
    if max_share.is_some() || max_files.is_some() {
        return "min_depth: 0 allows whole depots, and no test view exceeds its other limits"
            .to_owned();
    }
    "min_depth: 0 allows whole depots (write min_depth: 1)".to_owned()
}
