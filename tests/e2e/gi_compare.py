#!/usr/bin/python3
"""sluice gi --compare: two reports beside each other, each row worked out once more from the flows of both, with
intervals by a Student's t that the test integrates itself; flows that are passed over, and files that are no report."""

import collections
import functools
import json
import math

from gi_capture import pcap
from gi_judge import OF_SHARES, SHEETS, in_row, moments, network, ratio_of, values_of
from harness import case, main, new_folder, right, same, sluice


Z = 1.959964


@functools.cache
def t975(freedom):
    """Where Student's density has 2.5 % above, by Simpson's rule and halving."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)

    def below(t, steps=2000):
        h = t / steps
        density = [(1 + (i * h) ** 2 / freedom) ** (-(freedom + 1) / 2) for i in range(steps + 1)]
        return 0.5 + scale * h / 3 * (density[0] + density[-1] + 4 * sum(density[1:-1:2]) + 2 * sum(density[2:-1:2]))
    low, high = 0.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < 0.975 else (low, middle)
    return low


def welch(a, b):
    (n, mean, s), (m, other, r) = moments(a), moments(b)
    if n < 2 or m < 2:
        return None
    va, vb = s * s / n, r * r / m
    freedom = (va + vb) ** 2 / (va**2 / (n - 1) + vb**2 / (m - 1)) if va + vb else 1
    half = t975(max(1, math.floor(freedom))) * math.sqrt(va + vb)
    return other - mean - half, other - mean + half


def of_shares(k, n, l, m):
    if not n or not m:
        return None
    p, q = (k + 1) / (n + 2), (l + 1) / (m + 2)
    half = Z * math.sqrt(p * (1 - p) / (n + 2) + q * (1 - q) / (m + 2))
    return q - p - half, q - p + half


def expected(a, b):
    """(table, row, figure) -> (a, b, values a, values b, interval)."""
    rows = {}
    for name, of in SHEETS.items():
        about = [sum(1 for flow in report["flows"] if of.about(flow)) for report in (a, b)]
        for label in of.rows:
            flows = [in_row(report, name, label) for report in (a, b)]
            n = [len(one) for one in flows]
            if name in OF_SHARES:
                rows[name, label, "share"] = (n[0] / about[0], n[1] / about[1], *about, of_shares(n[0], about[0], n[1], about[1]))
            if name.startswith("loss"):
                (r, e), (q, f) = ratio_of(a, name), ratio_of(b, name)
                half = Z * math.hypot(e, f)
                rows[name, label, "ratio"] = (r, q, *(sum(values_of(one, of.b)) for one in flows), (q - r - half, q - r + half))
            elif of.a:
                add_means(rows, (name, label, f"mean_{of.a}"), [values_of(one, of.a) for one in flows])
            if name == "single":
                add_means(rows, (name, label, f"b_{of.b}"), [values_of(one, of.b) for one in flows])
    return {key: row for key, row in rows.items() if shown(key, row)}


def add_means(rows, key, values):
    rows[key] = (*(moments(one)[1] for one in values), *map(len, values), welch(*values))


def shown(key, row):
    """Not what neither has, nor that all flows of a table are all of its flows."""
    return row[:2] not in ((None, None), (0, 0)) and not (key[2] == "share" and row[:2] == (1, 1))


def verdict(interval):
    return "none" if interval is None else "more" if interval[0] > 0 else "less" if interval[1] < 0 else "chance"


def compared(a, b, *options):
    out = new_folder() / "both.json"
    done = sluice("gi", "--compare", a, b, "--json", out, *options)
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    return json.loads(out.read_text()), done.stdout


def close_to(found, wanted, what, scale):
    """As far as nine digits of mean and deviation carry."""
    if found is None or wanted is None:
        same(found, wanted, what)
    else:
        right(abs(found - wanted) <= 2e-6 * scale, f"{what}: {found}, right is {wanted}")


@case("--compare: each row with both values, their numbers, the difference, its interval and the verdict")
def compare():
    (a, path, _), (b, other, _) = network(1), network(2, 1.2)
    report, _ = compared(path, other)
    same((report["a"], report["b"]), (str(path), str(other)), "what is compared")
    rows = {(row["table"], row["row"], row["figure"]): row for row in report["rows"]}
    wanted = expected(a, b)
    same({key for key in rows if key[0] in SHEETS}, set(wanted), "rows")
    verdicts = collections.Counter()
    for key, (one, two, n, m, interval) in wanted.items():
        row, scale = rows[key], max(abs(x) for x in (one, two, *(interval or ())) if x is not None)
        close_to(row["a"], one, f"{key}, a", scale)
        close_to(row["b"], two, f"{key}, b", scale)
        same((row["values_a"], row["values_b"]), (n, m), f"{key}, values")
        close_to(row["difference"], None if None in (one, two) else two - one, f"{key}, difference", scale)
        close_to(row["least"], interval and interval[0], f"{key}, from", scale)
        close_to(row["most"], interval and interval[1], f"{key}, to", scale)
        same(row["verdict"], verdict(interval), f"{key}: {row}")
        verdicts[row["verdict"]] += 1
    for key in (("clusters", "all", "mean_goodput_bit_per_s"), ("rates", "all", "mean_channel_rate_bit_per_s"),
                ("single", "all", "b_goodput_bit_per_s")):
        same(rows[key]["verdict"], "more", f"{key} of a network that is 20 % faster")
    same(rows["options", "SACK", "share"]["verdict"], "chance", "SACK of two samples of one population")
    right(verdicts["none"] and verdicts["chance"] > 20, verdicts)


@case("--compare: the tree's delays and background, and units")
def compare_tree():
    (a, path, _), (b, other, _) = network(1), network(2, 1.2)
    rows = {(row["table"], row["row"], row["figure"]): row for row in compared(path, other)[0]["rows"]}
    for label, outcome in (("slight problem", "repeated"), ("optimal", "optimal")):
        flows = [[flow for flow in report["flows"] if flow["outcome"] == outcome] for report in (a, b)]
        quiet = [sum(flow["background"] for flow in one) for one in flows]
        row, interval = rows["tree", label, "mean_setup_s"], welch(*(values_of(one, "setup_s") for one in flows))
        same((row["unit"], row["values_a"], row["values_b"]), ("s", len(flows[0]), len(flows[1])), label)
        close_to(row["least"], interval[0], label, 1)
        close_to(row["most"], interval[1], label, 1)
        row = rows["tree", label, "b_background"]
        interval = of_shares(quiet[0], len(flows[0]), quiet[1], len(flows[1]))
        same((row["unit"], row["values_a"]), ("share", len(flows[0])), label)
        close_to(row["least"], interval[0], label, 1)
        close_to(row["most"], interval[1], label, 1)
    same(rows["rates", "all", "mean_channel_rate_bit_per_s"]["unit"], "bit/s", "unit")


@case("--compare: a report with itself differs in nothing; the text has a line for each row, below its table's title")
def compare_same():
    report, path, _ = network(1)
    both, text = compared(path, path)
    same({row["verdict"] for row in both["rows"]} - {"chance"}, {"none"}, "verdicts")
    same({row["difference"] for row in both["rows"]}, {0}, "differences")
    text = sluice("gi", "--compare", path, path).stdout
    lines = text.splitlines()
    for name in {row["table"] for row in both["rows"]}:
        right(report["texts"]["tables"][name] in lines, f"no title of {name}: {text}")
    for row in both["rows"]:
        mine = [line for line in lines if line.startswith(f"{row['row']:<44} ") and f"  {row['verdict']} " in line]
        right(mine, row)
        for line in mine:
            same(line[51:63], line[63:75], f"both values in {line!r}")


@case("--compare: a report's flows are passed over, whatever they are, and are not needed")
def compare_flows():
    report, path, _ = network(1)
    wanted = compared(path, path)[0]["rows"]
    for flows in ([], [{"user": "]}\"\\", "flows": [[{}]]}, "]", 7], report["flows"][:1], {"tables": 1}):
        other = new_folder() / "x.json"
        other.write_text(json.dumps({**report, "flows": flows, "note": "flows", "more": [1, [2]]}))
        same(compared(path, other)[0]["rows"], wanted, f"rows with {flows}")
    other.write_text(json.dumps({"tables": report["tables"], "texts": report["texts"]}))
    same(compared(other, path)[0]["rows"], wanted, "rows without flows")


@case("--compare: what is no report, is cut, or is not there: named, exit status 1; wrong words: 2")
def compare_refuses():
    _, path, _ = network(1)
    folder = new_folder()
    (folder / "capture.pcap").write_bytes(pcap([]))
    (folder / "cut.json").write_text(path.read_text()[:-3])
    (folder / "other.json").write_text('{"flows": [], "tables": 7}')
    (folder / "list.json").write_text("[]")
    (folder / "zero.json").write_bytes(b'{"tables": {}}\0')
    for bad in ("capture.pcap", "cut.json", "other.json", "list.json", "zero.json", "none.json", "."):
        for words in ((folder / bad, path), (path, folder / bad)):
            done = sluice("gi", "--compare", *words)
            same((done.returncode, done.stdout), (1, ""), f"exit status of {bad}")
            right(f"sluice gi: {folder / bad}: " in done.stderr, done.stderr)
    right(f"{folder / 'cut.json'}: the report breaks off" in sluice("gi", "--compare", folder / "cut.json", path).stderr, "cut")
    right("--json FILE writes one" in sluice("gi", "--compare", folder / "capture.pcap", path).stderr, "what to do")
    for words in ((), (path,), (path, path, path), *((path, path, *words) for words in (
            ("--csv", "x.csv"), ("--losses", "x.csv"), ("--paper",), ("--mobiles", "10.0.0.0/8"), ("--users", "teid"),
            ("--zone", "+01:00"), ("--take-bad-checksums",), ("--json", "x", "--page", "x"), ("--json", "-", "--page", "-")))):
        done = sluice("gi", "--compare", *words, cwd=folder)
        same((done.returncode, done.stdout), (2, ""), f"exit status with {words}")
    same(sluice("gi", "--compare", path, path, "--json", folder / "none" / "x").returncode, 1, "no folder")


@case("--compare: rows that one of the reports has not, as of another version, are told; and those beyond a hundred of a table")
def compare_versions():
    report, path, _ = network(1)
    other, lone = json.loads(json.dumps(report)), new_folder() / "x.json"
    del other["tables"]["rates"]
    other["tables"]["setups"][0]["row"] = "every one"
    other["tables"]["new"] = [{"row": f"row {i}", "mean_x_s": 1} for i in range(3)]
    rows = len(report["tables"]["rates"])
    for changed, wanted in ((other, rows + 1 + 1 + 3), (report, 0)):
        lone.write_text(json.dumps(changed))
        for pair in ((path, lone), (lone, path)):
            both, text = compared(*pair)
            same(both["left_out"], wanted, "rows left out")
            same((f"{wanted} rows are left out" in sluice("gi", "--compare", *pair).stdout), wanted > 0, "the text says so")
            page = sluice("gi", "--compare", *pair, "--page", "-").stdout
            same(f"{wanted} rows are left out" in page, wanted > 0, "the page says so")


@case("--compare: a report with very many tables, rows or figures takes no time that grows with their square")
def compare_long():
    path = new_folder() / "x.json"
    many = range(40000)
    for tables, left_out in (({"x": [{"row": f"row {i}"} for i in many]}, 2 * (len(many) - 100)),
                             ({"x": [dict({"row": "all"}, **{f"key {i}": 1 for i in many})]}, 0),
                             ({f"table {i}": [{"row": "all"}] for i in many}, 0)):
        path.write_text(json.dumps({"tables": tables}))
        same(compared(path, path)[0]["left_out"], left_out, "rows left out")


@case("--compare: 2000 figures at most are compared")
def compare_most():
    path = new_folder() / "x.json"
    for figures, wanted in ((19, 1900), (20, 2000), (21, 2000), (100, 2000)):
        path.write_text(json.dumps({"tables": {"x": [
            dict({"row": f"row {i}"}, **{f"mean_{k}_s": 1 for k in range(figures)}) for i in range(100)]}}))
        same(len(compared(path, path)[0]["rows"]), wanted, f"rows with {figures} figures in each of 100")


main()
