#!/bin/sh
# Install p4warden on a Perforce server's host, or upgrade it, beside the version in use.
#
#   deploy/install.sh [--prefix DIR] [--home DIR] [--owner USER] [--wheels DIR] [--version VERSION]
#                     [--python PROGRAM] [--dry-run]
#   deploy/install.sh --rollback [--prefix DIR] [--home DIR] [--owner USER] [--dry-run]
#
#   --prefix   folder of the programs; default /opt/p4warden
#   --home     folder of the policy, the facts and the log; default /var/lib/p4warden
#   --owner    p4d's account, which will own both folders; default perforce for root, otherwise the current account
#   --wheels   folder of wheels (make wheels), for an installation without network; default: pip's package index
#   --version  version to install if several are available
#   --python   Python to use; default python3
#   --dry-run  check and report, change nothing
#   --rollback return to the version used before
#
# PREFIX/versions/VERSION-N contains one complete version, PREFIX/current links to the version in use, PREFIX/bin is for
# PATH. Trigger lines name PREFIX/current/bin/p4warden-gate, so replacing that link is the upgrade. If any earlier step
# fails, the previous version stays in use. Except for missing parent folders, nothing outside PREFIX and HOME is
# changed. Root creates the two folders and performs all other steps as the owner.
set -eu
umask 022

die() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

usage() {
    printf 'install.sh: %s; see --help\n' "$*" >&2
    exit 2
}

# Print the usage text at the start of this file.
help() {
    sed -n '2,/^set/ { /^set/d; s/^# \{0,1\}//; p; }' "$0"
    exit
}

read_options() {
    prefix=/opt/p4warden home=/var/lib/p4warden owner='' wheels='' version='' python=python3 dry='' back=''
    while [ $# -gt 0 ]; do
        case $1 in
        --dry-run) dry=yes ;;
        --rollback) back=yes ;;
        -h | --help) help ;;
        --prefix | --home | --owner | --wheels | --version | --python)
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
    --wheels) wheels=$(absolute "$2") ;;
    --version)
        version=$2
        case $version in *[!0-9A-Za-z.+_]*) usage "$version is not a version" ;; esac
        ;;
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
    if [ -z "$owner" ]; then
        owner=$(id -un)
        [ "$me" != 0 ] || owner=perforce
    fi
    uid=$(id -u -- "$owner" 2>/dev/null) || die "there is no account $owner; name p4d's account with --owner"
    [ "$me" = 0 ] || [ "$me" = "$uid" ] || die "not running as $owner; run install.sh as $owner or as root"
}

# Fail unless a path, its parent folders and the targets of links among them belong to $owner or root, and others
# have no write access: they could put other programs there. A parent such as /tmp, where only a file's owner can move
# the file, is permitted.
check_way() ( # a subshell, because a link's target is checked by a recursive call
    at=$1
    while :; do
        if [ -L "$at" ]; then
            target=$(readlink -- "$at")
            case $target in /*) ;; *) target=$(dirname -- "$at")/$target ;; esac
            check_way "$target"
        fi
        [ ! -e "$at" ] || check_folder "$at" "$1"
        [ "$at" != / ] || return 0
        at=$(dirname -- "$at")
    done
)

check_folder() {
    [ -d "$1" ] || die "$1 is not a folder"
    seen=$(stat -L -c '%u %a' -- "$1")
    theirs=${seen%% *} mode=0${seen##* }
    [ "$theirs" = 0 ] || [ "$theirs" = "$uid" ] ||
        die "$1 is owned by account $theirs, neither $owner nor root; this account could replace p4warden"
    [ $((mode & 022)) = 0 ] || { [ "$1" != "$2" ] && [ $((mode & 01000)) != 0 ]; } ||
        die "others have write access to $1; run chmod go-w $1, or choose another place"
}

check_places() {
    for place in "$prefix" "$home"; do
        check_way "$place"
    done
    # If the folder given by --wheels contains a folder named wheels, take that one: `make wheels` writes p4warden and
    # its dependencies to dist/wheels; dist has p4warden alone.
    [ -z "$wheels" ] || [ ! -d "$wheels/wheels" ] || wheels=$wheels/wheels
    [ -z "$wheels" ] || [ -d "$wheels" ] || die "$wheels is not a folder"
    [ -z "$wheels" ] || check_way "$wheels"
    [ ! -e "$prefix" ] || [ -e "$prefix/install.lock" ] || [ -z "$(ls -A -- "$prefix")" ] ||
        die "$prefix contains other files; choose an empty folder"
}

# Create the folders PREFIX and HOME if they do not exist. Give an empty one that root owns to the owner; a link in
# place of a folder is not followed.
make_places() {
    for place in "$prefix 755" "$home 700"; do
        folder=${place% *}
        [ -d "$folder" ] || { mkdir -p -- "$(dirname -- "$folder")" && mkdir -m "${place##* }" -- "$folder"; } ||
            die "$folder cannot be created; create it as root: install -d -o $owner $folder"
        if [ "$(stat -c %u -- "$folder")" = 0 ] && [ -z "$(ls -A -- "$folder")" ]; then
            chown -h -- "$owner:" "$folder"
        fi
    done
}

check_owner() {
    for place in "$prefix" "$home"; do
        [ -d "$place" ] || continue
        [ "$(stat -L -c %u -- "$place")" = "$uid" ] ||
            die "$place does not belong to $owner; run chown -R $owner $place, or name its owner with --owner"
    done
}

check_python() {
    "$python" -I -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
        die "$python is not Python 3.10 or later; name another with --python"
}

lock() {
    exec 9>"$prefix/install.lock"
    flock -n 9 || die "another install.sh is changing $prefix; wait until it has finished"
}

# Remove the remains of an interrupted installation. A version without `complete` was never in use.
clear_leftovers() {
    rm -rf -- "$prefix/download"
    for folder in "$prefix"/versions/*; do
        [ ! -d "$folder" ] || [ -e "$folder/complete" ] || rm -rf -- "$folder"
    done
}

discard() {
    rm -rf -- "$prefix/download"
    [ -z "${fresh:-}" ] || [ -e "$fresh/complete" ] || rm -rf -- "$fresh"
}

# Download wheels only, so that no code of a package runs before its installation.
fetch() {
    wheels=$prefix/download/wheels
    "$python" -I -m venv "$prefix/download/pip" || die "$python cannot create a virtual environment"
    "$prefix/download/pip/bin/python3" -I -m pip download --quiet --disable-pip-version-check --no-cache-dir \
        --only-binary :all: --dest "$wheels" "p4warden${version:+==$version}" ||
        die "pip could not download p4warden; use --wheels to install from a folder"
}

find_version() {
    found=''
    for wheel in "$wheels/p4warden-${version:+$version-}"*.whl; do
        [ -e "$wheel" ] || die "$wheels contains no wheel of p4warden${version:+ $version}"
        name=${wheel##*/p4warden-}
        [ "${found:-${name%%-*}}" = "${name%%-*}" ] ||
            die "$wheels contains several versions of p4warden; choose one with --version"
        found=${name%%-*}
    done
    case $found in *[!0-9A-Za-z.+_]*) die "$found is not a version of p4warden" ;; esac
    version=$found
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

build() {
    fresh=$prefix/versions/$version-$(($(newest) + 1))
    "$python" -I -m venv "$fresh" || die "$python cannot create a virtual environment"
    "$fresh/bin/python3" -I -m pip --isolated install --quiet --disable-pip-version-check --no-cache-dir \
        --no-index --only-binary :all: --find-links "$wheels" "p4warden==$version" ||
        die "pip could not install p4warden $version; the previous version stays in use"
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
    [ -e "$1/bin/p4warden-gate" ] || die "$1 contains no p4warden-gate; build the wheel on a machine with cargo"
    said=$("$1/bin/p4warden-gate" --version) || said=''
    case $said in "p4warden-gate "*) ;; *) die "$1/bin/p4warden-gate does not start on this host" ;; esac
    python_said=$("$1/bin/p4warden" --version) || die "$1/bin/p4warden does not start on this host"
    [ "${said##* }" = "${python_said##* }" ] ||
        die "the gate in $1 has version ${said##* }, p4warden itself ${python_said##* }; rebuild the wheel"
    "$1/bin/python3" -I -c "$self_test" || die "the self-test of $1 failed; the previous version stays in use"
    # Check that the version can read the active policy, and create the files of its gate in advance.
    [ ! -e "$home/policy.json" ] || "$1/bin/p4warden" activate --home "$home" >/dev/null ||
        die "$1 cannot read the policy in $home; the previous version stays in use"
}

# Create a link under another name and rename it, so that at every moment the old or the new link
# exists.
lead() {
    { ln -sfn -- "$2" "$prefix/$1.new" && mv -T -- "$prefix/$1.new" "$prefix/$1"; } ||
        die "the link $prefix/$1 cannot be replaced; the previous version stays in use"
}

switch_to() {
    before=$(readlink -- "$prefix/current") || before=''
    sync -f "$prefix/$1"
    [ -z "$before" ] || lead previous "$before"
    lead current "$1"
    link_programs
    echo "$prefix/current is now $1.${before:+ The previous version, $before, is kept; return to it with --rollback.}"
}

# Link the programs into the folder for PATH: p4warden's own, not the python3 and pip beside them.
link_programs() {
    mkdir -p -- "$prefix/bin"
    for program in "$prefix/current/bin/p4warden"*; do
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
    check_python
    [ -z "$wheels" ] || find_version
    if [ -n "$dry" ]; then
        echo "Would install p4warden ${version:-(the newest in the index)} into $prefix/versions, for $owner, with $home."
        return
    fi
    lock
    clear_leftovers
    trap discard EXIT
    trap 'exit 1' HUP INT TERM
    [ -n "$wheels" ] || {
        fetch
        find_version
    }
    mkdir -p -- "$prefix/versions"
    build
    check_version "$fresh"
    : >"$fresh/complete"
    switch_to "versions/${fresh##*/}"
    prune
    next_steps
}

next_steps() {
    if [ -e "$home/policy.json" ]; then
        echo "Next: run $prefix/bin/p4warden deploy plan --home $home, because trigger lines may have changed."
    elif [ -z "$before" ]; then
        echo "Next: run export PATH=$prefix/bin:\$PATH, p4warden init --output policy.yaml, and p4warden check policy.yaml."
    fi
}

roll_back() {
    target=$(readlink -- "$prefix/previous") || die "$prefix contains no previous version"
    [ -e "$prefix/$target/complete" ] || die "$prefix/$target is gone; install that version again"
    [ "$target" != "$(readlink -- "$prefix/current")" ] || die "$target is already in use"
    if [ -n "$dry" ]; then
        echo "Would return to $prefix/$target."
        return
    fi
    lock
    check_version "$prefix/$target"
    switch_to "$target"
}

as_owner() {
    exec 8<"$0"
    cd /
    exec runuser -u "$owner" -- sh -s -- "--prefix=$prefix" "--home=$home" "--owner=$owner" "--python=$python" \
        ${wheels:+"--wheels=$wheels"} ${version:+"--version=$version"} ${back:+--rollback} <&8
}

main() {
    read_options "$@"
    choose_owner
    check_places
    [ -n "$dry" ] || make_places
    [ -n "$dry" ] || [ "$me" = "$uid" ] || as_owner
    check_owner
    if [ -n "$back" ]; then roll_back; else install; fi
}

main "$@" </dev/null
