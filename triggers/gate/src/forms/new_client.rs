//! Whether a client form is that of a new client.
//!
//! A form that the server made up has no `Access:` date yet; the form of an existing client always
//! has one (the form-out scripts of the P4 Server Administrator Guide and the Helix Core SDP rely on
//! that). In a form to be saved the user may have added or removed the dates, so there the index
//! decides, where there is one.

use crate::forms::form::Form;

/// Neither an Access nor an Update date.
pub fn is_new(form: &Form<'_>) -> bool {
    form.value("access").is_none() && form.value("update").is_none()
}
