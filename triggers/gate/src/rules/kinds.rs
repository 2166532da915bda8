//! All kinds of rules.

use crate::policy::kinds::RuleKind;
use crate::policy::rules::{Kind, NamedRule};
use crate::rules::block_client_program;
use crate::rules::kind_of_rule::KindOfRule;
use crate::rules::limit_command_rate;
use crate::rules::limit_command_scope;
use crate::rules::limit_depot_count;
use crate::rules::limit_path_length;
use crate::rules::limit_scanned_rows;
use crate::rules::limit_top_directories;
use crate::rules::limit_view_scope;
use crate::rules::require_client_options;
use crate::rules::suggest_client_options;
use crate::rules::suggest_client_view;

#[must_use]
pub fn of(kind: RuleKind) -> &'static KindOfRule {
    match kind {
        RuleKind::BlockClientProgram => &block_client_program::KIND,
        RuleKind::LimitCommandRate => &limit_command_rate::KIND,
        RuleKind::LimitCommandScope => &limit_command_scope::KIND,
        RuleKind::LimitDepotCount => &limit_depot_count::KIND,
        RuleKind::LimitPathLength => &limit_path_length::KIND,
        RuleKind::LimitScannedRows => &limit_scanned_rows::KIND,
        RuleKind::LimitTopDirectories => &limit_top_directories::KIND,
        RuleKind::LimitViewScope => &limit_view_scope::KIND,
        RuleKind::RequireClientOptions => &require_client_options::KIND,
        RuleKind::SuggestClientOptions => &suggest_client_options::KIND,
        RuleKind::SuggestClientView => &suggest_client_view::KIND,
    }
}

/// The options of a trigger line that a rule about commands needs with a value, of those that not
/// every policy needs.
#[must_use]
pub fn needed_options(rule: &NamedRule<'_>) -> Vec<&'static str> {
    let commands = || rule.commands.iter().map(|command| &**command);
    match &rule.rule.kind {
        Kind::Rate(rates) => limit_command_rate::needed_options(rates, commands()),
        Kind::Scope(_) => limit_command_scope::NEEDED_OPTIONS.to_vec(),
        Kind::ScanLimits(_) => limit_scanned_rows::NEEDED_OPTIONS.to_vec(),
        Kind::Program(programs) => block_client_program::needed_options(programs, commands()),
    }
}
