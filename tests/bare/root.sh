# A minimal Debian in a folder, and commands in it: functions for `.`, in a bash with errexit.
#
# The mirror is the one of this machine's own apt sources. With BARE_CACHE=FOLDER the fresh root is kept
# there as a tarball and used again.

die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

mirror_of_this_machine() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
        awk '/\/debian\/?$/ && !found++; END { exit !found }' ||
        die "no mirror of Debian in this machine's apt sources, or apt-get update never ran."
}

root_make() { # SUITE DIR
    local mirror tarball=${BARE_CACHE:+$BARE_CACHE/$1-minbase.tar}
    mkdir -p "$2"
    chmod 755 "$2"
    if [ -n "$tarball" ] && [ -f "$tarball" ]; then
        tar -C "$2" --numeric-owner -xf "$tarball"
        return
    fi
    mirror=$(mirror_of_this_machine)
    debootstrap --variant=minbase "$1" "$2" "$mirror" >"$2.log" 2>&1 ||
        { tail -n 5 "$2.log" >&2; die "debootstrap failed; the log is $2.log."; }
    rm "$2.log"
    if [ -n "$tarball" ]; then
        mkdir -p "$BARE_CACHE"
        tar -C "$2" --numeric-owner -cf "$tarball.part" .
        mv "$tarball.part" "$tarball"
    fi
}

inside() { # DIR COMMAND: run it in the root, in its own namespaces
    unshare --mount --pid --fork --kill-child bash -euc '
        root=$1
        mount --bind "$root" "$root" # "ip netns" wants its / to be a mount
        mount -t proc proc "$root/proc"
        mount -t sysfs sysfs "$root/sys"
        mount -t tmpfs -o mode=755 tmpfs "$root/dev"
        mkdir -m 1777 "$root/dev/shm"
        for node in null zero full random urandom tty; do
            : >"$root/dev/$node"
            mount --bind "/dev/$node" "$root/dev/$node"
        done
        if [ -e /dev/net/tun ]; then
            mkdir "$root/dev/net"
            : >"$root/dev/net/tun"
            mount --bind /dev/net/tun "$root/dev/net/tun"
        fi
        ln -s /proc/self/fd "$root/dev/fd"
        ln -s fd/0 "$root/dev/stdin"
        ln -s fd/1 "$root/dev/stdout"
        ln -s fd/2 "$root/dev/stderr"
        exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
            /bin/sh -c "cd / && $2"' - "$1" "$2"
}

# Of a script with `summary=()` and `failed=0`.
summary_line() { # SUITE COMMAND SECONDS VERDICT
    summary+=("$(printf '%-9s %-40s %5d s  %s' "$@")")
}

step() { # SUITE DIR COMMAND: run, time, and keep a line for the summary
    local start=$SECONDS verdict=done
    echo "== $1: $3"
    inside "$2" "$3" || verdict="FAILED with status $?"
    summary_line "$1" "$3" $((SECONDS - start)) "$verdict"
    [ "$verdict" = done ] || failed=1
}

summary_print() { # and end
    printf '== summary\n'
    printf '%s\n' "${summary[@]}"
    exit "$failed"
}
