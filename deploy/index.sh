#!/bin/sh
# Build an index from the newest complete checkpoint, recognized by its .md5 file, which p4d writes last.
# Settings, as environment variables (p4warden-index.service reads them from /etc/p4warden.env):
#   P4WARDEN_CHECKPOINTS  path of the checkpoints without the suffix .N, such as /p4/1/checkpoints/p4_1.ckp
#   P4WARDEN_SERVER_ID    the server's server.id, if it has one
#   P4WARDEN_HOME         the home folder; default /var/lib/p4warden
# An index that is newer than the checkpoint is kept.
set -eu

: "${P4WARDEN_CHECKPOINTS:?is not set: set it to the path of checkpoints without .N}"
home=${P4WARDEN_HOME:-/var/lib/p4warden}
program=$(dirname "$0")/../../../bin/p4warden

newest=
for digest in "$P4WARDEN_CHECKPOINTS".*.md5; do
    for checkpoint in "${digest%.md5}" "${digest%.md5}.gz"; do
        [ -e "$checkpoint" ] || continue
        if [ -z "$newest" ] || [ "$checkpoint" -nt "$newest" ]; then
            newest=$checkpoint
        fi
    done
done
if [ -z "$newest" ]; then
    echo "index.sh: no checkpoint $P4WARDEN_CHECKPOINTS.N has an .md5 file beside it" >&2
    exit 1
fi
if [ "$home/checkpoint.index" -nt "$newest" ]; then
    exit 0
fi
exec "$program" index --home "$home" --checkpoint "$newest" ${P4WARDEN_SERVER_ID:+--server-id "$P4WARDEN_SERVER_ID"}
