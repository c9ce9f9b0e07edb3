#!/usr/bin/python3
"""`sluice audit` on captures of Sluice in hundreds of random worlds: those of gb/audit_world (test BSSs that do all
that BSSs may), of e2e/worlds with MSs that move and have calls on a Gb that takes no time, and, each third one, on
slow lines that lose and fragment; each third one with the IP sub-network service. Nothing may be reported; on slow
lines, and in captures of all of these that lack packets, no breach.

    audit.py [FIRST [COUNT]]    seeds, from 10000 on, 300 of them, each in two or three worlds; two at a time"""

import collections
import concurrent.futures
import os
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "gb"), str(TESTS / "e2e"), str(TESTS)]
os.environ.setdefault("SLUICE", str(TESTS.parent / "build/release/sluice"))
os.environ.setdefault("GB_WORLD", str(TESTS.parent / "build/release/tests/control/gb_world"))

import audit_capture
import audit_world
import lossy_captures
from harness import new_folder, run
from worlds import World, moving

LINE_S = "0.1"  # a burst's time on a Gb of 512 kbit/s
folder = new_folder()


def of_lab(world):
    return run(world.config(), "--pcap", "--no-page").out / "gb.pcap"


def of_test_bss(seed):
    path = folder / f"{seed}.pcap"
    audit_world.capture(seed, path)
    return path


def worlds_of(seed):
    """[(what, capture, tolerance, whether remarks count)]"""
    yield "test BSSs", lambda: of_test_bss(seed), "0", True
    yield "moving", lambda: of_lab(moving(seed)), "0", True
    if seed % 3 == 1:
        yield "SNS", lambda: of_lab(moving(seed, "sns")), "0", True
    if seed % 3 == 0:
        yield "lines", lambda: of_lab(World(seed, moving=seed % 2 == 1, duration_s=25)), LINE_S, False


def lossy(seed, what, path, tolerance, counts):
    """Without some of its frames: the breaches."""
    found, left = [], folder / f"{seed} {what}.pcap"
    for kind in lossy_captures.KINDS:
        lossy_captures.write(path, left, kind, seed)
        report = audit_capture.audit("--tolerance", tolerance, left)
        found += [f"{what}, without {kind}: frame {one['frame']}, {one['rule']}: {one['text']}"
                  for one in report["findings"] if one["weight"] == "breach"]
        counts.update({"lossy captures": 1, "taken back": report["input"]["findings_unsure"]})
    left.unlink()
    return found


def audited(seed):
    found, counts = [], collections.Counter()
    for what, capture, tolerance, remarks in worlds_of(seed):
        try:
            path = capture()
            report = audit_capture.audit("--tolerance", tolerance, path)
            found += lossy(seed, what, path, tolerance, counts)
            path.unlink()
            found += [f"{what}: frame {one['frame']}, {one['rule']} by the {one['who']}: {one['text']}"
                      for one in report["findings"] if remarks or one["weight"] == "breach"]
            counts.update({"worlds": 1, "frames": report["input"]["frames"], what: 1})
            counts["judged"] += sum(cell["bucket"]["pdus"] for cell in report["bvcs"] if cell["bucket"])
            for name in "before_values", "after_th", "findings_unsure", "enciphered", "pauses", "unknown_pdu":
                counts[name] += report["input"][name]
            counts.update(row["of"] for row in report["flow_control"])
            counts.update(event["what"] for event in report["events"])
        except Exception as error:  # of whatever kind: the seed is what counts
            found.append(f"{what}: {type(error).__name__}: {error}")
    return seed, found, counts


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    bad, counts = 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done, (seed, found, of_seed) in enumerate(pool.map(audited, range(first, first + count)), 1):
            counts += of_seed
            bad += bool(found)
            for text in found[:5]:
                print(f"seed {seed}: {text}")
            if done % 25 == 0 or done == count:
                print(f"{done} of {count} seeds, {counts['worlds']} worlds, {counts['frames']} frames, "
                      f"{counts['judged']} LLC PDUs judged, {bad} with faults", flush=True)
    print(", ".join(f"{name}: {number}" for name, number in sorted(counts.items())))
    print(f"{count - bad} passed, {bad} failed")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
