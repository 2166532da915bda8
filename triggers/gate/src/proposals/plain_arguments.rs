//! The arguments of a proposed command.

use crate::event::command_event::Event;
use crate::proposals::choice::is_plain;

/// None if a shell or a refusal would change them.
pub fn plain_arguments<'a>(event: &Event<'_>, args: &'a [u8]) -> Option<&'a str> {
    let text = str::from_utf8(args.trim_ascii()).ok()?;
    let is_plain = |word: &str| is_plain(&word.replace(['@', '#', ',', '='], ""));
    let can_be_shown = event.excerpt(text.as_bytes()) == text;
    (can_be_shown && text.split_ascii_whitespace().all(is_plain)).then_some(text)
}
