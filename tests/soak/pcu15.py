#!/usr/bin/python3
"""The cases of tests/interop/bts_linux.py with the osmo-pcu of Debian 13, on any Debian.

    pcu15.py [--cache FOLDER]

Makes a minimal Debian 13 in memory, installs osmo-pcu there, and runs the cases with it. All of that is in a mount and a
process namespace of its own, so nothing is left whatever ends it. Fails unless osmo-pcu says of itself that it is 1.5 or
later. --cache keeps the fresh Debian as a tarball and uses it again. Needs root, debootstrap, the network and 600 MB of
memory.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASES = ROOT / "tests/interop/bts_linux.py"
SUITE, LEAST = "trixie", (1, 5)
MEMORY = "/mnt"  # where it is mounted; nobody else sees that
DEBIAN = f"{MEMORY}/{SUITE}"
INSTALL = "apt-get update -q && apt-get install -qy --no-install-recommends osmo-pcu"
MAKE = f'. "{ROOT}/tests/bare/root.sh"; root_make {SUITE} {DEBIAN} >&2; inside {DEBIAN} "{INSTALL}" >&2'
PRIVATE = "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"


def must(*words, **options):
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL, **options)


def make_debian(cache):
    """The folders in which ip and DPDK have names by processes are private too, as the processes are."""
    for folder in "/run/netns", "/run/dpdk", MEMORY:
        os.makedirs(folder, exist_ok=True)
        must("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder)
    must("bash", "-euo", "pipefail", "-c", MAKE, "pcu15", env={**os.environ, "BARE_CACHE": cache})
    must("mount", "--bind", "/tmp", DEBIAN + "/tmp")  # osmo-pcu's socket and configuration are the chain's
    os.environ["TMPDIR"] = "/tmp"


def run_cases():
    """What the cases have said, which is printed as it comes, and their status."""
    said = []
    with subprocess.Popen([sys.executable, "-B", CASES, "chroot", DEBIAN, "osmo-pcu"], stdout=subprocess.PIPE,
                          encoding="utf-8") as cases:
        for line in cases.stdout:
            print(line, end="", flush=True)
            said.append(line)
    return said, cases.returncode


def verdict(said, status):
    """(cases that passed, what is wrong)"""
    done = [line for line in said if line.startswith("ok") and "# SKIP" not in line]
    cases = int(re.match(r"1\.\.(\d+)", said[0])[1])
    versions = [match[1] for match in (re.match(r"# osmo-pcu (\S+)", line) for line in said) if match]
    wrong = [one for one in versions if tuple(map(int, re.findall(r"\d+", one)[:2])) < LEAST]
    if status or len(done) != cases:
        return len(done), f"{len(done)} of {cases} cases passed, exit status {status}"
    if wrong or not versions:
        return len(done), f"osmo-pcu says it is {', '.join(versions)}; 1.5 or later is right"
    return len(done), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--cache", default="", type=os.path.abspath, metavar="FOLDER", help="for the fresh Debian")
    parser.add_argument("--private", action="store_true", help=argparse.SUPPRESS)  # this process is in its namespaces
    args = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        sys.exit("pcu15.py needs root, and debootstrap: apt-get install debootstrap")
    if not args.private:
        os.execvp(PRIVATE[0], [*PRIVATE, sys.executable, "-B", __file__, "--private", *sys.argv[1:]])
    os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))
    make_debian(args.cache)
    passed, wrong = verdict(*run_cases())
    if wrong:
        print(f"pcu15.py: {wrong}", file=sys.stderr)
    print(f"{passed} passed, {1 if wrong else 0} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
