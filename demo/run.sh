#!/bin/bash
# Demonstrate p4warden on a temporary sandbox server on this host: for example, a client that maps a whole depot is
# refused. Your own P4PORT is not used. The demo fails if p4warden does not behave as the titles state.
set -euo pipefail
cd "$(dirname "$0")"

unset P4CLIENT P4CONFIG P4HOST P4PASSWD P4PORT P4TICKETS P4TRUST P4USER
folder=$(mktemp -d "${TMPDIR:-/tmp}/p4warden-demo-XXXXXX")
export P4ENVIRO=$folder/enviro P4CHARSET=none
coproc SANDBOX { exec p4warden sandbox 2>"$folder/sandbox.log"; }
sandbox=$SANDBOX_PID
trap 'kill "$sandbox" 2>/dev/null; wait "$sandbox" 2>/dev/null; rm -rf "$folder"' EXIT
for _ in P4PORT P4USER P4TICKETS; do
    read -r setting <&"${SANDBOX[0]}" || { cat "$folder/sandbox.log"; exit 1; }
    export "${setting?}"
done
home=$folder/home

bold='' plain=''
[ -t 1 ] && bold=$(tput bold) plain=$(tput sgr0)
title() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }
show() { printf '%s$ %s%s\n' "$bold" "$*" "$plain"; }
admin() { show "p4warden $*" && p4warden "$@"; }

# developer EXIT-CODE USER SED-SCRIPT: apply the sed script to the client form that the server proposes to the user, and
# save it as the user. Fail unless `p4 client -i` exits with EXIT-CODE.
developer() {
    local code=0
    show "P4USER=$2 p4 client"
    P4USER=$2 P4CLIENT=$2-ws ./p4 client -o | sed -e "$3" |
        P4USER=$2 P4CLIENT=$2-ws ./p4 client -i 2>&1 || code=$?
    [ "$code" = "$1" ]
}

# browse COMMAND...: run p4 commands as bob; fail if one takes a second or longer.
browse() {
    local command started
    for command in "$@"; do
        show "P4USER=bob p4 $command"
        started=$EPOCHREALTIME
        # shellcheck disable=SC2086 # the variable contains several words
        (set -f && P4USER=bob P4CLIENT=bob-ws ./p4 $command)
        awk "BEGIN { exit !($EPOCHREALTIME - $started < 1) }"
    done
}

# runs EXIT-CODE USER COMMAND: run a p4 command as the user with the client USER-ws; fail unless it exits with
# EXIT-CODE.
runs() {
    local code=0
    show "P4USER=$2 p4 $3"
    # shellcheck disable=SC2086 # the variable contains several words
    (set -f && P4USER=$2 P4CLIENT=$2-ws ./p4 $3) 2>&1 || code=$?
    [ "$code" = "$1" ]
}

# poll: send the same query as ann about once a second until one was delayed and a later one
# refused; fail after 20 queries.
poll() {
    local outcome started text delayed=no
    show "while sleep 1; do P4USER=ann p4 fstat //depot/main/...; done"
    for _ in $(seq 20); do
        started=$EPOCHREALTIME outcome=ran
        text=$(P4USER=ann P4CLIENT=ann-ws ./p4 fstat //depot/main/... 2>&1) || outcome=refused
        if [ $outcome = ran ] && awk "BEGIN { exit !($EPOCHREALTIME - $started > 0.8) }"; then
            outcome="ran after a delay" delayed=yes
        fi
        echo "$outcome"
        [ "$outcome $delayed" != "refused yes" ] || break
        sleep 1
    done
    echo "$text"
    [ "$outcome $delayed" = "refused yes" ]
}

title "An administrator installs the policy; the existing trigger line stays unchanged"
printf 'Triggers:\n\tswarm.change change-commit //... "/opt/swarm-trigger %%change%%"\n' |
    ./p4 triggers -i >/dev/null
./p4 triggers -o >"$folder/before"
admin activate ../policies/default.yaml --home "$home"
admin refresh --home "$home"
admin deploy plan --home "$home" || [ $? = 1 ]
admin deploy apply --home "$home"

title "A developer saves the client that Perforce proposes, which maps all depots completely"
developer 1 ann ''

title "The same developer maps one directory instead, as the refusal proposed"
developer 0 ann '/^View:/,$ { s,depot/\.\.\.,depot/main/...,g; /thirdparty/d; /streams/d }'

title "The build account saves the same wide client: the policy exempts it, with a reason and an owner"
developer 0 build ''

title "After some weeks of observing, the administrator enforces the limit on polling; here a low one: 3 at once, then 1 in 5 s"
sed 's/mode: observe/mode: enforce/; s,allow: 1500/h\, burst: 6500,allow: 1/5s\, burst: 3,' \
    ../policies/default.yaml >"$folder/policy.yaml"
grep "burst: 3}" "$folder/policy.yaml"
admin activate "$folder/policy.yaml" --home "$home"

title "A tool repeats the same command every second: it is delayed, then refused"
poll

title "A user who browses in the meantime is not affected"
browse "dirs //depot/*" "fstat //depot/main/README" "files //depot/docs/..." "fstat //depot/rel/..."

title "The depot grows, and while p4warden was off a user saved a client of the whole depot"
./p4 populate //depot/tools/... //depot/assets/0/... >/dev/null
for doubled in 1 2 3 4 5 6 7 8 9 10 11; do
    ./p4 populate //depot/assets/... "//depot/assets/$doubled/..." >/dev/null
done
admin off --home "$home"
developer 0 bob "s,^Root:.*,Root: $folder/bob,"
admin on --home "$home"

title "The last checkpoint shows how many files a command would read, before it runs"
./checkpoint >"$folder/checkpoint"
admin index --checkpoint "$folder/checkpoint" --home "$home"
cat estimates.yaml
admin activate estimates.yaml --home "$home"
p4warden deploy plan --home "$home" >"$folder/plan" || [ $? = 1 ]
admin deploy apply --home "$home"

title "The wide client cannot sync, fstat or list the depot"
runs 1 bob "sync"
runs 1 bob "fstat //bob-ws/..."
runs 1 bob "files //depot/..."

title "A narrow client can"
runs 0 ann "sync -n"
runs 0 ann "fstat //ann-ws/depot/main/README"
runs 0 ann "files //depot/docs/..."

title "A new view is also judged by the number of files that it spans, at any depth"
developer 1 bob '/^View:/,$ { s,depot/\.\.\.,depot/assets/...,g; /thirdparty/d; /streams/d }'

title "The decision log"
show "cat $home/decisions.jsonl"
cat "$home/decisions.jsonl"

title "The administrator uninstalls p4warden"
admin deploy uninstall --yes --home "$folder/home"
./p4 triggers -o >"$folder/after"
cmp "$folder/before" "$folder/after"
echo "The triggers table is byte for byte the same as before."
