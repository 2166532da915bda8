use crate::base::fault::Fault;
use crate::source::ends::FileRole;
use crate::source::files::Part;
use crate::source::nearby::advice;
use crate::source::parallel_folder::{part_name, parts_in, refuse_mixture};
use std::path::{Path, PathBuf};

/// A file, a folder with a parallel checkpoint, or the files of such a folder.
pub fn parts(paths: &[PathBuf]) -> Result<Vec<Part>, Fault> {
    match paths {
        [] => Ok(Vec::new()),
        [path] if !is_folder(path)? => Ok(vec![Part::of(path, false)?]),
        [folder] => parallel(folder, entries(folder)?),
        [first, ..] => {
            let folder = first.parent().unwrap_or(Path::new(""));
            let is_one = |path: &PathBuf| path.parent() == Some(folder) && is_part_or_digest(path);
            match paths.iter().find(|path| !is_one(path)) {
                None => parallel(folder, paths.to_vec()),
                Some(other) => Err(refusal(
                    other,
                    "cannot be read together with another checkpoint: name one checkpoint",
                )),
            }
        }
    }
}

/// In the order of reading.
pub fn with_journals(
    checkpoint: &[PathBuf],
    journals: &[PathBuf],
    last: FileRole,
) -> Result<Vec<(Part, FileRole)>, Fault> {
    let files = parts(checkpoint)?.into_iter().map(|part| {
        let role = FileRole::of_checkpoint(&part);
        (part, role)
    });
    let mut files: Vec<_> = files.collect();
    for (number, path) in journals.iter().enumerate() {
        let role = if number + 1 == journals.len() { last } else { FileRole::Journal };
        files.push((Part::of(path, false)?, role));
    }
    Ok(files)
}

/// Names the newest whole checkpoint.
pub fn refusal(path: &Path, problem: &str) -> Fault {
    Fault::NotWhole(format!("{}: {problem}; {}", path.display(), advice(path)))
}

fn parallel(folder: &Path, files: Vec<PathBuf>) -> Result<Vec<Part>, Fault> {
    let parts = parts_in(folder, files);
    let parts = parts.and_then(|parts| refuse_mixture(&parts).map(|()| parts));
    let parts = parts.map_err(|problem| refusal(folder, &problem))?;
    parts.iter().map(|path| Part::of(path, true)).collect()
}

fn is_folder(path: &Path) -> Result<bool, Fault> {
    let about = std::fs::metadata(path).map_err(|error| Fault::of_file(path, &error))?;
    Ok(about.is_dir())
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let fault = |error| Fault::of_file(folder, &error);
    let entries = std::fs::read_dir(folder).map_err(fault)?;
    entries.map(|entry| Ok(entry.map_err(fault)?.path())).collect()
}

fn is_part_or_digest(path: &Path) -> bool {
    let part = path.extension().filter(|end| *end == "md5").map(|_| path.with_extension(""));
    part_name(part.as_deref().unwrap_or(path)).is_some()
}
