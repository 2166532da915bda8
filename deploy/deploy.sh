#!/bin/sh
# Put a policy on a Perforce server: check it, show what would change in how people are judged and in the triggers
# table, and after one yes make it the running policy and write the table. Run it on the server's host, as p4d's
# account. Nothing is changed before the yes; if a step fails, the policy and the table are as they were before.
#
#   deploy/deploy.sh [--yes] [--message TEXT] POLICY [HOME]
#
# HOME is P4WARDEN_HOME or /var/lib/p4warden unless said otherwise. P4PORT, P4USER and P4TICKETS name the server and a
# logged-in account with super access; no password is asked for. P4WARDEN names the p4warden command where it is not
# on PATH. --yes does not ask. --message is the reason, for p4warden history.
set -eu

die() {
    printf 'deploy.sh: %s\n' "$2" >&2
    exit "$1"
}

yes=
message=
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
    --)
        shift
        break
        ;;
    -*) die 2 "$1 is no option; --help says how it is used" ;;
    *) break ;;
    esac
    shift
done
[ $# = 1 ] || [ $# = 2 ] || die 2 "usage: deploy.sh [--yes] [--message TEXT] POLICY [HOME]"

policy=$1
home=${2:-${P4WARDEN_HOME:-/var/lib/p4warden}}
p4warden=${P4WARDEN:-p4warden}
[ -f "$policy" ] || die 1 "$policy is no file; nothing was done"
command -v "$p4warden" >/dev/null ||
    die 1 "$p4warden is not there; put it on PATH, or name it: P4WARDEN=/opt/p4warden/current/bin/p4warden"

code=0
"$p4warden" deploy plan --policy "$policy" --home "$home" --no-next || code=$?
case $code in
0) exec "$p4warden" refresh --home "$home" ;; # the policy runs, and the table is as it needs it
1) ;;                                         # there is something to change
*) exit "$code" ;;
esac

if [ -z "$yes" ]; then
    printf 'Do this, on %s and in %s? [y/N] ' "${P4PORT:-the server}" "$home"
    answer=
    read -r answer || {
        echo
        die 1 "Nothing was changed: nobody answered. Answer at a terminal, or give --yes"
    }
    case ${answer:-} in
    [yY]*) ;;
    *)
        echo "Nothing was changed."
        exit
        ;;
    esac
fi
# The file may have been edited since, and another administrator may have planned: apply refuses both.
exec "$p4warden" deploy apply --policy "$policy" --home "$home" --message "$message"
