use p4warden_index::subcommands::json_lines::text;
use serde_json::Value;
use std::error::Error;

const CASES: &str = include_str!("../../../../tests/cases/texts/json.json");

fn bytes_of(digits: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let bytes = digits.as_bytes().chunks(2);
    bytes.map(|two| Ok(u8::from_str_radix(str::from_utf8(two)?, 16)?)).collect()
}

#[test]
fn names_are_written_in_json_as_in_the_shared_cases() -> Result<(), Box<dyn Error>> {
    let document: Value = serde_json::from_str(CASES)?;
    let cases = document["cases"].as_array().ok_or("no cases")?;
    assert!(cases.len() >= 25, "only {} cases", cases.len());
    for case in cases {
        let name = bytes_of(case["bytes"].as_str().ok_or("no bytes")?)?;
        let expected: Value = serde_json::from_str(case["json"].as_str().ok_or("no JSON")?)?;
        assert_eq!(text(&name), expected, "{case}");
    }
    Ok(())
}
