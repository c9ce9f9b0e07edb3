#!/usr/bin/python3
"""What one who only pings feels of his neighbours' downloads (S13): one cell of 48 kbit/s, one MS
that pings each second, and 1, 4, 16 or 40 MSs with a download each; then one MS with a ping beside
1 to 16 downloads of its own. The settings of config/recommended.lua."""

import sys

from harness import ROOT, case, main, new_folder, right, run
from one_cell import CELL_BIT_PER_S, SECONDS, applications

sys.path.insert(0, str(ROOT / "tests/tournament"))

import loads  # noqa: E402

NARROW = "8 that download with 2 of 8 slots, one pings"


def ping(*args, **more):
    return applications(*args, **more)["ping"]["round_trip_ms"]


@case("beside 4, 16 and 40 that download the ping's mean is within 0.15 s of that beside one, its p95 within 0.3 s")
def neighbours_cost_nothing():
    for ecn in (True, False):
        one = ping(1, 0, ecn=ecn)
        for n in (4, 16, 40):
            many = ping(n, 0, ecn=ecn)
            right(many["mean"] < one["mean"] + 150 and many["p95"] < one["p95"] + 300,
                  f"ecn {ecn}: beside one {one}, beside {n} {many}")
            right(many["n"] >= SECONDS - 3, f"ecn {ecn}, {n} downloads: {many['n']} pings answered")


@case("and the downloads together get 0.85 of the cell")
def the_cell_is_used():
    for n in (1, 4, 16, 40):
        got = applications(n, 0)["ftp"]["goodput_bit_per_s"]
        right(got > 0.85 * CELL_BIT_PER_S, f"{n} downloads: {got} bit/s")


@case("where an MS may use one or two of the four slots, eight downloads get 0.8 of the cell: what the BSS measures stays")
def narrow_phones():
    for slots in (1, 2):
        narrow = f"radio.down_slots={slots}", f"flow.ms_rate={12 * slots} kbit/s"
        got = applications(8, 0, sets=narrow)["ftp"]["goodput_bit_per_s"]
        right(got > 0.8 * CELL_BIT_PER_S, f"{slots} slots: {got} bit/s")


@case("an R that has gone down comes up again: eight downloads with two of eight slots get 0.75 of the cell")
def what_is_measured_comes_up_again():
    for seed in (3, 21, 22):  # with these starts R goes down
        path = new_folder() / "narrow.lua"
        path.write_text(loads.LOADS[NARROW].cell.text(NARROW, seed, True))
        done = run(path, "--seed", seed, "--set", f"@{ROOT / 'config/recommended.lua'}")
        got = done.summary["applications"]["ftp"]["goodput_bit_per_s"]
        right(got > 0.75 * 96000, f"seed {seed}: {got} bit/s")


@case("beside 8 and 16 downloads of its own MS the ping's p95 is below 1.2 times that beside one")
def own_downloads_cost_nothing():
    one = ping(0, 1)
    for n in (8, 16):
        many = ping(0, n)
        right(many["p95"] < 1.2 * one["p95"], f"beside one {one}, beside {n} {many}")


if __name__ == "__main__":
    main()
