//! `p4warden-gate tables`: the names and numbers of this release that p4warden's Python programs need:
//! `{"events": {RULE: [EVENT]}, "rescue": [COMMAND], "synonyms": {NAME: [MAIN, ADDITION]},
//! "estimated": [COMMAND], "max_delay_s": N}`. `estimated` has main names only.

use crate::event::command_event::RESCUE;
use crate::paths::command_bounds;
use crate::paths::command_synonyms::SYNONYMS;
use crate::rules::kinds;
use crate::rules::limit_command_rate::MAX_DELAY_S;
use crate::rules::limit_scanned_rows::access_of;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

pub fn tables() -> Value {
    let synonyms: Map<String, Value> = SYNONYMS
        .iter()
        .map(|(name, main, addition)| ((*name).to_owned(), json!([main, addition])))
        .collect();
    json!({
        "events": events(),
        "rescue": RESCUE,
        "synonyms": synonyms,
        "estimated": estimated(),
        "max_delay_s": MAX_DELAY_S,
    })
}

fn events() -> Map<String, Value> {
    kinds::all().map(|kind| (kind.name.to_owned(), json!(kind.events))).collect()
}

fn estimated() -> BTreeSet<&'static str> {
    let names = command_bounds::rows().flat_map(|row| row.commands.split(' '));
    names.filter(|name| access_of(name.as_bytes()).is_some()).collect()
}
