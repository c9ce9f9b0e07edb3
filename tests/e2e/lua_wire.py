#!/usr/bin/python3
"""`sluice lua` runs a script that can require "wire": PDUs from tables to octets and back. What is
to hold of them stands in wire.lua; here is how a script is started and how it ends."""

import pathlib
import re

from harness import case, main, new_folder, right, same, sluice

WIRE = pathlib.Path(__file__).resolve().with_name("wire.lua")


def script(text, *arguments):
    folder = new_folder()
    (folder / "x.lua").write_text(text)
    return sluice("lua", "x.lua", *arguments, cwd=folder)


def group(name, checks_least, file=WIRE):
    done = sluice("lua", file, name)
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    checks = re.fullmatch(r"checks: (\d+)\n", done.stdout)
    right(checks and int(checks[1]) >= checks_least,
          f"stdout is {done.stdout!r}, at least {checks_least} checks were to be made")


for promise, *its_group in (
        ("every PDU from a table to octets and back to an equal table", "round_trip", 1500),
        ("PDUs of integers alone without a table: values and pack", "one_by_one", 3000),
        ("wire.names, help and fields", "described", 40),
        ("octets typed by hand mean what the specifications say, and come out the same",
         "typed_octets", 60),
        ("PDUs inside each other", "nested", 4),
        ("unknown, missing, out of range, of a wrong type: the error names PDU and field",
         "wrong_fields", 500),
        ("values that the PDU cannot carry: the error names field and value", "unsendable", 20),
        ("messages of layer 3 by their direction, and the causes of faults", "layer3", 12),
        ("an enciphered frame comes back with its FCS", "enciphered", 2),
        ("octets that are no such PDU: nil, and a text with fault and octet", "decode_faults", 60)):
    case(promise, *its_group)(group)


@case("a buffer reads like a string of its octets")
def buffers():
    group("", 300, WIRE.with_name("wire_buffer.lua"))


@case("the description of all PDUs names every field, and of one PDU its own")
def description():
    describe = WIRE.parents[2] / "lua/describe_wire.lua"
    done = sluice("lua", describe)
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    names = script('print(table.concat(require "wire".names, " "))').stdout.split()
    for name in names:
        right(re.search(rf"^{name}: .+", done.stdout, re.M), f"no {name}")
    one = sluice("lua", describe, "bssgp_flow_control_pfc").stdout
    for text in ("flows  ", "list 0 to 11", "        pfi ", "granularity ", "optional"):
        right(text in one, f"no {text!r} in:\n{one}")
    same(sluice("lua", describe, "nonsense").returncode, 1, "a PDU that is not there")


@case("arguments arrive in arg and in ...")
def arguments():
    done = script('print(#arg, arg[0], arg[1], arg[2], arg[3], select("#", ...), ...)',
                  "a", "b c", "--out")
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    same(done.stdout, "3\tx.lua\ta\tb c\t--out\t3\ta\tb c\t--out\n", "stdout")
    same(script("print(#arg, ...)").stdout, "0\n", "stdout without arguments")


@case("a script that fails: 1, with file and line")
def fails():
    for text, found in (("local x\nx.y = 1", "2: attempt to index a nil value"),
                        ("\n\nerror('enough')", "3: enough"),
                        ('require "wire".udp.encode { }', "1: udp.source_port: missing")):
        done = script("print('before') " + text)
        same((done.returncode, done.stdout), (1, "before\n"), f"exit status, stdout of {text!r}")
        right(done.stderr.startswith(f"sluice: x.lua:{found}"), f"{text!r}: {done.stderr!r}")


@case("an error that is no text, or none at all: 1, and a word about it")
def odd_errors():
    for text in ("error({})", "error(nil)", "error()", "coroutine.yield()",
                 "error(setmetatable({}, {__tostring = error}))"):
        done = script(text)
        same(done.returncode, 1, f"exit status of {text!r}")
        right(done.stderr.startswith("sluice: "), f"{text}: stderr is {done.stderr!r}")


@case("no valid Lua: 2, with file and line")
def syntax():
    done = script("local x = 1\nlocal = 2")
    same((done.returncode, done.stdout), (2, ""), "exit status and stdout")
    right(done.stderr.startswith("sluice: x.lua:2: "), f"stderr is {done.stderr!r}")


@case("no such file: 2")
def missing():
    done = sluice("lua", "none.lua")
    same((done.returncode, done.stdout, done.stderr),
         (2, "", "sluice: cannot open none.lua: No such file or directory\n"), "status and output")


@case("a module that is not there is an error; a library of Lua is at hand")
def modules():
    done = script('print(pcall(require, "none")); print(type(string.pack), type(io.open))')
    same(done.returncode, 0, f"exit status, {done.stderr}")
    right(done.stdout.startswith("false\tmodule 'none' not found") and
          done.stdout.endswith("function\tfunction\n"), f"stdout is {done.stdout!r}")


main()
