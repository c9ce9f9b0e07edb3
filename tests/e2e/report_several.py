#!/usr/bin/python3
"""The page of several runs of one command: which variant is better, by how much and how sure that is, the means with
their intervals, and curves of which one is all seeds of a variant; of summaries with typed numbers, worked out here once
more, and of made-up runs."""

import csv
import html
import json
import math
import re
import statistics

from harness import case, main, new_folder, right, same
from pages import number, page_of, world
from pictures import dots_of, lines_of, said_of, same_said, series_colour

T = {2: 4.302653, 4: 2.776445, 9: 2.262157}  # Student's t at 0.975, of a table


def interval(samples):
    return T[len(samples) - 1] * statistics.stdev(samples) / len(samples) ** 0.5


def gathered(values, missing=(), seeds=None):
    """A summary of values by variant, point, ("applications" or "classes", subject, figure): a value for each seed."""
    groups, runs = [], []
    for (variant, point), outcomes in values.items():
        texts = {**({"variant": variant} if variant else {}), **({"point": point} if point else {})}
        group = {**texts, "applications": {}, "classes": {}}
        own = [{**texts, "seed": (seeds or {}).get((variant, point), 1) + i,
                "folder": "/".join(part for part in (variant, point, str(i + 1)) if part),
                "complete": True, "applications": {}, "classes": {}} for i in range(len(next(iter(outcomes.values()))))]
        for (what, subject, figure), samples in outcomes.items():
            group[what].setdefault(subject, {})[figure] = {
                "runs": len(samples), "mean": statistics.fmean(samples) if samples else None,
                "ci95": interval(samples) if len(samples) > 1 else None}
            for run, sample in zip(own, samples):
                run[what].setdefault(subject, {})[figure] = sample
        groups.append(group)
        runs += own
    return {"scenario": "typed", "missing": list(missing), "variants": groups, "runs": runs}


def typed_page(values, **more):
    """The page of a folder with that summary and one run of its list."""
    folder, summary = new_folder(), gathered(values, **more)
    world(folder / summary["runs"][0]["folder"])
    (folder / "summary.json").write_text(json.dumps(summary))
    return page_of(folder)


def plain(text):
    words = " ".join(number(re.sub(r"<.*?>", " ", text)).replace("&plusmn;", "\u00b1").split())
    return re.sub(" ([:,.])", r"\1", words)


def sentences(text):
    sections = re.findall(r'<section class="answer">(.*?)</section>', text, re.DOTALL)
    return [plain(item) for item in re.findall("<li>(.*?)</li>", "".join(sections), re.DOTALL)]


PING, PAGE = ("applications", "ping", "round_trip_p95_ms"), ("applications", "http", "page_mean_ms")
DOWNLOAD, MARKS = ("applications", "ftp", "goodput_bit_per_s"), ("classes", "background", "marks")
BEFORE = {PING: [9000, 9100, 9200], PAGE: [5000, 5400, 5200], DOWNLOAD: [48000, 50000, 52000], MARKS: [0, 0, 0]}
AFTER = {PING: [800, 850, 990], PAGE: [5100, 5350, 5210], DOWNLOAD: [45000, 47100, 49000], MARKS: [3, 4, 8]}


def mean(samples, unit=1):
    """As the page has it, where these digits are the right ones."""
    return f"{statistics.fmean(samples) / unit:.3g} \u00b1 {interval(samples) / unit:.3g}"


@case("two variants: better, worse and not told apart, by the difference of the same seeds, in sentences")
def two():
    _, text = typed_page({("old", ""): BEFORE, ("<new>", ""): AFTER})
    found = sentences(text)
    ping = [a - b for a, b in zip(BEFORE[PING], AFTER[PING])]
    page = [a - b for a, b in zip(AFTER[PAGE], BEFORE[PAGE])]
    load = [(a - b) / 1000 for a, b in zip(BEFORE[DOWNLOAD], AFTER[DOWNLOAD])]
    right(abs(statistics.fmean(page)) < interval(page) and interval(load) < statistics.fmean(load) < interval(BEFORE[DOWNLOAD]),
          "these samples are a tie, and one that the same seeds alone tell")
    same(found[0], f"ping: round trip p95: &lt;new&gt; 880 \u00b1 245 ms, old 9100 \u00b1 250 ms: 90.3 % less, sure "
                   f"(difference {statistics.fmean(ping) / 10:.0f}0 \u00b1 {interval(ping) / 10:.0f}0 ms).", "better")
    same(found[1], f"http: page time mean: not told apart: old 5200 \u00b1 500 ms, &lt;new&gt; 5220 \u00b1 310 ms "
                   f"(difference {statistics.fmean(page):.1f} \u00b1 {interval(page):.1f} ms).", "tie")
    same(found[2], f"ftp: goodput: old 50.0 \u00b1 5.0 kbit/s, &lt;new&gt; 47.0 \u00b1 5.0 kbit/s: 6.31 % more, sure "
                   f"(difference {statistics.fmean(load):.2f} \u00b1 {interval(load):.2f} kbit/s).", "worse")
    tally = "&lt;new&gt; beside old: better in 1 of 3 outcomes, worse in 1, not told apart in 1"
    right(f"3 seeds of each. {tally}." in plain(text), "the sum of them")
    same(found[3:], [tally,
                     "ftp: goodput: &lt;new&gt; 47.0 \u00b1 5.0 kbit/s, old 50.0 \u00b1 5.0 kbit/s"], "all outcomes")


@case("a variant that has none of an outcome is not worse in it; what the arithmetic adds is no interval")
def odd_outcomes():
    _, text = typed_page({("a", ""): {PING: [7, 8, 9], DOWNLOAD: [48000, 49000, 50000]}, ("b", ""): {PING: [7, 8, 10]}})
    right("b beside a: better in 0 of 1 outcomes, worse in 0, not told apart in 1." in plain(text), "the sum of them")
    same(sentences(text)[1:], ["ftp: goodput: a 49.0 \u00b1 2.5 kbit/s; no other variant has it."], "an outcome of one variant")
    _, text = typed_page({("a", "x=1"): {PING: [7, 8, 9], DOWNLOAD: [48000, 49000, 50000]}, ("a", "x=2"): {PING: [7, 8, 9]},
                          ("b", "x=1"): {PING: [7, 8, 9], DOWNLOAD: [48000, 50000, 51000]}, ("b", "x=2"): {PING: [7, 8, 9]}})
    right("at x=2: no run has it" in " ".join(sentences(text)), f"an outcome that no run has at a point: {sentences(text)}")
    samples = [(73 + i) / 10 for i in range(10)]
    right(len({sample + 10 - sample for sample in samples}) > 1, "differences of these samples are alike but for the arithmetic")
    _, text = typed_page({("a", ""): {PING: samples}, ("b", ""): {PING: [sample + 10 for sample in samples]}})
    right("sure (difference 10.0 ms with every seed)" in sentences(text)[0], sentences(text)[0])


@case("names of points as long as they may be, and folders deeper than that, are told apart")
def long_names():
    points = ["x=" + 197 * "y" + end for end in "12"]
    values = {(variant, point): {PING: [base, base + 1, base + 2]} for variant in (63 * "v" + "a", 63 * "v" + "b")
              for point, base in zip(points, (10, 50))}
    page, text = typed_page(values)
    same([(row[1], row[2]) for row in cells(page)], list(zip(points, ("11.0 \u00b1 2.5", "51.0 \u00b1 2.5"))), "means")
    right("2 points, 3 seeds of each" in plain(text), "seeds")
    folder, summary = new_folder().joinpath(*6 * [40 * "d"]), gathered({("a", ""): BEFORE, ("b", ""): AFTER})
    for name in "ab":
        world(folder / name / "1")
    (folder / "summary.json").write_text(json.dumps(summary))
    _, text = page_of(folder)
    names = re.search(r'<ul class="names">(.*?)</ul>', text).group(1)
    same(re.findall(r"</i>([^<]*)<", names), ["a", "b"], "curves")


def cells(page):
    one, several = (page.tables.get(heading) for heading in ("The figures of one seed", "Means over the seeds"))
    right(not (one and several), "a table of one seed and one of several")
    return [[number(cell) for cell in row] for row in (one or several)[1:]]


@case("the means: three significant digits; no interval of one seed, or where the seeds change nothing; bold if surely best")
def means():
    page, text = typed_page({("a", "x=1"): {PING: [7, 7, 7], PAGE: [0.5, 0.6, 0.7]}, ("b", "x=1"): {PING: [9, 8, 9], PAGE: []},
                             ("a", "x=2"): {PING: [8.5, 8.4, 8.6], PAGE: [12345, 12355, 12365]}, ("b", "x=2"): {PING: [8.5], PAGE: [1]}})
    same(cells(page), [["ping: round trip p95, ms", "x=1", "7.00 alike", f"8.67 \u00b1 {interval([9, 8, 9]):.2f}"],
                       ["ping: round trip p95, ms", "x=2", "8.50 \u00b1 0.25", "8.50 (1 run)"],
                       ["http: page time mean, ms", "x=1", "0.600 \u00b1 0.248", "\u2013"],
                       ["http: page time mean, ms", "x=2", "12400 \u00b1 25", "1.00 (1 run)"]], "cells")
    same(re.findall(r"<strong>(7.00|0.600|8.50|8.67)", text), ["7.00"], "bold")
    right("Alike: the seeds change nothing in it" in text, "what alike means")
    page, text = typed_page({("a", ""): {PING: [7]}, ("b", ""): {PING: [9]}})
    same(cells(page), [["ping: round trip p95, ms", "7.00", "9.00"]], "one seed")
    same(sentences(text), ["ping: round trip p95: a 7.00 ms, b 9.00 ms: 22.2 % less, one seed gives no interval: how sure is not known."], "one seed")
    right("The figures of one seed" in page.titles and "95 %" not in re.sub("<style>.*?</style>", "", text, flags=re.DOTALL), "words of intervals")
    right("One seed: there is no interval" in text and "\u00b1" not in text and "&plusmn;" not in text, "no interval")


@case("more variants at points: the best, the next, ties; other seeds are not paired; where a variant is worse than the first")
def more():
    values = {("a", "x=1"): {PING: [10, 11, 12]}, ("a", "x=2"): {PING: [10, 11, 12]},
              ("b", "x=1"): {PING: [10, 12, 11]}, ("b", "x=2"): {PING: [1, 2, 3]},
              ("c", "x=1"): {PING: [20, 21, 22]}, ("c", "x=2"): {PING: [4, 5, 6]}}
    _, text = typed_page(values, missing=["c/x=2/3"])
    same(sentences(text)[0], "ping: round trip p95: at x=1: not told apart: a 11.0 \u00b1 2.5 ms, b 11.0 \u00b1 2.5 ms; surely worse than a: c 21.0 \u00b1 2.5 ms at x=2: "
         "b 2.00 \u00b1 2.48 ms is best; next c 5.00 \u00b1 2.48 ms: 60.0 % less, sure (difference 3.00 ms with every seed) at each point best, or not told apart from the best: b.", "sentence")
    same(sentences(text)[1:], ["b beside a: better in 1 of 2 outcomes, worse in 0, not told apart in 1",
                               "c beside a: better in 1 of 2 outcomes, worse in 1, not told apart in 0",
                               "ping: round trip p95, at x=1: c 21.0 \u00b1 2.5 ms, a 11.0 \u00b1 2.5 ms"], "beside the first")
    right("1 of 18 runs are missing" in text, "what is missing")
    _, text = typed_page(values, seeds={("c", "x=2"): 7})
    right("no seed that both have" in sentences(text)[0], sentences(text)[0])


@case("over all points: who is best or not told from the best at each, or that nobody is; a variant that changes nothing is the same")
def over_all():
    for b, said in (([20, 21, 22], "no variant is best, or not told apart from the best, at each point."),
                    ([2, 3, 4], "at each point best, or not told apart from the best: a, c.")):
        a, worse = [1, 2, 3], [31, 32, 33]
        _, text = typed_page({("a", "x=1"): {PING: a}, ("a", "x=2"): {PING: worse if b[0] > 9 else [3, 2, 4]},
                              ("b", "x=1"): {PING: worse}, ("b", "x=2"): {PING: b},
                              ("c", "x=1"): {PING: a}, ("c", "x=2"): {PING: worse if b[0] > 9 else [3, 2, 4]}})
        right(sentences(text)[0].endswith(said), sentences(text)[0])
        same(sentences(text)[2], "c beside a: the same in all 2 outcomes, with every seed", "a variant that changes nothing")
    _, text = typed_page({(name, x): {PING: [10]} for name in "ab" for x in ("x=1", "x=2")})
    right("at each point" not in sentences(text)[0] and "the same in" not in plain(text), "one seed")


@case("of three variants one is the best only if it is told from both others; what is worse says than which")
def three():
    a, b = [10, 11, 12], [13, 14, 15]
    for c, rank, behind in (([20, 21, 22], "is best", ""), ([10, 11, 40], "has the best mean", "; not told apart from c 20.3 \u00b1 42.3 ms")):
        _, text = typed_page({(name, ""): {PING: samples} for name, samples in (("a", a), ("b", b), ("c", c))})
        same(sentences(text)[0], f"ping: round trip p95: a 11.0 \u00b1 2.5 ms {rank}; next b 14.0 \u00b1 2.5 ms: 21.4 % less, sure "
             f"(difference 3.00 ms with every seed){behind}.", rank)
    _, text = typed_page({(name, ""): {PING: samples} for name, samples in (("a", [10]), ("b", [20]), ("c", [30]))})
    same(sentences(text)[0], "ping: round trip p95: a 10.0 ms has the best figure; next b 20.0 ms: 50.0 % less, one seed gives no interval: "
         "how sure is not known.", "one seed")
    _, text = typed_page({(name, ""): {PING: samples} for name, samples in (("a", a), ("b", [10, 11, 13]), ("c", b), ("d", [15, 16, 17]))})
    same(sentences(text)[0], "ping: round trip p95: not told apart: a 11.0 \u00b1 2.5 ms, b 11.3 \u00b1 3.8 ms; surely worse than a: "
         "c 14.0 \u00b1 2.5 ms, d 16.0 \u00b1 2.5 ms.", "two that are worse")


@case("where several are compared with the best at once, an interval is wider: a difference that tells two apart is chance")
def at_once():
    values = {("a", ""): {PING: [10, 20, 30]}, ("b", ""): {PING: [14, 26, 38]}, ("c", ""): {PING: [15, 26, 37]}}
    differences = [4, 6, 8]  # of b; t of the three pairs at once is 7.6488 by numerical integration
    half = interval(differences)
    right(half < 6 < half * 7.6488 / T[2], "told apart alone, and not beside a third")
    two = {key: values[key] for key in list(values)[:2]}
    same(sentences(typed_page(two)[1])[0], "ping: round trip p95: a 20.0 \u00b1 24.8 ms, b 26.0 \u00b1 29.8 ms: 23.1 % less, sure "
                                           f"(difference 6.00 \u00b1 {half:.2f} ms).", "two")
    page, text = typed_page(values)
    same(sentences(text)[0], "ping: round trip p95: not told apart: a 20.0 \u00b1 24.8 ms, b 26.0 \u00b1 29.8 ms; surely worse than a: "
                             "c 26.0 \u00b1 27.3 ms.", "three: c differs by 5, 6 and 7")
    right("wide enough for all pairs of variants at once (Bonferroni)" in plain(text), "the page says so")


@case("a mean of few pings, pages or transfers a run says so, with their number, and how many there were is an outcome")
def few():
    pings = ("applications", "ping", "round_trips")
    _, text = typed_page({("a", ""): {PING: [10, 20, 30], pings: [12, 14, 16]}, ("b", ""): {PING: [40, 50, 60], pings: [29, 29, 30]}})
    right(sentences(text)[0].endswith("sure (difference 30.0 ms with every seed) (means of few: 14.0 to 29.3 pings a run; run longer)."),
          sentences(text)[0])
    right("b beside a: better in 1 of 2 outcomes, worse in 1" in plain(text), "more pings answered is better")
    _, text = typed_page({("a", ""): {PING: [10, 20, 30], pings: [30, 30, 30]}, ("b", ""): {PING: [40, 50, 60], pings: [31, 30, 30]}})
    right("few" not in sentences(text)[0], sentences(text)[0])
    folder, summary = new_folder(), gathered({(name, ""): {PING: [mean], pings: [2]} for name, mean in (("a", 10), ("b", 40))})
    for group in summary["variants"]:  # of 20 batches of a run, each with two pings
        for figure in group["applications"]["ping"].values():
            figure.update(batches=20, ci95=1)
    world(folder / summary["runs"][0]["folder"])
    (folder / "summary.json").write_text(json.dumps(summary))
    right("few" not in sentences(page_of(folder)[1])[0], "40 pings a run")
    summary["variants"][0]["applications"]["ping"]["pages"] = summary["variants"][1]["applications"]["ping"]["pages"] = {"runs": 1, "mean": 0}
    (folder / "summary.json").write_text(json.dumps(summary))
    right("pages finished" not in page_of(folder)[1], "pings have no pages")


@case("the folders of two commands: each has its own answer, under its name, and its own colours")
def two_commands():
    folders = [new_folder(), new_folder()]
    for folder, names in zip(folders, (("a", "b"), ("a", "c"))):
        summary = gathered({(names[0], ""): BEFORE, (names[1], ""): AFTER})
        for name in names:
            world(folder / name / "1")
        (folder / "summary.json").write_text(json.dumps(summary))
    page, text = page_of(*folders)
    places = [text.index(words) for folder in folders for words in (f"<h2>In {folder}</h2>", "Which is better")]
    same(text.count("Which is better"), 2, "answers")
    right(places[0] < places[1] < places[2], "the folder's name stands before its answer")
    legend = re.search(r'<ul class="names">(.*?)</ul>', text).group(1)
    wanted = [(colour, f"{folder}/{name}") for colour, (folder, name) in enumerate(
        (folder, name) for folder, names in zip(folders, ("ab", "ac")) for name in names)]
    same([(int(colour), name) for colour, name in re.findall(r"--s(\d)\)\"></i>([^<]*)<", legend)], wanted, "legend")
    swatches = dict(re.findall(r'<i style="border-color:var\(--s(\d)\)"></i>([abc])</span>', text))
    same(swatches, {"0": "a", "1": "b", "2": "a", "3": "c"}, "colours in sentences and tables")
    same(len(page.tables["Means over the seeds"]), 2 * (1 + len(BEFORE)), "means")


def loose(values, folder, seeds=(1,), **more):
    """Runs of no common command, a folder for each seed, or with one seed the folder itself. values: typed figures of each seed."""
    for i, seed in enumerate(seeds):
        run = world(folder / str(i) if len(seeds) > 1 else folder, seed=seed)
        summary = json.loads((run / "summary.json").read_text())
        own = {name: samples[i] for name, samples in values.items()}
        (run / "summary.json").write_text(json.dumps({**summary, **more, "applications": {
            "ping": {"goodput_bit_per_s": own["ping"], "round_trip_ms": {"n": 30, "mean": own["ping"] / 2, "p95": own["ping"]}},
            "ftp": {"goodput_bit_per_s": own["ftp"], "transfer_ms": None}}}))
    return folder


OWN_OLD, OWN_NEW = {"ping": [9000, 9100, 9200], "ftp": [48000, 50000, 52000]}, {"ping": [800, 850, 990], "ftp": [45000, 47100, 49000]}


@case("two runs of no common command: which is better and by how much; one seed has no interval, and the page says so")
def own_runs():
    old, new = loose(OWN_OLD, new_folder() / "old"), loose(OWN_NEW, new_folder() / "new", overrides=["queue.octets=9 kB"])
    page, text = page_of(old, new)
    known = "one seed gives no interval: how sure is not known"
    same(sentences(text)[:2], [f"ping: round trip p95: {new} 800 ms, {old} 9000 ms: 91.1 % less, {known}.",
                               f"ftp: goodput: {old} 48.0 kbit/s, {new} 45.0 kbit/s: 6.67 % more, {known}."], "sentences")
    right("2 variants, 1 seed of each." in plain(text), "seeds")
    right("\u00b1" not in text and "&plusmn;" not in text and "95 % interval" not in text, "an interval of one seed")
    right("<h2>The figures of one seed</h2>" in text and "Means over" not in text, "means of one seed")
    means_of = {row[0]: row[1:] for row in cells(page)}
    same(means_of["ping: round trip p95, ms"], ["9000", "800"], "means")
    same(means_of["background: dropped in the SGSN"], 2 * [str(1.0 * sum(drop["packets"] for drop in json.loads(
        (old / "summary.json").read_text())["classes"]["background"]["drops"].values()))], "drops")
    same(page.tables["Settings of the variants"][1:], [["queue.octets", "64 kB", "9 kB"], ["run.seed", '<7> & "x"', "not set"]], "settings")
    right("these runs differ" not in text, "a difference that is none")


@case("folders of runs of no common command: the differences of the same seeds; two runs of one seed are not compared")
def own_folders():
    def both(news=(4, 5, 6), olds=(4, 5, 6), **more):
        folder = new_folder()
        loose(OWN_OLD, folder / "old", olds)
        loose(OWN_NEW, folder / "new", news, **more)
        return page_of(folder)[1]

    ping = [a - b for a, b in zip(OWN_OLD["ping"], OWN_NEW["ping"])]
    same(sentences(both())[0], "ping: round trip p95: new 880 \u00b1 245 ms, old 9100 \u00b1 250 ms: 90.3 % less, sure "
         f"(difference {statistics.fmean(ping) / 10:.0f}0 \u00b1 {interval(ping) / 10:.0f}0 ms).", "three seeds")
    text = both((4, 4, 6))
    right("Which is better" not in text and "a run beside it has the same seed" in text, "two runs of one seed")
    text = both((7, 8, 9), scenario="other", virtual_s=7, warmup_s=2)
    right("no seed that both have: how sure is not known" in sentences(text)[0], sentences(text)[0])
    right("Compare with care: these runs differ in scenario, virtual_s, warmup_s." in text, "what else they differ in")
    right("2 variants, 3 seeds of each" in plain(text), "seeds")
    right("2 variants, at most 3 seeds of each." in plain(both((4, 5))), "two seeds beside three")
    ping = [a - b for a, b in zip(OWN_OLD["ping"][1:], OWN_NEW["ping"])]  # 8300, 8350
    right(f"sure (difference {statistics.fmean(ping) / 100:.0f}" in sentences(both((5, 6)))[0], sentences(both((5, 6)))[0])
    text = plain(both((4,)))
    right("old beside new: not judged, because no two seeds are of both" in text, "one seed beside three")
    text = both((4,), (4,), sound=False)
    right("1 of 2 runs are missing, or not complete" in text and "no other variant has it" in text, "a run that is not sound")


@case("two folders, each with the runs of some seeds and no common command: each folder is one variant")
def own_seeds():
    seeds = 4, 5, 6
    old, new = loose(OWN_OLD, new_folder() / "old", seeds), loose(OWN_NEW, new_folder() / "new", seeds, overrides=["queue.octets=9 kB"])
    text = page_of(old, new)[1]
    right("2 variants, 3 seeds of each" in plain(text), "seeds")
    ping = [a - b for a, b in zip(OWN_OLD["ping"], OWN_NEW["ping"])]
    same(sentences(text)[0], f"ping: round trip p95: {new} 880 \u00b1 245 ms, {old} 9100 \u00b1 250 ms: 90.3 % less, sure "
         f"(difference {statistics.fmean(ping) / 10:.0f}0 \u00b1 {interval(ping) / 10:.0f}0 ms).", "three seeds")
    page, text = page_of(old)
    same(dict(row[:2] for row in cells(page))["ping: round trip p95, ms"], "9100 \u00b1 250", "the means of one folder alone")
    right("Which is better" not in text and "not compared" not in text, "one folder is compared")
    for differing in ("overrides", ["queue.octets=7 kB"]), ("version", "0.0.1"), ("config_sha256", "00"), ("seed", 5):
        summary = json.loads((new / "0/summary.json").read_text())
        (new / "0/summary.json").write_text(json.dumps({**summary, differing[0]: differing[1]}))
        right("4 variants" in plain(page_of(old, new)[1]), f"runs that differ in {differing[0]}")
        (new / "0/summary.json").write_text(json.dumps(summary))


@case("more points than sentences have room for: at how many each variant is surely the best")
def many_points():
    values = {(variant, f"x={x}"): {PING: [base + 1, base + 2, base + 3]} for x in range(9)
              for variant, base in (("a", 10), ("b", 20 if x < 5 else 4 if x < 7 else 10))}
    same(sentences(typed_page(values)[1])[0], "ping: round trip p95: surely the best is a at 5 of 9 points, b at 2 of 9 points; none at 2.",
         "the first outcome")


@case("more points than a page has room for: the first of each variant are compared, and the page says that there are more")
def too_many_points():
    values = {(variant, f"x={x}"): {PING: [base + x, base + x + 1, base + x + 2]} for variant, base in (("a", 10), ("b", 20)) for x in range(130)}
    page, text = typed_page(values)
    same(sentences(text)[0], "ping: round trip p95: surely the best is a at 128 of 128 points.", "the first outcome")
    same(cells(page)[127], ["ping: round trip p95, ms", "x=127", "138 \u00b1 2", "148 \u00b1 2"], "the last point")
    right("Only 256 variants at points are here; the files have all" in text, "there are more")


@case("one variant: nothing is better; a summary without anything is a page")
def one():
    page, text = typed_page({("", ""): BEFORE})
    right("<code>sluice help csv</code>" in text, "where the columns are explained")
    right("Which is better" not in text and cells(page)[0] == ["ping: round trip p95, ms", "9100 \u00b1 250"], "one variant")
    folder = new_folder()
    world(folder / "1")
    for wrong in {}, {"variants": 7}, {"variants": [7, {}, {"variant": 7, "applications": []}]}, {
            "variants": [{"variant": f"v{i}", "point": f"p{i}", "applications": {"ping": {"round_trip_p95_ms": {
                "runs": 1e300, "mean": 1e300, "ci95": -1}}, "http": {"page_mean_ms": {"runs": 2, "mean": -5, "ci95": 1e300}}}}
                for i in range(700)]}:
        (folder / "summary.json").write_text(json.dumps({"runs": [{"folder": "1"}], **wrong}))
        page_of(folder)
    for name in "delays.csv", "series_classes.csv", "series_cells.csv", "series_flows.csv":
        (folder / "1" / name).unlink()
    for i in range(2, 601):
        (folder / str(i)).mkdir()
        (folder / str(i) / "summary.json").write_bytes((folder / "1/summary.json").read_bytes())
    (folder / "summary.json").write_text(json.dumps({"runs": [{"folder": f"{i}", "variant": f"v{i}"} for i in range(1, 3001)]}))
    same(len(page_of(folder)[0].tables["What was run"]) - 1, 512, "runs of more variants than a page has room for")


@case("the figure of two variants: bars from 0 as long as the means, with their intervals")
def bars():
    _, text = typed_page({("old", ""): BEFORE, ("new", ""): AFTER})
    picture = re.search(r'<svg class="bars".*?</svg>', text, re.DOTALL).group(0)
    widths = re.findall(r'<rect x="0" y="\d+" width="([\d.]+)%" height="10" fill="var\(--s(\d)\)"/>\s*'
                        r'<rect x="([\d.]+)%" y="\d+" width="([\d.]+)%"', picture)
    wanted = []
    for outcome in PING, PAGE, DOWNLOAD:
        samples = BEFORE[outcome], AFTER[outcome]
        most = max(statistics.fmean(own) + interval(own) for own in samples)
        for colour, own in enumerate(samples):
            middle, half = statistics.fmean(own), interval(own)
            wanted.append((middle, colour, middle - half, 2 * half, most))
    same(len(widths), len(wanted), f"bars {widths}")
    for found, (middle, colour, low, width, most) in zip(widths, wanted):
        same(int(found[1]), colour, "colour")
        for one, other in zip((found[0], found[2], found[3]), (middle, low, width)):
            right(abs(float(one) - 99 * other / most) < 0.011, f"{found}: right is {99 * other / most}")


@case("the settings in which variants differ, a row for each key, folded behind the results; and no list for each run")
def settings():
    folder, summary = new_folder(), gathered({("a", "x=1"): BEFORE, ("<b>", "x=1"): AFTER})
    for group, lines in zip(summary["variants"], (["k=1", "same=s", "k=2", "only=<i>"], ["same=s", "k=3", "e", 7])):
        group["overrides"] = lines
    run = world(folder / "a/x=1/1")
    (folder / "summary.json").write_text(json.dumps(summary))
    own = json.loads((run / "summary.json").read_text())
    (run / "summary.json").write_text(json.dumps({**own, "overrides": ["secret=1"]}))
    page, text = page_of(folder)
    same(page.tables["Settings of the variants"], [["key", "a", "<b>"], ["k", "2", "3"], ["only", "<i>", "not set"],
                                                   ["e", "not set", ""], ["", "not set", ""]], "settings")
    right("4 settings in which the variants differ" in text and "secret" not in text, "each run has a list of its own")
    places = [text.index(words) for words in ("Which is better", "Means over the seeds", "<h2>Figures", "settings in which", "Each of the 1 runs")]
    same(places, sorted(places), "order of the page")


@case("the settings that all runs end with, as --set makes them, stand above the results; four and more are folded")
def settings_of_all():
    for lists, shown in (((["k=1", "a=<i>", "b=2"], ["k=2", "a=<i>", "b=2"]), ["a=<i>", "b=2"]),
                         ((["b=2", "c=3"], ["b=1", "c=3"], ["c=3"]), ["c=3"]), ((["b=2"], ["b=1"]), []), ((["b=2"], []), []),
                         ((["a=1", "b=2", "a=3", "c=4"],) * 2, ["a=1", "b=2", "a=3", "c=4"])):
        folder, summary = new_folder(), gathered({(f"v{i}", ""): BEFORE for i in range(len(lists))})
        for group, lines in zip(summary["variants"], lists):
            group["overrides"] = lines
        world(folder / "v0/1")
        (folder / "summary.json").write_text(json.dumps(summary))
        _, text = page_of(folder)
        found = re.search(r'<p class="soft">Set in all runs(, in this order)?: (.*?)</p>', text)
        same([html.unescape(code) for code in re.findall("<code>(.*?)</code>", found[2])] if found else [], shown, f"{lists}")
        right(not found or bool(found[1]) == (len(shown) > 1) and found.start() < text.index("Which is better"), f"{lists}: {text}")
        same("<summary>4 settings of all runs</summary>" in text, len(shown) == 4, f"{lists}: folded")


# --- Over the axes of a sweep ---------------------------------------------------------------------


def over(points, axes, seeds=3):
    """Values of two variants, and the axes of each point."""
    values = {(variant, point): {PING: [(i + 5) * factor, (i + 6) * factor, (i + 7.5) * factor][:seeds]}
              for factor, variant in ((10, "a"), (20, "b")) for i, point in enumerate(points)}
    folder, summary = new_folder(), gathered(values)
    for group in summary["variants"]:
        group["axes"] = axes[points.index(group["point"])]
    world(folder / summary["runs"][0]["folder"])
    (folder / "summary.json").write_text(json.dumps(summary))
    return values, page_of(folder)


def check_places(picture, values, variant, colour, places, number_place):
    """A variant's dots, at its values' places, with the ends of their intervals."""
    dots = sorted(dots_of(picture, series_colour(colour)))
    same(len(dots), len(places), f"dots of {variant}")
    y = {float(text): float(top) for top, text in re.findall(
        r"d='M[\d.]+,([\d.]+) L[\d.]+,\1\s*'/>\s*<g transform=\"[^\"]*\"[^>]*>\s*<text>([^<]*)</text>", picture)}
    (low, low_y), (high, high_y) = min(y.items()), max(y.items())
    drawn = [point for line in lines_of(picture, series_colour(colour)) for point in line]
    for dot, point in zip(dots, places):
        middle, half = statistics.fmean(values[variant, point][PING]), interval(values[variant, point][PING])
        right(abs(dot[0] - number_place(point)) < 14, f"{variant} at {point}: {dot}, its value is at {number_place(point)}")
        for value in middle, middle - half, middle + half:
            wanted = low_y + (value - low) / (high - low) * (high_y - low_y)
            right(any(abs(x - dot[0]) < 0.05 and abs(y - wanted) < 0.1 for x, y in [dot, *drawn]),
                  f"{variant} at {point}: nothing at {value}, {wanted} pixels: {dot} {drawn}")


def check_said(picture, values, variant, colour, points, names, x_title):
    """Each dot says its value of the axis, its mean and its interval."""
    wanted = []
    for name, point in zip(names, points):
        middle, half = statistics.fmean(values[variant, point][PING]), interval(values[variant, point][PING])
        wanted.append(f"{x_title}: {name}; round trip p95 in ms: {middle:.4g} ({middle - half:.4g} to {middle + half:.4g})")
    dots = sorted(dots_of(picture, series_colour(colour)))
    same_said(said_of(picture, series_colour(colour))[0][-len(dots):], list(zip(dots, wanted)), f"said of {variant}")


def tick_places(picture):
    return {text: float(x) for x, text in re.findall(
        r"d='M([\d.]+),[\d.]+ L\1,[\d.]+\s*'/>\s*<g transform=\"[^\"]*\"[^>]*>\s*<text>([^<]*)</text>", picture)}


def turns_of(picture):
    """How the names below the axis are turned; gnuplot 6 writes -30.00."""
    return {turn.strip().replace(".00", "") for turn in re.findall(r"<g transform=\"translate\([^)]*\)([^\"]*)\"[^>]*>\s*<text>(?:long)?name-", picture)}


@case("an outcome over an axis: a line for each variant in its colour, intervals, a panel for each value of another axis")
def axes():
    points = ["rate=9_kbit_s,way=x", "rate=9_kbit_s,way=y", "rate=12_kbit_s,way=x", "rate=12_kbit_s,way=y"]
    values, (page, text) = over(points, [{"rate": f"{point[5:-6].replace('_kbit_s', '')} kbit/s", "way": point[-1]} for point in points])
    titles = [title for title in page.titles if " over " in title and "time" not in title]
    same(titles, ["ping: round trip p95 over rate; way x", "ping: round trip p95 over rate; way y",
                  "ping: round trip p95 over way; rate 9 kbit/s", "ping: round trip p95 over way; rate 12 kbit/s"], "figures")
    for title, own, keys in zip(titles, (points[::2], points[1::2], points[:2], points[2:]), (("9", "12"),) * 2 + (("x", "y"),) * 2):
        picture = picture_of(text, title)
        ticks = tick_places(picture)
        for colour, variant in enumerate("ab"):
            check_places(picture, values, variant, colour, own, lambda point, own=own: ticks[keys[own.index(point)]])
            check_said(picture, values, variant, colour, own, keys, "rate in kbit/s" if keys[0] == "9" else "way")
    right(">rate in kbit/s<" in text and ">round trip p95 in ms<" in text, "titles of the axes")
    same(len({scale_of(picture_of(text, title)) for title in titles}), 1, "panels have one scale")


@case("a sweep of eight axes: each has its figures; so have values that are alike for long")
def many_axes():
    points = [f"a={a},h={h}" for a in (1, 2) for h in (1, 2)]
    _, (page, _) = over(points, [{**{name: "0" for name in "bcdefg"}, "a": point[2], "h": point[6]} for point in points])
    same([title for title in page.titles if " over " in title and "time" not in title],
         [f"ping: round trip p95 over {title}" for title in ("a; h 1", "a; h 2", "h; a 1", "h; a 2")], "figures")
    _, (page, _) = over(["p=1", "p=2"], [{"p": 100 * "x" + end} for end in "12"])
    right("ping: round trip p95 over p" in page.titles, f"{page.titles}")


@case("panels of values that begin alike, or are longer than a title, have titles of their own")
def long_values():
    alike = [f"{30 * 'v'}-{way}" for way in ("tail-drop of all", "recommended")]
    longer = [f"{100 * 'a'}{i}{100 * 'b'}" for i in (1, 2)]
    many = [f"the-same-beginning-{i}{'-and-the-same-end' * (i % 2)}" for i in range(4)]
    for values in alike, longer, many, [f"{40 * 'x'}{i}{j}{40 * 'y'}" for i in "12" for j in "12"]:
        points = [f"a={a},h={h}" for a in (1, 2) for h in range(len(values))]
        _, (page, _) = over(points, [{"a": point[2], "b": 60 * "n", "h": values[int(point[6])]} for point in points])
        titles = [title for title in page.titles if " over a" in title]
        same(len(set(titles)), len(values), f"titles that differ, of {titles}")
    same(titles[0], f"ping: round trip p95 over a; h ...{5 * 'x'}11{11 * 'y'}...", "what is cut")
    names = [f"{50 * 'k'}{i}" for i in range(3)]
    points = [f"a={a},h={h},i={i}" for a in (1, 2) for h in (1, 2) for i in (1, 2)]
    _, (page, _) = over(points, [dict(zip(["a", *names[1:]], point[2::4])) for point in points])
    same(len({title for title in page.titles if " over a" in title}), 4, f"titles of long names: {page.titles}")


@case("a sweep of one seed: no word of intervals")
def one_seed_swept():
    _, (_, text) = over(["p=1", "p=2"], [{"p": end} for end in "12"], seeds=1)
    right("One seed, which gives no interval" in text and "with their 95 % intervals" not in text, "the words below the figures")
    _, (_, text) = over(["p=1", "p=2"], [{"p": end} for end in "12"])
    right("Means over the seeds with their 95 % intervals" in text, "the words of three seeds")


def scale_of(picture):
    marks = re.findall(r"L[\d.]+,([\d.]+)\s*'/>\s*<g transform=\"[^\"]*\"[^>]*>\s*<text>([^<]*)</text>", picture)
    return tuple(mark for mark in marks if mark[1].isdigit() and mark[1] not in ("9", "12"))


@case("values far apart have a logarithmic axis; odd ones are drawn at equal distances, and wrong ones are no crash")
def odd_axes():
    points = ["r=1", "r=10", "r=100"]
    _, (_, text) = over(points, [{"r": value} for value in ("1 s", "10 s", "100 s")])
    ticks = tick_places(picture_of(text, "ping: round trip p95 over r"))
    right(abs(ticks["100"] + ticks["1"] - 2 * ticks["10"]) < 0.1, f"a logarithmic axis: {ticks}")
    _, (_, text) = over(points, [{"r": value} for value in ("500 ms", "1 s", "30 s")])
    ticks = tick_places(picture_of(text, "ping: round trip p95 over r"))
    right(abs(ticks["30 s"] + ticks["500 ms"] - 2 * ticks["1 s"]) < 0.1, f"equal distances: {ticks}")
    for odd in (["1", "1.0", "1"], ["-5", "0", "5"], ["1e14", "100000000000001", "1e999"],  ["nan", "", "<b>'`$(id)"], [7, None, {}]):
        over(points, [{"r": value} for value in odd])
    many = [f"r={i}" for i in range(12)]
    over(many, [{"r": f"1e{int(28.6 * i) - 300}"} for i in range(12)])
    over(many, [{"r": f"a-long-name-of-a-value-{i}"} for i in range(12)])
    values, (_, text) = over(many, [{"r": f"name-{i}"} for i in range(12)])
    picture = picture_of(text, "ping: round trip p95 over r")
    same(sorted(tick_places(picture)), sorted(f"name-{i}" for i in range(0, 12, 2)), "names that the axis has room for")
    same(turns_of(picture), {""}, "beside each other")
    _, (_, text) = over(many, [{"r": f"longname-{i}"} for i in range(12)])
    same(turns_of(picture_of(text, "ping: round trip p95 over r")), {"rotate(-30)"}, "names that do not fit beside each other")
    check_said(picture, values, "a", 0, many, [f"name-{i}" for i in range(12)], "r")
    for wrong in 7, [], {str(i): str(i) for i in range(50)}:
        over(points, [wrong] * 3)
    folder, values = new_folder(), {(f"v{i % 16}", f"p{i // 16}"): {PING: [1, 2, 3]} for i in range(320)}
    summary = gathered(values)
    for i, group in enumerate(summary["variants"]):  # more values than points
        group["axes"] = {"r": str(i)}
    world(folder / "v0/p0/1")
    (folder / "summary.json").write_text(json.dumps({**summary, "runs": summary["runs"][:3]}))
    page_of(folder)


# --- Curves ---------------------------------------------------------------------------------------


def seeds_of(folder, name, key):
    """Rows of a CSV file of each of the three runs, of the class background down."""
    rows = []
    for seed in 1, 2, 3:
        with (folder / "red" / str(seed) / name).open(newline="") as file:
            rows.append([(float(row[key[0]]), float(row[key[1]])) for row in csv.DictReader(file)
                         if (row["class"], row["direction"]) == ("background", "down") and row[key[1]]])
    return rows


def picture_of(text, title):
    return re.search(rf"<h3>{title}</h3>(.*?)</svg>", text, re.DOTALL).group(1)


def axes(picture, log_x):
    """From pixels to the axes' numbers."""
    marks = re.findall(r"d='M([\d.]+),([\d.]+) L([\d.]+),([\d.]+)\s*'/>\s*<g transform=\"[^\"]*\"[^>]*>\s*<text>([^<]*)</text>", picture)
    x = [(float(left), float(text)) for left, _, end, _, text in marks if left == end]
    y = [(float(top), float(text)) for _, top, _, bottom, text in marks if top == bottom]

    def value(pixel, axis, log):
        (low, first), (high, last) = axis[0], axis[-1]
        part = (pixel - low) / (high - low)
        return first * (last / first) ** part if log else first + part * (last - first)
    return lambda point: (value(point[0], x, log_x), value(point[1], y, False))


@case("a curve is all seeds of a variant: the distribution of all their packets, the means of their series")
def curves():
    folder = new_folder()
    for seed in 1, 2, 3:
        world(folder / "red" / str(seed), "red", seed, limit=4000 * seed)
    world(folder / "cobalt/1", "cobalt", 1)
    page, text = page_of(folder)
    right("Distribution of the delay: background, down" in page.titles, f"{page.titles}")
    right("A curve is all seeds of a variant" in text, "what a curve is")
    figure = re.search(r"<h3>Distribution of the delay: background, down</h3>.*?</figure>", text, re.DOTALL).group(0)
    same(re.findall(r'<input type="checkbox" checked="checked" class="(c\d)" aria-label="(\w+)"><i style="border-color:var\(--s(\d)\)">',
                    figure), [("c0", "cobalt", "0"), ("c1", "red", "1")], "switches of the curves")
    packets = {}
    for rows in seeds_of(folder, "delays.csv", ("delay_ms", "packets")):
        for delay, count in rows:
            packets[delay] = packets.get(delay, 0) + count
    picture = picture_of(text, "Distribution of the delay: background, down")
    found = lines_of(picture, series_colour(1))
    same(len(found), 1, "curves of the variant")
    scaled = [axes(picture, True)(point) for point in found[0]]
    right(len(scaled) > 10 and abs(scaled[-1][1] - 100) < 0.2, f"{len(scaled)} points")
    for delay, share in scaled:
        own = [100 * sum(count for other, count in packets.items() if other <= delay * factor) / sum(packets.values())
               for factor in (0.985, 1.015)]
        right(own[0] - 0.5 <= share <= own[1] + 0.5 or delay == scaled[0][0], f"{delay} ms: {share} %, right is {own}")
    said = said_of(picture, series_colour(1))[0]
    right(len(said) > 5, f"{len(said)} points of the curve say what they are")
    for at, words in said:
        numbers = [float(one) for one in re.fullmatch(r"delay in ms: ([\d.e+]+); share of the packets in %: ([\d.e+]+)", words).groups()]
        right(all(abs(a - b) < 0.02 * max(abs(b), 1) for a, b in zip(axes(picture, True)(at), numbers)), f"{words}: it is at {axes(picture, True)(at)}")
    series = {}
    for rows in seeds_of(folder, "series_classes.csv", ("time_s", "goodput_bit_per_s")):
        for time, value in rows:
            series.setdefault(time, []).append(value / 1000)
    picture = picture_of(text, "Goodput over time: background, down")
    found = [axes(picture, False)(point) for point in lines_of(picture, series_colour(1))[0][1:]]
    same(len(found), len(series), "points of the series")
    top = max(statistics.fmean(values) for values in series.values())
    for (time, value), wanted in zip(found, sorted(series)):
        right(abs(time - wanted) < 0.01 * max(series) and abs(value - statistics.fmean(series[wanted])) < 0.01 * top,
              f"{time} s: {value}, right is {statistics.fmean(series[wanted])} at {wanted}")
    right(len({math.floor(value) for values in series.values() for value in values}) > 3, "the seeds differ")


main()
