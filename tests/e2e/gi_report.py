#!/usr/bin/python3
"""sluice gi: what its JSON has besides the flows, worked out once more. Histograms, means and deviations by the
flows and by typed connections (gi_population.py); the paper's values, typed from the paper; two reports beside
each other, with intervals by a Student's t that the test integrates itself."""

import collections
import functools
import json
import math

from gi_capture import SYN, Talk, merged, pcap
from gi_population import Flow, address, drawn, failed, frames_of
from harness import case, main, new_folder, right, same, sluice


# --- Reports --------------------------------------------------------------------------------------


def report_of(frames, *options):
    """(its JSON, the JSON's path, what it printed)."""
    folder = new_folder()
    (folder / "x.pcap").write_bytes(pcap(frames))
    done = sluice("gi", folder / "x.pcap", "--json", folder / "x.json", *options)
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    return json.loads((folder / "x.json").read_text()), folder / "x.json", done.stdout


@functools.cache
def network(seed, faster=1.0, flows=260):
    bad = [failed(50000 + i, 7000 + 60 * i, ("none", "refused", "aborted")[i % 3]) for i in range(flows // 10)]
    return report_of(frames_of(drawn(seed, flows, faster), bad))


def near(found, wanted, what, relative=1e-6):
    if found is None or wanted is None:
        same(found, wanted, what)
    else:
        right(abs(found - wanted) <= relative * max(abs(wanted), 1e-9), f"{what}: {found}, right is {wanted}")


def table_row(report, table, label):
    return next(row for row in report["tables"][table] if row["row"] == label)


def histogram(report, name, label="all"):
    """All its bins, and what is beyond."""
    of = report["histograms"][name]
    row = next(row for row in of["rows"] if row["row"] == label)
    right(not row["counts"] or row["counts"][-1], f"{name}: a nought at the end")
    return row["counts"] + [0] * (of["bins"] - len(row["counts"])) + [row["beyond"]]


# --- Which flows are in which row, once more ------------------------------------------------------


def longer(flow, octets):
    return flow["throughput_bit_per_s"] is not None and flow["down_data_octets"] - flow["down_resent_octets"] > octets


def single(flow):
    return flow["alone"] and flow["single_exchange"]


def is_set_up(flow):
    return flow["outcome"] in ("optimal", "repeated")


def quiet_optimal(flow):
    return flow["outcome"] == "optimal" and not flow["background"]


def lost(flow):
    return (flow["down_lost_gprs"] + flow["down_lost_internet"]) / flow["down_sent_packets"]


def everything(_):
    return True


HOURS = {"all": everything, "peak, 10 to 12 h": lambda f: f["hour"] in (10, 11),
         "off-peak, 3 to 7 h": lambda f: f["hour"] in (3, 4, 5, 6)}
USES = {"SACK": lambda f: f["sack"], "no SACK": lambda f: f["sack"] is False, "timestamps": lambda f: f["timestamps"],
        "no timestamps": lambda f: f["timestamps"] is False, "MSS low": lambda f: 400 <= f["mss"] <= 600,
        "MSS high": lambda f: 1400 <= f["mss"] <= 1600, "window low": lambda f: f["window"] < 10000,
        "window medium": lambda f: 10000 <= f["window"] <= 20000, "window high": lambda f: f["window"] > 20000}


def cluster_rows():
    rows = {"all": everything, **USES}
    for window in ("low", "medium", "high"):
        for sack in ("SACK", "no SACK"):
            for size in ("low", "high"):
                for stamps in ("", ", timestamps"):
                    uses = (f"window {window}", sack, f"MSS {size}", "timestamps" if stamps else "no timestamps")
                    rows[f"window {window}, {sack}, MSS {size}{stamps}"] = \
                        lambda f, uses=uses: all(USES[use](f) for use in uses)
    return rows


Sheet = collections.namedtuple("Sheet", "about a b rows width bins", defaults=(None, None, {"all": everything}, None, None))
SHEETS = {
    "options": Sheet(is_set_up, rows={"set up": everything, "SACK": USES["SACK"], "timestamps": USES["timestamps"],
                                      "MSS low, 400 to 600": USES["MSS low"], "MSS high, 1400 to 1600": USES["MSS high"],
                                      "window low, below 10 kB": USES["window low"], "window medium": USES["window medium"],
                                      "window high, above 20 kB": USES["window high"]}),
    "setups": Sheet(is_set_up, "setup_s", None, {
        "all": everything, "1 SYN, 1 SYN-ACK, no background": quiet_optimal,
        "1 SYN, 1 SYN-ACK, background": lambda f: f["outcome"] == "optimal" and f["background"],
        "1+ SYN or SYN-ACK, no background": lambda f: f["outcome"] == "repeated" and not f["background"],
        "1+ SYN or SYN-ACK, background": lambda f: f["outcome"] == "repeated" and f["background"]}, 0.1, 100),
    "rtt_gprs": Sheet(lambda f: quiet_optimal(f) and f["rtt_gprs_setup_s"] is not None, "rtt_gprs_setup_s", None, HOURS, 0.01, 300),
    "rtt_internet": Sheet(lambda f: quiet_optimal(f) and f["rtt_internet_setup_s"] is not None, "rtt_internet_setup_s", None,
                          HOURS, 0.01, 300),
    "rates": Sheet(lambda f: f["channel_rate_bit_per_s"] is not None, "channel_rate_bit_per_s", width=1000, bins=300),
    "loss_gprs": Sheet(lambda f: f["down_lost_gprs"] is not None and f["down_data_packets"], "down_lost_gprs", "down_data_packets"),
    "loss_internet": Sheet(lambda f: f["down_lost_gprs"] is not None and f["down_data_packets"], "down_lost_internet",
                           "down_sent_packets"),
    "bottlenecks": Sheet(lambda f: f["down_lost_gprs"] is not None and f["down_data_packets"], rows={
        "no loss": lambda f: f["bottleneck"] == "none", "GPRS": lambda f: f["bottleneck"] == "gprs",
        "Internet": lambda f: f["bottleneck"] == "internet", "equal": lambda f: f["bottleneck"] == "equal"}),
    "single": Sheet(lambda f: single(f) and longer(f, 100000), "throughput_bit_per_s", "goodput_bit_per_s", {
        "all": everything, "loss below 1 %": lambda f: lost(f) < 0.01, "loss 1 to 2 %": lambda f: 0.01 <= lost(f) < 0.02,
        "loss 2 to 3 %": lambda f: 0.02 <= lost(f) < 0.03}, 1000, 300),
    "shares": Sheet(lambda f: longer(f, 100000), "share", width=0.05, bins=20),
    "parallel": Sheet(lambda f: longer(f, 100000), "throughput_bit_per_s", None, {
        "all": everything, "less than 1/3 background": lambda f: f["share"] > 0.666667,
        "1/3 to 2/3 background": lambda f: 0.333333 <= f["share"] <= 0.666667,  # parts per million, rounded down
        "at least 2/3 background": lambda f: f["share"] < 0.333333}, 1000, 300),
    "clusters": Sheet(lambda f: single(f) and longer(f, 32000) and f["sack"] is not None, "goodput_bit_per_s",
                      rows=cluster_rows())}
OF_SHARES = ("options", "setups", "bottlenecks", "single", "parallel")  # sheets with a share in each row


def in_row(report, sheet, label):
    of = SHEETS[sheet]
    return [flow for flow in report["flows"] if of.about(flow) and of.rows[label](flow)]


def moments(values):
    """Number, mean, deviation; None where there is none."""
    n = len(values)
    mean = math.fsum(values) / n if n else None
    return n, mean, math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1)) if n > 1 else None


def values_of(flows, key):
    return [flow[key] for flow in flows if flow[key] is not None]


# --- Histograms and tables ------------------------------------------------------------------------


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


def ratio_of(report, sheet):
    """(ratio, its error with flows as what is drawn)."""
    of = SHEETS[sheet]
    pairs = [(flow[of.a], flow[of.b]) for flow in in_row(report, sheet, "all")]
    a, b, n = sum(x for x, _ in pairs), sum(y for _, y in pairs), len(pairs)
    return a / b, math.sqrt(n / (n - 1) * math.fsum((x - a / b * y) ** 2 for x, y in pairs)) / b


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
    ("Fig. 4", "round trip, GPRS side, p50: peak over off-peak"): ((0.05, 0.1), None),
    ("Fig. 5", "set-up delay, mean"): (2, None), ("Fig. 5", "optimal, no background: set-up delay"): ((1, None), 0.3),
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
        near(row["deviation"], None if counted else deviation(row["ours"], least, most, row["unit"] == "share"),
             f"{where}, {what}: deviation", 1e-5)
        line = next(line for line in text.splitlines() if line.startswith(f"{where:<9}  {what}"))
        right(counted or f"{row['deviation']:+.2f}" in line, line)
    peak, off_peak = (table_row(report, "rtt_gprs", row)["p50_rtt_gprs_setup_s"] for row in list(HOURS)[1:])
    near(rows["Fig. 4", "round trip, GPRS side, p50: peak over off-peak"]["ours"], peak - off_peak, "peak", 1e-5)
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


# --- Two reports ----------------------------------------------------------------------------------


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


t975 = functools.cache(t975)
Z = 1.959964


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
        right(any(line.startswith(f"{row['row']:<44} ") and f"  {row['verdict']} " in line for line in lines), row)


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
    right("--json FILE writes one" in sluice("gi", "--compare", folder / "capture.pcap", path).stderr, "what to do")
    for words in ((), (path,), (path, path, path), (path, path, "--csv", "x.csv"), (path, path, "--paper")):
        same(sluice("gi", "--compare", *words, cwd=folder).returncode, 2, f"exit status with {len(words)} words")
    same(sluice("gi", "--compare", path, path, "--json", folder / "none" / "x").returncode, 1, "no folder")


main()
