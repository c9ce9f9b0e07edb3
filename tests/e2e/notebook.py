#!/usr/bin/python3
"""config/notebook.md as a reader would type it: its blocks run one after the other, and print tables in which
every value is a number. And tools/sluice.py where a scenario is wrong."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

from harness import ROOT, Skip, case, main, new_folder, right, same

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def need_pandas():
    if not importlib.util.find_spec("pandas"):
        raise Skip("no python3-pandas")


def place():
    """A folder that looks like the project's, and is written into instead of it."""
    folder = new_folder()
    for name in "config", "tools", "build":
        (folder / name).symlink_to(ROOT / name)
    return folder


def python(text, folder):
    program = pathlib.Path(os.environ["SLUICE"])
    return subprocess.run([sys.executable, "-W", "error", "-c", text], cwd=folder, check=False, capture_output=True, text=True,
                          env=os.environ | {"PATH": f"{program.parent}:{os.environ['PATH']}"})


@case("the blocks of config/notebook.md print their tables, without a warning")
def blocks():
    need_pandas()
    texts = BLOCK.findall((ROOT / "config/notebook.md").read_text())
    folder = place()
    done = python("\nprint('--')\n".join(texts), folder)
    same((done.returncode, done.stderr), (0, ""), "the blocks")
    entities, pings, least, means, batches = done.stdout.split("--\n")
    for entity in "application", "application_kind", "class", "cell", "ms", "flow", "tcp":
        right(re.search(rf"^{entity} +\d+$", entities, re.MULTILINE), f"{entity} in {entities}")
    for table in pings, least, means, batches:
        right("tail-drop" in table and "recommended" in table and "NaN" not in table, table)
    same(len(re.findall(r"^00101\d{10} ", pings, re.MULTILINE)), 7, "MSs, as text")
    again = python("\n".join(texts), folder)
    same(again.stdout, done.stdout.replace("--\n", ""), "once more")


@case("a scenario that is wrong raises what the program said")
def wrong():
    need_pandas()
    done = python("import sys; sys.path.insert(0, 'tools'); import sluice; sluice.run('config/nothing.lua', 'out')", place())
    right(done.returncode == 1 and "config/nothing.lua" in done.stderr and "RuntimeError" in done.stderr, done.stderr)
    done = python("import sys; sys.path.insert(0, 'tools'); import sluice; sluice.run('config/quickstart.lua', 'out',"
                  " settings={'class[*].aqm.name': 'codel'})", place())
    right(done.returncode == 1 and "replaces aqm.name of variant tail-drop, recommended" in done.stderr, done.stderr)
    done = python("import sys; sys.path.insert(0, 'tools'); import sluice; sluice.read('config')", place())
    right(done.returncode == 1 and "no config/results.csv: sluice run writes it for" in done.stderr, done.stderr)


main()
