#!/usr/bin/python3
"""Explicit window adaptation in the lab: a download and a ping of one MS, on 40 kbit/s, without ECN. With a `window` the
host has no more under way than that time's part of the rate: the round trip is short, nothing is sent again, and the
goodput is no less. What left for the host is read from gn.pcap: windows are lowered, checksums right, and nothing else
is changed. Off, and under another class, nothing is."""

import functools
import struct

import pcap
from checksums import ones_complement_sum
from harness import case, check_sound, main, new_folder, right, run, same

CONFIG = """
run { name = "window", duration = "120 s", seed = 5 }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01", mtu = "1600 octets" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02", mtu = "1600 octets" }
class { name = "background", flows = true, scope = "flow", lifetime = "unlimited", MINE
    aqm { name = "tail-drop" } }
class { name = "streaming", flows = true, OTHER }
nse { nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.11", peer_mac = "02:00:00:00:00:03" },
    bvc { bvci = 2, rate = "40 kbit/s", bucket = "4 kB",
        ms { imsi = "262420000000001", tlli = 0xC0000001, n201_u = "1520 octets",
            pdp { nsapi = 5, sapi = 3, class = "background", address = "10.0.0.1" } },
    },
}
lab { ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04", passive = true, gi { latency = "100 ms" },
    tcp { name = "plain", base = "linux", ecn = false },
    ftp { class = "background", host_tcp = "plain", ms_tcp = "plain" },
    ping { class = "background", interval = "1 s" },
}
"""
WINDOW_S = 1.5
WINDOW_OCTETS = 40000 / 8 * WINDOW_S
SCALE = 7  # of the profile
TCP, SYN, FIN, RST, ACK = 6, 2, 1, 4, 16


@functools.cache
def ran(mine, other=""):
    path = new_folder() / "window.lua"
    path.write_text(CONFIG.replace("MINE", mine and f"{mine},").replace("OTHER", other))
    done = run(path, "--pcap")
    check_sound(done.summary)
    return done


def off():
    return ran("")


def on():
    return ran(f'window = "{WINDOW_S} s"')


def counters(done):
    """The uplink's, of the only worker."""
    found = []

    def look(value):
        if isinstance(value, dict):
            if "window_lowered" in value:
                found.append(value)
            for inner in value.values():
                look(inner)
        elif isinstance(value, list):
            for inner in value:
                look(inner)
    look(done.summary)
    same(len(found), 1, "workers' counters of windows")
    return {name: number for name, number in found[0].items() if name.startswith("window_")}



def tcp_to_hosts(done):
    """(flags, window, whether the checksum is right) of each TCP segment from the MS, behind the SGSN."""
    for frame in pcap.frames_of(done.out / "gn.pcap"):
        ip = pcap.gn_packet(frame).octets
        if ip[9] != TCP or ip[12:16] != bytes([10, 0, 0, 1]):
            continue
        segment = ip[20:]
        pseudo = ip[12:20] + struct.pack(">HH", TCP, len(segment))
        yield segment[13], struct.unpack_from(">H", segment, 14)[0], ones_complement_sum(pseudo + segment) == 0xFFFF


def plain(flags):
    return flags & (SYN | FIN | RST | ACK) == ACK


@case("a window shortens the queue: no less goodput, a third of the delay, nothing sent again")
def shorter():
    without, held = off().summary, on().summary
    before, after = (of["applications"]["ftp"] for of in (without, held))
    right(before["goodput_bit_per_s"] > 30000, f"{before['goodput_bit_per_s']} bit/s without")
    right(after["goodput_bit_per_s"] > before["goodput_bit_per_s"], f"{after['goodput_bit_per_s']} bit/s with it")
    right(before["tcp"]["retransmitted_segments"] > 10, "without it the queue drops")
    same(after["tcp"]["retransmitted_segments"], 0, "sent again with it")
    delays = [of["classes"]["background"]["delay_ms"]["p95"] for of in (without, held)]
    right(delays[1] < delays[0] / 3 and delays[1] < 1000 * WINDOW_S + 500, f"delays {delays}")


@case("the host sees windows of at most that time, and right checksums")
def seen():
    most = -(-int(WINDOW_OCTETS) // 2**SCALE)
    segments = list(tcp_to_hosts(on()))
    same([good for _, _, good in segments if not good], [], "wrong checksums")
    windows = [window for flags, window, _ in segments if plain(flags)]
    right(len(windows) > 200, f"{len(windows)} segments")
    same([window for window in windows if window > most], [], f"windows above {most}")
    right(any(window == most for window in windows), "none at the limit")
    same(min(window for flags, window, _ in segments if flags & SYN), 65535, "the SYN's")


@case("each N-PDU of the MS is counted, by what became of it")
def counted():
    found = counters(on())
    pings = on().summary["applications"]["ping"]["round_trip_ms"]["n"]
    segments = list(tcp_to_hosts(on()))
    same(found["window_lowered"] + found["window_enough"], sum(plain(flags) for flags, _, _ in segments), "ACKs")
    same(found["window_ends"], sum(not plain(flags) for flags, _, _ in segments), "SYN, FIN, RST")
    right(0 <= found["window_other"] - pings <= 1, f"{found['window_other']} others, {pings} pings")
    same([found[name] for name in ("window_unseen", "window_fragments", "window_malformed", "window_evicted")],
         [0] * 4, "others")
    same(found["window_flows"], 1, "flows")


@case("off, and of another class: no octet changes, and nothing is counted")
def nothing():
    same(set(counters(off()).values()), {0}, "counters")
    elsewhere = ran("", 'window = "1 s"')
    for name in "gi.pcap", "gn.pcap", "gb.pcap":
        same((elsewhere.out / name).read_bytes() == (off().out / name).read_bytes(), True, name)
    same(set(counters(elsewhere).values()), {0}, "counters with a window elsewhere")
    right(min(window for flags, window, _ in tcp_to_hosts(off()) if plain(flags)) > 500, "windows without one")


if __name__ == "__main__":
    main()
