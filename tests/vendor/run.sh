#!/bin/sh
# Runs what the vendor wrote against the sandbox: P4Python's own tests, and a program of ours on P4Java.
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
    "$bin/python" p4python_suite.py "$suite" || status=1
else
    skip "P4Python's suite" "pip cannot fetch p4python==$release ($cache/pip.log says why)"
fi

maven="mvn -q -B -f java/pom.xml -Dmaven.repo.local=$cache/maven -Dbuild.folder=$cache/java"
if ! command -v javac >/dev/null || ! command -v mvn >/dev/null; then
    skip P4Java "it needs a JDK and mvn"
elif ! $maven dependency:go-offline >"$cache/maven.log" 2>&1; then
    skip P4Java "Maven cannot fetch it ($cache/maven.log says why)"
else
    $maven --offline package dependency:copy-dependencies &&
        "$bin/python" p4java_steps.py "$cache/java" || status=1
fi
exit $status
