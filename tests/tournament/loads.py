"""The loads: what the people of a cell do. A load is a configuration and changes of it; of one made here each seed has
other starts, and other times and sizes of pages. `chosen` says whether a choice of settings may look at the load: three
are kept apart, to see whether what was chosen holds where nobody looked."""

import dataclasses
import pathlib
import random

SCENARIOS = pathlib.Path(__file__).resolve().parent.parent.parent / "config"

CELL = """
run {{ name = "{name}", clock = "virtual", duration = "{seconds} s", seed = 1 }}
log {{ level = "error" }}
gn {{ device = "net_ring", address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }}
gb {{ device = "net_ring", address = "198.51.100.1", mac = "02:53:4c:00:00:02", port = 23000 }}
nse {{ nsei = 101,
    nsvc {{ nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" }},
    line {{ latency = "5 ms" }},
    bvc {{ bvci = 2,
        radio {{ carriers = 1, slots = {slots}, down_slots = {ms_slots}, up_slots = 2,
            down_coding = "{coding}", up_coding = "{coding}"{setups} }},
        flow {{ rate = "{rate} kbit/s", measured = true, bmax_time = "10 s", ms_rate = "{ms_rate} kbit/s" }},
        ms {{ imsi = "001010000000001", count = 64,
            pdp {{ nsapi = 5, sapi = 11, class = "background", address = "10.0.1.1" }} }},
        ms {{ imsi = "001010000000101", count = 64,
            pdp {{ nsapi = 5, sapi = 5, class = "interactive-1", address = "10.0.2.1" }} }},
        ms {{ imsi = "001010000000201", count = 64,
            pdp {{ nsapi = 5, sapi = 5, class = "streaming", address = "10.0.3.1" }} }},
    }},
}}
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01", gi {{ latency = "{latency} ms" }},
    tcp {{ name = "today", base = "linux", ecn = {ecn} }},
    {applications}
}}
"""
# Of an old radio network, as buffer-2004's: each burst of packets waits for a TBF, each way.
SLOW_SETUPS = "".join(f', {key} = "{value}"' for key, value in (
    ("down_setup", "800 ms"), ("down_setup_beside", "800 ms"), ("up_setup", "800 ms"), ("up_setup_beside", "800 ms"),
    ("down_release", "0 s")))
SLOT_KBIT = {"CS-1": 8, "CS-2": 12}  # what a slot carries of LLC
PING_BITS = 94 * 8  # of a ping's answer and the headers of its LLC PDU
PING_TIMEOUT = "50 s"  # more than any lifetime of the catalogue; what a run sends in its last 50 s is not counted as lost


def ms(number, web=False):
    return f'imsi = "{1010000000001 + number + 100 * web:015d}"'


def streaming(number):
    return f'class = "streaming", {ms(number + 200)}'


def background(number):
    return f'class = "background", {ms(number)}'


class Cell:
    """A load in one cell, whose applications are lists of MSs' numbers. web: MSs of interactive-1 that read pages;
    files: of background that fetch one file after the other, which are not pages: the longest of all pages would be
    those; greedy: of streaming that download."""

    def __init__(self, slots=4, ms_slots=4, seconds=300, downloads=(), pings=(), web=(), latency_ms=20, files=(),
                 web_pings=(), ping_s=1, coding="CS-2", greedy=(), setups=""):
        self.slots, self.ms_slots, self.seconds, self.latency_ms = slots, ms_slots, seconds, latency_ms
        self.downloads, self.pings, self.web, self.files = downloads, pings, web, files
        self.web_pings, self.ping_s, self.coding, self.greedy, self.setups = web_pings, ping_s, coding, greedy, setups

    def applications(self, rng):
        tcp = 'host_tcp = "today", ms_tcp = "today"'
        for who in [background(number) for number in self.downloads] + [streaming(number) for number in self.greedy]:
            yield f'ftp {{ {who}, {tcp}, start = "{rng.uniform(0, 20):.2f} s" }},'
        for number in self.files:
            yield (f'ftp {{ {background(number)}, {tcp}, start = "{rng.uniform(0, 20):.2f} s", '
                   f'size = "{rng.randint(60, 120)} kB", files = 0, pause = "{rng.uniform(2, 8):.2f} s" }},')
        for number in self.web:
            yield (f'http {{ class = "interactive-1", {ms(number, True)}, {tcp}, start = "{rng.uniform(0, 10):.2f} s", '
                   'main = "5 kB", embedded = 2, embedded_size = "3 kB", embedded_size_law = "exponential", '
                   'embedded_size_most = "20 kB", think = "10 s", think_law = "exponential" },')
        of_web = [f'class = "interactive-1", {ms(number, True)}' for number in self.web_pings]
        for who in [background(number) for number in self.pings] + of_web:
            yield (f'ping {{ {who}, interval = "{self.ping_s} s", start = "{rng.uniform(0, self.ping_s):.3f} s", '
                   f'timeout = "{PING_TIMEOUT}" }},')

    def text(self, name, seed, ecn):
        rng = random.Random(f"{name} {seed}")
        return CELL.format(name="tournament", seconds=self.seconds, slots=self.slots, ms_slots=self.ms_slots,
                           rate=SLOT_KBIT[self.coding] * self.slots, ms_rate=SLOT_KBIT[self.coding] * self.ms_slots,
                           coding=self.coding, setups=self.setups, latency=self.latency_ms,
                           ecn=str(ecn).lower(), applications="\n    ".join(self.applications(rng)))


class Overloaded:
    """Each seed draws another weak cell with too many MSs, which browse, download or only ping; most of them ping as well.
    Pings ask for a third of the cell at most. Of classes there are two, whose MSs all browse, or none does."""

    def text(self, name, seed, ecn):
        rng = random.Random(f"{name} {seed}")
        slots, coding = rng.choice([1, 2, 2, 3]), rng.choice(["CS-1", "CS-2"])
        mss, web, downloads = rng.randint(8, 40), rng.uniform(.2, .8), rng.uniform(.4, 1)
        browsing = round(mss * web)
        ping_s, pinging = rng.choice([1, 2, 5, 10]), rng.uniform(.5, 1)
        pings = [number for number in range(mss - browsing) if rng.random() < pinging]
        web_pings = [number for number in range(browsing) if rng.random() < pinging]
        while (len(pings) + len(web_pings)) * PING_BITS > SLOT_KBIT[coding] * slots * 1000 * ping_s / 3:
            ping_s *= 2
        return Cell(slots=slots, ms_slots=rng.choice([1, slots]), coding=coding, ping_s=ping_s, pings=pings,
                    web_pings=web_pings, web=range(round(browsing * downloads)),
                    downloads=range(round((mss - browsing) * downloads)),
                    latency_ms=rng.choice([20, 60, 120])).text(name, seed, ecn)


@dataclasses.dataclass
class Load:
    cell: Cell = None  # or
    file: str = None   # below config, in
    variant: str = None
    point: str = None
    changes: tuple = ()
    ecn: bool = True
    chosen: bool = True


def both(name, **what):
    """With ECN at the hosts, and without."""
    yield name, Load(**what)
    yield f"{name}, no ECN", Load(**what, ecn=False)


def list_of():
    yield from both("quickstart", file="quickstart.lua", variant="recommended",
                    changes=(f"ping.timeout={PING_TIMEOUT}",))
    for n in (1, 4, 16):
        yield from both(f"{n} that download, one pings, one browses",
                        cell=Cell(downloads=range(1, n + 1), pings=[0], web=[0]))
    for n in (1, 4, 8, 16):
        yield from both(f"{n} flows in the MS that pings", cell=Cell(downloads=[0] * n, pings=[0]))
    yield from both("weak cell", cell=Cell(slots=2, ms_slots=2, downloads=range(4), web=range(6)))
    yield from both("4 that browse, 3 download, one does in streaming",
                    cell=Cell(downloads=range(3), web=range(4), pings=[10], greedy=[0]))
    yield from both("10 that browse, 6 that download, 3 slots",
                    cell=Cell(slots=3, ms_slots=3, downloads=range(6), web=range(10), pings=[0]))
    # Phones that may use a part of the slots: the radio is full only while several have data there.
    yield from both("8 that download with 2 of 8 slots, one pings",
                    cell=Cell(slots=8, ms_slots=2, downloads=range(1, 9), pings=[0]))
    yield from both("4 that download, one pings, one browses, TBFs take 0.8 s, hosts 200 ms",
                    cell=Cell(downloads=range(1, 5), pings=[0], web=[0], latency_ms=200, setups=SLOW_SETUPS))
    yield from both("overloaded, each seed another cell", cell=Overloaded())
    yield from both("aqm-2006", file="scenarios/aqm-2006.lua", variant="none")
    for s in (3, 6, 15):
        yield from both(f"preempt-2004, {s} s", file="scenarios/preempt-2004.lua", variant=f"freeze-{s}s")
    for n in (1, 3):
        yield from both(f"buffer-2004, {n} PDCHs", file="scenarios/buffer-2004.lua", variant="recommended",
                        changes=(f"radio.slots={n}",))
    yield from both("latency-geran", file="scenarios/latency-geran.lua", variant="recommended",
                    point="rlc_rtt=100ms,server_to_bts=50ms")
    # Not looked at when settings are chosen.
    yield from both("3 MSs with 3 flows each, far hosts",
                    cell=Cell(slots=6, downloads=[0, 0, 0, 1, 1, 1, 2, 2, 2], pings=[0, 3], web=[0], latency_ms=120),
                    chosen=False)
    yield from both("8 that fetch files, 2 that ping", cell=Cell(slots=8, files=range(8), pings=[0, 9]), chosen=False)
    yield from both("6 that browse, 2 that fetch files, 2 that ping",
                    cell=Cell(web=range(6), files=range(2), pings=[9], web_pings=[0]), chosen=False)


LOADS = dict(list_of())
