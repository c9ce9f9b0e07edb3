#!/bin/bash
# The proof that a fresh clone needs no other step: bare_root.sh SUITE [DIR] [--keep] [--busy]
#
# Makes a minimal Debian of SUITE (bookworm or trixie) in DIR with debootstrap, clones the HEAD of
# this checkout into it, and runs there `./run`, `./run test` (with --busy: `./run soak busy`, the
# same while every processor is held four times over) and `./run deb`, each timed; what that
# made goes through bare_package.sh in a second such root. The mirror is the
# one of this machine's own apt sources. /dev in the root is poorer than on any real machine: no
# huge pages, no terminals, no shared memory but a plain tmpfs; tun if this machine has it.
#
# The mounts live in a mount namespace of their own and the programs in a process namespace: both
# go away with the last step, whatever ends it, so DIR can be removed without touching /dev.
# DIR is removed at the end unless --keep is given. With BARE_CACHE=FOLDER the fresh root is kept
# there as a tarball and used again.

set -euo pipefail
source=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)

. "$source/tests/bare/root.sh"

keep='' test=test failed=0 summary=() arguments=()
for argument; do
    case $argument in
    --keep) keep=1 ;;
    --busy) test='soak busy' ;;
    -*) die "there is no option $argument; usage: bare_root.sh SUITE [DIR] [--keep] [--busy]." ;;
    *) arguments+=("$argument") ;;
    esac
done
suite=${arguments[0]:-}
case $suite in
bookworm | trixie) ;;
*) die "SUITE is bookworm or trixie, found '$suite'." ;;
esac
[ "$(id -u)" = 0 ] || die "run this as root: it makes a root file system and mounts in it."
for tool in debootstrap git unshare; do
    command -v $tool >/dev/null || die "$tool is missing: apt-get install debootstrap git."
done
git -C "$source" rev-parse -q --verify HEAD >/dev/null ||
    die "$source has no commit to clone; commit first."

dir=${arguments[1]:-$(mktemp -d "${TMPDIR:-/tmp}/sluice-$suite.XXXXXX")}
[ ! -e "$dir" ] || [ -z "$(ls -A "$dir")" ] || die "$dir is not empty; name another folder."
[ -n "$keep" ] || trap 'rm -rf --one-file-system "$dir"' EXIT

[ -z "$(git -C "$source" status --porcelain)" ] ||
    echo "bare_root: what is not committed in $source is not in the proof." >&2
echo "== $suite: commit $(git -C "$source" rev-parse --short HEAD) in $dir"
root_start=$SECONDS
root_make "$suite" "$dir"
git clone -q "$source" "$dir/root/sluice"
summary_line "$suite" "(root and clone)" $((SECONDS - root_start)) done

step "$suite" "$dir" "/root/sluice/run"
step "$suite" "$dir" "/root/sluice/run $test"
step "$suite" "$dir" "/root/sluice/run deb"

# The package in a root that has nothing else.
step_start=$SECONDS verdict=done
bash "$source/tests/bare/bare_package.sh" "$suite" "$dir"/root/sluice/build/*.deb "$dir/second" ${keep:+--keep} ||
    failed=1 verdict=FAILED
summary_line "$suite" "(the package alone)" $((SECONDS - step_start)) "$verdict"
summary_print
