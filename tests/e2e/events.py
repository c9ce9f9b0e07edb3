#!/usr/bin/python3
"""What MSs of the lab do at given times (lab { move { } suspend { } away { } }), by the PDUs on a Gb that
takes no time: at which instants they come, from which MS and in which cell."""

import collections
import functools

import gb_judge
from books import gi_packets, table
from harness import case, check_sound, main, right, run, same, settings, written

MS, S = 10**6, 10**9
PLAIN, RADIO = 0xC0000001, 0xC0001001  # the first MS of cell 1-2, which has no radio, and of 1-3
BOTH = {PLAIN: "001010000000001", RADIO: "001010000001001"}
ADDRESS = {PLAIN: "10.0.0.1", RADIO: "10.0.16.1"}
PEERS = {"198.51.100.2": 1, "198.51.100.3": 2}
RADIO_NS = 220 * MS  # until an MS is heard by radio: 200 ms for a TBF, then a block
SPREAD_MSS = 30

HEAD = """
run { name = "events", duration = "20 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
"""


def mss(tlli, count):
    return f"""ms {{
            imsi = "{BOTH[tlli]}", tlli = {tlli:#x}, count = {count},
            pdp {{ nsapi = 5, class = "background", address = "{ADDRESS[tlli]}" }},
        }},"""


def nse(nsei, plain="", radio=""):
    return f"""
nse {{
    nsei = {nsei}, ns = "reset", areas = {{ "001-01-1-1" }},
    nsvc {{ nsvci = {nsei}, peer = "198.51.100.{nsei + 1}", peer_mac = "02:00:00:00:01:0{nsei}" }},
    bvc {{ bvci = 2, flow {{ rate = "1000 kbit/s" }}, {plain} }},
    bvc {{ bvci = 3, flow {{ rate = "1000 kbit/s" }}, radio {{ }}, {radio} }},
}}
"""


@functools.cache
def ran(happenings, *sets, count=1):
    """The run with these blocks in lab { }; every MS of NSE 1 is in its own cell at first."""
    text = HEAD + nse(1, mss(PLAIN, count), mss(RADIO, count)) + nse(2) + f"""
lab {{ ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04", {happenings} }}
"""
    done = run(written(text), "--pcap", "--no-page", *settings(sets))
    check_sound(done.summary)
    return done


FIELDS = {"ul_unitdata": "v_tlli", "paging_ps": "imsi"}  # by which these name the MS


def said(done, name):
    """[(time in ns, (NSEI, BVCI), whose)] of all PDUs of that name."""
    return sorted((record.time_ns, (PEERS[peer], record.pdu.bvci), record.pdu.sdu[FIELDS.get(name, "tlli")])
                  for peer, of_nse in gb_judge.records(done).items() for _, record in of_nse
                  if record.pdu.sdu and record.pdu.sdu.name == f"bssgp_{name}")


def times(done, name, tlli):
    return [time_ns for time_ns, _, whose in said(done, name) if whose == tlli]


def expect_calls(happenings, suspends, resumes, *sets):
    """Those times in ms are when each of the two MSs sends SUSPEND and RESUME."""
    done = ran(happenings, *sets)
    for tlli in BOTH:
        for name, wanted in ("suspend", suspends), ("resume", resumes):
            same([time_ns / MS for time_ns in times(done, name, tlli)], wanted,
                 f"{name} of {tlli:#x} in ms, {happenings}")


# ---- When ----


@case("`at` and `lasts`: SUSPEND and RESUME come at those instants, with and without a radio")
def at_and_lasts():
    expect_calls('suspend { at = "2 s", lasts = "3 s" }', [2000], [5000])
    expect_calls('suspend { at = "2345 ms", lasts = "1 ms" }', [2345], [2346])


@case("without `lasts` a call has no end")
def without_end():
    expect_calls('suspend { at = "2 s" }', [2000], [])


@case("`every` is from one start to the next, until the run ends or `times` is reached")
def every_and_times():
    every = 'suspend { at = "2 s", every = "4 s", lasts = "1500 ms", TIMES }'
    expect_calls(every.replace("TIMES", ""), [2000, 6000, 10000, 14000, 18000],
                 [3500, 7500, 11500, 15500, 19500])
    expect_calls(every.replace("TIMES", "times = 3"), [2000, 6000, 10000], [3500, 7500, 11500])
    expect_calls(every.replace("TIMES", "times = 1"), [2000], [3500])


@case("`imsi`: of this MS only")
def of_one():
    done = ran(f'suspend {{ imsi = "{BOTH[RADIO]}", at = "2 s", lasts = "1 s" }}')
    same({whose for _, _, whose in said(done, "suspend") + said(done, "resume")}, {RADIO}, "who")


@case("calls that overlap are one: one SUSPEND, and one RESUME when the last of them ends")
def overlapping_calls():
    expect_calls("""suspend { at = "2 s", lasts = "4 s" }, suspend { at = "4 s", lasts = "5 s" },
        suspend { at = "12 s", lasts = "6 s" }, suspend { at = "13 s", lasts = "2 s" }""",
                 [2000, 12000], [9000, 18000])


# ---- Spread ----

SPREAD = 'suspend { at = "2 s", spread = "6 s", every = "10 s", lasts = "1 s" }'


def spread(seed):
    """{TLLI: when its calls begin}"""
    done = ran(SPREAD, f"run.seed={seed}", count=SPREAD_MSS)
    starts = {}
    for time_ns, _, tlli in said(done, "suspend"):
        starts.setdefault(tlli, []).append(time_ns)
    for tlli, begun in starts.items():
        same(times(done, "resume", tlli), [time_ns + S for time_ns in begun], f"ends, {tlli:#x}")
    return starts


@case("`spread`: each MS begins at a time of its own, at most so much later, and keeps to its times")
def spread_out():
    starts = spread(1)
    same(set(starts), {first + i for first in BOTH for i in range(SPREAD_MSS)}, "who has calls")
    for tlli, begun in starts.items():
        right(2 * S <= begun[0] <= 8 * S, f"{tlli:#x} begins at {begun[0]} ns")
        same(begun, [begun[0], begun[0] + 10 * S], f"calls of {tlli:#x}")
    firsts = [begun[0] for begun in starts.values()]
    same(len(set(firsts)), len(firsts), "different times")
    # Of 60 that are uniform none is in the first or last fifth once in 300,000 seeds.
    right(min(firsts) < 3.2 * S and max(firsts) > 6.8 * S, f"from {min(firsts)} to {max(firsts)} ns")


@case("`spread`: the times are those of run.seed")
def spread_by_seed():
    one, other = spread(1), spread(2)
    again = said(ran(SPREAD + " ", "run.seed=1", count=SPREAD_MSS), "suspend")
    same(again, said(ran(SPREAD, "run.seed=1", count=SPREAD_MSS), "suspend"), "SUSPENDs of one seed")
    same([tlli for tlli in one if one[tlli][0] == other[tlli][0]], [], "MSs whose times are alike")


# ---- Away ----

PINGS = 'ping { class = "background", way = "WAY", interval = "1 s", start = "500 ms" },'
UP, DOWN = PINGS.replace("WAY", "up"), PINGS.replace("WAY", "down")


def seconds_heard(done, tlli):
    """In which seconds of the run the SGSN has heard the MS."""
    return sorted({time_ns // S for time_ns in times(done, "ul_unitdata", tlli)})


@case("an MS that is away sends nothing; aways that overlap are one")
def away_is_silent():
    away = 'away { at = "4 s", lasts = "4 s" }, away { at = "6 s", lasts = "6 s" }'
    for pings in UP, DOWN:
        without, done = ran(pings), ran(pings + away)
        for tlli in BOTH:
            same(set(range(1, 20)) - set(seconds_heard(without, tlli)), set(), "not heard, never away")
            same(set(range(1, 20)) - set(seconds_heard(done, tlli)), set(range(4, 12)), "not heard")


ANSWER_NS = 500 * MS  # from a page


@case("an MS in standby is paged and answers half a second later; one that is away does not answer")
def pages():
    rare = DOWN.replace("1 s", "4 s")
    done = ran(rare + 'away { at = "7 s", lasts = "8 s" },', "gb.ready=2 s")
    for tlli, imsi in BOTH.items():
        answers = sorted({time_ns + ANSWER_NS for time_ns in times(done, "paging_ps", imsi)})
        heard = [time_ns - (RADIO_NS if tlli == RADIO else 0)
                 for time_ns in times(done, "ul_unitdata", tlli)]
        before, away, behind = ([time_ns for time_ns in answers if first <= time_ns < last]
                                for first, last in ((0, 7 * S), (7 * S, 15 * S), (15 * S, 20 * S)))
        right(before and len(away) > 1 and behind, f"when {tlli:#x} could answer: {answers}")
        same([time_ns for time_ns in before + behind if time_ns not in heard], [],
             f"what {tlli:#x} does not answer")
        same([time_ns for time_ns in heard if 7 * S <= time_ns < 15 * S], [], "heard while away")


# ---- Moves ----


def heard_in(done, tlli):
    """[(when the MS began to send, in ms, the cell)] of each cell that it came to: without its answers to pages there."""
    found = []
    for time_ns, cell, whose in said(done, "ul_unitdata"):
        if whose == tlli and [cell] != [one for _, one in found[-1:]]:
            found.append(((time_ns - (RADIO_NS if cell[1] == 3 else 0)) / MS, cell))
    return found


MOVES = 'move { cells = { "1-3", "2-2", "2-3" }, at = "2 s", every = "3 s" },'
TURNS = [(2000, (1, 3)), (5000, (2, 2)), (8000, (2, 3)), (11000, (1, 3)), (14000, (2, 2)), (17000, (2, 3))]


@case("an MS goes to the cells of the list in turns, at those instants, and is heard in each")
def turns():
    done = ran(MOVES)
    same(heard_in(done, PLAIN), TURNS, "where and when in ms")
    same(heard_in(done, RADIO), TURNS[1:], "where and when in ms; it begins in the first of them")
    same(heard_in(ran(MOVES[:-3] + ", times = 2 },"), PLAIN), TURNS[:2], "of two moves")


@case("who moves while it is away, or in a call, is heard behind it")
def behind():
    for kind in "away", "suspend":
        done = ran(MOVES + kind + ' { at = "4 s", lasts = "6 s" }')
        wanted = TURNS[:1] + [(10000, (2, 3))] + TURNS[3:]
        same(heard_in(done, PLAIN), wanted, f"where and when in ms, {kind}")
        same(heard_in(done, RADIO), wanted[1:], f"where and when in ms, {kind}")


@case("cells.csv and mss.csv have what an MS sends and gets behind a move in the new cell")
def books_of_cells():
    to = {PLAIN: "2-2", RADIO: "2-3"}
    moves = "".join(f'move {{ imsi = "{BOTH[tlli]}", cells = {{ "{cell}" }}, at = "6 s" }},'
                    for tlli, cell in to.items())
    done = ran(DOWN + moves)
    sent = collections.Counter({(row["cell"], row["direction"]): int(row["sent_packets"])
                                for row in table(done, "cells")})
    for tlli, cell in ((PLAIN, "1-2"), (RADIO, "1-3")):
        requests = [p.time_ns < 6 * S for p in gi_packets(done) if p.dst == ADDRESS[tlli]]
        right(min(requests.count(True), requests.count(False)) > 4, f"{requests} requests")
        same((sent[cell, "down"], sent[to[tlli], "down"]),
             (requests.count(True), requests.count(False)), f"packets down, {cell} and {to[tlli]}")
        replies = [p.time_ns < 6 * S for p in gi_packets(done) if p.src == ADDRESS[tlli]]
        same((sent[cell, "up"], sent[to[tlli], "up"]),
             (replies.count(True), replies.count(False)), f"packets up, {cell} and {to[tlli]}")
        rows = [row for row in table(done, "mss") if row["ms"] == BOTH[tlli]]
        same({(row["cell"], row["direction"]) for row in rows}, {(to[tlli], "down"), (to[tlli], "up")},
             "rows of the MS")


main()
