use std::collections::HashMap;
use std::rc::Rc;

/// A text of the log, kept once; the first is the empty one, which stands for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Name(u32);

impl Name {
    pub fn is_given(self) -> bool {
        self.0 != 0
    }

    pub fn or_else(self, other: impl FnOnce() -> Name) -> Name {
        if self.is_given() { self } else { other() }
    }
}

#[derive(Debug, Default)]
pub(super) struct Names {
    names: HashMap<Rc<str>, Name>,
    /// Without the empty one.
    texts: Vec<Rc<str>>,
}

impl Names {
    pub fn of(&mut self, text: &str) -> Name {
        if text.is_empty() {
            return Name::default();
        }
        if let Some(name) = self.names.get(text) {
            return *name;
        }
        let text = Rc::from(text);
        self.texts.push(Rc::clone(&text));
        let name = Name(u32::try_from(self.texts.len()).unwrap_or_default());
        self.names.insert(text, name);
        name
    }

    /// `other` without a name.
    pub fn text_or<'t>(&'t self, name: Name, other: &'t str) -> &'t str {
        if name.is_given() { self.text(name) } else { other }
    }

    pub fn text(&self, name: Name) -> &str {
        let place = (name.0 as usize).wrapping_sub(1);
        self.texts.get(place).map_or("", |text| text)
    }
}
