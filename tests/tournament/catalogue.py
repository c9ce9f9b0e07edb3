"""The settings that are compared: what each changes in config/recommended.lua. A change of an AQM names its parameters
alone: another class.aqm.name drops those of the former one. The same name would keep them, so first the class has none.
And it has no window, which would leave an AQM little to do: `no window` is recommended beside these."""

ALL = ("signalling", "conversational", "streaming", "interactive-1", "interactive-2", "interactive-3", "background")


def aqm(name, *parameters, scope="flow", classes=ALL, ecn=True):
    parts = [f"scope={scope}", "window=none", "aqm.name=tail-drop", f"aqm.name={name}",
             *(f"aqm.{p}" for p in parameters)]
    if name != "tail-drop":
        parts.append(f"aqm.ecn={str(ecn).lower()}")
    return [f"class[{c}].{part}" for c in classes for part in parts]


def cobalt(rtt_s=2, mtu=1500, overfull=4, scope="flow"):
    return aqm("cobalt", "target=5 ms", f"rtt={rtt_s} s", f"mtu={mtu} octets", f"overfull={overfull}", "stale=5 s",
               scope=scope)


def codel(interval, mtus, target="100 ms", scope="flow"):
    return aqm("codel", f"target={target}", f"interval={interval}", "mtu=1500 octets", f"min_target_mtus={mtus}",
               scope=scope)


def red(least, most, scope, classes=ALL):
    return aqm("red", f"min={least} packets", f"max={most} packets", "max_p=100 %", "weight=5 %", "gentle=false",
               "drop_above_max=true", *(["in_turn=true"] if scope == "cell" else []), scope=scope, classes=classes)


def ttl_red(low, high, scope="flow"):
    return aqm("ttl-red-v2", f"low={low} ms", f"high={high} ms", "max_p=20 %", scope=scope)


def pdpc(least, most, accept, scope="flow"):
    return aqm("pdpc", f"min={least} ms", f"max={most} ms", f"accept={accept}", scope=scope)


def pie(ms, scope="flow"):
    return aqm("pie", f"ref={ms} ms", "update=200 ms", "burst=2 s", "ecn_ceiling=100 %", scope=scope)


def paper(name, *parameters, ecn):
    """As the study of 2006 has it: over all of a class, first in, first out."""
    return ["class[*].flows=false", "queue.overflow=tail", "class[*].octets=245 kB", *lifetime(23),
            *aqm(name, *parameters, scope="nse", ecn=ecn)]


PAPER_RED = ("min=15 kB", "max=45 kB", "max_p=20 %", "weight=2000 ppm", "mean_pdu=500 octets", "gentle=false")
PAPER_TTL = ("low=750 ms", "high=2250 ms", "max_p=20 %")


def lifetime(seconds, *classes):
    return [f"class[{name}].lifetime={seconds} s" for name in classes or ["*"]]


def weight(class_name, number):
    return [f"class[{class_name}].weight={number}"]


def weights(*numbers):
    names = "interactive-1", "interactive-2", "interactive-3", "background"
    return [part for name, number in zip(names, numbers) for part in weight(name, number)]


def window(seconds):
    return [f"class[*].window={seconds} s"]


RED_OF_PAGES = red(2, 6, "cell", classes=("interactive-2", "interactive-3"))

# A plain SGSN: one queue a class in a cell, first in, first out, cut off at its end, and all that the BSS offers is
# filled. What others are measured by.
PLAIN = ["class[*].flows=false", *aqm("tail-drop", scope="cell"), "queue.overflow=tail",
         "gb.cell_delay=as offered", "gb.ms_delay=as offered", "gb.pfc_delay=as offered",
         "gb.drain=0 %", *lifetime(23)]

SETTINGS = {
    "recommended": [],
    "plain": PLAIN,
    # With the lifetime of a configuration without settings.
    "plain, 10 s": PLAIN + ["class[*].bss_lifetime_least=1 s", *lifetime(10)],
    "flows alone": aqm("tail-drop"),
    "flows alone, 40 s": aqm("tail-drop") + lifetime(40),
    # recommended, but for one thing
    **{f"THP1 by {w}": weight("interactive-1", w) for w in (60, 120)},
    **{f"background by {w}": weight("background", w) for w in (5, 10, 12, 14, 16, 20, 24)},  # recommended has 18
    **{f"drain {part} %": [f"gb.drain={part} %"] for part in (0, 1)},   # recommended has 0.5
    **{f"downloads' lifetime {s} s": lifetime(s, "background") for s in (23, 27, 35, 40)},  # recommended has 30
    **{f"stale {s} s": [f"class[*].aqm.stale={s} s"] for s in (4, 6)},   # recommended has 5
    "nothing is stale": ["class[*].aqm.stale=0 s"],
    "nothing is late": ["class[background].refuse_late=false"],
    "late in all classes": ["class[*].refuse_late=true"],
    **{f"streaming by {w}": weight("streaming", w) for w in (40, 100, 900)},  # recommended has 60
    "the weights before": weights(35, 30, 20, 10) + weight("conversational", 900) + weight("streaming", 900),
    "paper's weights": weights(50, 35, 15, 5),
    "THP1 by 300, paper's others": weights(300, 35, 15, 5),
    **{f"lifetime {s} s": lifetime(s) for s in (30, 40)},
    **{f"pages' lifetime {s} s": lifetime(s, "interactive-1", "interactive-2", "interactive-3") for s in (27, 30)},
    "RED in THP2 and THP3": RED_OF_PAGES,
    "RED in THP2 and THP3, rtt 2 s": ["class[*].aqm.rtt=2 s"] + RED_OF_PAGES,
    "8 queues by flow": ["queue.flows=8"],
    # Explicit window adaptation (dataplane/window): recommended has 4.7 s for downloads. Without it; with others; in all
    # classes; and in place of an AQM.
    "no window": ["class[*].window=none"],
    **{f"downloads' window {s} s": [f"class[background].window={s} s"] for s in (3, 5, 6)},
    **{f"window {s} s": window(s) for s in (1, 1.5, 2, 3, 5)},
    **{f"flows alone, window {s} s": aqm("tail-drop") + window(s) for s in (1.5, 2)},
    # one AQM for all classes
    **{f"cobalt {s} s": cobalt(s) for s in (1, 2, 4)},  # recommended has 3
    **{f"cobalt 2 s, {m} octets": cobalt(mtu=m) for m in (600, 1000, 2250)},
    "cobalt 2 s, no BLUE": cobalt(overfull=0),
    **{f"cobalt 2 s, {scope}": cobalt(scope=scope) for scope in ("ms", "cell")},
    **{f"cobalt 2 s, lifetime {s} s": cobalt() + lifetime(s) for s in (30, 40)},
    **{f"codel {s} s, {m} MTU": codel(f"{s} s", m) for s, m in ((1, 2), (2, 2), (2, 4), (4, 2))},
    "codel 100 ms": codel("100 ms", 0, "5 ms"),
    "codel 2 s, 2 MTU, ms": codel("2 s", 2, scope="ms"),
    **{f"red {least} {most}, {scope}": red(least, most, scope)
       for least, most in ((2, 6), (3, 9), (5, 15)) for scope in ("flow", "ms", "cell")},
    **{f"adaptive red {ms} ms, cell": aqm("adaptive-red", f"target={ms} ms", scope="cell") for ms in (500, 1500)},
    **{f"ttl-red {low} {high}": ttl_red(low, high) for low, high in ((750, 2250), (1500, 4500), (3000, 6000))},
    # with the lifetime that recommended had when they were first compared
    **{f"ttl-red {low} {high}, 23 s": ttl_red(low, high) + lifetime(23) for low, high in ((1500, 4500), (3000, 6000))},
    "flows alone, 23 s": aqm("tail-drop") + lifetime(23),
    "codel 4 s, 2 MTU, 23 s": codel("4 s", 2) + lifetime(23),
    "pie 1000 ms, 23 s": pie(1000) + lifetime(23),
    "pdpc 400 2000 10, 23 s": pdpc(400, 2000, 10) + lifetime(23),
    "ttl-red 750 2250, cell": ttl_red(750, 2250, "cell"),
    "ttl-red v1 1000 3000": aqm("ttl-red-v1", "low=1 s", "high=3 s", "max_p=100 %", "period=10 ms", "head_only=true"),
    **{f"pdpc {least} {most} {accept}": pdpc(least, most, accept)
       for least, most, accept in ((800, 4000, 10), (800, 4000, 20), (400, 2000, 10), (1500, 6000, 10))},
    "pdpc 800 4000 10, ms": pdpc(800, 4000, 10, "ms"),
    **{f"pie {ms} ms": pie(ms) for ms in (200, 1000, 2000)},
    "pie 1000 ms, cell": pie(1000, "cell"),
    "paper's red": paper("red", *PAPER_RED, ecn=False),
    "paper's ecn": paper("red", *PAPER_RED, "drop_above_max=true", ecn=True),
    "paper's ttl-red": paper("ttl-red-v2", *PAPER_TTL, ecn=False),
    "paper's ttl-ecn": paper("ttl-red-v2", *PAPER_TTL, ecn=True),
}
