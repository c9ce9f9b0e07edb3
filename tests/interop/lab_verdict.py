"""What a lab's figures say: the table, and what holds of what is demanded. `runs` are the figures of a variant's
runs at one rate; `both` has those of each variant."""

import statistics

from lab_plan import PDU_OCTETS, RATE_A_PDCH

VARIANTS = "tail-drop", "recommended"
UP_S, OF_RADIO, OF_TAIL_DROP = 3, 0.92, 0.97
OF_RADIO_PDCHS = 4  # from so many on; with fewer the control blocks are more
BOUND = "idle's, an N-PDU, 2 cell_delay"

PING = (("ping {}, p50", "round_trip_p50_s"), ("ping {}, p95", "round_trip_p95_s"),
        ("  down to the MS, p95", "down_p95_s"), ("  of that in sluice, p95", "in_sluice_p95_s"),
        ("  from the MS back, p95", "uplink_p95_s"))
WHERE = ("idle", "while idle"), ("own", "beside its own download"), ("neighbour", "beside a neighbour's")


def drops(figures):
    return sum(one["packets"] for part in figures["summary"]["classes"].values()
               for one in part["drops"].values())


def marks(figures):
    return sum(part["marks"] for part in figures["summary"]["classes"].values())


def rows(runs):
    """(what, unit, its digits, a number of each run)"""
    for where, name in WHERE:
        for what, key in PING:
            yield what.format(name), "s", 2, [run[where][key] for run in runs]
        yield "  without an answer yet", "", 0, [run[where]["unanswered"] for run in runs]
    yield "IP that came to MSs", "kbit/s", 1, [run["carried_bit_per_s"] / 1000 for run in runs]
    yield "downloads, from the first request", "kbit/s", 1, [run["goodput_bit_per_s"] / 1000 for run in runs]
    yield "  the least of them, after 40 s", "kbit/s", 1, [run["least_bit_per_s"] / 1000 for run in runs]
    yield "upload", "kbit/s", 1, [run["up_bit_per_s"] / 1000 for run in runs]
    for name in "p50", "p95":
        yield (f"stood in osmo-pcu at an N-PDU's arrival, {name}", "octets", 0,
               [run[f"stood_{name}_octets"] for run in runs])
    yield "sluice: drops", "", 0, [drops(run) for run in runs]
    yield "sluice: marks", "", 0, [marks(run) for run in runs]
    yield "osmo-pcu: LLC-DISCARDED", "", 0, [run["discarded"] for run in runs]


def shown(values, digits):
    """The median, and the least and the most."""
    text = f"{statistics.median(values):.{digits}f}"
    if len(values) > 1:
        text += f" ({min(values):.{digits}f}-{max(values):.{digits}f})"
    return text


def side_by_side(runs):
    """Lines of the table of {name: figures} of two runs, with the difference of the second from the first, if that
    has two digits and more: of some ms it would be chance."""
    yield f"{'':48}" + "".join(f"{name:>20}" for name in (*runs, "difference"))
    for (what, unit, digits, (first,)), (*_, (second,)) in zip(*(rows([run]) for run in runs.values())):
        texts = [f"{value:.{digits}f} {unit}".rstrip() for value in (first, second)]
        if unit and first * 10 ** digits >= 10:
            texts.append(f"{second / first - 1:+.1%}")
        yield (f"{what:48}" + "".join(f"{text:>20}" for text in texts))


# --- What is demanded -----------------------------------------------------------------------------


def facts(run, pdchs):
    """(what, whether it holds, the figure) of one run."""
    yield f"up from cold in {UP_S} s", run["up_s"] <= UP_S, f"{run['up_s']:.1f} s"
    yield "octets equal", run["equal"] and run["octets"] > 0, f"{run['octets']} octets"
    asked, acked = run["flow_control"], run["acknowledged"]
    yield "each FLOW-CONTROL-BVC acknowledged", 0 < asked == acked, f"{acked} of {asked}"
    yield "no malformed frame for tshark", not run["malformed"], "; ".join(run["malformed"][:3]) or "none"
    yield "osmo-pcu logs no error", not run["pcu_errors"], "; ".join(run["pcu_errors"][:3]) or "none"
    if pdchs >= OF_RADIO_PDCHS:
        yield f"{OF_RADIO:.0%} of what the radio offers", run["of_radio"] >= OF_RADIO, f"{run['of_radio']:.1%}"
    balanced = run["summary"]["conservation"]["balanced"]
    yield "sluice accounts for every packet", balanced, "balanced" if balanced else "not balanced"


def comparison(tail, ours, pdchs):
    """The same, of a run of recommended beside one of tail drop."""
    for name, what in WHERE[1:]:
        for part, key in ("", "round_trip"), (", of that down to the MS", "down"):
            p95_s = ours[name][f"{key}_p95_s"]
            most_s = ours["idle"][f"{key}_p95_s"] + PDU_OCTETS / (pdchs * RATE_A_PDCH) + 2 * ours["cell_delay_s"]
            yield f"ping {what}{part}: p95 at most {BOUND}", p95_s <= most_s, f"{p95_s:.2f} of {most_s:.2f} s"
    share = ours["carried_bit_per_s"] / tail["carried_bit_per_s"]
    yield f"{OF_TAIL_DROP:.0%} of tail drop's throughput", share >= OF_TAIL_DROP, f"{share:.1%}"
    yield "osmo-pcu discards nothing", ours["discarded"] == 0, str(ours["discarded"])


def verdicts(both, pdchs):
    """[{of, what, holds, runs: how many of them it holds in, figures}]; holds: in most of the runs."""
    found = {}
    for variant in VARIANTS:
        for run in both[variant]:
            for what, holds, figure in facts(run, pdchs):
                found.setdefault((variant, what), []).append((holds, figure))
    for tail, ours in zip(*(both[variant] for variant in VARIANTS)):
        for what, holds, figure in comparison(tail, ours, pdchs):
            found.setdefault(("both", what), []).append((holds, figure))
    return [{"of": of, "what": what, "holds": 2 * sum(held for held, _ in one) > len(one),
             "runs": sum(held for held, _ in one), "figures": [figure for _, figure in one]}
            for (of, what), one in found.items()]
