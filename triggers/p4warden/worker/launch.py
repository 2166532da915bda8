"""Start the program for form and submit triggers, with a short start time.

Started as `python3 -I -S .../p4warden/worker/launch.py form-save --line=...`. `-I -S` ignore
Python's environment variables and the site folders and shorten its start. Python compiles this
file again at each start, so it is short: the program itself is in `main.py`.
"""

import gc
import os
import sys

# Disable garbage collection: it would scan all imported modules several times, and this process
# ends soon.
gc.disable()
sys.path.append(os.path.abspath(__file__).rsplit("/", 3)[0])
try:
    from p4warden.worker.main import main
except Exception:
    if "P4WARDEN_SUPERVISED" in os.environ:
        raise  # the gate, which started this process, logs the failure and gives p4d the answer
    # Without the gate p4d started this process itself. Only the first words of the command line
    # are searched for `--on-error=deny`: they are p4warden's own options, and users can influence
    # later words.
    if "--on-error=deny" in sys.argv[2:5]:
        sys.exit("p4warden is not installed whole and is set to refuse then. Tell your admins.")
    sys.exit(0)
main()
