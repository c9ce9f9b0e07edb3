#!/usr/bin/python3
"""The tournament (tests/tournament) in small: two loads, two settings, two seeds; what is there is not run again; the
regrets are those of the figures."""

import csv
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys

from harness import ROOT, case, main, new_folder, right

sys.path.append(str(ROOT / "tests/tournament"))

from ablation import ABLATED, table, worth  # noqa: E402
from bound import Closed, least_left_first, least_possible  # noqa: E402
from catalogue import ALL, SETTINGS, UNSET  # noqa: E402
from judge import Judged, interval  # noqa: E402
from loads import CELLS, LOADS, SCENARIOS, Cell, imsi_of, known  # noqa: E402


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
    ours, greedy = (measuring.run(load, setting, 1) for setting in ("recommended", "without weights"))
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


def rows_of(*rows):
    head = "application,ms,class,transfers,ms_sent_octets,ms_arrived_octets,pages,page_mean_ms"
    return list(csv.DictReader([head, *rows]))


@case("the least and Jain's index are of downloads without an end: one of ten files never gets more than these")
def fair():
    def of(*rows, cell=None):
        return measuring.of_downloads(rows_of(*rows), 8, cell)

    bounded = ["ftp,1,background,10,0,100", "http,1,background,0,0,50", "http,1,interactive-1,0,0,7"]
    right(of(*bounded, "ftp,2,background,0,0,300", "ftp,3,background,0,0,300") == {
        "downloads": 750, "least user": 300, "jain": 1}, "beside files")
    right(of("http,1,background,0,0,300", "http,1,background,0,0,100") == {
        "downloads": 400, "least user": 100, "jain": 0.8}, "none without an end")
    right(of("http,1,interactive-1,0,0,7") == {}, "no download")
    small = f"ftp,{imsi_of('interactive-1', 50)},interactive-1,0,0,20"
    right(of("ftp,1,background,0,0,300", small, cell=Cell(small=1)) == {
        "downloads": 320, "least user": 300, "jain": 1}, "a small flow that is not over")
    right(of("ftp,1,background,0,0,300", "http,2,background,0,0,9", cell=Cell(web=[0], web_class="background")) == {
        "downloads": 300, "least user": 300, "jain": 1}, "a page in background")
    right(of("ftp,1,background,0,0,300", "ftp,2,background,0,90,3") == {
        "downloads": 300, "least user": 300, "jain": 1}, "an upload")


@case("a group's goodput is that of one of its phones, its page the mean of all of their pages")
def groups():
    cell = CELLS["2 on MCS-1 download, 14 on MCS-9 browse"]
    right({name: len(of) for name, of in cell.groups().items()} == {"fast": 14, "slow": 2}, cell.groups())
    right([len(of) for of in CELLS["8 on MCS-1 to MCS-9 download"].groups().values()] == [4, 4], "halves")
    few = Cell(downloads=range(3), radios={("background", n): coding for n, coding in enumerate(["CS-1", "CS-1", "CS-4"])})
    right(few.groups()["fast"] == {imsi_of("background", 2)}, "most are slow")
    rows = rows_of("http,1,interactive-1,0,0,300,1,1000", "http,2,interactive-1,0,0,100,3,2000",
                   "http,3,interactive-1,0,0,5,0,", "ftp,4,background,0,0,80,0,")
    right(measuring.of_groups(rows, 8, {"fast": {"1", "2"}, "slow": {"4"}, "none": {"3"}}) == {
        "goodput, fast": 200, "page mean, fast": 1750, "goodput, slow": 80, "goodput, none": 5, "page mean, none": 8000},
        "groups")


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


def checked(file, *arguments):
    done = subprocess.run([measuring.PROGRAM, "check", file, *arguments], capture_output=True, text=True, check=False)
    right(done.returncode == 0, f"{arguments}: {done.stderr}")
    return json.loads(done.stdout)


def with_setting(folder, load, setting):
    return measuring.arguments(LOADS[load], measuring.written(folder, measuring.changes(LOADS[load], load, setting, 1)))


@case("a setting with one AQM for all classes has the same one in each: recommended's own leave it nothing")
def one_for_all():
    folder, many = new_folder(), 0
    for setting, changes in SETTINGS.items():
        if not all(any(change.startswith(f"class[{name}].aqm.name=") for change in changes) for name in ALL):
            continue
        classes = checked(SCENARIOS / "quickstart.lua", *with_setting(folder, "quickstart", setting))["class"]
        aqms = {json.dumps([one["aqm"], one["scope"]]) for one in classes}
        right(len(classes) == len(ALL) and len(aqms) == 1, f"{setting}: {aqms}")
        many += 1
    right(many > 25, f"{many} settings")


@case("no settings are the defaults, though recommended.lua is there, too; each setting left out is one of these")
def defaults():
    folder, load = new_folder(), "weak cell"
    file = measuring.prepared(folder, LOADS[load], load, 1)
    plain, ours = checked(file), checked(file, *with_setting(folder, load, "no settings"))
    recommended = checked(file, *with_setting(folder, load, "recommended"))
    for one in ours["class"]:
        right(one.pop("bss_lifetime_most_ns") == 655 * 10 ** 9, "all that is left")
    right(sorted(plain["class"], key=str) == sorted(ours["class"], key=str), f"{plain['class']} {ours['class']}")
    for key in ("gb", "queue"):
        right(plain[key] == ours[key] != recommended[key], f"{key}: {plain[key]} {ours[key]}")
    for name in UNSET:
        right(checked(file, *with_setting(folder, load, f"without {name}")) not in (plain, recommended), name)


@case("a shaper at Gi has 90 % of what the load's cell carries, or its fastest MS")
def shaped():
    cell = "1 on MCS-1, 3 on MCS-9 download, no ECN"
    for setting, rate in ("CAKE by cell", 0.9 * 4 * (8.8 + 3 * 59.2) / 4), ("CAKE by MS", 0.9 * 4 * 59.2):
        changed = measuring.changes(LOADS[cell], cell, setting, 1)
        right(f"lab.cake.rate={round(1000 * rate)} bit/s" in changed, changed)


@case("the hosts of a load have ECN, or have not, as the load says")
def ecn():
    folder = new_folder()
    for name, load in LOADS.items():
        found = {tcp["ecn"] for tcp in checked(
            measuring.prepared(folder, load, name, 1), *measuring.arguments(load, None))["lab"]["tcp"]}
        right(found == {", no ECN" not in name}, f"{name}: {found}")


@case("a load with ECN is kept apart with the same one without; of those that are not known a third is")
def apart():
    others = [name for name in LOADS if name not in dict(known())]
    right(.25 < sum(not LOADS[name].chosen for name in others) / len(others) < .42, "a third")
    for name in others:
        right(LOADS[name].chosen == LOADS.get(f"{name}, no ECN", LOADS[name]).chosen, name)
    right(all(LOADS[name].chosen for name in dict(known())), "known ones")


def brute(page, capacity, downloads, best_page_s, best_least, floor_s, equality):
    """The least worst regret of a hundred thousand splits, written out."""
    steps = 100_000
    return min(max((page(capacity * k / steps) + floor_s) / (best_page_s + floor_s),
                   best_least / (equality * (capacity - capacity * k / steps) / downloads)) for k in range(1, steps))


@case("the least that is possible: the best of all splits; and the numbers of the weak cell and of ten that browse")
def bound():
    # N, W in kbit, Z, C in kbit/s, downloads, best page in s, best least in kbit/s, equality of the downloads, the least
    for browse, capacity, downloads, page_s, least, equality, expected in (
            (6, 22.8, 4, 20.45, 2.108, 1, 1.36), (6, 22.8, 4, 20.45, 2.108, .85, 1.43),
            (10, 33.45, 6, 23.5, 1.496, 1, 1.27), (10, 33.45, 6, 23.5, 1.496, .65, 1.43)):
        def page(share, browse=browse):
            return browse * 104.2 / share - 10

        given = capacity, downloads, page_s, least, .5, equality
        found = least_possible(page, lambda share: share, *given)
        right(abs(found / expected - 1) < .02, f"{found} for {expected}")
        right(abs(found / brute(page, *given) - 1) < 1e-3, f"{found}, by brute force {brute(page, *given)}")
    right(least_possible(lambda share: 8 / share, lambda share: share, 10, 1, 8, 1) == 1, "nobody wants what another has")
    wait_s, used, miss = Closed(6, 10, 4).fluid([(12, 42.1), (20, 21.26)])
    right(abs(wait_s(20) - 21.26) < .01 and used(7) == 7 and miss < .001, f"the law of these points: {wait_s(20)}, {miss}")


@case("a fluid that serves what has least left: against one in small steps")
def fluid():
    arrivals = [(0, 10), (1, 2), (1.5, 8), (20, 4), (20, 1)]
    left, now, sum_s, step = {}, 0.0, 0.0, .001
    while now < 60:
        left |= {i: size for i, (start, size) in enumerate(arrivals) if abs(start - now) < step / 2}
        if left:
            first = min(left, key=lambda i: left[i])
            left[first] -= 2 * step
            if left[first] <= 0:
                sum_s += now + step - arrivals[first][0]
                del left[first]
        now += step
    right(abs(least_left_first(arrivals, 2) - sum_s / len(arrivals)) < .01, f"{sum_s}")


@case("a page says what is least possible, and which settings are near")
def near():
    def seeds(page_s, least, browsing):
        return [{"sound": True, "goodput": 20_000, "page mean": 1000 * page_s, "least user": 1000 * least,
                 "downloads": 4000 * least, "browsing": 1000 * browsing}] * 2

    found = {("x", "plain"): seeds(42.1, 2.7, 12), ("x", "pages"): seeds(21.26, .7, 20), ("x", "between"): seeds(29, 1.87, 16)}
    judged = Judged(found, ["x"], ["plain", "pages", "between"], {"x": Closed(6, 10, 4)})
    text = judged.least_text("x")
    right(re.fullmatch(r"least possible 1\.39 \(its law misses a page by [0-3] % at most\); within 5 % of it: between", text), text)
    right(f"x: {text}" in judged.text(), judged.text())


@case("the table of the cells has a row for each thing that users notice, with its interval")
def cells():
    figures = [{"goodput": value, "goodput, fast": value, "page mean": value, "page mean, fast": value}
               for value in (1000, 2000, 3000)]
    lines = list(measuring.cells_table({(f"{name}, no ECN", setting): figures for name in CELLS
                                        for setting in measuring.CELLS_SETTINGS}))
    right(len(lines) == 2 + 11 and lines[2].count("| 2 ± 2.5 ") == 5, lines)


@case("what each setting of recommended.lua is worth, by figures that are known")
def ablation():
    def seeds(ping_ms, least):
        return [{"sound": True, "goodput": 20_000, "ping p95": ping_ms, "pings lost": 0, "page mean": 2000, "least user": least}]

    found = {(load, setting): seeds(150, 1000) for load in "xy" for setting in (*ABLATED, "plain", "recommended")}
    found["x", "without window"] = seeds(250, 500)
    judged = Judged(found, ["x", "y"], [*ABLATED, "plain", "recommended"])
    right(worth(judged, "without window", "ping p95") == {"x": 300 / 200, "y": 1}, "a ping's p95, with what nobody feels")
    rows = [line.split(" | ") for line in table(judged)]
    right([row[0] for row in rows[2:]] == [f"| {name.removeprefix('without ')}" for name in ABLATED], "rows")
    right(rows[2][1:5] == ["1.225 (1.00 to 1.50)", "1.000 (1.00 to 1.00)", "1.000 (1.00 to 1.00)", "1.414 (1.00 to 2.00)"], rows[2])
    right(rows[2][7] == "least user 2.00, x |", rows[2])


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
