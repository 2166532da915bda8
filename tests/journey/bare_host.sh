#!/bin/sh
# What an administrator does on a host that has Python and nothing else, without a network; root runs it there.
# Arguments: the one file, a later version of it, a checkpoint, the version of the first file.
set -eux
file=$1 later=$2 checkpoint=$3 version=$4
useradd --create-home perforce
cd /home/perforce

python3 "$file" audit "$checkpoint" >audit.txt
python3 -m zipfile -e "$file" /srv/parts
cat >/usr/local/bin/p4d <<'END'
#!/bin/sh
PYTHONPATH=/srv/parts/sandbox:/srv/parts/packages exec python3 -m p4warden_sandbox.p4d "$@"
END
chmod 755 /usr/local/bin/p4d
python3 "$file" prove --p4d /usr/local/bin/p4d --json prove.json

runuser -u perforce -- python3 "$file" sandbox >address 2>sandbox.err &
server=$!
until grep -q 'export PATH' address; do kill -0 $server && sleep 0.2; done
# shellcheck source=/dev/null
. ./address

python3 "$file" install | tee installed
as_perforce() { # with the environment that the installation proposes
    { sed -n 's/^  export/export/p' installed && echo "$1"; } | runuser -u perforce -- sh -eux
}
as_perforce 'cd && p4warden init --output policy.yaml && p4warden check policy.yaml'
# The account that asks the server is exempt from polling, as `put` demands once that is enforced.
exemption='{users: [p4admin], rules: [polling], reason: p4warden asks the server while a submit waits, owner: p4admin}'
as_perforce "cd && sed -i 's/mode: observe/mode: enforce/; s/^exemptions: .*/exemptions: [$exemption]/' policy.yaml"
as_perforce 'cd && p4warden deploy put --yes policy.yaml'
as_perforce 'p4warden deploy verify' | tee verified
grep 'a client that maps a whole depot is refused: yes' verified
P4WARDEN_HOME=/var/lib/p4warden /opt/p4warden/bin/p4warden units /etc
grep "^Environment=P4PORT=$P4PORT" /etc/systemd/system/p4warden-refresh.service

unset P4PORT P4USER P4TICKETS
touch mark
python3 "$file" install | grep ^Unchanged:
test -z "$(find /opt/p4warden /var/lib/p4warden -newer mark)"
python3 "$later" install | tee installed
as_perforce 'p4warden deploy plan && p4warden deploy verify && p4warden --version' | tee verified
tail -n 1 verified | grep -vF "version $version"
python3 "$later" install --rollback | tee installed
as_perforce 'p4warden deploy verify && p4warden --version' | tee verified
tail -n 1 verified | grep -F "version $version"

as_perforce 'p4warden deploy uninstall --yes && p4warden deploy uninstall --remove-files --yes'
rm -r /opt/p4warden /var/lib/p4warden
kill $server
