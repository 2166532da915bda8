"""Start the worker: `python3 -I -S .../p4warden/worker/launch.py form-save --home=...`.

`-I -S` keep the environment and the site folders out and halve Python's start; this file, which is
compiled anew at each start, only says where the package is.
"""

import gc
import os
import sys

gc.disable()  # it would look through all modules some times, and nothing here lives long
sys.path.append(os.path.abspath(__file__).rsplit("/", 3)[0])
try:
    from p4warden.worker.main import main
except Exception:
    if "P4WARDEN_SUPERVISED" in os.environ:
        raise  # the gate records it and answers as declared
    # Here p4d itself is the parent. The line's own options come first; what follows users choose.
    if "--on-error=deny" in sys.argv[2:5]:
        sys.exit("p4warden is not installed whole and is set to refuse then. Tell your admins.")
    sys.exit(0)
main()
