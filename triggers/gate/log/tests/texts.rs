//! The log reader must escape strings in JSON exactly as the gate does.

use p4warden_log::record::sink::{Event, EventKind};
use p4warden_log::write::json;
use serde_json::Value;
use std::error::Error;

const CASES: &str = include_str!("../../../../tests/cases/texts/json.json");

fn bytes_of(digits: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let bytes = digits.as_bytes().chunks(2);
    bytes.map(|two| Ok(u8::from_str_radix(str::from_utf8(two)?, 16)?)).collect()
}

#[test]
fn error_texts_are_written_in_json_as_in_the_shared_cases() -> Result<(), Box<dyn Error>> {
    let document: Value = serde_json::from_str(CASES)?;
    let cases = document["cases"].as_array().ok_or("no cases")?;
    assert!(cases.len() >= 25, "only {} cases", cases.len());
    for case in cases {
        let error = bytes_of(case["bytes"].as_str().ok_or("no bytes")?)?;
        let kind = EventKind::Error { operation: b"user-fstat", text: &error };
        let mut line = String::new();
        json::event(&mut line, &Event { file: 0, line: 1, time_ns: None, pid: None, kind });
        let expected = format!("\"error\": {}}}\n", case["json"].as_str().ok_or("no JSON")?);
        assert!(line.ends_with(&expected), "{case}\n{line}");
    }
    Ok(())
}
