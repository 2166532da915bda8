"""Run a developer's usual steps with P4Java against a sandbox server guarded by p4warden.

    p4java_steps.py FOLDER RELEASE

FOLDER has Maven's build results, RELEASE is the p4d release that the sandbox imitates. The exit
status is 1 when a step fails.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))

from p4warden_sandbox import Sandbox  # noqa: E402
from p4warden_sandbox.version_sets import like  # noqa: E402
from support import isolation  # noqa: E402, F401 - keeps the settings of the user away
from support.warden import Warden  # noqa: E402

USER = "carol"
LIMIT_S = 120
POLICY = """\
version: 1
contact: "admins@example.com"
rules:
  - name: no-whole-depot
    rule: limit_view_scope
    mode: enforce
    forms: [client, stream, branch, label]
  - name: fstat-polling
    rule: limit_command_rate
    mode: enforce
    commands: [fstat]
    limits: [{per: [user], allow: 1 per 1h, burst: 2}]
"""


def main(folder: Path, release: str) -> int:
    with (
        tempfile.TemporaryDirectory(prefix="p4warden-vendor-") as scratch,
        Sandbox(like(release)) as sandbox,
    ):
        Warden(sandbox, Path(scratch)).install(POLICY)
        root = Path(scratch) / "ws"
        root.mkdir()
        try:
            steps = run(folder, sandbox, root)
        except subprocess.TimeoutExpired as late:
            print(f"test-vendor: P4Java on a sandbox like {release}: no end after {LIMIT_S} s")
            print(late.stdout)
            return 1
    lines = steps.stdout.splitlines()
    count = sum(line.startswith("ok ") for line in lines)
    versions = ", ".join(path.stem for path in (folder / "dependency").glob("p4java-*.jar"))
    print(
        f"test-vendor: {versions} on a sandbox like {release}: {count} of {len(lines)} steps pass"
    )
    failures = [line for line in lines if not line.startswith("ok ")]
    if steps.returncode:
        print(*failures, steps.stderr, sep="\n")
    return steps.returncode


def run(folder: Path, sandbox: Sandbox, root: Path) -> subprocess.CompletedProcess[str]:
    """Run the Java program that performs the steps, with a temporary home folder."""
    path = os.pathsep.join([str(folder / "classes"), str(folder / "dependency" / "*")])
    home = [f"-Duser.home={root.parent}", f"-Duser.dir={root}"]
    arguments = [sandbox.port, USER, str(root)]
    return subprocess.run(
        ["java", *home, "-cp", path, "Steps", *arguments],
        input=f"{sandbox.password_of(USER)}\n",
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2]))
