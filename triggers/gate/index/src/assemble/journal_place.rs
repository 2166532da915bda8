//! A journal that was renamed at rotation is recognized by checksums of its text at the start and
//! directly before the position.

use crate::base::checksum::crc_32;
use crate::base::fault::Fault;
use crate::file::position::{Position, WINDOW_BYTES};
use crate::source::files::open_from;
use std::io::{self, Read};
use std::path::Path;

/// `offset` is in the uncompressed text; None if the journal is shorter.
pub fn position(path: &Path, offset: u64) -> Result<Option<Position>, Fault> {
    let bytes = offset.min(WINDOW_BYTES);
    let crc = |from| {
        let window = window(path, from, bytes).map_err(|error| Fault::of_file(path, &error))?;
        Ok(window.map(|text| crc_32(&text)))
    };
    let (Some(start_crc), Some(end_crc)) = (crc(0)?, crc(offset - bytes)?) else {
        return Ok(None);
    };
    Ok(Some(Position { offset, start_crc, end_crc }))
}

pub fn is_of(path: &Path, place: Position) -> Result<bool, Fault> {
    Ok(position(path, place.offset)? == Some(place))
}

fn window(path: &Path, from: u64, bytes: u64) -> io::Result<Option<Vec<u8>>> {
    let mut text = Vec::new();
    let Some(rest) = open_from(path, from)? else {
        return Ok(None);
    };
    rest.take(bytes).read_to_end(&mut text)?;
    Ok(Some(text).filter(|text| text.len() as u64 == bytes))
}
