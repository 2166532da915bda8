//! The kinds of rules: `rule:` in a policy.

macro_rules! kinds {
    ($($kind:ident $name:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum RuleKind {
            $($kind,)*
        }

        impl RuleKind {
            pub const ALL: &[RuleKind] = &[$(RuleKind::$kind,)*];

            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(RuleKind::$kind => $name,)*
                }
            }
        }
    };
}

kinds! {
    BlockClientProgram "block_client_program",
    LimitCommandRate "limit_command_rate",
    LimitCommandScope "limit_command_scope",
    LimitDepotCount "limit_depot_count",
    LimitPathLength "limit_path_length",
    LimitScannedRows "limit_scanned_rows",
    LimitTopDirectories "limit_top_directories",
    LimitViewScope "limit_view_scope",
    RequireClientOptions "require_client_options",
    SuggestClientOptions "suggest_client_options",
    SuggestClientView "suggest_client_view",
}

impl RuleKind {
    #[must_use]
    pub fn is_about_commands(self) -> bool {
        matches!(
            self,
            RuleKind::BlockClientProgram
                | RuleKind::LimitCommandRate
                | RuleKind::LimitCommandScope
                | RuleKind::LimitScannedRows
        )
    }

    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}
