#!/usr/bin/python3
"""`sluice check` fills in how much of a BSS's buckets is used, and what the BSS gets of a lifetime."""

import json

from harness import ROOT, UDP_SCENARIO, case, main, same, settings, sluice

MS = 10**6  # in ns
KEYS = "cell_delay", "ms_delay", "pfc_delay"


def found(path, *sets):
    """The three delays, and what a BSS gets at least, of all classes; half the lifetime at most."""
    done = sluice("check", path, *settings(sets))
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    cfg = json.loads(done.stdout)
    least = {one["bss_lifetime_least_ns"] // MS for one in cfg["class"]}
    return [cfg["gb"][f"{key}_ns"] // MS for key in KEYS], least


def nic(*sets):
    return found(ROOT / "config/nic.lua", *sets)


@case("of what a BSS offers 0.6 s are used; its least lifetime is 3.5 s more than the longest delay")
def offered():
    same(nic(), ([600, 600, 600], {4100}), "by default")
    same(nic("gb.ms_delay=1 s"), ([600, 1000, 600], {4500}), "one of them by hand")


@case("0 s and as offered are the same: all of it")
def whole():
    for text in "0 s", "as offered":
        same(nic(*(f"gb.{key}={text}" for key in KEYS)), ([0, 0, 0], {1000}), text)


@case("beside lab a bucket is by hand, and used whole")
def lab():
    same(found(UDP_SCENARIO), ([0, 0, 0], {1000}), "by default")
    same(found(UDP_SCENARIO, "gb.cell_delay=200 ms"), ([200, 0, 0], {2500, 3700}), "asked for")


main()
