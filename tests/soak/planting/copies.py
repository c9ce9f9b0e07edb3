"""Copies of the tree, each with its own build; faults are planted in the copies."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
LEFT_OUT = ("build", "out", ".git", "__pycache__")


def copied_files(folder):
    files = set()
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        files |= {pathlib.Path(where, name).relative_to(folder) for name in names
                  if name not in LEFT_OUT}
    return files


def copy_tree(copy):
    """An unchanged file keeps its time, so that ninja does not compile the file again."""
    files = copied_files(ROOT)
    for path in files:
        old, new = ROOT / path, copy / path
        if not new.exists() or new.read_bytes() != old.read_bytes():
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(old, new)
    for path in copied_files(copy) - files:
        (copy / path).unlink()


def digest(folder):
    """Covers all files that a quick test could depend on."""
    whole = hashlib.sha256()
    for path in sorted(copied_files(folder)):
        if path.suffix == ".md" or path.parts[:2] == ("tests", "soak"):
            continue
        whole.update(f"{path}\n".encode() + hashlib.sha256((folder / path).read_bytes()).digest())
    return whole.hexdigest()


def do(copy, *command):
    done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stdout}{done.stderr}")
    return done.stdout


def set_up(copy, build, options):
    if not (copy / "build" / build / "build.ninja").exists():
        do(copy, "meson", "setup", f"build/{build}", *options)
    do(copy, "ninja", "-C", f"build/{build}", "build.ninja")  # a changed meson.build has other tests
