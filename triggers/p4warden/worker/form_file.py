"""Read and replace the temporary file in which p4d passes a form to a trigger."""

import errno
import os
import stat

from p4warden.forms import form_parser

_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class FormFileError(Exception):
    """Error: the file with the form that p4d passes cannot be read; the text says why."""


def read(path: str | None) -> str:
    """Return the text of the form that p4d passes, or its beginning if it is too large.

    Raises:
        FormFileError: `path` is None, or there is no such regular file that can be read.
    """
    if path is None:
        raise FormFileError("the trigger line passes no --form")
    try:
        with open(
            os.open(path.encode("utf-8", "surrogateescape"), os.O_RDONLY | _FLAGS), "rb"
        ) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise FormFileError(f"the form's file {path} is not a regular file")
            content = file.read(form_parser.MAX_FORM_BYTES + 1)
    except OSError as error:
        raise FormFileError(f"the form's file {path}: {error.strerror}") from error
    return content.decode("utf-8", "surrogateescape")


def write(path: str, form: str) -> None:
    """Replace the form that p4d is about to display by another one.

    A form-out trigger does this by writing the file that p4d passes to it. If the new form cannot
    be written completely, the old content is written back, because p4d displays the file.

    Raises:
        OSError: the file cannot be opened or written completely.
    """
    text = form.encode("utf-8", "surrogateescape")
    descriptor = os.open(path.encode("utf-8", "surrogateescape"), os.O_RDWR | _FLAGS)
    try:
        before = os.pread(descriptor, form_parser.MAX_FORM_BYTES, 0)
        try:
            _write_whole(descriptor, text)
        except OSError:
            _write_whole(descriptor, before)
            raise
    finally:
        os.close(descriptor)


def _write_whole(descriptor: int, content: bytes) -> None:
    if os.pwrite(descriptor, content, 0) != len(content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.ftruncate(descriptor, len(content))
