#!/usr/bin/python3
"""`sluice check` prints the whole configuration as JSON, every default filled in; `--keys` prints
the language."""

import functools
import itertools
import json
import re
import struct

import lab_blocks
from harness import ROOT, UDP_SCENARIO, case, main, right, same, settings, sluice, written

# Only what has to be there.
SMALLEST = """
run { name = "smallest", duration = "0.5 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 2, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 3,
        ms { imsi = "001010000000001", count = 2 },
        ms {
            imsi = "001010000000007",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    traffic { class = "background", size = "576 octets", rate = "8.5 kbit/s" },
}
"""
CLASSES = ["signalling", "conversational", "streaming", "interactive-1", "interactive-2",
           "interactive-3", "background"]
WEIGHTS = {"conversational": 900, "streaming": 900, "interactive-1": 50, "interactive-2": 35,
           "interactive-3": 15, "background": 5}


def class_of(name):
    """All of a class that the file does not name; signalling has no weight."""
    weight = {"weight": WEIGHTS[name]} if name in WEIGHTS else {}
    aqm = {"name": "cobalt", "target_ns": 5000000, "rtt_ns": 1000000000, "mtu_octets": 1500,
           "overfull": 4, "stale_ns": 0, "ecn": True}
    return {"name": name} | weight | {
        "packets": 4096, "octets": 4000000, "lifetime_ns": 10000000000,
        "bss_lifetime_least_ns": 1000000000, "flows": False, "refuse_late": False, "window_ns": 0,
        "scope": "ms", "aqm": aqm}


# In s; all but three are repeated.
TIMERS = {"tns_block": 3, "tns_reset": 1, "tns_test": 30, "tns_alive": 3, "tsns_prov": 3,
          "t2": 10, "t5": 15, "t7": 3, "th": 5999, "t3313": 5,
          "t3350": 6, "t3360": 6, "t3370": 6, "t3322": 6, "t3_response": 5, "echo": 60, "t3386": 8, "t3395": 8, "t200": 5}
RETRIES = {f"{name}_retries": 3 for name in TIMERS if name not in ("tns_test", "th", "echo")} \
    | {f"{name}_retries": 4 for name in ("t3350", "t3360", "t3370", "t3322", "t3386", "t3395")}

SMALLEST_WHOLE = {
    "run": {"name": "smallest", "clock": "virtual", "duration_ns": 500000000, "warmup_ns": 0, "batches": 0, "seed": 1,
            "workers": 1, "idle": "sleep"},
    "gn": {"device": "net_ring", "address": "192.0.2.1", "prefix": 24, "prefix6": 64,
           "mac": "02:00:00:00:00:01", "mtu_octets": 1500, "error_indications": 100, "steering": "auto"},
    "gb": {"device": "net_ring", "address": "198.51.100.1", "prefix": 24, "prefix6": 64,
           "mac": "02:00:00:00:00:02", "mtu_octets": 1500, "port": 23000, "cell_delay_ns": 0,
           "ms_delay_ns": 0, "pfc_delay_ns": 0, "ready_ns": 0, "drain_ppm": 0, "steering": "auto", "capture": False},
    "timers": {f"{name}_ns": 10**9 * s for name, s in TIMERS.items()} | RETRIES
    | {"tns_alive_retries": 10},
    "room": {"nses": 17, "nsvcs": 17, "ggsns": 16, "bvcs": 17, "mss": 67, "pdps": 65,
             "worker_mss": 67, "worker_pdps": 65, "pfcs": 1},
    "log": {"level": "info"}, "class": list(map(class_of, CLASSES)),
    "queue": {"packets": 4096, "octets": 4000000, "cell_packets": 1024, "cell_octets": 1000000,
              "ms_packets": 256, "ms_octets": 128000, "overflow": "largest",
              "hold_ns": 300000000000, "flows": 16, "flow_quantum_octets": 300, "turn_ns": 0},
    "ggsn": [], "apn": [], "nse": [{
        "nsei": 1, "ns": "manual", "dynamic": False, "cells": "listed", "flow_control": "wait",
        "cell_rate": "as offered", "unknown_ms": "status", "features": ["pfc", "cbl", "inr", "pfc_fc", "gigabit"],
        "flush": "transfer",
        "nsvc": [{"nsvci": 2, "peer": "198.51.100.2", "peer_port": 23000,
                  "peer_mac": "02:00:00:00:00:03", "weight": 1}],
        "bvc": [{
            "bvci": 3, "area": "001-01-1-1", "ci": 3,
            "ms": [
                {"imsi": "001010000000001", "count": 2, "tlli": 0xC0000000, "n201_u_octets": 500,
                 "cipher": "none", "iov_ui": 0, "send_imsi": True, "pdp": []},
                {"imsi": "001010000000007", "count": 1, "tlli": 0xC0000002, "n201_u_octets": 500,
                 "cipher": "none", "iov_ui": 0, "send_imsi": True,
                 "pdp": [{"nsapi": 5, "sapi": 3, "class": "background", "address": "10.0.0.1"}]},
            ],
        }],
    }],
    "lab": {"ggsn": "192.0.2.2", "ggsn_mac": "02:00:00:00:00:04", "gb_rate_bit_per_s": 0,
            "step_ns": 10**9, "passive": False, "tcp": [], "move": [], "suspend": [], "away": [], "ftp": [], "http": [],
            "stream": [], "ptt": [], "ping": [],
            "traffic": [lab_blocks.LAB["traffic"][0]
                        | {"rate_bit_per_s": 8500, "stop_ns": 500000000}], "replay": [], "dialogue": []},
}


def output(*arguments, warnings=""):
    done = sluice("check", *arguments)
    same((done.returncode, done.stderr), (0, warnings), "exit status and stderr")
    return done.stdout


@functools.cache
def keys():
    return output("--keys")


def without_memory(found):
    """What `check` adds to the configuration is the memory that it needs: some MiB of it."""
    right(10 << 20 < found.pop("memory_octets") < 1 << 30, "memory_octets")
    return found


def checked(text, *sets):
    return without_memory(json.loads(output(written(text), *settings(sets))))


@case("the smallest configuration comes back whole, with every default")
def smallest():
    found = checked(SMALLEST)
    for name, part in SMALLEST_WHOLE.items():
        same(found.get(name), part, name)
    same(list(found), list(SMALLEST_WHOLE), "the parts and their order")


@case("a value that is the default may as well be written")
def default_written():
    text = SMALLEST.replace('count = 2', 'count = 2, n201_u = "0.5 kB"')
    same(checked(text + 'queue { packets = 4096, octets = "4000 kB" }\n'), SMALLEST_WHOLE, "check")


@case("traffic for one ns only, at its earliest and at its latest")
def shortest():
    for start, stop in (0, 1), (499999999, 500000000):
        found = checked(SMALLEST, f"lab.traffic.start={start} ns", f"lab.traffic.stop={stop} ns")
        traffic = found["lab"]["traffic"][0]
        same((traffic["start_ns"], traffic["stop_ns"]), (start, stop), "from and to")


@case("udp.lua: a few values, in the machine's units")
def values():
    found = without_memory(json.loads(output(UDP_SCENARIO)))
    same((found["run"]["name"], found["run"]["duration_ns"]), ("udp", 10**10), "run")
    same(list(found), list(SMALLEST_WHOLE), "parts")
    nse = found["nse"][0]
    same((nse["nsei"], nse["nsvc"][0]["peer"]), (101, "198.51.100.2"), "the NSE")
    same([(ms["imsi"], ms["count"], ms["tlli"]) for ms in nse["bvc"][0]["ms"]],
         [("001010000000001", 8, 0xC0000000), ("001010000000101", 4, 0xC0000008)], "its MSs")
    same(nse["bvc"][0]["ms"][0]["n201_u_octets"], 500, "N201-U, which stands at its default")
    same(found["lab"]["gb_rate_bit_per_s"], 256000, "lab.gb_rate")
    same((nse["bvc"][0]["rate_bit_per_s"], nse["bvc"][0]["bucket_octets"]), (40000, 4000),
         "the cell's bucket")
    background = found["class"][6]
    same((background["name"], background["weight"], background["lifetime_ns"],
          background["bss_lifetime_least_ns"], background["scope"]),
         ("background", 5, 5 * 10**9, 10**9, "cell"), "background")
    same({key: background["aqm"][key] for key in ("name", "min_octets", "max_octets", "max_p_ppm",
                                                 "weight_ppm", "ecn")},
         {"name": "red", "min_octets": 2000, "max_octets": 6000, "max_p_ppm": 500000,
          "weight_ppm": 500000, "ecn": False}, "its AQM")


@case("a level keeps the unit it was written in; buckets and lifetimes that follow from others")
def derived():
    found = checked(SMALLEST.replace(
        "bvci = 3,", 'bvci = 3, rate = "8 kbit/s", ms_rate = "64 kbit/s",') + """
    class { name = "streaming", lifetime = "0.5 s", packets = 7,
            aqm { name = "red", min = "1 s", max = "1.5 s" } }
    class { name = "background", lifetime = "unlimited", bss_lifetime_most = "5 s",
            aqm { name = "codel", target = "9 packets" } }
    """)
    cell = found["nse"][0]["bvc"][0]
    # what the rate sends in a second, and never less than two large LLC PDUs
    same((cell["bucket_octets"], cell["ms_bucket_octets"]), (3200, 8000), "buckets")
    streaming, background = found["class"][2], found["class"][6]
    same((streaming["packets"], streaming["bss_lifetime_least_ns"]), (7, 250000000), "streaming")
    same((streaming["aqm"]["min_ns"], streaming["aqm"]["max_ns"]), (10**9, 1500000000), "levels")
    same((background["lifetime_ns"], background["bss_lifetime_least_ns"],
          background["bss_lifetime_most_ns"]), (0, 10**9, 5 * 10**9), "lifetimes")
    same(background["aqm"]["target_packets"], 9, "CoDel's target")


@case("--set reaches an AQM, also one that the file has not")
def set_aqm():
    text = SMALLEST + 'class { name = "background" }\n'
    found = checked(text, "class.aqm.name=pie", "class.aqm.ref=100 ms", "class.aqm.ecn=true",
                    "class.flows=true")
    background = found["class"][6]
    same((background["aqm"]["name"], background["aqm"]["ref_ns"], background["aqm"]["ecn"],
          background["flows"]), ("pie", 10**8, True, True), "the AQM and flows")


@case("the same file gives the same output, from check and from check --keys")
def twice():
    same((output(UDP_SCENARIO), output("--keys")), (output(UDP_SCENARIO), keys()), "check")


@case("--set changes what is printed, also in a part that the file has not")
def changed():
    found = checked(SMALLEST, "run.seed=9007199254740992", "lab.traffic.rate=1 Mbit/s",
                    "nse[1].bvc[1].ms[2].n201_u=1434 octets", "queue.packets=7")
    same(found["run"]["seed"], 1 << 53, "run.seed")
    same(found["lab"]["traffic"][0]["rate_bit_per_s"], 1000000, "lab.traffic.rate")
    same([ms["n201_u_octets"] for ms in found["nse"][0]["bvc"][0]["ms"]], [500, 1434], "n201_u")
    same(found["queue"], SMALLEST_WHOLE["queue"] | {"packets": 7}, "queue")


@case("the configuration may compute: locals, loops, functions of its own")
def computed():
    text = SMALLEST + """
    local function cell(n) return bvc { bvci = 10 * n } end
    for i = 2, 4 do
        nse {
            nsei = i, ns = "manual",
            nsvc { nsvci = i + 1, peer = "198.51.100." .. 10 + i, peer_mac = "02:00:00:00:00:03" },
            cell(i), cell(i + 1),
        }
    end
    """
    same([(nse["nsei"], nse["nsvc"][0]["peer"], [bvc["bvci"] for bvc in nse["bvc"]])
          for nse in checked(text)["nse"][1:]],
         [(i, f"198.51.100.{10 + i}", [10 * i, 10 * i + 10]) for i in (2, 3, 4)], "the NSEs")


# --- A real network -------------------------------------------------------------------------------

REAL = """
run { name = "real", clock = "real", workers = 2, cores = { 0, 1 }, idle = "spin" }
gn {
    device = "0000:01:00.0", address = "192.0.2.1", gateway = "192.0.2.254",
    address6 = "2001:DB8::0:1", mtu = "9000 octets",
}
gb { device = "net_af_packet0,iface=veth0", address6 = "2001:db8:1:0::1" }
ggsn { address = "192.0.2.2" }
ggsn { name = "east", address = "2001:db8::2", mac = "02:00:00:00:00:05" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "2001:db8:1::2" },
    nsvc { nsvci = 2, peer = "2001:db8:1::2", peer_port = 23001, weight = 3 },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001", ra_capability = "0aFF", drx = 0x4242, send_imsi = true,
            pdp {
                nsapi = 5, class = "background", address = "10.0.0.1", ggsn = "east",
                ggsn_teid = 0x80000000, pfi = 9,
            },
        },
    },
}
"""


@case("an address of Gn for each worker: a list stays one, of one it is that one")
def addresses_of_gn():
    def gn(keys, workers):
        text = SMALLEST.replace('address = "192.0.2.1", mac', keys + ", mac")
        text += 'nse { nsei = 2, ns = "manual", nsvc { nsvci = 9, peer = "198.51.100.9", peer_mac = "02:00:00:00:00:09" } }\n' * (workers - 1)
        return checked(text, f"run.workers={workers}")["gn"]
    same(gn('address = { "192.0.2.1" }', 1)["address"], "192.0.2.1", "a list of one")
    found = gn('address = { "192.0.2.7", "192.0.2.1" }, address6 = { "2001:DB8::1", "2001:db8:0::2" },'
               ' steering = "teid"', 2)
    same((found["address"], found["address6"], found["steering"]),
         (["192.0.2.7", "192.0.2.1"], ["2001:db8::1", "2001:db8::2"], "teid"), "lists of two")


@case("a NIC has one text, however it is spelt; both ports may be at it, by their VLANs")
def one_nic():
    text = REAL.replace("workers = 2", "workers = 1").replace('device = "0000:01:00.0"', 'device = "0A:00.0", vlan = 7')
    text = text.replace('device = "net_af_packet0,iface=veth0"', 'device = "0000:0a:00.0"')
    found = checked(text)
    same((found["gn"]["device"], found["gb"]["device"]), ("0000:0a:00.0",) * 2, "devices")
    text = text.replace("0A:00.0", "0b:00.0,Key=A")
    same(checked(text)["gn"]["device"], "0000:0b:00.0,Key=A", "a device with arguments")


@case("peers of a link of two addresses, which has no broadcast, and those of other links")
def two_addresses():
    text = SMALLEST.replace('gb { address = "198.51.100.1"', 'gb { address = "198.51.100.1", prefix = 31')
    found = checked(text.replace("198.51.100.2", "198.51.100.0"))
    same(found["nse"][0]["nsvc"][0]["peer"], "198.51.100.0", "a peer")
    found = checked(SMALLEST.replace('ggsn = "192.0.2.2"', 'ggsn = "192.0.3.255"'))
    same(found["lab"]["ggsn"], "192.0.3.255", "a GGSN behind a router")


@case("a configuration for a real network: devices, both families, NS-VCs by weight, GGSNs, cores")
def real():
    text = REAL.replace("workers = 2", "workers = 1")
    found = checked(text)
    right("lab" not in found, "it has a lab")
    same(found["run"], {"name": "real", "clock": "real", "warmup_ns": 0, "batches": 0, "seed": 1, "workers": 1, "cores": [0, 1],
                        "idle": "spin"}, "run")
    same(found["gn"], {
        "device": "0000:01:00.0", "address": "192.0.2.1", "prefix": 24, "gateway": "192.0.2.254",
        "address6": "2001:db8::1", "prefix6": 64, "mtu_octets": 9000, "error_indications": 100,
        "steering": "auto"},
        "gn")
    same((found["gb"]["device"], found["gb"]["address6"], found["gb"]["steering"]),
         ("net_af_packet0,iface=veth0", "2001:db8:1::1", "auto"), "gb")
    same(found["ggsn"], [{"name": "ggsn1", "address": "192.0.2.2"},
                         {"name": "east", "address": "2001:db8::2", "mac": "02:00:00:00:00:05"}],
         "ggsn")
    nse = found["nse"][0]
    same([(nsvc["peer"], nsvc["peer_port"], nsvc["weight"]) for nsvc in nse["nsvc"]],
         [("2001:db8:1::2", 23000, 1), ("2001:db8:1::2", 23001, 3)], "NS-VCs")
    ms = nse["bvc"][0]["ms"][0]
    same((ms["ra_capability"], ms["drx"], ms["send_imsi"]), ("0aff", 0x4242, True), "options")
    same({key: ms["pdp"][0][key] for key in ("ggsn", "ggsn_teid", "pfi")},
         {"ggsn": "east", "ggsn_teid": 0x80000000, "pfi": 9}, "the uplink")


@case("--set reaches a list of processors, by its one entry")
def set_cores():
    found = checked(REAL.replace("workers = 2", "workers = 1"), "run.cores=3")
    same(found["run"]["cores"], [3], "run.cores")


WARNED = """
run { name = "warned", duration = "1 s", workers = 2 }
gn { address = "192.0.2.1", address6 = "2001:db8::1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", address6 = "2001:db8:1::1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 2, peer = "PEER", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 3,
        ms {
            imsi = "001010000000001", n201_u = "N201_U octets", MORE
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
lab {
    ggsn = "GGSN", ggsn_mac = "02:00:00:00:00:04",
    traffic { class = "background", size = { "36 octets", "SIZE octets" }, rate = "8.5 kbit/s" },
}
"""
WORKERS = ("x.lua:2: warning: run.workers: found 2 with 1 NSEs; an NSE belongs to one worker,"
           " which leaves 1 idle\n")


@case("what goes in fragments is warned of, from the first octet too many, and so is an idle worker")
def warnings():
    v4, v6 = ("198.51.100.2", "192.0.2.2", 1464), ("2001:db8:1::2", "2001:db8::2", 1444)
    for (peer, ggsn, size), n201_u, of_ms in (
            (v4, 1434, ""), (v6, 1414, ""), (v4, 1444, "send_imsi = false,"), (v4, 1430, "drx = 7,")):
        text = WARNED.replace("PEER", peer).replace("GGSN", ggsn).replace("MORE", of_ms)
        for more in (0, 1):
            path = written(text.replace("N201_U", str(n201_u + more)).replace(
                "SIZE", str(size + more)))
            parts = "".join(
                f"x.lua:{line}: warning: {key}: found {what}{fit + 1} octets, of which {fit} fit a packet"
                f" of {port}.mtu, 1500 octets: larger ones are sent in fragments\n"
                for line, key, what, fit, port
                in ((11, "nse[1].bvc[1].ms[1].n201_u", "", n201_u, "gb"),
                    (18, "lab.traffic[1].size", "IP packets of ", size, "gn"))) if more else ""
            done = sluice("check", path.name, cwd=path.parent)
            same((done.returncode, done.stderr), (0, WORKERS + parts), "exit status and stderr")


@case("without phones in the lab the addresses of phones are anybody's")
def addresses_of_phones():
    for first in ("10.63.255.251", "10.64.0.1", "10.64.0.2"):  # and the seven after it
        done = sluice("check", UDP_SCENARIO, *settings([f"nse[1].bvc[1].ms[1].pdp[1].address={first}"]))
        same((done.returncode, done.stderr), (0, ""), f"exit status and stderr with {first}")


@case("attach { } without an apn { } is warned of: its phones get no context")
def no_apn():
    line = 'apn { name = "internet", ggsn = "ggsn1", default = true }'
    for apn in line, "":
        text = (ROOT / "config/osmopcu-attach.lua").read_text().replace(line, apn)
        text = text.replace('file = "recommended.lua"', f'file = "{ROOT}/config/recommended.lua"')
        path = written(text)
        done = sluice("check", path.name, cwd=path.parent)
        at = [number for number, line in enumerate(text.splitlines(), 1) if line.startswith("attach {")]
        warning = (f"x.lua:{at[0]}: warning: attach.who: found no apn {{ }} beside attach {{ }}: phones attach, and get no"
                   " context\n")
        same((done.returncode, done.stderr), (0, "" if apn else warning), "exit status and stderr")


@case("send_imsi = false is warned of where a real BSS may page, and the default is not")
def paging():
    text = (ROOT / "config/osmopcu.lua").read_text().replace('file = "recommended.lua"',
                                                             f'file = "{ROOT}/config/recommended.lua"')
    for ms, warned in ("", 0), ("send_imsi = true,", 0), ("send_imsi = false,", 1):
        path = written(text.replace("tlli = 0xc0000001,", f"tlli = 0xc0000001, {ms}"))
        done = sluice("check", path.name, cwd=path.parent)
        same((done.returncode, done.stderr.count("nse[1].bvc[1].ms[1].send_imsi: found false: a BSS")), (0, warned), ms)


# Blocks whose largest IP packet has 1464 octets, which fit Gn's MTU with GTP-U over IPv4, or MORE; the key
# that says so.
APPLICATIONS = {
    "size": """traffic { class = "background", size = { "SIZE(1464)", "36 octets" } }""",
    "packet": """stream { class = "background", packet = "SIZE(1464)" }""",
    "packet ptt": """ptt { class = "background", packet = "SIZE(1464)", way = "up" }""",
    "size ping": """ping { class = "background", size = "SIZE(1436)" }""",
    "file": """replay { class = "background", file = "packets.pcap" }""",
    "host_tcp": """tcp { name = "less", mss = "SIZE(1424)" }
        ftp { class = "background", host_tcp = "less", ms_tcp = "linux" }""",
    "ms_tcp": """tcp { name = "less", mss = "SIZE(1424)" }
        http { class = "background", ms_tcp = "less" }""",
}


def packets_pcap(path, sizes):
    """Raw IPv4 packets of those sizes, of which the file has the headers."""
    octets = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101)
    for second, size in enumerate(sizes):
        octets += struct.pack("<IIII", second, 0, 20, size) + struct.pack(">BBH16x", 0x45, 0, size)
    path.write_bytes(octets)


@case("applications whose packets Gn's MTU does not carry with GTP-U are warned of, one octet above it")
def warn_applications():
    start = WARNED[:WARNED.index("    traffic {")].replace("workers = 2", "workers = 1").replace(
        "N201_U octets", "1430 octets").replace("MORE", "").replace("PEER", "198.51.100.2").replace(
        "GGSN", "192.0.2.2")
    for (key, block), more in itertools.product(APPLICATIONS.items(), (0, 1)):
        text = re.sub(r"SIZE\((\d+)\)", lambda size: f"{int(size[1]) + more} octets", block)
        path = written(start + text.replace("\n", ",") + " }\n")
        packets_pcap(path.parent / "packets.pcap", (40, 1464 + more, 576))
        name = re.findall(r"(\w+) {", block)[-1]
        warning = (f"x.lua:18: warning: lab.{name}[1].{key.split()[0]}: found IP packets of 1465 octets, of which 1464"
                   " fit a packet of gn.mtu, 1500 octets: larger ones are sent in fragments\n")
        done = sluice("check", path.name, cwd=path.parent)
        same((done.returncode, done.stderr), (0, warning if more else ""), "exit status and stderr")


@case("a built-in TCP profile's segments are warned of as well, the smaller one's of the two")
def warn_built_in():
    text = SMALLEST.replace("traffic {", 'ftp { class = "background" }, traffic {')
    done = sluice("check", written(text))
    right("lab.ftp[1].host_tcp: found IP packets of 1500 octets, of which 1464 fit" in done.stderr,
          done.stderr)


@case("config/gb.lua, the procedures' example, and config/nic.lua, the start for a NIC, are right")
def nic():
    same(json.loads(output(ROOT / "config/gb.lua"))["nse"][1]["dynamic"], True, "a key of gb.lua's")
    found = json.loads(output(ROOT / "config/nic.lua"))
    same((found["run"]["clock"], found["gn"]["device"], found["gb"]["device"]),
         ("real", "0000:01:00.0", "0000:01:00.1"), "clock and devices")


@case("config/osmopcu.lua, but for four settings, and the quickstart wait as recommended.lua says: that changes no more")
def recommended():
    of_osmo_pcu = ("--set", "gb.cell_delay=300 ms", "--set", "class[*].lifetime=23 s",
                   "--set", "class[*].bss_lifetime_least=13 s", "--set", "class[*].refuse_late=false")
    for name, own in ("osmopcu", of_osmo_pcu), ("osmopcu-two", of_osmo_pcu), ("osmopcu-attach", of_osmo_pcu), ("quickstart", ()):
        found, again = (json.loads(output(ROOT / f"config/{name}.lua", *more))
                        for more in ((), ("--set", f"@{ROOT / 'config/recommended.lua'}", *own)))
        same(found, again, name)


# --- The language ---------------------------------------------------------------------------------


def constructors(value, name, found):
    """{constructor: names of its keys} of a normalised configuration."""
    if isinstance(value, list):
        for item in value:
            constructors(item, name, found)
    elif isinstance(value, dict):
        plain = {key for key, inner in value.items()
                 if not isinstance(inner, (dict, list)) or key in ("size_octets", "features", "cells")}
        found.setdefault(name, set()).update(plain)
        for key in value.keys() - plain:
            constructors(value[key], key, found)
    return found


# Keys that have no default, so that the smallest configuration does not show them.
PORT_UNSET = {"gateway", "address6", "gateway6", "rx_frames", "tx_frames", "vlan"}
UNSET = {"run": {"cores", "user"}, "queue": {"nse_packets", "nse_octets"}, "gn": PORT_UNSET | {"from"},
         "gb": PORT_UNSET, "ggsn": {"name", "address", "mac", "control"},
         "nse": {"rate", "bucket", "areas", "cells_most", "nsvcs_most"}, "pdp": {"rate", "bucket", "ggsn",
         "ggsn_teid", "pfi"}, "bvc": {"rate", "bucket", "ms_rate", "ms_bucket"},
         "ms": {"key", "rate", "bucket", "ra_capability", "drx", "priority"},
         "apn": {"name", "ggsn"}, "policy": {"script", "every", "instructions"}, "variants": {"default"},
         "variant": {"set", "file"}, "axis": {"name"}, "attach": {"networks", "ciphers"}, "phone": {"k", "opc", "cell"}, "class": {"bss_lifetime_most"}}


# Blocks in which "octets" is a part of a key's name, and no unit.
OCTETS_IN_NAME = "queue", "class", "gi", "line", "buffer"


@case("--keys has every constructor and every key, with what is allowed and the default")
def language():
    blocks = re.split(r"^ *(\w+) \{ \}", keys(), flags=re.MULTILINE)
    listed = dict(zip(blocks[1::2], blocks[2::2]))
    wanted = constructors(SMALLEST_WHOLE, "", {})
    constructors(lab_blocks.LAB, "lab", wanted)
    constructors(lab_blocks.NSE, "nse", wanted)
    constructors(lab_blocks.BVC, "bvc", wanted)
    del wanted[""]
    wanted |= {"ggsn": set(), "apn": {"class", "default"}, "policy": set(), "variants": set(),
               "variant": {"name"}, "sweep": set(), "axis": {"key", "values"},
               "attach": {"who", "most", "attempts", "rate", "t3312"},
               "phone": {"imsi", "count", "algorithm", "class", "n201_u", "send_imsi", "on", "apart"}}
    same(sorted(listed), sorted(wanted), "constructors")
    unset = UNSET | lab_blocks.UNSET
    wanted["aqm"] = {"name"}  # the others depend on it: see below
    for name, plain in wanted.items():
        block = listed[name].split("aqm { name =")[0]
        rows = re.findall(r"^ +(\w+) +\S.*\n +\S.*; (required|default .+)$", block, re.MULTILINE)
        names = {re.sub("_(bit_per_s|ns|ppm)$", "", key) for key in plain}
        names = {key if name in OCTETS_IN_NAME and key.endswith("octets") and "flow" not in key
                 else key.removesuffix("_octets") for key in names}
        same(sorted(key for key, _ in rows), sorted(names | unset.get(name, set())),
             f"keys of {name}")


@case("--keys has every AQM with the keys that check fills in for it, and the class names them all")
def aqms():
    named = re.search(r"aqm \{ \} .*\n +name .*\n +one of (.*); required", keys())
    blocks = re.split(r'^ +aqm \{ name = "([\w-]+)", \.\.\. \}', keys().split("\nqueue {")[0],
                      flags=re.MULTILINE)
    listed = dict(zip(blocks[1::2], blocks[2::2]))
    same(re.findall(r'"([\w-]+)"', named[1]), list(listed), "AQMs")
    for name, block in listed.items():
        rows = re.findall(r"^ +(\w+) +\S.*\n +\S.*; default .+$", block, re.MULTILINE)
        found = checked(SMALLEST + f'class {{ name = "background", aqm {{ name = "{name}" }} }}\n')
        shown = [re.sub(r"_(ns|octets|packets|ppm)$", "", key)
                 for key in found["class"][6]["aqm"] if key != "name"]
        same(shown, rows, f"keys of {name}")


@case("the defaults that --keys names are those that check fills in")
def defaults():
    for default in ("default 4096", "default 4000 kB", "default 500 octets", "default 10 s",
                    "default ms", "default false", "default 16", "default queue.packets",
                    "default 23000", "default virtual", "default net_ring", "default 1500 octets",
                    "default unlimited", "default constant", "default 0 s", "default 3"):
        right(re.search(rf"; {default}$", keys(), re.MULTILINE), f"--keys has no '{default}'")


main()
