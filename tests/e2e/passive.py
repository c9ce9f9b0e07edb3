#!/usr/bin/python3
"""lab.passive: what a run measures on its own Gn is what `sluice gi` makes of the run's capture of Gn, to the octet;
the bins are counted again here. Without the key there are no such files, also none of an earlier run."""

import collections
import csv
import json

from harness import case, main, new_folder, right, same, sluice, written

FILES = ("gi_flows.csv", "gi_tables.csv", "gi_bins.csv")


def quiet(flow):
    return flow["outcome"] == "optimal" and flow["background"] == "0"


# Of some rows that have bins: the flows' column, a bin's width in billionths, bins but for what is beyond, which flows.
BINS = {("setups", "all"): ("setup_s", 10**8, 100, lambda flow: flow["outcome"] in ("optimal", "repeated")),
        ("setups", "1 SYN, 1 SYN-ACK, no background"): ("setup_s", 10**8, 100, quiet),
        ("rtt_gprs", "all"): ("rtt_gprs_setup_s", 10**7, 300, quiet),
        ("rtt_internet", "all"): ("rtt_internet_setup_s", 10**7, 300, quiet),
        ("rates", "all"): ("channel_rate_bit_per_s", 10**12, 300, lambda flow: True)}
WORLD = """
run { name = "passive", duration = "300 s", seed = 3 }
gn { address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }
gb { address = "198.51.100.1", mac = "02:53:4c:00:00:02" }
nse {
    nsei = 101, nsvc { nsvci = 101, peer = "198.51.100.2", peer_mac = "02:53:4c:00:01:01" },
    line { latency = "50 ms", loss = "0.3 %" },
    bvc {
        bvci = 2, radio { carriers = 5, slots = 40, down_slots = 3 },
        ms {
            imsi = "001010000000001", count = 12,
            pdp { nsapi = 5, sapi = 3, class = "background", address = "10.0.0.1" },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01", passive = true, gi { latency = "50 ms", loss = "0.3 %" },
    tcp { name = "era", base = "linux-2.4", syn_retries = 2 },
    http {
        class = "background", host_tcp = "era", ms_tcp = "era", connections = 2, reuse = "object", embedded = 2,
        embedded_size_law = "lognormal", embedded_size = "60 kB", embedded_size_deviation = "30 kB", think = "9 s",
        silent = "5 %", refused = "5 %", patience = "8 s",
    },
}
"""


def run(*options, out=None):
    out = out or new_folder() / "out"
    done = sluice("run", written(WORLD), "--out", out, "--no-page", *options)
    same(done.returncode, 0, f"exit status\n{done.stderr}")
    return out


def again(out):
    """What sluice gi makes of the capture: the CSV, and the tables as {(table, row, figure): value}."""
    folder = new_folder()
    done = sluice("gi", out / "gn.pcap", "--csv", folder / "x.csv", "--json", folder / "x.json")
    same(done.returncode, 0, f"sluice gi\n{done.stderr}")
    tables = json.loads((folder / "x.json").read_text())["tables"]
    return (folder / "x.csv").read_text(), {(name, row["row"], figure): value for name, rows in tables.items()
                                            for row in rows for figure, value in row.items() if figure != "row"}


@case("flows and tables are those that sluice gi makes of gn.pcap")
def the_same():
    out = run("--pcap")
    flows, tables = again(out)
    same((out / "gi_flows.csv").read_text(), flows, "flows")
    ours = {(row["table"], row["row"], row["figure"]): row["value"] for row in csv.DictReader((out / "gi_tables.csv").open())}
    same(sorted(ours.keys() ^ tables.keys()), [], "figures of one side alone")
    for key, value in tables.items():
        same(ours[key] == "", value is None, f"{key}: whether there is one")
        right(value is None or abs(float(ours[key]) - value) <= 1e-6 * max(1, abs(value)), f"{key}: {ours[key]}, {value}")
    outcomes = collections.Counter(row["outcome"] for row in csv.DictReader(flows.splitlines()))
    for outcome in "optimal", "repeated", "no-answer", "refused":
        right(outcomes[outcome], f"no flow is {outcome}: {outcomes}")


@case("each flow is in the bins of its rows, and flows with background are in none of Fig. 4")
def in_bins():
    out = run()
    flows = list(csv.DictReader((out / "gi_flows.csv").open()))
    found = collections.defaultdict(collections.Counter)
    for line in csv.DictReader((out / "gi_bins.csv").open()):
        found[line["table"], line["row"]][round(float(line["from"]) * 1e9)] += int(line["flows"])
    for row, (column, width, bins, is_in) in BINS.items():
        counted = collections.Counter(min(round(float(flow[column]) * 1e9) // width, bins) * width
                                      for flow in flows if flow[column] and is_in(flow))
        same(found[row], counted, row)
        right(sum(counted.values()) > 10, f"{row}: {sum(counted.values())} flows are too few to show anything")
    right(sum(flow["rtt_gprs_setup_s"] != "" for flow in flows) > sum(found["rtt_gprs", "all"].values()) + 10, "flows with background")


@case("the same seed gives the same octets, and without the key no file is left of an earlier run")
def files():
    out, other = run(), run()
    for name in FILES:
        right((out / name).read_bytes() == (other / name).read_bytes(), f"{name} differs")
    run("--set", "lab.passive=false", "--force", out=out)
    same([name for name in FILES if (out / name).exists()], [], "files")


main()
