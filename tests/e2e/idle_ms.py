#!/usr/bin/python3
"""What one who only pings feels of his neighbours' downloads (S13): one cell of 48 kbit/s, one MS
that pings each second, and 1, 4, 16 or 40 MSs with a download each; then one MS with a ping beside
1 to 16 downloads of its own. The settings of config/recommended.lua."""

import functools

from harness import ROOT, case, check_sound, main, new_folder, right, run

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
def applications(neighbours, own, ecn=True):
    """Of so many neighbours with a download each, and so many downloads beside the ping."""
    of = [*range(1, neighbours + 1), *[0] * own]
    path = new_folder() / "idle.lua"
    path.write_text(CONFIG.format(
        seconds=SECONDS, recommended=ROOT / "config/recommended.lua", first=imsi(0), mss=neighbours + 1,
        ecn=str(ecn).lower(),
        downloads="\n    ".join(DOWNLOAD.format(imsi=imsi(ms), start=i * 0.7) for i, ms in enumerate(of))))
    summary = run(path).summary
    check_sound(summary)
    return summary["applications"]


def ping(*args, **more):
    return applications(*args, **more)["ping"]["round_trip_ms"]


@case("beside 4, 16 and 40 that download the ping's mean is within 0.15 s of that beside one, its p95 within 0.3 s")
def neighbours_cost_nothing():
    for ecn in (True, False):
        one = ping(1, 0, ecn=ecn)
        for n in (4, 16, 40):
            many = ping(n, 0, ecn=ecn)
            right(many["mean"] < one["mean"] + 150 and many["p95"] < one["p95"] + 300,
                  f"ecn {ecn}: beside one {one}, beside {n} {many}")
            right(many["n"] >= SECONDS - 3, f"ecn {ecn}, {n} downloads: {many['n']} pings answered")


@case("and the downloads together get 0.85 of the cell")
def the_cell_is_used():
    for n in (1, 4, 16, 40):
        got = applications(n, 0)["ftp"]["goodput_bit_per_s"]
        right(got > 0.85 * 48000, f"{n} downloads: {got} bit/s")


@case("beside 8 and 16 downloads of its own MS the ping's p95 is below 1.2 times that beside one")
def own_downloads_cost_nothing():
    one = ping(0, 1)
    for n in (8, 16):
        many = ping(0, n)
        right(many["p95"] < 1.2 * one["p95"], f"beside one {one}, beside {n} {many}")


if __name__ == "__main__":
    main()
