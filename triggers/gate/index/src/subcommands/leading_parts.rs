use crate::base::fault::Fault;
use crate::base::options::Options;
use crate::subcommands::json_lines::{Lines, of_index, open_index, text};
use serde_json::json;
use std::ffi::OsString;

/// Directories with a smaller part of all revisions are left out.
const LEAST_PART: u64 = 100;

/// `p4warden-index leading`: the directories with at least a hundredth of the sampled revisions, as
/// JSON lines, each before those in it.
pub fn run(words: &[OsString]) -> Result<(), Fault> {
    let options = Options::read(words, &[], &[])?;
    let path = options.file_and_rest()?.0;
    let index = open_index(path)?;
    let samples = index.head.samples[1];
    let mut counted = LeadingParts::new(samples.entries.div_ceil(LEAST_PART), index.folds());
    let result = index.each(samples, |path, _| counted.pass(path));
    result.map_err(|problem| of_index(path, &problem))?;
    let mut lines = Lines::default();
    for (directory, samples) in counted.finish() {
        let revisions = samples * index.head.step;
        lines.line(&json!({"directory": text(&directory), "revisions": revisions}));
    }
    lines.finish()
}

/// Counts sorted paths by all directories that they lie in.
struct LeadingParts {
    least: u64,
    folds: bool,
    path: Vec<u8>,
    /// Those of `path`: the length, and the paths in it.
    open: Vec<(usize, u64)>,
    found: Vec<(Vec<u8>, u64)>,
}

impl LeadingParts {
    fn new(least: u64, folds: bool) -> Self {
        LeadingParts { least, folds, path: Vec::new(), open: Vec::new(), found: Vec::new() }
    }

    fn pass(&mut self, path: &[u8]) {
        let is_same = |(a, b): (&u8, &u8)| a == b || self.folds && a.eq_ignore_ascii_case(b);
        let common = self.path.iter().zip(path).take_while(|pair| is_same(*pair)).count();
        self.close(common);
        let begin = self.open.last().map_or(2, |(length, _)| *length);
        let ends = (begin..path.len()).filter(|at| path.get(*at) == Some(&b'/'));
        self.open.extend(ends.map(|at| (at + 1, 0)));
        self.path = path.to_vec();
        if let Some((_, paths)) = self.open.last_mut() {
            *paths += 1;
        }
    }

    /// Closes the directories that are longer than what the next path has in common.
    fn close(&mut self, common: usize) {
        while let Some((length, paths)) = self.open.pop_if(|(length, _)| *length > common) {
            if let Some((_, outer)) = self.open.last_mut() {
                *outer += paths;
            }
            if paths >= self.least {
                let directory = self.path.get(..length).unwrap_or_default().to_vec();
                if self.folds {
                    self.spell_inner(&directory);
                }
                self.found.push((directory, paths));
            }
        }
    }

    /// Spells the directories found in this one as it is spelt.
    fn spell_inner(&mut self, directory: &[u8]) {
        for (inner, _) in self.found.iter_mut().rev() {
            match inner.get_mut(..directory.len()) {
                Some(start) if start.eq_ignore_ascii_case(directory) => {
                    start.copy_from_slice(directory);
                }
                _ => break,
            }
        }
    }

    fn finish(mut self) -> Vec<(Vec<u8>, u64)> {
        self.close(0);
        self.found.sort();
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::LeadingParts;

    fn counted(least: u64, folds: bool, paths: &[&str]) -> Vec<(String, u64)> {
        let mut parts = LeadingParts::new(least, folds);
        paths.iter().for_each(|path| parts.pass(path.as_bytes()));
        let found = parts.finish().into_iter();
        found.map(|(path, count)| (String::from_utf8_lossy(&path).into_owned(), count)).collect()
    }

    fn pairs(expected: &[(&str, u64)]) -> Vec<(String, u64)> {
        expected.iter().map(|(path, count)| ((*path).to_owned(), *count)).collect()
    }

    #[test]
    fn a_path_counts_for_each_directory_above_it() {
        let paths = ["//d/a/b/1", "//d/a/b/2", "//d/a/c", "//d/e/f", "//other/x"];
        let expected =
            [("//d/", 4), ("//d/a/", 3), ("//d/a/b/", 2), ("//d/e/", 1), ("//other/", 1)];
        assert_eq!(counted(1, false, &paths), pairs(&expected));
        assert_eq!(counted(3, false, &paths), pairs(&expected[..2]));
        assert_eq!(counted(1, false, &[]), []);
    }

    #[test]
    fn names_that_differ_in_case_are_one_where_the_server_folds_them() {
        let paths = ["//d/Main/1", "//d/main/2", "//d/mainline/3"];
        let one = [("//d/", 3), ("//d/main/", 2), ("//d/mainline/", 1)];
        assert_eq!(counted(1, true, &paths), pairs(&one));
        assert_eq!(counted(1, false, &paths).len(), 4);
    }

    #[test]
    fn directories_in_one_are_spelt_as_it_is_where_the_server_folds_case() {
        let paths = ["//d/Main/a/x/1", "//d/Main/a/y/2", "//d/main/b/3", "//D/other/4"];
        let expected = [
            ("//D/", 4),
            ("//D/main/", 3),
            ("//D/main/a/", 2),
            ("//D/main/a/x/", 1),
            ("//D/main/a/y/", 1),
            ("//D/main/b/", 1),
            ("//D/other/", 1),
        ];
        assert_eq!(counted(1, true, &paths), pairs(&expected));
        let as_written = counted(1, false, &paths);
        assert!(as_written.contains(&("//d/Main/a/".to_owned(), 2)));
        assert!(as_written.contains(&("//d/main/b/".to_owned(), 1)));
    }
}
