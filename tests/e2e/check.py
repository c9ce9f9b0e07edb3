#!/usr/bin/python3
"""`sluice check` prints the whole configuration as JSON, every default filled in; `--keys` prints
the language."""

import functools
import json
import re

from harness import QUICKSTART, case, main, new_folder, right, same, sluice

# Only what has to be there.
SMALLEST = """
run { name = "smallest", duration = "0.5 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1,
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
SMALLEST_WHOLE = {
    "run": {"name": "smallest", "clock": "virtual", "duration_ns": 500000000, "seed": 1},
    "gn": {"device": "net_ring", "address": "192.0.2.1", "mac": "02:00:00:00:00:01",
           "mtu_octets": 1500},
    "gb": {"device": "net_ring", "address": "198.51.100.1", "mac": "02:00:00:00:00:02",
           "mtu_octets": 1500, "port": 23000},
    "class": [{"name": name, "lifetime_ns": 40000000000} for name in CLASSES],
    "queue": {"packets": 512, "octets": 256000},
    "nse": [{
        "nsei": 1,
        "nsvc": [{"nsvci": 2, "peer": "198.51.100.2", "peer_port": 23000,
                  "peer_mac": "02:00:00:00:00:03"}],
        "bvc": [{
            "bvci": 3,
            "ms": [
                {"imsi": "001010000000001", "count": 2, "tlli": 0xC0000000, "n201_u_octets": 500,
                 "pdp": []},
                {"imsi": "001010000000007", "count": 1, "tlli": 0xC0000002, "n201_u_octets": 500,
                 "pdp": [{"nsapi": 5, "sapi": 3, "class": "background", "address": "10.0.0.1"}]},
            ],
        }],
    }],
    "lab": {"ggsn": "192.0.2.2", "ggsn_mac": "02:00:00:00:00:04", "gb_rate_bit_per_s": 0,
            "traffic": [{"class": "background", "size_octets": [576], "rate_bit_per_s": 8500,
                         "pattern": "constant", "start_ns": 0, "stop_ns": 500000000}]},
}


def output(*arguments):
    done = sluice("check", *arguments)
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    return done.stdout


@functools.cache
def keys():
    return output("--keys")


def checked(text, *sets):
    path = new_folder() / "x.lua"
    path.write_text(text)
    return json.loads(output(path, *[word for pair in sets for word in ("--set", pair)]))


@case("the smallest configuration comes back whole, with every default")
def smallest():
    found = checked(SMALLEST)
    for name, part in SMALLEST_WHOLE.items():
        same(found.get(name), part, name)
    same(list(found), list(SMALLEST_WHOLE), "the parts and their order")


@case("a value that is the default may as well be written")
def default_written():
    text = SMALLEST.replace('count = 2', 'count = 2, n201_u = "0.5 kB"')
    same(checked(text + 'queue { packets = 512, octets = "256 kB" }\n'), SMALLEST_WHOLE, "check")


@case("config/quickstart.lua: a few values, in the machine's units")
def quickstart():
    found = json.loads(output(QUICKSTART))
    same((found["run"]["name"], found["run"]["duration_ns"]), ("quickstart", 10**10), "run")
    same(list(found), list(SMALLEST_WHOLE), "parts")
    nse = found["nse"][0]
    same((len(found["nse"]), nse["nsei"], nse["nsvc"][0]["peer"], nse["bvc"][0]["bvci"]),
         (1, 101, "198.51.100.2", 2), "the NSE")
    same([(ms["imsi"], ms["count"], ms["tlli"]) for ms in nse["bvc"][0]["ms"]],
         [("001010000000001", 8, 0xC0000000), ("001010000000101", 4, 0xC0000008)], "its MSs")
    same(nse["bvc"][0]["ms"][0]["n201_u_octets"], 500, "N201-U, which stands at its default")
    same(found["lab"]["gb_rate_bit_per_s"], 64000, "lab.gb_rate")


@case("the same file gives the same output, from check and from check --keys")
def twice():
    same(output(QUICKSTART), output(QUICKSTART), "check")
    same(output("--keys"), keys(), "check --keys")


@case("--set changes what is printed, also in a part that the file has not")
def changed():
    found = checked(SMALLEST, "run.seed=9007199254740992", "lab.traffic.rate=1 Mbit/s",
                    "nse[1].bvc[1].ms[2].n201_u=1444 octets", "queue.packets=7")
    same(found["run"]["seed"], 1 << 53, "run.seed")
    same(found["lab"]["traffic"][0]["rate_bit_per_s"], 1000000, "lab.traffic.rate")
    same([ms["n201_u_octets"] for ms in found["nse"][0]["bvc"][0]["ms"]], [500, 1444], "n201_u")
    same(found["queue"], {"packets": 7, "octets": 256000}, "queue")


@case("the configuration may compute: locals, loops, functions of its own")
def computed():
    text = SMALLEST + """
    local function cell(n) return bvc { bvci = 10 * n } end
    for i = 2, 4 do
        nse {
            nsei = i,
            nsvc { nsvci = i + 1, peer = "198.51.100." .. 10 + i, peer_mac = "02:00:00:00:00:03" },
            cell(i), cell(i + 1),
        }
    end
    """
    same([(nse["nsei"], nse["nsvc"][0]["peer"], [bvc["bvci"] for bvc in nse["bvc"]])
          for nse in checked(text)["nse"][1:]],
         [(i, f"198.51.100.{10 + i}", [10 * i, 10 * i + 10]) for i in (2, 3, 4)], "the NSEs")


# --- The language ---------------------------------------------------------------------------------


def constructors(value, name, found):
    """{constructor: names of its keys} of a normalised configuration."""
    if isinstance(value, list):
        for item in value:
            constructors(item, name, found)
    elif isinstance(value, dict):
        plain = {key for key, inner in value.items()
                 if not isinstance(inner, (dict, list)) or key == "size_octets"}
        found.setdefault(name, set()).update(plain)
        for key in value.keys() - plain:
            constructors(value[key], key, found)
    return found


@case("--keys has every constructor and every key, with what is allowed and the default")
def language():
    blocks = re.split(r"^ *(\w+) \{ \}", keys(), flags=re.MULTILINE)
    listed = dict(zip(blocks[1::2], blocks[2::2]))
    wanted = constructors(SMALLEST_WHOLE, "", {})
    del wanted[""]
    same(sorted(listed), sorted(wanted), "constructors")
    for name, plain in wanted.items():
        rows = re.findall(r"^ +(\w+) +\S.*\n +\S.*; (required|default .+)$", listed[name],
                          re.MULTILINE)
        names = {key.removesuffix("_bit_per_s").removesuffix("_ns") for key in plain}
        names = {key if (name, key) == ("queue", "octets") else key.removesuffix("_octets")
                 for key in names}
        names |= {"imsi"} if name == "traffic" else set()  # which has no default
        same(sorted(key for key, _ in rows), sorted(names), f"keys of {name}")


@case("the defaults that --keys names are those that check fills in")
def defaults():
    for default in ("default 512", "default 256 kB", "default 500 octets", "default 40 s",
                    "default 23000", "default virtual", "default net_ring", "default 1500 octets",
                    "default unlimited", "default constant", "default 0 s", "default 3"):
        right(re.search(rf"; {default}$", keys(), re.MULTILINE), f"--keys has no '{default}'")


main()
