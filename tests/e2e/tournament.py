#!/usr/bin/python3
"""The tournament (tests/tournament) in small: two loads, two settings, two seeds; what is there is not run again; the
regrets are those of the figures."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys

from harness import ROOT, case, main, new_folder, right

sys.path.append(str(ROOT / "tests/tournament"))

from catalogue import ALL, SETTINGS  # noqa: E402
from judge import Judged, interval  # noqa: E402
from loads import SCENARIOS  # noqa: E402


def module_of(path):
    """This file has the same name, so no import finds that one."""
    spec = importlib.util.spec_from_file_location("the_tournament", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


measuring = module_of(ROOT / "tests/tournament/tournament.py")


def tournament(out):
    done = subprocess.run([sys.executable, "-B", ROOT / "tests/tournament/tournament.py", "--seeds", "1..2",
                           "--loads", "1 flows", "--settings", "recommended", "--out", out],
                          capture_output=True, text=True, check=False, env=os.environ)
    right(done.returncode == 0, done.stderr)
    return done


@case("a page with each load and setting, a run for each of these and each seed; nothing is run twice")
def small():
    out = new_folder()
    first = tournament(out)
    right("8 of 8 runs" in first.stderr, first.stderr)
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    right(len({line["key"] for line in lines}) == len(lines) == 8, f"{len(lines)} lines")
    page = (out / "index.html").read_text()
    for word in ("recommended", "plain", "1 flows in the MS that pings, no ECN", "ping p95", "&plusmn;"):
        right(word in page, f"no {word} on the page")
    right(float(re.search(r"^plain +([\d.]+)", first.stdout, re.M)[1]) > 10, first.stdout)
    seeds = {line["figures"]["ping p95"] for line in lines if line["setting"] == "plain"}
    right(len(seeds) > 1, "all seeds give the same")
    for figures in (line["figures"] for line in lines):
        right(figures["ping p50"] < figures["ping p95"], f"the median of the pings is their p95: {figures}")
    right(tournament(out).stderr == "", "runs again what is there")


@case("an MS that downloads in class streaming leaves four that browse and three that download a part of the cell")
def streaming():
    load = "4 that browse, 3 download, one does in streaming"
    ours, greedy = (measuring.run(load, setting, 1) for setting in ("recommended", "streaming by 900"))
    right(ours["page mean"] < 22_000 and ours["least user"] > 1750, f"recommended: {ours}")
    right(greedy["page mean"] > 60_000 and greedy["least user"] < 400, f"the load is none: {greedy}")


@case("regrets by hand: the ratio to the best of those with enough goodput, nobody's unfelt part, the worst and where")
def by_hand():
    def seeds(goodput, ping, page):
        return [{"sound": True, "goodput": goodput, "ping p95": ping, "page mean": page}] * 2

    judged = Judged({("x", "plain"): seeds(100, 950, 9500), ("x", "quick"): seeds(96, 450, 4500),
                     ("x", "idle"): seeds(94, 50, 500)}, ["x"], ["plain", "quick", "idle"])
    right(judged.qualified("x") == ["plain", "quick"], judged.qualified("x"))
    regrets = judged.regrets("x", "plain")
    right(regrets == {"goodput": 1, "ping p95": 1000 / 500, "page mean": 10000 / 5000}, regrets)
    right(judged.regrets("x", "idle")["ping p95"] == 100 / 500, "who has no goodput is no measure, but has a regret")
    regret, *where = judged.worst("quick")
    right(abs(regret - 100 / 96) < 1e-9 and where == ["x", "goodput"], judged.worst("quick"))
    right(judged.ranked()[0] == "quick", judged.ranked())
    right(judged.unsound() == [], "all are sound")
    judged.figures["x", "idle"][1] = judged.figures["x", "idle"][1] | {"sound": False}
    right(judged.unsound() == [("x", "idle")], "one seed is not sound")
    for figure, felt in (("ping p50", 3), ("delay of THP2 p95", 1), ("sent again", 1), ("time-outs", 1)):
        judged.regret["x", "quick"] = {"goodput": 1, figure: 3}
        right(judged.worst("quick")[0] == 3 and judged.worst("quick", felt=True)[0] == felt, figure)
    right(interval([1, 1, 1]) is None and abs(interval([1, 2, 3]) - 4.30 / 3 ** .5) < 1e-9, "intervals")


@case("a line that was cut off is left out, and no other with it")
def cut_off():
    path = new_folder() / "results.jsonl"
    for number in range(2):
        measuring.Store(path).put({"key": str(number)})
    path.write_text(path.read_text()[:-5])
    for number in range(2, 4):
        measuring.Store(path).put({"key": str(number)})
    right(list(measuring.Store(path).known) == ["0", "2", "3"], path.read_text())


@case("another dataplane is another program, though its front is the same")
def other_program():
    folder = new_folder()
    for name in ("sluice", "sluice-dpdk"):
        shutil.copy(measuring.PROGRAM.with_name(name), folder)
    before = measuring.digest(folder / "sluice")
    right(before == measuring.digest(measuring.PROGRAM), "the same program")
    with open(folder / "sluice-dpdk", "ab") as file:
        file.write(b"x")
    right(measuring.digest(folder / "sluice") != before, "another dataplane")


@case("the least and Jain's index are of downloads without an end: one of ten files never gets more than these")
def fair():
    folder = new_folder()

    def of(*rows):
        lines = ["application,class,transfers,ms_arrived_octets", *rows]
        (folder / "applications.csv").write_text("\n".join(lines) + "\n")
        return measuring.of_downloads(folder, 8)

    bounded = ["ftp,background,10,100", "http,background,0,50", "http,interactive-1,0,7"]
    right(of(*bounded, "ftp,background,0,300", "ftp,background,0,300") == {
        "downloads": 750, "least user": 300, "jain": 1}, "beside files")
    right(of("http,background,0,300", "http,background,0,100") == {
        "downloads": 400, "least user": 100, "jain": 0.8}, "none without an end")
    right(of("http,interactive-1,0,7") == {}, "no download")
    (folder / "applications.csv").write_text("application,class,transfers,ms_arrived_octets\n"
                                             "ftp,background,0,100\nftp,background,2,300\n")
    right(measuring.of_downloads(folder, 8, True) == {"downloads": 400, "least user": 100, "jain": 0.8}, "only files")


@case("a ping without an answer is lost, and pings and pages that never come take as long as the run")
def never():
    times = {"n": 75, "mean": 5, "p50": 4, "p95": 9}
    one = {"ping": {"missing": 0, "unanswered": 25, "round_trip_ms": times}, "http": {"page_ms": times}}
    right(measuring.of_applications(one, 60) == {
        "ping p50": 4, "ping p95": 9, "pings lost": 0.25, "page mean": 5, "page p95": 9}, "some come")
    none = {"ping": {"missing": 0, "unanswered": 25}, "http": {}}
    right(measuring.of_applications(none, 60) == {
        "ping p50": 60000, "ping p95": 60000, "pings lost": 1, "page mean": 60000, "page p95": 60000}, "none comes")
    right(measuring.of_applications({"ftp": {"transfer_ms": times}}, 60, True) == {"file mean": 5, "file p95": 9}, "files")
    right(measuring.of_applications({"ftp": {}}, 60, True) == {"file mean": 60000, "file p95": 60000}, "no file")


@case("what TCP sends again, and its time-outs, are of all applications, those a minute")
def tcp():
    of = [{"tcp": {"segments": 90, "retransmitted_segments": 9, "timeouts": 2}},
          {"tcp": {"segments": 10, "retransmitted_segments": 16, "timeouts": 3}}]
    right(measuring.of_applications({"ftp": of[0], "ptt": {}, "http": of[1] | {"page_ms": {"mean": 5, "p95": 9}}}, 120) == {
        "sent again": 0.25, "time-outs": 2.5, "page mean": 5, "page p95": 9}, "of both")


@case("other figures of the same program are others: what is there was measured without them")
def other_figures():
    folder = new_folder()
    shutil.copy(measuring.__file__, folder)
    same = module_of(folder / "tournament.py").digest(measuring.PROGRAM)
    right(same == measuring.digest(measuring.PROGRAM), "the same figures")
    with open(folder / "tournament.py", "a", encoding="utf-8") as file:
        file.write("# x\n")
    right(module_of(folder / "tournament.py").digest(measuring.PROGRAM) != same, "other figures")


@case("a setting with one AQM for all classes has the same one in each: recommended's own leave it nothing")
def one_for_all():
    folder, many = new_folder(), 0
    for setting, changes in SETTINGS.items():
        if not all(any(change.startswith(f"class[{name}].aqm.name=") for change in changes) for name in ALL):
            continue
        done = subprocess.run(
            [measuring.PROGRAM, "check", SCENARIOS / "quickstart.lua", "--set", f"@{SCENARIOS / 'recommended.lua'}",
             "--set", f"@{measuring.written(folder, setting)}"], capture_output=True, text=True, check=False)
        right(done.returncode == 0, f"{setting}: {done.stderr}")
        classes = json.loads(done.stdout)["class"]
        aqms = {json.dumps([one["aqm"], one["scope"]]) for one in classes}
        right(len(classes) == len(ALL) and len(aqms) == 1, f"{setting}: {aqms}")
        many += 1
    right(many > 30, f"{many} settings")


@case("the hosts of a load have ECN, or have not, as the load says")
def ecn():
    folder = new_folder()
    for name, load in measuring.LOADS.items():
        file = folder / "load.lua"
        file.write_text(measuring.configuration(load, name, 1))
        done = subprocess.run(
            [measuring.PROGRAM, "check", SCENARIOS / load.file if load.file else file, *measuring.arguments(load, None)],
            capture_output=True, text=True, check=False)
        right(done.returncode == 0, f"{name}: {done.stderr}")
        found = [tcp["ecn"] for tcp in json.loads(done.stdout)["lab"]["tcp"]]
        right(found == [", no ECN" not in name], f"{name}: {found}")


@case("what a cell loses, its pings say")
def lost():
    out = new_folder()
    done = subprocess.run([sys.executable, "-B", ROOT / "tests/tournament/tournament.py", "--seeds", "1..1", "--loads",
                           "16 flows", "--settings", "red 2 6, ms", "--out", out],
                          capture_output=True, text=True, check=False, env=os.environ)
    right(done.returncode == 0, done.stderr)
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    right(any(line["figures"]["pings lost"] > 0 for line in lines), "no ping is lost, whatever the setting")


if __name__ == "__main__":
    main()
