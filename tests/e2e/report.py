#!/usr/bin/python3
"""The page of results: a page on its own, with the numbers of the summaries and the points of the series, with
and without gnuplot, of one run, of several and of a sweep."""

import json
import os
import re

from harness import UDP_SCENARIO, case, main, new_folder, right, run, same, sluice
from pages import (check_classes, check_drops, check_page, class_rows, copy, figure, lost, made_up, number, numbers,
                   page_of, report, rows_of, summary_of, summary_rows, world)

FIGURES = 10  # of the made-up run: 6 down, 3 up, the drops


@case("a run's page: every number of its tables is the summary's")
def one():
    done = run(UDP_SCENARIO)
    summary = summary_of(done.out)
    page, text = page_of(done.out)
    of_summary = [row[:5] + ["0"] + row[6:] for row in summary_rows(summary)]  # nothing is under way
    check_classes(page, of_summary)
    same(sorted(class_rows(done.out)), sorted(of_summary), "classes.csv")
    dropped = [[f"sgsn: {reason}", name, str(drop["packets"]), str(drop["octets"])]
               for name, row in summary["classes"].items() for reason, drop in row["drops"].items()]
    check_drops(page, dropped)
    same(sorted(lost(done.out)), sorted(dropped), "drops.csv")
    same((done.out / "report.html").read_text(), text, "the page that the run itself has drawn")
    same(page.tables["What was run"][1][:4], ["udp", "1", "10", "virtual"], "what was run")
    ledger = summary["conservation"]
    rows = {row[0]: [number(cell) for cell in row[1:]] for row in page.tables["Balance of the dataplane"][1:]}
    for name, of in ("packets down", ledger), ("octets down", ledger["octets"]):
        same(rows[name], [figure(of.get(key)) for key in ("in", "headers", "aside", "out", "dropped", "queued")],
             name)


@case("a run with all files: its tables, a figure for each quantity, axes, legends")
def all_files():
    page, text = page_of(made_up())
    summary = summary_of(made_up())
    check_classes(page, class_rows(made_up()))
    check_drops(page, lost(made_up()))
    same({row[1] for row in page.tables["Classes"][1:]}, {"down", "up"}, "directions")
    same(len(page.titles), FIGURES, f"figures {page.titles}")
    for words in ("virtual time in s", "delay in ms", "kbit/s", ">kB<", "share of the packets in %"):
        right(words in text, f"no axis says {words}")
    same(text.count("</i>background</li>"), 8, "legends with background")
    right("queue.octets=64 kB" in text and "run.seed=&lt;7&gt; &amp; &quot;x&quot;" in text, "the overrides")
    right(summary["config_sha256"] in text, "the digest")


def picture_of(text, title):
    return re.search(rf"<h3>{title}</h3>(.*?)</svg>", text, re.DOTALL).group(1)


def pixels_a_unit(picture):
    """Of the vertical axis, by two of its marks, which are its texts that end at one place."""
    texts = re.findall(r'translate\(([\d.]+),([\d.]+)\)"[^>]*text-anchor="end">\s*<text>([^<]*)</text>', picture)
    (_, low_y, low), (_, high_y, high) = texts[0], texts[-1]
    return (float(low_y) - float(high_y)) / (float(high) - float(low))


def drawn(picture, colour):
    """The points of a line, in pixels."""
    paths = re.findall(rf"stroke='var\(--s{colour}\)'\s+d='([^']+)'", picture)
    return [tuple(map(float, point)) for path in paths for point in re.findall(r"([\d.]+),([\d.]+)", path)]


def in_pixels(values, least, most):
    """Values on a straight scale between two given ends."""
    return [least + (most - least) * (value - min(values)) / (max(values) - min(values)) for value in values]


@case("each point of a line is a row of the series, to the pixel, and the page is the same for the same files")
def lines():
    _, text = page_of(made_up())
    same(page_of(made_up())[1], text, "the page of the same files")
    picture = picture_of(text, "Goodput over time, down")
    for colour, name in enumerate(("conversational", "interactive-1", "background")):
        rows = [row for row in rows_of(made_up(), "series_classes.csv")
                if (row["class"], row["direction"]) == (name, "down")]
        points = drawn(picture, colour)[1:]  # before the first: half of its step
        same(len(points), len(rows), f"points of {name}")
        for axis, column in (0, "time_s"), (1, "goodput_bit_per_s"):
            values = [float(row[column]) for row in rows]
            found = [point[axis] for point in points]
            ends = (found[values.index(min(values))], found[values.index(max(values))])
            right(all(abs(a - b) < 0.05 for a, b in zip(found, in_pixels(values, *ends))), f"{name}: {column}")
        right(points[-1][0] > points[0][0] and max(y for _, y in points) <= 320, f"{name}: the picture's ends")
        per_kbit = (max(found) - min(found)) / (max(values) - min(values)) * 1000
        right(abs(per_kbit / pixels_a_unit(picture) - 1) < 0.01, f"{name}: the unit of the axis")


@case("two runs: the classes of both beside each other, a figure for each class, a line for each run")
def two_runs():
    folder = new_folder()
    one, other = world(folder / "a"), world(folder / "b", limit=12_000)
    page, text = page_of(one, other)
    rows = page.tables["Classes"][1:]
    same([row[:3] for row in rows[:3]], [["conversational", str(one), "down"], ["conversational", str(other), "down"],
                                         ["conversational", str(one), "up"]], "order of the rows")
    for folder in one, other:
        found = [row[:1] + row[2:] for row in numbers(rows) if row[1] == str(folder)]
        same(sorted(found), sorted(class_rows(folder)), f"classes of {folder}")
    right("Delay over time: background, down" in page.titles, f"figures {page.titles}")
    same(text.count(f"</i>{one}</li>"), len(page.titles) - 1, "legends with the first run; the answer's figure has none")


def swept():
    folder = new_folder()
    for variant in "red", "cobalt":
        for seed in 1, 2, 10:
            world(folder / variant / str(seed), variant, seed)
    return folder


def names_of(page, text):
    """The runs in order, and what the legends say, each once."""
    legends = re.findall(r'<ul class="names">(.*?)</ul>', text)
    return ([row[1] for row in page.tables["What was run"][1:]],
            {" ".join(re.sub(r"<.*?>", " ", legend).split()) for legend in legends})


@case("runs in folders, DIR/VARIANT/SEED: in the order of their names, one colour for a variant")
def folders():
    same(names_of(*page_of(swept())), (["cobalt/1", "cobalt/2", "cobalt/10", "red/1", "red/2", "red/10"],
                                       {"cobalt red"}), "runs and legends")


def gathered(runs):
    mean = {"runs": 3, "mean": 12345.678901, "ci95": 0.0512}
    none = {"runs": 0, "mean": None, "ci95": None}
    return {"scenario": "x", "missing": ["red/3"],
            "runs": [{"folder": run, "variant": str(run).split("/", maxsplit=1)[0], "point": "rate=<1>"} for run in runs],
            "variants": [{"variant": "red", "point": "rate=<1>", "classes": {"background": {
                "goodput_bit_per_s": mean, "delay_p95_ms": mean, "delay_p50_ms": none, "packets": mean}}}]}


@case("a sweep with its summary: the runs as that lists them, with its names of variants, and the means over the seeds")
def sweep():
    folder = swept()
    (folder / "summary.json").write_text(json.dumps(gathered(["red/2", "red/1", "red/3", "cobalt/10"])))
    page, text = page_of(folder)
    same(names_of(page, text), (["red/2", "red/1", "cobalt/10"], {"red cobalt"}), "runs and legends")
    same(page.tables["Means over the seeds"][1:], [["background: goodput, kbit/s", "12.3 \u00b1 0.000051"],
                                                   ["background: delay p95, ms", "12\u202f300 \u00b1 0.051"],
                                                   ["background: packets delivered", "12\u202f300 \u00b1 0.051"]], "means")
    right("1 of 4 runs are missing" in text, "what is missing")
    for run in "/etc", "../x", "a/../../x", "", "..", 7, "./..", "./../x", ".//../x", "red/../../x", "a/..", "out", "out/x":
        (folder / "out").unlink(missing_ok=True)
        (folder / "out").symlink_to("..")
        (folder / "summary.json").write_text(json.dumps(gathered([run])))
        status, _, stderr = report(folder)
        same((status, stderr), (1, f"sluice report: {folder}: summary.json: a run's folder is not below it\n"),
             f"run {run}")


@case("several seeds of one command: the page has the runs, and the means that their summary has")
def seeds():
    out = new_folder() / "out"
    done = sluice("run", UDP_SCENARIO, "--seeds", "1..3", "--no-page", "--out", out)
    same(done.returncode, 0, f"exit status: {done.stderr}")
    page, text = page_of(out)
    same(names_of(page, text), (["1", "2", "3"], {"all runs"}), "runs and legends")
    right("<h1>udp: 3 runs side by side</h1>" in text, "the title")
    classes = summary_of(out)["variants"][0]["classes"]
    means = {row[0]: row for row in numbers(page.tables["Means over the seeds"][1:])}
    same({name.split(":")[0] for name in means}, {*classes, *summary_of(out)["variants"][0]["applications"]}, "classes")
    for name, of_class in classes.items():
        for text, key in ("packets delivered", "packets"), ("dropped in the SGSN", "dropped"), ("delay p95, ms", "delay_p95_ms"):
            own, half = float(of_class[key]["mean"]), float(of_class[key]["ci95"])
            found, *interval = means[f"{name}: {text}"][1].split(" \u00b1 ")
            same(bool(interval), half > 0, f"{name}: {key}: an interval")
            right(abs(float(found.removesuffix(" alike")) - own) <= 0.005 * own, f"{name}: {key}: {found}, right is {own}")
            right(not interval or abs(float(interval[0]) - half) <= max(0.05 * half, 0.005 * own), f"{name}: {key}: {interval}")
    right(any(row[1].endswith(" alike") for row in means.values()), "a figure that no seed moves")


@case("without gnuplot: the tables, and a word on the page and on the terminal")
def no_gnuplot():
    status, text, stderr = report(made_up(), path="/nonexistent")
    same(status, 0, "exit status")
    page = check_page(text)
    check_classes(page, class_rows(made_up()))
    why = "gnuplot was not found (Debian's package gnuplot-nox)"
    same(stderr, f"sluice report: no figures: {why}\n", "stderr")
    right("No figures: " + why.replace("'", "&#39;") in text, "no word on the page")


@case("a gnuplot that fails or draws too little is said, and is no crash")
def bad_gnuplot():
    for script, word in (("echo boom >&2; exit 3", "gnuplot failed: boom"), ("exit 0", "it drew too little"),
                         ("echo '<svg'", "it drew too little")):
        folder = new_folder()
        (folder / "gnuplot").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "gnuplot").chmod(0o755)
        status, text, stderr = report(made_up(), path=folder)
        same(status, 0, "exit status")
        check_page(text)
        right(word in stderr, f"stderr: {stderr}")


@case("nothing outside the named folder is read: through no link of a file, of a run or of the folders between")
def leads_out():
    outside = copy()
    secret = json.loads((outside / "summary.json").read_text())
    secret["scenario"] = "SECRET"
    (outside / "summary.json").write_text(json.dumps(secret))
    for name in "classes.csv", "series_classes.csv":
        folder = copy()
        (folder / name).unlink()
        (folder / name).symlink_to(outside / name)
        page, text = page_of(folder)
        right("a symbolic link, which is not followed" in text, f"{name}: no word of the link")
    folder = copy()
    (folder / "summary.json").unlink()
    (folder / "summary.json").symlink_to(outside / "summary.json")
    status, _, stderr = report(folder)
    right(status == 1 and "a symbolic link, which is not followed" in stderr, stderr)
    folder = new_folder()
    copy().rename(folder / "own")
    for path in folder / "linked", folder / "below/linked", folder / "below/below/linked":
        path.parent.mkdir(exist_ok=True)
        path.symlink_to(outside)
    _, text = page_of(folder)
    right("SECRET" not in text, "the page has what is outside")
    for name in "linked", "below/linked", "below/below/linked":
        right(f"{folder}/{name}: a symbolic link, which is not followed" in text, f"no word of {name}")
    folder = copy()
    for name in "report.html.part", "report.html":
        (folder / name).symlink_to(outside / "kept")
        (outside / "kept").write_text("kept")
    same(sluice("report", ".", cwd=folder).returncode, 0, "a page in a folder with links in its place")
    same((outside / "kept").read_text(), "kept", "where these links lead")
    named = new_folder() / "named"
    named.symlink_to(outside)
    right("SECRET" in page_of(named)[1], "a link that the user names is followed")


@case("names of files and folders give a terminal no orders")
def terminal():
    above = new_folder()
    folder = above / "r\x1b[31m\x07"
    copy().rename(folder)
    done = sluice("report", folder, "--out", above / "x\x1b[2J.html")
    same((done.returncode, done.stdout), (0, f"{above}/x?[2J.html\n"), "the page's name")
    (folder / "summary.json").write_text("{")
    for name in folder, above / "no\x1b[2J":
        done = sluice("report", name)
        right(done.returncode == 1 and not re.search("[^ -~\n]", done.stderr), repr(done.stderr))


@case("a page that cannot be written is said, and nothing is left; no folder is a usage error")
def output():
    folder = new_folder()
    done = sluice("report", made_up(), "--out", "no/report.html", cwd=folder)
    same((done.returncode, done.stderr), (1, "sluice report: no/report.html.part: No such file or directory\n"),
         "no such folder")
    done = sluice("report", made_up(), "--out", "x.html", cwd=folder)
    same((done.returncode, done.stdout), (0, "x.html\n"), "--out")
    same([path.name for path in folder.iterdir()], ["x.html"], "what is left")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("pipe")
    before = {path.name: path.lstat().st_ino for path in folder.iterdir()}
    for name in "folder", "pipe", "link":  # a device, such as /dev/null, only root can make
        done = sluice("report", made_up(), "--out", name, cwd=folder)
        same((done.returncode, done.stdout, done.stderr), (1, "", f"sluice report: {name}: no regular file, so it is not replaced\n"), name)
    same({path.name: path.lstat().st_ino for path in folder.iterdir()}, before, "what is there")
    same(sluice("report").returncode, 2, "exit status without a folder")


main()
