#!/usr/bin/python3
"""What an MS with one context costs, as `sluice check` foretells it: of each program that is named,
so that two builds stand in one table.

    octets_an_ms.py PROGRAM...

The difference between a million MSs and half as many, without the eighth more that the program asks
for on top of what it lays out. A worker has room for its share and a quarter more. The buckets are
bounded by gb's delays, as they are by default.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

MSS = 1000000
WORKERS = (1, 2, 16)

HEAD = """run {{ name = "octets", clock = "real", duration = "1 s", workers = {workers} }}
gn {{ device = "net_null0", address = "192.0.2.1", mac = "02:53:4c:00:00:01" }}
gb {{ device = "net_null1", address = "198.51.100.1", mac = "02:53:4c:00:00:02", port = 23000 }}
room {{ mss = {mss}, pdps = {mss} }}
"""
NSE = """nse {{
    nsei = {nsei}, ns = "manual",
    nsvc {{ nsvci = {nsei}, peer = "198.51.100.2", peer_port = {nsei}, peer_mac = "02:53:4c:00:01:01" }},
    bvc {{
        bvci = 2, rate = "40 kbit/s", bucket = "4 kB",
        ms {{ imsi = "{imsi:015d}", count = {mss},
             pdp {{ nsapi = 5, sapi = 3, class = "background", address = "10.{net}.0.1" }} }},
    }},
}}
"""


def config(workers, mss):
    each = mss // workers
    return HEAD.format(workers=workers, mss=mss) + "".join(
        NSE.format(nsei=1000 + i, imsi=1010000000001 + i * each, net=16 * i, mss=each)
        for i in range(workers))


def need_octets(program, folder, workers, mss):
    path = pathlib.Path(folder) / "octets.lua"
    path.write_text(config(workers, mss), encoding="ascii")
    done = subprocess.run([program, "check", path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"octets_an_ms: {program}: {done.stderr}")
    return json.loads(done.stdout)["memory_octets"]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    print("octets an MS".ljust(44) + "".join(f"{n:>7} worker{'s' * (n > 1)}" for n in WORKERS))
    with tempfile.TemporaryDirectory() as folder:
        for program in sys.argv[1:]:
            octets = [(need_octets(program, folder, n, MSS) -
                       need_octets(program, folder, n, MSS // 2)) * 8 // 9 // (MSS // 2) for n in WORKERS]
            print(program[-43:].ljust(44) + "".join(f"{n:>14}" for n in octets))


main()
