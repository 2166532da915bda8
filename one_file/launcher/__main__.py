# Readable by every Python 3, so that an old one is told what is needed.

import sys


def main():
    # type: () -> int
    """Run the command line; return the exit code."""
    if sys.version_info < (3, 10):
        version = sys.version.split()[0]
        sys.stderr.write("p4warden: it needs Python 3.10 or later; this is %s\n" % version)
        return 2
    from launcher.command_line import run  # noqa: PLC0415 - an older Python cannot read it

    return run(sys.path[0], sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
