#!/usr/bin/python3
"""Holds the Lua files against luacheck: a name used that nothing sets, set twice, shadowed, or unused."""

import shutil
import subprocess
import sys

from tap import files, report, root_argument

# A line may be as long as it needs to be.
OPTIONS = ("--std", "lua54", "--no-color", "--codes", "--quiet", "--no-max-line-length", "--no-cache")


def main():
    root = root_argument()
    paths = [path for path in files(root, ".lua") if path.parts[0] == "lua"]
    if not shutil.which("luacheck"):
        return report({"luacheck": ["no luacheck here: ./run packages (Debian's lua-check)"]})
    done = subprocess.run(["luacheck", *OPTIONS, *paths], cwd=root, capture_output=True, text=True,
                          check=False)
    sins = [line.strip() for line in done.stdout.splitlines() if ": (" in line]
    return report({"luacheck": sins if sins or done.returncode == 0 else [done.stdout + done.stderr]})


if __name__ == "__main__":
    sys.exit(main())
