//! The census in Python runs the same cases.

use p4warden_index::file::view_line::ViewLine;

const CASES: &str = include_str!("../../../../tests/cases/view_marks/flags.json");

#[test]
fn marks_of_view_line_flags_match_the_shared_cases() -> Result<(), Box<dyn std::error::Error>> {
    let document: serde_json::Value = serde_json::from_str(CASES)?;
    for case in document["cases"].as_array().ok_or("no cases")? {
        let flag = case["flag"].as_u64().ok_or("no flag")?;
        let row = ViewLine { flag, ..ViewLine::default() };
        let mark = (!row.is_of_server()).then(|| row.mark());
        assert_eq!(mark, case["mark"].as_str(), "{case}");
        assert_eq!(row.includes(), mark.is_some_and(|mark| mark != "-"), "{case}");
    }
    Ok(())
}
