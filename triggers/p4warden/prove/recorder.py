# `python -I -S recorder.py FOLDER LABEL WORD...` writes `FOLDER/TIME-PID.call`, a JSON file with
# the label, in base64 the words after it, standard input and the form, and the mode of the form's
# file. Then it follows the JSON file `FOLDER/LABEL.answer`, if any: `output` (base64), `code`
# (exit code), `signal` (that ends it), `wait_for` (a file to wait for before the output),
# `rewrite` (a text of the form, and its replacement) and `describe` (the file in FOLDER for a
# description of the process), all optional. The program is copied into a temporary folder and
# imports only the standard library.

import base64
import json
import os
import resource
import select
import signal
import sys
import time

WAIT_S = 10
_READ_S = 1.0
_PAUSE_S = 0.01
_FORM = "--form="
_MOST_FILES = 256


def main(folder: str, label: str, words: list[str]) -> int:
    """Record one trigger call; answer as prepared, and return the exit code."""
    name = f"{time.time_ns()}-{os.getpid()}"
    call = {
        "label": label,
        "words": [_encoded(os.fsencode(word)) for word in words],
        "stdin": _encoded(_read_stdin()),
        **_form(words),
    }
    _write(folder, f"{name}.call", json.dumps(call))
    return _answer(folder, label, words)


def _form_path(words: list[str]) -> str:
    return next((word[len(_FORM) :] for word in words if word.startswith(_FORM)), "")


def _rewrite(words: list[str], text: str, replacement: str) -> None:
    with open(_form_path(words), "r+b") as file:
        form = file.read().replace(text.encode(), replacement.encode())
        file.seek(0)
        file.write(form)
        file.truncate()


def _process() -> dict[str, object]:
    """Python itself ignores SIGPIPE and SIGXFSZ, so these two are left out."""
    umask = os.umask(0o077)
    own = {signal.SIGPIPE, signal.SIGXFSZ}
    ignored = {n for n in signal.valid_signals() - own if signal.getsignal(n) == signal.SIG_IGN}
    return {
        "folder": _folder(),
        "parent": os.getppid(),
        "umask": f"{umask:04o}",
        "blocked": sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))),
        "ignored": sorted(map(int, ignored)),
        "files": [number for number in range(_MOST_FILES) if _is_open(number)],
        "limits": {
            name: resource.getrlimit(getattr(resource, name))
            for name in sorted(dir(resource))
            if name.startswith("RLIMIT_")
        },
        "variables": sorted(os.environ),
    }


def _folder() -> str:
    try:
        return os.path.realpath(os.getcwd())
    except OSError:
        return ""


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _form(words: list[str]) -> dict[str, str]:
    path = _form_path(words)
    try:
        mode = f"{os.stat(path).st_mode & 0o7777:04o}"
        with open(path, "rb") as file:
            return {"form": _encoded(file.read()), "mode": mode}
    except (OSError, ValueError):
        return {}


def _read_stdin() -> bytes:
    """Stop after `_READ_S` seconds if p4d leaves standard input open."""
    end_s, content = time.monotonic() + _READ_S, b""
    while select.select([0], [], [], max(0.0, end_s - time.monotonic()))[0]:
        piece = os.read(0, 65536)
        if not piece:
            break
        content += piece
    return content


def _answer(folder: str, label: str, words: list[str]) -> int:
    try:
        with open(os.path.join(folder, f"{label}.answer"), encoding="ascii") as file:
            answer = json.load(file)
    except FileNotFoundError:
        return 0
    if "rewrite" in answer:
        _rewrite(words, *answer["rewrite"])
    if "describe" in answer:
        _write(folder, answer["describe"], json.dumps(_process()))
    if "wait_for" in answer:
        _wait_for(os.path.join(folder, answer["wait_for"]), answer.get("wait_s", WAIT_S))
    os.write(1, base64.b64decode(answer.get("output", "")))
    if "signal" in answer:
        os.kill(os.getpid(), answer["signal"])
    return int(answer.get("code", 0))


def _wait_for(path: str, wait_s: float) -> None:
    end_s = time.monotonic() + wait_s
    while not os.path.exists(path) and time.monotonic() < end_s:
        time.sleep(_PAUSE_S)


def _write(folder: str, name: str, text: str) -> None:
    """Rename a temporary file, so that no reader sees an incomplete one."""
    path = os.path.join(folder, name)
    with open(f"{path}.new", "w", encoding="ascii") as file:
        file.write(text)
    os.rename(f"{path}.new", path)


def _encoded(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


if __name__ == "__main__":
    # `os._exit` passes the exit code to the system unchanged, which takes it modulo 256.
    os._exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
