//! Names and paths as JSON text: UTF-8, in which `\xNN` stands for a byte that is not UTF-8.

use std::borrow::Cow;
use std::fmt::Write;

const ESCAPE_BYTES: usize = 4;

pub fn decoded(text: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = str::from_utf8(text) {
        return Cow::Borrowed(text);
    }
    let mut to = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        to.push_str(chunk.valid());
        push_bytes(&mut to, chunk.invalid());
    }
    Cow::Owned(to)
}

pub fn push_bytes(to: &mut String, bytes: &[u8]) {
    for byte in bytes {
        // Writing to a `String` cannot fail.
        let _ = write!(to, "\\x{byte:02x}");
    }
}

/// The reverse of `decoded`. If the name contained the characters `\xNN` themselves (NN from 80
/// on), they are taken for an escaped byte.
pub fn encoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let byte = escaped_byte(rest);
        bytes.push(byte.unwrap_or(*first));
        rest = byte.and_then(|_| rest.get(ESCAPE_BYTES..)).unwrap_or(behind);
    }
    bytes
}

fn escaped_byte(text: &[u8]) -> Option<u8> {
    let digits = text.get(..ESCAPE_BYTES)?.strip_prefix(b"\\x")?;
    let byte = u8::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    (!byte.is_ascii()).then_some(byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn decoded_bytes_are_encoded_to_the_same_bytes(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(0xF6)], 0..40),
        ) {
            prop_assume!(!bytes.contains(&b'\\'));
            prop_assert_eq!(encoded(&decoded(&bytes)), bytes);
        }
    }

    #[test]
    fn only_escapes_of_non_ascii_bytes_are_encoded_as_bytes() {
        assert_eq!(encoded(r"C:\x41\xf6\xg0\x"), b"C:\\x41\xf6\\xg0\\x");
    }
}
