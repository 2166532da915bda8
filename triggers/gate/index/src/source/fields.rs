use memchr::{memchr, memchr2};
use std::borrow::Cow;

/// Texts (`@text@`, in which `@` is doubled) and numbers.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'b> {
    rest: &'b [u8],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'b> {
    /// Between `@` signs, or a word without `@` that is not a number.
    Text(Cow<'b, [u8]>),
    /// Numbers beyond 64 bits become the nearest 64-bit number.
    Number(i64),
}

impl<'b> Fields<'b> {
    pub fn new(rest: &'b [u8]) -> Self {
        Fields { rest }
    }

    /// None if it is not a text or has no end.
    pub fn text(&mut self) -> Option<Cow<'b, [u8]>> {
        let inside = self.trimmed_rest().strip_prefix(b"@")?;
        let (mut end, mut doubled) = (memchr(b'@', inside)?, false);
        while inside.get(end + 1) == Some(&b'@') {
            doubled = true;
            end += 2 + memchr(b'@', inside.get(end + 2..)?)?;
        }
        let (raw, rest) = inside.split_at_checked(end)?;
        self.rest = rest.get(1..)?;
        Some(if doubled { Cow::Owned(without_doubling(raw)) } else { Cow::Borrowed(raw) })
    }

    /// None also if it is empty, or contains a NUL byte, which no server allows.
    pub fn name(&mut self) -> Option<Cow<'b, [u8]>> {
        let inside = self.trimmed_rest().strip_prefix(b"@")?;
        let end = memchr2(b'@', 0, inside)?;
        if end > 0
            && let (raw, [b'@', rest @ ..]) = inside.split_at_checked(end)?
            && rest.first() != Some(&b'@')
        {
            self.rest = rest;
            return Some(Cow::Borrowed(raw));
        }
        self.text().filter(|name| !name.is_empty() && memchr(0, name).is_none())
    }

    /// None if it is missing or not a 64-bit number.
    pub fn number(&mut self) -> Option<i64> {
        let text = self.trimmed_rest();
        if let Some((number, rest)) = short_number(text) {
            self.rest = rest;
            return Some(number);
        }
        let end = text.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(text.len());
        let (digits, rest) = text.split_at_checked(end)?;
        self.rest = rest;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }

    pub fn skip(&mut self, count: usize) -> Option<()> {
        (0..count).try_for_each(|_| self.any().map(|_| ()))
    }

    /// Text or number, as text.
    pub fn any(&mut self) -> Option<Cow<'b, [u8]>> {
        let text = self.trimmed_rest();
        if text.first() == Some(&b'@') {
            return self.text();
        }
        let end = text.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(text.len());
        let (word, rest) = text.split_at_checked(end)?;
        self.rest = rest;
        (!word.is_empty()).then_some(Cow::Borrowed(word))
    }

    pub fn value(&mut self) -> Option<Value<'b>> {
        let is_text = self.trimmed_rest().first() == Some(&b'@');
        let text = self.any()?;
        let number = if is_text { None } else { nearest_integer(&text) };
        Some(number.map_or(Value::Text(text), Value::Number))
    }

    fn trimmed_rest(&self) -> &'b [u8] {
        self.rest.trim_ascii_start()
    }
}

/// At most nine digits, without sign, followed by white space. None for texts that need the slower
/// parser.
fn short_number(text: &[u8]) -> Option<(i64, &[u8])> {
    let mut number = 0;
    for (digits, byte) in text.iter().enumerate().take(10) {
        match byte {
            b'0'..=b'9' => number = number * 10 + i64::from(byte - b'0'),
            _ if digits > 0 && byte.is_ascii_whitespace() => {
                return text.get(digits..).map(|rest| (number, rest));
            }
            _ => return None,
        }
    }
    None
}

/// None if the text is not an integer.
fn nearest_integer(text: &[u8]) -> Option<i64> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let limit = if text.len() > digits.len() { i64::MIN } else { i64::MAX };
    Some(str::from_utf8(text).ok()?.parse().unwrap_or(limit))
}

fn without_doubling(raw: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(raw.len());
    let mut bytes = raw.iter();
    while let Some(byte) = bytes.next() {
        plain.push(*byte);
        if *byte == b'@' {
            bytes.next();
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quoted(text: &[u8]) -> Vec<u8> {
        let inner =
            text.iter().flat_map(|byte| if *byte == b'@' { vec![b'@'; 2] } else { vec![*byte] });
        [b'@'].into_iter().chain(inner).chain([b'@']).collect()
    }

    proptest! {
        #[test]
        fn quoted_texts_and_numbers_are_read_unchanged(
            texts in prop::collection::vec(prop::collection::vec(prop::sample::select(b"@a \n/".to_vec()), 0..9), 1..6),
            number: i64,
        ) {
            let mut line = Vec::new();
            for text in &texts {
                line.extend_from_slice(&quoted(text));
                line.extend_from_slice(format!(" {number} ").as_bytes());
            }
            let mut fields = Fields::new(&line);
            for text in &texts {
                let value = fields.text();
                prop_assert_eq!(value.as_deref(), Some(&text[..]));
                prop_assert_eq!(fields.number(), Some(number));
            }
            prop_assert_eq!(fields.any(), None);
        }

        #[test]
        fn reading_fields_of_arbitrary_text_ends_without_a_panic(line: Vec<u8>) {
            let mut fields = Fields::new(&line);
            while fields.any().is_some() {}
            let _ = (fields.text(), fields.number(), fields.skip(3));
        }
    }

    #[test]
    fn an_unterminated_or_invalid_value_is_none() {
        assert_eq!(Fields::new(b" @abc").text(), None);
        assert_eq!(Fields::new(b" @abc@@").text(), None);
        assert_eq!(Fields::new(b" 12x ").number(), None);
    }
}
