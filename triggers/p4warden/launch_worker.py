"""Start the worker: `python3 -I -S .../p4warden/launch_worker.py form-save --home=...`.

`-I -S` keep the environment and the site folders out and halve Python's start; this file, which is
compiled anew at each start, only says where the package is.
"""

import sys
from os.path import abspath, dirname

sys.path.insert(0, dirname(dirname(abspath(__file__))))
try:
    from p4warden.worker import main
except Exception:  # noqa: BLE001 - a broken installation answers as declared, without a traceback
    # The line's own options come first; what follows them users may have chosen.
    if "--on-error=deny" in sys.argv[2:4]:
        sys.exit("p4warden is not installed whole and is set to refuse then. Tell your admins.")
    sys.exit(0)
main()
