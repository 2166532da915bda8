//! The hashes under which request rates and repeated decisions are stored.
//!
//! Users choose clients, programs and arguments, so their hashes are keyed with a secret unknown to
//! users: nobody can construct requests that collide with another user's.

use crate::base::bytes::{checksum, put_text};
use crate::base::patterns::folded_name;
use crate::event::command_event::Event;
use crate::policy::parts::{Part, Parts};
use crate::policy::rates::Limit;
use crate::rate::question::{Hashes, Request};
use siphasher::sip128::{Hasher128, SipHasher13};
use std::cell::OnceCell;
use std::hash::Hasher;

pub type Secret = [u8; 16];

/// The hashes under which the rate of one limit is stored for one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Of the limit and of the request's parts that it counts by; unique for practical purposes.
    pub own_hash: u128,
    /// Of the first of these parts, usually the user; it decides the page of the state file at which
    /// the search for the rate begins.
    pub shared_hash: u64,
}

/// Of one request, for each limit. A hash is computed when first needed, once for all limits that
/// count by the same parts.
pub struct Keys<'e> {
    secret: Secret,
    event: &'e Event<'e>,
    hashes: Vec<(Parts, Option<u128>)>,
    asked: OnceCell<Option<Hashes>>,
}

impl<'e> Keys<'e> {
    pub fn new(secret: Secret, event: &'e Event<'e>) -> Self {
        Keys { secret, event, hashes: Vec::new(), asked: OnceCell::new() }
    }

    /// None if the limit counts by the command's arguments or shape and they are unknown.
    pub fn of_limit(&mut self, limit: &Limit) -> Option<Key> {
        let (own_hash, shared_hash) =
            (self.of_parts(limit.parts)?, self.of_parts(limit.parts.first())?);
        Some(Key { own_hash: own_hash ^ limit.id, shared_hash: shared_hash as u64 })
    }

    /// An unknown user counts as one with an empty name.
    pub fn of_user(&mut self) -> u64 {
        self.of_parts(Parts::of(&[Part::User])).map_or(0, |hash| hash as u64)
    }

    /// None if they are unknown, as arguments may be.
    pub fn of_parts(&mut self, parts: Parts) -> Option<u128> {
        if let Some((_, hash)) = self.hashes.iter().find(|(entry, _)| *entry == parts) {
            return *hash;
        }
        let hash = self.of_values(parts);
        self.hashes.push((parts, hash));
        hash
    }

    fn of_values(&self, parts: Parts) -> Option<u128> {
        let mut hasher = SipHasher13::new_with_key(&self.secret);
        for part in parts.iter() {
            hasher.write_u8(part as u8);
            match part {
                Part::User => self.put_name(&mut hasher, self.event.user),
                Part::Client => self.put_name(&mut hasher, self.event.client),
                Part::Ip => self.put_name(&mut hasher, self.event.ip),
                Part::Program => self.put_name(&mut hasher, self.event.prog),
                Part::Args => hasher.write_u128(self.asked()?.question),
                Part::Shape => hasher.write_u128(self.asked()?.shape),
            }
        }
        Some(hasher.finish128().as_u128())
    }

    /// An absent name counts as an empty one, because users can omit theirs.
    fn put_name(&self, hasher: &mut SipHasher13, name: Option<&[u8]>) {
        put_text(hasher, &folded_name(name.unwrap_or_default(), self.event.case_sensitive));
    }

    fn asked(&self) -> Option<Hashes> {
        *self.asked.get_or_init(|| Some(request(self.event)?.hashes(&self.secret)))
    }
}

/// What an event's command asks; None if its arguments are unknown.
pub fn request<'a>(event: &Event<'a>) -> Option<Request<'a>> {
    Some(Request {
        command: event.name.main_name,
        addition: event.name.addition,
        args: event.args?,
        directory: event.directory,
        client: event.client,
        case_sensitive: event.case_sensitive,
        day: event.day,
    })
}

/// Identifies the rule's own pool of simulated waiting slots (`SlotPool::Shadow`).
pub fn of_rule(name: &str) -> u64 {
    checksum(name.as_bytes())
}

/// Of similar decisions that are counted before they are logged. `words` are the verdict, that of the
/// enforced rule, whether the command is unusual, and the rule.
pub fn of_note(secret: &Secret, words: [&str; 4], user: &[u8]) -> u128 {
    let mut hasher = SipHasher13::new_with_key(secret);
    for text in words.map(str::as_bytes).into_iter().chain([user]) {
        put_text(&mut hasher, text);
    }
    hasher.finish128().as_u128()
}
