"""What a lab's figures say: the table, what is demanded, and what that means. `runs` are the figures of a variant's
runs at one rate; `both` has those of each variant. What is demanded is what a user of the network notices, and that
Sluice is correct; each limit holds on an idle machine."""

import collections
import re
import statistics

from lab_plan import PDU_OCTETS, RATE_A_PDCH

VARIANTS = "tail-drop", "recommended"
# What a ping may take: as on an idle network (0.26 s with four time slots, 0.33 s with one), and what may stand before it.
IDLE_S = 0.4
IN_BSS_S = 0.3  # gb.cell_delay of config/osmopcu.lua; a setting that is tried here does not move what is demanded
SLOTS_MOST = 4  # of an MS of multislot class 12
# By how many MSs download, at least so many: N-PDUs' times of the MS before the ping, and the least share of tail drop's
# throughput. OsmoPCU serves MSs block by block in turn, and gives them different time slots. So with several of them an N-PDU
# takes up to four times as long, and two of an MS may stand there; and a slot is empty whenever those that have it have
# nothing there, which costs 3 to 9 %.
LIMITS = {1: (1, 0.97), 2: (8, 0.90)}
OF_SLOTS = 0.8  # at least, of the MSs' time slots, so that both variants cannot be slow alike; about 90 % are usual
ON_GB = re.compile(r"D\w*(NS|BSSGP) ")  # a line of osmo-pcu's log about what Sluice has sent
Mode = collections.namedtuple("Mode", "pdchs downs up")  # of a lab
BUSY = 0.2  # of the processors' time is not the lab's: the figures move

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
    yield "osmo-pcu: lines with ERROR", "", 0, [len(run["pcu_errors"]) for run in runs]
    yield "time slots that carry LLC PDUs", "%", 1, [100 * run["of_radio"] for run in runs]
    yield "up from cold", "s", 1, [run["up_s"] for run in runs]


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


def slots_of(mode):
    return min(mode.pdchs, SLOTS_MOST)


def own_most_s(mode):
    """A ping beside its MS's own download: 2 cell_delay, of octets at the cell's rate, and the N-PDU that is on the air, both
    at the rate of the MS's time slots."""
    slots = slots_of(mode)
    return IDLE_S + 2 * IN_BSS_S * mode.pdchs / slots + limits(mode)[0] * PDU_OCTETS / (slots * RATE_A_PDCH)


def limits(mode):
    return LIMITS[max(downs for downs in LIMITS if downs <= mode.downs)]


def facts(run, mode):
    """(what, whether it holds, the figure, the limit) of one run."""
    share = run["of_radio"] * mode.pdchs / min(mode.pdchs, SLOTS_MOST * mode.downs)
    yield "throughput, of the MSs' time slots'", share >= OF_SLOTS, f"{share:.1%}", f"at least {OF_SLOTS:.0%}"
    yield "octets equal", run["equal"] and run["octets"] > 0, f"{run['octets']} octets", "all of them"
    balanced = run["summary"]["conservation"]["balanced"]
    yield "sluice accounts for every packet", balanced, "balanced" if balanced else "not balanced", "balanced"
    asked, acked = run["flow_control"], run["acknowledged"]
    yield "FLOW-CONTROL-BVC acknowledged", 0 < asked == acked, f"{acked} of {asked}", "each one"
    yield "malformed frames for tshark", not run["malformed"], "; ".join(run["malformed"][:3]) or "none", "none"
    on_gb = [line for line in run["pcu_errors"][run["pcu_errors_early"]:] if ON_GB.match(line)]
    yield "errors of Gb for osmo-pcu, once it is up", not on_gb, "; ".join(on_gb[:3]) or "none", "none"


def comparison(tail, ours, mode):
    """The same, of a run of recommended beside one of tail drop."""
    for name, where, most_s in (*WHERE[1], own_most_s(mode)), (*WHERE[2], IDLE_S + IN_BSS_S):
        up = mode.up and name == "own"  # on its way back it stands behind the upload, in the phone's modem
        p95_s = ours[name]["down_p95_s" if up else "round_trip_p95_s"]
        yield f"ping {where}{', down to the MS' * up}, p95", p95_s <= most_s, f"{p95_s:.2f} s", f"at most {most_s:.2f} s"
    share, least = share_of(tail, ours), limits(mode)[1]
    yield "throughput, of tail drop's", share >= least, f"{share:.1%}", f"at least {least:.0%}"


def share_of(tail, ours):
    """An upload counts, for its acknowledgements cost downloads a part of the blocks."""
    return (ours["carried_bit_per_s"] + ours["up_bit_per_s"]) / (tail["carried_bit_per_s"] + tail["up_bit_per_s"])


def verdicts(both, mode):
    """[{of, what, limit, holds, runs: how many of them it holds in, figures}]; holds: in most of the runs."""
    found = {}
    for tail, ours in zip(*(both[variant] for variant in VARIANTS)):
        for of, some in (("recommended", comparison(tail, ours, mode)), ("recommended", facts(ours, mode)),
                         ("tail-drop", facts(tail, mode))):
            for what, holds, figure, limit in some:
                found.setdefault((of, what, limit), []).append((holds, figure))
    return [{"of": of, "what": what, "limit": limit, "holds": 2 * sum(held for held, _ in one) > len(one),
             "runs": sum(held for held, _ in one), "figures": [figure for _, figure in one]}
            for (of, what, limit), one in found.items()]


# --- What it means --------------------------------------------------------------------------------


def told(both):
    """Lines about what is worth a look, and not demanded: of osmo-pcu's log, while it came up, or of its radio."""
    for variant in VARIANTS:
        lines = [line for run in both[variant] for line in run["pcu_errors"]]
        if lines:
            early = sum(run["pcu_errors_early"] for run in both[variant])
            yield (f"osmo-pcu, {variant}: {len(lines)} lines with ERROR, {early} of them while it came up; the first: {lines[0]}")


def conclusion(both, verdict, load):
    """One sentence for who runs a network, and if something is missed a second one: what to look at."""
    pings = [statistics.median(run["own"]["round_trip_p95_s"] for run in both[variant]) for variant in VARIANTS]
    share = statistics.median(share_of(*pair) for pair in zip(*(both[variant] for variant in VARIANTS)))
    figures = (f"beside a download 95 % of the pings take {pings[1]:.2f} s at most, where tail drop's take {pings[0]:.2f} s, at "
               f"{share:.0%} of its throughput")
    missed = [f"{one['of']}: {one['what']}" for one in verdict if not one["holds"]]
    if not missed:
        return f"Sluice is as it should be: {figures}, and every packet is right."
    whose = "Sluice is not" if any(one["of"] == "recommended" for one in verdict if not one["holds"]) else "The comparison is not"
    words = f"{whose} as it should be, for {len(missed)} of {len(verdict)} demands are missed ({'; '.join(missed)}): {figures}."
    if load["others"] + load["host"] > BUSY:
        return f"{words} The machine was busy, which moves the figures: repeat this when it is idle, or with --runs 3."
    return (f"{words} The machine was not busy: repeat this with --runs 3; if it stays so, `./run lab keep` leaves the network "
            "running, with the logs and `sluice top` to look at.")


def load_told(load):
    return (f"processors: {load['lab']:.0%} of their time was this lab's, {load['others']:.0%} other programs', "
            f"{load['host']:.0%} the host's")
