"""One cell of 48 kbit/s in virtual time with the settings of config/recommended.lua: an MS that pings each second,
neighbours with a download each, and downloads of its own."""

import csv
import functools

from harness import ROOT, check_sound, new_folder, run

CELL_BIT_PER_S = 48000
CONFIG = """
run {{ name = "idle", clock = "virtual", duration = "{seconds} s", seed = 1 }}
log {{ level = "error" }}
variants {{ default = "recommended", variant {{ name = "recommended", file = "{recommended}" }} }}
gn {{ device = "net_ring", address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }}
gb {{ device = "net_ring", address = "198.51.100.1", mac = "02:53:4c:00:00:02", port = 23000 }}
nse {{ nsei = 101,
    nsvc {{ nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" }},
    bvc {{ bvci = 2,
        radio {{ carriers = 1, slots = 4, down_slots = 4, up_slots = 2 }},
        flow {{ rate = "48 kbit/s", measured = true, bmax_time = "10 s", ms_rate = "48 kbit/s" }},
        ms {{ imsi = "{first}", count = {mss},
            pdp {{ nsapi = 5, sapi = 11, class = "background", address = "10.0.1.1" }} }},
    }},
}}
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01", gi {{ latency = "20 ms" }},
    tcp {{ name = "today", base = "linux", ecn = {ecn} }},
    {downloads}
    ping {{ class = "background", imsi = "{first}", interval = "1 s" }},
}}
"""
DOWNLOAD = """ftp {{ class = "background", imsi = "{imsi}", host_tcp = "today", ms_tcp = "today",
        start = "{start:.1f} s" }},"""
FIRST = 1010000000001
SECONDS = 200


def imsi(ms):
    return f"{FIRST + ms:015d}"


@functools.cache
def applications(neighbours, own, ecn=True, sets=()):
    """Of so many neighbours with a download each, and so many downloads beside the ping; `sets` are settings beyond the
    recommended ones."""
    of = [*range(1, neighbours + 1), *[0] * own]
    path = new_folder() / "idle.lua"
    path.write_text(CONFIG.format(
        seconds=SECONDS, recommended=ROOT / "config/recommended.lua", first=imsi(0), mss=neighbours + 1,
        ecn=str(ecn).lower(),
        downloads="\n    ".join(DOWNLOAD.format(imsi=imsi(ms), start=i * 0.7) for i, ms in enumerate(of))))
    done = run(path, *(part for one in sets for part in ("--set", one)))
    check_sound(done.summary)
    of = done.summary["applications"]
    with open(done.out / "applications.csv", encoding="utf-8") as table:
        got = [int(row["ms_arrived_octets"]) for row in csv.DictReader(table) if row["application"] == "ftp"]
    of["ftp"]["each_bit_per_s"] = [octets * 8 / SECONDS for octets in got]
    return of
