#!/bin/sh
# Install p4warden on a Perforce server's host, or upgrade it, beside the version that runs.
#
#   deploy/install.sh [--prefix DIR] [--home DIR] [--owner USER] [--wheels DIR] [--version VERSION]
#                     [--python PROGRAM] [--dry-run]
#   deploy/install.sh --rollback [--prefix DIR] [--home DIR] [--owner USER] [--dry-run]
#
#   --prefix   where the programs go; /opt/p4warden unless said otherwise
#   --home     the folder of the policy, the facts and the log; /var/lib/p4warden
#   --owner    p4d's account, which owns both: perforce for root, else whoever runs this
#   --wheels   a folder of wheels (make wheels), and nothing is asked of the network; else pip's index
#   --version  which version, where there are several
#   --python   the Python to build on; python3
#   --dry-run  check and tell, and change nothing
#   --rollback go back to the version that ran before
#
# PREFIX/versions/VERSION-N holds a version whole, PREFIX/current leads to the one that runs, PREFIX/bin is for PATH. Trigger lines name
# PREFIX/current/bin/p4warden-gate, and one rename of that link is the upgrade. Whatever fails before it leaves the
# version that ran running, and nothing outside the two folders is touched. Root makes the two folders and does all
# else as the owner.
set -eu
umask 022

die() {
    printf 'install.sh: %s\n' "$*" >&2
    exit 1
}

usage() {
    printf 'install.sh: %s; --help says how it is used\n' "$*" >&2
    exit 2
}

# The first lines of this file.
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
            [ $# -ge 2 ] || usage "$1 wants a value"
            set_option "$1" "$2"
            shift
            ;;
        --*=*) set_option "${1%%=*}" "${1#*=}" ;;
        *) usage "$1 is no option" ;;
        esac
        shift
    done
}

set_option() {
    [ -n "$2" ] || usage "$1 wants a value"
    case $1 in
    --prefix) prefix=$(absolute "$2") ;;
    --home) home=$(absolute "$2") ;;
    --owner) owner=$2 ;;
    --wheels) wheels=$(absolute "$2") ;;
    --version)
        version=$2
        case $version in *[!0-9A-Za-z.+_]*) usage "$version is no version" ;; esac
        ;;
    --python) python=$2 ;;
    *) usage "$1 is no option" ;;
    esac
}

# A trigger line has to carry these paths, and p4d splits it at blanks.
absolute() {
    case $1 in
    *[!A-Za-z0-9/._+@-]*) usage "$1: a path may hold letters, digits and . _ + @ - only" ;;
    /) usage "/ is no folder of ours" ;;
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
    [ "$me" = 0 ] || [ "$me" = "$uid" ] || die "this is not $owner's account; run it as $owner, or as root"
}

# Whoever can write to a folder on the way to a place can put programs of their own there. A folder as /tmp, where
# only the owner of a file can move it, is safe as long as what is in it is.
check_way() ( # a subshell, for a link's target is a way of its own
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
    [ -d "$1" ] || die "$1 is no folder"
    seen=$(stat -L -c '%u %a' -- "$1")
    theirs=${seen%% *} mode=0${seen##* }
    [ "$theirs" = 0 ] || [ "$theirs" = "$uid" ] ||
        die "$1 is owned by account $theirs, neither $owner nor root; whoever owns it could replace p4warden"
    [ $((mode & 022)) = 0 ] || { [ "$1" != "$2" ] && [ $((mode & 01000)) != 0 ]; } ||
        die "others have write access to $1; run chmod go-w $1, or choose another place"
}

check_places() {
    for place in "$prefix" "$home"; do
        check_way "$place"
    done
    # `make wheels` fills dist/wheels; dist itself has p4warden without the wheels that it needs.
    [ -z "$wheels" ] || [ ! -d "$wheels/wheels" ] || wheels=$wheels/wheels
    [ -z "$wheels" ] || [ -d "$wheels" ] || die "$wheels is no folder"
    [ -z "$wheels" ] || check_way "$wheels"
    [ ! -e "$prefix" ] || [ -e "$prefix/install.lock" ] || [ -z "$(ls -A -- "$prefix")" ] ||
        die "$prefix holds something else; choose an empty folder"
}

# What root makes is given to the owner; a link in its place is not followed.
make_places() {
    for place in "$prefix 755" "$home 700"; do
        folder=${place% *}
        [ -d "$folder" ] || { mkdir -p -- "$(dirname -- "$folder")" && mkdir -m "${place##* }" -- "$folder"; } ||
            die "$folder cannot be made; root can make it: install -d -o $owner $folder"
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
        die "$python is no Python 3.10 or later; name one with --python"
}

lock() {
    exec 9>"$prefix/install.lock"
    flock -n 9 || die "another install.sh works on $prefix; wait for it"
}

# What an install that was killed has left. A version without `complete` was never switched to.
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

# Wheels only: nothing of a package runs before it is installed.
fetch() {
    wheels=$prefix/download/wheels
    "$python" -I -m venv "$prefix/download/pip" || die "$python cannot make a virtual environment"
    "$prefix/download/pip/bin/python3" -I -m pip download --quiet --disable-pip-version-check --no-cache-dir \
        --only-binary :all: --dest "$wheels" "p4warden${version:+==$version}" ||
        die "pip could not fetch p4warden; --wheels installs from a folder"
}

find_version() {
    found=''
    for wheel in "$wheels/p4warden-${version:+$version-}"*.whl; do
        [ -e "$wheel" ] || die "$wheels holds no wheel of p4warden${version:+ $version}"
        name=${wheel##*/p4warden-}
        [ "${found:-${name%%-*}}" = "${name%%-*}" ] ||
            die "$wheels holds several versions of p4warden; say which with --version"
        found=${name%%-*}
    done
    case $found in *[!0-9A-Za-z.+_]*) die "$found is no version of p4warden" ;; esac
    version=$found
}

# The N of a name VERSION-N, 0 where there is none.
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
    "$python" -I -m venv "$fresh" || die "$python cannot make a virtual environment"
    "$fresh/bin/python3" -I -m pip --isolated install --quiet --disable-pip-version-check --no-cache-dir \
        --no-index --only-binary :all: --find-links "$wheels" "p4warden==$version" ||
        die "pip could not install p4warden $version; the version that ran before still runs"
    package=$("$fresh/bin/python3" -I -c 'import p4warden; print(p4warden.__path__[0])')
    # The gate finds the worker by a path that is the same in every version, whatever its Python.
    ln -s -- "${package#"$fresh/lib/"}" "$fresh/lib/p4warden"
    write_help || echo "No man pages and no completion were made; p4warden --help has the same."
}

# Man pages and completion for shells come from the help of the version itself.
write_help() {
    "$fresh/bin/p4warden" manual "$fresh/share/man/man1" >/dev/null &&
        complete_in bash "$fresh/share/bash-completion/completions/p4warden" &&
        complete_in zsh "$fresh/share/zsh/site-functions/_p4warden" &&
        complete_in fish "$fresh/share/fish/vendor_completions.d/p4warden.fish"
}

complete_in() {
    mkdir -p -- "$(dirname -- "$2")" && _P4WARDEN_COMPLETE=$1_source "$fresh/bin/p4warden" >"$2" 2>/dev/null
}

# The gate and the worker behind it refuse a client of a whole depot, in a folder of their own.
self_test='
import sys
from p4warden.health.programs import self_test
found = self_test()
sys.exit(None if found.state == "good" else found.said)
'

check_version() {
    [ -e "$1/bin/p4warden-gate" ] || die "$1 has no p4warden-gate; build the wheel where cargo is"
    said=$("$1/bin/p4warden-gate" --version) || said=''
    case $said in "p4warden-gate "*) ;; *) die "$1/bin/p4warden-gate does not start here" ;; esac
    python_said=$("$1/bin/p4warden" --version) || die "$1/bin/p4warden does not start here"
    [ "${said##* }" = "${python_said##* }" ] ||
        die "the gate of $1 is of version ${said##* } and p4warden itself of ${python_said##* }; build the wheel anew"
    "$1/bin/python3" -I -c "$self_test" || die "$1 does not judge as it should; the version that ran before still runs"
    # It must be able to read what runs; what its gate reads is made before it is needed.
    [ ! -e "$home/policy.json" ] || "$1/bin/p4warden" activate --home "$home" >/dev/null ||
        die "$1 cannot run the policy of $home; the version that ran before still runs"
}

# A link is made aside and renamed, so that there is an old or a new one at every moment.
lead() {
    { ln -sfn -- "$2" "$prefix/$1.new" && mv -T -- "$prefix/$1.new" "$prefix/$1"; } ||
        die "the link $prefix/$1 cannot be written; the version that ran before still runs"
}

switch_to() {
    before=$(readlink -- "$prefix/current") || before=''
    sync -f "$prefix/$1"
    [ -z "$before" ] || lead previous "$before"
    lead current "$1"
    link_programs
    echo "$prefix/current is $1 now.${before:+ $before, which ran before, is kept: --rollback goes back to it.}"
}

# For PATH: p4warden's own programs, without the python3 and the pip beside them. Shells look for man pages and
# completions in ../share.
link_programs() {
    mkdir -p -- "$prefix/bin"
    for program in "$prefix/current/bin/p4warden"*; do
        ln -sfn -- "../current/bin/${program##*/}" "$prefix/bin/${program##*/}"
    done
    ln -sfn -- current/share "$prefix/share"
}

# Kept are the three newest, and what the links lead to.
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
        echo "Next: $prefix/bin/p4warden deploy plan --home $home, for trigger lines may differ."
    elif [ -z "$before" ]; then
        echo "Next: export PATH=$prefix/bin:\$PATH, p4warden init --output policy.yaml, and p4warden check policy.yaml."
    fi
}

roll_back() {
    target=$(readlink -- "$prefix/previous") || die "$prefix has no version to go back to"
    [ -e "$prefix/$target/complete" ] || die "$prefix/$target is gone; install that version again"
    [ "$target" != "$(readlink -- "$prefix/current")" ] || die "$target runs already"
    if [ -n "$dry" ]; then
        echo "Would go back to $prefix/$target."
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
