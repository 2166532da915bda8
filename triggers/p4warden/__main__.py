"""Run the `p4warden` command as `python -m p4warden`."""

from p4warden.cli import main

if __name__ == "__main__":
    main()
