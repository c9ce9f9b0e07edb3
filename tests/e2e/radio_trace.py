#!/usr/bin/python3
"""`radio { trace = FILE }`: the downlink's rate from a file. A file of one rate is a run with that rate, byte
for byte; one whose rate ends lets nothing through from then on; the file is beside the configuration, and among
the summary's files with its digest."""

import csv
import hashlib

from harness import CAPTURES, TABLES, case, check_sound, main, new_folder, run, same, right, settings, sluice
from harness import UDP_SCENARIO

RADIO = ("nse.bvc.radio.down_coding=rate", "nse.bvc.radio.down_rate=16 kbit/s", "nse.bvc.rate=400 kbit/s",
         "lab.traffic.start=1 s")


def of(text, *sets):
    """A run with this text as its trace, beside the configuration and named without its folder."""
    folder = new_folder()
    (folder / "x.lua").write_text(UDP_SCENARIO.read_text())
    (folder / "cell.csv").write_text(text)
    done = run(folder / "x.lua", "--pcap", *settings((*RADIO, "nse.bvc.radio.trace=cell.csv", *sets)))
    check_sound(done.summary)
    same(done.summary["files"], [{"path": "cell.csv", "sha256": hashlib.sha256(text.encode()).hexdigest()}], "files")
    return done


def at(rate):
    done = run(UDP_SCENARIO, "--pcap", *settings((*RADIO, f"nse.bvc.radio.down_rate={rate}")))
    check_sound(done.summary)
    return done


def differing(one, other):
    return [name for name in (*CAPTURES, *TABLES) if (one.out / name).exists() and name != "applications.csv"
            and (one.out / name).read_bytes() != (other.out / name).read_bytes()]


@case("a file of one rate is a run with that rate, byte for byte, in either form")
def one_rate():
    same(differing(of("0,32000\n"), at("32 kbit/s")), [], "TIME,RATE: what differs")
    same(differing(of("1\n"), at("12032 kbit/s")), [], "1504 octets in each ms: what differs")
    right(differing(of("0,32000\n"), at("12032 kbit/s")), "two rates that make no difference show nothing")


def delivered(done):
    """Octets that MSs got, by the second that it begins with."""
    with (done.out / "series_classes.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["direction"] == "down"]
    return {end - 1: sum(int(row["delivered_octets"]) for row in rows if float(row["time_s"]) == end)
            for end in sorted({float(row["time_s"]) for row in rows})}


@case("the rate changes when the file says so; without one nothing comes through")
def changes():
    seconds = delivered(of("time,rate\n0,24000\n4,0\n7,96000\n"))
    right(all(0 < seconds[at] <= 24000 / 8 for at in (1, 2, 3)), f"to 4 s: {seconds}")
    right(seconds[4] <= 24000 / 8 * 0.04, f"what was under way at 4 s: {seconds}")
    same((seconds[5], seconds[6]), (0, 0), f"from 5 s to 7 s, of {seconds}")
    right(24000 / 8 < max(seconds[7], seconds[8]) <= 96000 / 8, f"from 7 s on: {seconds}")


@case("a file that lets nothing through for long is allowed, and `sluice check` warns of it")
def silent():
    folder = new_folder()
    (folder / "x.lua").write_text(UDP_SCENARIO.read_text())
    for text, duration, wanted in (
            ("0,0\n", 60, "found a rate of 0 in the whole run: nothing will be sent to an MS"),
            ("0,48000\n5,0\n", 60, "found a rate of 0 for 55 s on end, of a run of 60 s: nothing will be sent to an MS in that time"),
            ("0,48000\n5,0\n", 12, None), ("1000\n20000\n", 15, "found a rate of 0 for 14 s on end, of a run of 15 s: "
                                          "nothing will be sent to an MS in that time"), ("1000\n20000\n", 9, None), ("0,48000\n", 60, None)):
        (folder / "cell.csv").write_text(text)
        done = sluice("check", folder / "x.lua", *settings((*RADIO, "nse.bvc.radio.trace=cell.csv", f"run.duration={duration} s")))
        same(done.returncode, 0, f"{text!r}: exit status: {done.stderr}")
        found = [line.split("radio.trace: ")[-1] for line in done.stderr.splitlines() if "radio.trace: " in line]
        same(found, [wanted] if wanted else [], f"{text!r}, {duration} s: {done.stderr}")


main()
