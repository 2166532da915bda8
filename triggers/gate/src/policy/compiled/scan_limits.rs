//! The settings of one rule `limit_scanned_rows` as stored in `gate.policy`.

use crate::base::bytes::{CorruptData, Reader, Writer};
use crate::policy::document;

/// Estimated numbers; `u64::MAX` for no limit.
#[derive(Clone, Copy, Debug)]
pub struct ScanLimits {
    pub max_files: u64,
    pub max_revisions: u64,
}

impl ScanLimits {
    pub(super) fn read(mut from: Reader<'_>) -> Result<Self, CorruptData> {
        Ok(ScanLimits { max_files: from.u64()?, max_revisions: from.u64()? })
    }
}

pub(super) fn write(to: &mut Writer, scanned: &document::ScanLimits) {
    to.u64(scanned.max_files.unwrap_or(u64::MAX)).u64(scanned.max_revisions.unwrap_or(u64::MAX));
}
