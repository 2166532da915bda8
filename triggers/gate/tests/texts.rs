//! Tests of the texts in the gate's output with the cases of `tests/cases/texts`, which the Python
//! tests run as well: escaping of names, JSON strings, and the length at which a user-chosen text
//! is cut.

use p4warden_gate::base::json::quote;
use p4warden_gate::base::text::{cut, decoded, printable, short_name};
use serde_json::Value;
use std::error::Error;
use std::path::Path;

type Outcome = Result<(), Box<dyn Error>>;

/// Reads the cases of a case file in `tests/cases/texts`; each comes with the bytes of its input
/// text.
fn cases(name: &str) -> Result<impl Iterator<Item = (Vec<u8>, Value)>, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/texts");
    let text = std::fs::read_to_string(folder.join(format!("{name}.json")))?;
    let document: Value = serde_json::from_str(&text)?;
    let cases = document["cases"].as_array().ok_or("no cases")?.clone();
    let bytes = cases.iter().map(bytes_of).collect::<Result<Vec<_>, _>>()?;
    Ok(bytes.into_iter().zip(cases))
}

fn bytes_of(case: &Value) -> Result<Vec<u8>, Box<dyn Error>> {
    let digits = case["bytes"].as_str().ok_or("no bytes")?.as_bytes().chunks(2);
    let bytes = digits.map(|two| Ok(u8::from_str_radix(str::from_utf8(two)?, 16)?));
    let bytes = bytes.collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    Ok(bytes.repeat(usize::try_from(case["times"].as_u64().unwrap_or(1))?))
}

/// Builds the expected text of a test case from `[PIECE, TIMES, END]`: the piece repeated, then the
/// end.
fn repeated(parts: &Value) -> Result<String, Box<dyn Error>> {
    let times = usize::try_from(parts[1].as_u64().ok_or("no number")?)?;
    let [piece, end] = [&parts[0], &parts[2]].map(|part| part.as_str().unwrap_or_default());
    Ok(piece.repeat(times) + end)
}

#[test]
fn names_are_quoted_in_json_as_in_the_shared_cases() -> Outcome {
    for (bytes, case) in cases("json")? {
        let mut line = String::new();
        quote(&mut line, &decoded(&bytes));
        assert_eq!(Some(line.as_str()), case["json"].as_str(), "{}", case["name"]);
    }
    Ok(())
}

#[test]
fn printable_items_in_messages_match_the_shared_cases() -> Outcome {
    for (bytes, case) in cases("printable")? {
        assert_eq!(Some(printable(&bytes).as_str()), case["printable"].as_str(), "{case}");
    }
    Ok(())
}

#[test]
fn cut_long_items_match_the_shared_cases() -> Outcome {
    for (bytes, case) in cases("cut")? {
        assert_eq!(cut(&bytes), repeated(&case["item"])?, "{}", case["name"]);
        assert_eq!(short_name(&bytes), repeated(&case["record"])?, "{}", case["name"]);
    }
    Ok(())
}
