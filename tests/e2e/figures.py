#!/usr/bin/python3
"""Figures that a file of targets declares: their points by numbers worked out here, where these lie in the
pictures, what is said of runs that are missing and of functions that fail, and mistakes in the file."""

import csv
import json
import random
import re
import shutil

from harness import case, main, new_folder, right, same, sluice
from judging import SEED, T2, judged, near, refuses, runs
from pages import check_page, report, rows_of
from pictures import diamonds_of, dots_of, lines_of, pairs, picture_of, said_of, same_places, same_said, scale, series_colour

HALF = T2 / 3 ** 0.5  # of the interval of the seeds 6, 7 and 8
VALUE = SEED + "local function value(run, x) return seed(run) * x end\n"
AXES = 'x = { title = "way", unit = "m" }, y = { title = "work", unit = "J" }'


def figure(series, axes=AXES, more=""):
    return f'figure {{ name = "Fig. <1>", title = "T & t", {axes}, {more} series = {{ {series} }} }}\n'


def ours(more="", body="value", at="at = { 1, 2, 4 },"):
    return f'{{ name = "ours", {at} ours = {body}, {more} }},'


def folder_of(text, status=0, config_out=None):
    _, done = judged(text, status, config_out)
    return (config_out or runs())[1], done


def worked(text, status=0, config_out=None):
    """The figures of figures.json."""
    out, _ = folder_of(text, status, config_out)
    return json.loads((out / "figures.json").read_text())["figures"]


def same_points(found, wanted, what):
    same(len(found), len(wanted), f"points of {what}: {found}")
    for point, right_one in zip(found, wanted):
        same(len(point), len(right_one), f"numbers of {what}: {point}")
        for one, other in zip(point, right_one):
            near(one, other, what)


# --- Points ---------------------------------------------------------------------------------------


@case("points of all seeds with Student's interval, a formula, and what is published, in figures.json and .csv")
def points():
    text = VALUE + figure(
        ours("published = { { 1, 5 }, { 2, 10, 12.5 } }") + '{ name = "p", published = { { 3, 1 } } },'
        '{ name = "f", at = { 0, 3 }, exact = function(x) return x * x / 2 end },', more='note = "N",')
    out, _ = folder_of(text)
    found = worked(text)
    same([(f["name"], f["title"], f["note"], f["x"], f["y"]) for f in found],
         [("Fig. <1>", "T & t", "N", {"title": "way", "unit": "m"}, {"title": "work", "unit": "J"})], "the figure")
    one, alone, formula = found[0]["series"]
    same_points(one["points"], [[x, 7 * x, x * HALF] for x in (1, 2, 4)], "ours")
    same_points(one["published"], [[1, 5], [2, 10, 12.5]], "published")
    same((alone["points"], alone["published"], "kind" in alone), ([], [[3, 1]], False), "published alone")
    same_points(formula["points"], [[0, 0], [3, 4.5]], "formula")
    same([(s["name"], s.get("kind"), s["missing"]) for s in found[0]["series"]],
         [("ours", "ours", 0), ("p", None, 0), ("f", "exact", 0)], "series")
    with (out / "figures.csv").open(newline="") as file:
        rows = [[row[key] for key in ("figure", "series", "kind", "x", "y", "least", "most")] for row in csv.DictReader(file)]
    same([[cell.removesuffix(".0") for cell in row] for row in rows],
         [["Fig. <1>", *row] for row in (
             ["ours", "ours", "1", "7", "", ""], ["ours", "ours", "2", "14", "", ""], ["ours", "ours", "4", "28", "", ""],
             ["ours", "published", "1", "5", "", ""], ["ours", "published", "2", "", "10", "12.5"],
             ["p", "published", "3", "1", "", ""], ["f", "exact", "0", "0", "", ""], ["f", "exact", "3", "4.5", "", ""])],
         "figures.csv")


CURVE = """{ name = "c", %s curve = function(run)
    local points = {}
    for _, row in ipairs(run('red').rows('series_classes', { class = 'conversational', direction = 'down' })) do
        table.insert(points, { row.time_s, row.sent_octets / 1e3 })
    end
    return points
end },"""


def conversational():
    """What CURVE reads of the first seed."""
    return [[float(row["time_s"]), int(row["sent_octets"]) / 1e3]
            for row in rows_of(runs()[1] / "red/6", "series_classes.csv")
            if (row["class"], row["direction"]) == ("conversational", "down")]


@case("a curve: rows of the first seed's file, each a point")
def curves():
    series = worked(figure(CURVE % ""))[0]["series"][0]
    right(len(conversational()) > 1, "rows")
    same_points(series["points"], conversational(), "curve")
    same((series["kind"], "marks" in series), ("curve", False), "kind")
    same(worked(figure(CURVE % "marks = true,"))[0]["series"][0]["marks"], True, "marks")


NAMES = 'x = { title = "scheme", names = { "one, a", "two" } }, y = { title = "work", least = -2, most = 40 }'


@case("names in place of numbers: x is their place; figures.csv has the names")
def names():
    out, _ = folder_of(VALUE + figure(ours(at="", more="published = { { 2, 3 } }"), axes=NAMES))
    found = json.loads((out / "figures.json").read_text())["figures"][0]
    same(found["x"]["names"], ["one, a", "two"], "names")
    same_points(found["series"][0]["points"], [[1, 7, HALF], [2, 14, 2 * HALF]], "points")
    with (out / "figures.csv").open(newline="") as file:
        same([row["x_name"] for row in csv.DictReader(file)], ["one, a", "two", "two"], "names of the rows")


@case("two axes of a sweep, and the variants, are where a point's numbers come from: cells of different files")
def sources():
    text = figure("{ name = 's', at = { 6, 8 }, ours = function(run, x) return run('red').value('seed') + x "
                  "+ run('cobalt').row('applications', { flow = 0, application = 'traffic' }).flow end },")
    same_points(worked(text)[0]["series"][0]["points"], [[6, 13, HALF], [8, 15, HALF]], "points")


# --- The picture ----------------------------------------------------------------------------------


def page_of(*outs):
    path = new_folder() / "page.html"
    done = sluice("report", "--targets", "--out", path, *outs)
    same((done.returncode, done.stderr), (0, ""), "exit status")
    text = path.read_text()
    check_page(text)
    return text


@case("drawn to the pixel: a line, its dots and intervals, published marks and ranges, a curve, dots alone")
def drawn():
    text = VALUE + figure(ours("published = { { 1, 5 }, { 2, 10, 12.5 } }") +
                          '{ name = "f", at = { 1, 4 }, exact = function(x) return x end },') + \
        figure(CURVE % "" + CURVE % "marks = true," + '{ name = "p", published = { { 1, 2 } } },')
    page = page_of(folder_of(text)[0])
    picture = picture_of(page)
    place = scale(picture)
    colour = series_colour(0)
    lines = lines_of(picture, colour)
    means = [(x, 7 * x) for x in (1, 2, 4)]
    same_places(lines[0], [place(mean) for mean in means], "line")
    same_places(dots_of(picture, colour), [place(mean) for mean in means], "dots")
    ends = [point for x, y in means for point in ((x, y - x * HALF), (x, y + x * HALF))]
    drawn_points = [point for line in lines[1:] for point in line]
    for end in ends:
        right(any(abs(x - place(end)[0]) < 0.05 and abs(y - place(end)[1]) < 0.05 for x, y in drawn_points),
              f"the interval's end {end} at {place(end)}: {drawn_points}")
    same_places(diamonds_of(picture, colour), [place(point) for point in ((1, 5), (2, 10), (2, 12.5))], "published")
    same_said(said_of(picture, colour)[0], [*((place(mean), f"way in m: {mean[0]}; work in J: {mean[1]}") for mean in means), *(
        (place((x, y)), f"way in m: {x}; work in J: {y} ({y - x * HALF:.4g} to {y + x * HALF:.4g})") for x, y in means),
        (place((1, 5)), "published: way in m: 1; work in J: 5"), (place((2, 10)), "published: way in m: 2; work in J: 10 (10 to 12.5)")], "said")
    same_places(lines[-1], [place((2, 10)), place((2, 12.5))], "the range's line")
    same_places(lines_of(picture, series_colour(1))[0], [place((1, 1)), place((4, 4))], "formula")
    picture = picture_of(page, 1)
    place = scale(picture)
    same_places(lines_of(picture, series_colour(0))[0], [place(point) for point in conversational()], "curve")
    same_places(dots_of(picture, series_colour(1)), [place(point) for point in conversational()], "dots")
    same_places(diamonds_of(picture, series_colour(2)), [place((1, 2))], "published alone")
    same(page, page_of(runs()[1]), "the page of the same files")


@case("bands of the x axis: two marks and a line at one height, a second series' below; in figures.csv")
def bands():
    out, _ = folder_of(VALUE + figure(ours("bands = { { 1.5, 2 }, { 3, 5 } }") + '{ name = "b", bands = { { 2, 3 } } },'))
    picture = picture_of(page_of(out))
    place = scale(picture)
    first, second = (diamonds_of(picture, series_colour(number)) for number in (0, 1))
    same([[round(x, 1) for x, _ in found] for found in (first, second)],
         [[round(place((x, 0))[0], 1) for x in ends] for ends in ((1.5, 2, 3, 5), (2, 3))], "ends")
    same([len({y for _, y in found}) for found in (first, second)], [1, 1], "one height each")
    right(second[0][1] > first[0][1] + 3, f"the second is below the first: {first}, {second}")  # y goes down
    same_places(lines_of(picture, series_colour(0))[-1], first[2:], "the last band's line")
    with (out / "figures.csv").open(newline="") as file:
        same([(row["series"], row["x"], row["y"], row["x_to"]) for row in csv.DictReader(file) if row["kind"] == "published"],
             [("ours", "1.5", "", "2"), ("ours", "3", "", "5"), ("b", "2", "", "3")], "figures.csv")


@case("a logarithmic axis: equal factors are equal ways; what is not above 0 is left out")
def logarithmic():
    axes = 'x = { title = "x", log = true }, y = { title = "y", log = true }'
    page = page_of(folder_of(figure('{ name = "f", at = { 1, 10, 100 }, exact = function(x) return 2 * x end },'
                                    '{ name = "p", published = { { 10, 20 }, { 10, 0 }, { -1, 5 } } },', axes=axes))[0])
    picture = picture_of(page)
    one, ten, hundred = lines_of(picture, series_colour(0))[0]
    for axis in 0, 1:
        right(abs(hundred[axis] - ten[axis] - (ten[axis] - one[axis])) < 0.05, f"axis {axis}: {one}, {ten}, {hundred}")
    same_places(diamonds_of(picture, series_colour(1)), [ten], "published")
    same_said(said_of(picture, series_colour(0))[0], [(at, f"x: {x}; y: {2 * x}") for at, x in ((one, 1), (ten, 10), (hundred, 100))], "said")
    same_said(said_of(picture, series_colour(1))[0], [(ten, "published: x: 10; y: 20")], "said of what is published")


@case("columns at names: from 0 to the mean, side by side, with an interval on each; published marks over them")
def columns():
    series = ours(at="", more="published = { { 2, 3, 4 } }") + \
        '{ name = "less", ours = function(run, x) return -x / 2 end, published = { { 1, 30 } } },'
    picture = picture_of(page_of(folder_of(VALUE + figure(series, axes=NAMES))[0]))
    marks = {text: float(x) for x, text in re.findall(
        r"d='M([\d.]+),[\d.]+ L\1,[\d.]+\s*'/>\s*<g transform=\"[^\"]*\"[^>]*>\s*<text>([^<]*)</text>", picture)}
    same(sorted(marks), ["one, a".replace(",", "?"), "two"], "names")
    first, second = marks["one? a"], marks["two"]
    width = second - first
    heights = {float(text): float(y) for y, text in re.findall(
        r"d='M[\d.]+,([\d.]+) L[\d.]+,\1\s*'/>\s*<g transform=\"[^\"]*\"[^>]*>\s*<text>([^<]*)</text>", picture)}
    unit = heights[0.0] - heights[10.0]

    def place(x, y):
        return first + (x - 1) * width, heights[0.0] - y * unit / 10

    found = [pairs(points) for fill, points in re.findall(r"<polygon[^>]*fill\s*=\s*'(var\(--s\d\))'[^>]*points\s*=\s*'([^']*)'",
                                                          picture)]
    boxes = sorted((min(x for x, _ in box), max(x for x, _ in box), min(y for _, y in box), max(y for _, y in box))
                   for box in found)
    wanted = []
    for x, y in ((0.8, 7), (1.2, -0.5), (1.8, 14), (2.2, -1)):
        left, right_end = place(x - 0.18, 0)[0], place(x + 0.18, 0)[0]
        wanted.append((left, right_end, *sorted((place(x, 0)[1], place(x, y)[1]))))
    same_places(boxes, wanted, "columns")
    said = [area for number in (0, 1) for area in said_of(picture, series_colour(number))[1]]
    same_said(sorted(said), list(zip(wanted, ("scheme: one, a; work: 7", "scheme: one, a; work: -0.5", "scheme: two; work: 14",
                                              "scheme: two; work: -1"))), "said")
    ink = "currentColor"
    same_places(diamonds_of(picture, ink), [place(1.8, 3), place(1.8, 4), place(1.2, 30)], "published")
    interval = [place(0.8, 7 - HALF), place(0.8, 7 + HALF)]
    right(any(len(line) >= 2 and all(abs(a - b) < 0.05 for one, other in zip(line, interval) for a, b in zip(one, other))
              for line in lines_of(picture, ink)), f"no interval at {interval}: {lines_of(picture, ink)}")


@case("the page: a summary of each folder's rows, captions, a legend that tells ours from published, notes")
def page():
    rows = "".join(f'target {{ figure = "{figure_name}", what = "w", {keys} ours = seed }}\n' for figure_name, keys in (
        ("F", "most = 7,"), ("F", "most = 6,"), ("F", "most = 5,"), ("told", ""), ("beyond", "least = 7,"),
        ("beyond", "least = 8, unit = '<s>',"), ("I", 'kind = "input", most = 7,'), ("J", 'kind = "input", most = 8,'),
        ("K", 'kind = "input", most = 6,'), ("told", ""), ("told", ""), ("F", "")))
    out, _ = folder_of(VALUE + rows + figure(ours("published = { { 1, 5 } }") + '{ name = "<p>", published = { { 1, 2 } } },',
                                              more='note = "No <b> & more",'))
    other, again = new_folder() / "other", new_folder() / "out"
    shutil.copytree(out, other)
    shutil.copytree(out, again)
    own = json.loads((again / "targets.json").read_text())
    (again / "targets.json").write_text(json.dumps({**own, "first_seed": 11, "last_seed": 15}))
    path = new_folder() / "page.html"
    said = sluice("report", "--targets", "--out", path, out, other, again).stdout
    text = path.read_text()
    found = check_page(text)
    cells = ["1", "3", "1", "2", "2", "3", "4", "0", "1"]  # results met, of all, so beyond, inputs; told, not run, figures
    wanted = [["out", "6 to 8", *cells], ["other", "6 to 8", *cells], ["out", "11 to 15", *cells],
              ["all", "6 to 8", *(str(2 * int(cell)) for cell in cells)]]
    same(found.tables["Summary"][1:], wanted, "the summary")
    lines = [f"{name} {seeds} {met} of {all_of} {more} of {most} {good} of {inputs} {' '.join(rest)}"
             for name, seeds, met, all_of, more, most, good, inputs, *rest in wanted]
    same([" ".join(line.split()) for line in said.splitlines()[1:5]], lines, "the summary on the terminal")
    same(text.count("<summary>4 reported only, not judged</summary>"), 3, "rows that are told")
    same(text.count('<p class="bad">Beyond the paper, NOT MET:<br>w: 7 &plusmn; 2.484 &lt;s&gt;; goal: &gt;= 8</p>\n<div'), 3,
         "what is lost stands before the first table")
    same([row[0] for row in found.tables["Targets: out, seeds 6 to 8"] if row],
         ["figure", "F", "F", "F", "beyond", "beyond", "figure", "I", "J", "K", "figure", "told", "told", "told", "F"], "rows")
    same(found.titles, ["Fig. <1>: T & t"] * 2, "captions: once of a paper that is there with other seeds, too")
    legend = re.search(r'<ul class="names">(.*?)</ul>', text).group(1)
    same(re.findall(r'<i(?: class="(\w+)")? style="border-color:var\(--(\w+)\)"></i>([^<]*)</li>', legend),
         [("", "s0", "ours"), ("mark", "s1", "&lt;p&gt;, published"), ("dot", "ink", "ours, with its 95 % interval"),
          ("mark", "ink", "published")], "legend")
    right("No &lt;b&gt; &amp; more" in text, "the note")
    right("The mean over the seeds with its 95 % confidence interval" in text, "what an interval is")
    folder = new_folder() / "out"
    shutil.copytree(runs()[1], folder)
    judged(VALUE + rows + figure(ours()), config_out=(runs()[0], folder), words=("--variant", "all", "--seeds", "6..6", "--force"))
    single = report("--targets", folder)[1]
    check_page(single)
    right("One seed, which gives no interval" in single and "95 %" not in single and ">ours</li>" in single, "a page of one seed")
    shown = check_page(report(out)[1])
    right("Fig. <1>: T & t" in shown.titles, f"the page of the runs: {shown.titles}")


@case("the legend of more series than there are colours: the ninth has the first's colour, and is dashed")
def many_series():
    out, _ = folder_of(VALUE + figure("".join(ours().replace('"ours"', f'"n{i}"') for i in range(9))))
    legend = re.search(r'<ul class="names">(.*?)</ul>', report("--targets", out)[1]).group(1)
    same(re.findall(r'<i(?: class="(\w+)")? style="border-color:var\(--(\w+)\)"></i>([^<]*)</li>', legend)[:9],
         [("", f"s{i}", f"n{i}") for i in range(8)] + [("dashed", "s0", "n8")], "legend")


@case("without gnuplot: the page says why, and that figures.csv has the points")
def no_gnuplot():
    out, _ = folder_of(VALUE + figure(ours()))
    status, text, _ = report("--targets", out, path="/nonexistent")
    same(status, 0, "exit status")
    check_page(text)
    right("No figures: gnuplot was not found" in text and "figures.csv has their points" in text, "what is said")


# --- What is not there, or fails ------------------------------------------------------------------


@case("a run that is missing: its points are left out, and the figure says so")
def missing():
    out = new_folder() / "out"
    shutil.copytree(runs()[1], out)
    shutil.rmtree(out / "cobalt/7")
    (out / "cobalt/7/run.json").mkdir(parents=True)  # this run fails
    text = VALUE + figure(
        ours(body="function(run, x) return run(x == 2 and 'cobalt' or 'red').value('seed') end") +
        ours(body="function(run, x) return run('cobalt').value('seed') end") +
        CURVE.replace("red", "cobalt") % "" + "{ name = 'gone', curve = function(run) return {{ 1, #run('cobalt').rows('x') }} end},")
    shutil.rmtree(out / "cobalt/6")
    (out / "cobalt/6/run.json").mkdir(parents=True)
    found = worked(text, status=1, config_out=(runs()[0], out))[0]["series"]
    same_points(found[0]["points"], [[1, 7, HALF], [4, 7, HALF]], "what was run")
    same([(len(s["points"]), s["missing"], "error" in s) for s in found],
         [(2, 1, False), (0, 3, False), (0, 1, False), (0, 1, False)], "missing")
    said = page_of(out)
    same(re.findall(r'<p class="bad">([^<]*)</p>', said),
         ["Not run: ours, 1 of its points", "Not run: ours", "Not run: c", "Not run: gone"], "what the page says")
    same(len(re.findall("<svg", said)), 1, "pictures")


FAULTS = (  # a series' keys, and what its error says behind file and line
    ("at = { 1 }, ours = function(run, x)\n return run('rod').value('seed') end",
     'run("rod", nothing): the file has no such variant'),
    ("at = { 1 }, ours = function(run, x)\n return 'seven' end", 'ours: found "seven", allowed a number'),
    ("at = { 1 }, ours = function(run, x)\n return nothing.x end",
     "attempt to index a nil value (global 'nothing')"),
    ("at = { 1 }, exact = function(x)\n while true do end end", "cut off: more "),
    ("at = { 1 }, exact = function(x)\n return 1 / 0 end", "exact: found the number inf, allowed a number"),
    ("curve = function(run)\n return 7 end", "curve: found the number 7, allowed a list of up to 5000 points { x, y }"),
    ("curve = function(run)\n return { { 1, 2 }, { 1 } } end", "curve: found a table, allowed a point { x, y } as number 2"),
    ("curve = function(run)\n return run('red').rows('classes') end",
     "curve: found a table, allowed a point { x, y } as number 1"),
    ("curve = function(run)\n local t = {} for i = 1, 5001 do t[i] = { i, i } end return t end",
     "curve: found a table, allowed a list of up to 5000 points { x, y }"),
    ("curve = function(run)\n local t = {} for i = 1, 1e7 do t[i] = { i, i } end return t end",
     "cut off: more "),
    ("at = { 1 }, exact = function(x)\n error('mine') end", "mine"),
)


@case("a function that fails: its series is not drawn and says so with file and line; exit status 1")
def faults():
    text = VALUE + "".join(figure(f"{{ name = 's', {keys} }}, {ours()}") for keys, _ in FAULTS)
    out, done = folder_of(text, status=1)
    found = json.loads((out / "figures.json").read_text())["figures"]
    for number, (series, (keys, said)) in enumerate(zip((f["series"] for f in found), FAULTS)):
        place, error = series[0]["error"].split(": ", 1)
        right(error == said or said.endswith(" ") and error.startswith(said), f"{keys}: {error}")
        line = 5 + 2 * number  # of the figure; the body is in the next
        right(int(place.rsplit(":", 1)[1]) in (line, line + 1), f"{keys}: {place}, right is {line} or the next")
        same((series[0]["points"], len(series[1]["points"])), ([], 3), keys)
    right(f"  0 of {len(FAULTS)} figures whole" in done.stdout, done.stdout)
    right("  Fig. <1>, s: " in done.stdout, done.stdout)
    same(page_of(out).count("Not drawn: s: "), len(FAULTS), "the page")


@case("more points in all figures than a file may have")
def many():
    curve = "{ name = 'c', curve = function(run) local t = {} for i = 1, 5000 do t[i] = { i, i } end return t end },"
    found = worked("".join(figure(curve * 16) for _ in range(3)), status=1)
    whole = [len(s["points"]) for f in found for s in f["series"]]
    same((sum(whole), whole.count(5000)), (200000, 40), "points")
    right(found[2]["series"][15]["error"].endswith("more than 200000 points in all figures"), "the last")


# --- Mistakes: found before anything runs ---------------------------------------------------------

SERIES_KEYS = "name, ours, curve, exact, at, marks, published, bands"
AT = "at = { 1 }, ours = tostring"
MISTAKES = (  # the figure; its mistakes behind the path
    (figure(f"{{ name = 's', {AT} }}", more="kost = 1,"),
     ":1: kost: unknown key; allowed: name, title, x, y, series, note"),
    ('figure { title = "t" }', ":1: name: missing in figure { }\n:1: x: missing in figure { }\n:1: y: missing in figure { }\n"
     ":1: series: missing in figure { }"),
    (figure("{ }"), ":1: series[1].name: missing in series { }"),
    (figure("7"), ":1: series: found a table, allowed a list of 1 to 16 tables"),
    (figure(""), ":1: series: found a table, allowed a list of 1 to 16 tables"),
    (figure("{ name = 's', at = { 1 }, ours = tostring }, " * 17),
     ":1: series: found a table, allowed a list of 1 to 16 tables"),
    (figure("{ name = 's' }"), ":1: series[1].ours: needed: one of `ours`, `curve`, `exact`, `published`, `bands`"),
    (figure("{ name = 's', bands = { { 1, 1 } } }"),
     ":1: series[1].bands: found a table, allowed a list of 1 to 1000 bands { from, to }"),
    (figure("{ name = 's', bands = { { 1, 2 } } }", axes=NAMES),
     ":1: series[1].bands: allowed without `names` on the x axis only"),
    (figure("{ name = 's', at = { 1 }, ours = tostring, curve = tostring }"),
     ":1: series[1].curve: allowed without `ours` only"),
    (figure("{ name = 's', ours = tostring }"), ":1: series[1].at: missing beside `ours`"),
    (figure("{ name = 's', at = { 1 }, curve = tostring }"), ":1: series[1].at: allowed with `ours` or `exact` only"),
    (figure("{ name = 's', at = { 1 }, published = { { 1, 2 } } }"),
     ":1: series[1].at: allowed with `ours` or `exact` only"),
    (figure(f"{{ name = 's', marks = true, {AT} }}"), ":1: series[1].marks: allowed with `curve` only"),
    (figure("{ name = 's', at = { 'x' }, ours = tostring }"),
     ":1: series[1].at: found a table, allowed a list of 1 to 1000 numbers"),
    (figure("{ name = 's', published = { { 1 } } }"),
     ":1: series[1].published: found a table, allowed a list of 1 to 1000 points { x, y } or { x, least, most }"),
    (figure("{ name = 's', published = { { 1, 3, 2 } } }"),
     ":1: series[1].published: found a table, allowed a list of 1 to 1000 points { x, y } or { x, least, most }"),
    (figure("{ name = 's', published = { { 1, 0 / 0 } } }"),
     ":1: series[1].published: found a table, allowed a list of 1 to 1000 points { x, y } or { x, least, most }"),
    (figure("{ name = 's', published = { { 1, 2, x = 3 } } }"),
     ":1: series[1].published: found a table, allowed a list of 1 to 1000 points { x, y } or { x, least, most }"),
    (figure(f"{{ name = 's', klass = 1, {AT} }}"),
     f":1: series[1].klass: unknown key; allowed: {SERIES_KEYS}"),
    ("\n" + figure("{ name = 's', ours = 1, at = { 1 } }"),
     ":2: series[1].ours: found the number 1, allowed a function, such as function(run, x) return ... end"),
    (figure(f"{{ name = 's', {AT} }}", axes='x = { unit = "m" }, y = { title = "y", names = { "a" } }'),
     ":1: x.title: missing in x { }\n:1: y.names: unknown key; allowed: title, unit, log, least, most"),
    (figure(f"{{ name = 's', {AT} }}", axes='x = { title = "x", least = 2, most = 2 }, y = { title = "y", log = true, least = 0 }'),
     ":1: x.least: found no less than `most`\n:1: y.least: allowed above 0 only, with `log`"),
    (figure(f"{{ name = 's', {AT} }}", axes='x = { title = "x", names = { "a" }, log = true }, y = { title = "y" }'),
     ":1: x.names: allowed without `log`, `least` and `most` only\n:1: series[1].at: allowed without `names` on the x axis only"),
    (figure("{ name = 's', curve = tostring }", axes=NAMES), ":1: series[1].curve: allowed without `names` on the x axis only"),
    (figure(f"{{ name = 's', {AT} }}", axes=f'x = {{ title = "{"x" * 33}" }}, y = {{ title = "y", unit = "{"u" * 13}" }}'),
     f':1: x.title: found "{"x" * 33}", allowed a text of up to 32 octets\n'
     f':1: y.unit: found "{"u" * 13}", allowed a text of up to 12 octets'),
    ("figure(1)", ":1: lua: figure: found the number 1, allowed one table: figure { ... }"),
    ("for i = 1, 101 do figure { } end", ":1: lua: figure: more than 100"),
)


@case("a mistake in a figure is named with line and key, with exit status 2, and nothing is run")
def mistakes():
    refuses(MISTAKES, runs()[0], "--variant", "all", "--targets")


# --- A figures.json that is anybody's -------------------------------------------------------------

ODD = (None, True, -1, 0, 1e300, -1e300, 1e-320, "", "x" * 5000, "<i>'\\\"%s`id`\n", [], {}, [[]], [[1, 2, 3, 4]], {"kind": "ours"},
       [[1, "x"]], [[1e400, 1]], [{}] * 40, [[i, i] for i in range(6000)])


def places_of(value, path=()):
    yield path
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places_of(item, (*path, key))


def changed(value, path, item):
    """A copy with another value at a place."""
    if not path:
        return item
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = changed(value[path[0]], path[1:], item)
    return copied


@case("any value at any place of figures.json: a page that is whole, or a word of the fault")
def hostile():
    out = new_folder() / "out"
    shutil.copytree(folder_of(VALUE + figure(ours("published = { { 1, 5 }, { 2, 1, 3 } }") + CURVE % "") +
                              figure(ours(at=""), axes=NAMES))[0], out)
    good = json.loads((out / "figures.json").read_text())
    places, draw = list(places_of(good)), random.Random(17)
    for path, item in [(draw.choice(places), odd) for odd in ODD for _ in range(4)]:
        (out / "figures.json").write_text(json.dumps(changed(good, path, item)))
        status, text, stderr = report("--targets", out)
        right(status == 0 or status == 1 and "figures.json" in stderr, f"{path} {item!r:.60}: {status} {stderr}")
        if status == 0:
            check_page(text)
            right("<i>'" not in text and "gnuplot failed" not in text, f"{path} {item!r:.60}")
    (out / "figures.json").write_text("[" * 9999)
    same(report("--targets", out)[0], 1, "no JSON")


main()
