"""Gb of a run in the lab, by its capture and the tests' own codec, before the oracle of flow control
(gb/replay.py). Exact where Gb takes no time: a frame's stamp is then the instant at which the SGSN let
it go.

How to
    for peer, records in gb_judge.records(result).items():        of each NSE: [(way, Record)]
        gb_judge.judge(records).violations                         a replay.Replay
"""

import collections
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "gb"))

import codec
import frames
import pcap
import replay

SGSN = "198.51.100.1"
Reader = replay.Reader
Record = collections.namedtuple("Record", "time_ns nsvc pdu")


def records(result):
    """{address of an NSE: [(way, Record)]} of gb.pcap."""
    found = {}
    for frame in pcap.frames_of(result.out / "gb.pcap"):
        datagram = frames.read_udp(frame.octets)
        pdu = codec.parse(datagram.payload)
        up = datagram.destination == SGSN
        peer, port = (datagram.source, datagram.port) if up else \
            (datagram.destination, datagram.destination_port)
        found.setdefault(peer, []).append(
            ("up" if up else "down", Record(frame.time_ns, port, pdu)))
    return found


def names(of_nse):
    """The names of all PDUs, in the order of the wire."""
    return [record.pdu.sdu.name if record.pdu.sdu else record.pdu.name for _, record in of_nse]


def judge(of_nse, replay_of=replay.Replay, reader_of=replay.Reader):
    reader = reader_of()
    reader.replay = replay_of()
    for direction, record in of_nse:
        getattr(reader, direction)(record)
    return reader.replay


class HalfBmax(replay.Replay):
    """Of a BSS that had said half of it."""

    def cell(self, now_ns, bvci, bmax, r, *defaults):
        super().cell(now_ns, bvci, bmax // 2, r, *defaults)


class HalfR(replay.Replay):
    def cell(self, now_ns, bvci, bmax, r, *defaults):
        super().cell(now_ns, bvci, bmax, r // 2, *defaults)
