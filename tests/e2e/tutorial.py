#!/usr/bin/python3
"""config/README.md as a reader would type it: its Lua blocks are one file, which grows; each command prints the lines
below it."""

import csv
import json
import re

from harness import ROOT, case, check_sound, main, new_folder, right, same, sluice

PAGE = ROOT / "config/README.md"
LUA = re.compile(r"^```lua\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^    build/release/sluice (.*)\n((?:(?:    .*)?\n)*)", re.MULTILINE)


def steps():
    """(position, "lua", text), or (position, words, lines) of a command, in the order of the page."""
    text = PAGE.read_text()
    found = [(block.start(), "lua", block[1]) for block in LUA.finditer(text)]
    found += [(line.start(), line[1].split(), [one.strip() for one in line[2].splitlines() if one.strip()])
              for line in COMMAND.finditer(text)]
    return sorted(found, key=lambda step: step[0])


@case("the commands of config/README.md print what stands below them")
def tutorial():
    folder = new_folder()
    (folder / "config").symlink_to(ROOT / "config")
    commands = 0
    for _, step, text in steps():
        if step == "lua":
            with (folder / "first.lua").open("a") as file:
                file.write(text)
            continue
        done = sluice(*step, cwd=folder)
        same(done.returncode, 0, done.stderr)
        said = [line.strip() for line in done.stdout.splitlines()]
        for line in text:
            right(line in said, f"{' '.join(step)}: no line {line!r} in:\n{done.stdout}")
        commands += 1
    same(commands, 6, "commands on the page")
    check_sound(json.loads((folder / "out/first/summary.json").read_text()))
    drawn = re.sub("<[^>]+>", "", (folder / "out/slots/report.html").read_text())
    right("better in 30 of 33 outcomes, worse in 0, not told apart in 3" in re.sub(r"\s+", " ", drawn), drawn[:3000])
    right((folder / "out/one/gn.pcap").exists(), "no capture")
    one = {name: list(csv.DictReader((folder / f"out/one/{name}.csv").open())) for name in ("classes", "drops", "applications")}
    down = one["classes"][0]
    counts = int(down["lost_packets"]), int(down["under_way_packets"])
    same([(row["reason"], int(row["packets"])) for row in one["drops"] if row["by"] == "class"], [("expired", counts[0])], "losses")
    pings = [row for row in one["applications"] if row["application"] == "ping"]
    still = [sum(int(row[key]) for row in pings) for key in ("open_at_end", "round_trips", "unanswered")]
    for words in (f"none of the {sum(counts)} packets", f"counts {counts[0]} as lost, which expired in the BSS, and {counts[1]} as",
                  f"{still[0]} of {sum(still)} in the run above"):
        right(words in re.sub(r"\s+", " ", PAGE.read_text()), f"the page does not say {words!r}")


@case("the mistake of config/README.md is found, in the line that it says")
def mistake():
    folder = new_folder()
    (folder / "first.lua").write_text(LUA.search(PAGE.read_text())[1].replace("bvci = 2", "bvcj = 2"))
    done = sluice("check", "first.lua", cwd=folder)
    same(done.returncode, 2, "exit status")
    right(f"    {done.stderr.splitlines()[0]}\n" in PAGE.read_text(), done.stderr)


main()
