"""A plain model of what a reload has to leave: one entry for each MS, no ranges. A file is made
from it (ranges cut anywhere: that must make no difference), and the SGSN's own picture is compared.

MS number i has IMSI, address, key and TEIDs at the GGSN that count up with i; so do its TLLIs where
the file gives them.
"""

import random
from collections import namedtuple

from world import GGSN, HEAD, nsvc
from harness import same

IMSI = 1010000000000  # 001010000000000: three zeros before it are lost in a number
TLLI = 0xD0000000
KEY = 0x0102030400000000

# Of the file, for one MS: its cell, and what else is said of it. contexts: (NSAPI, class, GGSN).
Wish = namedtuple("Wish", "nsei bvci n201_u contexts cipher rate given")
# Of the SGSN: where it is, and the TEID of each context.
Ms = namedtuple("Ms", "nsei bvci tlli teids")

CONTEXTS = (
    ((5, "background", "ggsn"),),
    ((5, "background", "ggsn"), (6, "interactive-1", "ggsn")),
    ((6, "interactive-1", "ggsn"), (5, "background", "ggsn")),
    ((5, "background", "other"), (9, "background", "ggsn"), (7, "streaming", "ggsn")),
    ((6, "streaming", "ggsn"),),
    (),
)
HEAD_MORE = "".join(
    f'class {{ name = "{name}", WEIGHT lifetime = "unlimited", aqm {{ name = "tail-drop" }} }}\n'
    for name in ("background", "interactive-1", "streaming"))


def imsi(i):
    return f"{IMSI + i:015d}"


def address(i, nsapi):
    return f"10.{nsapi}.{i >> 8}.{i & 255}"


def teid(i, nsapi):
    """At the GGSN."""
    return nsapi << 16 | i


class File:
    """What the file says; `wishes` by number of the MS."""

    def __init__(self):
        self.nsvcs = {101: {1101: ("198.51.100.2", 1)}, 102: {102: ("198.51.100.3", 1)}}
        self.cells = {101: {2: 80, 3: 8}, 102: {2: 40}}  # kbit/s
        self.wishes, self.weight, self.others = {}, 5, 1
        self.rooms = "nses = 8, nsvcs = 16, ggsns = 8, bvcs = 40"

    def runs(self, rng):
        """(first, count, wish): neighbours that are alike, cut at random besides."""
        runs = []
        for i, wish in sorted(self.wishes.items()):
            first, count, last = runs[-1] if runs else (None, 0, None)
            if last == wish and first + count == i and rng.random() < 0.95:
                runs[-1] = (first, count + 1, wish)
            else:
                runs.append((i, 1, wish))
        return runs

    def text(self, rng=None):
        runs = self.runs(rng or random.Random(1))
        other = "".join(f'ggsn {{ name = "{"other" if n == 0 else f"other{n}"}", '
                        f'address = "192.0.2.{10 + n}", mac = "02:00:00:00:01:{n:02x}" }}\n'
                        for n in range(self.others))
        # one GGSN sends to all contexts, whichever their own is
        head = HEAD.replace("gn { ", f'gn {{ from = "{GGSN}", ', 1)
        text = head + HEAD_MORE.replace("WEIGHT", f"weight = {self.weight},") + other
        text += f"room {{ {self.rooms}, mss = 1000, pdps = 3000, pfcs = 2 }}\n"
        for nsei, cells in self.cells.items():
            links = ", ".join(nsvc(number, peer, weight=weight)
                              for number, (peer, weight) in self.nsvcs[nsei].items())
            text += f'nse {{ nsei = {nsei}, ns = "manual", {links},\n'
            for bvci, rate in cells.items():
                mss = "".join(self.ms(first, count, wish) for first, count, wish in runs
                              if (wish.nsei, wish.bvci) == (nsei, bvci))
                text += f'  bvc {{ bvci = {bvci}, rate = "{rate} kbit/s",\n{mss}  }},\n'
            text += "}\n"
        return text

    @staticmethod
    def ms(i, count, wish):
        keys = [f'imsi = "{imsi(i)}"', f"count = {count}", f'n201_u = "{wish.n201_u} octets"']
        keys += [f"tlli = {TLLI + i:#x}"] if wish.given else []
        keys += [f'cipher = "gea3", key = "{KEY + i:016x}"'] if wish.cipher else []
        keys += [f'rate = "{wish.rate} kbit/s"'] if wish.rate else []
        keys += [f'pdp {{ nsapi = {nsapi}, class = "{name}", address = "{address(i, nsapi)}", '
                 f'ggsn = "{ggsn}", ggsn_teid = {teid(i, nsapi)} }}'
                 for nsapi, name, ggsn in wish.contexts]
        return "    ms { " + ", ".join(keys) + " },\n"


def kept_contexts(before, after):
    """NSAPIs of the contexts that are the same in both wishes, so that they keep their TEIDs."""
    return {context[0] for context in before.contexts if context in after.contexts}


class Model:
    """The SGSN's MSs as they have to be."""

    def __init__(self):
        self.mss, self.wishes, self.cells = {}, {}, {}

    def load(self, file):
        """The file is in force now. TLLIs and TEIDs that the SGSN may choose are None."""
        mss = {}
        for i, wish in file.wishes.items():
            old, old_wish = self.mss.get(i), self.wishes.get(i)
            home, tlli, kept = (wish.nsei, wish.bvci), None, {}
            if old:
                stays = home == (old_wish.nsei, old_wish.bvci) and \
                    old.bvci in file.cells.get(old.nsei, {})
                home = (old.nsei, old.bvci) if stays else home
                tlli, kept = old.tlli, kept_contexts(old_wish, wish)
            teids = {nsapi: old.teids[nsapi] if nsapi in kept else None
                     for nsapi, _, _ in wish.contexts}
            mss[i] = Ms(*home, TLLI + i if wish.given else tlli, teids)
        self.mss, self.wishes = mss, dict(file.wishes)

    def check(self, found):
        """Against the SGSN's own picture, which also says what it has chosen."""
        same(sorted(found), sorted(self.mss), "MSs")
        for i, wanted in self.mss.items():
            real = found[i]
            teids = {nsapi: real.teids.get(nsapi) if value is None else value
                     for nsapi, value in wanted.teids.items()}
            wanted = Ms(wanted.nsei, wanted.bvci,
                        real.tlli if wanted.tlli is None else wanted.tlli, teids)
            same(real, wanted, f"MS {i}")
            self.mss[i] = wanted
        for nsei in {ms.nsei for ms in self.mss.values()}:
            tllis = [ms.tlli for ms in self.mss.values() if ms.nsei == nsei]
            same(len(set(tllis)), len(tllis), f"different TLLIs in NSE {nsei}")
        teids = [teid for ms in self.mss.values() for teid in ms.teids.values()]
        same((len(set(teids)), None in teids), (len(teids), False), "different TEIDs")


# For each MS of the registry: IMSI, NSEI, BVCI and TLLI as the dataplane has them, whether it is
# found by TLLI and by IMSI, and the pdp_id of each context by NSAPI.
DUMP = " ".join("""
local s, w, dp, t = require "sluice.subscribers.registry", require "sluice.core.network", require "dp", {}
for _, r in ipairs(s.records) do for m = 0, r.count - 1 do
local id, x = r.first_ms_id + m, {} local b, tlli = dp.ms_cell(id) local c = w.bvc[b]
for j, pdp in ipairs(r.ms.pdp) do
x[j] = pdp.nsapi .. ":" .. r.pdp_ids[j].first + m * r.pdp_ids[j].stride end
t[#t + 1] = table.concat({ s.imsi(id), c.nse.nsei, c.bvci, tlli,
tostring(dp.ms_of(c.nse.id, tlli) == id), tostring(s.by_imsi(s.imsi(id)) == id),
table.concat(x, ";") }, ",") end end return table.concat(t, " ")
""".split())


def picture(world):
    """{number of the MS: Ms} of the SGSN."""
    by_id = {t.pdp_id: t.teid for t in world.tunnels()}
    found = {}
    for row in world.lua(DUMP).split():
        number, nsei, bvci, tlli, by_tlli, by_imsi, contexts = row.split(",")
        same((by_tlli, by_imsi), ("true", "true"), f"IMSI {number} is found by TLLI, by IMSI")
        pairs = [pair.split(":") for pair in contexts.split(";") if pair]
        teids = {int(nsapi): by_id[int(pdp_id)] for nsapi, pdp_id in pairs}
        found[int(number) - IMSI] = Ms(int(nsei), int(bvci), int(tlli), teids)
    same(sum(len(ms.teids) for ms in found.values()), len(by_id), "contexts in the dataplane")
    return found
