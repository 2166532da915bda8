//! Facts about a server of which only the depots are known.

use p4warden_gate::facts::form_facts::{Baseline, FormFacts, Marks};
use p4warden_gate::facts::known_depots::KnownDepots;

pub fn facts<'f>(depots: &'f KnownDepots<'f>) -> FormFacts<'f> {
    FormFacts {
        case_sensitive: true,
        limit_view: false,
        unicode: false,
        server_id: None,
        depots,
        depots_as_of: String::new(),
        baseline: Baseline::of(Marks::new()),
        spanned_files: None,
        inherited: None,
        used_directories: &Vec::new,
        client_exists: &|| None,
    }
}
