#!/bin/bash
# The proof that the package needs nothing else: bare_package.sh SUITE DEB [DIR] [--keep]
#
# Makes a minimal Debian of SUITE in DIR and installs DEB there; package_steps.sh has the steps. The root has no systemd
# that runs: a step starts what the units start, with their environment and capabilities. DIR is removed at the end
# unless --keep is given.

set -euo pipefail
source=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)

. "$source/tests/bare/root.sh"

keep='' failed=0 summary=() arguments=()
for argument; do
    case $argument in
    --keep) keep=1 ;;
    -*) die "there is no option $argument; usage: bare_package.sh SUITE DEB [DIR] [--keep]." ;;
    *) arguments+=("$argument") ;;
    esac
done
[ ${#arguments[@]} -ge 2 ] && [ -f "${arguments[1]}" ] || die "usage: bare_package.sh SUITE DEB [DIR] [--keep]."
[ "$(id -u)" = 0 ] || die "run this as root: it makes a root file system and mounts in it."
suite=${arguments[0]}
dir=${arguments[2]:-$(mktemp -d "${TMPDIR:-/tmp}/sluice-package-$suite.XXXXXX")}
[ -n "$keep" ] || trap 'rm -rf --one-file-system "$dir"' EXIT

root_make "$suite" "$dir"
cp "${arguments[1]}" "$dir/tmp/sluice.deb"
cp "$source/tests/bare/package_steps.sh" "$dir/tmp"
for name in install quickstart units purge_unused run phones remove purge; do
    step "$suite" "$dir" "bash /tmp/package_steps.sh $name"
    [ "$failed" = 0 ] || break
done
summary_print
