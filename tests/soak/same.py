#!/usr/bin/python3
"""Two programs beside each other: the same summary.json and captures, byte for byte, for the scenarios of
the end-to-end tests, udp.lua with each AQM and each cipher, and random configurations.

    same.py OTHER [--random N] [--seed N] [--renamed OLD=NEW]...

OTHER is a program built of another commit; the one that it is compared with is build/release/sluice,
or what SLUICE names. --renamed gives a key of summary.json that has another name now.
"""

import argparse
import os
import pathlib
import random
import sys

os.environ.setdefault("SLUICE", str(pathlib.Path(__file__).resolve().parent.parent.parent
                                    / "build/release/sluice"))

from random_runs import Scenario  # noqa: E402
from harness import RESULTS, UDP_SCENARIO, Failure, aqm_names, new_folder, right, run, settings, sluice  # noqa: E402
from scenarios import SCENARIOS  # noqa: E402

AQM = 'class { name = "background", weight = 5, aqm { name = "%s" } }'
KEYS = {"gea3": "0011223344556677", "gea4": "00112233445566778899aabbccddeeff"}


def configurations(arguments):
    """Name, file and options of each."""
    for scenario in SCENARIOS:
        yield scenario.name, scenario.config(), scenario.options()
    text = UDP_SCENARIO.read_text()
    begin = text.index("class {\n")
    end = text.index("\n}\n", begin) + 3
    for name in aqm_names():
        path = new_folder() / "aqm.lua"
        path.write_text(text[:begin] + AQM % name + text[end:])
        yield f"udp.lua with {name}", path, []
    for cipher, key in KEYS.items():
        yield f"udp.lua with {cipher}", UDP_SCENARIO, settings(
            f"nse.bvc.ms[{ms}].{word}" for ms in (1, 2) for word in (f"cipher={cipher}", f"key={key}"))
    for number in range(1, arguments.random + 1):
        path = new_folder() / "random.lua"
        path.write_text(Scenario(random.Random(f"{arguments.seed}/{number}")).text())
        yield f"random {arguments.seed}/{number}", path, []


def results(program, config, options, renamed):
    """What a run leaves, by file, without the program's version, which names the commit; the old keys of the
    summary under their new names."""
    os.environ["SLUICE"] = program
    version = sluice("version").stdout.split()[1].encode()
    out = run(config, "--pcap", *options).out
    found = {name: (out / name).read_bytes().replace(version, b"VERSION") for name in RESULTS}
    for old, new in renamed:
        found["summary.json"] = found["summary.json"].replace(f'"{old}":'.encode(), f'"{new}":'.encode())
    return found


def compare(programs, config, options, renamed):
    other, ours = (results(program, config, options, names)
                   for program, names in zip(programs, (renamed, ())))
    differing = [name for name in RESULTS if other[name] != ours[name]]
    right(not differing, f"not the same: {' '.join(differing)}")
    return sum(map(len, ours.values()))


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("other", help="a program built of another commit")
    parser.add_argument("--random", type=int, default=20, help="configurations drawn (20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--renamed", action="append", default=[], metavar="OLD=NEW")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    programs = os.path.abspath(arguments.other), os.path.abspath(os.environ["SLUICE"])
    renamed = [pair.split("=", 1) for pair in arguments.renamed]
    passed = failed = 0
    for name, config, options in configurations(arguments):
        try:
            octets = compare(programs, config, options, renamed)
            passed += 1
            print(f"same    {name}: {octets} octets", flush=True)
        except Failure as why:
            failed += 1
            print(f"FAILED  {name} ({config}): {why}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
