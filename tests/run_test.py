#!/usr/bin/python3
"""What ./run installs and builds for each command, beside tools that only note what they were asked."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = {"gcc", "meson", "ninja-build", "libdpdk-dev"}
# (arguments; what the selection of tests answers): packages that are asked for, packages that are not, what Ninja builds
COMMANDS = {
    ("build", ""): (BUILD, {"libcmocka-dev", "tshark", "clang", "python3"}, ["release sluice"]),
    ("lab", ""): (BUILD | {"osmo-pcu", "iproute2", "tshark"}, {"libcmocka-dev", "osmo-hlr", "clang"}, ["release sluice"]),
    ("test --release x", "release\nrelease x_test\n"):
        (BUILD | {"libcmocka-dev"}, {"clang", "lld", "tshark", "osmo-hlr", "qemu-user"}, ["release build.ninja", "release x_test"]),
    ("test x", "asan e2e release\nrelease sluice\nasan sluice\n"):
        (BUILD | {"libcmocka-dev", "lld", "tshark", "qemu-user"}, {"clang", "osmo-hlr", "stress-ng"},
         ["release build.ninja", "release sluice", "asan sluice"]),
    ("test x_fuzz", "fuzz\nfuzz x_fuzz\n"): (BUILD | {"clang", "lld"}, {"tshark", "osmo-hlr"},
                                             ["release build.ninja", "fuzz build.ninja", "fuzz x_fuzz"]),
    ("test", "e2e\n"): (BUILD | {"clang", "osmo-hlr", "tshark", "qemu-user", "lld", "gdb", "clang-format"},
                        {"stress-ng", "qemu-system-x86"}, ["release build.ninja", "fuzz build.ninja"]),
    ("lint", ""): (BUILD | {"clang-format", "lua-check", "libcmocka-dev"}, {"clang", "tshark", "osmo-hlr"}, ["lint sluice"]),
    ("fuzz", ""): (BUILD | {"clang"}, {"libcmocka-dev", "tshark"}, ["fuzz"]),
    ("soak nic", ""): (BUILD | {"tshark", "qemu-system-x86"}, {"stress-ng"}, ["release sluice"]),
    ("soak audit", ""): (BUILD, {"stress-ng"}, ["release sluice tests/control/gb_world"]),
    ("packages busy", ""): (BUILD | {"stress-ng"}, {"tshark"}, []),
    **{(f"{words} --help", ""): (set(), set(), [])
       for words in ("lab", "lab keep", "soak", "soak nic", "debug", "bisect", "papers", "papers tournament", "test", "bench", "deb", "build", "bare")},
}
STUBS = {
    "dpkg-query": "exit 1",  # nothing is installed
    "apt-get": 'echo "apt-get $*" >>"$NOTES"',
    "meson": 'mkdir -p "$2"',  # meson setup FOLDER
    "ninja": 'echo "ninja $*" >>"$NOTES"',
    "id": "echo 0",
    "python3": 'case "$*" in *"selection.py plan"*) printf "%s" "$PLAN" ;; *) echo "python3 $*" >>"$NOTES" ;; esac',
}


def asked(root, words, plan):
    """(packages, what Ninja builds) of one command in a tree without builds, and the process."""
    notes = root / "notes"
    notes.write_text("")
    subprocess.run(["rm", "-rf", root / "build"], check=True)
    done = subprocess.run(["bash", root / "run", *words.split()], capture_output=True, text=True, check=False,
                          env={"NOTES": str(notes), "PLAN": plan, "HOME": str(root)}, stdin=subprocess.DEVNULL)
    text = notes.read_text()
    packages = {word for line in re.findall(r"^apt-get install -y --no-install-recommends (.*)$", text, re.MULTILINE)
                for word in line.split()}
    return packages, re.findall(r"^ninja -C build/(.*?) *$", text, re.MULTILINE), done


def tree_make(root):
    """The real `run`, but for the PATH that it gives itself."""
    tools = root / "tools"
    tools.mkdir()
    for name, text in STUBS.items():
        (tools / name).write_text(f"#!/bin/bash\n{text}\n")
        (tools / name).chmod(0o755)
    text = (ROOT / "run").read_text()
    text, times = re.subn(r"^export PATH=\S+", f"export PATH={tools}:/usr/sbin:/usr/bin:/sbin:/bin", text, flags=re.MULTILINE)
    (root / "run").write_text(text)
    for name in "packages.txt", "tests", "bench":
        os.symlink(ROOT / name, root / name)
    return times == 1


def judge(root):
    yield "the PATH of `run` is found", tree_make(root), "no `export PATH` in `run`"
    for (words, plan), (wanted, unwanted, builds) in COMMANDS.items():
        packages, built, done = asked(root, words, plan)
        holds = (done.returncode == 0 and wanted <= packages and not unwanted & packages and built == builds
                 and (bool(packages) == bool(wanted)))
        yield f"./run {words}", holds, (f"status {done.returncode}; packages {sorted(packages)}; builds {built}\n"
                                        f"{done.stdout}{done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        cases = list(judge(pathlib.Path(folder)))
    print(f"1..{len(cases)}")
    for number, (name, holds, why) in enumerate(cases, 1):
        print(f"{'ok' if holds else 'not ok'} {number} - run: {name}")
        if not holds:
            print("\n".join(f"# {line}" for line in why.splitlines()))
    return 0 if all(holds for _, holds, _ in cases) else 1


if __name__ == "__main__":
    sys.exit(main())
