#!/bin/sh
# Runs what the vendor wrote against the sandbox: P4Python's own tests.
# run.sh BIN: BIN is the virtual environment's folder of programs. What is downloaded stays in build/vendor.
set -eu
bin=$(cd "$1" && pwd)
cd "$(dirname "$0")"
cache=$(cd ../.. && pwd)/build/vendor
mkdir -p "$cache"
status=0
skip() { echo "test-vendor: $1 is skipped: $2"; }

release=$(sed -n 's/^release: //p' p4python.yaml)
suite=$cache/p4python-$release
if [ ! -f "$suite.tar.gz" ]; then
    echo "test-vendor: fetching the source of P4Python $release"
    "$bin/python" -m pip --quiet --disable-pip-version-check download --no-binary p4python --no-deps \
        --dest "$cache" "p4python==$release" >"$cache/pip.log" 2>&1 || rm -f "$suite.tar.gz"
fi
if [ -f "$suite.tar.gz" ]; then
    tar -xzf "$suite.tar.gz" -C "$cache"
    for server in 2019.1 2024.2 2026.1; do
        "$bin/python" p4python_suite.py "$suite" $server || status=1
    done
else
    skip "P4Python's suite" "pip cannot fetch p4python==$release ($cache/pip.log says why)"
fi

exit $status
