#!/bin/sh
# version.sh VERSION FOLDER: prints the version of the build: VERSION, and with Git "+" and the commit, with "-dirty" if a
# file differs from the commit. FOLDER is where this script lies in the source: in another project's repository it
# lies elsewhere, and that commit is not ours. Reads only; no lock is taken.
cd "$(dirname "$0")" || exit 1
commit=''
if [ "$(git rev-parse --show-prefix 2>/dev/null)" = "$2/" ]; then
    commit=$(git --no-optional-locks describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null)
fi
printf '%s\n' "$1${commit:++$commit}"
