use crate::event::line_check::BrokenName;
use crate::event::refused::{Refused, Subject};
use crate::event::selector::{Sender, Server};
use crate::event::unasked::Unasked;
use crate::forms::form::Form;
use crate::forms::form_parser::FormProblem;
use crate::forms::view_lines::is_of_stream;

/// A form or a submit, as a trigger describes it; None for an unknown value.
#[derive(Clone)]
pub struct FormEvent<'e> {
    pub kind: FormEventKind,
    /// As p4d names it: `client`, `stream`, ...; None for a submit and a shelve.
    pub form_type: Option<&'e [u8]>,
    pub name: Option<&'e [u8]>,
    pub user: Option<&'e [u8]>,
    /// Empty for a user in no group.
    pub groups: Option<Vec<&'e [u8]>>,
    /// Chosen freely by the user.
    pub client: Option<&'e [u8]>,
    pub ip: Option<&'e [u8]>,
    pub server: Server<'e>,
    /// Since the Unix epoch.
    pub time_s: Option<i64>,
    /// Chosen freely by the user.
    pub prog: Option<&'e [u8]>,
    pub version: Option<&'e [u8]>,
    pub form: Option<Result<Form<'e>, FormProblem>>,
    pub change: Option<&'e [u8]>,
    pub files: Option<Vec<SubmittedFile<'e>>>,
    /// Of the submit, of all actions; counted only up to a number that its rules need.
    pub file_count: Option<u64>,
    /// None if it was asked, or need not be.
    pub unasked: Option<Unasked>,
    /// From a deploy's trial run: exempt from no rule, and every rule is enforced.
    pub is_trial: bool,
    /// A name broke the line's words; uncertain values are None.
    pub is_tampered: bool,
    pub broken_name: Option<BrokenName<'e>>,
    /// Local date `YYYY-MM-DD`; called only if needed, because it reads the time zone file.
    pub day: &'e dyn Fn() -> String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormEventKind {
    Save,
    Out,
    Submit,
    Shelve,
}

impl FormEventKind {
    pub fn is_of_a_change(self) -> bool {
        matches!(self, Self::Submit | Self::Shelve)
    }

    /// The event in a trigger line; None for a command and any other word.
    pub fn of_word(word: &[u8]) -> Option<Self> {
        [Self::Save, Self::Out, Self::Submit, Self::Shelve]
            .into_iter()
            .find(|kind| kind.word().as_bytes() == word)
    }

    pub fn word(self) -> &'static str {
        match self {
            FormEventKind::Save => "form-save",
            FormEventKind::Out => "form-out",
            FormEventKind::Submit => "change-submit",
            FormEventKind::Shelve => "shelve-submit",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubmittedFile<'e> {
    pub path: &'e [u8],
    /// As p4d names it: `add`, `edit`, `move/add`, ...
    pub action: &'e [u8],
}

impl SubmittedFile<'_> {
    /// Of the actions that create a file (p4 help files, p4 help move); `import` is from a remote
    /// depot.
    pub fn is_new(&self) -> bool {
        matches!(self.action, b"add" | b"branch" | b"import" | b"move/add")
    }

    /// Whether `p4 move` accepts the new file: it is open for add (p4 help move).
    pub fn is_movable(&self) -> bool {
        matches!(self.action, b"add" | b"move/add")
    }
}

impl<'e> FormEvent<'e> {
    /// With nothing known but its kind.
    pub fn unknown(kind: FormEventKind, day: &'e dyn Fn() -> String) -> Self {
        FormEvent {
            kind,
            form_type: None,
            name: None,
            user: None,
            groups: None,
            client: None,
            ip: None,
            server: Server::default(),
            time_s: None,
            prog: None,
            version: None,
            form: None,
            change: None,
            files: None,
            file_count: None,
            unasked: None,
            is_trial: false,
            is_tampered: false,
            broken_name: None,
            day,
        }
    }

    /// The name of the client that a client form describes.
    pub fn described_client(&self) -> Option<&'e [u8]> {
        self.name.filter(|_| self.form_type == Some(b"client"))
    }

    pub fn sender(&self, case_sensitive: bool) -> Sender<'_> {
        Sender {
            user: self.user,
            groups: self.groups.as_deref(),
            client: self.client,
            described_client: self.described_client(),
            ip: self.ip,
            prog: self.prog,
            server: self.server,
            time_s: self.time_s,
            day: self.day,
            case_sensitive,
        }
    }

    /// None also for a form that cannot be read.
    pub fn readable_form(&self) -> Option<&Form<'e>> {
        self.form.as_ref()?.as_ref().ok()
    }

    /// `exists` tells whether the server has the client, and is asked only of an empty View that p4d
    /// does not ignore.
    pub fn note_existing_client(&mut self, exists: impl FnOnce(&Self) -> bool) {
        let is_save = self.kind == FormEventKind::Save && self.form_type == Some(b"client");
        let has_empty_view =
            self.readable_form().is_some_and(|form| form.has_empty("view") && !is_of_stream(form));
        let is_known = is_save && has_empty_view && exists(self);
        if let Some(Ok(form)) = &mut self.form {
            form.is_of_existing_client = is_known;
        }
    }

    /// None if the user or the subject is not known for certain, or looks in the log like another.
    pub fn refused(&self) -> Option<Refused<'_>> {
        let user = self.user.filter(|_| !self.is_tampered)?;
        let subject = match self.form_type {
            Some(form_type) => Subject::Form { form_type, name: self.name? },
            None => Subject::Submit { change: self.change? },
        };
        Refused { user, ip: self.ip, subject }.unmistakable()
    }

    /// For a p4 command to copy; `CHANGE` if it is no number.
    pub fn change_number(&self) -> &str {
        let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let text = self.change.and_then(|change| str::from_utf8(change).ok());
        text.filter(is_number).unwrap_or("CHANGE")
    }
}
