#!/bin/sh
# Put a policy on a Perforce server: check it, show how the judging of users and the triggers table would change, and
# after one confirmation activate the policy and write the table. Run the script on the server's host with p4d's
# account. Policy and table are not changed before the confirmation, and are restored if a step fails. If neither needs
# a change, only the facts are refreshed.
#
#   deploy/deploy.sh [--yes] [--message TEXT] [--ready-on ID]... [--exclude ID... --reason TEXT] POLICY [HOME]
#
# HOME defaults to P4WARDEN_HOME, then to /var/lib/p4warden. P4PORT, P4USER and P4TICKETS name the server and a
# logged-in account with super access; no password is requested. P4WARDEN names the p4warden command if it is not on
# PATH. --yes skips the confirmation. --message is the reason recorded for p4warden history.
# Other servers that run the same triggers table are named once: --ready-on if p4warden is ready on them, --exclude if
# they are retired or unreachable (docs/servers.md). Until then nothing is written.
set -eu

die() {
    printf 'deploy.sh: %s\n' "$2" >&2
    exit "$1"
}

newline='
'
yes=
message=
servers= # options about other servers, one word on each line
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        sed -n '2,/^set/ { /^set/d; s/^# \{0,1\}//; p; }' "$0"
        exit
        ;;
    -y | --yes) yes=1 ;;
    -m | --message)
        [ $# -gt 1 ] || die 2 "$1 needs a text"
        message=$2
        shift
        ;;
    --ready-on | --exclude | --reason)
        [ $# -gt 1 ] || die 2 "$1 needs a value"
        case $2 in *"$newline"*) die 2 "$1 needs a value on one line" ;; esac
        servers=$servers$1$newline$2$newline
        shift
        ;;
    --)
        shift
        break
        ;;
    -*) die 2 "unknown option $1; see --help" ;;
    *) break ;;
    esac
    shift
done
[ $# = 1 ] || [ $# = 2 ] || die 2 "usage: deploy.sh [options] POLICY [HOME]; see --help"

policy=$1
home=${2:-${P4WARDEN_HOME:-/var/lib/p4warden}}
p4warden=${P4WARDEN:-p4warden}
command -v "$p4warden" >/dev/null ||
    die 1 "$p4warden was not found; add it to PATH, or set P4WARDEN=/opt/p4warden/current/bin/p4warden"

set -f
IFS=$newline
# shellcheck disable=SC2086 # one word on each line
set -- $servers
unset IFS

code=0
"$p4warden" deploy plan --policy "$policy" --home "$home" --no-next "$@" || code=$?
case $code in
0) [ -n "$servers" ] || exec "$p4warden" refresh --home "$home" ;; # the policy is active, and the table fits it
1) ;;                                                              # there are changes to apply
*) exit "$code" ;;
esac

if [ -z "$yes" ]; then
    printf 'Apply these changes to %s and %s? [y/N] ' "${P4PORT:-the server}" "$home"
    answer=
    read -r answer || {
        echo
        die 1 "Nothing was changed: nobody answered. Answer at a terminal, or use --yes"
    }
    case ${answer:-} in
    [yY]*) ;;
    *)
        echo "Nothing was changed."
        exit
        ;;
    esac
fi
# The policy file may have been edited since the plan, or another administrator may have made a plan: apply refuses in
# both cases.
exec "$p4warden" deploy apply --policy "$policy" --home "$home" --message "$message" "$@"
