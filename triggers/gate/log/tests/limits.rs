//! `tests/sources/test_limits.py` tests the Python side.

use p4warden_log::write::sqlite::PAGE_BYTES;
use serde_json::{Value, json};

const LIMITS: &str = include_str!("../../../../tests/cases/limits/limits.json");

#[test]
fn the_page_size_of_a_log_database_matches_the_shared_limits() -> Result<(), serde_json::Error> {
    let limits: Value = serde_json::from_str(LIMITS)?;
    assert_eq!(limits["pages of a log database"], json!({"bytes": PAGE_BYTES}));
    Ok(())
}
