//! `tests/sources/test_limits.py` tests the Python side.

use p4warden_index::assemble::index_writer::STEP;
use p4warden_index::assemble::rows::{CLIENT, HAS_OWN_HAVE, STREAMS};
use serde_json::{Value, json};

const LIMITS: &str = include_str!("../../../../tests/cases/limits/limits.json");

#[test]
fn kinds_of_clients_and_streams_match_the_shared_limits() -> Result<(), serde_json::Error> {
    let limits: Value = serde_json::from_str(LIMITS)?;
    let [stream, unloaded_stream] = STREAMS;
    let actual_limits = json!({"client": CLIENT, "stream": stream, "unloaded_stream": unloaded_stream,
        "has_own_have": HAS_OWN_HAVE});
    assert_eq!(limits["clients and streams in `db.domain`"], actual_limits);
    Ok(())
}

#[test]
fn the_sampling_step_matches_the_shared_limits() -> Result<(), serde_json::Error> {
    let limits: Value = serde_json::from_str(LIMITS)?;
    assert_eq!(limits["samples of an index"], json!({"files": STEP}));
    Ok(())
}
