//! p4warden's own Python commands are judged like any client, but not counted if no rule objects.

/// Set by `server/connection.py`.
const NAME: &[u8] = b"p4warden";

/// P4Python appends its version, such as ` [PY3.11/P4PY...]`.
///
/// Users can choose any program name, so this check may only exclude events without an objection
/// from the counters.
#[must_use]
pub fn is_own(prog: Option<&[u8]>) -> bool {
    let rest = prog.and_then(|prog| prog.strip_prefix(NAME));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b" ["))
}
