#!/usr/bin/python3
"""Structures of the control plane that are Lua alone, against plain models (units.lua), and the texts
of quantities and addresses, against typed tables (texts.lua)."""

import pathlib

from harness import case, main, same, sluice

FOLDER = pathlib.Path(__file__).resolve().parent


def holds(script, lines):
    done = sluice("lua", FOLDER / script)
    same((done.returncode, done.stderr, done.stdout), (0, "", lines), "the run")


@case("timers fire in order, once, and when they were not stopped; ids are given once; a script costs so much; TEIDs")
def units():
    holds("units.lua", "timers\nids\nnearest\nnames\nlooks\nteids\n")


@case("contexts of phones come and go in any order: flows, ids and TEIDs are right, also while a command waits")
def context_units():
    holds("context_units.lua", "contexts\n")


@case("each unit is worth so much, each way; an IPv6 address has one text, and is a host's or not")
def texts():
    holds("texts.lua", "units\nnumbers\nwritten\naddresses\n")


main()
