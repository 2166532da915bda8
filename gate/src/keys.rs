//! Under which number the rate of a request is kept.
//!
//! Users choose clients, programs and arguments, so the numbers come from a keyed hash whose secret
//! they do not know: no one can make his requests collide with another's.

use crate::event::Event;
use crate::flat::Limit;
use crate::patterns::folded;
use crate::policy::Part;
use crate::shape::shape;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::borrow::Cow;
use std::hash::Hasher;

/// What the numbers depend on beside the request.
pub type Secret = [u8; 16];
/// A number that is a request's own for all practical purposes.
pub type Key = u128;

/// The key of a request under a limit, or None where something it is kept by is not known.
///
/// The rule's name and the limit's own text are part of it, so that a changed limit starts afresh.
#[must_use]
pub fn of_limit(secret: &Secret, rule: &str, limit: &Limit<'_>, event: &Event<'_>) -> Option<Key> {
    let mut hasher = SipHasher13::new_with_key(secret);
    put(&mut hasher, rule.as_bytes());
    put(&mut hasher, limit.allow.as_bytes());
    hasher.write_u64(limit.burst);
    hasher.write_u8(limit.when.number());
    for part in limit.parts() {
        let value = value(part, event)?;
        hasher.write_u8(part as u8);
        put(&mut hasher, &folded(&value, event.case_sensitive));
    }
    Some(hasher.finish128().as_u128())
}

/// The key of what is written to the log at most every few seconds.
#[must_use]
pub fn of_note(secret: &Secret, verdict: &str, rule: &str, user: &[u8]) -> Key {
    let mut hasher = SipHasher13::new_with_key(secret);
    for text in [verdict.as_bytes(), rule.as_bytes(), user] {
        put(&mut hasher, text);
    }
    hasher.finish128().as_u128()
}

/// What the request says of a part. A name that is absent is one name more, for users can leave
/// theirs out; only arguments can be unknown.
fn value<'a>(part: Part, event: &Event<'a>) -> Option<Cow<'a, [u8]>> {
    let name = match part {
        Part::User => event.user,
        Part::Client => event.client,
        Part::Ip => event.ip,
        Part::Program => event.prog,
        Part::Args => return event.args.map(Cow::Borrowed),
        Part::Shape => {
            return event.args.map(|args| Cow::Owned(shape(event.command, args)));
        }
    };
    Some(Cow::Borrowed(name.unwrap_or_default()))
}

/// Hashes a text and its length, so that no two lists of texts are alike.
fn put(hasher: &mut SipHasher13, text: &[u8]) {
    hasher.write_u64(text.len() as u64);
    hasher.write(text);
}
