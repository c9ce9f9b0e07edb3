"""The configurations of captures.py, and what is to be seen of each on the wire."""

import collections
import dataclasses
import ipaddress

from harness import UDP_SCENARIO, new_folder, settings

# What every packet to one inner address has to show.
Context = collections.namedtuple(
    "Context", "peer peer_port peer_mac bvci imsi tlli nsapi sapi n201_u lifetime_cs")


@dataclasses.dataclass(eq=False, kw_only=True)
class Scenario:
    """A configuration, and what it must bring about."""

    name: str
    contexts: dict  # inner address -> Context
    text: str = None  # of the file; None is udp.lua
    sets: tuple = ()  # for --set
    own: tuple = ("198.51.100.1", 23000)
    line_bit_per_s: int = 0  # 0: unlimited
    npdus_least: int  # that come out
    contexts_least: int  # that receive some
    drops: bool | None = False  # None: either is right
    queues: bool | None = False  # something is queued at the end
    send_imsi: bool = True  # the default
    nu_wraps: bool = False
    npdu_wraps: bool = False

    def options(self):
        return settings(self.sets)

    def config(self):
        if self.text is None:
            return UDP_SCENARIO
        path = new_folder() / f"{self.name.replace(' ', '_')}.lua"
        path.write_text(self.text)
        return path


def address(first, index):
    return str(ipaddress.IPv4Address(first) + index)


# --- udp.lua, with other values by --set ---------------------------------------------------


SPEECH = "nse[1].bvc[1].ms[2].n201_u=1434 octets"


def udp_contexts(n201_u):
    def context(imsi, tlli, nsapi, sapi, n201_u, lifetime_cs=1000):
        return Context("198.51.100.2", 23000, "02:53:4c:00:01:01", 2, f"{imsi:015d}", tlli, nsapi,
                       sapi, n201_u, lifetime_cs)

    found = {}
    for i in range(8):
        found[address("10.0.0.1", i)] = context(1010000000001 + i, 0xC0000000 + i, 5, 5, n201_u)
        found[address("10.0.1.1", i)] = context(1010000000001 + i, 0xC0000000 + i, 6, 11,
                                                   n201_u, 500)
    for i in range(4):
        found[address("10.0.2.1", i)] = context(1010000000101 + i, 0xC0000008 + i, 5, 3, 1434)
    return found


def udp(n201_u, *sets, name="", **brings_about):
    sets = (f"nse[1].bvc[1].ms[1].n201_u={n201_u} octets", SPEECH, *sets)
    wanted = dict(line_bit_per_s=256000, npdus_least=100, drops=True, queues=None) | brings_about
    return Scenario(name=f"N201-U {n201_u}{name}", contexts=udp_contexts(n201_u), sets=sets,
                 contexts_least=10, **wanted)


# --- Many MSs, cells and NSEs ---------------------------------------------------------------------

N201_U = [140, 141, 500, *range(1443, 1521)]
SIZES = [36, 37, 131, 132, 134, 135, 136, 137, 496, 497, 576, 1439, 1440, 1441, 1499, 1500]
LIFETIMES_CS = {"background": 1000, "streaming": 777, "interactive-2": 10}

HEAD = """
run {{ name = "{name}", duration = "{duration}", seed = 7 }}
gn {{ address = "192.0.2.1", mac = "02:00:00:00:00:01", mtu = "1600 octets" }}
gb {{ address = "198.51.100.1", mac = "02:00:00:00:00:02", port = 23000, mtu = "1600 octets" }}
class {{ name = "streaming", lifetime = "7770 ms" }}
class {{ name = "interactive-2", lifetime = "0.1 s" }}
queue {{ packets = 4000, octets = "10000 kB" }}
"""

LAB = """
lab {{
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04", gb_rate = "{gb_rate}",
    {traffic}
}}
"""


class Network:
    """Writes NSEs, cells and MSs as a configuration, and keeps what each context has to show."""

    def __init__(self):
        self.text, self.contexts, self.mss = "", {}, 0

    def nse(self, number, cells):
        peer = (f"198.51.100.{10 + number}", 23000 + number, f"02:00:00:00:01:{number:02x}")
        self.text += (f'nse {{\n    nsei = {number}, ns = "manual",\n'
                      f"    nsvc {{ nsvci = {number}, "
                      f'peer = "{peer[0]}", peer_port = {peer[1]}, peer_mac = "{peer[2]}" }},\n')
        for bvci, mss in cells:
            self.text += f"    bvc {{\n        bvci = {bvci},\n"
            for n201_u, pdps in mss:
                self.ms(peer, bvci, n201_u, pdps)
            self.text += "    },\n"
        self.text += "}\n"

    def ms(self, peer, bvci, n201_u, pdps):
        self.mss += 1
        tlli, imsi = 0xC0000000 + 17 * self.mss, str(262420000000000 + self.mss)
        self.text += (f'        ms {{ imsi = "{imsi}", tlli = {tlli:#x}, '
                      f'n201_u = "{n201_u} octets",\n')
        for nsapi, sapi, traffic_class in pdps:
            inner = address("10.1.0.0", 16 * self.mss + nsapi)
            self.text += (f'            pdp {{ nsapi = {nsapi}, sapi = {sapi}, '
                          f'class = "{traffic_class}", address = "{inner}" }},\n')
            self.contexts[inner] = Context(*peer, bvci, imsi, tlli, nsapi, sapi, n201_u,
                                           LIFETIMES_CS[traffic_class])
        self.text += "        },\n"


def traffic(traffic_class, sizes, rate, pattern="constant"):
    listed = ", ".join(f'"{size} octets"' for size in sizes)
    return (f'traffic {{ class = "{traffic_class}", size = {{ {listed} }}, rate = "{rate}", '
            f'pattern = "{pattern}", stop = "1 s" }},')


def many_cells():
    """Each N201-U has an MS with two contexts; the MSs are dealt to five cells of three NSEs."""
    pdps = [(5, 3, "background"), (15, 11, "interactive-2")]
    mss = [(n201_u, pdps) for n201_u in N201_U]
    mss.append((1520, [(6, 5, "streaming"), (7, 5, "streaming"), (8, 9, "streaming")]))
    network = Network()
    network.nse(1, [(2, mss[0::5]), (65534, mss[1::5])])
    network.nse(2, [(2, mss[2::5])])
    network.nse(3, [(300, mss[3::5]), (301, mss[4::5])])
    lab = LAB.format(gb_rate="unlimited", traffic="\n    ".join([
        traffic("background", SIZES, "60 kbit/s", "poisson"),
        traffic("interactive-2", SIZES, "40 kbit/s"),
        traffic("streaming", [1500, 36], "200 kbit/s")]))
    return Scenario(name="many cells", contexts=network.contexts, npdus_least=1500,
                 contexts_least=len(network.contexts),
                 text=HEAD.format(name="many-cells", duration="2 s") + network.text + lab)


def counters_wrap():
    """One MS gets more than 512 LLC PDUs on one SAPI, from two contexts, another more than 4096
    N-PDUs in one context."""
    network = Network()
    network.nse(1, [(2, [(140, [(5, 3, "background"), (6, 3, "background")]),
                         (200, [(5, 9, "streaming")])])])
    lab = LAB.format(gb_rate="8 Mbit/s", traffic="\n    ".join([
        traffic("background", [1500, 137], "600 kbit/s"),
        traffic("streaming", [36], "1250 kbit/s")]))
    return Scenario(name="counters go round", contexts=network.contexts, line_bit_per_s=8000000,
                 npdus_least=4200, contexts_least=3, nu_wraps=True, npdu_wraps=True,
                 text=HEAD.format(name="counters", duration="3 s") + network.text + lab)


SCENARIOS = [
    udp(500),
    udp(140),
    udp(142, *(f"nse.bvc.ms[{n}].send_imsi=false" for n in (1, 2)),
               name=", without the IMSI", send_imsi=False),
    udp(141, "run.duration=5 s", name=", stopped inside the burst", npdus_least=50,
               queues=True),
    udp(1520, "lab.gb_rate=unlimited", "gb.mtu=1600 octets", "nse.bvc.rate=6000 Mbit/s",
               name=", no queue",
               line_bit_per_s=0, drops=False, queues=False),
    many_cells(),
    counters_wrap(),
]
