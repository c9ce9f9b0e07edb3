#!/usr/bin/python3
"""Every kind of mistake in a configuration gets its own message and exit status 2, from check and
from run alike. The mistakes and their messages stand in the tables of tests/config/mistakes; here are
also the files that are no configuration at all."""

import collections
import itertools
import os
import re
import resource
import shutil

from harness import UDP_SCENARIO, Skip, case, main, new_folder, often, right, same, settings, sluice
from mistake_tables import FILE, FOLDER, REAL, RIGHT, mistakes

KINDS_LEAST = 145
MIB = 1 << 20

NONE_AT_ALL = [f"{{}}:1: {name}: found none, allowed {times} {name} {{{{ ... }}}}"
               for name, times in (("run", "exactly one"), ("gn", "exactly one"),
                                   ("gb", "exactly one"), ("nse", "one or more"))]


def refused(command, folder, name, sets, lines, before=()):
    """Exit status 2, these lines on stderr, nothing on stdout, nothing left behind. A line may be a
    pattern."""
    out = new_folder() / "out"
    where = ["--out", out] if command == "run" else []
    done = sluice(command, name, *settings(sets), *where, cwd=folder, before=before)
    found = done.stderr.splitlines()
    right("traceback" not in done.stderr, f"{command}: a traceback:\n{done.stderr}")
    right(len(found) == len(lines) and all(
        line.fullmatch(text) if isinstance(line, re.Pattern) else line == text
        for line, text in zip(lines, found)),
          f"{command} prints:\n{done.stderr}and not:\n" + "\n".join(map(str, lines)))
    same(done.returncode, 2, f"{command}: exit status")
    same(done.stdout, "", f"{command}: stdout")
    right(not out.exists(), f"{command}: it made {out}")


RUN_EVERY = often(8, 1)  # run loads as check does
refusals = itertools.count()


def refused_by_both(folder, name, sets, lines, before=()):
    refused("check", folder, name, sets, lines, before)
    if next(refusals) % RUN_EVERY == 0:
        refused("run", folder, name, sets, lines, before)


rows = mistakes()


@case(f"there are at least {KINDS_LEAST} kinds of mistake, with as many different messages")
def kinds():
    names = collections.Counter(row.name for row in rows)
    same([name for name, count in names.items() if count > 1], [], "names of more than one row")
    messages = {line for row in rows for line in row.lines}
    right(len(rows) >= KINDS_LEAST <= len(messages),
          f"{len(rows)} rows with {len(messages)} messages")


@case("what the rows start from is right: nothing is said of it")
def starts():
    for name in (RIGHT, REAL):
        done = sluice("check", FOLDER / name)
        same((done.returncode, done.stderr), (0, ""), name)


def row_is_refused(row):
    folder = new_folder()
    shutil.copytree(FOLDER / "policy", folder / "policy")
    (folder / FILE).write_text(row.text)
    refused_by_both(folder, FILE, row.sets, row.lines)


for one in rows:
    case(one.name, one)(row_is_refused)


# --- Files that are none --------------------------------------------------------------------------


def written(octets):
    folder = new_folder()
    (folder / "x.lua").write_bytes(octets)
    return folder


def is_refused(octets, *lines):
    refused_by_both(written(octets), "x.lua", [], lines)


@case("no such file")
def missing():
    refused_by_both(new_folder(), "x.lua", [], ["x.lua: cannot be read: No such file or directory"])


@case("a FIFO that nobody writes to, as configuration and as policy: it is not waited for")
def fifo():
    folder = new_folder()
    os.mkfifo(folder / "x.lua")
    refused_by_both(folder, "x.lua", [], ["x.lua: cannot be read: not a regular file"])
    (folder / "y.lua").write_text(
        UDP_SCENARIO.read_text() + 'policy { script = "x.lua" }\n')
    last = len((folder / "y.lua").read_text().splitlines())
    refused_by_both(folder, "y.lua", [], [
        f"y.lua:{last}: policy.script: x.lua: cannot be read: not a regular file"])


@case("a device that never ends")
def device():
    refused_by_both(new_folder(), "/dev/zero", [],
                    ["/dev/zero: cannot be read: not a regular file"])


@case("a folder")
def folder_for_file():
    folder = new_folder()
    (folder / "x.lua").mkdir()
    refused_by_both(folder, "x.lua", [], ["x.lua: cannot be read: Is a directory"])


@case("below a file")
def below_file():
    refused_by_both(written(b""), "x.lua/y.lua", [],
                    ["x.lua/y.lua: cannot be read: Not a directory"])


@case("a file that we may not read")
def unreadable():
    folder = written(b"run {}\n")
    (folder / "x.lua").chmod(0)
    # root reads everything, unless it has given up the right to
    before = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if os.geteuid() == 0 else []
    if before and sluice("version", before=before).returncode != 0:
        raise Skip("this root cannot give up its rights (setpriv --bounding-set=-all)")
    refused_by_both(folder, "x.lua", [], ["x.lua: cannot be read: Permission denied"], before)


@case("an empty file")
def empty():
    is_refused(b"", *[line.format("x.lua") for line in NONE_AT_ALL])


@case("UTF-16, a NUL, and quotes of another encoding: where, and what to do")
def encodings():
    zero = "lua: not valid Lua: found the octet 0, allowed text in UTF-8; is the file UTF-16, or no text?"
    is_refused("run {}".encode("utf-16"), f"x.lua:1: {zero}")
    is_refused(b"run {}\nrun\0{}\n", f"x.lua:2: {zero}")
    is_refused(b"run {}\nrun { name = \x93a\x94 }\n",
               "x.lua:2: lua: not valid Lua: found the octet 0x93, which is no UTF-8; save the file as UTF-8")


@case("a comment of 1 MiB is read, one octet more is not")
def large():
    is_refused(b"-" * MIB, *[line.format("x.lua") for line in NONE_AT_ALL])
    is_refused(b"-" * (MIB + 1), "x.lua: larger than 1 MiB, the limit for a file")


@case("far too many of something, or of mistakes: no more is made of them than it takes to say so")
def far_too_many():
    for kind, most in ("nse", 4096), ("nsvc", 16384), ("bvc", 65536), ("ggsn", 4096):
        is_refused(f"for i = 1, 70000 do {kind} {{ }} end\n".encode(),
                   f"x.lua:1: {kind}: found {most + 1} up to here, allowed at most {most}")
    folder = written(UDP_SCENARIO.read_bytes() +
                     b"\nfor i = 1, 60000 do class { } end\n")
    done = sluice("check", "x.lua", cwd=folder)
    same(done.returncode, 2, "exit status")
    same(done.stderr.splitlines()[20:], ["and 980 more; the rest of the file is not checked"],
         "behind twenty mistakes")
    folder = written(UDP_SCENARIO.read_bytes() + b"\nfor i = 1, 2000 do nse { nsei = 1000 + i, bvc { bvci = 2, "
                     b'ms { imsi = "00101" .. 1000000000 + i, pdp { nsapi = 5, class = "background", address = "10.0.0.1", '
                     b'ggsn = "none", ggsn_teid = 1 } } } } end\n')
    done = sluice("check", "x.lua", cwd=folder)
    same((done.returncode, "traceback" in done.stderr), (2, False), done.stderr[-400:])


@case("a file of many GiB is refused without being read")
def huge():
    folder = written(b"")
    os.truncate(folder / "x.lua", 1 << 36)
    refused_by_both(folder, "x.lua", [], ["x.lua: larger than 1 MiB, the limit for a file"])


@case("a binary file: one line that a terminal can show")
def binary():
    line = re.compile(r"x\.lua:[13]: lua: not valid Lua: [ -~]+")
    is_refused(b"\x7fELF\x02\x01\x01\x00\x00\xff\xfe\x1b[2J", line)
    is_refused(b"\x00" * 100, line)
    is_refused(bytes(range(255, -1, -1)), line)


@case("names of files give a terminal no orders: the configuration's, and those that the configuration names")
def names():
    folder, name, shown = new_folder(), "x\x1b[31m\x9b\n\x7f.lua", "x?[31m???.lua"
    refused_by_both(folder, name, [], [f"{shown}: cannot be read: No such file or directory"])
    (folder / name).write_text("run { x = 1 }\n" + UDP_SCENARIO.read_text())
    done = sluice("check", name, cwd=folder)
    right(done.returncode == 2 and done.stderr.startswith(f"{shown}:"), done.stderr)
    (folder / "y.lua").write_text(UDP_SCENARIO.read_text() + 'policy { script = "no\\27[2J\\194\\155.lua" }\n')
    for words in ["y.lua"], ["y.lua", "--set", "@no\x1b[2J"]:
        done = sluice("check", *words, cwd=folder)
        right(done.returncode == 2 and not re.search("[^ -~\n]", done.stderr) and "no" in done.stderr, repr(done.stderr))


@case("compiled Lua: it is not run")
def compiled():
    is_refused(b"\x1bLuaT\x00\x19\x93\r\n\x1a\n\x04\x08\x08",
               "x.lua:1: lua: found compiled Lua, allowed text")


SHORTLY_S = 20  # of processor time, sanitized, too; what has no limit takes minutes to hours


@case("texts that would take minutes to compile are refused after a second, by time or by what costs it")
def compiled_long():
    nested = "".join(f"local {', '.join(f'a{i}_{j}' for j in range(150))} local function f() "
                     for i in range(60))
    late, leaps = "not compiled after 1000 ms, allowed less time", "of goto and break, allowed up to 1000"
    for text, why in (
            ("local x = 1 local y = " + " and ".join(["x"] * 170000), late),
            ("local x = 1 if x then " + "elseif x then " * 70000 + "end", late),
            ("local function f() " + nested + "return {" + "b," * 400000 + "} " + "end " * 61, late),
            ("do " + "do goto e end " * 30000 + "end ::e::", f"found 30000 {leaps}"),
            ("while x do " + "if x then break end " * 30000 + "end", f"found 30000 {leaps}")):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        refused("check", written(text.encode()), "x.lua", [], [f"x.lua:1: lua: {why}"])
        took_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        right(took_s < SHORTLY_S, f"{text[:40]}: {took_s:.1f} s of processor time")


@case("a goto in a string or a comment is none")
def quoted_leaps():
    is_refused(b"local t = { 'goto', \"break\", [[goto]] } -- goto\n" * 2000,
               re.compile(r"x\.lua:201: lua: not valid Lua: too many local variables.*"))
    is_refused(b"do local t = { 'goto', \"break\", [[goto]] } end -- goto\n" * 2000,
               *[line.format("x.lua") for line in NONE_AT_ALL])


main()
