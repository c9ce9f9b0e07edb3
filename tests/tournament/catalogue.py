"""The settings that are compared: what each changes in config/recommended.lua. A change of an AQM names its parameters
alone: another class.aqm.name drops those of the former one. The same name would keep them, so first the class has none.
And it has no window, which would leave an AQM little to do: `without window` is recommended beside these."""

ALL = ("signalling", "conversational", "streaming", "interactive-1", "interactive-2", "interactive-3", "background")


def aqm(name, *parameters, scope="flow", ecn=True):
    parts = [f"scope={scope}", "window=none", "aqm.name=tail-drop", f"aqm.name={name}",
             *(f"aqm.{p}" for p in parameters)]
    if name != "tail-drop":
        parts.append(f"aqm.ecn={str(ecn).lower()}")
    return [f"class[{c}].{part}" for c in ALL for part in parts]


def cobalt(scope):
    return aqm("cobalt", "target=5 ms", "rtt=2 s", "mtu=1500 octets", "overfull=4", "stale=5 s", scope=scope)


def codel(interval, mtus, target="100 ms", scope="flow"):
    return aqm("codel", f"target={target}", f"interval={interval}", "mtu=1500 octets", f"min_target_mtus={mtus}",
               scope=scope)


def red(least, most, scope):
    return aqm("red", f"min={least} packets", f"max={most} packets", "max_p=100 %", "weight=5 %", "gentle=false",
               "drop_above_max=true", *(["in_turn=true"] if scope == "cell" else []), scope=scope)


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


def lifetime(seconds):
    return [f"class[*].lifetime={seconds} s"]


def weights(*numbers):
    return [f"class[{name}].weight={number}" for name, number in zip(ALL[1:], numbers)]


def delays(cell, others):
    return [f"gb.cell_delay={cell}", f"gb.ms_delay={others}", f"gb.pfc_delay={others}"]


AS_OFFERED = delays("as offered", "as offered")

# What recommended.lua sets otherwise than the defaults, by the name of what is lost: with the defaults.
UNSET = {
    "window": ["class[*].window=none"],
    "stale": ["class[*].aqm.stale=0 s"],
    "refuse_late": ["class[*].refuse_late=false"],
    "drain": ["gb.drain=0 %"],
    "lifetimes": [*lifetime(10), "class[*].bss_lifetime_least=4100 ms", "class[*].bss_lifetime_most=655 s"],
    "aqm.rtt": ["class[*].aqm.rtt=1 s"],
    "scopes": ["class[*].scope=ms"],
    "weights": weights(900, 900, 50, 35, 15, 5),
    "flow queues": ["class[*].window=none", "class[*].scope=ms", "class[*].flows=false", "queue.flows=16"],  # which need them
    "a shallow BSS": delays("600 ms", "600 ms"),
}
DEFAULTS = [change for changes in UNSET.values() for change in changes]

# A plain SGSN: one queue a class in a cell, first in, first out, cut off at its end, and all that the BSS offers is
# filled. What others are measured by.
PLAIN = ["class[*].flows=false", *aqm("tail-drop", scope="cell"), "queue.overflow=tail", *AS_OFFERED,
         "gb.drain=0 %", *lifetime(23)]


def cake(per):
    """Before a plain SGSN, as users of LibreQoS have it: at 90 % of what the load's cell, or an MS, is said to carry."""
    return [*PLAIN, f"lab.cake.rate={{{per}}} bit/s", f"lab.cake.per={per}"]


SETTINGS = {
    "recommended": [],
    "plain": PLAIN,
    # What a user would have instead: the quickstart's other variant, our defaults, the simplest that isolates flows.
    "tail drop": [*DEFAULTS, *aqm("tail-drop", scope="ms"), "queue.overflow=tail", *AS_OFFERED,
                  "class[*].bss_lifetime_least=1 s"],
    "no settings": DEFAULTS,
    "flows, tail drop, a shallow BSS": [*DEFAULTS, *aqm("tail-drop"), "class[*].flows=true", *delays("20 ms", "60 ms")],
    "flows alone": aqm("tail-drop"),  # and all else as recommended
    "CAKE by cell": cake("cell"),
    "CAKE by MS": cake("ms"),
    # Recommended without each of its settings; and with COBALT's overfull, which is the default, off.
    **{f"without {name}": changes for name, changes in UNSET.items()},
    "without overfull": ["class[*].aqm.overfull=0"],
    # one AQM for all classes
    **{f"cobalt 2 s, {scope}": cobalt(scope) for scope in ("flow", "ms", "cell")},
    "codel 2 s, 2 MTU": codel("2 s", 2),
    "codel 100 ms": codel("100 ms", 0, "5 ms"),
    "codel 2 s, 2 MTU, ms": codel("2 s", 2, scope="ms"),
    **{f"red {least} {most}, {scope}": red(least, most, scope)
       for least, most in ((2, 6), (5, 15)) for scope in ("flow", "ms", "cell")},
    **{f"adaptive red {ms} ms, cell": aqm("adaptive-red", f"target={ms} ms", scope="cell") for ms in (500, 1500)},
    **{f"ttl-red {low} {high}": ttl_red(low, high) for low, high in ((1500, 4500), (3000, 6000))},
    "ttl-red 750 2250, cell": ttl_red(750, 2250, "cell"),
    "ttl-red v1 1000 3000": aqm("ttl-red-v1", "low=1 s", "high=3 s", "max_p=100 %", "period=10 ms", "head_only=true"),
    **{f"pdpc {least} {most} {accept}": pdpc(least, most, accept)
       for least, most, accept in ((800, 4000, 10), (400, 2000, 10))},
    "pdpc 800 4000 10, ms": pdpc(800, 4000, 10, "ms"),
    "pie 1000 ms": pie(1000),
    "pie 1000 ms, cell": pie(1000, "cell"),
    "paper's red": paper("red", *PAPER_RED, ecn=False),
    "paper's ecn": paper("red", *PAPER_RED, "drop_above_max=true", ecn=True),
    "paper's ttl-red": paper("ttl-red-v2", *PAPER_TTL, ecn=False),
    "paper's ttl-ecn": paper("ttl-red-v2", *PAPER_TTL, ecn=True),
}
