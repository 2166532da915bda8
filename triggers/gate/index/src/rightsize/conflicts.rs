use crate::rightsize::fewest_lines::{Choice, fewest_lines};
use crate::rightsize::proposals::MeasuredClient;

/// After so many conflicts, further ones are resolved in one way only: without the one directory,
/// but not also without the other. It bounds the computing time, because every conflict resolved in
/// both ways may double the number of choices.
const MAX_RESOLVED: u32 = 64;

impl MeasuredClient {
    /// The fewest lines, then the fewest files, in which no directory's lines move needed files of
    /// another. Of two directories in conflict, the best choices without the one and without the
    /// other are compared. Once `MAX_RESOLVED` conflicts were found, a better choice, or the only
    /// one, may be missed.
    pub fn choice(&mut self, max_files: Option<u64>, max_lines: usize) -> Option<Choice> {
        self.resolve(max_files, max_lines, &mut { MAX_RESOLVED })
    }

    fn resolve(
        &mut self,
        max_files: Option<u64>,
        max_lines: usize,
        steps_left: &mut u32,
    ) -> Option<Choice> {
        let choice = fewest_lines(&self.tree, max_files, max_lines)?;
        let Some(pair) = self.conflict(&choice) else {
            return Some(choice);
        };
        *steps_left = steps_left.saturating_sub(1);
        let mut choices = Vec::new();
        for place in pair {
            self.allow(place, false);
            choices.extend(self.resolve(max_files, max_lines, steps_left));
            self.allow(place, true);
            if *steps_left == 0 {
                break;
            }
        }
        let tree = &self.tree;
        let order =
            |one: &Choice| (tree.lines(&one.places), one.files, tree.depot_sides(&one.places));
        choices.into_iter().min_by_key(order)
    }

    fn allow(&mut self, place: usize, is_allowed: bool) {
        let directory = self.tree.directories.get_mut(place);
        directory.into_iter().for_each(|directory| directory.is_allowed = is_allowed);
    }

    /// A view line for the first would move needed files of the second.
    fn conflict(&self, choice: &Choice) -> Option<[usize; 2]> {
        let view = &self.client.view;
        let lines = |place: &usize| {
            let directory = self.tree.directories.get(*place)?;
            Some((*place, view.directory_lines(&directory.path)))
        };
        let chosen_lines: Vec<_> = choice.places.iter().filter_map(lines).collect();
        choice.places.iter().find_map(|place| {
            let rivals = self.rivals.get(place)?;
            let has_one = |lines| rivals.iter().any(|rival| view.has_rival(lines, rival));
            let (other, _) =
                chosen_lines.iter().find(|(other, lines)| other != place && has_one(lines))?;
            Some([*other, *place])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rightsize::client_view::{ClientView, Rival};
    use crate::rightsize::directories::NeededDirectory;
    use crate::rightsize::needed_files::ClientNeeds;
    use crate::rightsize::view_row::ViewRow;

    /// In conflict N, the line for `//d/pN/` would lose files to the line for `//l/lN/`, but not to
    /// the line for `//l/lN/u/`.
    fn client(conflicts: usize) -> MeasuredClient {
        let mut rows = Vec::new();
        let mut holdings = vec![("//d/".to_owned(), false, None), ("//l/".to_owned(), false, None)];
        for number in 0..conflicts {
            let mut line = |depot: String, client: String| {
                rows.push(ViewRow { flag: 0, depot: depot.into(), client: client.into() });
            };
            line(format!("//d/p{number}/..."), format!("//ws/p{number}/..."));
            line(format!("//l/l{number}/..."), format!("//ws/p{number}/x/..."));
            line(format!("//d/p{number}/x/own/..."), format!("//ws/p{number}/x/own/..."));
            let directory = format!("//l/l{number}/own/").into_bytes();
            let rival = Rival { row: 3 * number + 1, directory };
            holdings.push((format!("//d/p{number}/"), true, Some(rival)));
            for path in ["d/p%/a/", "d/p%/x/own/", "l/l%/", "l/l%/u/"] {
                holdings.push((
                    format!("//{}", path.replace('%', &number.to_string())),
                    true,
                    None,
                ));
            }
        }
        holdings.sort();
        let directory =
            |(path, is_allowed, rival): (String, bool, Option<Rival>)| NeededDirectory {
                client: 0,
                has_needed: ["a/", "own/", "u/"].iter().any(|end| path.ends_with(end)),
                path: path.into_bytes(),
                is_allowed,
                rivals: rival.into_iter().collect(),
            };
        let view = ClientView::new(rows, false);
        let needs = ClientNeeds { view, ..ClientNeeds::default() };
        MeasuredClient::new(needs, 9, holdings.into_iter().map(|one| (directory(one), 1)).collect())
    }

    fn lines(conflicts: usize) -> Option<usize> {
        let mut client = client(conflicts);
        let choice = client.choice(None, 100)?;
        assert_eq!(client.conflict(&choice), None);
        Some(choice.places.len())
    }

    #[test]
    fn conflicting_view_lines_are_resolved_with_the_fewest_lines() {
        assert_eq!(lines(1), Some(2));
        assert_eq!(lines(4), Some(8));
    }

    #[test]
    fn twenty_conflicts_are_resolved_with_at_most_60_lines() {
        assert!(lines(20).is_some_and(|lines| lines <= 60));
    }
}
