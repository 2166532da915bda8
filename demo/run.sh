#!/bin/bash
# Show on a temporary sandbox server on this host whom p4warden stops, and how they get on. Your own P4PORT is not used.
# The demo fails if p4warden does not behave as the titles state.
#
#   run.sh [PAGE]    PAGE: the report as a page with charts
set -euo pipefail
page=${1:+$(realpath -m -- "$1")}
cd "$(dirname "$0")"

unset P4CLIENT P4CONFIG P4HOST P4PASSWD P4PORT P4TICKETS P4TRUST P4USER
folder=$(mktemp -d "${TMPDIR:-/tmp}/p4warden-demo-XXXXXX")
export P4ENVIRO=$folder/enviro P4CHARSET=none P4WARDEN_HOME=$folder/home
coproc SANDBOX { exec p4warden sandbox 2>"$folder/sandbox.log"; }
sandbox=$SANDBOX_PID
trap 'kill "$sandbox" 2>/dev/null; wait "$sandbox" 2>/dev/null; rm -rf "$folder"' EXIT
for _ in P4PORT P4USER P4TICKETS; do
    read -r setting <&"${SANDBOX[0]}" || { cat "$folder/sandbox.log"; exit 1; }
    export "${setting?}"
done

bold='' plain='' columns=80
if [ -t 1 ]; then
    columns=$(tput cols)
    [ -n "${NO_COLOR-}" ] || { bold=$(tput bold) plain=$(tput sgr0); }
fi
title() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }
show() { printf '%s%s%s\n' "$bold" "$*" "$plain"; }
# Break long lines between words, as the terminal breaks them anywhere.
shown() { fold -s -w "$columns" | sed 's/ *$//'; }
quietly() { "$@" >"$folder/output" 2>&1 || { cat "$folder/output"; return 1; }; }

# as USER EXIT-CODE COMMAND...: run p4 as the user with the client USER-ws; fail unless it exits with EXIT-CODE.
as() {
    local user=$1 expected=$2 code=0
    shift 2
    P4USER=$user P4CLIENT=$user-ws ./p4 "$@" >"$folder/answer" 2>&1 || code=$?
    shown <"$folder/answer"
    [ "$code" = "$expected" ]
}

# saves USER EXIT-CODE SED-SCRIPT: save the client form that the server proposes, edited by the script.
saves() {
    P4USER=$1 P4CLIENT=$1-ws ./p4 client -o | sed -e "$3" >"$folder/form"
    as "$1" "$2" client -i <"$folder/form"
}

# A server with 640 files below one directory, on which bob has had a client of a whole depot for years.
quietly ./p4 populate //depot/... //depot/assets/0/...
for doubled in 1 2 3 4 5 6; do
    quietly ./p4 populate //depot/assets/... "//depot/assets/$doubled/..."
done
quietly saves bob 0 "s,^Root:.*,Root: $folder/bob,"
./checkpoint >"$folder/checkpoint"
./p4 triggers -o >"$folder/before"

title "An administrator puts a policy on the server"
show "admin$ p4warden deploy apply | head -4"
quietly p4warden activate policy.yaml
quietly p4warden index --checkpoint "$folder/checkpoint"
quietly p4warden refresh
p4warden deploy plan >"$folder/plan" || [ $? = 1 ]
p4warden deploy apply >"$folder/applied"
head -4 "$folder/applied"

title "A rule that observes stops nobody: who would be stopped is in the report"
show "eve\$ p4 changes //depot/... | grep -c 'change [0-9]'"
quietly as eve 0 changes //depot/...
grep -c 'change [0-9]' "$folder/answer"
show "admin\$ p4warden report    $plain(its table of rules that observe)"
p4warden report >"$folder/report"
sed -n '/^Affected if enforced/,/^$/p' "$folder/report" | sed -n '/^Rule /,$p' | shown
grep -Eq '^narrow-questions +1 +1 +1 +eve x 1 *$' "$folder/report"

title "Ann saves a client of a whole depot, then takes an offered directory"
show "ann$ p4 client"
saves ann 1 '/^View:/,$ { /\/\/depot\//d; /streams/d }'
show "ann$ p4 client"
saves ann 0 '/^View:/,$ { s,thirdparty/\.\.\.,thirdparty/acme/...,g; /\/\/depot\//d; /streams/d }'

title "Her editor asks too often: its second question has to wait"
for _ in 1 2; do
    started=${EPOCHREALTIME/[.,]/}
    quietly as ann 0 fstat //thirdparty/acme/json/1.2/json.c
    tenths=$(((${EPOCHREALTIME/[.,]/} - started + 50000) / 100000))
    show "ann$ p4 fstat //thirdparty/acme/json/1.2/json.c    $plain(answered after $((tenths / 10)).$((tenths % 10)) s)"
done
echo "(The first time is the start of the client, a small Python program here; p4warden takes about 1 ms of it.)"

title "A script that repeats one question without end is refused"
show "ann$ while p4 files //depot/rel/... >/dev/null; do :; done"
for _ in 1 2 3; do quietly as ann 0 files //depot/rel/...; done
as ann 1 files //depot/rel/...

title "Bob's client is older than the policy: his sync of everything is refused"
show "bob$ p4 sync"
as bob 1 sync
id=$(sed -n 's/.* id=//p' "$folder/answer")

title "The administrator lets him, for two hours"
show "admin$ p4warden allow $id --for 2h --reason 'new disk'"
p4warden allow "$id" --for 2h --reason 'new disk' | shown
show "bob$ p4 sync | tail -1"
quietly as bob 0 sync
tail -1 "$folder/answer"

title "If users cannot work: off stops all of it at once, and on starts it again"
show "admin$ p4warden off"
p4warden off | shown
show "ann$ p4 client"
saves ann 0 's,//thirdparty/.*,//thirdparty/... //ann-ws/thirdparty/...,'
show "admin$ p4warden on"
p4warden on | shown

title "The administrator reads who was stopped, and uninstalls p4warden"
show "admin$ p4warden report    $plain(its first table)"
p4warden report >"$folder/report"
sed -n '/^Rules/,/^$/p' "$folder/report" | shown
[ -z "$page" ] || {
    p4warden report --html "$page" >"$folder/output"
    echo "As a page, with charts (--html): $page"
}
# The second fstat really waited, and each of the other rules stopped one event.
grep -Eq '^fstat-polling +enforce +0 +1 ' "$folder/report"
[ "$(grep -Ec '^[a-z-]+ +enforce +1 +0 ' "$folder/report")" = 3 ]

show "admin$ p4warden deploy uninstall"
quietly p4warden deploy uninstall --yes
./p4 triggers -o | cmp "$folder/before" -
echo "The triggers table is byte for byte the same as before."
