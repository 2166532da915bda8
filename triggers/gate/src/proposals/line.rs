//! A view line or a file argument that spans too much, cut into its parts to be narrowed.

use crate::base::visible::visible_text;
use crate::forms::view_lines::{Side, ViewPath};
use crate::paths::depot_path::{UnmeasurablePath, literal_start, span};
use crate::paths::view_words::{Flag, first_word, joined_line, split_flag, words};
use crate::proposals::narrowing;
use crate::proposals::placeholders::{DIRECTORY, WIDER_WORDS, as_wildcards, has_placeholder};

/// The greatest depth that a policy can demand is 20.
const MAX_ROUNDS: usize = 21;
/// Nothing is proposed for longer paths, because a refusal could not show it.
const MAX_BYTES: usize = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'l> {
    shape: Shape<'l>,
    /// The path to narrow, without flag and revision.
    path: Vec<u8>,
    /// The path that it is mapped to.
    target: Option<Vec<u8>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape<'l> {
    Argument,
    View(Flag),
    LeftOfBranch(Flag),
    /// The left side, which stays: without the wildcards of the right side it would not match it.
    RightOfBranch(Vec<u8>),
    /// A line of a stream's Paths: its first word, and the revision after the depot path.
    Import(&'l [u8], &'l [u8]),
}

/// The rule and the form, as far as narrowing depends on them.
#[derive(Clone, Copy)]
pub struct Demand<'d> {
    /// Whether a depot path with this text spans little enough.
    pub is_enough: &'d dyn Fn(&[u8]) -> bool,
    /// The client's name, for client paths that do not follow from the line; None if it has none.
    pub client: Option<&'d [u8]>,
    pub case_sensitive: bool,
}

impl<'l> Line<'l> {
    pub fn argument(path: &[u8]) -> Self {
        Line { shape: Shape::Argument, path: path.to_vec(), target: None }
    }

    /// None for a stream's component: only its developers know a narrower stream.
    pub fn of_view(line: &'l ViewPath<'_>) -> Option<Self> {
        let other = line.other_path.map(<[u8]>::to_vec);
        let (shape, target) = match (line.side, line.line.field) {
            (_, "Components") => return None,
            (_, "Paths") => {
                let depot_path = words(line.text).nth(2)?;
                let revision = depot_path.get(line.path.len()..)?;
                (Shape::Import(first_word(line.text), revision), other)
            }
            (Some(Side::Left), _) => (Shape::LeftOfBranch(line.flag), other),
            (Some(Side::Right), _) => (Shape::RightOfBranch(first_word(line.text).to_vec()), None),
            (None, _) => (Shape::View(line.flag), line.client_path.as_deref().map(<[u8]>::to_vec)),
        };
        Some(Line { shape, path: line.path.to_vec(), target })
    }

    /// With `*` in place of words that a user left unreplaced.
    pub fn with_wildcards(mut self) -> Self {
        self.path = as_wildcards(&self.path);
        self.target = self.target.as_deref().map(as_wildcards);
        self
    }

    /// Whether the left side of a branch's line, which stays, has a word that a user left unreplaced.
    pub fn keeps_placeholder(&self) -> bool {
        match &self.shape {
            Shape::RightOfBranch(left) => has_placeholder(split_flag(left).1, WIDER_WORDS),
            _ => false,
        }
    }

    pub fn path(&self) -> &[u8] {
        &self.path
    }

    pub fn is_right_of_branch(&self) -> bool {
        matches!(self.shape, Shape::RightOfBranch(_))
    }

    pub fn is_too_long(&self) -> bool {
        self.path.len() + self.target.as_ref().map_or(0, Vec::len) > MAX_BYTES
    }

    /// The depot paths that rules judge: of a branch's line those of both sides.
    pub fn depot_paths(&self) -> Vec<&[u8]> {
        match &self.shape {
            Shape::LeftOfBranch(_) => vec![&self.path, self.target.as_deref().unwrap_or_default()],
            Shape::RightOfBranch(left) => vec![split_flag(left).1, &self.path],
            _ => vec![&self.path],
        }
    }

    pub fn is_enough(&self, demand: &Demand<'_>) -> bool {
        self.depot_paths().into_iter().all(|path| (demand.is_enough)(path))
    }

    /// Whether narrowing may suffice: the side of a branch's line that stays is not too wide.
    pub fn can_be_enough(&self, demand: &Demand<'_>) -> bool {
        match &self.shape {
            Shape::RightOfBranch(left) => (demand.is_enough)(split_flag(left).1),
            _ => true,
        }
    }

    pub fn is_of_every_depot(&self) -> bool {
        span(&self.path) == Err(UnmeasurablePath::EveryDepot)
    }

    /// Narrowed to a directory, or to a depot if a wildcard stands in the depot's name; None if that
    /// is impossible.
    pub fn within(&self, name: &[u8], demand: &Demand<'_>) -> Option<Self> {
        if self.is_right_of_branch() {
            let path = narrowing::below(&self.path, name)?;
            return Some(Line { path, ..self.clone() });
        }
        let path = narrowing::within(&self.path, name)?;
        let Some(target) = &self.target else { return Some(Line { path, ..self.clone() }) };
        let beside = narrowing::beside(&self.path, target, name)
            .filter(|target| narrowing::have_the_same_wildcards(&path, target));
        let target = beside.or_else(|| {
            let below_root = path.strip_prefix(b"//")?;
            let slash = below_root.iter().position(|byte| *byte == b'/').map_or(0, |at| at + 1);
            let rest =
                if self.is_of_every_depot() { below_root } else { below_root.get(slash..)? };
            Some([b"//", demand.client?, b"/", rest].concat())
        })?;
        Some(Line { path, target: Some(target), ..self.clone() })
    }

    /// Narrowed to a directory such as `//depot/main/lib/`; None if that is impossible.
    ///
    /// After `...` within a path only one directory is inserted: `//depot/.../src/...` has no file of
    /// `//depot/main/src/` below `//depot/main/src/.../src/`.
    pub fn toward(&self, directory: &[u8], demand: &Demand<'_>) -> Option<Self> {
        let mut inner: Option<Self> = None;
        loop {
            let line = inner.as_ref().unwrap_or(self);
            let start = literal_start(&line.path);
            if inner.is_some() && narrowing::starts_with(start, directory, demand.case_sensitive) {
                return inner;
            }
            let rest = line.path.get(start.len()..)?;
            let is_dots = rest.starts_with(b"...") && rest != b"...";
            let is_last = is_dots && !line.is_of_every_depot();
            let name = narrowing::next_name(&line.path, directory, demand.case_sensitive)?;
            inner = Some(line.within(name, demand)?);
            if is_last {
                return inner;
            }
        }
    }

    /// Narrowed by guessed names until it spans little enough; None if they do not help, as for a
    /// branch's line whose sides have different wildcards.
    pub fn deepened(self, demand: &Demand<'_>) -> Option<Self> {
        let mut line = self;
        for _ in 0..MAX_ROUNDS {
            if line.is_enough(demand) {
                return Some(line);
            }
            if !line.depot_paths().into_iter().all(|path| span(path).is_ok()) {
                return None;
            }
            line = line.within_guess(demand)?;
        }
        None
    }

    /// Narrowed by the text before its wildcard, or else by a placeholder.
    pub fn within_guess(&self, demand: &Demand<'_>) -> Option<Self> {
        self.within(narrowing::guess(&self.path).unwrap_or(DIRECTORY.as_bytes()), demand)
    }

    /// None if a refusal could not show it unchanged.
    pub fn text(&self, unicode: bool) -> Option<String> {
        let flagged = |flag: Flag| [flag.mark().as_bytes(), &self.path].concat();
        let target = self.target.as_deref();
        match &self.shape {
            Shape::Argument => {
                let text = visible_text(&self.path, unicode);
                (text.as_bytes() == self.path).then_some(text)
            }
            Shape::View(flag) | Shape::LeftOfBranch(flag) => {
                let left = flagged(*flag);
                let words: Vec<&[u8]> = [&left[..]].into_iter().chain(target).collect();
                joined_line(&words, unicode)
            }
            Shape::RightOfBranch(left) => joined_line(&[left, &self.path], unicode),
            Shape::Import(kind, revision) => {
                let path = [&self.path, *revision].concat();
                joined_line(&[kind, target?, &path], unicode)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toward(argument: &str, directory: &str) -> Option<String> {
        let demand = Demand { is_enough: &|_| true, client: None, case_sensitive: true };
        Line::argument(argument.as_bytes()).toward(directory.as_bytes(), &demand)?.text(false)
    }

    #[test]
    fn a_path_is_narrowed_only_to_a_directory_within_it() {
        let narrower = [
            ("//depot/...", "//depot/a/", "//depot/a/..."),
            ("//depot/...", "//depot/a/b/", "//depot/a/b/..."),
            ("//depot/ma...", "//depot/main/", "//depot/main/..."),
            ("//depot/ma...", "//depot/main/lib/", "//depot/main/lib/..."),
            ("//depot/.../x.c", "//depot/a/b/", "//depot/a/.../x.c"),
            ("//depot/*/src/...", "//depot/a/", "//depot/a/src/..."),
            ("//depot/*/src/...", "//depot/a/src/b/", "//depot/a/src/b/..."),
            ("//depot/a*/x", "//depot/ab/", "//depot/ab/x"),
            ("//depot/%%1/src/*", "//depot/a/", "//depot/a/src/*"),
            ("//*/main/...", "//depot/main/", "//depot/main/..."),
            ("//.../x.c", "//depot/a/b/", "//depot/a/.../x.c"),
        ];
        for (argument, directory, path) in narrower {
            assert_eq!(toward(argument, directory).as_deref(), Some(path), "{argument}");
        }
        for argument in [
            "//depot/a/...", "//other/...", "//depot/*", "//depot/*.c", "//depot/b*/x",
            "//depot/a/x",
        ] {
            assert_eq!(toward(argument, "//depot/a/"), None, "{argument}");
        }
        assert_eq!(toward("//depot/*/src/...", "//depot/a/b/"), None);
    }
}
