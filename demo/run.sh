#!/bin/bash
# A whole-depot client refused, on a throw-away server on this host. Any P4PORT of yours is left alone.
set -euo pipefail
cd "$(dirname "$0")"

unset P4CLIENT P4CONFIG P4HOST P4PASSWD P4PORT P4TICKETS P4TRUST P4USER
folder=$(mktemp -d "${TMPDIR:-/tmp}/p4warden-demo-XXXXXX")
export P4ENVIRO=$folder/enviro P4CHARSET=none
coproc SANDBOX { exec p4warden sandbox; }
sandbox=$SANDBOX_PID
trap 'kill "$sandbox" 2>/dev/null; wait "$sandbox" 2>/dev/null; rm -rf "$folder"' EXIT
while IFS='=' read -r name value; do
    export "$name=$value"
    [ "$name" = P4TICKETS ] && break
done <&"${SANDBOX[0]}"
home=$folder/home
policy=../policies/default.yaml

bold=$(tput bold 2>/dev/null || true) plain=$(tput sgr0 2>/dev/null || true)
title() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }
show() { printf '%s$ %s%s\n' "$bold" "$*" "$plain"; }
admin() { show "p4warden $*" && p4warden "$@" || true; }
developer() { # developer USER FORM-EDIT: save the client that p4d proposes, edited
    show "p4 client        # as $1${2:+, edited: $2}"
    P4USER=$1 P4CLIENT=$1-ws ./p4 client -o | sed -e "${2:-}" | P4USER=$1 P4CLIENT=$1-ws ./p4 client -i 2>&1 || true
}

title "An administrator installs the policy; nobody else's trigger line is touched"
printf 'Triggers:\n\tswarm.change change-commit //... "/opt/swarm-trigger %%change%%"\n' | ./p4 triggers -i
./p4 triggers -o >"$folder/before"
admin activate "$policy" --home "$home"
admin refresh --home "$home"
admin deploy plan --home "$home"
admin deploy apply --home "$home"

title "A developer saves the client that Perforce proposes: every depot, whole"
developer ann ''

title "The same developer writes one of the lines that the refusal proposed"
developer ann '/^View:/,$ { s,//depot/\.\.\.,//depot/main/..., ; /thirdparty\|streams/d }'

title "The build account is exempt: the policy says so, with a reason and an owner"
developer build ''

title "What was decided"
show "cat \$HOME/decisions.jsonl"
cat "$home/decisions.jsonl"

title "The administrator takes everything out again"
admin deploy uninstall
./p4 triggers -o >"$folder/after"
cmp "$folder/before" "$folder/after" && echo "The triggers table is byte for byte what it was."
