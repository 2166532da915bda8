//! The numbers under which rates are stored.
//!
//! Users choose clients, programs and arguments, so the numbers come from a keyed hash with a
//! secret unknown to users: nobody can construct requests that collide with another user's.

use crate::base::bytes::{checksum, put_text};
use crate::base::patterns::folded;
use crate::event::command_event::Event;
use crate::policy::compiled::{Limit, Parts};
use crate::policy::document::Part;
use crate::rate::shape::shape;
use siphasher::sip128::{Hasher128, SipHasher13};
use std::borrow::Cow;
use std::hash::Hasher;

/// Secret key of the hash that maps requests to numbers.
pub type Secret = [u8; 16];

/// The hash numbers under which the rate of one limit and request is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// 128-bit hash of the limit and of the request's values that it counts by; unique for practical
    /// purposes.
    pub own: u128,
    /// Number shared by all rates of the same user, or of the same value of the first part that the
    /// limit names.
    pub shared: u64,
}

/// The keys of one request. Limits that name the same parts share the hash of their values.
pub struct Keys<'e> {
    secret: Secret,
    event: &'e Event<'e>,
    hashes: Vec<(Parts, Option<u128>)>,
}

impl<'e> Keys<'e> {
    /// Creates the table of a request's hash numbers, computed with the secret only when needed.
    #[must_use]
    pub fn new(secret: Secret, event: &'e Event<'e>) -> Self {
        Keys { secret, event, hashes: Vec::new() }
    }

    /// The key of the request under a limit; None if a part that the limit counts by is unknown.
    pub fn under(&mut self, limit: &Limit<'_>) -> Option<Key> {
        let (own, shared) = (self.of_parts(limit.parts)?, self.of_parts(limit.parts.first())?);
        Some(Key { own: own ^ limit.id, shared: shared as u64 })
    }

    /// The hash number that identifies the request's user; 0 if the user is unknown.
    pub fn of_user(&mut self) -> u64 {
        self.of_parts(Parts::of(&[Part::User])).map_or(0, |hash| hash as u64)
    }

    fn of_parts(&mut self, parts: Parts) -> Option<u128> {
        if let Some((_, hash)) = self.hashes.iter().find(|(entry, _)| *entry == parts) {
            return *hash;
        }
        let hash = of_values(&self.secret, parts, self.event);
        self.hashes.push((parts, hash));
        hash
    }
}

fn of_values(secret: &Secret, parts: Parts, event: &Event<'_>) -> Option<u128> {
    let mut hasher = SipHasher13::new_with_key(secret);
    for part in parts.iter() {
        hasher.write_u8(part as u8);
        put_text(&mut hasher, &folded(&value(part, event)?, event.case_sensitive));
    }
    Some(hasher.finish128().as_u128())
}

/// The checksum of a rule's name, which identifies the waiting requests that are simulated while
/// the rule only observes.
#[must_use]
pub fn of_rule(name: &str) -> u64 {
    checksum(name.as_bytes())
}

/// The key of a decision that is logged at most every few seconds: hash of the words that describe
/// the decision and of the user.
#[must_use]
pub fn of_note(secret: &Secret, words: [&str; 3], user: &[u8]) -> u128 {
    let mut hasher = SipHasher13::new_with_key(secret);
    for text in words.map(str::as_bytes).into_iter().chain([user]) {
        put_text(&mut hasher, text);
    }
    hasher.finish128().as_u128()
}

/// The value of a part in the request. An absent name counts as a value of its own, because users
/// can omit theirs; only arguments can be unknown.
fn value<'a>(part: Part, event: &Event<'a>) -> Option<Cow<'a, [u8]>> {
    let name = match part {
        Part::User => event.user,
        Part::Client => event.client,
        Part::Ip => event.ip,
        Part::Program => event.prog,
        Part::Args => return arguments(event),
        Part::Shape => {
            return arguments(event).map(|args| Cow::Owned(shape(event.name.main, &args)));
        }
    };
    Some(Cow::Borrowed(name.unwrap_or_default()))
}

/// The argument text for rate keys: the user's arguments, after the words that the synonym adds to
/// the main command.
fn arguments<'a>(event: &Event<'a>) -> Option<Cow<'a, [u8]>> {
    let (args, addition) = (event.args?, event.name.addition.as_bytes());
    let words = [addition, args];
    let whole =
        || words.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(&b' ');
    Some(if addition.is_empty() { Cow::Borrowed(args) } else { Cow::Owned(whole()) })
}
