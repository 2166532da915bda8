#!/bin/sh
# Put a policy on a Perforce server: `p4warden deploy put`, on the server's host with p4d's account.
#
#   deploy/deploy.sh [--yes] [--message TEXT] [--home DIR] [--ready-on ID]... [--exclude ID... --reason TEXT] POLICY
#
# P4PORT, P4USER and P4TICKETS name the server and a logged-in account with super access. P4WARDEN names the p4warden
# command if it is not on PATH.
set -eu
p4warden=${P4WARDEN:-p4warden}
command -v "$p4warden" >/dev/null || {
    echo "deploy.sh: $p4warden was not found; add it to PATH, or set P4WARDEN=/opt/p4warden/current/bin/p4warden" >&2
    exit 1
}
exec "$p4warden" deploy put "$@"
