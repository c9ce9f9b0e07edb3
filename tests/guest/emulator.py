"""QEMU with the NIC igb (82576), which came after Debian 12's. Where this machine's QEMU lacks it, Debian 13's is
downloaded with its libraries from the mirror that this machine has its packages from, unpacked below out/guest, and
run there by its own loader: nothing is installed."""

import functools
import os
import shutil
import subprocess

from harness import Skip

PROGRAM = "qemu-system-x86_64"
SUITE = "trixie"
MODEL = "igb"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
LIBRARIES = "usr/lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu/pulseaudio"
LIMIT_S = 600


def said(*words, environment=None):
    """What the program prints; Skip if it fails or takes too long."""
    try:
        done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", timeout=LIMIT_S, check=False, env={**os.environ, **(environment or {})})
    except subprocess.TimeoutExpired as why:
        raise Skip(f"{' '.join(map(str, words[:3]))}: not ended after {LIMIT_S} s") from why
    if done.returncode != 0:
        last = (done.stderr.strip() or "no reason is given").splitlines()[-1]
        raise Skip(f"{' '.join(map(str, words[:3]))}: {last}")
    return done.stdout


def has_model(words):
    try:
        return f"{MODEL} options:" in said(*words, "-machine", "none", "-display", "none", "-device", f"{MODEL},help")
    except Skip:
        return False


def mirror():
    uris = said("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages").split()
    found = [uri for uri in uris if uri.rstrip("/").endswith("/debian")]
    if not found:
        raise Skip("no mirror of Debian in this machine's apt sources, or apt-get update never ran")
    return found[0]


def download(folder):
    """The packages, by lists and a state of their own."""
    for part in "etc", "state/lists/partial", "cache/archives/partial":
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "state/status").touch()
    (folder / "etc/sources.list").write_text(f"deb [signed-by={KEYS}] {mirror()} {SUITE} main\n")
    (folder / "apt.conf").write_text("".join(f'{name} "{value}";\n' for name, value in {
        "Dir::Etc": folder / "etc", "Dir::Etc::sourceparts": "-", "Dir::Etc::parts": "-", "Dir::State": folder / "state",
        "Dir::State::status": folder / "state/status", "Dir::Cache": folder / "cache", "APT::Architecture": "amd64",
        "APT::Sandbox::User": "root", "Acquire::Languages": "none"}.items()))
    own = {"APT_CONFIG": str(folder / "apt.conf")}
    said("apt-get", "update", environment=own)
    said("apt-get", "install", "-y", "--no-install-recommends", "--download-only", "qemu-system-x86", environment=own)
    return sorted((folder / "cache/archives").glob("*.deb"))


def unpacked(folder):
    """The root of Debian 13's QEMU."""
    if not (folder / "root").exists():
        shutil.rmtree(folder, ignore_errors=True)
        for package in download(folder):
            said("dpkg-deb", "-x", package, folder / "part")
        shutil.rmtree(folder / "cache")
        os.rename(folder / "part", folder / "root")
    return folder / "root"


@functools.cache
def with_igb(folder):
    """The words that run it."""
    if has_model([PROGRAM]):
        return [PROGRAM]
    root = unpacked(folder)
    words = [root / LIBRARIES[0] / "ld-linux-x86-64.so.2", "--library-path", ":".join(str(root / one) for one in LIBRARIES),
             root / "usr/bin" / PROGRAM, "-L", root / "usr/share/qemu", "-L", root / "usr/share/seabios"]
    if not has_model(words):
        raise Skip(f"the QEMU of {SUITE} does not run here, or has no {MODEL}")
    return words
