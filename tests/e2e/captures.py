#!/usr/bin/python3
"""What goes in at Gn comes out at Gb, octet for octet, in frames that say what the configuration
says. Two readers judge that, and neither shares code with the program: pcap.py and tshark."""

import collections
import functools

import pcap
import tshark_json
import scenarios
from harness import case, check_sound, main, right, run, same, same_rows

# Why an N-PDU may be dropped that has come whole and for somebody.
QUEUE_REASONS = {"queue_full", "class_full", "bvc_full", "ms_full", "late", "aqm_in", "aqm_out", "expired"}

Results = collections.namedtuple("Results", "run packets pdus npdus")


@functools.cache
def results(scenario):
    done = run(scenario.config(), "--pcap", *scenario.options())
    packets = [pcap.gn_packet(frame) for frame in pcap.frames_of(done.out / "gn.pcap")]
    pdus = [pcap.gb_pdu(frame) for frame in pcap.frames_of(done.out / "gb.pcap")]
    return Results(done, packets, pdus, pcap.npdus_of(pdus))


def runs(scenario):
    found = results(scenario)
    summary = found.run.summary
    check_sound(summary)
    same(found.run.info["buffers_held_at_exit"], 0, "buffers_held_at_exit")
    same(summary["lines"]["gn_sent_frames"], len(found.packets), "gn_sent_frames")
    same(summary["lines"]["gb_delivered_frames"], len(found.pdus), "gb_delivered_frames")
    right(len(found.npdus) >= scenario.npdus_least,
          f"{len(found.npdus)} N-PDUs came out, {scenario.npdus_least} were to be expected")


FIELDS = ("time_ns", "bvci", "tlli", "sapi", "nu", "nsapi", "npdu", "segment", "lifetime_cs",
          "imsi")


def tshark(scenario):
    found = results(scenario)
    gn, gb = (str(found.run.out / name) for name in ("gn.pcap", "gb.pcap"))
    same(tshark_json.complaints(gn), [], "tshark's complaints about gn.pcap")
    same(tshark_json.complaints(gb), [], "tshark's complaints about gb.pcap")
    gn_read, gb_read = tshark_json.gn_frames(gn), tshark_json.gb_frames(gb)
    same_rows([frame["fcs"] for frame in gb_read], ["correct"] * len(found.pdus), "FCS")
    same_rows([[frame[name] for name in FIELDS] for frame in gb_read],
              [[getattr(pdu, name) for name in FIELDS] for pdu in found.pdus],
              f"gb.pcap by tshark and by pcap.py, {FIELDS}")
    same_rows([frame["teid"] for frame in gn_read], [p.teid for p in found.packets], "TEIDs")
    for name, read, ours in ("gn.pcap", gn_read, found.packets), ("gb.pcap", gb_read, found.npdus):
        inner = [frame["inner"] for frame in read if frame["inner"]]
        same_rows([(packet["dst"], packet["len"]) for packet in inner],
                  [(packet.dst, len(packet.octets)) for packet in ours], f"packets in {name}")


def match(found):
    """For each N-PDU that left, the number of the packet that entered with the same octets; and the
    packets that did not leave. Two sources may give their packets the same identification."""
    entered = collections.defaultdict(dict)
    for number, packet in enumerate(found.packets):
        entered[packet.dst, packet.ip_id][number] = packet
    numbers = []
    for npdu in found.npdus:
        where = f"frame {npdu.pdus[-1].number}, to {npdu.dst}, identification {npdu.ip_id}"
        candidates = entered[npdu.dst, npdu.ip_id]
        right(candidates, f"{where}: never entered, or left twice")
        number = next((n for n, p in candidates.items() if p.octets == npdu.octets), None)
        right(number is not None, f"{where}: its octets are not those that entered")
        right(npdu.time_ns >= candidates.pop(number).time_ns, f"{where}: it left before it entered")
        numbers.append(number)
    return numbers, [packet for row in entered.values() for packet in row.values()]


def octets(scenario):
    """Those missing are as many, and as large, as the summary says: dropped by AQM, lifetime or a
    limit, queued, or handed to the port and still on the line."""
    found, summary = results(scenario), results(scenario).run.summary
    _, missing = match(found)
    classes, book = summary["classes"].values(), summary["conservation"]
    same({reason for of_class in classes for reason in of_class["drops"]} - QUEUE_REASONS, set(),
         "other reasons to drop")
    under_way = book["out"] - sum(of_class["packets"] for of_class in classes)
    under_way_octets = book["octets"]["out"] - sum(of_class["octets"] for of_class in classes)
    lines = summary["lines"]
    right(0 <= under_way <= lines["gb_frames_under_way"] + lines["gb_frames_in_pieces"],
          f"{under_way} N-PDUs are said to be under way")
    same(len(missing), book["dropped"] + book["queued"] + under_way, "packets that did not leave")
    same(sum(len(packet.octets) for packet in missing),
         book["octets"]["dropped"] + book["octets"]["queued"] + under_way_octets, "their octets")
    right(scenario.drops in (None, book["dropped"] > 0), f"{book['dropped']} packets were dropped")
    right(scenario.queues in (None, book["queued"] > 0), f"{book['queued']} packets are queued")


def order(scenario):
    """A queue never reorders."""
    found = results(scenario)
    left = collections.defaultdict(list)
    for npdu, number in zip(found.npdus, match(found)[0]):
        left[npdu.dst].append(number)
    for address, numbers_ in left.items():
        same(numbers_, sorted(numbers_), f"packets to {address}, numbered as they entered")


def fields(scenario):
    found = results(scenario)
    seen = set()
    for npdu in found.npdus:
        context = scenario.contexts[npdu.dst]
        seen.add(context)
        for pdu in npdu.pdus:
            where = f"frame {pdu.number}"
            same((pdu.outer.dst, pdu.outer.to_mac, pdu.outer.dst_port, pdu.bvci, pdu.tlli,
                  pdu.nsapi, pdu.sapi),
                 (context.peer, context.peer_mac, context.peer_port, context.bvci, context.tlli,
                  context.nsapi, context.sapi),
                 f"{where}: peer, its MAC and port, BVCI, TLLI, NSAPI, SAPI")
            same((pdu.outer.src, pdu.outer.src_port), scenario.own, f"{where}: our end")
            same(pdu.imsi, context.imsi if scenario.send_imsi else None, f"{where}: IMSI")
            right(0 < pdu.lifetime_cs <= context.lifetime_cs,
                  f"{where}: lifetime {pdu.lifetime_cs} cs, configured {context.lifetime_cs} cs")
            same((pdu.cr, pdu.enciphered, pdu.protect_all, pdu.compression, pdu.qos[2] & 0x38),
                 (True, False, True, 0, 0x30), f"{where}: C/R, E, PM, compression, QoS bits")
            right(pdu.info_octets == context.n201_u if pdu.more
                  else pdu.info_octets <= context.n201_u,
                  f"{where}: {pdu.info_octets} octets of information, N201-U is {context.n201_u}")
    right(len(seen) >= scenario.contexts_least, f"only {len(seen)} contexts received something")


def numbers(scenario):
    """N(U) counts the frames of a (TLLI, SAPI), the N-PDU number those of a (TLLI, NSAPI)."""
    next_nu, next_npdu = collections.Counter(), collections.Counter()
    for pdu in results(scenario).pdus:
        lle, context = (pdu.tlli, pdu.sapi), (pdu.tlli, pdu.nsapi)
        same(pdu.nu, next_nu[lle] % 512, f"frame {pdu.number}: N(U)")
        next_nu[lle] += 1
        if pdu.first:
            same(pdu.npdu, next_npdu[context] % 4096, f"frame {pdu.number}: N-PDU number")
            next_npdu[context] += 1
    same(max(next_nu.values()) > 512, scenario.nu_wraps, "an N(U) went round")
    same(max(next_npdu.values()) > 4096, scenario.npdu_wraps, "an N-PDU number went round")


def stamps(scenario):
    """Ordered, inside the run, and no closer together than the line allows."""
    found = results(scenario)
    end_ns = round(found.run.summary["virtual_s"] * 10**9)
    for name in ("gn.pcap", "gb.pcap"):
        frames = pcap.frames_of(found.run.out / name)
        times = [frame.time_ns for frame in frames]
        same(times, sorted(times), f"order of the stamps of {name}")
        right(0 <= times[0] and times[-1] <= end_ns, f"{name}: {times[0]} to {times[-1]} ns")
        right(any(time % 1000 for time in times), f"{name}: no stamp is finer than 1 us")
    for before, frame in zip(frames, frames[1:]) if scenario.line_bit_per_s else []:
        least_ns = len(frame.octets) * 8 * 10**9 // scenario.line_bit_per_s
        right(frame.time_ns - before.time_ns >= least_ns,
              f"frame {frame.number} comes {frame.time_ns - before.time_ns} ns after the one "
              f"before; the line takes {least_ns} ns for it")


for one in scenarios.SCENARIOS:
    case(f"{one.name}: it runs, sound and balanced", one)(runs)
    case(f"{one.name}: each packet that left is one that entered, octet for octet; those missing "
         "are accounted for", one)(octets)
    case(f"{one.name}: no context's packets are reordered", one)(order)
    case(f"{one.name}: tshark reads both captures to the inner packets and complains of nothing",
         one)(tshark)
    case(f"{one.name}: addresses, BVCI, TLLI, IMSI, SAPI, NSAPI, segments as configured", one)(fields)
    case(f"{one.name}: N(U) and N-PDU numbers count", one)(numbers)
    case(f"{one.name}: stamps in ns, ordered, within the run, not faster than the line",
         one)(stamps)

main()
