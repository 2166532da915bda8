#!/bin/sh
# Makes the index of the newest checkpoint that is whole: p4d writes the .md5 file beside a checkpoint last.
# Settings, from /etc/p4warden.env:
#   P4WARDEN_CHECKPOINTS  what stands before .N in the paths of checkpoints, /p4/1/checkpoints/p4_1.ckp
#   P4WARDEN_SERVER_ID    the server's server.id, where it has one
#   P4WARDEN_HOME         the home folder, /var/lib/p4warden where it is not set
# An index that is newer than the checkpoint is left as it is.
set -eu

: "${P4WARDEN_CHECKPOINTS:?is not set: name what stands before .N in the paths of checkpoints}"
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
