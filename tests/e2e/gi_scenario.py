#!/usr/bin/python3
"""sluice gi --scenario: connection vectors of captures made by hand, whose steps are worked out here; those of a run
of the lab, beside what its applications say and what its capture says, read by the formats alone; no address, time or
octet of a packet in the files; bounds; and that the run of a scenario comes near the run that was captured.
tests/soak/gi_scenario.py has that with five seeds."""

import collections
import csv
import functools
import json
import re

import gi_scenario_worlds as worlds
from gi_capture import ACK, FIN, PSH, RST, SACK_PERMITTED, SYN, Talk, merged, mss, pcap, scale, timestamps, udp
from harness import case, main, new_folder, right, run, same, sluice


def made(frames, *options, status=0):
    """The scenario of these frames: its path, and what sluice gi said."""
    folder = new_folder()
    (folder / "a.pcap").write_bytes(pcap(frames))
    done = sluice("gi", folder / "a.pcap", "--scenario", folder / "a.lua", *options)
    same(done.returncode, status, f"exit status: {done.stderr}")
    return folder / "a.lua", done


def steps(path):
    """The rows, in short: (user, connection, what, page, octets, after, received, think in ms)."""
    return [(int(row["user"]), int(row["connection"]), row["what"], int(row["page"]), int(row["octets"]),
             int(row["after"]), int(row["received"]), int(row["think_us"]) / 1000) for row in worlds.rows(path)]


OPTIONS = mss(1400) + SACK_PERMITTED + timestamps(1, 0) + scale(2)


def dialogue(at=0.0, **more):
    """Two requests with their answers and 3 s between them; the host is 40 ms away and closes. Ends 5.5 s later."""
    talk = Talk(**more)
    talk.add(at, "up", SYN, 0, options=OPTIONS).add(at + 0.04, "down", SYN | ACK, 0, 1, options=OPTIONS)
    talk.add(at + 0.64, "up", ACK, 1, 1)
    talk.add(at + 1.0, "up", ACK | PSH, 1, 1, 350)
    talk.data(at + 1.1, 1, 1000, ack=351).data(at + 1.2, 1001, 500, ack=351)
    talk.ack(at + 1.7, 1001, seq=351).ack(at + 1.8, 1501, seq=351)
    talk.add(at + 4.8, "up", ACK | PSH, 351, 1501, 200)
    talk.data(at + 4.84, 1501, 1000, ack=551).data(at + 4.85, 2501, 1000, ack=551)
    talk.ack(at + 5.4, 3501, seq=551)
    talk.add(at + 5.5, "down", ACK | FIN, 3501, 551)
    talk.ack(at + 6.1, 3502, seq=551).add(at + 6.2, "up", ACK | FIN, 551, 3502).add(at + 6.24, "down", ACK, 3502, 552)
    return talk


# The request comes 360 ms behind the ACK that opens; the answer 100 ms behind the request, of which 40 are the way;
# the second request 3 s behind the last ACK; the second answer at once; the FIN 100 ms behind the ACK, less the way.
DIALOGUE = [
    (1, 1, "ms-opens", 1, 0, 0, 0, 0), (1, 1, "ms-sends", 1, 350, 1, 0, 360), (1, 1, "host-sends", 1, 1500, 1, 350, 60),
    (1, 1, "ms-sends", 2, 200, 1, 1500, 3000), (1, 1, "host-sends", 2, 2000, 1, 550, 0),
    (1, 1, "host-closes", 2, 0, 1, 550, 60)]


@case("a dialogue: octets, order and times of thinking; what the ends use")
def one_dialogue():
    path, _ = made(dialogue().frames)
    same(steps(path), DIALOGUE, "steps")
    row = worlds.rows(path)[0]
    same([row[key] for key in ("mss", "window", "sack", "timestamps")], ["1400", str(16384 << 2), "1", "1"], "ends")
    same(worlds.knob(path, "internet_latency"), "20000", "to the host, in us")
    same(sluice("check", path).returncode, 0, "sluice check")


@case("what the users had in the capture: whole pages, their mean time, and octets")
def before():
    # One from the SYN to 1.8 s, one from 4.8 to 5.4 s; of the other user one that is cut.
    path, _ = made(merged(dialogue(), transfer(150000, end=False, user=("10.0.0.2", 40000))))
    found = re.findall(r"\{ (\d+), (\d+), (\d+) \},", path.with_name("a.targets.lua").read_text())
    same(found, [("2", "1200", "3500"), ("0", "0", "145000")], "pages, their mean in ms, and octets")


@case("segments that come again, late or twice are the same steps")
def again():
    talk = dialogue()
    talk.data(1.3, 1, 1000, ack=351).data(1.9, 1001, 500, ack=351)  # sent again
    talk.add(1.05, "up", ACK | PSH, 1, 1, 350)
    frames = merged(talk)
    hole = [frame for frame in frames if frame[0] != 4.84] + [(4.86, dict(frames)[4.84])]  # overtaken
    same([row[:7] for row in steps(made(sorted(hole, key=lambda frame: frame[0]))[0])], [row[:7] for row in DIALOGUE],
         "steps without their times")


@case("a connection and a request follow the user's last answer, on whichever connection it came")
def across():
    # The second begins 300 ms behind the first answer of the first connection, the third with the page behind its
    # last answer.
    second = Talk(user=("10.0.0.1", 40001)).setup(2.1, 0.04, 0.6)
    second.add(2.75, "up", ACK, 1, 1, 100).data(2.79, 1, 800, ack=101).ack(3.3, 801, seq=101)
    path, _ = made(merged(dialogue(), second))
    found = steps(path)
    same([row for row in found if row[1] == 2],
         [(1, 2, "ms-opens", 1, 0, 1, 1500, 300), (1, 2, "ms-sends", 1, 100, 2, 0, 10),
          (1, 2, "host-sends", 1, 800, 2, 100, 0)], "the second connection")
    same([row for row in found if row[1] == 1][3], (1, 1, "ms-sends", 2, 200, 2, 800, 1500),
         "the second request waits for the answer of the other connection")
    other = dialogue(at=0.1, user=("10.0.0.2", 40000), own=77)
    found = steps(made(merged(dialogue(), second, other))[0])
    same([row[1:] for row in found if row[0] == 2], [row[1:-1] + (100 if row[2] == "ms-opens" else row[-1],)
                                                     for row in DIALOGUE], "another user waits for nobody")


@case("a request that passes before the ACK of the answer that it follows: what a user sends at once passes in any order")
def overtaken():
    for early_s, wanted in ((0.5, (1, 1, "ms-sends", 1, 200, 2, 800, 0)), (0.75, (1, 1, "ms-sends", 1, 200, 1, 1500, 3000))):
        # The answer on the second connection is acknowledged so long behind the request.
        second = Talk(user=("10.0.0.1", 40001)).setup(2.1, 0.04, 0.6)
        second.add(2.75, "up", ACK, 1, 1, 100).data(2.79, 1, 800, ack=101).ack(4.8 + early_s, 801, seq=101)
        found = steps(made(merged(dialogue(), second))[0])
        same([row for row in found if row[1] == 1][3], wanted, f"the second request, {early_s} s before")


@case("a host that opens; one that pauses; a reset; a connection from before the capture; one without an answer")
def others():
    opened = Talk(user=("10.0.0.1", 80), host=("203.0.113.9", 5000))
    opened.add(0, "down", SYN, 0).add(0.5, "up", SYN | ACK, 0, 1).add(0.54, "down", ACK, 1, 1)
    opened.data(0.60, 1, 100).ack(1.1, 101).add(1.1, "up", ACK, 1, 101, 700).data(1.14, 101, 0, ack=701)
    path, _ = made(opened.frames, "--mobiles", "10.0.0.0/8")
    same([row[2:5] for row in steps(path)], [("host-opens", 1, 0), ("host-sends", 1, 100), ("ms-sends", 1, 700)], "opened")

    pausing = Talk().setup(0, 0.04, 0.6).data(0.68, 1, 500).ack(1.2, 501).data(3.24, 501, 600).ack(3.8, 1101)
    pausing.add(4.0, "up", RST | ACK, 1, 1101)
    same([row[2:] for row in steps(made(pausing.frames)[0])],
         [("ms-opens", 1, 0, 0, 0, 0), ("host-sends", 1, 500, 1, 0, 0), ("host-sends", 1, 600, 1, 0, 2000),
          ("ms-closes", 1, 0, 1, 1100, 200)], "a pause of 2 s, and a reset 200 ms behind the last ACK")

    within = Talk().setup(0, 0.04, 0.6).add(0.7, "up", ACK, 1, 1, 100).data(0.74, 1, 1000, ack=101)
    within.data(0.75, 1001, 1000, ack=101).add(1.4, "up", ACK, 101, 1001, 90).data(1.8, 2001, 500, ack=191)
    same([row[2:7] for row in steps(made(within.ack(2.4, 2501, seq=191).frames)[0])],
         [("ms-opens", 1, 0, 0, 0), ("ms-sends", 1, 100, 1, 0), ("host-sends", 1, 2500, 1, 100),
          ("ms-sends", 1, 90, 1, 1000)], "a request within an answer, when half of it was there")
    before = Talk().add(1, "up", ACK, 1, 1, 300).data(1.04, 1, 900, ack=301).ack(1.6, 901, seq=301)
    dead = Talk(user=("10.0.0.7", 41000)).add(2, "up", SYN, 0).add(5, "up", SYN, 0)
    path, done = made(merged(before, dead) + [(6, udp(("10.0.0.1", 9), ("203.0.113.9", 9), b"x"))])
    same([row[:5] for row in steps(path)],
         [(1, 1, "ms-opens", 1, 0), (1, 1, "ms-sends", 1, 300), (1, 1, "host-sends", 1, 900)], "before the capture")
    for text in "1 connections that nobody answered", "1 packets of other protocols than TCP":
        right(f"-- Not in here: {text}." in path.read_text(), f"the scenario does not say: {text}")
    path, done = made(dead.frames, status=1)
    right("no connection was answered" in done.stderr and not path.exists(), done.stderr)


def transfer(octets, end=True, at=0.0, **more):
    """A download of so many octets in segments of 1000, ten at a time, each ACK 200 ms behind its segment."""
    talk = Talk(**more).setup(at, 0.04, 0.6)
    for number in range(octets // 1000):
        talk.data(at + 0.7 + number * 0.2, 1 + 1000 * number)
    for number in range(octets // 1000 - (0 if end else 5)):
        talk.ack(at + 2.7 + number * 0.2, 1001 + 1000 * number)
    return talk


@case("what the end of the capture cuts is as long as half of the user's answers are, or has no end")
def cut():
    def sizes(*talks):
        return [row[4] for row in steps(made(merged(*talks))[0]) if row[2] == "host-sends"]

    same(sizes(transfer(150000)), [150000], "whole")
    same(sizes(transfer(150000, end=False)), [1000000000], "cut")
    same(sizes(transfer(200000), transfer(150000, end=False, at=60, user=("10.0.0.1", 40001))), [200000, 200000],
         "cut, and a longer one before")
    same(sizes(transfer(5000, end=False)), [5000], "a small one")


@case("the rate of the channel over time, and what its queue held")
def channel():
    # 1040 IP octets each 200 ms; later each 400 ms.
    talk = Talk().setup(0, 0.04, 0.6)
    for number in range(100):
        talk.data(0.7 + 0.001 * number, 1 + 1000 * number)
    time_s = 1.0
    for number in range(100):
        time_s += 0.2 if number < 50 else 0.4
        talk.ack(time_s, 1001 + 1000 * number)
    path, _ = made(merged(talk))
    lines = path.with_name("a.rate-1.csv").read_text().split()
    same(lines[0], "TIME,RATE", "head")
    rates = [tuple(map(int, line.split(","))) for line in lines[1:]]
    begin_s = int(worlds.knob(path, "begin"))
    same([time - begin_s for time, _ in rates], [0, 10, 15, 20, 25], "times, behind the begin; the first four seconds are no rate")
    for rate, wanted in zip([rate for _, rate in rates], (41600, 24960, 20800, 20800, 20800)):
        right(abs(rate - wanted) <= 0.06 * wanted, f"rates: found {rates}, right is about {wanted}")
    # Of less than 4 s there is no rate.
    short, _ = made([frame for frame in merged(talk) if frame[0] < 4.1])
    right(not short.with_name("a.rate-1.csv").exists() and "a guess" in short.read_text(), "a short time has a rate")
    # 100 000 octets were under way, twice that with headers and without what is on its way.
    queue = int(worlds.knob(path, "queue"))
    right(180000 < queue < 210000, f"queue: {queue}")


@case("what comes first behind a silence counts, too: nothing was missing before it")
def behind_silence():
    # 1040 IP octets each 200 ms; behind half a minute, in which nothing is under way, each 100 ms.
    talk = Talk().setup(0, 0.04, 0.6)
    for begin_s, gap_s, first in (0.7, 0.2, 0), (40.0, 0.1, 100):
        for number in range(100):
            talk.data(begin_s + 0.001 * number, 1 + 1000 * (first + number))
            talk.ack(begin_s + 0.3 + gap_s * (number + 1), 1001 + 1000 * (first + number))
    path, _ = made(merged(talk))
    begin_s = int(worlds.knob(path, "begin"))
    lines = path.with_name("a.rate-1.csv").read_text().split()[1:]
    rates = {int(time) - begin_s: int(rate) for time, rate in (line.split(",") for line in lines)}
    right(abs(rates.get(45, 0) - 83200) <= 0.06 * 83200, f"rates: found {rates}, right is about 83200 from 45 s on")


def little(acks, second_s=0.0, before=(), beside=None):
    """The scenario of six pages of three segments at once, the third so much later, acknowledged as (seconds behind the
    first, segments) say; behind what other talks have, and with what `beside` says of a page's time."""
    talk, frames = Talk(user=("10.0.0.1", 40009)).setup(0, 0.04, 0.6), []
    for page in range(6):
        at_s, first = 5 + 10 * page, 1 + 3000 * page
        for number in range(3):
            talk.data(at_s + number / 1000 + (second_s if number == 2 else 0), first + 1000 * number)
        for seconds, segments, *blocks in acks:
            talk.ack(at_s + seconds, first + 1000 * segments,
                     blocks=[(first + 1000 * begin, first + 1000 * end) for begin, end in blocks])
        frames += beside(at_s).frames if beside else []
    return made(sorted(merged(talk, *before) + frames, key=lambda frame: frame[0]))[0]


def rates_of(path):
    return [int(line.split(",")[1]) for line in path.with_name("a.rate-1.csv").read_text().split()[1:]]


EACH_SECOND = ((2, 1), (3, 2), (4, 3))


@case("a user who asks for little has a rate, too: of what waited for it")
def asks_for_little():
    slow = Talk(user=("10.0.0.1", 40008)).setup(0, 0.04, 3)  # the least round trip is the other connection's
    for path in little(EACH_SECOND), little(EACH_SECOND, before=[slow]):
        rates = rates_of(path)  # 1040 IP octets each second
        right(rates and all(abs(rate - 8320) <= 0.06 * 8320 for rate in rates), f"rates: found {rates}, right is about 8320")
        right(re.search(r"\[1\] = 8[0-9]{3},", path.read_text()), "the mean rate")


@case("... and no rate of times in which nothing may have waited")
def asks_for_little_in_vain():
    def no_rate(what, *arguments, **more):
        right("a guess" in little(*arguments, **more).read_text(), f"a rate: {what}")

    no_rate("an ACK that waits for a second segment", ((2, 2), (3, 3)))
    no_rate("a third segment that came when the others had nearly gone", ((2, 1), (2.5, 2), (3.5, 3)), second_s=1.9)
    no_rate("a segment that is missing", ((2, 0, (1, 2)), (3, 0, (1, 3)), (4, 3)))
    stuck = Talk(user=("10.0.0.1", 40008)).setup(0, 0.04, 0.6).data(1, 1, 1000)
    no_rate("a connection that was reset", ((0.7, 3),), before=[stuck.add(1.5, "up", RST | ACK, 1, 1)])
    no_rate("a connection without an ACK", ((0.7, 3),), before=[stuck])
    up = Talk(user=("10.0.0.1", 40008)).setup(0, 0.04, 0.6)

    def beside(at_s):
        talk = Talk(user=("10.0.0.1", 40008))
        for number in range(3):
            talk.add(at_s + 1.9 + number, "up", ACK | PSH, 1 + int(at_s) * 1000 + 300 * number, 1, 300)
        return talk

    no_rate("the user's own data, behind which ACKs wait", EACH_SECOND, before=[up], beside=beside)


@case("a user who downloads and asks for little: the rate is of the times when much waited")
def both():
    full = Talk().setup(0, 0.04, 0.6)
    for number in range(60):
        full.data(70 + 0.001 * number, 1 + 1000 * number).ack(70.5 + 0.2 * number, 1001 + 1000 * number)
    path = little(EACH_SECOND, before=[full])
    rates = rates_of(path)
    right(rates and all(abs(rate - 41600) <= 0.06 * 41600 for rate in rates), f"rates: found {rates}, right is about 41600")
    right(re.search(r"\[1\] = 4[0-3][0-9]{3},", path.read_text()), "the mean rate")


def losses(episodes):
    """For each (segments, seconds, how) as many segments of 1000 octets at once and 12 more, of which the first is
    lost; the last before it is acknowledged so many seconds later. how: "twice": the second one comes again meanwhile,
    and no ACK behind that is sure to be of what it seems; "later": the 12 come when all before has been acknowledged;
    "none": there are none, and nothing is lost."""
    talk, at_s, sent = Talk().setup(0, 0.04, 0.6, options=OPTIONS), 10, 0
    for segments, seconds, how in episodes:
        more_s = seconds + 10 if how == "later" else 0.1
        for number in range(segments + (0 if how == "none" else 12)):
            talk.data(at_s + number / 1000 + (more_s if number >= segments else 0), sent + 1 + 1000 * number)
        for number in range(segments):
            talk.ack(at_s + seconds * (number + 1) / segments, sent + 1001 + 1000 * number)
        if how == "twice":
            talk.data(at_s + seconds * 1.5 / segments, sent + 1001)
        if how == "none":
            at_s, sent = at_s + seconds + 20, sent + 1000 * segments
            continue
        hole, at_s, sent = sent + 1 + 1000 * segments, at_s + seconds + more_s + 1, sent + 1000 * (segments + 12)
        talk.ack(at_s, hole, blocks=[(hole + 1000, hole + 12000)]).data(at_s + 0.1, hole).ack(at_s + 0.7, hole + 12000)
        at_s += 20
    return merged(talk)


@case("what limits a queue: what is alike with the last segments before losses, the octets or the time under way")
def limits():
    def lifetime(episodes):
        return int(worlds.knob(made(losses(episodes))[0], "lifetime"))

    octets, times = (20, 21, 22, 20, 21, 22), (4, 6, 8, 10, 12, 5)
    by_octets = [(n, s, "") for n, s in zip(octets, times)]
    for episodes in by_octets, by_octets[:3]:
        same(lifetime(episodes), 100000, "lifetime in ms, if octets limit it")
    by_time = [(n, 8 + n % 3 / 10, "") for n in (14, 30, 18, 22, 34, 26)]
    same(lifetime(by_time[:2]), 100000, "lifetime in ms, of two losses")
    # 8.1 s, less the least round trip and half a segment's time, which are 0.2 to 0.6 s each; 20 s for the BSS.
    for how in "twice", "later":  # of these losses nothing is known
        unsure = [(n, 3 + i, how) for i, n in enumerate(2 * (14, 30, 18, 22, 34, 26, 28))]
        for episodes in by_time, by_time[3:], by_time + unsure:
            found = lifetime(episodes)
            right(27560 <= found <= 27900, f"lifetime: {found} ms, of {len(episodes)} losses ({how})")
    # Most octets are the same by chance, as segments are whole.
    found = lifetime([(n, 8 + i / 10, "") for i, n in enumerate((20, 20, 14, 20, 30))])
    right(27560 <= found <= 28000, f"lifetime: {found} ms, if most losses have as many octets")


@case("what a queue holds: what was under way before losses, where that is alike; else the most")
def holds():
    def queue(*octets):
        episodes = [(n, s, "") for n, s in zip(octets, (4, 6, 8, 10, 12))]
        return int(worlds.knob(made(losses([*episodes, (30, 6, "none")]))[0], "queue"))

    # 1000 octets are 1033 with headers; 0.6 s of the rate are on the way.
    near, most = (18000, 20400), (28000, 30800)
    for octets, (least, most) in (((20, 20, 21, 20, 20), near), ((20, 22, 20, 18, 21), near),
                                  ((20, 25, 16, 20, 24), most), ((20, 6, 12, 20, 8), most)):
        right(least <= queue(*octets) <= most, f"queue: {queue(*octets)}, of losses with {octets} segments")


@case("the rate up: of requests right behind the ACK that opens; their time on the way is no thinking")
def up():
    # 360 octets of data and 40 of headers take 400 ms: 8 kbit/s. Three of thirty think for 2 s more.
    talks = []
    for number in range(30):
        talk = Talk(user=(f"10.0.0.{number + 1}", 40000)).setup(number, 0.04, 0.6)
        talks.append(talk.add(number + 1.04 + (2 if number % 10 == 0 else 0), "up", ACK | PSH, 1, 1, 360))
        talk.data(number + 3.1, 1, 100, ack=361).ack(number + 3.7, 101, seq=361)
    path, _ = made(merged(*talks))
    same(worlds.knob(path, "up_rate"), "8000", "rate up")
    same(sorted({row[7] for row in steps(path) if row[2] == "ms-sends"}), [40, 2040], "thinking, without 1 ms an octet")
    first = [Talk(user=(f"10.0.1.{n + 1}", 40000)).setup(n, 0.04, 0.6).data(n + 0.7, 1, 500).ack(n + 1.3, 501) for n in range(6)]
    path, _ = made(merged(*talks, *first))
    same(worlds.knob(path, "up_rate"), "8000", "rate up, with six connections whose host speaks first")
    path, _ = made(merged(*talks[:19]))
    right("not known" in path.read_text(), "of 19 connections it is not known")
    same(min(row[7] for row in steps(path) if row[2] == "ms-sends"), 400, "thinking, with all of it")


# --- A run of the lab ---------------------------------------------------------------------------


@functools.cache
def captured():
    return run(worlds.write(worlds.OWN_CELLS, 120), "--variant", "plain", "--pcap", "--no-page")


@functools.cache
def scenario():
    return worlds.scenario(captured())


@case("a run of the lab: octets, connections and requests are those of the capture and of the applications")
def of_a_run():
    sent = collections.defaultdict(lambda: [None, 0])
    for _, source, target, sequence, _, flags, octets in worlds.segments(captured().out / "gn.pcap"):
        of = sent[(source, target)]
        if flags & 2:
            of[0] = sequence + 1
        elif octets:
            of[1] = max(of[1], (sequence + octets - of[0]) % 2**32)
    addresses = worlds.users(captured().out / "gn.pcap")
    found, wanted = collections.Counter(), collections.Counter()
    for user, _, what, _, octets, *_ in steps(scenario()):
        found[user, what.split("-")[0]] += octets
        found[user, "opens"] += what == "ms-opens"
        if what == "ms-sends":
            same(octets, 350, "a request")
            found[user, "requests"] += 1
    for (source, target), (_, octets) in sent.items():
        up = source[0] in addresses
        user = addresses.index(source[0] if up else target[0]) + 1
        wanted[user, "ms" if up else "host"] += octets
        wanted[user, "opens"] += up
        wanted[user, "requests"] += octets // 350 if up else 0
    for user, address in enumerate(addresses, 1):
        if worlds.class_of(address) == "background":  # the last one is as long as those before it
            wanted[user, "host"] = -(-wanted[user, "host"] // 200000) * 200000
        else:  # one that the end cuts may be as long as half of them are
            right(0 <= found[user, "host"] - wanted[user, "host"] <= 5250, f"answers of {user}")
            wanted[user, "host"] = found[user, "host"]
    same(found, wanted, "octets, connections and requests by user")
    right(sum(wanted.values()) > 10**6, "there was next to nothing")


@case("a run of its scenario comes near it: goodput, pages and delay of both classes within 15 %")
def near():
    one, two = figures_of(captured()), figures_of(run(scenario(), "--variant", "captured", "--no-page"))
    same(sorted(two), sorted(one), "classes")
    for name, of in one.items():
        for measure in worlds.MEASURES:
            right(abs(two[name][measure] / of[measure] - 1) <= 0.15,
                  f"{measure} of {name}: {of[measure]:.0f}, and {two[name][measure]:.0f} in the scenario")


def figures_of(done):
    right(done.summary["sound"] and done.summary["complete"], "the run is not sound")
    return worlds.figures(done)


@case("losses by chance, while little is under way, say nothing of a queue, however alike their times are")
def by_chance():
    path, _ = made(losses([(60, 8, "")] + [(n, 3 + n % 3 / 10, "") for n in (3, 7, 4, 8, 5, 9, 6, 3, 8)]))
    right(int(worlds.knob(path, "loss")) > 0, "none by chance")
    same(int(worlds.knob(path, "lifetime")), 100000, "lifetime in ms")


@case("a queue that time limits, and not octets: how long a packet may wait; and the delay of its scenario")
def by_time():
    # Packets wait for 10 s at most in a queue that is never full; 20 s of their lifetime are the BSS's.
    by_octets = int(worlds.knob(scenario(), "lifetime"))
    same(by_octets, 100000, "lifetime in ms, of a queue that octets limit")
    done = run(worlds.write(worlds.OWN_CELLS, 120), "--variant", "plain", "--pcap", "--no-page",
               "--set", "class[*].lifetime=30 s", "--set", "queue.ms_octets=200 kB")
    path = worlds.scenario(done)
    lifetime_ms = int(worlds.knob(path, "lifetime"))
    right(abs(lifetime_ms - 20000 - 10000) <= 500, f"lifetime: {lifetime_ms} ms, 20000 of them for the BSS")
    was, found = (figures_of(one)["background"]["delay"] for one in (done, run(path, "--variant", "captured", "--no-page")))
    right(abs(found / was - 1) <= 0.08, f"delay of downloads: {was:.0f} ms, and {found:.0f} in the scenario")


@case("the targets beside it say what was before: met with the queue that was captured, and told of the other")
def beside():
    out, path = new_folder() / "out", scenario()
    done = sluice("run", path, "--variant", "all", "--seeds", "1..2", "--targets", path.with_name("scenario.targets.lua"),
                  "--out", out)
    same(done.returncode, 0, f"exit status: {done.stderr}")
    rows = json.loads((out / "targets.json").read_text())["targets"]
    same([(row["figure"], row["verdict"]) for row in rows],
         [("capture", "met"), ("capture", "met"), ("told", "told"), ("told", "told")], "rows")
    users = list(csv.DictReader((captured().out / "applications.csv").read_text().splitlines()))
    means = [float(row["page_mean_ms"] or row["transfer_mean_ms"]) for row in users]
    octets = sum(int(row["ms_arrived_octets"]) for row in users)
    for row, wanted in zip(rows, (sum(means) / len(means) / 1000, octets * 8 / 120 / 1000)):
        right(abs(row["published"] / wanted - 1) < 0.05, f"{row['what']}: {row['published']} before, by the lab {wanted}")
    right("mean page or file" in (out / "report.html").read_text(), "the page does not have it")


@case("the same capture makes the same files, and the same seed the same run; both variants run")
def repeated():
    again_path = worlds.scenario(captured())
    for path in sorted(scenario().parent.iterdir()):
        same(again_path.with_name(path.name).read_bytes() == path.read_bytes(), True, f"{path.name} is the same")
    runs = [run(scenario(), "--variant", "recommended", "--no-page", "--pcap") for _ in range(2)]
    same((runs[0].out / "gn.pcap").read_bytes() == (runs[1].out / "gn.pcap").read_bytes(), True, "the same packets")
    right(json.loads((runs[0].out / "summary.json").read_text())["sound"], "sound")


@case("a capture of two cells: who shares one is found, and what it carries; who has one of his own does not share")
def divided():
    same(worlds.found_cells(scenario()), [], "cells of users who have one of their own")
    done = run(worlds.write(worlds.TWO_CELLS, 300), "--variant", "plain", "--pcap", "--no-page")
    path, addresses = worlds.scenario(done), worlds.users(done.out / "gn.pcap")
    cells = sorted(worlds.found_cells(path))
    small = {user for user, address in enumerate(addresses, 1) if int(address.split(".")[3]) < 20}
    same([users for *_, users in cells], [small, set(range(1, 15)) - small], "users by cell")
    for (rate, each, _), wanted in zip(cells, (47000, 92000)):  # as the BSS reports it, in LLC octets
        right(0.9 * wanted <= rate <= 1.02 * wanted, f"a cell of {wanted} bit/s has {rate}")
        if wanted == 92000 or each:  # who may have all of the smaller one has about as much
            right(20000 <= (each or 0) <= 55000, f"each gets {each} of {wanted}")
    one, two = figures_of(done), figures_of(run(path, "--variant", "captured", "--no-page"))
    for name, of in one.items():
        right(abs(two[name]["goodput"] / of["goodput"] - 1) <= 0.1, f"{name}: {of['goodput']:.0f}, {two[name]['goodput']:.0f}")


@case("users who share a cell, beside three who have one each")
def shared_beside_own():
    done = run(worlds.write(worlds.SHARED_AND_OWN_CELLS, 300, 24), "--variant", "plain", "--pcap", "--no-page",
               "--set", "run.seed=2")
    addresses = worlds.users(done.out / "gn.pcap")
    (rate, _, users), = worlds.found_cells(worlds.scenario(done))
    same(users, {user for user, address in enumerate(addresses, 1) if int(address.split(".")[3]) < 40}, "who shares it")
    right(0.9 * 92000 <= rate <= 1.02 * 92000, f"a cell of 92000 bit/s has {rate}")


@case("users with equal cells of their own do not share, though by chance some get less when others get more")
def by_chance_alike():
    for seed in 26, 27, 28:  # with 27 Student's t is -3 and less for four of them
        done = run(worlds.write(worlds.EQUAL_CELLS, 300, 24), "--variant", "plain", "--pcap", "--no-page",
                   "--set", f"run.seed={seed}")
        same(worlds.found_cells(worlds.scenario(done)), [], f"cells that are shared, with seed {seed}")


@case("users who share a cell: what one leaves the others get")
def sharing():
    path = scenario().with_name("shared.lua")
    path.write_text(scenario().read_text().replace(
        "local shared = {", 'local shared = {\n    { rate = "60 kbit/s", 1, 2, 3, 4, 5, 6, 7 },', 1))
    done = run(path, "--variant", "captured", "--no-page")
    rows = list(csv.DictReader((done.out / "cells.csv").read_text().splitlines()))
    same(len({row["cell"] for row in rows}), 1, "cells")
    down = sum(int(row["delivered_octets"]) for row in rows if row["direction"] == "down")
    rate = down * 8 / 1000 / done.summary["virtual_s"]
    right(50 < rate <= 60.5, f"the cell carries {rate:.1f} kbit/s of 60")


@case("users who share a cell of which each gets a part at most: the cell's limit, and each one's")
def sharing_with_a_limit_each():
    most = {}
    for each in (10000, 40000):
        path = scenario().with_name(f"shared-{each}.lua")
        path.write_text(scenario().read_text())
        worlds.share(path, f'rate = "90000 bit/s", each = {each}')
        done = run(path, "--variant", "captured", "--no-page")
        rows = list(csv.DictReader((done.out / "mss.csv").read_text().splitlines()))
        same(len({row["cell"] for row in rows}), 1, "cells")
        down = [int(row["delivered_octets"]) * 8 / done.summary["virtual_s"] for row in rows if row["direction"] == "down"]
        right(sum(down) <= 91000, f"the cell carries {sum(down):.0f} bit/s of 90000")
        most[each] = max(down)
    right(7000 < most[10000] <= 10100 < most[40000], f"who gets most gets {most}")


@case("a shared cell without a rate, and a user who is not there, are refused, also with a limit each")
def sharing_mistakes():
    path, _ = made(merged(dialogue()))
    text = path.read_text()
    for each in "", "each = 40000, ":
        for cell, key, found in ((f"{each}1", "flow.rate", "no rate in shared"),
                                 (f'rate = "90 kbit/s", {each}1, 2', "ms[2].imsi", "user 2 of 1")):
            path.write_text(text.replace("local shared = {", f"local shared = {{ {{ {cell} }},", 1))
            done = sluice("check", path)
            same(done.returncode, 2, f"exit status with {cell}: {done.stderr}")
            right(f'nse[1].bvc[1].{key}: found "{found}"' in done.stderr, done.stderr)


# --- What is not in there, and bounds -----------------------------------------------------------


@case("no address, no port, no time of the day and no octet of a payload is in the files")
def anonymous():
    at = 1700000123.0
    talk = dialogue(at=at, user=("172.31.77.99", 51234), host=("198.18.55.201", 8443))
    frames = [(time, packet.replace(bytes(100), b"secret payload, twenty-five octets!!" + bytes(64)))
              for time, packet in talk.frames]
    path, _ = made(frames, "--take-bad-checksums")
    text = "".join(file.read_text() for file in path.parent.iterdir() if file.suffix != ".pcap")
    for word in ("172.31", "77.99", "198.18", "55.201", "51234", "8443", "1700000", "17000001", "2023", "secret",
                 str(0xAC1F4D63), "ac1f4d63"):
        right(word not in text, f"{word} is in the scenario")
    same([row[2:] for row in steps(path)], [row[2:] for row in DIALOGUE], "steps")


@case("numbers beyond what a configuration may have: the scenario has the nearest, and is taken")
def beyond():
    slow = Talk(user=("10.0.0.2", 40000)).setup(0, 2.9, 2.9, options=mss(65535) + scale(14))
    slow.add(50, "up", ACK | PSH, 1, 1, 100).data(190, 1, 1000, ack=101, window=65535).ack(400, 1001, seq=101)
    fast = Talk()
    for number in range(1300):  # 1000 octets in 1 us
        fast.data(1 + number * 1e-6, 1 + 1000 * number)
    for number in range(1000):
        fast.ack(2 + number * 1e-6, 1001 + 1000 * number)
    # Three weeks later: another connection of the same user.
    late = Talk(user=("10.0.0.2", 40001)).setup(1814400).data(1814402, 1, 100).ack(1814403, 101)
    path, _ = made(merged(slow, fast, late))
    done = sluice("check", path)
    same(done.returncode, 0, done.stderr)
    same(worlds.rows(path)[0]["mss"], "1460", "the largest segment")
    same(max(row[7] for row in steps(path)), 10**9, "the longest thinking, in ms")
    same(worlds.knob(path, "duration"), "86400", "a day is the most")
    path, _ = made(slow.frames)  # 2.9 s to the user and back, and 2.9 s to the host
    same((worlds.knob(path, "way"), worlds.knob(path, "internet_latency")), ("400000", str(1450000 + 1020000)), "the line")
    run(path, "--no-page")


@case("more than 1000 users: the first 1000 are there, and the file says how many connections are not")
def many():
    def short(number):  # one of five is 0.2 s away, the others 0.3 s
        talk = Talk(user=(f"10.1.{number // 250}.{number % 250 + 1}", 40000))
        talk.setup(number * 0.01, 0.04, 0.3 if number % 5 else 0.2)
        return talk.data(number * 0.01 + 0.4, 1, 100).ack(number * 0.01 + 0.7, 101)

    path, _ = made(merged(*(short(number) for number in range(1003))))
    right("local USERS = 1000\n" in path.read_text(), "there are not 1000 users")
    right("-- Not in here: 3 connections beyond" in path.read_text(), "the file does not say what is left out")
    right("-- Not looked for: there are more than 32 users." in path.read_text(), "the file does not say who was looked for")
    right("Not looked for" not in made(merged(*(short(number) for number in range(32))))[0].read_text(), "with 32 users")
    same(len(steps(path)), 2000, "steps")
    same(worlds.knob(path, "way"), "70000", "each way, of the least round trips, less 60 ms of the radio")
    same(sluice("check", path).returncode, 0, "sluice check")


@case("names that are refused, and a capture that would be overwritten")
def names():
    folder = new_folder()
    capture = pcap(dialogue().frames)
    for name in "a.txt", ".lua", 'a"b.lua', "a b.lua", "a" * 200 + ".lua":
        (folder / "in.pcap").write_bytes(capture)
        done = sluice("gi", folder / "in.pcap", "--scenario", name, cwd=folder)
        same((done.returncode, "--scenario" in done.stderr), (2, True), f"{name}: {done.stderr}")
    same([path.name for path in folder.iterdir()], ["in.pcap"], "files")
    for name in "out.lua", "out.csv":
        (folder / name).write_bytes(capture)
        done = sluice("gi", folder / name, "--scenario", folder / "out.lua")
        right(done.returncode != 0 and "out." in done.stderr, f"{name}: {done.stderr}")
        same((folder / name).read_bytes(), capture, "the capture")
    done = sluice("gi", "--compare", "a.json", "b.json", "--scenario", "a.lua", cwd=folder)
    same(done.returncode, 2, done.stderr)
    done = sluice("gi", folder / "in.pcap", "--scenario", "nowhere/a.lua", cwd=folder)
    same((done.returncode, bool(re.search("nowhere/a.csv: No such file", done.stderr))), (1, True), done.stderr)


main()
