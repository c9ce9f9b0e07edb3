#!/usr/bin/python3
"""Knobs: conclusions judged at a low and a high setting of each. The figure is ten times a run's seconds plus
its seed, so that every mean, interval and bar is a number written here by hand."""

import csv
import functools
import hashlib
import json
import re

from harness import ROOT, UDP_SCENARIO, case, main, new_folder, right, same, sluice, written
from judging import refuses
from pages import check_page
from several import VARIANTS

SHORT = UDP_SCENARIO.read_text().replace('duration = "10 s"', 'duration = "2 s"')
SCENARIOS, TARGETS = ROOT / "config/scenarios", ROOT / "tests/scenario"
KNOBS = TARGETS / "sensitivity"
# Three seeds, 6 to 8: half the interval of their mean is 4.3026527 / sqrt(3), with two degrees of freedom.
HALF = 4.3026527 / 3 ** 0.5
FIGURE = "function(run) return run('red').value('virtual_s') * 10 + run('red').value('seed') end"


def row(what, bounds):
    return f"target {{ figure = 'F', what = '{what}', unit = 's', {bounds}, ours = {FIGURE} }}\n"


# At the base 27, at the two settings of the duration 17 and 37, at the one of the other knob 24.5. One knob moves
# nothing, and one is of the other variant.
ROWS = row("firm", "least = 20, most = 34") + row("doubtful", "least = 15, most = 38") + \
    row("perhaps", "least = 18") + row("always", "most = 100") + row("late", "least = 30") + \
    row("never", "least = 100") + "target { figure = 'F', what = 'told', ours = " + FIGURE + " }\n"
BLOCKS = """runs { variants = { "red" } }
runs { variants = "cobalt" }
conclusion "firm"
conclusion "doubtful"
conclusion "perhaps"
conclusion "always"
conclusion "late"
conclusion "never"
knob { name = "quantum", keys = { "queue.flow_quantum", "queue.flows" }, base = { "300 octets", 16 },
       high = { "400 octets", 32 }, from = "x" }
knob { name = "queue of one", keys = "queue.flows", base = 16, low = 64, variants = { "cobalt" }, from = "x" }
knob { name = "a little", keys = "run.duration", base = "2 s", low = "1750 ms", from = "<y>" }
knob { name = "Run's time", keys = { "run.duration" }, base = "2 s", low = "1 s", high = "3 s", from = "z" }
"""
WORDS = ("--seeds", "6..8", "--resume")


@functools.cache
def config():
    return written(SHORT + VARIANTS)


def run(out, targets, knobs, *words):
    return sluice("run", config(), "--out", out, "--targets", written(targets), "--knobs", written(knobs),
                  *(words or WORDS))


@functools.cache
def judged():
    """The folder of all runs, what the command said, and knobs.json by conclusion."""
    out = new_folder() / "out"
    done = run(out, ROWS, BLOCKS)
    same(done.returncode, 0, f"exit status\n{done.stdout}{done.stderr}")
    found = json.loads((out / "knobs.json").read_text())["conclusions"]
    return out, done, {one["what"]: one for one in found}


def near(found, wanted, what):
    right(abs(found - wanted) <= 1e-6 * max(1, abs(wanted)), f"{what}: found {found}, right is {wanted}")


@case("only what the conclusions need is run, once: the base, each setting, and a knob's own variants")
def runs():
    out, done, _ = judged()
    found = sorted(str(path.parent.relative_to(out)) for path in out.glob("*/*/*/summary.json"))
    both = ("a-little-low", "base", "quantum-high", "run-s-time-high", "run-s-time-low")
    wanted = [f"{setting}/{variant}/{seed}" for setting in both for variant in ("red", "cobalt")
              for seed in (6, 7, 8)] + [f"queue-of-one-low/cobalt/{seed}" for seed in (6, 7, 8)]
    same(found, sorted(wanted), "runs")
    right("33 runs, " in done.stderr, done.stderr)
    again = run(out, ROWS, BLOCKS)
    same((again.returncode, again.stdout, again.stderr), (0, done.stdout, ""), "nothing is run again")


@case("a bar for each knob, the longest first: mean, interval, span and verdict of both settings")
def bars():
    one = judged()[2]["firm"]
    near(one["base"]["mean"], 27, "base")
    near(one["base"]["ci95"], HALF, "interval")
    same([bar["name"] for bar in one["knobs"]], ["Run's time", "a little", "quantum"], "order")
    for bar, sides in zip(one["knobs"], ({"low": (17, "NOT MET"), "high": (37, "NOT MET")},
                                         {"low": (24.5, "met")}, {"high": (27, "met")})):
        means = [mean for mean, _ in sides.values()]
        near(bar["span"], max(means + [27]) - min(means + [27]), f"span of {bar['name']}")
        for side in ("low", "high"):
            same(side in bar, side in sides, f"{bar['name']}: {side}")
            if side in sides:
                near(bar[side]["mean"], sides[side][0], f"{bar['name']}: {side}")
                same(bar[side]["verdict"], sides[side][1], f"{bar['name']}: {side}")
    same([bar[side]["moves"] for bar in one["knobs"] for side in ("low", "high") if side in bar],
         [True, True, True, False], "moves")
    seen = set()
    for what, one in judged()[2].items():  # the verdict is firm if no bound is within the interval
        for bar in one["knobs"]:
            for side in (bar[name] for name in ("low", "high") if name in bar):
                near_bound = any(bound is not None and abs(side["mean"] - bound) < side["ci95"]
                                 for bound in (one.get("least"), one.get("most")))
                same(side["firm"], not near_bound, f"{what}, {bar['name']}: firm")
                seen.add(side["firm"])
    same(seen, {True, False}, "both")


SAYS = {
    "firm": "depends on: Run's time (low: 1 s, high: 3 s)",  # 17 and 37 +- 2.5 are outside 20 to 34
    "doubtful": "holds for all 4 settings (1 without any effect)",
    "perhaps": "may depend on: Run's time (low: 1 s)",  # 17 + 2.5 is above 18
    "always": "holds for all 4 settings (1 without any effect)",
    "late": "not met at the base; met with: Run's time (high: 3 s)",
    "never": "not met at the base; nor with any of 4 settings (1 without any effect)",
}


@case("what each conclusion depends on, in a sentence, in knobs.json and below its table")
def sentences():
    _, done, found = judged()
    same({what: one["says"] for what, one in found.items()}, SAYS, "sentences")
    for says in SAYS.values():
        right(f"  -> {says}\n" in done.stdout, f"no {says!r} in\n{done.stdout}")
    right(all(len(line) <= 120 for line in done.stdout.splitlines()), done.stdout)
    for what, band in (("firm", "20 to 34"), ("perhaps", "at least 18"), ("late", "at least 30")):
        right(re.search(rf"\b{what}: .*; the row wants {band}\n", done.stdout), f"{what}: {done.stdout}")
    right(re.search(r"\n    Run's time +2 s +1 s: 17 NOT MET +3 s: 37 NOT MET +20\n", done.stdout), done.stdout)
    right(re.search(r"\n    Run's time +2 s +1 s: 17 not met\? +3 s: 37 +20\n", done.stdout), done.stdout)


@case("knobs.csv has a line for the base and each setting of each conclusion")
def table():
    out, _, found = judged()
    with (out / "knobs.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    same(len(lines), len(found) * 5, "lines")
    wanted = {("", "base"): 27, ("Run's time", "low"): 17, ("Run's time", "high"): 37, ("a little", "low"): 24.5,
              ("quantum", "high"): 27}
    same({(line["knob"], line["setting"]): float(line["mean"]) for line in lines if line["what"] == "perhaps"},
         wanted, "means")
    same({(line["least"], line["most"]) for line in lines if line["what"] == "perhaps"}, {("18", "")}, "bounds")


def pictures(text):
    return re.findall(r"<svg.*?</svg>", text, re.DOTALL)


def scale(picture):
    """A function from values to pixels, by the first and the last mark of the axis."""
    marks = [(float(value), float(x)) for x, value in
             re.findall(r'<text x="([\d.]+)" y="\d+">(-?[\d.e+]+)</text>', picture)]
    (low, left), (high, right_) = marks[0], marks[-1]
    for value, x in marks:
        right(abs(left + (value - low) / (high - low) * (right_ - left) - x) < 0.11, f"mark {value}")
    return lambda value: left + (value - low) / (high - low) * (right_ - left)


@case("knobs.json and its page say what the runs were of: scenario, seeds, version, configuration; a file that does not say it is a page")
def origin():
    out, _, _ = judged()
    file, path = json.loads((out / "knobs.json").read_text()), new_folder() / "index.html"
    digest, version = hashlib.sha256(config().read_bytes()).hexdigest(), sluice("version").stdout.split()[1]
    same(file["origin"], {"scenario": "udp", "version": version, "config_sha256": digest, "files": [], "first_seed": 6, "last_seed": 8}, "origin")
    same(sluice("report", "--knobs", "--out", path, out).returncode, 0, "exit status")
    line = (f'<p class="soft">Scenario udp, seeds 6 to 8, by Sluice {version}, configuration <code title="{digest}">{digest[:12]}</code>.</p>')
    right(line in path.read_text(), f"no {line}")
    evil = new_folder()
    for of in None, {"scenario": "<i>", "version": 7, "config_sha256": "<b>" * 999, "first_seed": -1, "last_seed": "x"}, [], "x":
        (evil / "knobs.json").write_text(json.dumps({**file, "origin": of}))
        same(sluice("report", "--knobs", "--out", path, evil).returncode, 0, "exit status")
        text = path.read_text()
        check_page(text.replace(' role="img"', ""))
        same("Scenario" in text, isinstance(of, dict), f"origin {str(of)[:40]}")


@case("the figure: bars from the base to the means, to the pixel; the band; colours where the verdict changes")
def figure():
    out, _, found = judged()
    path = new_folder() / "index.html"
    same(sluice("report", "--knobs", "--out", path, out).returncode, 0, "exit status")
    text = path.read_text()
    check_page(text.replace(' role="img"', ""))
    for part in ("<h2>out</h2>", "depends on: Run&#39;s time (low: 1 s, high: 3 s)</p>",
                 "Without any effect: quantum.", "<td class=\"wrap\">queue of one</td>", "&lt;y&gt;"):
        right(part in text, f"no {part}")
    same(len(pictures(text)), len(found), "pictures")
    for what, band, colours in (("firm", (20, 34), ("s5", "s5", "s7")), ("late", (30, None), ("s7", "s2", "s7"))):
        picture = pictures(text)[list(found).index(what)]
        x = scale(picture)
        boxes = re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="12" fill="var\(--(s\d)\)"',
                           picture)
        same(len(boxes), 3, f"{what}: bars")
        for (left, width, colour), mean, wanted in zip(boxes, (17, 37, 24.5), colours):
            ends = sorted((x(27), x(mean)))
            right(abs(float(left) - ends[0]) < 0.2 and abs(float(width) - (ends[1] - ends[0])) < 0.3,
                  f"{what}, {mean}: found {left} and {width}, right is {ends}")
            same(colour, wanted, f"{what}: colour at {mean}")
        left, width = map(float, re.search(r'<rect x="([\d.]+)" y="8" width="([\d.]+)" height="\d+" fill="var\(--s6\)',
                                           picture).groups())
        right(abs(left - x(band[0])) < 0.2, f"{what}: the band begins at {left}")
        right(abs(left + width - (x(band[1]) if band[1] else 752)) < 0.3, f"{what}: the band ends at {left + width}")
    done = sluice("report", "--knobs", "--out", path, new_folder())
    same(done.returncode, 1, "a folder without results")
    right("no knobs.json" in done.stderr, done.stderr)


@case("numbers that are alike but for their last digits, or have no step between them: a page, at once")
def far_from_zero():
    out, _, _ = judged()
    text = (out / "knobs.json").read_text()
    folder = new_folder()
    for far in (lambda x: 10**17 + 16 * (int(x) % 2), lambda x: x * 1e300, lambda x: x * 1e-320, lambda _: 7):
        (folder / "knobs.json").write_text(re.sub(r'("(?:mean|value|base|least|most)": )([\d.]+)', lambda match: match[1]
                                                  + str(far(float(match[2]))), text))
        done = sluice("report", "--knobs", "--out", folder / "index.html", folder)
        same(done.returncode, 0, done.stderr)
        check_page((folder / "index.html").read_text().replace(' role="img"', ""))
        right((folder / "index.html").stat().st_size < 10**6, "the page is longer than a megabyte")


# --- Wrong files and options ----------------------------------------------------------------------

KNOB = 'knob { name = "k", keys = "run.duration", base = "2 s", low = "1 s", from = "x" }'
ALLOWED = "name, keys, base, low, high, from, variants"
MISTAKES = (  # a file, and what is said behind its name
    ('conclusion "frm"\n' + KNOB, ':1: conclusion "frm": found no row with it that is judged; did you mean firm?'),
    ('conclusion "told"\n' + KNOB, ':1: conclusion "told": found no row with it that is judged'),
    ('conclusion "firm"\n\nconclusion "firm"\n' + KNOB, ':3: conclusion "firm": found again, needed once'),
    ('conclusion "twice"\n' + KNOB, ':1: conclusion "twice": found 2 rows with it, needed one'),
    ("conclusion { }", ':1: lua: conclusion: found a table, allowed conclusion "..."'),
    ('conclusion "firm"\nknob "k"', ':2: lua: knob: found "k", allowed knob { ... }'),
    (KNOB, ':1: conclusion: the file has none; needed: conclusion "...", one or more'),
    ('conclusion "firm"', ":1: knob: the file has none; needed: knob { ... }, one or more"),
    ('conclusion "firm"\n' + KNOB + "\n" + KNOB,
     ':3: name: found "k" again (line 2 has it), needed: a name of its own'),
    ('conclusion "firm"\nknob { name = "k", keys = "run.duration", base = "2 s", from = "x" }',
     ":2: low: missing in knob { }, as is `high`; needed: one of them"),
    ('conclusion "firm"\nknob { name = "k", key = "run.duration", base = "2 s", low = "1 s" }',
     f":2: key: unknown key; allowed: {ALLOWED}; did you mean keys?\n:2: keys: missing in knob {{ }}\n"
     ":2: from: missing in knob { }"),
    ('conclusion "firm"\n' + KNOB.replace('"2 s"', "{ }"), ":2: base: found a table, allowed a list of 1 to 64"),
    ('conclusion "firm"\n' + KNOB.replace('"2 s"', "2.5"),
     ':2: base: found the number 2.5, allowed a text such as "5 %", or a whole number'),
    ('conclusion "firm"\n' + KNOB.replace('"1 s"', '{ "1 s", "2 s" }'),
     ":2: low: found 2 values, allowed one, or one for each of 1 keys"),
    ('conclusion "firm"\n' + KNOB.replace('"1 s"', '"2 s"'), ":2: low: found the same as `base`"),
    ('runs { variants = "red" }\nconclusion "firm"\n' + KNOB.replace(" }", ', variants = "cobalt" }'),
     ':3: variants: found "cobalt", allowed a variant of runs { }'),
    ('runs { }\nruns { }\nconclusion "firm"\n' + KNOB, ":2: runs: found again; each of several needs `variants`"),
    ('runs { variants = "red" }\nruns { variants = "red" }\nconclusion "firm"\n' + KNOB,
     ':2: variants: found "red" again, allowed once in all runs { }'),
    ('conclusion "firm"\nfor i = 1, 100 do knob { } end', ":2: lua: knob: more than 64"),
    ("while true do end", ":1: lua: cut off: more than 1000000 instructions"),
)


@case("a mistake in the file is named with line and key, with exit status 2, and nothing is run")
def mistakes():
    targets = written(ROWS + row("twice", "least = 1") * 2)
    refuses(MISTAKES, config(), "--targets", targets, "--knobs")


@case("refused before anything runs: a setting that the scenario does not have, other options, no targets")
def refused():
    out, right_file = new_folder() / "out", written('conclusion "firm"\n' + KNOB)
    wrong_key = written('conclusion "firm"\n' + KNOB.replace("run.duration", "run.duratoin"))
    targets = ("--targets", written(ROWS))
    for words, said in (
            (("--knobs", right_file), "sluice run: --knobs: needs --targets FILE as well"),
            ((*targets, "--variant", "red", "--knobs", right_file), "sluice run: --knobs: found --variant or --point"),
            ((*targets, "--knobs", wrong_key), "did you mean duration?\nsluice run: --knobs: the setting k-low does"
             " not fit variant (the default)\n")):
        done = sluice("run", config(), "--out", out, *words)
        same((done.returncode, done.stdout), (2, ""), words)
        right(said in done.stderr, done.stderr)
        right(not out.exists(), f"{words}: it made {out}")


@case("a conclusion that reads a variant that runs { } does not name has no figure, and the command fails")
def not_named():
    out = new_folder() / "out"
    targets = ROWS.replace("run('red').value('seed')", "run('cobalt').value('seed')")
    done = run(out, targets, 'runs { variants = "red" }\nconclusion "firm"\n' + KNOB, "--seeds", "6..6")
    same(done.returncode, 1, "exit status")
    right("--knobs: base: 1 conclusions want a run that is not there, 0 could not be worked out" in done.stderr,
          done.stderr)
    right("  -> a run that it reads was not made\n" in done.stdout, done.stdout)


# --- The papers -----------------------------------------------------------------------------------


# Prints KEY=VALUE of each knob's base, and the variants that it is of.
LIST = """
local all = {}
local function listed(value) return type(value) == "table" and value or { value } end
function runs(given) table.move(listed(given.variants), 1, #listed(given.variants), #all + 1, all) end
function conclusion() end
function knob(given)
    for i, key in ipairs(listed(given.keys)) do
        local base = listed(given.base)
        print(table.concat(listed(given.variants or all), " "), key .. "=" .. (base[i] or base[1]))
    end
end
dofile(arg[1])
"""


def bases_of(path):
    """By variant: the settings of all bases."""
    done, sets = sluice("lua", written(LIST), path), {}
    same(done.returncode, 0, done.stderr)
    for line in done.stdout.splitlines():
        variants, setting = line.split("\t")
        for variant in variants.split():
            sets.setdefault(variant, []).append(setting)
    return sets


@case("tests/scenario/sensitivity: the base of each knob is what the scenario has")
def bases():
    for path in sorted(KNOBS.glob("*.lua")):
        for variant, settings in bases_of(path).items():
            command = ("check", SCENARIOS / path.name, "--variant", variant)
            sets = [word for setting in settings for word in ("--set", setting)]
            plain, with_base = sluice(*command), sluice(*command, *sets)
            same(with_base.returncode, 0, f"{path.name}: {with_base.stderr}")
            pairs = zip(plain.stdout.splitlines(), with_base.stdout.splitlines())
            same([pair for pair in pairs if pair[0] != pair[1]], [], f"{path.name}, {variant}: without and with bases")


@case("one knob of a paper, a minute long: the whole way to the page")
def smoke():
    out = new_folder() / "out"
    knobs = written('runs { variants = "5s-1pdch" }\nconclusion "longest RTT, 5 s of buffer, 1 PDCH"\n'
                    'knob { name = "N201-U", keys = "ms.n201_u", base = "500 octets", low = "140 octets", from = "x" }')
    done = sluice("run", SCENARIOS / "buffer-2004.lua", "--out", out, "--targets", TARGETS / "buffer-2004.lua", "--knobs",
                  knobs, "--set", "run.duration=60 s", "--set", "ping.start=59 s", "--seeds", "6..7")
    same(done.returncode, 0, done.stderr)
    one = json.loads((out / "knobs.json").read_text())["conclusions"][0]
    right(one["knobs"][0]["low"]["mean"] > one["base"]["mean"] > 1, f"more headers, a longer RTT: {one}")
    same(sluice("report", "--knobs", "--out", out / "index.html", out).returncode, 0, "page")
    right("N201-U" in (out / "index.html").read_text(), "the page")


main()
