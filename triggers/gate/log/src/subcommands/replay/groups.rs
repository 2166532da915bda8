use p4warden_gate::base::patterns::folded_name;
use std::collections::HashMap;

/// The groups of each user, read from a file because a log does not contain them.
#[derive(Debug, Default)]
pub struct Groups {
    groups_by_user: HashMap<Vec<u8>, Vec<Vec<u8>>>,
    case_sensitive: bool,
}

impl Groups {
    /// The form is `{"group": ["user", ...], ...}`.
    pub fn from_json(text: &[u8], case_sensitive: bool) -> Result<Self, String> {
        let groups: HashMap<String, Vec<String>> =
            serde_json::from_slice(text).map_err(|error| error.to_string())?;
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort();
        let mut groups_by_user: HashMap<Vec<u8>, Vec<Vec<u8>>> = HashMap::new();
        for (group, users) in groups {
            for user in users {
                let user = folded_name(user.as_bytes(), case_sensitive).into_owned();
                groups_by_user.entry(user).or_default().push(group.clone().into_bytes());
            }
        }
        Ok(Groups { groups_by_user, case_sensitive })
    }

    pub fn of(&self, user: &[u8]) -> Vec<&[u8]> {
        let groups = self.groups_by_user.get(&*folded_name(user, self.case_sensitive));
        groups.into_iter().flatten().map(Vec::as_slice).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_found_by_user() -> Result<(), String> {
        let text = br#"{"dev": ["ann", "Bob"], "ci": ["ann"]}"#;
        let groups = Groups::from_json(text, true)?;
        assert_eq!(groups.of(b"ann"), [&b"ci"[..], b"dev"]);
        assert!(groups.of(b"bob").is_empty());
        assert_eq!(Groups::from_json(text, false)?.of(b"bob"), [b"dev"]);
        assert!(Groups::from_json(b"[]", true).is_err());
        Ok(())
    }
}
