//! JSON in ASCII: an object of the sums in the first line, then an object of lists with a line for
//! each entry, because a log of a year has a million.

use super::figures::Figures;
use p4warden_gate::base::json::{Object, ascii, object_text, quote};
use std::fmt::Write as _;
use std::io::{Result, Write};

pub(super) type Figure = fn(&mut Output<'_>, &Figures) -> Result<()>;

pub(super) struct Output<'o> {
    pub to: &'o mut dyn Write,
    /// Of each list; then the numbers of names take the place of long lists of names.
    pub most_rows: Option<usize>,
}

impl Output<'_> {
    pub fn all(&mut self, figures: &Figures, bad_lines: u64, listed: &[Figure]) -> Result<()> {
        let second = |time_s: Option<f64>| time_s.map_or("null".to_owned(), |s| s.to_string());
        let sums = object_text(|object| {
            object.raw("first_s", &second(figures.span_s.map(|(first_s, _)| first_s)));
            object.raw("last_s", &second(figures.span_s.map(|(_, last_s)| last_s)));
            object.number("trials", figures.trials).number("bad_lines", bad_lines);
        });
        write!(self.to, "{sums}\n{{")?;
        for (place, figure) in listed.iter().enumerate() {
            self.to.write_all(if place > 0 { b", " } else { b"" })?;
            figure(self, figures)?;
        }
        self.to.write_all(b"}\n")?;
        self.to.flush()
    }

    pub fn list<T>(
        &mut self,
        name: &str,
        mut entries: Vec<T>,
        fill: impl Fn(&mut Object<'_>, T),
    ) -> Result<()> {
        let most = self.most_rows.unwrap_or(usize::MAX);
        if let Some(omitted @ 1..) = entries.len().checked_sub(most) {
            write!(self.to, "\"omitted_{name}\": {omitted}, ")?;
            entries.truncate(most);
        }
        self.whole_list(name, entries, fill)
    }

    pub fn whole_list<T>(
        &mut self,
        name: &str,
        entries: impl IntoIterator<Item = T>,
        fill: impl Fn(&mut Object<'_>, T),
    ) -> Result<()> {
        write!(self.to, "\"{name}\": [")?;
        for (place, entry) in entries.into_iter().enumerate() {
            let text = object_text(|object| fill(object, entry));
            write!(self.to, "{}{}", if place > 0 { ",\n" } else { "\n" }, ascii(&text))?;
        }
        self.to.write_all(b"\n]")
    }
}

pub(super) fn counts_text<'n>(counts: impl IntoIterator<Item = (&'n str, u64)>) -> String {
    let mut text = String::from("{");
    for (place, (name, count)) in counts.into_iter().enumerate() {
        text.push_str(if place > 0 { ", " } else { "" });
        quote(&mut text, name);
        let _ = write!(text, ": {count}");
    }
    text.push('}');
    text
}
