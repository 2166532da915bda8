//! Recognition of p4warden's own Python commands, such as census, refresh and doctor, as clients of
//! the server. Rules judge their events like those of any other client, but the gate does not count
//! those to which no rule objects.

/// The program name that p4warden's own client sets when it connects (`server/connection.py`), by
/// which the gate recognizes it.
const NAME: &[u8] = b"p4warden";

/// Whether a client program's name is that of p4warden's own client, to which P4Python appends its
/// version, such as ` [PY3.11/P4PY...]`.
///
/// Users can choose any program name, so this check may only exclude events without an objection
/// from the counters.
#[must_use]
pub fn is_own(prog: Option<&[u8]>) -> bool {
    let rest = prog.and_then(|prog| prog.strip_prefix(NAME));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b" ["))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_name_p4warden_is_the_own_program() {
        assert!(is_own(Some(b"p4warden")));
        assert!(is_own(Some(b"p4warden [PY3.11.2/P4PY2024.2/API2024.2/2675662]")));
        for other in [&b"p4warden2"[..], b"P4WARDEN", b"p4", b"", b"my p4warden", b"p4warden/v9"] {
            assert!(!is_own(Some(other)));
        }
        assert!(!is_own(None));
    }
}
