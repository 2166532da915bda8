#!/bin/sh
# Run the vendor's own code against the sandbox: P4Python's test suite, and a program of this
# project that uses P4Java. Usage: run.sh BIN, where BIN is the folder of programs of the virtual
# environment. Downloads stay in build/vendor.
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

if ! command -v javac >/dev/null || ! command -v mvn >/dev/null; then
    skip "the program on P4Java" "it needs a JDK and mvn"
    exit $status
fi
maven() { mvn -q -B -f java/pom.xml "-Dmaven.repo.local=$cache/maven" "-Dbuild.folder=$cache/java" "$@"; }
[ -d "$cache/maven" ] || echo "test-vendor: fetching P4Java"
if ! maven dependency:go-offline dependency:copy-dependencies compiler:help >"$cache/maven.log" 2>&1; then
    skip "the program on P4Java" "Maven cannot fetch it ($cache/maven.log says why)"
else
    maven --offline compile >"$cache/maven.log" || { cat "$cache/maven.log"; exit 1; }
    for server in 2019.1 2024.2 2026.1; do
        "$bin/python" p4java_steps.py "$cache/java" $server || status=1
    done
fi
exit $status
