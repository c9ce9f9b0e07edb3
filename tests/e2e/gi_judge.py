"""What the tests of `sluice gi`'s reports share: reports of networks that gi_population.py draws, and which flows
are in which row of which table, worked out once more from the flows."""

import collections
import functools
import json
import math

from gi_capture import pcap
from gi_population import drawn, failed, frames_of
from harness import new_folder, right, same, sluice


# --- Reports --------------------------------------------------------------------------------------


def report_of(frames, *options):
    """(its JSON, the JSON's path, what it printed)."""
    folder = new_folder()
    (folder / "x.pcap").write_bytes(pcap(frames))
    done = sluice("gi", folder / "x.pcap", "--json", folder / "x.json", *options)
    report = json.loads((folder / "x.json").read_text())
    same((done.returncode, bool(done.stderr)), (0, False) if report["counts"]["segments"] else (1, True), "exit status and stderr")
    return report, folder / "x.json", done.stdout


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
                           "down_first_packets"),
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


def ratio_of(report, sheet):
    """(ratio, its error with flows as what is drawn)."""
    of = SHEETS[sheet]
    pairs = [(flow[of.a], flow[of.b]) for flow in in_row(report, sheet, "all")]
    a, b, n = sum(x for x, _ in pairs), sum(y for _, y in pairs), len(pairs)
    return a / b, math.sqrt(n / (n - 1) * math.fsum((x - a / b * y) ** 2 for x, y in pairs)) / b
