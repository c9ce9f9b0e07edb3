"""The loads: what the people of a cell do. A load is a configuration and changes of it; of one made here each seed has
other starts, and other times and sizes of pages. `chosen` says whether a choice of settings may look at the load: those
that settings were chosen by before, and of the others two thirds; the digest of a load's name decides which."""

import dataclasses
import hashlib
import pathlib
import random
import statistics

from bound import Closed, Open

SCENARIOS = pathlib.Path(__file__).resolve().parent.parent.parent / "config"

CONFIGURATION = """
run {{ name = "tournament", clock = "virtual", duration = "{seconds} s", seed = 1 }}
log {{ level = "error" }}
gn {{ device = "net_ring", address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }}
gb {{ device = "net_ring", address = "198.51.100.1", mac = "02:53:4c:00:00:02", port = 23000 }}
nse {{ nsei = 101,
    nsvc {{ nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" }},
    line {{ latency = "5 ms" }},
    {cells}
}}
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01", gi {{ latency = "{latency} ms" }},
    {profiles}
    {applications}
}}
"""
CELL = """bvc {{ bvci = {bvci},
        radio {{ carriers = 1, slots = {slots}, down_slots = {ms_slots}, up_slots = 2,
            down_coding = "{coding}", up_coding = "{coding}"{radio} }},
        flow {{ rate = "{rate:.10g} kbit/s", {bss}bmax_time = "10 s", ms_rate = "{ms_rate:.10g} kbit/s" }},
        {mss}
    }},"""
# Of an old radio network, as buffer-2004's: each burst of packets waits for a TBF, each way.
SLOW_SETUPS = "".join(f', {key} = "{value}"' for key, value in (
    ("down_setup", "800 ms"), ("down_setup_beside", "800 ms"), ("up_setup", "800 ms"), ("up_setup_beside", "800 ms"),
    ("down_release", "0 s")))
SLOT_KBIT = {  # what a slot carries of LLC
    "CS-1": 8, "CS-2": 12, "CS-3": 14.4, "CS-4": 20, "MCS-1": 8.8, "MCS-2": 11.2, "MCS-3": 14.8, "MCS-4": 17.6,
    "MCS-5": 22.4, "MCS-6": 29.6, "MCS-7": 44.8, "MCS-8": 54.4, "MCS-9": 59.2}
# How a BSS finds R: as osmo-pcu; with FLOW-CONTROL-MS besides; not at all.
BSS = {"of the cell": "measured = true, ", "of each MS": 'measured = true, ms = "measured", ', "constant": ""}
PING_BITS = 94 * 8  # of a ping's answer and the headers of its LLC PDU
PING_TIMEOUT = "50 s"  # more than any lifetime of the catalogue; what a run sends in its last 50 s is not counted as lost

# MSs have numbers in each group: those of a group have a context of that class, with this SAPI, and IMSIs from here on.
GROUPS = {"background": (0, 11), "interactive-1": (100, 5), "streaming": (200, 9), "conversational": (300, 3)}
WEB, SMALL = "interactive-1", 50  # SMALL: the first MS with small flows, in WEB
CELL_APART = 1000  # a number of 1000 or more is of the second cell
STEP_S = 5  # how long a phone that walks has a coding scheme


def imsi_of(group, number):
    return f"{1010000000001 + GROUPS[group][0] + number:015d}"


def kbit_of(coding):
    """What a slot of a phone carries; one that walks has several coding schemes."""
    return SLOT_KBIT[coding] if isinstance(coding, str) else statistics.mean(map(SLOT_KBIT.get, coding))


@dataclasses.dataclass
class Cell:
    """A load whose applications are lists of MSs' numbers. web: MSs of interactive-1 that read pages; files: of
    background that fetch one file after the other, which are not pages: the longest of all pages would be those;
    greedy: of streaming that download; web_downloads, web_pings: of those that read pages."""
    slots: int = 4
    ms_slots: int = 4
    seconds: int = 300
    downloads: tuple = ()
    pings: tuple = ()
    web: tuple = ()
    latency_ms: int = 20
    files: tuple = ()
    web_pings: tuple = ()
    ping_s: int = 1
    coding: str = "CS-2"
    greedy: tuple = ()
    radio: str = ""             # further keys of the cell's
    think_s: int = 10
    web_downloads: tuple = ()
    uploads: tuple = ()
    speech: tuple = ()
    streams: tuple = ()
    small: int = 0              # flows of some kB that begin at random times,
    small_mss: int = 20         # of so many MSs
    web_class: str = WEB        # of the contexts of interactive-1's MSs
    more_classes: tuple = ()    # in which MS 0 of background downloads as well
    radios: dict = dataclasses.field(default_factory=dict)  # (group, number): a coding scheme, or those of a walk
    bss: str = "of the cell"
    n201_u: int = 500
    outside: str = "plain"      # what all connections are, or those of
    outside_of: tuple = ()      # these MSs of interactive-1

    def of(self, _name, _seed):
        return self

    def users(self):
        """(group, number) of each MS with an application."""
        lists = {"background": (self.downloads, self.pings, self.files, self.uploads), "streaming": (self.greedy, self.streams),
                 WEB: (self.web, self.web_pings, self.web_downloads, self.small_users()), "conversational": (self.speech,)}
        return sorted({(group, number) for group, of in lists.items() for numbers in of for number in numbers})

    def small_users(self):
        return range(SMALL, SMALL + self.small_mss if self.small else SMALL)

    def arrivals(self, name, seed):
        """(start in s, octets) of each small flow."""
        rng = random.Random(f"{name} {seed} small")
        return sorted((round(rng.uniform(0, self.seconds - 30), 2), min(20000, 300 + int(rng.expovariate(1 / 2700))))
                      for _ in range(self.small))

    # ---- What is measured of it ----

    def kbit(self):
        """What the cell carries if its phones share its time, and what its fastest phone gets alone."""
        slots = list(map(kbit_of, self.radios.values())) or [SLOT_KBIT[self.coding]]
        return statistics.mean(slots) * self.slots, max(slots) * self.ms_slots

    def groups(self):
        """IMSIs by name: the faster half of the phones, or of those in a tunnel those."""
        phones = {imsi_of(*user): kbit_of(coding) for user, coding in self.radios.items()}
        by_rate = sorted(phones.values())
        fast = {phone for phone, kbit in phones.items() if kbit > by_rate[0] and kbit >= by_rate[len(by_rate) // 2]}
        if self.outside_of:
            tunnelled = {imsi_of(WEB, number) for number in self.outside_of}
            return {"in a VPN": tunnelled, "without": {imsi_of(WEB, number) for number in self.web} - tunnelled}
        return {"fast": fast, "slow": set(phones) - fast} if fast else {}

    def bounded(self):
        """The IMSIs whose transfers end."""
        return {imsi_of("background", number) for number in self.files} | {imsi_of(WEB, n) for n in self.small_users()}

    def split(self, name, seeds):
        """What pages and downloads share, for the least that is possible; None: there are not both."""
        endless = len([*self.downloads, *self.greedy, *self.web_downloads, *self.more_classes])
        if endless and self.web and not self.small:
            return Closed(len(self.web), self.think_s, endless)
        return Open([self.arrivals(name, seed) for seed in seeds], self.seconds, endless) if endless and self.small else None

    # ---- Its configuration ----

    def class_of(self, group):
        return self.web_class if group == WEB else group

    def who(self, group, number):
        outside = self.outside != "plain" and (not self.outside_of or group == WEB and number in self.outside_of)
        name = "outside" if outside else "today"
        return (f'class = "{self.class_of(group)}", imsi = "{imsi_of(group, number)}"',
                f'host_tcp = "{name}", ms_tcp = "{name}"')

    def downloading(self):
        for group, numbers in (("background", self.downloads), ("streaming", self.greedy), (WEB, self.web_downloads)):
            for number in numbers:
                yield self.who(group, number)
        for name in self.more_classes:
            _, tcp = self.who("background", 0)
            yield f'class = "{name}", imsi = "{imsi_of("background", 0)}"', tcp

    def applications(self, rng, arrivals):
        for who, tcp in self.downloading():
            yield f'ftp {{ {who}, {tcp}, start = "{rng.uniform(0, 20):.2f} s" }},'
        for number in self.files:
            who, tcp = self.who("background", number)
            yield (f'ftp {{ {who}, {tcp}, start = "{rng.uniform(0, 20):.2f} s", '
                   f'size = "{rng.randint(60, 120)} kB", files = 0, pause = "{rng.uniform(2, 8):.2f} s" }},')
        for number in self.web:
            who, tcp = self.who(WEB, number)
            yield (f'http {{ {who}, {tcp}, start = "{rng.uniform(0, 10):.2f} s", '
                   'main = "5 kB", embedded = 2, embedded_size = "3 kB", embedded_size_law = "exponential", '
                   f'embedded_size_most = "20 kB", think = "{self.think_s} s", think_law = "exponential" }},')
        for group, numbers in (("background", self.pings), (WEB, self.web_pings)):
            for number in numbers:
                yield (f'ping {{ {self.who(group, number)[0]}, interval = "{self.ping_s} s", '
                       f'start = "{rng.uniform(0, self.ping_s):.3f} s", timeout = "{PING_TIMEOUT}" }},')
        for number in self.uploads:
            who, tcp = self.who("background", number)
            yield f'ftp {{ {who}, {tcp}, way = "up", start = "{rng.uniform(0, 20):.2f} s" }},'
        for number in self.speech:
            yield f'ptt {{ {self.who("conversational", number)[0]}, start = "{rng.uniform(0, 10):.2f} s" }},'
        for number in self.streams:
            yield f'stream {{ {self.who("streaming", number)[0]}, rate = "4 kbit/s", start = "{rng.uniform(0, 10):.2f} s" }},'
        for place, (start, octets) in enumerate(arrivals):
            who, tcp = self.who(WEB, SMALL + place % self.small_mss)
            yield f'ftp {{ {who}, {tcp}, start = "{start} s", size = "{octets} octets" }},'

    def walk(self, user):
        """The name and the text of the file of a phone that walks; its codings are those of there and back."""
        codings, number = self.radios[user], list(self.radios).index(user)
        rows = (f"{place * STEP_S},{codings[(place + 7 * number) % len(codings)]},0" for place in range(self.seconds // STEP_S))
        return f"walk{number}.csv", "time,down_coding,down_bler\n" + "".join(f"{row} %\n" for row in rows)

    def walks(self):
        return dict(self.walk(user) for user, coding in self.radios.items() if not isinstance(coding, str))

    def ms(self, group, number):
        start, sapi = GROUPS[group]
        coding = self.radios.get((group, number), "")
        radio = f'down_coding = "{coding}", up_coding = "{coding}"' if isinstance(coding, str) else \
            f'up_coding = "{coding[0]}", trace = "{self.walk((group, number))[0]}"'
        contexts = [(self.class_of(group), sapi)]
        if (group, number) == ("background", 0):
            contexts += zip(self.more_classes, (3, 5, 9))
        return (f'ms {{ imsi = "{imsi_of(group, number)}", n201_u = "{self.n201_u} octets",'
                f'{f" radio {{ {radio} }}," if coding else ""}' + "".join(
                    f' pdp {{ nsapi = {5 + place}, sapi = {of}, class = "{name}", '
                    f'address = "10.{1 + start // 100}.{4 * (number // CELL_APART) + place}.{1 + number % CELL_APART}" }},'
                    for place, (name, of) in enumerate(contexts)) + ' },')

    def text(self, name, seed, ecn):
        cell_kbit, ms_kbit = self.kbit()
        cells = [CELL.format(
            bvci=2 + cell, slots=self.slots, ms_slots=self.ms_slots, coding=self.coding, radio=self.radio, rate=cell_kbit,
            ms_rate=ms_kbit, bss=BSS[self.bss], mss="\n        ".join(
                self.ms(*user) for user in self.users() if user[1] // CELL_APART == cell))
            for cell in sorted({number // CELL_APART for _, number in self.users()})]
        of_tcp = {"today": "plain"} | ({"outside": self.outside} if self.outside != "plain" else {})
        return CONFIGURATION.format(
            seconds=self.seconds, latency=self.latency_ms, cells="\n    ".join(cells), profiles="\n    ".join(
                f'tcp {{ name = "{profile}", base = "linux", ecn = {str(ecn).lower()}'
                f'{f""", outside = "{outside}" """ if outside != "plain" else ""} }},' for profile, outside in of_tcp.items()),
            applications="\n    ".join(self.applications(random.Random(f"{name} {seed}"), self.arrivals(name, seed))))


class Overloaded(Cell):
    """Each seed draws another weak cell with too many MSs, which browse, download or only ping; most of them ping as well.
    Pings ask for a third of the cell at most. Of classes there are two, whose MSs all browse, or none does."""

    def of(self, name, seed):
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
                    downloads=range(round((mss - browsing) * downloads)), latency_ms=rng.choice([20, 60, 120]))


@dataclasses.dataclass
class Load:
    cell: Cell = None  # or
    file: str = None   # below config, in
    variant: str = None
    point: str = None
    changes: tuple = ()
    kbit: tuple = ()   # of a file: what the cell carries, and one MS
    closed: Closed = None
    ecn: bool = True
    chosen: bool = True

    def split(self, name, seeds):
        return self.cell.split(name, seeds) if self.cell else self.closed


NO_ECN = ", no ECN"


def without(name, cell):
    """Without ECN at the hosts, as most are."""
    yield name + NO_ECN, Load(cell, ecn=False)


def both(name, *cell, **what):
    """With ECN, and without."""
    yield name, Load(*cell, **what)
    yield name + NO_ECN, Load(*cell, **what, ecn=False)


def known():
    """Those that settings were chosen by, or that the table of the cells is of."""
    yield from both("quickstart", file="quickstart.lua", variant="recommended", kbit=(96, 48),
                    changes=(f"ping.timeout={PING_TIMEOUT}",), closed=Closed(4, 10, 3))
    for n in (1, 4, 16):
        yield from both(f"{n} that download, one pings, one browses", Cell(downloads=range(1, n + 1), pings=[0], web=[0]))
    for n in (1, 4, 8, 16):
        yield from both(f"{n} flows in the MS that pings", Cell(downloads=[0] * n, pings=[0]))
    yield from both("weak cell", Cell(slots=2, ms_slots=2, downloads=range(4), web=range(6)))
    yield from both("4 that browse, 3 download, one does in streaming",
                    Cell(downloads=range(3), web=range(4), pings=[10], greedy=[0]))
    yield from both("10 that browse, 6 that download, 3 slots",
                    Cell(slots=3, ms_slots=3, downloads=range(6), web=range(10), pings=[0]))
    # Phones that may use a part of the slots: the radio is full only while several have data there.
    yield from both("8 that download with 2 of 8 slots, one pings",
                    Cell(slots=8, ms_slots=2, downloads=range(1, 9), pings=[0]))
    yield from both("4 that download, one pings, one browses, TBFs take 0.8 s, hosts 200 ms",
                    Cell(downloads=range(1, 5), pings=[0], web=[0], latency_ms=200, radio=SLOW_SETUPS))
    yield from both("overloaded, each seed another cell", Overloaded())
    yield from both("aqm-2006", file="scenarios/aqm-2006.lua", variant="none", kbit=(710, 118))
    for s in (3, 6, 15):
        yield from both(f"preempt-2004, {s} s", file="scenarios/preempt-2004.lua", variant=f"freeze-{s}s", kbit=(36, 36))
    for n in (1, 3):
        yield from both(f"buffer-2004, {n} PDCHs", file="scenarios/buffer-2004.lua", variant="recommended",
                        changes=(f"radio.slots={n}",), kbit=(12 * n, 12 * n))
    yield from both("latency-geran", file="scenarios/latency-geran.lua", variant="recommended", kbit=(392, 392),
                    point="rlc_rtt=100ms,server_to_bts=50ms")
    for name, cell in CELLS.items():
        yield from without(name, cell)


def phones(group, *codings):
    return {(group, number): coding for number, coding in enumerate(codings)}


def that_download(*codings, **what):
    return Cell(downloads=range(len(codings)), radios=phones("background", *codings), coding=max(codings), **what)


def that_browse(*codings, **what):
    return Cell(web=range(len(codings)), radios=phones(WEB, *codings), coding=max(codings), **what)


def mixed(downloads, web, **what):
    return Cell(downloads=range(len(downloads)), web=range(len(web)), coding="MCS-9",
                radios=phones("background", *downloads) | phones(WEB, *web), **what)


EIGHT = [f"MCS-{n}" for n in (1, *range(3, 10))]
CELLS = {
    "1 on MCS-1, 3 on MCS-9 download": that_download("MCS-1", *["MCS-9"] * 3),
    "2 on MCS-1, 2 on MCS-9 download": that_download(*["MCS-1"] * 2, *["MCS-9"] * 2),
    "8 on MCS-1 to MCS-9 download": that_download(*EIGHT),
    "8 on MCS-1 to MCS-9 browse": that_browse(*EIGHT, think_s=3),
    "2 on MCS-1 download, 14 on MCS-9 browse": mixed(["MCS-1"] * 2, ["MCS-9"] * 14, think_s=3),
    "1 on CS-1, 3 on CS-4 download": that_download("CS-1", *["CS-4"] * 3)}
# Of so many phones, from slow to fast, each one's coding scheme.
MIXED = {2: ["MCS-1", "MCS-9"], 4: ["CS-1", "CS-4", "MCS-6", "MCS-9"], 8: ["CS-1", "MCS-1", "CS-2", "CS-3", "CS-4", *EIGHT[5:]],
         16: [*sorted(SLOT_KBIT, key=SLOT_KBIT.get), "MCS-9", "MCS-9", "MCS-9"]}
THERE_AND_BACK = [f"MCS-{n}" for n in (*range(9, 0, -1), *range(2, 9))]
CS_THERE_AND_BACK = ["CS-4", "CS-4", "CS-3", "CS-2", "CS-1", "CS-1", "CS-2", "CS-3"]


def of_each_cell(numbers):
    return [number + cell for cell in (0, CELL_APART) for number in numbers]


def others():
    yield from both("3 MSs with 3 flows each, far hosts",
                    Cell(slots=6, downloads=[0, 0, 0, 1, 1, 1, 2, 2, 2], pings=[0, 3], web=[0], latency_ms=120))
    yield from both("8 that fetch files, 2 that ping", Cell(slots=8, files=range(8), pings=[0, 9]))
    yield from both("6 that browse, 2 that fetch files, 2 that ping",
                    Cell(web=range(6), files=range(2), pings=[9], web_pings=[0]))
    for name, cell in CELLS.items():
        for bss in list(BSS)[1:]:
            yield from without(f"{name}, R {bss}", dataclasses.replace(cell, bss=bss))
    for n, codings in MIXED.items():
        for bss in BSS:
            yield from without(f"{n} mixed phones download, R {bss}", that_download(*codings, pings=[n - 1], bss=bss))
            yield from without(f"{n} mixed phones browse, R {bss}", that_browse(*codings, web_pings=[n - 1], bss=bss))
            yield from without(f"{n} mixed phones, each second one browses, R {bss}",
                               mixed(codings[::2], codings[1::2], web_pings=[0], bss=bss))
    for coding in EIGHT[4:]:
        for n201_u in (140, 500, 1520):
            for bler in (1, 20):
                yield from without(f"{coding}, N201-U {n201_u}, BLER {bler} %: 4 download, one pings, one browses", Cell(
                    downloads=range(1, 5), pings=[0], web=[0], coding=coding, n201_u=n201_u,
                    radio=f', down_bler = "{bler} %", up_bler = "{bler} %"'))
    for browse in (1, 4, 10, 16, 30, 40):
        for download in (1, 4, 10, 16, 30, 40):
            what = {"web": range(browse), "downloads": range(download), "pings": [45]}
            yield from without(f"{browse} browse and {download} download", Cell(**what))
            yield from without(f"{browse} browse and {download} download, all in one class",
                               Cell(**what, web_class="background"))
    for more in (("interactive-1",), ("interactive-1", "interactive-2", "interactive-3")):
        yield from without(f"3 download, one in {1 + len(more)} classes, one pings, one browses",
                           Cell(downloads=range(3), more_classes=more, pings=[3], web=[0]))
    for whose, mss in (("20 MSs", 20), ("one MS", 1)):
        yield from without(f"300 small flows of {whose}, 4 download, one pings",
                           Cell(small=300, small_mss=mss, downloads=range(4), pings=[4]))
    for slots in (4, 6):
        yield from without(f"2 cells of {slots} slots with 30 MSs each", Cell(
            slots=slots, speech=of_each_cell(range(2)), streams=of_each_cell(range(3)), web=of_each_cell(range(12)),
            downloads=of_each_cell(range(8)), pings=of_each_cell(range(8, 13))))
    yield from without("4 download, 2 of them walk from MCS-9 to MCS-1 and back",
                       mixed([THERE_AND_BACK] * 2 + ["MCS-9"] * 2, []))
    yield from without("8 browse, 4 of them walk from MCS-9 to MCS-1 and back",
                       mixed([], [THERE_AND_BACK] * 4 + ["MCS-9"] * 4))
    yield from without("2 download and 2 browse, one of each walks from CS-4 to CS-1 and back",
                       dataclasses.replace(mixed([CS_THERE_AND_BACK, "CS-4"], [CS_THERE_AND_BACK, "CS-4"]), coding="CS-4"))
    yield from both("4 that download, one pings, one browses, all by QUIC",
                    Cell(downloads=range(1, 5), pings=[0], web=[0], outside="quic"))
    for name, of in (("each in a VPN", ()), ("one in a VPN", (0,))):
        yield from both(f"4 that browse while they download, {name}",
                        Cell(web=range(4), web_downloads=range(4), web_pings=[0], outside="tunnel", outside_of=of))
    yield from both("4 that browse, one in a VPN, 4 that download",
                    Cell(web=range(4), downloads=range(4), web_pings=[0], outside="tunnel", outside_of=(0,)))
    yield from without("4 that download, 2 that upload, one pings, one browses",
                       Cell(downloads=range(1, 5), uploads=range(5, 7), pings=[0], web=[0]))
    yield from without("8 that browse, 8 that upload, one pings", Cell(web=range(8), uploads=range(1, 9), pings=[0]))


def chosen(name):
    """Whether it is in the two thirds; with ECN or without, it is the same load."""
    return hashlib.sha256(name.removesuffix(NO_ECN).encode()).digest()[0] % 3 > 0


LOADS = dict(known()) | {name: dataclasses.replace(load, chosen=chosen(name)) for name, load in others()}
