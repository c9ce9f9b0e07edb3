#!/usr/bin/python3
"""sluice gi beside those that know better: the lab, which knows each loss, delay and rate of its own captures;
tshark and tcptrace, where their definitions are the same (lab/captures/gi/README.md says where they are not)."""

import collections
import csv
import functools
import re
import shutil
import subprocess

import tshark_json
from harness import Skip, case, main, new_folder, right, run, same, sluice, written

# Base of the TCP, and whether it has SACK.
STACKS = (("linux-2.4", True), ("linux-2.4", False), ("newreno-ns2", False), ("linux", True), ("linux", False))
MSS = 12
WITHOUT_SACK = ', sack = false, dsack = false, recovery = "newreno"'
ERROR_MOST = 0.03


def config(base, has_sack, seed, internet_loss="0.7 %", losses=6, size="400 kB"):
    """A cell and a download for each MS; LLC PDUs are lost in the radio by plan, packets at Gi by chance."""
    cells = []
    for i in range(MSS):
        imsi = f"26242000000{i:04d}"
        plans = "".join(f', plan {{ kind = "loss", imsi = "{imsi}", at = "{10 + i + 25 * k} s", count = {1 + (i + k) % 3} }}'
                        for k in range(losses))
        cells.append(f'bvc {{ bvci = {i + 2}, flow {{ rate = "300 kbit/s", ms_rate = "300 kbit/s", bmax_time = "4 s" }},'
                     f' radio {{ slots = {2 + i % 3}, down_coding = "CS-2"{plans} }},'
                     f' ms {{ imsi = "{imsi}", pdp {{ nsapi = 5, sapi = 11, class = "background",'
                     f' address = "10.0.0.{i + 1}" }} }} }},')
    sack = "" if has_sack else WITHOUT_SACK if base != "newreno-ns2" else ""
    return f"""
run {{ name = "gi", duration = "200 s", seed = {seed} }}
gn {{ address = "192.0.2.1", mac = "02:00:00:00:00:01", mtu = "1600 octets" }}
gb {{ address = "198.51.100.1", mac = "02:00:00:00:00:02", mtu = "1600 octets" }}
class {{ name = "background", lifetime = "unlimited", aqm {{ name = "tail-drop" }} }}
nse {{ nsei = 1, nsvc {{ nsvci = 1, peer = "198.51.100.11", peer_mac = "02:00:00:00:00:03" }},
    {"".join(cells)} }}
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04", step = "1 s",
    gi {{ latency = "20 ms", loss = "{internet_loss}" }},
    tcp {{ name = "era", base = "{base}", receive_window = "16384 octets"{sack} }},
    ftp {{ class = "background", host_tcp = "era", ms_tcp = "era", size = "{size}" }},
}}
"""


@functools.cache
def ran(*world):
    return run(written(config(*world)), "--pcap")


def rows(path):
    with path.open() as file:
        return list(csv.DictReader(file))


@functools.cache
def read(path):
    """The flows by the user's address."""
    out = new_folder() / "x.csv"
    done = sluice("gi", path, "--csv", out)
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    return {row["user"]: row for row in rows(out)}


def number(text):
    return int(text or 0)


# --- The lab --------------------------------------------------------------------------------------


def segments(path):
    """User's address -> {identification: sequence number} of the data that is sent to it."""
    found = collections.defaultdict(dict)
    text = tshark_json.tshark(str(path), "-Y", "tcp.srcport == 20 && tcp.len > 0", "-T", "fields", "-e", "ip.dst",
                              "-e", "ip.id", "-e", "tcp.seq_raw")
    for line in text.splitlines():
        dst, identification, sequence = (word.split(",")[-1] for word in line.split("\t"))
        found[dst][identification] = sequence
    return found


def lost_by_lab(results):
    """Segments down with data that the lab lost: on the Internet side those that leave a trace at Gn, of data that had not
    passed before and that later data passed; and behind Gn."""
    before, behind = segments(results.out / "gi.pcap"), segments(results.out / "gn.pcap")
    internet = 0
    for user, sent in before.items():
        passed, lost, traced = set(), collections.Counter(), set()
        for identification, sequence in sent.items():
            if identification in behind[user]:
                passed.add(sequence)
                traced |= {one for one in lost.keys() - passed if (int(sequence) - int(one)) % 2**32 < 2**31}
            elif sequence not in passed:
                lost[sequence] += 1
        internet += sum(lost[sequence] for sequence in traced)
    gprs = sum(int(row["packets"]) for row in rows(results.out / "drops.csv")
               if row["by"] == "flow" and row["direction"] == "down" and row["place"] != "net")
    return internet, gprs


def losses(base, has_sack):
    totals = collections.Counter()
    for seed in (5, 6):
        results = ran(base, has_sack, seed)
        internet, gprs = lost_by_lab(results)
        flows = read(results.out / "gn.pcap").values()
        totals.update(internet=internet, gprs=gprs, flows=len(flows),
                      found_internet=sum(number(flow["down_lost_internet"]) for flow in flows),
                      found_gprs=sum(number(flow["down_lost_gprs"]) for flow in flows))
    return totals


@case("losses on either side, as the lab knows them: 3 % at most, of each stack behind Gn, of all before it")
def lab_losses():
    totals = collections.Counter()
    for stack in STACKS:
        one = losses(*stack)
        totals.update(one)
        print(f"# {stack}: Internet {one['found_internet']} of {one['internet']}, GPRS {one['found_gprs']} of {one['gprs']}")
        right(one["gprs"] > 100, f"{stack}: too few losses: {one}")
        right(abs(one["found_gprs"] - one["gprs"]) <= ERROR_MOST * one["gprs"], f"{stack}: {one}")
    same(totals["flows"], 2 * MSS * len(STACKS), "flows")
    right(totals["internet"] > 100 and
          abs(totals["found_internet"] - totals["internet"]) <= ERROR_MOST * totals["internet"], totals)


CLEAN = ("linux-2.4", True, 7, "0 %", 0)


@case("without losses none is found, and what is sent again is what the lab's TCP has sent again")
def lab_clean():
    results = ran(*CLEAN)
    flows = read(results.out / "gn.pcap").values()
    for flow in flows:
        for column, value in flow.items():
            right(not re.match("(up|down)_(lost|go_back|undecided|reordered|unseen)", column) or value == "0",
                  f"{column}: {value}")
        same(flow["bottleneck"], "none", "bottleneck")
    again = sum(number(row["retransmitted_segments"]) for row in rows(results.out / "tcp.csv") if row["end"] == "host")
    same(sum(number(flow["down_resent_packets"]) for flow in flows), again, "segments sent again")
    same(sum(number(flow["down_spurious"]) + number(flow["down_unneeded"]) for flow in flows), again, "of no use")


@case("channel rate: what the lab's radio carried to each MS while its download ran: 3 % at most")
def lab_rate():
    results = ran(*CLEAN)
    carried = collections.defaultdict(dict)
    for row in rows(results.out / "series_flows.csv"):
        if row["direction"] == "down":
            carried[row["ms"] if "ms" in row else row["flow"]][float(row["time_s"])] = number(row["delivered_octets"])
    of_ms = {row["flow"]: row["ms"] for row in rows(results.out / "flows.csv")}
    checked = 0
    for flow, steps in carried.items():
        user = f"10.0.0.{int(of_ms.get(flow, flow)[-4:]) + 1}"
        # From 20 s to 60 s, as the window is full and the download not over.
        wanted = sum(octets for time, octets in steps.items() if 20 < time <= 60) * 8 / 40
        found = number(read(results.out / "gn.pcap")[user]["channel_rate_bit_per_s"])
        right(wanted > 15000 and abs(found / wanted - 1) <= ERROR_MOST, f"{user}: {found}, the lab has {wanted}")
        checked += 1
    same(checked, MSS, "flows checked")


@case("delays: the round trip behind Gn is the lab's delay down and up, and the mean of TCP's own is it with Gi: 3 %")
def lab_delays():
    results = ran(*CLEAN)
    delay = {(row["flow"], row["direction"]): float(row["delay_mean_ms"]) / 1000 for row in rows(results.out / "flows.csv")}
    ms = {row["flow"]: row["ms"] for row in rows(results.out / "flows.csv")}
    for flow, imsi in ms.items():
        found = read(results.out / "gi.pcap")[f"10.0.0.{int(imsi[-4:]) + 1}"]
        wanted = delay[flow, "down"] + delay[flow, "up"]
        right(abs(float(found["rtt_gprs_mean_s"]) / wanted - 1) <= ERROR_MOST, f"{imsi}: {found['rtt_gprs_mean_s']}, {wanted}")


# --- tshark ---------------------------------------------------------------------------------------


def times_of_setups(path):
    """User's address -> SYN, SYN-ACK and first ACK in s, by tshark."""
    found = collections.defaultdict(dict)
    text = tshark_json.tshark(str(path), "-T", "fields", "-e", "frame.time_epoch", "-e", "ip.src", "-e", "ip.dst",
                              "-e", "tcp.flags.syn", "-e", "tcp.flags.ack")
    for line in text.splitlines():
        time, src, dst, syn, ack = (word.split(",")[-1] for word in line.split("\t"))
        syn, ack = (flag in ("1", "True") for flag in (syn, ack))
        user = src if src.startswith("10.") else dst
        name = "SYN-ACK" if syn and ack else "SYN" if syn else "ACK" if src == user else None
        if name:
            found[user].setdefault(name, float(time))
    return found


@case("set-up times by tshark, at Gi and in the tunnels of Gn")
def tshark_setups():
    for name in ("gi.pcap", "gn.pcap"):
        path = ran(*CLEAN).out / name
        wanted = times_of_setups(path)
        for user, flow in read(path).items():
            times = wanted[user]
            for column, begin, end in (("setup_s", "SYN", "ACK"), ("rtt_internet_setup_s", "SYN", "SYN-ACK"),
                                       ("rtt_gprs_setup_s", "SYN-ACK", "ACK")):
                right(abs(float(flow[column]) - (times[end] - times[begin])) < 2e-6, f"{user}: {flow[column]}, {times}")


def by_tshark(path):
    """Flows, and port of the user -> packets and segments sent again, down; round trips. At Gi nothing of the
    host's is missing, but some that SACK has it send again count as out of order with tshark."""
    text = tshark_json.tshark(str(path), "-T", "fields", "-e", "tcp.stream", "-e", "tcp.srcport", "-e", "tcp.dstport",
                              "-e", "tcp.len", "-e", "tcp.analysis.retransmission", "-e",
                              "tcp.analysis.spurious_retransmission", "-e", "tcp.analysis.out_of_order", "-e",
                              "tcp.analysis.ack_rtt")
    streams, found = set(), collections.defaultdict(lambda: {"packets": 0, "again": 0, "rtts": []})
    for line in text.splitlines():
        stream, source, destination, octets, *again, rtt = line.split("\t")
        streams.add(stream)
        one = found[destination if source == "20" else source]
        one["packets"] += source == "20"
        one["again"] += source == "20" and int(octets) > 0 and any(again)
        if rtt and source != "20":
            one["rtts"].append(float(rtt))
    return len(streams), found


@case("tshark: the same flows, packets and segments sent again; the same round trips where nothing is lost")
def tshark_same():
    for world in ((*stack, 5) for stack in STACKS):
        path = ran(*world).out / "gi.pcap"
        count, wanted = by_tshark(path)
        flows = read(path).values()
        same(len(flows), count, f"{world}: flows")
        for flow in flows:
            one = wanted[flow["user_port"]]
            same(number(flow["down_packets"]), one["packets"], f"{world}: packets down")
            same(number(flow["down_resent_packets"]), one["again"], f"{world}, {flow['user']}: segments sent again")
    path = ran(*CLEAN).out / "gi.pcap"
    plain = [flow for flow in read(path).values() if flow["down_resent_packets"] == "0"]
    right(len(plain) >= 4, f"{len(plain)} flows without a repetition")
    for flow in plain:
        rtts = by_tshark(path)[1][flow["user_port"]]["rtts"]
        same(number(flow["rtt_gprs_samples"]), len(rtts), "round trips")
        for column, value in (("least", min(rtts)), ("mean", sum(rtts) / len(rtts)), ("most", max(rtts))):
            right(abs(float(flow[f"rtt_gprs_{column}_s"]) - value) < 2e-6, f"{column}: {flow}, {value}")


# --- tcptrace -------------------------------------------------------------------------------------


def by_tcptrace(path):
    """Port of the user -> its figures of both directions, up first."""
    text = subprocess.run(["tcptrace", "-lrn", path], capture_output=True, text=True, errors="replace", check=True,
                          cwd=new_folder()).stdout
    found = {}
    for part in re.split(r"^TCP connection \d+:$", text, flags=re.MULTILINE)[1:]:
        port = re.search(r"host \w+: +\S+:(\d+)", part)[1]
        found[port] = {name: re.search(rf"^ +{name}: +([\d.]+) \w* +{name}: +([\d.]+)", part.replace("\t", "  "), re.M)
                       .groups() for name in ("total packets", "actual data pkts", "rexmt data pkts", "RTT samples",
                                              "RTT min", "RTT max", "RTT avg")}
    return found


def fins_of_users(path):
    """Port of the user -> FINs without data."""
    text = tshark_json.tshark(str(path), "-Y", "tcp.dstport == 20 && tcp.flags.fin == 1 && tcp.len == 0", "-T", "fields",
                              "-e", "tcp.srcport")
    return collections.Counter(text.split())


@case("tcptrace: the same flows, packets, segments sent again and round trips, with losses, of every stack")
def tcptrace_same():
    if not shutil.which("tcptrace"):
        raise Skip("no tcptrace here")
    again = 0
    for world in (*((*stack, 5) for stack in STACKS), CLEAN):
        path = ran(*world).out / "gi.pcap"
        wanted, flows, fins = by_tcptrace(path), read(path), fins_of_users(path)
        same(len(flows), len(wanted), f"{world}: flows")
        for user, flow in flows.items():
            one = wanted[flow["user_port"]]
            for name, columns in (("total packets", ("up_packets", "down_packets")),
                                  ("actual data pkts", ("up_data_packets", "down_data_packets"))):
                same([flow[column] for column in columns], list(one[name]), f"{world}, {user}: {name}")
            # tcptrace takes a round trip of a FIN alone to the host, sluice gi does not.
            same([number(flow["rtt_internet_samples"]) + (fins[flow["user_port"]] > 0), number(flow["rtt_gprs_karn_samples"])],
                 [int(n) for n in one["RTT samples"]], f"{world}, {user}: RTT samples")
            # tcptrace counts a FIN that is sent again, too.
            again += number(flow["down_resent_packets"])
            right(0 <= int(one["rexmt data pkts"][1]) - number(flow["down_resent_packets"]) <= 1, f"{world}, {user}: {one}")
            for name, column in (("min", "least"), ("avg", "mean"), ("max", "most")):
                found = 1000 * float(flow[f"rtt_gprs_karn_{column}_s"])
                right(abs(found - float(one[f"RTT {name}"][1])) <= 0.11, f"{world}, {user}: RTT {name} {found}, {one}")
    right(again > 100, f"{again} segments sent again")


main()
