"""Networks and TCP stacks whose captures sluice gi has to read: what each world makes is its text here.

An MS has a cell, a stack and one application. `gn.pcap` is the place of the monitor."""

import functools

from harness import run, written

NO_SACK = 'sack = false, dsack = false, recovery = "newreno"'

# Name: base of the stack, what is changed. All offer windows that GPRS terminals offer.
STACKS = {
    "sack": ("linux-2.4", 'timestamps = false, spurious = "none", receive_window = "17520 octets"'),
    "stamps": ("linux-2.4", 'receive_window = "32768 octets"'),
    "plain": ("linux-2.4", f'timestamps = false, spurious = "none", receive_window = "16384 octets", {NO_SACK}'),
    "old": ("newreno-ns2", 'receive_window = "8760 octets"'),
    "rack": ("linux", 'receive_window = "65535 octets"'),
    "cubic": ("linux", f'receive_window = "32768 octets", timestamps = false, {NO_SACK}'),
    "small": ("linux-2.4", 'timestamps = false, spurious = "none", mss = "536 octets", receive_window = "8192 octets"'),
    "tiny": ("newreno-ns2", 'mss = "512 octets", receive_window = "4096 octets", ack_every = 2, ack_delay = "200 ms"'),
}

FTP = 'ftp {{ class = "background", imsi = "{imsi}", host_tcp = "{stack}", ms_tcp = "{stack}", start = "{start}", ' \
      'size = "{size}", files = {files}, pause = "{pause}" }},'
HTTP = 'http {{ class = "background", imsi = "{imsi}", host_tcp = "{stack}", ms_tcp = "{stack}", start = "{start}", ' \
       'connections = {connections}, reuse = "object", main = "2 kB", embedded = 20, embedded_size = "{size}", ' \
       'think = "9 s", pages = 1 }},'


def world(gi="latency = \"40 ms\"", line="", buffer="", aqm='name = "tail-drop"', lifetime="unlimited", radio="",
          events="", per_ms="", stacks=tuple(STACKS), mss=12, seed=1, duration=300, size=None, files=4, pause="7 s",
          application=FTP, connections=10, each=1, gb=""):
    cells, applications = [], []
    for i in range(mss):
        imsi, stack = f"26242000000{i:04d}", stacks[i % len(stacks)]
        words = {"imsi": imsi, "stack": stack, "size": size or f"{25 * (1 + i % 4)} kB", "files": files, "pause": pause, "connections": connections,
                 "start": f"{2 + 0.7 * i:.1f} s", "at": f"{15 + 3 * i} s", "later": f"{25 + 2 * i} s"}
        cells.append(f'bvc {{ bvci = {i + 2}, flow {{ rate = "300 kbit/s", ms_rate = "300 kbit/s", bmax_time = "4 s" }},'
                     f' radio {{ slots = {1 + i % 4}, down_coding = "CS-2", up_coding = "CS-2"{radio} '
                     f'{per_ms.format(**words)} }}, buffer {{ {buffer} }},'
                     f' ms {{ imsi = "{imsi}", pdp {{ nsapi = 5, sapi = 11, class = "background",'
                     f' address = "10.0.0.{i + 1}" }} }} }},')
        applications += [application.format(**words) for _ in range(each)] + [events.format(**words)]
    profiles = "".join(f'tcp {{ name = "{name}", base = "{base}", {changes} }},' for name, (base, changes) in STACKS.items())
    return f"""
run {{ name = "gi", duration = "{duration} s", seed = {seed} }}
gn {{ address = "192.0.2.1", mac = "02:00:00:00:00:01", mtu = "1600 octets" }}
gb {{ address = "198.51.100.1", mac = "02:00:00:00:00:02", mtu = "1600 octets"{gb} }}
class {{ name = "background", lifetime = "{lifetime}", aqm {{ {aqm} }} }}
nse {{ nsei = 1, ns = "reset", areas = {{ "001-01-7-1" }}, line {{ {line} }},
    nsvc {{ nsvci = 1, peer = "198.51.100.11", peer_mac = "02:00:00:00:00:03" }},
    {"".join(cells)} }}
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04", step = "1 s",
    gi {{ {gi} }}, {profiles}
    {"".join(applications)} }}
"""


GI = 'latency = "40 ms", loss = "{loss}"'
CALL = ', plan {{ kind = "ms-call", imsi = "{imsi}", at = "{at}", every = "31 s", lasts = "7 s" }}'
AWAY = 'away {{ imsi = "{imsi}", at = "{later}", every = "45 s", lasts = "4 s" }}, ' \
       'suspend {{ imsi = "{imsi}", at = "{at}", every = "50 s", lasts = "6 s" }},'

# What each world makes.
WORLDS = {
    "clean": {},
    "as published": {"gi": GI.format(loss="0.15 %"), "line": 'loss = "0.5 %"'},
    "bursts": {"gi": GI.format(loss="0.15 %"), "line": "lost_run = 4, good_run = 400"},
    "Internet": {"gi": 'latency = "60 ms", lost_run = 2, good_run = 90'},
    "both": {"gi": GI.format(loss="3 %"), "line": 'loss = "2 %"'},
    "buffers": {"gi": GI.format(loss="0.15 %"), "buffer": 'ms_octets = "9 kB"', "lifetime": "6 s",
                "aqm": 'name = "red", min = "4 kB", max = "12 kB", max_p = "10 %"'},
    "calls": {"gi": GI.format(loss="0.15 %"), "per_ms": CALL, "radio": ', hold_taken = "10 s", down_bler = "10 %", up_bler = "10 %"'},
    "away": {"gi": GI.format(loss="0.15 %"), "events": AWAY},
    "reordered": {"gi": 'rate = "2 Mbit/s", latency = "40 ms", jitter = "12 ms", overtaking = true, loss = "0.5 %"',
                  "line": 'loss = "0.5 %"'},
    "far overtaken": {"gi": 'latency = "5 ms", jitter = "200 ms", overtaking = true, loss = "0.5 %"', "line": 'loss = "0.5 %"'},
    "parallel": {"gi": GI.format(loss="0.15 %"), "line": 'loss = "0.5 %"', "application": HTTP, "size": "5 kB",
                 "buffer": 'ms_octets = "30 kB"', "lifetime": "10 s"},
    "ten downloads": {"gi": GI.format(loss="0.15 %"), "line": 'loss = "0.5 %"', "each": 10, "size": "25 kB", "files": 1,
                      "buffer": 'ms_octets = "60 kB"', "lifetime": "30 s"},
    "swamped": {"gi": GI.format(loss="0.15 %"), "line": 'loss = "0.5 %"', "application": HTTP, "size": "5 kB"},
}


@functools.cache
def ran(name, seed=1):
    """The results of a world, with its captures and the book of its packets."""
    return run(written(world(seed=seed, **WORLDS[name])), "--pcap", "--packets", "--no-page")
