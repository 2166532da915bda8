#!/bin/sh
# Put a policy on a Perforce server: check it, show what would change in how people are judged and in the triggers
# table, and after one yes make it the running policy and write the table. Run it on the server's host, as p4d's
# account. Nothing is changed before the yes.
#
#   deploy/deploy.sh POLICY [HOME]
#
# HOME is P4WARDEN_HOME or /var/lib/p4warden unless said otherwise. P4PORT, P4USER and P4TICKETS name the server and a
# logged-in account with super access; no password is asked for. P4WARDEN names the p4warden command where it is not
# on PATH.
set -eu

die() {
    printf 'deploy.sh: %s\n' "$2" >&2
    exit "$1"
}

case ${1:-} in
-h | --help)
    sed -n '2,/^set/ { /^set/d; s/^# \{0,1\}//; p; }' "$0"
    exit
    ;;
-*) die 2 "$1 is no option; --help says how it is used" ;;
esac
[ $# = 1 ] || [ $# = 2 ] || die 2 "usage: deploy.sh POLICY [HOME]"

policy=$1
home=${2:-${P4WARDEN_HOME:-/var/lib/p4warden}}
p4warden=${P4WARDEN:-p4warden}
[ -f "$policy" ] || die 1 "$policy is no file; nothing was done"
command -v "$p4warden" >/dev/null ||
    die 1 "$p4warden is not there; put it on PATH, or name it: P4WARDEN=/opt/p4warden/current/bin/p4warden"

code=0
"$p4warden" deploy plan --policy "$policy" --home "$home" || code=$?
case $code in
0) exec "$p4warden" refresh --home "$home" ;; # the policy runs, and the table is as it needs it
1) ;;                                         # there is something to change
*) exit "$code" ;;
esac

printf 'Do this, on %s and in %s? [y/N] ' "${P4PORT:-the server}" "$home"
answer=
read -r answer || echo
case ${answer:-} in
[yY]*) ;;
*)
    echo "Nothing was changed."
    exit
    ;;
esac
# The file may have been edited since, and another administrator may have planned.
"$p4warden" activate "$policy" --home "$home" --planned
if ! { "$p4warden" refresh --home "$home" && "$p4warden" deploy apply --home "$home"; }; then
    die 1 "the policy runs now, but its trigger lines were not written; mend that and run this again"
fi
