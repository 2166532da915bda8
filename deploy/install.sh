#!/bin/sh
# Install p4warden on a Perforce server's host, or upgrade it, beside the version in use.
#
#   python3 p4warden-VERSION.pyz install [--prefix DIR] [--home DIR] [--owner USER] [--python PROGRAM] [--dry-run]
#   python3 p4warden-VERSION.pyz install --rollback [--prefix DIR] [--dry-run]
#
#   --prefix   folder of the programs; default /opt/p4warden
#   --home     folder of the policy, the facts and the log; default /var/lib/p4warden
#   --owner    p4d's account, which will own both folders; default perforce for root, otherwise the current account
#   --python   Python to use; default the one that runs this
#   --dry-run  check and report, change nothing
#   --rollback return to the version used before
#
# An upgrade and a rollback take home and owner from PREFIX. PREFIX/versions/VERSION-N contains one complete version,
# PREFIX/current links to the version in use, PREFIX/home to the home, PREFIX/bin is for PATH. Trigger lines name
# PREFIX/current/bin/p4warden-gate, so replacing that link is the upgrade. If any earlier step fails, the previous
# version stays in use. Except for missing parent folders, nothing outside PREFIX and HOME is changed. Root creates the
# two folders and performs all other steps as the owner.
set -eu
umask 022
PATH=$PATH:/usr/sbin:/sbin       # of runuser
export PYTHONDONTWRITEBYTECODE=1 # a second installation writes nothing

die() {
    printf 'p4warden install: %s\n' "$*" >&2
    exit 1
}

usage() {
    printf 'p4warden install: %s; see --help\n' "$*" >&2
    exit 2
}

# Print the usage text at the start of this file.
help() {
    sed -n '2,/^set/ { /^set/d; s/^# \{0,1\}//; p; }' "$0"
    exit
}

read_options() {
    prefix=/opt/p4warden home='' owner='' file='' python=python3 dry='' back=''
    while [ $# -gt 0 ]; do
        case $1 in
        --dry-run) dry=yes ;;
        --rollback) back=yes ;;
        -h | --help) help ;;
        --prefix | --home | --owner | --file | --python)
            [ $# -ge 2 ] || usage "$1 needs a value"
            set_option "$1" "$2"
            shift
            ;;
        --*=*) set_option "${1%%=*}" "${1#*=}" ;;
        *) usage "unknown option $1" ;;
        esac
        shift
    done
}

set_option() {
    [ -n "$2" ] || usage "$1 needs a value"
    case $1 in
    --prefix) prefix=$(absolute "$2") ;;
    --home) home=$(absolute "$2") ;;
    --owner) owner=$2 ;;
    --file) file=$2 ;;
    --python) python=$2 ;;
    *) usage "unknown option $1" ;;
    esac
}

# Print a path as an absolute path. Blanks and special characters are refused, because trigger lines contain the path
# and p4d splits them at blanks.
absolute() {
    case $1 in
    *[!A-Za-z0-9/._+@-]*) usage "$1: a path may contain only letters, digits and . _ + @ -" ;;
    /) usage "/ is not a usable folder" ;;
    /*) printf '%s\n' "${1%/}" ;;
    *) printf '%s/%s\n' "$(pwd)" "${1%/}" ;;
    esac
}

choose_owner() {
    me=$(id -u)
    [ -n "$owner" ] || [ ! -L "$prefix/home" ] || owner=$(stat -L -c %U -- "$prefix")
    if [ -z "$owner" ]; then
        owner=$(id -un)
        [ "$me" != 0 ] || owner=perforce
    fi
    uid=$(id -u -- "$owner" 2>/dev/null) || die "there is no account $owner; name p4d's account with --owner"
    [ "$me" = 0 ] || [ "$me" = "$uid" ] || die "not running as $owner; run this as $owner or as root"
}

# Take the home of the last installation.
choose_home() {
    known=$(readlink -- "$prefix/home") || known=''
    [ "${home:-$known}" = "${known:-$home}" ] || [ ! -L "$prefix/current" ] ||
        die "$prefix belongs to the home $known, which its trigger lines name; choose another --prefix for $home"
    [ -n "$home" ] || [ -z "$known" ] || [ -d "$known" ] || die "$known is gone; add --home $known to make it again"
    home=${home:-${known:-/var/lib/p4warden}}
}

as_owner() {
    if [ "$me" = "$uid" ]; then "$@"; else (cd / && exec runuser -u "$owner" -- "$@"); fi
}

# Fail unless a path, its parent folders and the targets of links among them belong to $owner or root, and others
# have no write access: they could put other programs there. A parent such as /tmp, where only a file's owner can move
# the file, is permitted. The second argument is the remedy for a file, which `mend` cannot give.
check_way() ( # a subshell, because a link's target is checked by a recursive call
    at=$1
    while :; do
        if [ -L "$at" ]; then
            target=$(readlink -- "$at")
            case $target in /*) ;; *) target=$(dirname -- "$at")/$target ;; esac
            check_way "$target" "${2:-}"
        fi
        [ ! -e "$at" ] || check_part "$at" "$1" "${2:-}"
        [ "$at" != / ] || return 0
        at=$(dirname -- "$at")
    done
)

check_part() {
    [ -d "$1" ] || [ -n "$3" ] || die "$1 is not a folder"
    seen=$(stat -L -c '%u %a' -- "$1")
    theirs=${seen%% *} mode=0${seen##* }
    [ "$theirs" = 0 ] || [ "$theirs" = "$uid" ] ||
        die "$1 belongs to account $theirs, which could replace p4warden; ${3:-run chown -R $owner $1, or choose another place}"
    [ $((mode & 022)) = 0 ] || { [ "$1" != "$2" ] && [ $((mode & 01000)) != 0 ]; } ||
        die "others have write access to $1; ${3:-run chmod go-w $1, or choose another place}"
}

check_places() {
    for place in "$prefix" "$home" "$prefix/versions"; do
        check_way "$place"
        [ ! -d "$place" ] || check_owner "$place"
    done
    [ ! -e "$prefix" ] || [ -e "$prefix/install.lock" ] || [ -z "$(ls -A -- "$prefix")" ] ||
        die "$prefix contains other files; choose an empty folder"
}

# An empty folder of root is given to the owner later, but none that only the link PREFIX/home names, as that account
# writes the link.
check_owner() {
    theirs=$(stat -L -c %u -- "$1")
    [ "$theirs" = "$uid" ] || { [ "$me" = 0 ] && [ "$1" != "$known" ] && [ -z "$(ls -A -- "$1")" ]; } ||
        die "$1 does not belong to $owner; run chown -R $owner $1, or name its owner with --owner"
}

# Fail unless the owner can read (-r) or start (-x) a file that nobody else can replace.
check_source() {
    check_way "$2" "$3"
    as_owner test "$1" "$2" || die "$owner has no access to $2, or to a folder above it; $3"
}

check_file() {
    [ -n "$file" ] || usage "the file is missing: run python3 p4warden-VERSION.pyz install"
    check_source -r "$file" "run install -m 644 $file /var/tmp/ and use that copy"
    version=$(as_owner "$python" -I -c "$version_in" "$file") || die "$file is damaged; download it again"
    digest=$(sha256sum <"$file")
}

# Python program: print the version of p4warden in the one file.
version_in='
import re, sys, zipfile
text = zipfile.ZipFile(sys.argv[1]).read("packages/p4warden/__init__.py").decode()
print(re.search(r"__version__ = \"([0-9A-Za-z.+]+)\"", text)[1])
'

check_python() {
    another="name another with --python, such as --python /usr/bin/python3"
    found=$(command -v -- "$python") || die "there is no program $python; $another"
    python=$found
    check_source -x "$(readlink -f -- "$python")" "$another"
    minor=$(as_owner "$python" -I -c 'import sys; print("%d.%d" % sys.version_info[:2]); sys.exit(sys.version_info < (3, 10))') ||
        die "$python is not Python 3.10 or later; $another"
}

# Create missing folders, and give empty ones of root to the owner; a link in place of a folder is not followed.
make_places() {
    made=''
    for place in "$prefix 755" "$home 700"; do
        make_folder "${place% *}" "${place##* }" ||
            die "${place% *} cannot be created; create it as root: install -d -o $owner ${place% *}"
        [ "$(stat -c %u -- "${place% *}")" != 0 ] || [ "$uid" = 0 ] || chown -h -- "$owner:" "${place% *}"
    done
}

make_folder() {
    [ ! -d "$1" ] || return 0
    make_folder "$(dirname -- "$1")" 755 && mkdir -m "$2" -- "$1" 2>/dev/null && made="$1 $made"
}

# Remove what a failed first installation made.
unmake() {
    case " $made " in *" $prefix "*) [ -L "$prefix/current" ] || rm -rf -- "$prefix/install.lock" "$prefix/versions" ;; esac
    for folder in $made; do
        rmdir -- "$folder" 2>/dev/null || :
    done
}

lock() {
    exec 9>>"$prefix/install.lock"
    flock -n 9 || die "another installation is changing $prefix; wait until it has finished"
}

# Remove the remains of an interrupted installation. A version without `complete` was never in use.
clear_leftovers() {
    for folder in "$prefix"/versions/*; do
        [ ! -d "$folder" ] || [ -e "$folder/complete" ] || rm -rf -- "$folder"
    done
}

discard() {
    [ -z "${fresh:-}" ] || [ -e "$fresh/complete" ] || rm -rf -- "$fresh"
}

# Print the N of a folder name VERSION-N, the number of the installation; 0 for a name of another form.
number_of() {
    case ${1##*-} in
    *[!0-9]* | '') echo 0 ;;
    *) echo "${1##*-}" ;;
    esac
}

newest() {
    last=0
    for folder in "$prefix"/versions/*-*; do
        number=$(number_of "$folder")
        [ "$number" -le "$last" ] || last=$number
    done
    echo "$last"
}

unpack() {
    fresh=$prefix/versions/$version-$(($(newest) + 1))
    "$python" -I "$file" unpack "$fresh" ||
        die "p4warden $version could not be unpacked; the version in use stays"
}

# Python program: fail unless the gate refuses a client of a whole depot, in a temporary home folder, and the program
# that asks the server for it can be imported.
self_test='
import sys
import p4warden.server.answers
from p4warden.health.programs import self_test
found = self_test()
sys.exit(None if found.state == "good" else found.message)
'

check_version() {
    said=$("$1/bin/p4warden-gate" --version) || said=''
    case $said in "p4warden-gate "*) ;; *) die "$1/bin/p4warden-gate does not start on this host" ;; esac
    python_said=$("$1/bin/p4warden" --version) || die "$1/bin/p4warden does not start on this host"
    [ "${said##* }" = "${python_said##* }" ] || die "the gate in $1 has version ${said##* }, p4warden itself ${python_said##* }"
    "$1/bin/python3" -I -c "$self_test" || die "the self-test of $1 failed; the version in use stays"
}

# Check that a version can read the active policy, and create the files of its gate in advance.
check_policy() {
    [ ! -e "$home/policy.json" ] || "$1/bin/p4warden" activate --home "$home" >/dev/null ||
        die "$1 cannot read the policy in $home; the version in use stays"
}

# Create a link under another name and rename it, so that at every moment the old or the new link
# exists.
lead() {
    { ln -sfn -- "$2" "$prefix/$1.new" && mv -T -- "$prefix/$1.new" "$prefix/$1"; } ||
        die "the link $prefix/$1 cannot be replaced; the version in use stays"
}

switch_to() {
    before=$(readlink -- "$prefix/current") || before=''
    sync -f "$prefix/$1"
    [ -z "$before" ] || lead previous "$before"
    lead home "$home"
    link_programs "$1"
    lead current "$1"
    echo "$prefix/current is now $1.${before:+ The previous version, $before, is kept; return to it with --rollback.}"
    next_steps
}

# Link the programs into the folder for PATH: p4warden's own, not the python3 and pip beside them.
link_programs() {
    mkdir -p -- "$prefix/bin"
    for program in "$prefix/$1/bin/p4warden"*; do
        ln -sfn -- "../current/bin/${program##*/}" "$prefix/bin/${program##*/}"
    done
    ln -sfn -- current/share "$prefix/share"
}

# Remove old versions, except the three newest and those that the links point to.
prune() {
    oldest=$(($(newest) - 2))
    for folder in "$prefix"/versions/*-*; do
        name=versions/${folder##*/}
        [ -e "$folder/complete" ] && [ "$(number_of "$name")" -lt "$oldest" ] || continue
        [ "$name" != "$(readlink -- "$prefix/current")" ] || continue
        [ "$name" != "$(readlink -- "$prefix/previous")" ] || continue
        rm -rf -- "$folder"
    done
}

install() {
    origin="${digest%% *} $minor $(readlink -f -- "$python")"
    if is_unchanged; then
        echo "Unchanged: $prefix/current is this version, $(readlink -- "$prefix/current"), for Python $minor."
        return
    fi
    clear_leftovers
    mkdir -p -- "$prefix/versions"
    unpack
    check_version "$fresh"
    check_policy "$fresh"
    echo "$origin" >"$fresh/complete"
    switch_to "versions/${fresh##*/}"
    prune
}

# Tell whether the version in use comes from this file, for this Python, and works.
is_unchanged() {
    [ "$(cat -- "$prefix/current/complete" 2>/dev/null)" = "$origin" ] && (check_version "$prefix/current") 2>/dev/null
}

# Print commands that can be pasted into a shell of the owner.
next_steps() {
    settings=$("$prefix/current/bin/python3" -I -c "$address" "$home")
    case $settings in *P4PORT=*) echo "Next, as $owner:" ;; *) echo "Next, as $owner, with the server's P4PORT and P4USER:" ;; esac
    echo "  export PATH=$prefix/bin:\$PATH P4WARDEN_HOME=$home${settings:+ $settings}"
    if [ -e "$home/policy.json" ]; then
        echo "  p4warden deploy plan    # trigger lines may have changed"
    else
        echo "  p4warden init --output policy.yaml && p4warden check policy.yaml"
    fi
}

# Python program: print how a shell reaches the server: as this one, or else as the last `p4warden refresh`.
address='
import os, shlex, sys
from p4warden.home import server_account
known = {} if "P4PORT" in os.environ else server_account.settings(sys.argv[1])
known |= {name: os.environ[name] for name in ("P4PORT", "P4USER", "P4TICKETS") if name in os.environ}
print(*(f"{name}={shlex.quote(value)}" for name, value in known.items()))
'

roll_back() {
    check_version "$prefix/$earlier"
    check_policy "$prefix/$earlier"
    switch_to "$earlier"
}

check_previous() {
    earlier=$(readlink -- "$prefix/previous") || die "$prefix contains no previous version"
    [ -e "$prefix/$earlier/complete" ] || die "$prefix/$earlier is gone; install that version again"
    [ "$earlier" != "$(readlink -- "$prefix/current")" ] || die "$earlier is already in use"
    as_owner "$prefix/$earlier/bin/python3" -I -c 'import p4warden' 2>/dev/null ||
        die "$prefix/$earlier is for another Python than this host has now; install that version again from its file"
}

report() {
    if [ -n "$back" ]; then
        echo "Would return to $prefix/$earlier."
    else
        echo "Would install p4warden $version into $prefix/versions, for $owner, with $home and Python $minor."
    fi
}

# Root runs this same text again as the owner.
change() {
    if [ "$me" != "$uid" ]; then
        as_owner sh -s -- "--prefix=$prefix" "--home=$home" "--owner=$owner" "--python=$python" \
            ${file:+"--file=$file"} ${back:+--rollback} <"$0"
        return
    fi
    lock
    if [ -n "$back" ]; then roll_back; else install; fi
}

main() {
    read_options "$@"
    choose_owner
    choose_home
    check_places
    if [ -n "$back" ]; then
        check_previous
    else
        check_python
        check_file
    fi
    if [ -n "$dry" ]; then
        report
        return
    fi
    trap 'discard; [ -n "${finished:-}" ] || unmake' EXIT
    trap 'exit 1' HUP INT TERM
    make_places
    change
    finished=yes
}

main "$@" </dev/null
