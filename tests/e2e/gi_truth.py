#!/usr/bin/python3
"""sluice gi on gn.pcap beside the lab's own book of every packet (gi_books.py), in the worlds of gi_worlds.py: each
measure of each flow, each loss, and what tcptrace and tshark say of the same packets. --seeds A..B: of these seeds,
all taken together (tests/soak/gi_truth.py)."""

import collections
import csv
import functools
import itertools
import os
import re
import shutil
import struct
import subprocess

import gi_books as books
import gi_ids
import tshark_json
from checksums import checksum
from gi_worlds import WORLDS, ran
from harness import Skip, case, main, new_folder, right, same, sluice

SEEDS = range(*(int(n) + i for i, n in enumerate(os.environ.get("GI_SEEDS", "1..1").split(".."))))
ERROR_MOST = 0.03


@functools.cache
def world(name, seed):
    """(its run, the book's flows, the rows of --csv, those of --losses, by (user, port))"""
    done = ran(name, seed)
    folder = new_folder()
    said = sluice("gi", done.out / "gn.pcap", "--csv", folder / "x.csv", "--losses", folder / "losses.csv")
    same((said.returncode, said.stderr), (0, ""), f"{name}: exit status and stderr")
    rows, losses = {}, collections.defaultdict(list)
    with (folder / "x.csv").open() as file:
        for row in csv.DictReader(file):
            rows[row["user"], row["user_port"]] = row
    with (folder / "losses.csv").open() as file:
        for row in csv.DictReader(file):
            losses[row["user"], row["user_port"]].append(row)
    flows = books.flows(done.out / "packets.csv")
    passed = {key for key, flow in flows.items() if any(p.passed is not None for p in flow.all())}
    same(set(rows), passed, f"{name}: flows")
    return done, flows, rows, losses


def everywhere():
    for name in WORLDS:
        for seed in SEEDS:
            _, flows, rows, losses = world(name, seed)
            for key, row in rows.items():
                yield name, seed, key, flows[key], row, losses[key]


def number(text):
    return float(text) if text else None


# --- What is counted -------------------------------------------------------------------------------


# Where a repetition's cause does not show here: originals overtaken by more than a round trip look like repetitions;
# with ten connections beside each other, and hundreds given up, many last segments are lost before here.
HIDDEN = ("far overtaken", "parallel", "swamped")


@case("what began each repair down: fast retransmissions and timers beside those that the hosts count")
def causes():
    found, right_ones = collections.Counter(), collections.Counter()
    for name in WORLDS:
        for seed in SEEDS:
            done, _, rows, _ = world(name, seed)
            ours = {key: sum(int(row[f"down_{key}"] or 0) for row in rows.values()) for key in ("fast", "timeouts", "probes")}
            with (done.out / "tcp.csv").open() as file:
                hosts = [row for row in csv.DictReader(file) if row["end"] == "host"]
            theirs = {"fast": sum(int(row["fast_recoveries"]) for row in hosts), "timeouts": sum(int(row["timeouts"]) for row in hosts)}
            ours["timeouts"] += ours.pop("probes") if name in HIDDEN else 0
            print(f"# {name}: {ours}, of the hosts {theirs}")
            if name in HIDDEN:
                continue
            for key in theirs:
                found[key] += ours[key]
                right_ones[key] += theirs[key]
                right(abs(ours[key] - theirs[key]) <= max(6, 0.3 * theirs[key]), f"{name}, {key}: {ours[key]}, of the hosts {theirs[key]}")
    for key in right_ones:
        right(abs(found[key] - right_ones[key]) <= 0.1 * right_ones[key], f"{key}: {found[key]}, of the hosts {right_ones[key]}")


def counts(flow):
    """The columns that are sums of what passed."""
    found = {}
    for way in ("up", "down"):
        passed = flow.passed(way)
        found |= {f"{way}_packets": len(passed), f"{way}_octets": sum(p.octets for p in passed),
                  f"{way}_data_packets": sum(p.data > 0 for p in passed),
                  f"{way}_data_octets": sum(p.data for p in passed),
                  f"{way}_resent_packets": sum(p.data > 0 and p.new_here[0] > 0 for p in passed)}
    times = [p.passed for way in ("up", "down") for p in flow.passed(way)]
    return found | {"lasted_s": f"{(max(times) - min(times)) / 1e9:.9f}", "begin_s": f"{min(times) / 1e9:.9f}"}


@case("of every flow: packets, octets, data, what is sent again, beginning and end, as they passed by the lab's book")
def counted():
    flows = 0
    for name, _, key, flow, row, _ in everywhere():
        wanted = {column: str(value) for column, value in counts(flow).items()}
        same({column: row[column] for column in wanted}, wanted, f"{name}, {key}")
        flows += 1
    right(flows > 900 * len(SEEDS), f"{flows} flows")


@case("set-up: SYNs, SYN-ACKs, outcome, the delay and its two parts, of every flow")
def set_ups():
    seen, hidden = collections.Counter(), 0
    for name, _, key, flow, row, _ in everywhere():
        truth = books.set_up(flow)
        syn, syn_ack, ack = truth["times"]
        same([int(row["syns"]), int(row["syn_acks"])], [truth["syns"], truth["syn_acks"]], f"{name}, {key}")
        once = truth["syns"] == truth["syn_acks"] == 1
        same(row["outcome"], "optimal" if once and ack else "repeated" if ack else row["outcome"], f"{name}, {key}: outcome")
        for column, begin, end, valid in (("setup_s", syn, ack, True), ("rtt_internet_setup_s", syn, syn_ack, once),
                                          ("rtt_gprs_setup_s", syn_ack, ack, once)):
            wanted = "" if ack is None or not valid or (column != "setup_s" and end - begin >= 3e9) else \
                f"{(end - begin) / 1e9:.9f}"
            same(row[column], wanted, f"{name}, {key}: {column}")
        seen[row["outcome"]] += 1
        hidden += row["outcome"] == "optimal" and truth["sent_syns"] + truth["sent_syn_acks"] > 2
    print(f"# set-ups: {dict(seen)}; {hidden} optimal ones had a SYN or a SYN-ACK that did not pass")
    right(seen["optimal"] > 800 and seen["repeated"] > 20, seen)


# --- Losses ----------------------------------------------------------------------------------------

VERDICTS = ("internet", "gprs", "reordered", "spurious", "unneeded", "go-back", "undecided", "none")


def print_table(name, found):
    print(f"# {name}: " + "  ".join(f"{word:>9}" for word in VERDICTS))
    for truth in (*books.TRUTHS, "nothing"):
        row = [found[truth, verdict] for verdict in VERDICTS]
        if any(row):
            print(f"#   {truth:17}" + "  ".join(f"{n or '':>9}" for n in row))


def share(found, truth, *verdicts):
    """Of that truth, those with one of the verdicts."""
    return sum(found[truth, v] for v in verdicts) / max(1, sum(n for (t, _), n in found.items() if t == truth))


@functools.cache
def tables():
    """The confusion table of each world, and of each how many repetitions to no use nobody at the monitor can know."""
    found, untold = collections.defaultdict(collections.Counter), collections.Counter()
    for name, _, _, flow, _, losses in everywhere():
        found[name].update(books.confusion(flow, losses))
        untold[name] += books.untold(flow)
    return found, untold


HARD = ("both", "swamped")  # where ACKs are lost too, or most comes twice: with tables of their own


def right_or_untold(name, table, untold):
    """Of what came to no use: 3 % wrong at most, besides what nobody can know."""
    all_of = sum(n for (truth, _), n in table.items() if truth == "needless")
    wrong = (1 - share(table, "needless", "spurious", "unneeded", "go-back")) * all_of
    print(f"# {name}: of {all_of} that came to no use {wrong:.0f} are wrong, of {untold} nobody can know it")
    right(wrong <= ERROR_MOST * all_of + untold, f"{name}, needless: {table}")


@case("the loss split: what each segment that was lost, came to no use or was overtaken counts as, 3 % wrong at most")
def confusion():
    found, untold = tables()
    total = sum((table for name, table in found.items() if name not in HARD), collections.Counter())
    print_table("all worlds but two", total)
    right_or_untold("all worlds but two", total, sum(n for name, n in untold.items() if name not in HARD))
    for name in HARD:
        print_table(name, found[name])
        right_or_untold(name, found[name], untold[name])
    for name, table in found.items():
        truths = {truth for truth, _ in table}
        for truth, verdict, most in (("before", "internet", 0), ("overtaken", "reordered", ERROR_MOST)):
            right(truth not in truths or 1 - share(table, truth, verdict) <= most, f"{name}, {truth}: {table}")
        behind = {verdict: n for (truth, verdict), n in table.items() if truth == "behind"}
        wrong = sum(behind.values()) - behind.get("gprs", 0)  # for a repetition of which it was not known
        right(wrong <= ERROR_MOST * sum(behind.values()) + untold[name], f"{name}, behind: {table}")
        nothing = sum(n for (truth, _), n in table.items() if truth == "nothing")
        right(nothing <= ERROR_MOST * sum(table.values()) + untold[name], f"{name}: {nothing} verdicts for nothing, {table}")
    right(sum(sum(table.values()) for table in found.values()) > 2500 * len(SEEDS), found)


def losses_by_time(done):
    """What --losses says of down, by flow, of its capture whose packets have no identifications."""
    folder, octets = new_folder(), bytearray((done.out / "gn.pcap").read_bytes())
    at = 24
    while at < len(octets):
        length = struct.unpack_from("<I", octets, at + 8)[0]
        ip = inner_at(octets, at + 16, length)
        if ip:
            octets[ip + 4:ip + 6] = octets[ip + 10:ip + 12] = bytes(2)
            octets[ip + 10:ip + 12] = struct.pack(">H", checksum(bytes(octets[ip:ip + 20])))
        at += 16 + length
    (folder / "x.pcap").write_bytes(octets)
    same(sluice("gi", folder / "x.pcap", "--losses", folder / "losses.csv").returncode, 0, "exit status")
    losses = collections.defaultdict(list)
    with (folder / "losses.csv").open() as file:
        for row in csv.DictReader(file):
            losses[row["user"], row["user_port"]].append(row)
    return losses


BY_TIME = ("as published", "Internet", "both", "reordered")


@case("the same by time alone, without identifications, where nothing is overtaken by more than a round trip; where it is, that "
      "is seen to be wrong")
def by_time():
    for name in (*BY_TIME, "far overtaken"):
        table = collections.Counter()
        for seed in SEEDS:
            done, flows, _, _ = world(name, seed)
            losses = losses_by_time(done)
            for key, flow in flows.items():
                table.update(books.confusion(flow, losses[key]))
        print_table(f"{name}, by time", table)
        before, overtaken = share(table, "before", "internet"), share(table, "overtaken", "reordered")
        truths = {truth for truth, _ in table}
        if name in BY_TIME:
            right(before == 1 and ("overtaken" not in truths or overtaken >= 1 - ERROR_MOST), f"{name}: {table}")
        else:
            right(overtaken < 1 - ERROR_MOST, f"{name}: nothing is overtaken so far that time cannot tell, {table}")


@case("a judge that looks at nothing but identifications contradicts less than 2 % of the verdicts internet and reordered")
def by_identifications():
    found = collections.Counter()
    for name in WORLDS:
        for seed in SEEDS:
            done, _, _, losses = world(name, seed)
            ways = gi_ids.ways(untunnelled(done.out / "gn.pcap"))
            for (user, port), rows in losses.items():
                one = [row for row in rows if row["direction"] == "down"]
                if one:
                    found += gi_ids.judged(ways[one[0]["host"], one[0]["host_port"], user, port], one)
    print(f"# {dict(found)}")
    for verdict, other in (("internet", "overtaken"), ("reordered", "again")):
        n = sum(count for (word, _), count in found.items() if word == verdict)
        right(n > 150 * len(SEEDS) and found[verdict, other] < 0.02 * n, f"{verdict}: {found}")
        right(found[verdict, gi_ids.SAYS[verdict]] > 0.9 * n, f"{verdict}, of which the judge says nothing: {found}")


def columns_of(name):
    found = collections.Counter()
    for world_name, _, _, flow, row, _ in everywhere():
        if world_name == name:
            for column in ("down_lost_gprs", "down_lost_internet", "down_first_packets", "down_data_packets"):
                found[column] += int(row[column] or 0)
            for p in flow.data("down"):
                found["behind"] += p.lost == "behind"
                found["before"] += p.lost == "before"
                found["sent"] += 1
                found["passed"] += p.passed is not None
            found["traced"] += sum(truth == "before" for truth, _ in books.events(flow))
            found["untold"] += books.untold(flow)
    return found


@case("losses of each world: on the GPRS side all, on the Internet side those with a trace: 3 % at most; too many are besides as "
      "many repetitions as nobody can know to be needless")
def lost():
    for name in WORLDS:
        n = columns_of(name)
        print(f"# {name:14} GPRS {n['down_lost_gprs']:5} of {n['behind']:5}, {n['down_lost_gprs'] / n['down_data_packets']:.3%} "
              f"of {n['behind'] / n['passed']:.3%}; Internet {n['down_lost_internet']:4} of {n['before']:4}, with a trace "
              f"{n['traced']:4}, {n['down_lost_internet'] / n['down_first_packets']:.3%} of {n['before'] / n['sent']:.3%}; "
              f"nobody can know of {n['untold']}")
        right(abs(n["down_lost_internet"] - n["traced"]) <= 0.02 * n["traced"], f"{name}: {n}")
        over = n["down_lost_gprs"] - n["behind"]
        right(-ERROR_MOST * n["behind"] <= over <= ERROR_MOST * n["behind"] + n["untold"], f"{name}: {n}")


# --- Delays and rates ------------------------------------------------------------------------------


class Measure:
    """Pairs (found, truth, flow) of one measure in one world."""

    def __init__(self):
        self.pairs = []

    def add(self, found, truth, key):
        if found is not None and truth:
            self.pairs.append((found, truth, key))

    def error(self):
        """Of the mean of all."""
        return sum(one[0] for one in self.pairs) / sum(one[1] for one in self.pairs) - 1

    def text(self):
        each = sorted(self.pairs, key=lambda one: abs(one[0] / one[1] - 1))
        middle, worst = each[len(each) // 2], each[-1]
        return f"{self.error():+.2%}, median {abs(middle[0] / middle[1] - 1):.2%}, worst {worst[0] / worst[1] - 1:+.1%} " \
               f"({worst[2][0]}, {len(each)} flows)"


LONG_OCTETS = 20000


@functools.cache
def measures(name):
    """Measure by name."""
    found = collections.defaultdict(Measure)
    for seed in SEEDS:
        _, flows, rows, _ = world(name, seed)
        users = {user for user, _ in rows}
        rate = {user: books.busy_rate(flows, user) for user in users}
        arrived = {user: books.deliveries(flows, user) for user in users}
        for key, row in rows.items():
            flow = flows[key]
            for way, side in (("down", "gprs"), ("up", "internet")):
                truth = books.round_trips(flow, way)
                if len(truth) >= 5 or way == "up":
                    found[f"rtt_{side}_mean"].add(number(row[f"rtt_{side}_mean_s"]), sum(truth) / max(1, len(truth)), key)
            found["channel_rate"].add(number(row["channel_rate_bit_per_s"]), rate[key[0]], key)
            truth = books.received(flow, arrived[key[0]])
            if truth and sum(p.data for p in flow.data("down")) > LONG_OCTETS:
                for column, value in zip(("throughput_bit_per_s", "goodput_bit_per_s", "share"), truth):
                    found[column.removesuffix("_bit_per_s")].add(number(row[column]), value, key)
            found["setup, to the MS"].add(number(row["setup_s"]), books.set_up(flow)["waited"], key)
    return found


FEW = ("far overtaken", "rtt_internet_mean")  # two samples a flow, which are 10 to 410 ms


@case("round trips, channel rate, throughput, goodput, share: the mean of each world is 3 % at most from the lab's")
def measured():
    wrong = []
    for name in WORLDS:
        for what, measure in sorted(measures(name).items()):
            if measure.pairs:
                print(f"# {name:14} {what:18} {measure.text()}")
            if len(measure.pairs) >= 5 and what != "setup, to the MS" and (name, what) != FEW and abs(measure.error()) > ERROR_MOST:
                wrong.append(f"{name}: {what} {measure.text()}")
    right(not wrong, "\n".join(wrong))
    for what, least in (("channel_rate", 150), ("throughput", 400), ("goodput", 400), ("rtt_gprs_mean", 400)):
        n = sum(len(measures(name)[what].pairs) for name in WORLDS)
        right(n >= least * len(SEEDS), f"{what}: {n} flows")


# --- tcptrace and tshark, at the same place ---------------------------------------------------------

OTHERS = ("clean", "as published", "Internet", "calls", "reordered", "ten downloads")
GTP_AT, GTP_TYPE, GTP_FLAGS = 42, 1, 0x07  # behind Ethernet, IPv4 and UDP


def inner_at(octets, frame, length):
    """Where the packet in the tunnel begins; None: this is no frame with one."""
    if length <= GTP_AT + 8 or octets[frame + GTP_AT + GTP_TYPE] != 255:
        return None
    return frame + GTP_AT + 8 + (4 if octets[frame + GTP_AT] & GTP_FLAGS else 0)


def untunnelled(path):
    """What is in the tunnels of gn.pcap, as a capture of IP: tcptrace does not look into GTP-U."""
    octets, out = path.read_bytes(), new_folder() / "ip.pcap"
    frames = [octets[:20] + struct.pack("<I", 101)]
    at = 24
    while at < len(octets):
        length = struct.unpack_from("<I", octets, at + 8)[0]
        ip = inner_at(octets, at + 16, length)
        if ip:
            inner = octets[ip:at + 16 + length]
            frames += [octets[at:at + 8], struct.pack("<II", len(inner), len(inner)), inner]
        at += 16 + length
    out.write_bytes(b"".join(frames))
    return out


def by_tcptrace(path):
    """(user, its port) -> its figures (up, down)."""
    text = subprocess.run(["tcptrace", "-lrn", path], capture_output=True, text=True, errors="replace", check=True,
                          cwd=new_folder()).stdout.replace("\t", "  ")
    found = {}
    for part in re.split(r"^TCP connection \d+:$", text, flags=re.MULTILINE)[1:]:
        key = re.search(r"host \w+: +(\S+):(\d+)", part).groups()
        found[key] = {name: re.search(rf"^ +{name}: +([\d.]+) \w* +{name}: +([\d.]+)", part, re.M).groups()
                      for name in ("total packets", "actual data pkts", "actual data bytes", "rexmt data pkts",
                                   "RTT samples", "RTT min", "RTT max", "RTT avg")}
    return found


def late(flow):
    """Did anything down come late to the monitor, into a hole? Then tcptrace takes round trips that waited for it."""
    return any(p.held and p.new_here and p.new_here[1] for p in flow.way["down"])


@case("tcptrace on what is in the tunnels: flows, packets, data, repetitions, round trips of each flow")
def tcptrace():
    if not shutil.which("tcptrace"):
        raise Skip("no tcptrace here")
    seen = collections.Counter()
    for name, seed in itertools.product(OTHERS, SEEDS):
        done, flows, rows, _ = world(name, seed)
        seen["captures"] += 1
        wanted = by_tcptrace(untunnelled(done.out / "gn.pcap"))
        same(set(rows), set(wanted), f"{name}: flows")
        for key, row in rows.items():
            one = wanted[key]
            for what, columns in (("total packets", ("up_packets", "down_packets")),
                                  ("actual data pkts", ("up_data_packets", "down_data_packets")),
                                  ("actual data bytes", ("up_data_octets", "down_data_octets"))):
                same([row[column] for column in columns], list(one[what]), f"{name}, {key}: {what}")
            # tcptrace counts SYNs and FINs that are sent again.
            bare = sum(p.data == 0 and p.end != p.sequence and p.new_here[0] > 0 for p in flows[key].passed("down"))
            same(int(one["rexmt data pkts"][1]) - bare, int(row["down_resent_packets"]), f"{name}, {key}: rexmt")
            seen["again"] += int(row["down_resent_packets"])
            if late(flows[key]):
                seen["late"] += 1
                continue
            seen["samples"] += int(row["rtt_gprs_karn_samples"])
            same(row["rtt_gprs_karn_samples"], one["RTT samples"][1], f"{name}, {key}: RTT samples")
            for word, column in (("min", "least"), ("avg", "mean"), ("max", "most")):
                value = 1000 * (number(row[f"rtt_gprs_karn_{column}_s"]) or 0)
                right(abs(value - float(one[f"RTT {word}"][1])) <= 0.11 + 1e-4 * value, f"{name}, {key}: RTT {word} {value}, {one}")
    print(f"# {dict(seen)}")
    right(all(seen[what] > least * len(SEEDS) for what, least in (("again", 300), ("samples", 4000), ("late", 20))), seen)


def by_tshark(path):
    """Streams; (user, port) -> packets and data down, those with a mark of repetition or of disorder, round trips."""
    text = tshark_json.tshark(str(path), "-T", "fields", "-E", "occurrence=l", "-e", "tcp.stream", "-e", "ip.dst", "-e",
                              "tcp.dstport", "-e", "ip.src", "-e", "tcp.srcport", "-e", "tcp.len", "-e",
                              "tcp.analysis.retransmission", "-e", "tcp.analysis.out_of_order", "-e", "tcp.analysis.ack_rtt")
    streams, found = set(), collections.defaultdict(lambda: {"packets": 0, "data": 0, "again": 0, "disorder": 0, "rtts": []})
    for line in text.splitlines():
        stream, dst, port, src, own, octets, again, disorder, rtt = line.split("\t")
        if not stream:
            continue
        streams.add(stream)
        down = dst.startswith("10.")
        one = found[(dst, port) if down else (src, own)]
        one["packets"] += down
        if down and int(octets):
            one["data"] += 1
            one["again"] += bool(again)
            one["disorder"] += bool(disorder)
        if rtt and not down:
            one["rtts"].append(float(rtt))
    return len(streams), found


def of_syn_ack(flow):
    """[the round trip of the SYN-ACK], if the user's SYN passed again behind it: tshark takes none then, though it came once."""
    answered = min(p.passed for p in flow.passed("down"))
    behind = [p for p in flow.passed("up") if p.passed > answered]
    acked = next(p.passed for p in behind if not p.flags & books.SYN)
    return [(acked - answered) / 1e9] if any(p.flags & books.SYN for p in behind) else []


@case("tshark on the same: flows, packets, data; what came again or late in all; round trips where nothing did")
def tshark():
    seen = collections.Counter()
    for name, seed in itertools.product(OTHERS, SEEDS):
        done, flows, rows, _ = world(name, seed)
        seen["captures"] += 1
        count, wanted = by_tshark(untunnelled(done.out / "gn.pcap"))
        same((len(rows), set(rows)), (count, set(wanted)), f"{name}: flows")
        for key, row in rows.items():
            one = wanted[key]
            same([int(row["down_packets"]), int(row["down_data_packets"])], [one["packets"], one["data"]], f"{name}, {key}")
            filled = sum(bool(p.data and p.held and p.new_here[1]) for p in flows[key].passed("down"))
            seen["ours"] += int(row["down_resent_packets"]) + filled
            seen["theirs"] += one["again"] + one["disorder"]
            if not any(p.held or p.new_here[0] for p in flows[key].passed("down") if p.end != p.sequence):
                seen["plain"] += 1
                rtts = one["rtts"] + of_syn_ack(flows[key])
                seen["SYN again"] += len(rtts) - len(one["rtts"])
                same(int(row["rtt_gprs_samples"]), len(rtts), f"{name}, {key}: round trips")
                right(abs(sum(rtts) / len(rtts) - number(row["rtt_gprs_mean_s"])) < 2e-6, f"{name}, {key}: mean")
    print(f"# {dict(seen)}")
    right(seen["plain"] > 50 * len(SEEDS) and seen["SYN again"] <= 0.01 * seen["plain"], seen)
    right(abs(seen["theirs"] - seen["ours"]) <= ERROR_MOST * seen["ours"], seen)


main()
