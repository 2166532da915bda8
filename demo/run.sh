#!/bin/bash
# A whole-depot client refused, on a throw-away server on this host. Any P4PORT of yours is left alone.
# Every step is checked; the demo fails where p4warden does not do what the titles say.
set -euo pipefail
cd "$(dirname "$0")"

unset P4CLIENT P4CONFIG P4HOST P4PASSWD P4PORT P4TICKETS P4TRUST P4USER
folder=$(mktemp -d "${TMPDIR:-/tmp}/p4warden-demo-XXXXXX")
export P4ENVIRO=$folder/enviro P4CHARSET=none
coproc SANDBOX { exec p4warden sandbox; }
sandbox=$SANDBOX_PID
trap 'kill "$sandbox" 2>/dev/null; wait "$sandbox" 2>/dev/null; rm -rf "$folder"' EXIT
for _ in P4PORT P4USER P4TICKETS; do
    read -r setting <&"${SANDBOX[0]}"
    export "${setting?}"
done
home=$folder/home

bold='' plain=''
[ -t 1 ] && bold=$(tput bold) plain=$(tput sgr0)
title() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }
show() { printf '%s$ %s%s\n' "$bold" "$*" "$plain"; }
admin() { show "p4warden $*" && p4warden "$@"; }

# developer EXIT-CODE USER FORM-EDIT: save the client that p4d proposes, edited.
developer() {
    local code=0
    show "P4USER=$2 p4 client"
    P4USER=$2 P4CLIENT=$2-ws ./p4 client -o | sed -e "$3" |
        P4USER=$2 P4CLIENT=$2-ws ./p4 client -i 2>&1 || code=$?
    [ "$code" = "$1" ]
}

title "An administrator installs the policy; the line that is there already stays as it is"
printf 'Triggers:\n\tswarm.change change-commit //... "/opt/swarm-trigger %%change%%"\n' |
    ./p4 triggers -i >/dev/null
./p4 triggers -o >"$folder/before"
admin activate ../policies/default.yaml --home "$home"
admin refresh --home "$home"
admin deploy plan --home "$home" || [ $? = 1 ]
admin deploy apply --home "$home"

title "A developer saves the client that Perforce proposes: every depot, whole"
developer 1 ann ''

title "The same developer maps one directory instead, as the refusal proposed"
developer 0 ann '/^View:/,$ { s,depot/\.\.\.,depot/main/...,g; /thirdparty/d; /streams/d }'

title "The build account saves the same wide client: the policy exempts it, with a reason and an owner"
developer 0 build ''

title "What was decided"
show "cat $home/decisions.jsonl"
cat "$home/decisions.jsonl"

title "The administrator takes everything out again"
admin deploy uninstall
./p4 triggers -o >"$folder/after"
cmp "$folder/before" "$folder/after"
echo "The triggers table is byte for byte what it was."
