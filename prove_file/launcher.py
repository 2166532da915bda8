# It unpacks p4warden into a temporary folder, as a virtual environment of the Python that runs it,
# runs `p4warden prove` there, and removes the folder. It must be readable by every Python 3.

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import zipfile

LEAST = (3, 10)
PROGRAMS = ("p4warden-gate", "p4warden-index", "p4warden-log")


def main():
    """Run `p4warden prove` with the arguments of this program; return its exit code."""
    if sys.version_info < LEAST:
        version = sys.version.split()[0]
        return refuse("it needs Python %d.%d or later; this is %s" % (*LEAST, version))
    try:
        import P4  # noqa: PLC0415 - the next lines say what to do without it
    except ImportError:
        return refuse("it needs P4Python: %s -m pip install p4python" % sys.executable)
    folder = os.path.realpath(tempfile.mkdtemp(prefix="p4warden-prove-file-"))
    try:
        with zipfile.ZipFile(os.path.abspath(sys.argv[0])) as archive:
            archive.extractall(folder)
        python = make_environment(folder, os.path.dirname(os.path.abspath(P4.__file__)))
        leave_startable(os.path.join(folder, "bin"))
        return run([python, "-I", "-m", "p4warden", "prove", *sys.argv[1:]])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def refuse(problem):
    """Print why this program cannot run here; return the exit code."""
    sys.stderr.write("p4warden-prove: %s\n" % problem)
    return 2


def make_environment(folder, p4python):
    """Make a virtual environment of the unpacked packages and P4Python; return its Python."""
    base = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    python = os.path.join(folder, "bin", "python3")  # the name that the gate looks for
    os.makedirs(os.path.join(folder, "bin"), exist_ok=True)
    os.symlink(base, python)
    site = os.path.join(folder, "lib", "python%d.%d" % sys.version_info[:2], "site-packages")
    os.makedirs(site)
    write(os.path.join(folder, "pyvenv.cfg"), "home = %s\n" % os.path.dirname(base))
    paths = (os.path.join(folder, "packages"), p4python)
    write(os.path.join(site, "packages.pth"), "".join(path + "\n" for path in paths))
    return python


def write(path, text):
    """Write a text file."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def leave_startable(folder):
    """Remove the programs that do not start here, as they were built for another platform."""
    for name in PROGRAMS:
        program = os.path.join(folder, name)
        if not os.path.exists(program):
            continue
        os.chmod(program, 0o700)
        try:
            subprocess.run([program], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except OSError:
            os.remove(program)


def run(command):
    """Run a command that gets this process's signals, too; return its exit code."""
    with subprocess.Popen(command) as process:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to the command itself
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda received, _frame: process.send_signal(received))
        return process.wait()


if __name__ == "__main__":
    sys.exit(main())
