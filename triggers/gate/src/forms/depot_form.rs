use crate::forms::form::Form;
use crate::paths::view_words::first_word;

/// A depot's type in lower case; `local` without one, as p4d does (`p4 help depot`).
pub fn type_of(form: Option<&Form<'_>>) -> Vec<u8> {
    let value = form.and_then(|form| form.value("type"));
    value.map_or_else(|| b"local".to_vec(), |value| first_word(value).to_ascii_lowercase())
}
