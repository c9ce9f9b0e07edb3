#!/usr/bin/python3
"""A run of udp.lua: it is quick, says what it did, and does it again the same."""

import functools
import re
import resource

from harness import (CAPTURES, RESULTS, ROOT, UDP_SCENARIO, case, check_sound, differing, main, new_folder, right,
                     run, same, sluice)

BUSY_S_MAX = 5
DROPLESS = ROOT / "tests/config/mistakes/right.lua"


@functools.cache
def first():
    return run(UDP_SCENARIO, "--pcap")


def text_has(text, *patterns):
    for pattern in patterns:
        right(re.search(pattern, text, re.MULTILINE), f"no line matches {pattern!r} in:\n{text}")


@case(f"it ends with 0 and takes less than {BUSY_S_MAX} s of a processor's time")
def quick():
    start = resource.getrusage(resource.RUSAGE_CHILDREN)
    first()
    end = resource.getrusage(resource.RUSAGE_CHILDREN)
    took_s = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
    right(took_s < BUSY_S_MAX, f"it took {took_s:.1f} s")


def drops_by_reason(summary):
    """{reason: [packets, octets]} over all classes."""
    found = {}
    for of_class in summary["classes"].values():
        for reason, row in of_class["drops"].items():
            total = found.setdefault(reason, [0, 0])
            total[0] += row["packets"]
            total[1] += row["octets"]
    return found


@case("the text on stdout says what came, went, was dropped and why, and where the captures are")
def text():
    done, numbers = first(), first().summary["conservation"]
    for name, of_class in done.summary["classes"].items():
        text_has(done.stdout, rf"^  {name} +{of_class['in_packets']} +{of_class['in_octets']} "
                              rf"+{of_class['packets']} ")
    for reason, row in drops_by_reason(done.summary).items():
        text_has(done.stdout, rf"^  {reason} +{row[0]} packets +{row[1]} octets   \w")
    text_has(done.stdout, r"^udp: 10\.000 s of virtual time, seed 1$",
             rf"^  packets +{numbers['in']} in = {numbers['out']} out \+ {numbers['dropped']} "
             rf"dropped \+ {numbers['queued']} queued$",
             r"^  balanced: every packet is accounted for$",
             rf"^  results +{done.out}/summary\.json, run\.json, \*\.csv, gi\.pcap, gn\.pcap, gb\.pcap$",
             rf"^  page +{done.out}/report\.html$",
             rf"tshark -r {done.out}/gb\.pcap -d udp\.port==23000,gprs-ns$")


@case("the text says `none` of the drops where there are none, and there alone")
def no_drops():
    none = "\n  drops by reason\n  none\n\n"
    right(none not in first().stdout and "\n  none\n" not in first().stdout, first().stdout)
    done = run(DROPLESS)
    same(done.summary["conservation"]["dropped"], 0, "packets dropped")
    right(none in done.stdout, done.stdout)


@case("stderr has the line about memory and nothing else")
def memory_line():
    lines = first().stderr.splitlines()
    same(len(lines), 1, f"lines on stderr {lines}")
    text_has(lines[0], r"^memory: (huge|4 KiB) pages\b.*\d+ MiB")


@case("summary.json: complete, sound, balanced, also when added up by hand")
def summary():
    found = first().summary
    check_sound(found)
    same((found["scenario"], found["seed"], found["virtual_s"]), ("udp", 1, 10), "the run")
    same(list(found["classes"]), ["conversational", "interactive-1", "background"], "classes")
    for name, of_class in found["classes"].items():
        right(of_class["packets"] > 0, f"{name}: nothing was received")
        delays = [of_class["delay_ms"][key] for key in ("p50", "p95", "p99", "max")]
        right(0 < delays[0] and delays == sorted(delays), f"{name}: delays {delays}")
        same(of_class["goodput_bit_per_s"], of_class["octets"] * 8 // 10, f"{name}: goodput")
    same(found["worker"]["commands_refused"], 0, "commands_refused")
    same(list(found["applications"]), ["traffic"], "applications, by the names of their blocks")


@case("what its comments say: the burst is dropped from the background alone, speech stays quick")
def scheduler():
    classes = first().summary["classes"]
    right("aqm_in" in classes["background"]["drops"], "the AQM of the background dropped nothing")
    for name in ("conversational", "interactive-1"):
        same(classes[name]["drops"], {}, f"drops of {name}")
    # Speech goes before what else waits, so at most all four speak at once: four LLC PDUs of 110
    # octets at 40 kbit/s; and before the first of them the line, at 256 kbit/s, may have three
    # frames of 567 octets and then its own.
    bound_ms = 4 * 110 * 8 / 40 + (3 * 567 + 4 * 172) * 8 / 256
    right(classes["conversational"]["delay_ms"]["max"] < bound_ms,
          f"speech took {classes['conversational']['delay_ms']}, {bound_ms:.0f} ms are right")
    right(classes["background"]["delay_ms"]["max"] < 5000, "the background outlived its lifetime")


@case("run.json: no buffer is held at the end, be frames on their way to the BSS or not")
def buffers():
    cut = run(UDP_SCENARIO, "--set", "run.duration=3 s")
    right(cut.summary["lines"]["gb_frames_under_way"] > 0, "nothing was on its way at 3 s")
    for done in first(), cut:
        same(done.info["buffers_held_at_exit"], 0, "buffers_held_at_exit")


@case("two runs with one seed leave the same bytes in summary.json, tables, page and captures")
def one_seed():
    same(differing(first(), run(UDP_SCENARIO, "--pcap")), [], "results that differ")


@case("another seed leaves others")
def another_seed():
    other = run(UDP_SCENARIO, "--pcap", "--seed", "2")
    same(other.summary["seed"], 2, "seed")
    same(differing(first(), other), sorted({*RESULTS} - {"tcp.csv"}), "results that differ")  # no TCP


@case("without --pcap: the same results but the captures")
def no_captures():
    done = run(UDP_SCENARIO)
    same(sorted(path.name for path in done.out.iterdir()),
         sorted({"run.json", *RESULTS} - set(CAPTURES)), "files")
    same(sorted(differing(done, first())), sorted(CAPTURES), "results that differ")
    text_has(done.stdout, r"with --pcap also captures")


@case("without --out: the results are in out/NAME of the current folder")
def no_out():
    folder = new_folder()
    done = sluice("run", UDP_SCENARIO, "--pcap", cwd=folder)
    same(done.returncode, 0, f"exit status, {done.stderr}")
    same(sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")),
         [f"out/udp/{name}" for name in sorted({"run.json", *RESULTS})],
         "files")
    text_has(done.stdout, r"^  results +out/udp/summary\.json")


main()
