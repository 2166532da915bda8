//! The refused act: of which user, on which spec or with which command. Its id is in the refusal and
//! in the decision log, and an administrator's allowance lifts exactly this refusal.

use crate::base::bytes::put_text;
use crate::base::json_text::Text;
use crate::base::patterns::is_same;
use crate::base::text::{is_short, short_name};
use crate::policy::allowances::Allowance;
use siphasher::sip::SipHasher13;
use std::hash::Hasher;

/// Without letters that look like digits.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const ID_CHARACTERS: usize = 8;

#[derive(Clone, Copy, Debug)]
pub struct Refused<'e> {
    pub user: &'e [u8],
    pub ip: Option<&'e [u8]>,
    pub subject: Subject<'e>,
}

#[derive(Clone, Copy, Debug)]
pub enum Subject<'e> {
    Form {
        form_type: &'e [u8],
        name: &'e [u8],
    },
    Submit {
        change: &'e [u8],
    },
    /// By the name that p4d passes: a synonym may do less than its main command.
    Command(&'e [u8]),
}

impl Refused<'_> {
    /// None if a name looks in the log like another one: `\xff` is also the notation of a byte, and
    /// the log cuts a long name.
    pub fn unmistakable(self) -> Option<Self> {
        let name = match self.subject {
            Subject::Form { name, .. } | Subject::Command(name) => name,
            Subject::Submit { change } => change,
        };
        let looks_unlike_others =
            |name: &[u8]| is_short(name) && !name.windows(4).any(is_notation_of_a_byte);
        (looks_unlike_others(self.user) && looks_unlike_others(name)).then_some(self)
    }

    /// The same for each repetition: the log has a line of its own for the first alone. Users could
    /// construct requests with the same id, so an allowance compares all values.
    pub fn id(&self, rule: &str) -> String {
        let mut hasher = SipHasher13::new();
        let subject = match self.subject {
            Subject::Form { form_type, name } => [&b"form"[..], form_type, name],
            Subject::Submit { change } => [b"submit", change, b""],
            Subject::Command(name) => [b"command", name, b""],
        };
        for text in [rule.as_bytes(), self.user, self.ip.unwrap_or_default()] {
            put_text(&mut hasher, text);
        }
        subject.into_iter().for_each(|text| put_text(&mut hasher, text));
        letters(hasher.finish())
    }

    /// `now_s` is in seconds since the Unix epoch.
    pub fn is_allowed_by(
        &self,
        allowance: &Allowance<'_>,
        now_s: u64,
        case_sensitive: bool,
    ) -> bool {
        let is_logged_as =
            |name: &[u8], text: &[u8]| is_same(short_name(name).as_bytes(), text, case_sensitive);
        let is_one = |text: &Option<Text<'_>>, name: &[u8]| {
            text.as_ref().is_some_and(|text| is_logged_as(name, text))
        };
        let is_of_subject = match self.subject {
            Subject::Form { form_type, name } => {
                is_one(&allowance.form_type, form_type) && is_one(&allowance.name, name)
            }
            Subject::Submit { change } => {
                allowance.form_type.is_none() && is_one(&allowance.change, change)
            }
            Subject::Command(name) => is_one(&allowance.command, name),
        };
        let is_of_address =
            allowance.ip.is_none() || is_one(&allowance.ip, self.ip.unwrap_or_default());
        let is_of_user = is_logged_as(self.user, &allowance.user);
        now_s < allowance.until_s && is_of_user && is_of_address && is_of_subject
    }
}

fn is_notation_of_a_byte(text: &[u8]) -> bool {
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    text.strip_prefix(b"\\x").is_some_and(is_hex)
}

/// The same for the same arguments of a command.
pub fn fingerprint(args: &[u8]) -> String {
    letters(SipHasher13::new().hash(args))
}

fn letters(hash: u64) -> String {
    let letter = |place: usize| LETTERS.get((hash >> (5 * place)) as usize % LETTERS.len());
    (0..ID_CHARACTERS).filter_map(letter).map(|byte| char::from(*byte)).collect()
}
