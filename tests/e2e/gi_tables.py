#!/usr/bin/python3
"""sluice gi: what its JSON has besides the flows, worked out once more. Histograms, means and deviations by the
flows and by typed connections (gi_population.py); the paper's values, typed from the paper."""

import collections
import ipaddress
import json
import math
import re

from gi_capture import HOST, SYN, Talk, merged, pcap
from gi_judge import (HOURS, OF_SHARES, SHEETS, in_row, moments, near, network, ratio_of, report_of, table_row, values_of)
from gi_population import Flow, address, drawn, frames_of
from harness import case, main, new_folder, right, same, sluice


# --- Histograms and tables ------------------------------------------------------------------------


def histogram(report, name, label="all"):
    """All its bins, and what is beyond."""
    of = report["histograms"][name]
    row = next(row for row in of["rows"] if row["row"] == label)
    right(not row["counts"] or row["counts"][-1], f"{name}: a nought at the end")
    return row["counts"] + [0] * (of["bins"] - len(row["counts"])) + [row["beyond"]]


def bins_of(values, width, bins):
    """In whole units, so that a value on an edge is above it; the last bin has its upper edge."""
    unit = 10**9 if width < 1 else 1
    counts = [0] * (bins + 1)
    for value in values:
        at, step = round(value * unit), round(width * unit)
        counts[bins - 1 if at == step * bins else min(at // step, bins)] += 1
    return counts


@case("histograms: a value on an edge is in the bin above, the upper end of the last bin in it, the rest beyond")
def edges():
    delays = {0.0999: 0, 0.1: 1, 0.1001: 1, 0.95: 9, 1.0: 10, 9.9999: 99, 10.0: 99, 10.0001: 100, 77: 100}
    talks = [Talk(user=(address(i + 1), 9)).setup(20 * i, 0.04, delay - 0.04) for i, delay in enumerate(delays)]
    report, _, _ = report_of(merged(*talks))
    wanted = [0] * 101
    for at in delays.values():
        wanted[at] += 1
    same(histogram(report, "setups"), wanted, "set-up delays")
    same(histogram(report, "setups", "1 SYN, 1 SYN-ACK, no background"), wanted, "their category")
    same(histogram(report, "setups", "1 SYN, 1 SYN-ACK, background"), [0] * 101, "another")
    same({key: report["histograms"]["setups"][key] for key in ("of", "width", "bins")},
         {"of": "setup", "width": 0.1, "bins": 100}, "what it says of itself")
    gprs = [delay - 0.04 for delay in delays if delay < 3]
    same(histogram(report, "rtt_gprs"), bins_of(gprs, 0.01, 300), "round trips")


@case("--top: users and hosts with most octets are those that the flows add up to; the text and the page say the same")
def tops():
    for seed, top in ((5, 7), (6, 1000), (7, 0)):
        folder = new_folder()
        (folder / "x.pcap").write_bytes(pcap(frames_of(drawn(seed, 200))))
        done = sluice("gi", folder / "x.pcap", "--top", top, "--json", folder / "x.json", "--page", folder / "x.html")
        same(done.returncode, 0, done.stderr)
        report, page = json.loads((folder / "x.json").read_text()), (folder / "x.html").read_text()
        for end, title in (("user", "Users with most octets"), ("host", "Hosts with most octets")):
            by = collections.defaultdict(list)
            for flow in report["flows"]:
                by[flow[end]].append(flow)
            octets = {address: sum(flow["down_octets"] + flow["up_octets"] for flow in flows) for address, flows in by.items()}
            order = sorted(by, key=lambda address: (-octets[address], ipaddress.ip_address(address)))[:top]
            found = report[f"top_{end}s"]
            same([row[end] for row in found], order, f"{end}s")
            for row in found:
                flows = by[row[end]]
                same([row["flows"], row["down_octets"], row["up_octets"]],
                     [len(flows), *(sum(flow[name] for flow in flows) for name in ("down_octets", "up_octets"))], row[end])
                optimal = [flow["setup_s"] for flow in flows if flow["outcome"] == "optimal"]
                same(row["setups"], len(optimal), row[end])
                if optimal:
                    near(row["setup_mean_s"], sum(optimal) / len(optimal), row[end], 1e-8)
                near(row["resent_share"], sum(flow["down_resent_packets"] for flow in flows) / sum(flow["down_data_packets"] for flow in flows),
                     row[end])
            lines = [line.split() for line in done.stdout.partition(title)[2].partition("\n\n")[0].splitlines()[1:]]
            same([line[:4] for line in lines], [[str(row[key]) for key in (end, "flows", "down_octets", "up_octets")] for row in found], "the text")
            same(title in page, bool(found), "the page")
            right(all(f"<td>{row[end]}</td>" in page for row in found), "the page's rows")


@case("users beyond 65536 count together, and nothing is lost")
def many_users():
    frames = [(i / 10000, Talk(user=(f"10.{i >> 16}.{i >> 8 & 255}.{i & 255}", 40000)).add(0, "up", SYN, 0).frames[0][1]) for i in range(65536 + 40)]
    folder = new_folder()
    (folder / "x.pcap").write_bytes(pcap(frames))
    done = sluice("gi", folder / "x.pcap", "--top", 2, "--json", folder / "x.json")
    report = json.loads((folder / "x.json").read_text())
    same([(row["user"], row["flows"]) for row in report["top_users"]], [("10.0.0.0", 1), ("10.0.0.1", 1), ("others", 40)], done.stderr)
    same([(row["host"], row["flows"]) for row in report["top_hosts"]], [(HOST, 65536 + 40)], "hosts")


@case("--names: the two sides are called so wherever people read, also where a page is made of another's report; keys stay")
def names():
    folder = new_folder()
    (folder / "x.pcap").write_bytes(pcap(frames_of(drawn(5, 100))))

    def ran(*options):
        done = sluice("gi", folder / "x.pcap", "--json", folder / "x.json", "--page", folder / "x.html", *options)
        same((done.returncode, done.stderr), (0, ""), options)
        page = re.sub("<style>.*?</style>", "", (folder / "x.html").read_text(), flags=re.DOTALL)
        return done.stdout, re.sub("<[^>]*>", "\n", page), json.loads((folder / "x.json").read_text())
    plain = ran()
    text, page, report = ran("--names", "access net,core-2")
    for before, after, what in ((plain[0], text, "text"), (plain[1], page, "page")):
        right("GPRS" in before and "Internet" in before, what)
        before = before.replace("GPRS", "access net").replace("Internet", "core-2")
        same(re.sub(r"\s+", " ", re.sub(r"/\S*/x.pcap", "", after)), re.sub(r"\s+", " ", re.sub(r"/\S*/x.pcap", "", before)), what)
    same(report.pop("sides"), {"user": "access net", "host": "core-2"}, "sides")
    same(plain[2].pop("sides"), {"user": "GPRS", "host": "Internet"}, "sides")
    titles = [one.pop("texts")["tables"] for one in (plain[2], report)]
    same([title for title in titles[0].values() if f"\n{title}\n" not in plain[0]], [], "tables that the text lacks")
    same(titles[1], {name: title.replace("GPRS", "access net").replace("Internet", "core-2") for name, title in titles[0].items()}, "titles")
    same(report, plain[2], "all else")
    for wrong in ("access", "a,", ",b", "a,b,c", "<b>,c", "a_b,c", "a" * 25 + ",b"):
        done = sluice("gi", folder / "x.pcap", "--names", wrong)
        right(done.returncode == 2 and "two names such as access,core" in done.stderr, f"{wrong}: {done.stderr}")


@case("each cause of a repetition, closed windows and silences, by typed connections")
def causes():
    def flow(*segments):
        """(time, what, number): d, data of 1000 octets; a, an ACK; z, an ACK that closes the window."""
        talk = Talk().setup(0, 0.1, 0.4)
        for time_s, what, number in segments:
            if what == "d":
                talk.data(time_s, number)
            else:
                talk.ack(time_s, number, window=0 if what == "z" else 16384)
        report, *_ = report_of(talk.frames)
        return [report["flows"][0][key] for key in ("down_fast", "down_timeouts", "down_probes", "zero_windows", "stalls", "stalled_s")]

    def sent(*numbers, at=1.0):
        return [(at + i / 100, "d", number) for i, number in enumerate(numbers)]
    many = sent(1, 1001, 2001, 3001, 4001)
    for what, segments, wanted in (
            ("three ACKs", [*many, *((1.5 + i / 100, "a", 1) for i in range(3)), (1.6, "d", 1), (2, "a", 5001)], [1, 0, 0, 0, 0, 0]),
            ("two ACKs, and no silence", [*many, (1.1, "a", 1), (1.11, "a", 1), (1.12, "d", 1), (2, "a", 5001)], [0, 0, 0, 0, 0, 0]),
            ("a timer", [*many, (2.5, "d", 1), (2.9, "a", 5001)], [0, 1, 0, 0, 0, 0]),
            ("a timer, three times", [*many, (2.5, "d", 1), (3.5, "d", 1), (5.5, "d", 1), (5.9, "a", 5001)], [0, 3, 0, 0, 0, 0]),
            ("a timer, then what follows", [*many, (2.5, "d", 1), (2.9, "a", 1001), (2.91, "d", 1001), (3.2, "a", 2001), (3.21, "d", 2001), (4, "a", 5001)],
             [0, 1, 0, 0, 0, 0]),
            ("a timer in the middle of a repair", [*many, *((1.5 + i / 100, "a", 1) for i in range(3)), (1.6, "d", 1), (3.6, "d", 1), (4, "a", 5001)],
             [1, 1, 0, 0, 0, 0]),
            ("a probe of the tail", [*many, (1.5, "d", 4001), (2, "a", 5001)], [0, 0, 1, 0, 0, 0]),
            ("without need, on its ACK's way", [*sent(1), (1.4, "a", 1001), (1.45, "d", 1), (2, "a", 1001)], [0, 1, 0, 0, 0, 0]),
            ("a keep-alive", [*sent(1), (1.4, "a", 1001)], [0, 0, 0, 0, 0, 0]),
            ("two losses", [*many, (2.5, "d", 1), (2.9, "a", 5001), *sent(5001, 6001, at=3), (4, "d", 5001), (4.2, "a", 7001)], [0, 2, 0, 0, 0, 0]),
            ("closed twice", [*sent(1), (1.2, "z", 1001), (1.3, "z", 1001), (1.4, "a", 1001), (1.5, "z", 1001), (2, "a", 1001)], [0, 0, 0, 2, 0, 0]),
            ("a silence", [*sent(1), (4.5, "a", 1001), (9, "d", 1001), (9.5, "a", 2001)], [0, 0, 0, 0, 1, 3.5]),
    ):
        same(flow(*segments), wanted, what)


@case("the text of a table has the figures that it shows, and none that only a comparison needs")
def heads():
    report, _, text = report_of(frames_of(drawn(3, 40)))
    spread = "mean deviation p5 p50 p95"
    for table, wanted in {"flows": "share", "setups": f"share {spread}", "tree": "share mean b", "rtt_gprs": spread,
                          "loss_gprs": "lost sent ratio", "single": "share mean deviation b p5 p50 p95",
                          "clusters": "mean deviation"}.items():
        lines = text.partition(report["texts"]["tables"][table])[2].split("\n\n")[0].splitlines()[1:]
        same(lines[0].split(), ["flows", *wanted.split()], table)
        same(len(re.findall(r"\S+(?: %)?", lines[1][44:])), len(lines[0].split()), lines[1])


@case("a report says which version made it")
def version():
    report, *_ = report_of(Talk().setup(1, 0.1, 0.4).frames)
    same(f"sluice {report['version']}", sluice("--version").stdout.split("\n")[0].rstrip(), "version")


@case("bins as wide as the flows need: a thousandth on a LAN, a hundredfold where rates are, the list's own where one in ten is in another")
def widths():
    def setups(*delays_s):
        talks = [Talk(user=(f"10.0.0.{i + 1}", 9)).setup(100 * i, delay / 4, delay * 3 / 4) for i, delay in enumerate(delays_s)]
        found = report_of(merged(*talks))[0]["histograms"]["setups"]
        return found["width"], found["rows"][0]["counts"], found["rows"][0]["beyond"]
    same(setups(*[0.0006] * 3), (0.0001, [0] * 6 + [3], 0), "a LAN")
    same(setups(*[0.0006] * 19, 0.5), (0.0001, [0] * 6 + [19], 1), "a LAN with one that took long")
    same(setups(*[0.06] * 3), (0.01, [0] * 6 + [3], 0), "a fixed network")
    same(setups(*[0.06] * 9, 0.5)[0], 0.1, "one in ten in another bin")
    same(setups(*[0.6] * 3), (0.1, [0] * 6 + [3], 0), "a mobile network")
    same(setups(*[60] * 3), (1, [0] * 60 + [3], 0), "beyond")
    same(setups(*[60] * 2, 0.6)[0], 0.1, "two in three beyond")


@case("round trips of a LAN are shown in us, those of a mobile network in ms")
def digits():
    for internet, gprs, shown in ((0.0002, 0.0003, ("0.000200", "0.000300")), (0.04, 0.6, ("0.040", "0.600")), (0.0099, 0.01, ("0.009900", "0.010"))):
        report, _, text = report_of(Talk().setup(1, internet, gprs).frames)
        for name, of, wanted in (("Internet", "rtt_internet", shown[0]), ("GPRS", "rtt_gprs", shown[1])):
            after = text.split(f"round trip on the {name} side")[1].splitlines()[2]
            same(after.split()[:3], ["all", "1", wanted], name)
            right(abs(report["tables"][of][0][f"mean_{of}_setup_s"] - float(wanted)) < 1e-6, f"{name} in JSON")


@case("histograms of a network: each bin by the flows")
def histograms():
    report, _, _ = network(1)
    same(set(report["histograms"]), {name for name, of in SHEETS.items() if of.width}, "which there are")
    for name, of in SHEETS.items():
        for label in of.rows if of.width else ():
            flows = in_row(report, name, label)
            same(histogram(report, name, label), bins_of(values_of(flows, of.a), of.width, of.bins), f"{name}, {label}")
    for name, label in (("setups", "1+ SYN or SYN-ACK, background"), ("rates", "all"), ("parallel", "at least 2/3 background")):
        right(sum(histogram(report, name, label)) > 5, f"too few flows to show it: {name}, {label}")
    right(histogram(report, "shares")[19] > 20, "flows that were alone")


@case("tables of a network: number, share, mean, deviation of each row by the flows")
def tables():
    report, _, _ = network(1)
    for name, of in SHEETS.items():
        about = [flow for flow in report["flows"] if of.about(flow)]
        for label in of.rows:
            row, flows, what = table_row(report, name, label), in_row(report, name, label), f"{name}, {label}"
            same(row["flows"], len(flows), what)
            if name in OF_SHARES:
                same(row["of"], len(about), what)
                near(row["share"], len(flows) / len(about), what, 1e-8)
            if of.a and "lost" not in of.a:
                unit = 1e6 if name == "shares" else 1  # parts per million in the flows
                check_moments(row, values_of(flows, of.a), of.a, "values", what, unit)
            if name == "single":
                check_moments(row, values_of(flows, of.b), "b_" + of.b, "values_b", what)


def check_moments(row, values, key, count, what, unit=1):
    n, mean, deviation = moments(values)
    same(row[count], n, f"{what}, {count}")
    near(row[key if key.startswith("b_") else f"mean_{key}"], mean, f"{what}, mean", 1e-8 * unit)
    near(row[f"deviation_{key}"], deviation, f"{what}, deviation", 1e-7 * unit)


@case("the tree: the deviation of the delay, and how many flows its mean and its background are of")
def tree_asides():
    report, _, _ = network(1)
    for label, outcomes in (("all", None), ("slight problem", ("repeated",)), ("no response", ("no-answer", "refused"))):
        flows = [flow for flow in report["flows"] if outcomes is None or flow["outcome"] in outcomes]
        row = table_row(report, "tree", label)
        check_moments(row, values_of(flows, "setup_s"), "setup_s", "values", label)
        same(row["values_b"], len(values_of(flows, "background")), label)
        near(row["b_background"], sum(flow["background"] for flow in flows) / len(flows), label, 1e-8)


@case("loss ratios: of all segments together; the error is that of flows, which lose several at once")
def ratios():
    report, _, _ = network(1)
    for sheet in ("loss_gprs", "loss_internet"):
        ratio, error = ratio_of(report, sheet)
        row = table_row(report, sheet, "all")
        near(row["ratio"], ratio, sheet, 1e-8)
        near(row["error"], error, f"{sheet}, error")
    flows = [Flow(address(i + 1), 100 * i, segments=40, lost={10 * (k + 1): "gprs" for k in range(lost_here)})
             for i, lost_here in enumerate((0, 0, 3, 1))]
    row = table_row(report_of(frames_of(flows))[0], "loss_gprs", "all")
    pairs = [(k, 40 + k) for k in (0, 0, 3, 1)]  # a lost segment passes twice
    residuals = [x - 4 / 164 * y for x, y in pairs]
    same((row["lost"], row["sent"]), (4, 164), "lost and sent")
    near(row["error"], math.sqrt(4 / 3 * sum(r * r for r in residuals)) / 164, "error")


def grid():
    """One flow or several of each of six clusters, without loss."""
    kinds = (("low", True, "low", False), ("low", True, "high", False), ("medium", False, "low", True),
             ("medium", False, "high", True), ("high", True, "high", False), ("high", False, "low", False))
    flows, rate = [], 20000
    for k, (window, sack, size, stamps) in enumerate(kinds):
        for _ in range(1 + k % 3):
            i, rate = len(flows), rate + 777
            flows.append(Flow(address(i + 1), 300 * i, window, sack, size, stamps, rate, 80 if size == "low" else 30))
    return flows


@case("clusters: mean, deviation and number by the typed rates alone")
def clusters():
    flows = grid()
    report, _, _ = report_of(frames_of(flows))
    same(len(report["flows"]), 12, "flows")
    labels = {"all": lambda f: True, "MSS low": lambda f: f.size == "low", "MSS high": lambda f: f.size == "high",
              "SACK": lambda f: f.sack, "no SACK": lambda f: not f.sack, "timestamps": lambda f: f.stamps,
              "no timestamps": lambda f: not f.stamps, "window low": lambda f: f.window == "low",
              "window medium": lambda f: f.window == "medium", "window high": lambda f: f.window == "high",
              "window low, SACK, MSS high": lambda f: (f.window, f.size) == ("low", "high"),
              "window medium, no SACK, MSS high, timestamps": lambda f: (f.window, f.size) == ("medium", "high"),
              "window high, no SACK, MSS low": lambda f: (f.window, f.size) == ("high", "low"),
              "window high, no SACK, MSS high": lambda f: False}
    for label, of in labels.items():
        row = table_row(report, "clusters", label)
        n, mean, deviation = moments([flow.goodput for flow in flows if of(flow)])
        same((row["flows"], row["values"]), (n, n), label)
        near(row["mean_goodput_bit_per_s"], mean, label, 1e-4)
        near(row["deviation_goodput_bit_per_s"], deviation, f"{label}, deviation", 1e-3)


# --- Beside the paper -----------------------------------------------------------------------------

# Typed from the paper: published, dial-up; a range is a pair, "more than" has no upper end.
PAPER = {
    ("Table I", "TCP flows"): (12587056, 225932), ("Table I", "SACK"): (0.5549, 0.5948),
    ("Table I", "timestamps"): (0.0948, 0.0245), ("Table I", "MSS low"): (0.2512, 0.4929),
    ("Table I", "MSS high"): (0.2252, 0.0796), ("Table I", "window low"): (0.5590, 0.9674),
    ("Table I", "window medium"): (0.2554, 0.0101), ("Table I", "window high"): (0.1856, 0.0225),
    ("Fig. 3", "set-up delay, peak"): (1, None),
    ("Fig. 4", "round trip, GPRS side, p50: peak over off-peak"): ((0.05, 0.1), None),
    ("Fig. 4", "round trip, access side, p50"): (None, (0.1, 0.3)),
    ("Fig. 5", "set-up delay, mean"): (2, (1, None)), ("Fig. 5", "optimal, no background: set-up delay"): ((1, None), 0.3),
    ("Fig. 5", "optimal, no background: part of the flows"): ((0.2, None), 0.07),
    ("Fig. 7", "rate of the channel, lower peak"): ((21000, 22000), 33000),
    ("Fig. 7", "rate of the channel, upper peak"): ((34000, 35000), (40000, 50000)),
    ("Table II", "loss, Internet side"): (0.0015, 0.0039), ("Table II", "loss, access side"): (0.0122, 0.0016),
    ("Fig. 8", "no loss"): (0.47, None), ("Fig. 8", "GPRS"): (0.48, None), ("Fig. 8", "Internet"): (0.05, None),
    **{("Table III", f"{row}: {what}"): (value, None) for row, *values in (
        ("MSS low", 20048.52, 17901), ("MSS high", 24936.86, 100654), ("SACK", 25425.25, 59750),
        ("no SACK", 23136.50, 64957), ("timestamps", 25342.24, 17739), ("no timestamps", 24049.16, 106968),
        ("window low", 22542.80, 42754), ("window medium", 25723.40, 44726), ("window high", 24383.82, 37227),
        ("all", 24233.09, 124707)) for what, value in zip(("goodput", "samples"), values)},
    ("Fig. 14", "goodput: MSS high over low, in the same cluster"): ((0.15, 0.2), None),
    ("Fig. 15", "goodput: SACK over none"): (0.1, None), ("Fig. 16", "goodput: timestamps over none"): ((0.02, 0.03), None),
    ("Fig. 17", "goodput: window medium over all others"): (0.1, None)}


def ends(value):
    return list(value) if isinstance(value, tuple) else [value, value]


def effects(report):
    mean = {row["row"]: row["mean_goodput_bit_per_s"] for row in report["tables"]["clusters"]}
    n = {row["row"]: row["flows"] for row in report["tables"]["clusters"]}
    others = (mean["window low"] * n["window low"] + mean["window high"] * n["window high"]) / \
        (n["window low"] + n["window high"])
    clusters = [(label, label.replace("MSS low", "MSS high")) for label in mean if "MSS low" in label and label != "MSS low"]
    weights = {low: n[low] * n[high] / (n[low] + n[high]) for low, high in clusters if n[low] and n[high]}
    mss = sum(weights[low] * (mean[high] / mean[low] - 1) for low, high in clusters if low in weights) / sum(weights.values())
    return {"Fig. 14": mss, "Fig. 15": mean["SACK"] / mean["no SACK"] - 1,
            "Fig. 16": mean["timestamps"] / mean["no timestamps"] - 1, "Fig. 17": mean["window medium"] / others - 1}


OURS = {"Table I": lambda r, w: table_row(r, "flows", "all")["flows"] if w == "TCP flows" else
        next(row["share"] for row in r["tables"]["options"] if row["row"].split(",")[0] == w),
        "Table II": lambda r, w: table_row(r, "loss_internet" if "Internet" in w else "loss_gprs", "all")["ratio"],
        "Fig. 8": lambda r, w: table_row(r, "bottlenecks", w)["share"],
        "Table III": lambda r, w: table_row(r, "clusters", w.split(":")[0])[
            "flows" if "samples" in w else "mean_goodput_bit_per_s"]}


def deviation(ours, least, most, is_share):
    nearest = least if ours < least else most if most is not None and ours > most else ours
    return 100 * ((ours - nearest) if is_share else (ours / nearest - 1))


def line_of(text, where, what):
    return next(line for line in text.splitlines() if line.startswith(f"{where:<9}  {what} "))


@case("--paper: every value of the paper, ours, and the deviation from the nearer end; in JSON and in the text")
def paper():
    report, _, text = report_of(frames_of(drawn(1, 260), ()), "--paper")
    rows = {(row["where"], row["what"]): row for row in report["paper"]}
    same(list(rows), list(PAPER), "rows")
    effect = effects(report)
    for (where, what), (published, dial_up) in PAPER.items():
        row, least, most = rows[where, what], *ends(published)
        same([row["published_least"], row["published_most"], row["dial_up_least"], row["dial_up_most"]],
             [least, most, *ends(dial_up)], f"{where}, {what}")
        if where in OURS:
            near(row["ours"], OURS[where](report, what), f"{where}, {what}")
        elif where in effect:
            near(row["ours"], effect[where], f"{where}, {what}")
        right(row["ours"] is not None, f"{where}, {what}: ours")
        counted = what == "TCP flows" or "samples" in what
        same(row["deviation_in"], "points" if row["unit"] == "share" else "%", f"{where}, {what}")
        if least is None:
            same((row["deviation"], line_of(text, where, what).split()[-1]), (None, "s"), f"{where}, {what}: deviation")
            continue
        near(row["deviation"], None if counted else deviation(row["ours"], least, most, row["unit"] == "share"),
             f"{where}, {what}: deviation", 1e-5)
        line = line_of(text, where, what)
        right(counted or f"{row['deviation']:+.2f}" in line, line)
    peak, off_peak = (table_row(report, "rtt_gprs", row)["p50_rtt_gprs_setup_s"] for row in list(HOURS)[1:])
    near(rows["Fig. 4", "round trip, GPRS side, p50: peak over off-peak"]["ours"], peak - off_peak, "peak", 1e-5)
    near(rows["Fig. 4", "round trip, access side, p50"]["ours"], table_row(report, "rtt_gprs", "all")["p50_rtt_gprs_setup_s"], "p50")
    setups = report["histograms"]["setups"]["rows"][0]["counts"]
    near(rows["Fig. 3", "set-up delay, peak"]["ours"], 0.1 * (setups.index(max(setups)) + 0.5), "peak of the set-ups")
    near(rows["Fig. 5", "set-up delay, mean"]["ours"], table_row(report, "setups", "all")["mean_setup_s"], "set-up")
    optimal = table_row(report, "tree", "optimal: no background")
    near(rows["Fig. 5", "optimal, no background: set-up delay"]["ours"], optimal["mean_setup_s"], "optimal")
    near(rows["Fig. 5", "optimal, no background: part of the flows"]["ours"], optimal["share"], "optimal")
    right("paper" not in network(1)[0], "without --paper there is none")


@case("--paper: the peaks are the two highest of the rates, at least 5 kbit/s apart, whichever is higher")
def peaks():
    for rates, wanted in (((21500, 21500, 21500, 34500, 34500, 28500), (21500, 34500)),
                          ((21500, 21500, 34500, 34500, 34500, 28500), (21500, 34500)),
                          ((21500, 21500, 21500, 24500, 24500), (None, None)),
                          ((21500, 21500, 21500, 26500), (21500, 26500)), ((21500,), (None, None))):
        flows = [Flow(address(i + 1), 300 * i, rate=rate) for i, rate in enumerate(rates)]
        report, _, _ = report_of(frames_of(flows), "--paper")
        same(tuple(row["ours"] for row in report["paper"] if row["where"] == "Fig. 7"), wanted, f"peaks of {rates}")


@case("--paper of a capture without flows: nothing of ours, and no deviation")
def paper_of_nothing():
    report, _, text = report_of([(0.0, Talk().add(0, "up", SYN, 0).frames[0][1][:21])], "--paper")
    same({(row["ours"], row["deviation"]) for row in report["paper"]} - {(0, None)}, {(None, None)}, "ours")
    right("Table III  SACK: goodput" in text, text)


main()
