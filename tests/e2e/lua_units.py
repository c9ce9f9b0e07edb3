#!/usr/bin/python3
"""Structures of the control plane that are Lua alone, against plain models: units.lua."""

import pathlib

from harness import case, main, same, sluice

UNITS = pathlib.Path(__file__).resolve().with_name("units.lua")


@case("timers fire in order, once, and when they were not stopped; ids are given once; a script costs so much")
def units():
    done = sluice("lua", UNITS)
    same((done.returncode, done.stderr, done.stdout), (0, "", "timers\nids\nnames\n"), "the run")


main()
