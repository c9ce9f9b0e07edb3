#!/usr/bin/python3
"""Shows that each lint can fail: a small clean tree passes them all, and one sin fails its rule."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CLEAN = {
    "README.md": "Packages: gcc.\n",
    "ARCHITECTURE.md": "A packet: `wire/llc.c:llc_copy`, by `dataplane/sched/`.\n\n"
                       "    wire/*.c --> llc_copy, base/units.h\n",
    "packages.txt": "gcc  build  the C compiler\n",
    "dataplane/README.md": "",
    "dataplane/base/README.md": "",
    "dataplane/base/units.h": "#include <stdint.h>\n",
    "dataplane/wire/README.md": "| a | b |\n|---|---|\n| x | y \\| z |\n| x | z |\n\n| a |\n| --- |\n| x |\n",
    "dataplane/wire/llc.h": "#include <string.h>\n",
    "dataplane/wire/llc.c": '#include "dataplane/wire/llc.h"\n\n'
                            "void llc_copy(char *to, const char *from, size_t octets)\n"
                            "{\n    memcpy(to, from, octets);\n}\n",
    "dataplane/sched/README.md": "",
    "dataplane/sched/tree.c": '#include "dataplane/base/units.h"\n\nint sched_octets;\n',
    "build/release/meson-info/intro-tests.json": "[]",
    "build/release/meson-info/intro-targets.json": "[]",
    "lua/README.md": "",
    "lua/sluice/README.md": "",
    "lua/sluice/start.lua": "for i, v in ipairs({}) do print(i, v) end -- never pairs(t)\n",
    "lua/sluice/core/README.md": "",
    "lua/sluice/core/world.lua": 'local dp = require "dp" -- the way to require "sluice.ns.vc"\nreturn dp\n',
    "lua/sluice/ns/README.md": "",
    "lua/sluice/ns/vc.lua": 'require "sluice.core.world"\n\nlocal function f() end\n\nreturn f\n',
}


def of_tests(test, text):
    """One test, of a script whose module has that text, or of a program with a thread; and one in the suite."""
    program = {"filename": ["ROOT/a_test"], "target_sources": [{"sources": ["ROOT/tests/lab/a_test.c"]}]}
    return {"build/release/meson-info/intro-tests.json": json.dumps([
                {"name": "a", "suite": ["sluice:e2e"], **test}, {"name": "b", "suite": ["sluice:e2e", "sluice:realtime"], **test}]),
            "build/release/meson-info/intro-targets.json": json.dumps([program]),
            "tests/e2e/a.py": "import b\n", "tests/e2e/b.py": f"{text}\n",
            "tests/lab/a_test.c": "int main(void)\n{\n    pthread_create(0, 0, 0, 0);\n}\n"}


# name: (lint, rule that must fail, files that sin, flags of the compiler)
SINS = {
    "folder without a row": ("includes", "has a row", {"shed/a.c": "#include <stdio.h>\n"}, ""),
    "path that is no file": ("includes", "path from the root",
                             {"dataplane/wire/ns.c": '#include "llc.h"\n'}, ""),
    "upward include": ("includes", "graph",
                       {"dataplane/wire/ns.c": '#include "dataplane/base/units.h"\n'}, ""),
    "include of a way": ("includes", "graph", {
        "dataplane/down/down.h": "\n",
        "dataplane/up/up.c": '#include "dataplane/down/down.h"\n'}, ""),
    "control behind the face": ("includes", "graph", {
        "control/plane/start.c": '#include "dataplane/base/units.h"\n#include "dataplane/sched/tree.h"\n',
        "dataplane/sched/tree.h": "\n"}, ""),
    "oracle that borrows": ("includes", "graph",
                            {"tests/oracle/crc.c": '#include "dataplane/wire/llc.h"\n'}, ""),
    "DPDK on the floor": ("includes", "graph",
                          {"dataplane/sched/tree.h": "#include <rte_mbuf.h>\n"}, ""),
    "lab and control": ("includes", "graph", {
        "lab/lab.h": '#include "control/plane/control.h"\n', "control/plane/control.h": "\n"}, ""),
    "circle that the table allows": ("includes", "no circle", {
        "tests/lint/includes.txt": (HERE / "includes.txt").read_text()
                                   + "dataplane/base dataplane/wire\n"
                                     "dataplane/wire dataplane/base\n"}, ""),
    "circle of those that may include all": ("includes", "no circle", {
        "bench/tsc.h": '#include "tests/threads.h"\n',
        "tests/threads.h": '#include "bench/tsc.h"\n'}, ""),
    "Lua outside bind": ("includes", "graph", {"control/plane/start.c": "#include <lua.h>\n"}, ""),
    "folder of Lua without a row": ("requires", "has a row",
                           {"lua/sluice/shed/a.lua": 'require "sluice.core.world"\n'}, ""),
    "module that is none": ("requires", "has a row",
                            {"lua/sluice/ns/vc.lua": 'require "sluice.core.sun"\n'}, ""),
    "upward require": ("requires", "the floors",
                       {"lua/sluice/core/clock.lua": 'local vc = require("sluice.ns.vc")\n'}, ""),
    "upward row": ("requires", "the floors",
                   {"tests/lint/requires.txt": "core ns <dp>\nns core\n.\n"}, ""),
    "dataplane on the floor": ("requires", "the floors",
                               {"lua/sluice/base/hex.lua": 'local dp = require "dp"\n'}, ""),
    "require in a function": ("requires", "at the head", {
        "lua/sluice/ns/vc.lua": 'function f()\n    require "sluice.core.world".f()\nend\n'}, ""),
    "require behind a function": ("requires", "at the head", {
        "lua/sluice/ns/vc.lua": 'local function f() end\n\nrequire "sluice.core.world"\n'}, ""),
    "require of a variable": ("requires", "at the head",
                              {"lua/sluice/ns/vc.lua": 'require(name)\n'}, ""),
    "require handed on": ("requires", "at the head",
                          {"lua/sluice/ns/vc.lua": 'local good = pcall(require, "dp")\n'}, ""),
    "look into what is loaded": ("requires", "at the head", {
        "lua/sluice/ns/vc.lua": 'local world = package.loaded["sluice.core.world"]\n'}, ""),
    "circle in a folder": ("requires", "by way of others", {
        "lua/sluice/ns/a.lua": 'require "sluice.ns.b"\n',
        "lua/sluice/ns/b.lua": 'require "sluice.ns.vc"\n',
        "lua/sluice/ns/vc.lua": 'require "sluice.ns.a"\n'}, ""),
    "crowded folder": ("requires", "at most",
                     {f"lua/sluice/ns/n{i}.lua": "return {}\n" for i in range(25)}, ""),
    "module that is left out": ("requires", "built in", {
        "lua/meson.build": "files('sluice/start.lua', 'sluice/core/world.lua')\n"}, ""),
    "global of another noun": ("prefixes", "begins with a word", {
        "dataplane/sched/tree.c": "void fire(void)\n{\n}\n"}, ""),
    "folder without prefixes": ("prefixes", "has a row", {
        "dataplane/port/README.md": "", "dataplane/port/rx.c": "void port_rx(void)\n{\n}\n"}, ""),
    "hot malloc": ("hot_symbols", "allow-list", {
        "dataplane/wire/llc.c": "#include <stdlib.h>\nvoid *f(void)\n{ return malloc(8); }\n"}, ""),
    "hot call of cold code of ours": ("hot_symbols", "allow-list", {
        "dataplane/wire/llc.c": "void log_it(void);\nvoid llc(void)\n{\n    log_it();\n}\n",
        "control/plane/log.c": "void log_it(void)\n{\n}\n"}, ""),
    "hot row without an object": ("hot_symbols", "every row",
                                  {"dataplane/sched/tree.c": None}, ""),
    "hot structure cleared": ("hot_symbols", "rep stos", {
        "dataplane/wire/llc.c": "struct llc { long field[40]; };\nvoid see(struct llc *llc)\n"
                                "{\n    *llc = (struct llc){0};\n}\n"}, ""),
    "bare pairs": ("sources", "in order",
                   {"lua/sluice/start.lua": "for k, v in pairs(t) do f(k, v) end\n"}, ""),
    "mbuf freed elsewhere": ("sources", "mbuf is freed", {
        "dataplane/port/README.md": "",
        "dataplane/port/rx.c": "void rx(void *m)\n{\n    rte_pktmbuf_free_bulk(m, 1);\n}\n"}, ""),
    "left undone": ("sources", "left undone", {
        "dataplane/wire/llc.h": "// FIX" + "ME: the rest\n"}, ""),
    "switched off": ("sources", "left undone", {
        "dataplane/wire/llc.h": "#if " + "0\n#endif\n"}, ""),
    "conflict left in a text": ("sources", "no conflict", {
        "dataplane/wire/README.md": "<" * 7 + " HEAD\none\n"}, ""),
    "its middle left in data": ("sources", "no conflict", {
        "tests/config/mistakes/a.txt": "=" * 7 + "\n"}, ""),
    "its end left in C": ("sources", "no conflict", {
        "dataplane/wire/llc.h": "// a\n" + ">" * 7 + " branch\n"}, ""),
    "row that is too long": ("sources", "columns", {
        "dataplane/wire/README.md": "| a | b |\n| --- | --- |\n| x | y \\| z |\n| x | y | z |\n"}, ""),
    "row that is too short": ("sources", "columns", {
        "dataplane/wire/README.md": "| a | b |\n| --- | --- |\n| x |\n"}, ""),
    "row twice": ("sources", "each row is there once", {
        "dataplane/wire/README.md": "| a | b |\n|---|---|\n| x | y |\n| v | w |\n| x |  y |\n"}, ""),
    "march of a machine": ("sources", "x86-64-v2", {}, "-march=native"),
    "instructions without the name": ("sources", "x86-64-v2", {}, "-mavx2"),
    "folder without README": ("sources", "has a README.md", {"lua/sluice/README.md": None}, ""),
    "package without a word": ("sources", "every package",
                               {"packages.txt": "gcc build c\ntshark test reads\n"}, ""),
    "long file": ("sources", "lines", {"dataplane/base/units.h": "\n" * 1001}, ""),
    "long function": ("sources", "no function", {
        "dataplane/wire/llc.c": "int llc_sum(int a)\n{\n" + 70 * "    a += a;\n" + "    return a;\n}\n"}, ""),
    "two locals of one name": ("luacheck", "luacheck", {
        "lua/sluice/start.lua": "local a = 1\nlocal a = 2\nreturn a\n"}, ""),
    "global that nothing sets": ("luacheck", "luacheck", {
        "lua/sluice/start.lua": "return wrold.nse\n"}, ""),
    "race that is planted nowhere": ("plants", "each race", {"tests/soak/races.py": (
        'Race("it copies less", "dataplane/wire/llc.c", "void llc_copy", "octets)", "octets - 1)", "t", "w")\n'
        'Race("it copies back", "dataplane/wire/llc.c", "void llc_copy", "memmove", "memcpy", "t", "w")\n')}, ""),
    "list of races without one": ("plants", "each race", {"tests/soak/races.py": "RACES = []\n"}, ""),
    "text that names a file that has moved": ("texts", "are there", {
        "dataplane/wire/README.md": "`llc.c`, `base/units.h`; `foo.c` stands for any; `sched/leaf.c`\n"}, ""),
    "guide that draws a folder that has moved": ("texts", "are there", {
        "ARCHITECTURE.md": "The way:\n\n    wire/llc.c --> dataplane/shed/\n"}, ""),
    "guide with a function in another file": ("texts", "what is in it", {
        "ARCHITECTURE.md": "`sched/tree.c:llc_copy`\n"}, ""),
    "guide with a function in no file": ("texts", "what is in it", {
        "ARCHITECTURE.md": "The way:\n\n    wire/llc.c --> llc_copies\n"}, ""),
    "guide whose short name means two files": ("texts", "one file at a time", {
        "lab/wire/llc.c": "", "ARCHITECTURE.md": "`wire/llc.c`\n"}, ""),
    "tree without a guide": ("texts", "one file at a time", {"ARCHITECTURE.md": None}, ""),
    "drawing that is too wide": ("texts", "columns", {
        "ARCHITECTURE.md": "The way:\n\n" + " " * 100 + "|\n"}, ""),
    "sleep in a module of a test": ("realtime", "lets time pass", of_tests({
        "cmd": ["python3", "ROOT/tests/e2e/a.py"]}, "time.sleep(1)"), ""),
    "run in real time": ("realtime", "lets time pass", of_tests({
        "cmd": ["python3", "ROOT/tests/e2e/a.py"]}, "import network"), ""),
    "thread in C": ("realtime", "lets time pass", of_tests({"cmd": ["ROOT/a_test"]}, ""), ""),
    "other style": ("format", "format", {"dataplane/wire/llc.h": "int  f( int a ) ;\n"}, ""),
}

# name: (what the lint must say: the rule that fails, SKIP, or nothing; commits, each a message and files). A
# message that begins with `git ` is a command of git's instead. BAD has neither an area nor a body.
GOOD, BAD = "wire: copy octets\n\nA reader needs them.\n", "some changes"
WHY, SUBJECT = "says why", "the subject is"
A_C = {"dataplane/wire/a.c": 'const char *url = "http://a"; // one\n'}
A_PY, A_LUA = {"tests/a.py": '"""Text."""\nx = "# 1"  # one\n'}, {"lua/a.lua": 'local x = "--" -- one\n'}
A_MESON = {"a.build": "# one\nx = '#1' # one\n"}


def changed(files, old, new):
    return {path: text.replace(old, new) for path, text in files.items()}


T_LUA = {"tests/scenario/a.lua": 'target { figure = "Fig. 1", most = 2, -- one\n  ours = f }\n'}
LOOSE = changed(T_LUA, "most = 2", "most = 3")
REASON, BEGUN = {"tests/scenario/CHANGES.md": "a\nb\n"}, (GOOD, {"tests/scenario/CHANGES.md": "a\n", **T_LUA})
TARGETS = "targets change by themselves"
INPUT = changed(T_LUA, "  ours", '  kind = "input",\n  ours')

HISTORIES = {
    "a target before the rule": ("", [(GOOD, T_LUA), (GOOD, LOOSE)]),
    "a target and no reason": (TARGETS, [BEGUN, (GOOD, LOOSE)]),
    "a target and a reason": ("", [BEGUN, (GOOD, {**LOOSE, **REASON})]),
    "a target, a reason and a scenario": (TARGETS, [BEGUN, (GOOD, {**LOOSE, **REASON, "config/scenarios/a.lua": "x\n"})]),
    "a target, a reason and a text": ("", [BEGUN, (GOOD, {**LOOSE, **REASON, "config/scenarios/README.md": "x\n"})]),
    "a target, a reason and the lab": (TARGETS, [BEGUN, (GOOD, {**LOOSE, **REASON, "lab/a.c": "int a;\n"})]),
    "an input that becomes a result": (TARGETS, [(GOOD, {**BEGUN[1], **INPUT}), (GOOD, T_LUA)]),
    "a target that goes": (TARGETS, [BEGUN, (GOOD, {"tests/scenario/a.lua": "\n"})]),
    "a file of targets that goes": (TARGETS, [BEGUN, ("git rm -q tests/scenario/a.lua", {}), (GOOD, {})]),
    "a target more, and the lab": ("", [BEGUN, (GOOD, {"tests/scenario/a.lua": T_LUA["tests/scenario/a.lua"] * 2,
                                                     "lab/a.c": "int a;\n"})]),
    "how a target is measured, and its comment": ("", [BEGUN, (GOOD, changed(changed(T_LUA, "= f", "= g"), "one", "two"))]),
    "a good message": ("", [(GOOD, A_C)]),
    "an area of three words": ("", [("wire's README, llc: " + GOOD, A_C)]),
    "a subject without an area": (SUBJECT, [("copy octets\n\nA reader needs them.\n", A_C)]),
    "an area of four words": (SUBJECT, [("a b c d: " + GOOD, A_C)]),
    "an area and nothing more": (SUBJECT, [("wire:\n\nA reader needs them.\n", A_C)]),
    "72 characters": ("", [("wire: " + 66 * "x" + "\n\nWhy.\n", A_C)]),
    "73 characters": (SUBJECT, [("wire: " + 67 * "x" + "\n\nWhy.\n", A_C)]),
    "72 characters, each of two octets": ("", [("wire: " + 66 * "\u00e4" + "\n\nWhy.\n", A_C)]),
    "no body": (WHY, [("wire: copy", A_C)]),
    "a body of signatures": (WHY, [("wire: copy\n\nSigned-off-by: A <a@b>\nThis reverts commit 12.\n", A_C)]),
    "a body and a signature": ("", [("wire: copy\n\nWhy.\n\nSigned-off-by: A <a@b>\n", A_C)]),
    "nothing changed": (WHY, [("wire: copy", {})]),
    "a comment of C": ("", [(GOOD, A_C), ("wire: say", changed(A_C, "// one", "/* two,\n lines */"))]),
    "a string of C that looks like one": (WHY, [(GOOD, A_C), ("wire: say", changed(A_C, "//a", "//b"))]),
    "a comment and a blank of C": (WHY, [(GOOD, A_C), ("wire: say", changed(A_C, ";", " ;"))]),
    "a comment of Python": ("", [(GOOD, A_PY), ("wire: say", changed(A_PY, "# one", "# two"))]),
    "a string of Python that looks like one": (WHY, [(GOOD, A_PY), ("wire: say", changed(A_PY, "# 1", "# 2"))]),
    "a docstring": (WHY, [(GOOD, A_PY), ("wire: say", changed(A_PY, "Text", "Words"))]),
    "a comment of Lua": ("", [(GOOD, A_LUA), ("wire: say", changed(A_LUA, "-- one", "--[[ two\n]]"))]),
    "a string of Lua that looks like one": (WHY, [(GOOD, A_LUA), ("wire: say", changed(A_LUA, '"--"', '"--1"'))]),
    "a line of Meson's": ("", [(GOOD, A_MESON), ("wire: say", changed(A_MESON, "# one\nx", "# two\n\nx"))]),
    "the end of a line of Meson's": (WHY, [(GOOD, A_MESON), ("wire: say", changed(A_MESON, "' # one", "' # two"))]),
    "a table of inputs": (WHY, [(GOOD, {"tests/config/mistakes/a.txt": "# a\n"}),
                                ("wire: say", {"tests/config/mistakes/a.txt": "# b\n"})]),
    "a text, new and changed": ("", [("wire: say", {"README.md": "a\n"}), ("wire: tell", {"README.md": "b\n"})]),
    "a text and code": (WHY, [("wire: say", {"README.md": "a\n", **A_C})]),
    "a new file of comments": (WHY, [("wire: say", {"a.c": "// a\n"})]),
    "a file that goes": (WHY, [(GOOD, A_C), ("git rm -q dataplane/wire/a.c", {}), ("wire: less", {})]),
    "a mode": (WHY, [(GOOD, A_C), ("git update-index --chmod=+x dataplane/wire/a.c", {}), ("wire: run", {})]),
    "a merge": ("", [(GOOD, A_PY), ("git checkout -q -b other", {}), (GOOD, A_C), ("git checkout -q -", {}), (GOOD, A_LUA),
                     ("git merge -q -m merged --no-ff other", {})]),
    "before a tag": ("", [(BAD, A_C), ("git tag v1", {})]),
    "behind a tag": (WHY, [(GOOD, A_PY), ("git tag v1", {}), ("wire: say", A_C)]),
    "before a commit of the table": ("", [(BAD, A_C), ("table", {})]),
    "behind a commit of the table": (WHY, [(GOOD, A_PY), ("table", {}), ("wire: say", A_C)]),
    "behind a commit that is not there": (WHY, [("wire: say", {"tests/lint/commits.txt": 40 * "1" + "\n"})]),
    "50 commits ago": (WHY, [("wire: say", A_C), *49 * [(GOOD, {})]]),
    "51 commits ago": ("", [("wire: say", A_C), *50 * [(GOOD, {})]]),
    "a clone without history": ("SKIP nothing to judge", [(BAD, A_C), ("shallow", {})]),
    "no repository": ("SKIP nothing to judge", [(BAD, A_C), ("forget", {})]),
    "a folder of another repository": ("SKIP nothing to judge", [(BAD, A_C), ("within", {})]),
}


def tree_make(root, changes, flags):
    for path, text in {**CLEAN, **changes}.items():
        if text is not None:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text.replace("ROOT/", f"{root}/"))
    for path in (".clang-format", "tests/lint/includes.txt", "tests/lint/requires.txt"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        if path not in changes:
            shutil.copy(HERE.parent.parent / path, root / path)
    if "lua/meson.build" not in changes:
        modules = sorted(path.relative_to(root / "lua") for path in root.glob("lua/**/*.lua"))
        (root / "lua/meson.build").write_text("".join(f"'{path}'\n" for path in modules))
    (root / "tests/lint/README.md").write_text("")
    (root / "tests/lint/prefixes.txt").write_text("dataplane/sched sched\ndataplane/wire *\n")
    (root / "tests/lint/hot_symbols.txt").write_text(
        "hot dataplane/wire/*.c\nhot dataplane/sched/*.c\nallow memcpy\n")
    tree_compile(root, flags)


def tree_compile(root, flags):
    """Objects and compile_commands.json as Meson leaves them. What does not compile has none."""
    build = root / "build/release"
    build.mkdir(parents=True, exist_ok=True)
    entries = []
    for number, path in enumerate(sorted(root.glob("*/**/*.c"))):
        command = f"gcc -O2 -march=x86-64-v2 {flags} -I../.. -o {number}.o -c {path}"
        done = subprocess.run(command.split(), cwd=build, capture_output=True, check=False)
        if done.returncode == 0:
            entries.append({"directory": str(build), "command": command, "output": f"{number}.o",
                            "file": str(pathlib.Path("../..") / path.relative_to(root))})
    (build / "compile_commands.json").write_text(json.dumps(entries))


def failing_rules(lint, changes, flags):
    """The lines `not ok` that a lint prints on a tree, and all of its text."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        tree_make(root, changes, flags)
        done = subprocess.run([sys.executable, "-B", HERE / f"{lint}.py", root],
                              capture_output=True, text=True, check=False)
    failed = [line for line in done.stdout.splitlines() if line.startswith("not ok")]
    if (done.returncode != 0) != bool(failed) or not done.stdout.startswith("1.."):
        failed.append(f"status {done.returncode} does not fit")
    return failed, done.stdout + done.stderr


def clean_case(lint):
    failed, text = failing_rules(lint, {}, "")
    return ("not ok" if failed else "ok"), text


def sin_case(lint, rule, changes, flags):
    failed, text = failing_rules(lint, changes, flags)
    if "# SKIP" in text:
        return "skip", text
    return ("ok" if len(failed) == 1 and rule in failed[0] else "not ok"), text


def question_case(lines, is_asked):
    """A file of that many lines fails nothing; from 400 on its name is in the question."""
    failed, text = failing_rules("sources", {"dataplane/base/units.h": "\n" * lines}, "")
    asks = f"# asks: is it of one subject still? dataplane/base/units.h ({lines} lines)\n" in text
    good = not failed and asks == is_asked == ("# asks:" in text)
    return ("ok" if good else "not ok"), text


def git(root, *words):
    """With nobody's settings but these."""
    env = {**{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
           "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    done = subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b", "-c", "init.defaultBranch=main",
                           "-C", root, *words], env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(root, message, files):
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    if files:
        git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)


def history_make(folder, commits):
    """The folder to judge."""
    root = folder / "root"
    root.mkdir()
    git(root, "init", "-q")
    for message, files in commits:
        if message.startswith("git "):
            git(root, *message.split()[1:])
        elif message == "table":
            commit(root, GOOD, {"tests/lint/commits.txt": git(root, "rev-parse", "HEAD") + " why\n"})
        elif message == "shallow":
            git(folder, "clone", "-q", "--depth=1", root.as_uri(), "clone")
            return folder / "clone"
        elif message == "forget":
            shutil.rmtree(root / ".git")
        elif message == "within":
            return root / "dataplane"
        else:
            commit(root, message, files)
    return root


def history_case(says, commits):
    """The one rule fails that must, and nothing else is said."""
    if not shutil.which("git"):
        return "skip", ""
    with tempfile.TemporaryDirectory() as folder:
        root = history_make(pathlib.Path(folder).resolve(), commits)
        done = subprocess.run([sys.executable, "-B", HERE / "commits.py", root], capture_output=True, text=True,
                              check=False)
    failed = [line for line in done.stdout.splitlines() if line.startswith("not ok")]
    if says.startswith("SKIP") or not says:
        good = done.returncode == 0 and not failed and ("SKIP" in done.stdout) == bool(says) and says in done.stdout
    else:
        good = done.returncode == 1 and len(failed) == 1 and says in failed[0]
    return ("ok" if good else "not ok"), done.stdout + done.stderr


def function_case():
    body = 69 * "    a += a;\n" + "    return a;\n"
    failed, text = failing_rules("sources", {"dataplane/wire/llc.h": f"static inline int sum(int a)\n{{\n{body}}}\n"}, "")
    return ("not ok" if failed else "ok"), text


def main():
    cases = [(f"{lint}: a clean tree passes", lambda lint=lint: clean_case(lint))
             for lint in ("includes", "requires", "prefixes", "hot_symbols", "sources", "luacheck", "plants", "texts",
                          "realtime", "format")]
    cases += [(f"sources: {lines} lines are {'' if is_asked else 'not '}asked about",
               lambda lines=lines, is_asked=is_asked: question_case(lines, is_asked))
              for lines, is_asked in ((399, False), (400, True), (1000, True))]
    cases += [("sources: a function of 70 lines passes", function_case)]
    cases += [(f"{sin[0]}: {name}", lambda sin=sin: sin_case(*sin)) for name, sin in SINS.items()]
    cases += [(f"commits: {name}", lambda history=history: history_case(*history))
              for name, history in HISTORIES.items()]
    print(f"1..{len(cases)}")
    bad = 0
    for number, (name, case) in enumerate(cases, 1):
        verdict, text = case()
        note = " # SKIP the judge is not here" if verdict == "skip" else ""
        print(f"{'ok' if verdict == 'skip' else verdict} {number} - lint_test: {name}{note}")
        if verdict == "not ok":
            print("\n".join(f"# {line}" for line in text.splitlines()))
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
