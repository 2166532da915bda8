//! Revisions of file arguments, such as `@740,#head`, as far as they bound changelists.
//!
//! `p4 help revisions`, and `p4 help undoc` for the operators: at most four revisions, joined by
//! commas; without an operator the first of several is the lowest and all others are the highest.

use crate::base::text::number;
use std::borrow::Cow;

/// A range of changelists, up to the newest if `last` is None.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<'a> {
    pub first: Point<'a>,
    pub last: Option<Point<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point<'a> {
    Change(u64),
    /// A date, such as `2026/01/31` or `2026/01/31:12:00:00`, in the server's local time, perhaps
    /// with blanks before the time.
    Date(&'a [u8]),
    /// The name of a label or of something else.
    Name(&'a [u8]),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revision<'a> {
    /// None, or all up to the newest changelist, such as `#head`, `@now` or `@1,#head`.
    Newest,
    /// A range with a first changelist, such as `@=N`, `@N,M` or `@>=N`.
    Range(Range<'a>),
    /// A single changelist, date or label, up to which all changelists count.
    UpTo(Point<'a>),
    /// The same by an operator, such as `@<=N`.
    AtMost(Point<'a>),
    /// `#none`
    Nothing,
    /// A range of changelists in one reading of the arguments, all of them in another.
    Unclear,
    /// One that bounds no changelists, such as `#3`.
    Other,
}

/// The greatest difference between the numbers of two changelists for which a range that begins with
/// the first changelist does not count as the whole history; p4warden's own choice.
const MOST_CHANGES: u64 = 1_000;
pub const EVERYTHING: Range<'static> = Range { first: Point::Change(0), last: None };
/// No server has changelists of earlier years: Perforce was first released in 1995.
const FIRST_YEAR: u64 = 1995;
const MOST_PARTS: usize = 4;

impl Range<'_> {
    pub fn is_everything(&self) -> bool {
        let is_long = match self.last {
            Some(Point::Change(last)) => last > MOST_CHANGES + 1,
            _ => true,
        };
        is_long && matches!(self.first, Point::Change(0 | 1))
    }
}

/// One of the revisions that commas join.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    /// `#` or `@`
    mark: u8,
    operator: Operator,
    has_operator: bool,
    text: &'a [u8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    AtLeast,
    Above,
    Exactly,
    Below,
    AtMost,
}

const OPERATORS: [(&[u8], Operator); 5] = [
    (b">=", Operator::AtLeast),
    (b"<=", Operator::AtMost),
    (b">", Operator::Above),
    (b"<", Operator::Below),
    (b"=", Operator::Exactly),
];

/// The parts of a revision, from its `#` or `@` on, and their number; None if it is malformed.
fn parts(revision: &[u8]) -> Option<([Part<'_>; MOST_PARTS], usize)> {
    let mut mark = *revision.first()?;
    let is_range = revision.contains(&b',');
    let nothing = Part { mark, operator: Operator::AtMost, has_operator: false, text: b"" };
    let (mut parts, mut count) = ([nothing; MOST_PARTS], 0);
    for text in revision.split(|byte| *byte == b',') {
        let own = text.first().copied().filter(|byte| matches!(byte, b'#' | b'@'));
        mark = own.unwrap_or(mark);
        let text = text.get(usize::from(own.is_some())..)?;
        let found = OPERATORS.iter().find(|(sign, _)| text.starts_with(sign));
        let implied = if count == 0 && is_range { Operator::AtLeast } else { Operator::AtMost };
        let (sign, operator) = found.map_or((&b""[..], implied), |(sign, it)| (sign, *it));
        let text = text.get(sign.len()..).filter(|text| !text.is_empty())?;
        *parts.get_mut(count)? = Part { mark, operator, has_operator: found.is_some(), text };
        count += 1;
    }
    Some((parts, count))
}

/// Parses a revision, from its `#` or `@` on. The second end of a range that is neither a number nor
/// a date (`#head`, `@now`, a label) counts as the newest changelist.
pub fn revision_of(revision: &[u8]) -> Revision<'_> {
    if matches!(revision, b"" | b"#head" | b"@now") {
        return Revision::Newest;
    }
    let Some((parts, count)) = parts(revision) else { return Revision::Other };
    let (mut ends, parts) = (Ends::default(), parts.get(..count).unwrap_or_default());
    parts.iter().for_each(|part| ends.add(part));
    let [only] = parts else { return ends.revision(false) };
    if only.mark == b'#' && matches!(only.text, b"none" | b"0") {
        return Revision::Nothing;
    }
    ends.revision(only.has_operator)
}

#[derive(Default)]
struct Ends<'a> {
    first: Option<Point<'a>>,
    last: Option<Point<'a>>,
    /// Whether something else bounds the revisions, such as `#3`.
    has_other: bool,
    is_unclear: bool,
}

impl<'a> Ends<'a> {
    fn add(&mut self, part: &Part<'a>) {
        let is_upper = matches!(part.operator, Operator::Below | Operator::AtMost);
        let is_newest = part.is_newest();
        if is_newest && is_upper {
            return;
        }
        let point = point(part.text);
        let bounds_nothing = match (part.mark, point, part.operator) {
            (b'#', Point::Change(one), Operator::AtLeast) => one <= 1,
            (_, Point::Date(date), Operator::AtLeast | Operator::Above) => {
                number(date.split(|byte| *byte == b'/').next().unwrap_or_default())
                    .is_some_and(|year| year < FIRST_YEAR)
            }
            _ => false,
        };
        let is_exact_change =
            part.operator != Operator::Exactly || matches!(point, Point::Change(_));
        if bounds_nothing {
            return;
        }
        if part.mark == b'#' || is_newest || !is_exact_change {
            self.has_other = true;
            return;
        }
        self.is_unclear |= matches!(point, Point::Date(date) if date.iter().any(is_blank));
        let point = match point {
            Point::Change(one) => Point::Change(part.operator.nearest(one)),
            point => point,
        };
        if !is_upper {
            self.add_first(point);
        }
        if is_upper || part.operator == Operator::Exactly {
            self.add_last(point);
        }
    }

    fn add_first(&mut self, point: Point<'a>) {
        self.is_unclear |= !narrow(&mut self.first, point, u64::max);
    }

    fn add_last(&mut self, point: Point<'a>) {
        self.is_unclear |= !narrow(&mut self.last, point, u64::min);
    }

    fn revision(&self, has_operator: bool) -> Revision<'a> {
        match (self.first, self.last) {
            (Some(Point::Change(0 | 1)), None) | (None, None) if !self.has_other => {
                Revision::Newest
            }
            (Some(_), _) if self.is_unclear => Revision::Unclear,
            (Some(first), last) => {
                let last = last.filter(|last| !matches!(last, Point::Name(_)));
                Revision::Range(Range { first, last })
            }
            (None, Some(last)) if has_operator && !self.has_other => Revision::AtMost(last),
            (None, Some(last)) if !self.has_other => Revision::UpTo(last),
            (None, _) => Revision::Other,
        }
    }
}

/// False if it is unclear which of two points counts.
fn narrow<'a>(end: &mut Option<Point<'a>>, point: Point<'a>, inner: fn(u64, u64) -> u64) -> bool {
    *end = match (*end, point) {
        (None, point) => Some(point),
        (Some(Point::Change(one)), Point::Change(other)) => Some(Point::Change(inner(one, other))),
        _ => return false,
    };
    true
}

impl Operator {
    /// The changelist next to one that is left out.
    fn nearest(self, change: u64) -> u64 {
        match self {
            Operator::Above => change.saturating_add(1),
            Operator::Below => change.saturating_sub(1),
            Operator::AtLeast | Operator::Exactly | Operator::AtMost => change,
        }
    }
}

impl Part<'_> {
    fn is_newest(&self) -> bool {
        matches!((self.mark, self.text), (b'#', b"head") | (b'@', b"now"))
    }
}

fn point(text: &[u8]) -> Point<'_> {
    let is_of_date =
        |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'/' | b':') || is_blank(byte);
    match number(text) {
        Some(change) => Point::Change(change),
        None if text.iter().all(is_of_date) && text.contains(&b'/') => Point::Date(text),
        None => Point::Name(text),
    }
}

/// A date in the notation without blanks.
pub fn plain_date(date: &[u8]) -> Cow<'_, [u8]> {
    let Some(end) = date.iter().position(is_blank) else { return Cow::Borrowed(date) };
    let (day, rest) = date.split_at_checked(end).unwrap_or((date, b""));
    let start = rest.iter().position(|byte| !is_blank(byte)).unwrap_or(rest.len());
    Cow::Owned([day, b":", rest.get(start..).unwrap_or_default()].concat())
}

/// Whether a date in a revision is of a later day than `today`, which is given as `YYYY-MM-DD`.
pub fn is_after(date: &[u8], today: &str) -> bool {
    let day = date.split(|byte| *byte == b':' || is_blank(byte)).next().unwrap_or_default();
    let (day, today) = (three_numbers(day, b'/'), three_numbers(today.as_bytes(), b'-'));
    day.zip(today).is_some_and(|(day, today)| day > today)
}

fn three_numbers(text: &[u8], separator: u8) -> Option<[u64; 3]> {
    let mut numbers = text.split(|byte| *byte == separator).map(number);
    let mut next = || numbers.next().flatten();
    let three = [next()?, next()?, next()?];
    numbers.next().is_none().then_some(three)
}

/// A revision, or `#head` for a date of a later day than today.
pub fn until_today<'a>(revision: &'a [u8], today: &dyn Fn() -> String) -> &'a [u8] {
    if !revision.contains(&b'/') {
        return revision;
    }
    match revision_of(revision) {
        Revision::UpTo(Point::Date(date)) if is_after(date, &today()) => b"#head",
        _ => revision,
    }
}

fn is_blank(byte: &u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0x0b | b'"')
}

/// Whether a revision ends with a day, such as `@2026/01/31`.
pub fn ends_with_day(revision: &[u8]) -> bool {
    let is_of_day = |byte: &u8| byte.is_ascii_digit() || *byte == b'/';
    let Some(before) = revision.iter().rposition(|byte| !is_of_day(byte)) else { return false };
    let begins = matches!(revision.get(before), Some(b'@' | b',' | b'<' | b'>' | b'='));
    let day = revision.get(before + 1..).unwrap_or_default();
    let mut parts = day.split(|byte| *byte == b'/');
    begins && parts.clone().count() == 3 && parts.all(|part| !part.is_empty())
}

/// Whether a word is the time of a date, such as `12:00:00`, perhaps with the rest of a range.
pub fn is_time(word: &[u8]) -> bool {
    let time = word.split(|byte| *byte == b',').next().unwrap_or_default();
    let mut parts = time.split(|byte| *byte == b':');
    parts.clone().count() > 1 && parts.all(|part| number(part).is_some() && part.len() <= 2)
}

/// A revision in its plain spelling: `LOWEST,HIGHEST` without an end that bounds nothing, so that
/// none is left of `#head`, and `@12,@12` of `@=12`. `today` is a day `YYYY-MM-DD`; a later date
/// counts as the newest revision.
pub fn plain_revision(revision: &[u8], today: &dyn Fn() -> String) -> Vec<u8> {
    let Some((parts, count)) = parts(revision) else { return revision.to_vec() };
    let (mut lowest, mut highest) = (Vec::new(), Vec::new());
    for part in parts.iter().take(count) {
        let text = part.plain(today);
        let is_upper = matches!(part.operator, Operator::Below | Operator::AtMost);
        match (&text[..], is_upper) {
            (b"#head", true) | (b"@0" | b"@1" | b"#1", false)
                if part.operator != Operator::Exactly => {}
            (_, true) => highest.push(text),
            (_, false) if part.operator == Operator::Exactly => {
                highest.push(text.clone());
                lowest.push(text);
            }
            (_, false) => lowest.push(text),
        }
    }
    lowest.sort_unstable();
    highest.sort_unstable();
    if lowest.is_empty() {
        return highest.concat();
    }
    [lowest.concat(), b",".to_vec(), highest.concat()].concat()
}

impl Part<'_> {
    /// Mark and text of the revision that is the lowest or highest.
    fn plain(&self, today: &dyn Fn() -> String) -> Vec<u8> {
        let text = without_zeros(&plain_date(self.text));
        let is_date = matches!(point(&text), Point::Date(_));
        if self.is_newest() || is_date && is_after(&text, &today()) {
            return b"#head".to_vec();
        }
        let (mark, mut text) = ([self.mark], &text[..]);
        while let Some(start) = text.strip_suffix(b":0").filter(|_| is_date) {
            text = start;
        }
        match (number(text), self.operator) {
            (Some(one), operator @ (Operator::Above | Operator::Below)) => {
                [&mark[..], operator.nearest(one).to_string().as_bytes()].concat()
            }
            (None, Operator::Above) => [&mark[..], b">", text].concat(),
            (None, Operator::Below) => [&mark[..], b"<", text].concat(),
            _ => [&mark[..], text].concat(),
        }
    }
}

/// A revision or value without the leading zeros of its numbers, if it consists of numbers only,
/// such as `@2024/01/02,@0099`; a label's name may have zeros that count.
pub fn without_zeros(revision: &[u8]) -> Vec<u8> {
    let is_numeric = |byte: &u8| byte.is_ascii_digit() || b"#@,/:=<>".contains(byte);
    if !revision.iter().all(is_numeric) {
        return revision.to_vec();
    }
    let mut to = Vec::with_capacity(revision.len());
    for (at, byte) in revision.iter().enumerate() {
        let is_digit = |at: usize| revision.get(at).is_some_and(u8::is_ascii_digit);
        let begins = !to.last().is_some_and(u8::is_ascii_digit);
        if *byte != b'0' || !begins || !is_digit(at + 1) {
            to.push(*byte);
        }
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_changelists_are_told_from_other_revisions() {
        let change = |first, last: Option<u64>| {
            let last = last.map(Point::Change);
            Revision::Range(Range { first: Point::Change(first), last })
        };
        for one in ["@=12", "@12,12", "@12,@12", "@=12,@now", "@>=12,@<13", "@>11,@<=12,@99"] {
            assert_eq!(revision_of(one.as_bytes()), change(12, Some(12)), "{one}");
        }
        assert_eq!(revision_of(b"@100,@110"), change(100, Some(110)));
        for from in ["@5,#head", "@5,now", "@5,@now", "@5,@nightly", "@5,#have", "@>=5", "@>4"] {
            assert_eq!(revision_of(from.as_bytes()), change(5, None), "{from}");
        }
        let date = Point::Date(b"2026/01/02:10:00:00");
        assert_eq!(revision_of(b"@2026/01/02:10:00:00"), Revision::UpTo(date));
        assert_eq!(revision_of(b"@12"), Revision::UpTo(Point::Change(12)));
        assert_eq!(revision_of(b"#1,@12"), Revision::UpTo(Point::Change(12)));
        assert_eq!(revision_of(b"@<13"), Revision::AtMost(Point::Change(12)));
        assert_eq!(revision_of(b"@12a"), Revision::UpTo(Point::Name(b"12a")));
        for newest in [
            "", "#head", "@now", "#1,#head", "@1,#head", "@0,@now", "@>=1", "@>0",
            "@1970/01/01,now", "@>1994/12/31", "@<=now",
        ] {
            assert_eq!(revision_of(newest.as_bytes()), Revision::Newest, "{newest}");
        }
        for none in ["#none", "#0"] {
            assert_eq!(revision_of(none.as_bytes()), Revision::Nothing, "{none}");
        }
        for other in ["#1,#3", "#3", "@>", "@", "@=x", "#>2", "@1,2,3,4,5"] {
            assert_eq!(revision_of(other.as_bytes()), Revision::Other, "{other}");
        }
        for unclear in ["@2026/01/02 10:00:00,@now", "@>5,@>2026/01/01"] {
            assert_eq!(revision_of(unclear.as_bytes()), Revision::Unclear, "{unclear}");
        }
    }

    #[test]
    fn a_later_day_is_after_today() {
        for later in ["2026/11/29", "2027/1/1:10:00:00", "2026/12/1 00:00:00"] {
            assert!(is_after(later.as_bytes(), "2026-11-28"), "{later}");
        }
        for earlier in ["2026/11/28:23:59:59", "2026/2/30", "2026/11", "x", "2026/11/28 23:00"] {
            assert!(!is_after(earlier.as_bytes(), "2026-11-28"), "{earlier}");
        }
    }
}
