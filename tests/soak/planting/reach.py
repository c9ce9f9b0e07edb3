"""Measures which tests run which lines: gcov's counts for C, a line hook for Lua. A test that does
not run the line of a fault cannot find the fault. What a killed process or one of another user has
run in C is not seen, so a test that starts processes may run more than is known."""

import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from planting import copies
from planting.faults import WHOLE_FILE

BUILD = "cover"
OPTIONS = ["--buildtype=release", "-Db_coverage=true", "-Dtests=true", "-Dbench=false"]
HOOKED, STATE = "control/bind/bind.c", "    lua->L = lua_newstate(allocate, lua);\n"
SLOWER = 4  # time limits of tests, with gcov's counters and the line hook


def hook_lua(copy):
    """Not by copies.copy_tree: an unchanged file keeps its time."""
    path, new = copy / HOOKED, (copies.ROOT / HOOKED).read_text()
    assert STATE in new, f"{HOOKED} makes no state as reach.py knows it"
    new = new.replace(STATE, f"{STATE}    if (lua->L)\n"
                             "        lua_sethook(lua->L, note_line, LUA_MASKLINE, 0);\n")
    path.write_text(f'#include "tests/soak/planting/line_hook.inc"\n{new}')


def lines_of(fault):
    """The lines that use what the fault changes: for a `local` of a whole file of Lua, which every test
    runs, those that name it."""
    if fault.function != WHOLE_FILE or not fault.path.endswith(".lua"):
        return {fault.line}
    lines = (copies.ROOT / fault.path).read_text().split("\n")
    begin = next((i for i in range(fault.line, 0, -1) if re.match(r"local\b", lines[i - 1])), 0)
    names = re.findall(r"\w+", lines[begin - 1].partition("=")[0])[1:] if begin else []
    using = {i for i, line in enumerate(lines, 1) for name in names
             if not begin <= i <= fault.line and re.search(rf"\b{name}\b", line)}
    return using or {fault.line}


def mask(lines):
    whole = 0
    for line in lines:
        whole |= 1 << line
    return whole


class Counted:
    """The lines of one test, from the files that its programs wrote into `folder`."""

    def __init__(self, copy, folder):
        self.copy, self.folder, self.ran, self.known = copy, folder, {}, {}
        self.read_lua()
        self.read_c()

    def add(self, path, known, ran):
        self.known[path] = self.known.get(path, 0) | known
        self.ran[path] = self.ran.get(path, 0) | ran

    def read_lua(self):
        by_path = {}
        for text in self.lua_lines():
            name, _, line = text.rpartition(":")
            by_path.setdefault(name.replace(".", "/") + ".lua", []).append(int(line))
        for path, lines in by_path.items():
            self.add(path, mask(lines), mask(lines))

    def lua_lines(self):
        path = self.folder / "lua"
        return [s for s in path.read_text().splitlines() if s.startswith("lua/")] if path.exists() else []

    def read_c(self):
        """gcov looks for a .gcno beside each .gcda."""
        counts = []
        for path in self.folder.rglob("*.gcda"):
            notes = pathlib.Path("/", path.relative_to(self.folder)).with_suffix(".gcno")
            if notes.exists():
                shutil.copy(notes, path.with_suffix(".gcno"))
                counts.append(path)
        if not counts:
            return
        said = subprocess.run(["gcov", "--json-format", "--stdout", *counts], cwd=self.folder,
                              capture_output=True, text=True, check=False).stdout
        for text in said.splitlines():
            unit = json.loads(text)
            for file in unit["files"]:
                self.read_file(os.path.join(unit["current_working_directory"], file["file"]),
                               file["lines"])

    def read_file(self, file, lines):
        path = os.path.relpath(os.path.normpath(file), self.copy)
        if not path.startswith(("..", "build", "tests")):
            self.add(path, mask(line["line_number"] for line in lines),
                     mask(line["line_number"] for line in lines if line["count"]))


class Reach:
    """`ran`: the lines of each test; `known`: of each file, the lines that gcov counts in C, and in Lua
    those that any test runs."""

    def __init__(self, folder):
        self.path, self.tree = folder / "reach.json", copies.digest(copies.ROOT)
        kept = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.is_current = kept.get("tree") == self.tree
        self.known = {file: int(m, 16) for file, m in kept.get("known", {}).items()}
        self.ran = {test: {file: int(m, 16) for file, m in files.items()}
                    for test, files in kept.get("ran", {}).items()}

    def keep(self):
        def text(masks):
            return {file: f"{m:x}" for file, m in masks.items()}
        self.path.write_text(json.dumps({"tree": self.tree, "known": text(self.known), "ran": {
            test: text(masks) for test, masks in self.ran.items()}}))

    def runs(self, test, fault):
        """None if nothing is known of the line: no statement begins there, or the test is new."""
        bits = mask(lines_of(fault))
        if test not in self.ran or not self.known.get(fault.path, 0) & bits:
            return None
        return bool(self.ran[test].get(fault.path, 0) & bits)


def measure(folder, reach, programs_of, run, at_once):
    """Runs each test once. Yields (test's name, its first failure or "")."""
    copy = folder / "reach"
    copies.copy_tree(copy)
    hook_lua(copy)
    copies.set_up(copy, BUILD, OPTIONS)
    copies.do(copy, "ninja", "-C", f"build/{BUILD}")

    def one(program):
        with tempfile.TemporaryDirectory(prefix="reach-") as name:
            os.chmod(name, 0o1777)
            (seen := pathlib.Path(name, "lua")).touch()
            seen.chmod(0o666)
            why, was_run = run(copy, program._replace(
                timeout_s=program.timeout_s * SLOWER,
                env={**program.env, "GCOV_PREFIX": name, "LUA_LINES": str(seen)}))
            whole = was_run and not why  # else it would have run more lines
            return program.name, why, Counted(copy, pathlib.Path(name)) if whole else None

    reach.ran, reach.known = {}, {}
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        for future in concurrent.futures.as_completed(
                [pool.submit(one, program) for program in programs_of(copy, BUILD).values()]):
            name, why, counted = future.result()
            if counted:
                reach.ran[name] = counted.ran
                for path, lines in counted.known.items():
                    reach.known[path] = reach.known.get(path, 0) | lines
            yield name, why
    reach.keep()
