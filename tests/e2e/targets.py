#!/usr/bin/python3
"""Targets: several runs of two seconds judged by files of targets. The figures are the seeds themselves and
cells of the runs' files, so that every mean and interval is a closed formula, written here by hand."""

import csv
import functools
import json
import pathlib
import re
import shutil

from harness import ROOT, case, has_sanitizers, main, new_folder, right, same, sluice, written
from judging import SEED, SHORT, T1, T2, judged, near, refuses, runs
from several import VARIANTS

TARGETS = ROOT / "tests/scenario"
SCENARIOS = ROOT / "config/scenarios"
# Of each paper the shortest run: one to four seconds.
SHORTEST = {"buffer-2004.lua": ("63s-1pdch",), "aqm-2006.lua": ("none",), "preempt-2004.lua": ("paper-3s",),
            "latency-geran.lua": ("edge", "--point", "rlc_rtt=50ms,server_to_bts=10ms"), "gi-2004.lua": ("dial-up",)}


def target(keys, ours="seed"):
    return f'target {{ figure = "F", what = "w", {keys}{", " if keys else ""}ours = {ours} }}\n'


def figure_of(body):
    """The mean over the seeds of a body of ours(run)."""
    rows, _ = judged(f'target {{ figure = "F", what = "w", ours = function(run) {body} end }}')
    same(rows[0]["verdict"], "told", rows[0])
    return rows[0]["mean"]


def verdicts(*keys):
    rows, done = judged(SEED + "".join(target(key) for key in keys))
    return [row["verdict"] for row in rows], done


# --- Means, intervals, verdicts -------------------------------------------------------------------


@case("the mean of three seeds, Student's interval, and the deviation in % and in the unit")
def means():
    rows, _ = judged(SEED + target('unit = "s", published = 8, within = "20 %"') +
                     target('unit = "s", published = -8, within = 20') + target('published = "above 6"') +
                     target('published = -8, within = "200 %"'))
    for row in rows:
        same(row["seeds"], 3, "seeds")
        near(row["mean"], 7, "mean of 6, 7, 8")
        near(row["ci95"], T2 * 1 / 3 ** 0.5, "interval: the deviation of 6, 7, 8 is 1")
    near(rows[0]["deviation"], -12.5, "7 is an eighth below 8")
    near(rows[1]["deviation"], 15, "7 is 15 above -8")
    near(rows[3]["deviation"], 187.5, "7 is above -8, by 15 of 8")
    same([(row.get("deviation_unit"), row["verdict"]) for row in rows],
         [("%", "met"), ("s", "met"), (None, "told"), ("%", "met")], "unit and verdict")


@case("the interval of two seeds; one seed has none, and nothing is sure of it")
def few_seeds():
    config, out = runs()
    text = SEED + target("most = 100, sure = true")
    for seeds, mean, interval, verdict in (("6..7", 6.5, T1 / 2, "met"), ("6..6", 6, None, "NOT MET")):
        rows, _ = judged(text, words=("--variant", "all", "--seeds", seeds, "--force"), config_out=(config, out))
        near(rows[0]["mean"], mean, "mean")
        same((rows[0].get("ci95") is None, rows[0]["verdict"]), (interval is None, verdict), seeds)
        if interval:
            near(rows[0]["ci95"], interval, f"interval: half of {T1}, for the deviation is 1 / sqrt(2)")


@case("met and not met: within, least, most, and both ends of each")
def bounds():
    found, _ = verdicts('published = 10, within = "30 %"', 'published = 10, within = "29.9 %"',
                        "published = 10, within = 3", "published = 10, within = 2.999",
                        "published = 4, within = 3", "published = 4, within = 2.999",
                        "least = 7", "least = 7.001", "most = 7", "most = 6.999", "least = 6, most = 8",
                        "least = 7.1, most = 8", "published = 7, within = 1, most = 6.5", "published = 7")
    same(found, ["met", "NOT MET", "met", "NOT MET", "met", "NOT MET", "met", "NOT MET", "met", "NOT MET",
                 "met", "NOT MET", "NOT MET", "told"], "verdicts")


@case("sure: the whole interval, 7 +- 2.484, is inside")
def sure():
    found, _ = verdicts("least = 4.51, sure = true", "least = 4.52, sure = true", "most = 9.49, sure = true",
                        "most = 9.48, sure = true", "published = 7, within = 2.48, sure = true",
                        "published = 7, within = 2.49, sure = true", "most = 9.48, sure = false")
    same(found, ["met", "NOT MET", "met", "NOT MET", "NOT MET", "met", "met"], "verdicts")


@case("kinds: results, goals beyond, inputs and what is told are counted apart, and stand apart in the table")
def kinds():
    text = SEED + "".join(f'target {{ figure = "{figure}", what = "{what}", {keys} ours = seed }}\n' for figure, what, keys in (
        ("told", "w1", ""), ("F", "w2", 'kind = "input", published = 7, within = 1,'), ("beyond", "w3", "most = 6,"),
        ("F", "w4", "most = 7,"), ("F", "w5", "most = 6,"), ("F", "w6", 'kind = "input", published = 7, within = 0,'),
        ("F", "w7", 'kind = "input", most = 6,'), ("F", "w8", "published = 7,"), ("beyond", "w9", "least = 7,")))
    rows, done = judged(text)
    same([(row["kind"], row["verdict"]) for row in rows],
         [("told", "told"), ("input", "met"), ("beyond", "NOT MET"), ("result", "met"), ("result", "NOT MET"),
          ("input", "met"), ("input", "NOT MET"), ("told", "told"), ("beyond", "met")], "kind and verdict")
    right("\n  1 of 2 results met; 1 of 2 beyond, 2 of 3 inputs, 2 told\n" in done.stdout, done.stdout)
    table = done.stdout[done.stdout.index("\n  figure "):]
    same(re.findall(r"^  -- (\w+)|\b(w\d)\b", table, re.M),
         [("", "w4"), ("", "w5"), ("Beyond", ""), ("", "w3"), ("", "w9"), ("Inputs", ""), ("", "w2"), ("", "w6"), ("", "w7"),
          ("Reported", ""), ("", "w1"), ("", "w8")], "the order")


@case("what no seed moves has no interval, and the row says so; one seed alone does not")
def alike():
    config, out = runs()
    text = SEED + target("most = 5, sure = true", "function(run) return 5 end") + \
        target("most = 9", "function(run) return 5 + seed(run) // 8 end")
    rows, done = judged(text)
    same([(row["verdict"], row.get("alike"), "ci95" in row) for row in rows],
         [("met", True, False), ("met", None, True)], "of three seeds, of which the last moves the second row")
    right("5, all seeds alike" in " ".join(done.stdout.split()), done.stdout)
    rows, _ = judged(text, words=("--variant", "all", "--seeds", "6..6", "--force"), config_out=(config, out))
    same([(row["verdict"], row.get("alike"), "ci95" in row) for row in rows],
         [("NOT MET", None, False), ("met", None, False)], "of one seed")


@case("each: the mean of each name over the seeds, and the hardest one to meet is judged and named")
def each():
    # Of the seeds 6, 7 and 8: x is 7 in the mean, y 8, and z 6 with twice the spread.
    names = '{ "x", "y", "z" }'
    of = "function(run, one)\n local s = seed(run) return ({ x = s, y = 15 - s, z = 2 * s - 8 })[one]\nend"
    for bound, verdict, mean, half, hardest in (
            ("least = 6", "met", 6, 2 * T2 / 3 ** 0.5, "z"), ("least = 6.1", "NOT MET", 6, 2 * T2 / 3 ** 0.5, "z"),
            ("most = 8", "met", 8, T2 / 3 ** 0.5, "y"), ("most = 7.9", "NOT MET", 8, T2 / 3 ** 0.5, "y")):
        rows, done = judged(SEED + target(f"{bound}, each = {names}", of))
        same((rows[0]["verdict"], rows[0]["hardest"], rows[0]["seeds"]), (verdict, hardest, 3), bound)
        near(rows[0]["mean"], mean, f"{bound}: mean")
        near(rows[0]["ci95"], half, f"{bound}: interval")
        right(f"hardest: {hardest}" in " ".join(done.stdout.split()), done.stdout)


@case("each: where one has no run the row says not run, where one fails it says so")
def each_fails():
    rows, _ = judged(SEED + target('least = 1, each = { "red", "none" }',
                                   "function(run, one)\n return (run(one).value('seed'))\nend"), status=1)
    same(rows[0]["verdict"], "error", "a variant that the scenario has not")
    rows, _ = judged(SEED + target('least = 1, each = { "a", "b" }',
                                   "function(run, one)\n return one == 'a' and seed(run) or 'x'\nend"), status=1)
    right('found "x", allowed a number' in rows[0]["error"], rows[0]["error"])


# --- What a target reads --------------------------------------------------------------------------


@functools.cache
def table(variant, name):
    """The rows of a file for each seed."""
    found = []
    for seed in (6, 7, 8):
        with (runs()[1] / variant / str(seed) / f"{name}.csv").open(newline="") as file:
            found.append(list(csv.DictReader(file)))
    return found


def mean_of(values):
    return sum(values) / len(values)


@case("row, rows and value: cells of CSV files, by text and by number, and of the summary")
def reads():
    speech = [int(row["sent_octets"]) for rows in table("cobalt", "classes") for row in rows
              if row["class"] == "conversational"]
    same(len(speech), 3, "rows")
    near(figure_of("return run('cobalt').row('classes', { class = 'conversational' }).sent_octets"),
         mean_of(speech), "row")
    flows = table("red", "applications")
    near(figure_of("return #run('red').rows('applications')"), mean_of([len(rows) for rows in flows]), "rows")
    near(figure_of("return run('red').row('applications', { flow = 0, application = 'traffic' }).flow"), 0, "number")
    same(flows[0][0]["ms"][:2], "00", "an IMSI with zeros")
    near(figure_of(f"return #run('red').rows('applications', {{ ms = '{flows[0][0]['ms']}' }})"),
         mean_of([sum(row["ms"] == flows[0][0]["ms"] for row in rows) for rows in flows]), "an IMSI is text")
    packets = [json.loads((runs()[1] / "red" / str(seed) / "summary.json").read_text())
               ["classes"]["conversational"]["packets"] for seed in (6, 7, 8)]
    near(figure_of("return run('red').value('classes.conversational.packets')"), mean_of(packets), "value")
    near(figure_of("return run('cobalt').value('seed') * 10 + run('red').value('seed')"), 77, "two runs, one seed")


@case("sum, mean, least, most, quantile and window over a series, and without empty cells")
def functions():
    series = table("red", "series_classes")
    octets = [[int(row["sent_octets"]) for row in rows] for rows in series]
    rows = "run('red').rows('series_classes')"
    for name, work in (("sum", sum), ("mean", mean_of), ("least", min), ("most", max)):
        near(figure_of(f"return {name}({rows}, 'sent_octets')"), mean_of([work(seed) for seed in octets]), name)
    late = [sum(int(row["sent_octets"]) for row in rows if 1.5 <= float(row["time_s"]) <= 2) for rows in series]
    near(figure_of(f"return sum(window({rows}, 1.5, 2), 'sent_octets')"), mean_of(late), "window")
    right(late != [sum(seed) for seed in octets], "the window leaves something out")
    ten = "local rows = {} for i = 10, 1, -1 do table.insert(rows, { x = i, y = i > 8 and i or nil }) end "
    for q, wanted in ((0.05, 1), (0.1, 1), (0.11, 2), (0.5, 5), (0.95, 10), (1, 10)):
        near(figure_of(f"{ten} return quantile(rows, 'x', {q})"), wanted, f"quantile {q} of 1 to 10")
    near(figure_of(f"{ten} return quantile(rows, 'y', 0.5) * 100 + sum(rows, 'y')"), 919, "9 and 10 are there")
    near(figure_of(f"{ten} return quantile(rows, 'z', 0.5) == nil and mean(rows, 'z') == nil and 1 or 0"), 1, "none")
    near(figure_of("local text = '' for key, value in pairs { b = 2, a = 1, [3] = 7 } do text = text .. key .. value "
                   "end return tonumber(string.format('%d', #text)) + (text == '37a1b2' and 0 or 100)"), 6, "pairs")


# --- Rows that cannot be judged -------------------------------------------------------------------


@case("a run that is missing: the row says not run; the others are judged, and the last line counts")
def missing():
    out = new_folder() / "out"
    shutil.copytree(runs()[1], out)
    shutil.rmtree(out / "cobalt")
    text = SEED + target("most = 7") + target("most = 7", "function(run) return run('cobalt').value('seed') end") + \
        target("", "function(run) return run('cobalt').value('seed') end") + target("least = 8") + target("")
    config = runs()[0]  # the variant alone
    rows, done = judged(text, config_out=(config, out), words=("--variant", "red", "--seeds", "6..8"))
    same([row["verdict"] for row in rows], ["met", "not run", "not run", "NOT MET", "told"], "verdicts")
    right("\n  1 of 3 results met; 1 told, 2 not run\n" in done.stdout, done.stdout)
    same([row.get("mean") for row in rows], [7, None, None, 7, 7], "means")
    told = sluice("report", "--targets", "--out", new_folder() / "page.html", out).stdout.splitlines()[1]
    right(re.fullmatch(r"  out +6 to 8 +1 of 3 +0 of 0 +0 of 0 +1 +2 +0", told), f"sluice report counts otherwise: {told}")
    (out / "cobalt/7/run.json").mkdir(parents=True)  # this run fails
    rows, done = judged(text, status=1, config_out=(config, out))
    same([row["verdict"] for row in rows], ["met", "not run", "not run", "NOT MET", "told"], "with a run that failed")


# A second of processor time ends before so many instructions where another program slows the core down.
ENDLESS = "cut off: more than 100000000 instructions"
OR_LATE = "cut off: more than its time"
BAD_ROWS = (  # the body of ours, and what its row says behind file and line 2
    ("return run('rod').value('seed')", 'run("rod", nothing): the file has no such variant'),
    ("return run().value('seed')", 'run(nothing, nothing): no variant given'),
    ("return run('red', 'a=1').value('seed')", 'run("red", "a=1"): the file has no such point'),
    ("return run(7).value('seed')", "run: allowed run(variant) and run(variant, point), both texts"),
    ("return run('red').value('classes.none.packets')", 'OUT/summary.json has no number "classes.none.packets"'),
    ("return run('red').row('classes').sent_octets", "OUT/classes.csv: ROWS rows are {  }, needed one"),
    ("return run('red').row('classes', { class = 'x' }).sent_octets",
     'OUT/classes.csv: no rows are { class = "x" }, needed one'),
    ("return run('red').row('classes', { klass = 'x' }).sent_octets", "classes.csv has no column klass"),
    ("return sum(run('red').rows('classes'), 'sent')", "classes.csv has no column sent"),
    ("return sum(run('red').rows('classes'), 'class')",
     'column "class": found "conversational", allowed numbers'),
    ("return #run('red').rows('none')", "OUT/none.csv: cannot be read: No such file or directory"),
    ("return #run('red').rows('../../6/classes')",
     'found "../../6/classes" as file, allowed a name such as "applications"'),
    ("return mean({}, 'x')", "ours: found nothing, allowed a number"),
    ("return 0 / 0", "ours: found the number -nan, allowed a number"),
    ("return 'seven'", 'ours: found "seven", allowed a number'),
    ("return nothing + 1", "attempt to perform arithmetic on a nil value (global 'nothing')"),
    ("while true do end", ENDLESS),
    ("local t = {} for i = 1, 1e7 do t[i] = i end return 1", "cut off: more memory than it may have"),
    ("return io.open('/etc/passwd')", "attempt to index a nil value (global 'io')"),
    ("error('mine')", "mine"),
    ("return quantile({}, 'x', 95)", "quantile: found the number 95, allowed a number above 0, 1 at most"),
)


@case("a row whose function fails says so with file and line, the others are judged; exit status 1")
def bad_rows():
    text = SEED + target("least = 7")
    text += "".join(target("least = 7", f"function(run)\n {body} end") for body, _ in BAD_ROWS)
    rows, done = judged(text, status=1)
    same(rows[0]["verdict"], "met", "the first row")
    same({row["verdict"] for row in rows[1:]}, {"error"}, "the others")
    for number, (row, (body, said)) in enumerate(zip(rows[1:], BAD_ROWS)):
        place, found = row["error"].split(": ", 1)
        found = found.replace(str(runs()[1] / "red/6"), "OUT")
        found = re.sub(r"^(OUT/classes.csv:) \d+ rows", r"\1 ROWS rows", found)
        same(ENDLESS if found == OR_LATE and said == ENDLESS else found, said, body)
        first = 5 + 2 * number  # of the target; its body is in the next line, unless a tail call took it away
        right(int(place.rsplit(":", 1)[1]) in (first, first + 1), f"{place}, right is {first} or the next")
    right(f"\n  1 of {len(rows)} results met; {len(BAD_ROWS)} error\n" in done.stdout, done.stdout)


# --- Mistakes: found before anything runs ---------------------------------------------------------

MISTAKES = (  # the file; its mistakes behind the path
    (SEED + target("kost = 1"), ":4: kost: unknown key; allowed: figure, what, kind, unit, published, within, least, most, sure,"
                         " note, each, ours; did you mean most?"),
    ('\ntarget { what = "w", ours = 1 }', ":2: figure: missing in target { }\n:2: ours: found the number 1, allowed a"
                                          " function, such as function(run) return ... end"),
    ("local function make()\n " + target("sure = 1", "print") + "end\nmake()",
     ":4: sure: found the number 1, allowed true or false\n:4: ours: missing in target { }"),
    (SEED + target("within = 1"), ":4: within: allowed with a number in `published` only"),
    (SEED + target('published = "a", within = 1'), ":4: within: allowed with a number in `published` only"),
    (SEED + target('published = 1, within = "five"'), ':4: within: found "five", allowed a number in the unit, 0 or'
                                                      ' more, or a part of what is published, such as "5 %"'),
    (SEED + target("least = 2, most = 1"), ":4: least: found more than `most`"),
    (SEED + target('least = 1, most = 2, each = { "a" }'),
     ":4: each: allowed with either `least` or `most`, for the hardest to meet is judged"),
    (SEED + target('each = { "a" }'),
     ":4: each: allowed with either `least` or `most`, for the hardest to meet is judged"),
    (SEED + target("least = 1, each = {}"), ":4: each: found a table, allowed a list of 1 to 64 texts"),
    (SEED + target("sure = true"), ":4: sure: allowed with `within`, `least` or `most` only"),
    (SEED + target('kind = "result", most = 1'), ':4: kind: found "result", allowed "input", or none'),
    (SEED + target('kind = "input", published = 1'), ":4: kind: allowed with `within`, `least` or `most` only"),
    (SEED + target('kind = "input", least = 1').replace('"F"', '"beyond"'), ":4: kind: allowed with a figure of the paper's only"),
    (SEED + target("least = 1").replace('"F"', '"told"'),
     ':4: figure: found "told", allowed without `within`, `least` and `most` only'),
    (SEED + target('least = "1"'), ':4: least: found "1", allowed a number'),
    (SEED + target("7"), ":4: target: found a value without a name, allowed names: figure, what, kind, unit, published,"
                         " within, least, most, sure, note, each, ours"),
    ("target(1)", ":1: lua: target: found the number 1, allowed one table: target { ... }"),
    ("\ntarget {", ":2: lua: unexpected symbol near <eof>"),
    ("\n\nreturn nothing.x", ":3: lua: attempt to index a nil value (global 'nothing')"),
    ("while true do end", ":1: lua: cut off: more than 1000000 instructions"),
    ("", ":1: target: the file has none; needed: target { ... }, one or more"),
    ("\x1bLua", ":1: lua: compiled Lua"),
)


@case("a mistake in the file is named with line and key, with exit status 2, and nothing is run")
def mistakes():
    refuses(MISTAKES, runs()[0], "--variant", "all", "--targets")


@case("refused before anything runs: a single run, a file that is not there")
def refused():
    out, none = new_folder() / "out", new_folder() / "none.lua"
    for words, said in (
            (("--targets", written(SEED + target(""))), "sluice run: --targets: allowed with several runs only:"
             " --seeds, --variant all, a sweep { }"),
            (("--variant", "all", "--targets", none), f"{none}: cannot be read: No such file or directory"),
            (("--variant", "all", "--targets", none.parent), f"{none.parent}: cannot be read: Is a directory")):
        done = sluice("run", runs()[0], "--out", out, *words)
        same((done.returncode, done.stdout, done.stderr), (2, "", said + "\n"), words)
        right(not out.exists(), f"{words}: it made {out}")


# --- What is printed and written ------------------------------------------------------------------


@case("the table fits 120 columns, notes stand below; targets.csv and targets.json say the same")
def prints():
    long = "word " * 60
    text = SEED + f'target {{ figure = "Figure 12, right", what = "{long}", unit = "kbit/s", published = 8,\n' \
        f'within = "5 %", note = "{"longword" * 40} why, \\"so\\"", ours = seed }}\n' + target("most = 7.5")
    rows, done = judged(text)
    shown = done.stdout[done.stdout.index("\n  figure "):]
    right(all(len(line) <= 120 for line in shown.splitlines()), shown)
    for part in ("8 kbit/s", "7 +- 2.484", "-12.5 %", "NOT MET", "goal: <= 7.5", "\n  1 of 2 results met\n", "longword"):
        right(part in shown, f"no {part!r} in:\n{shown}")
    with (runs()[1] / "targets.csv").open(newline="") as file:
        found = list(csv.DictReader(file))
    declared = ("unit", "published", "within", "least", "most", "sure")
    same([{key: row[key] for key in declared if key in row} for row in rows],
         [{"unit": "kbit/s", "published": 8, "within": "5 %"}, {"most": 7.5}], "what the file declares, in JSON")
    for row in rows:
        row.pop("texts")
    same([{key: value for key, value in row.items() if value} for row in found],
         [{key: value if isinstance(value, str) else f"{value:.9g}" for key, value in row.items()} for row in rows],
         "targets.csv")


@case("the page has the targets; a page of the targets alone, of several folders; none of an earlier command")
def page():
    config, out = written(SHORT + VARIANTS), new_folder() / "one"
    done = sluice("run", config, "--out", out, "--variant", "all", "--targets",
                  written("target { figure = 'F<1>', what = 'w', least = 3, ours = function(run)"
                          " return run('red').value('seed') end }"))
    same(done.returncode, 0, done.stderr)
    shown = (out / "report.html").read_text()
    for part in ("<h2>Targets</h2>", "<td>F&lt;1&gt;</td>", "goal: &gt;= 3", '<td class="bad">NOT MET</td>',
                 '<td class="n words">1</td>', "td.words{white-space:normal;"):  # else a long one leaves no room for the note
        right(part in shown, f"no {part}")
    judged(SEED + target("least = 7"))
    both = new_folder() / "both.html"
    same(sluice("report", "--targets", "--out", both, out, runs()[1]).returncode, 0, "exit status")
    shown = both.read_text()
    for part in ("Scenario udp, seed 1, by Sluice ", "Scenario udp, seeds 6 to 8, by Sluice ", "<h2>Targets: one, seeds 1</h2>", "<h2>Targets: out, seeds 6 to 8</h2>", "0 of 1 results met.", "1 of 1 results met."):
        right(part in shown, f"no {part}")
    sluice("run", config, "--out", out, "--variant", "all", "--force")
    same([path.name for path in out.glob("targets.*")], [], "files of targets")
    right("Targets" not in (out / "report.html").read_text(), "targets of an earlier command")
    done = sluice("report", "--targets", "--out", both, out)
    same((done.returncode, done.stderr), (1, f"sluice report: {out}: no targets.json\n"), "none there")


# --- The papers -----------------------------------------------------------------------------------


FIGURES = {"aqm-2006.lua": {"2", "3", "5", "6"}, "buffer-2004.lua": {"1", "2", "3", "4"},
           "latency-geran.lua": {"2", "3", "4", "5", "6", "7", "8", "9", "10"},
           "preempt-2004.lua": {"I", "2", "3", "4"},
           "gi-2004.lua": {"I", "III", "3", "4", "5", "7", "8", "9", "10", "11", "13", "14", "15", "16", "17"}}  # of the papers, but drawings of networks


def series_of(out):
    return [series for figure in json.loads((out / "figures.json").read_text())["figures"] for series in figure["series"]]


def check_figures(out, name):
    figures = json.loads((out / "figures.json").read_text())["figures"]
    same({re.match(r"(?:Fig\.|Table) (\w+)", figure["name"]).group(1) for figure in figures}, FIGURES[name], name)
    same([series["error"] for series in series_of(out) if "error" in series], [], name)


def rows_without_runs(targets, config, *words):
    """Nothing is run, for a file stands in the place of each variant's folder."""
    out = new_folder() / "out"
    command = "run", config, "--out", out, *words, "--no-page", "--targets", targets
    for line in sluice(*command, "--commands").stdout.splitlines():
        folder = pathlib.Path(line.split(" --out ")[1].split()[0])
        (out / folder.relative_to(out).parts[0]).touch()
    done = sluice(*command)
    same(done.returncode, 1, done.stderr)
    check_figures(out, targets.name)
    for series in series_of(out):
        right(series["missing"] == 0 or not series["points"], f"{targets.name}: {series['name']} has points of no run")
    return json.loads((out / "targets.json").read_text())["targets"]


@case("tests/scenario/*.lua: every key is right, every variant and point is of the paper's file, each figure is there")
def papers():
    for targets in sorted(TARGETS.glob("*.lua")):
        config = SCENARIOS / targets.name
        right(config.exists(), f"{targets.name}: no such file in config/scenarios")
        rows = rows_without_runs(targets, config, "--variant", "all", "--seeds", "6..6")
        wrong = [row.get("error", row["what"]) for row in rows if "error" in row or
                 row["verdict"] != ("met" if row["what"].endswith("by the formula") else "not run")]
        same(wrong, [], targets.name)


def shortest():
    for targets in sorted(TARGETS.glob("*.lua")):
        out = new_folder() / "out"
        done = sluice("run", SCENARIOS / targets.name, "--out", out, "--variant", *SHORTEST[targets.name],
                      "--seeds", "6..6", "--no-page", "--targets", targets)
        rows = json.loads((out / "targets.json").read_text())["targets"] if done.returncode < 2 else []
        same((done.returncode, [row["error"] for row in rows if "error" in row]), (0, []), f"{targets.name}\n{done.stderr}")
        right(any("mean" in row for row in rows), f"{targets.name}: no row was judged")
        check_figures(out, targets.name)
        right(any(series["points"] and series["kind"] != "exact" for series in series_of(out)), f"{targets.name}: no point")


if has_sanitizers():  # without them, papers.py has these runs and more
    case("the shortest run of each paper: what its targets read is there, and no row fails")(shortest)

main()
