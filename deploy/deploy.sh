#!/bin/sh
# Put a policy on a Perforce server: check it, make it the running one, ask the server for its facts, show what
# would change in the triggers table, and write that after a yes. Run it on the server's host, as p4d's account.
#
#   deploy/deploy.sh POLICY [HOME]
#
# P4PORT, P4USER and P4TICKETS name the server and a logged-in account with super access; no password is asked for.
# P4WARDEN names the p4warden command where it is not on PATH. Nothing is written to the server before the yes.
set -eu

policy=${1:?usage: deploy.sh POLICY [HOME]}
home=${2:-/var/lib/p4warden}
p4warden=${P4WARDEN:-p4warden}

"$p4warden" check "$policy"
"$p4warden" activate "$policy" --home "$home"
"$p4warden" refresh --home "$home"

code=0
"$p4warden" deploy plan --home "$home" || code=$?
case $code in
0) exit 0 ;; # the table is as the policy needs it
1) ;;        # there is something to write
*) exit "$code" ;;
esac

printf 'Write this to %s? [y/N] ' "${P4PORT:-the server}"
read -r answer
case $answer in
[yY]*) "$p4warden" deploy apply --home "$home" ;;
*) echo "Nothing was written to the triggers table. Lines of p4warden that are in it run the new policy already." ;;
esac
