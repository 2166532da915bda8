//! p4warden itself as a client: a census, a refresh, a doctor. It asks for an administrator, and
//! its requests do not count as anybody's use of the server.

/// As `server/connection.py` calls it.
const NAME: &[u8] = b"p4warden";

/// Whether a program calls itself as p4warden's own does; P4Python adds ` [PY3.11/P4PY...]`.
///
/// Users choose their programs' names, so this may keep out of the counts only what went on.
#[must_use]
pub fn is_own(prog: Option<&[u8]>) -> bool {
    let rest = prog.and_then(|prog| prog.strip_prefix(NAME));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b" ["))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_whole_name() {
        assert!(is_own(Some(b"p4warden")));
        assert!(is_own(Some(b"p4warden [PY3.11.2/P4PY2024.2/API2024.2/2675662]")));
        for other in [&b"p4warden2"[..], b"P4WARDEN", b"p4", b"", b"my p4warden", b"p4warden/v9"] {
            assert!(!is_own(Some(other)));
        }
        assert!(!is_own(None));
    }
}
