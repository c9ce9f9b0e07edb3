#!/usr/bin/python3
"""The text of `sluice stats`, letter for letter, about a fake instance that always answers the same."""

import json

from harness import case, main, same
from instance import Fake, client

PORT = {"link": "up", "rx_packets": 1234, "rx_octets": 1500000, "tx_packets": 7, "tx_octets": 999, "control_packets": 3}
CELL = {"nsei": 7, "bvci": 20, "state": "up", "mss": 2, "rate_bit_per_s": 16000, "bucket_octets": 4000,
        "delay_ns": 1234567890, "sojourn_ns": 5600000, "queued_npdus": 4, "down_octets": 12345, "marks": 5,
        "dropped_npdus": 6, "discarded_frames": 3, "drops": {"aqm": 6, "no_room": 0}}
MS = {"imsi": "001010000000008", "tlli": 0xC0000001, "state": "up", "stopped": 1, "bucket_octets": 500, "delay_ns": 1000000,
      "queued_npdus": 4, "down_octets": 12345, "marks": 0, "dropped_npdus": 0, "drops": {}}
FLOW = {"class": "streaming", "rate_bit_per_s": 8000, "queued_npdus": 4, "queued_octets": 2000}
ONE = {
    "info": {"name": "one", "pid": 42, "run_ns": 61230000000, "clock": "real", "workers": 2, "control": "up"},
    "stats": {"gn": {**PORT, "steering": "teid", "drops": {"short": 2, "no_teid": 3}}, "gb": {**PORT, "link": "down", "steering": "peer", "rules": 19, "rules_refused": 2,
                                                                       "strays_out_packets": 5, "drops": {"no_bvc": 4}},
              "up": {"in_packets": 9, "drops": {"no_ms": 1}}, "worker": {"commands": 600, "events": 0},
              "control": {"handled": 8, "hook_faults": 1},
              "numa_nodes": {"control": 0, "worker_0": 0, "worker_0_memory": 1, "gn_device": 1}, "last_hook_fault": "policy.lua:2: start(): sorry",
              "pdus_in": {"NS-ALIVE": 2}, "pdus_out": {"NS-ALIVE-ACK": 2, "NS-RESET": 1}},
    "classes": {"0": {"class": "streaming", "in_packets": 10, "in_octets": 5000, "out_packets": 4, "queued_npdus": 4,
                      "queued_octets": 2000, "marks": 1, "drops": {"aqm": 1, "lifetime": 1}},
                "1": {"class": "background", "drops": {}}},
    "nses": [{"nsei": 7, "state": "up", "cells": 2, "rate_bit_per_s": 64000, "delay_ns": 2000000, "queued_npdus": 4,
              "down_octets": 12345, "up_octets": 678, "dropped_npdus": 6, "discarded_frames": 3}],
    "nsvcs": [{"nsei": 7, "nsvci": 1, "state": "unblocked, no answer"}],
    "bvcs": [CELL, *({"nsei": 7, "bvci": bvci, **of} for bvci, of in enumerate((
        {"state": "up", "blocked": 1}, {"state": "up", "stopped": 1, "bucket_octets": 0, "rate_bit_per_s": 0},
        {"state": "up", "stopped": 1, "bucket_octets": 100, "rate_bit_per_s": 0},
        {"state": "NSE down", "blocked": 1, "stopped": 1, "down_octets": 123456789012345},
        {"state": "down", "blocked": 1}), 21))],
    "mss": [MS],
    "cell_mss": [MS],
    "bvc": {**CELL, "classes": {"0": FLOW}},
    "ms": {**MS, "drops": {"aqm": 1}, "packet_flows": {"0": FLOW}},
}


def answer(command):
    name = command.decode().split(",")[0].rsplit("/", 1)[1]
    found = ONE[name]
    if isinstance(found, list):
        found = {"first": 0, "count": len(found), "rows": {str(i): row for i, row in enumerate(found)}}
    return json.dumps({f"/sluice/{name}": found}).encode()


ALL = """\
one (process 42), 61.23 s of real time, 2 workers, control up

  port  link    frames in       octets in   frames out      octets out  to control   dropped
  Gn    up           1234       1500000 B            7           999 B           3         5
  Gb    down         1234       1500000 B            7           999 B           3         4
    Gn steering: teid; handed on to other workers: 0
    Gb steering: peer, with a rule for 19 NS-VCs, and refused for 2; handed on to other workers: 5
    NUMA nodes: control 0, worker_0 0, worker_0_memory 1, gn_device 1
    Gn drops: short 2, no_teid 3
    Gb drops: no_bvc 4
    uplink:   in_packets 9
    uplink drops: no_ms 1
    workers:  commands 600
    control:  handled 8, hook_faults 1
    policy:   policy.lua:2: start(): sorry
    PDUs in:  NS-ALIVE 2
    PDUs out: NS-ALIVE-ACK 2, NS-RESET 1

  class            N-PDUs in       octets in         out   queued       octets    marked    dropped
  streaming               10          5000 B           4        4       2000 B         1          2
  background               0             0 B           0        0          0 B         0          0
    streaming drops: aqm 1, lifetime 1

    NSEI  state        cells             R  B x 8 / R   queued            sent           heard    dropped  discarded
       7  up               2   64000 bit/s     2.0 ms        4         12345 B           678 B          6          3

    NSEI   NSVCI  state
       7       1  unblocked, no answer

  cell         state            MSs              R       Bmax  B x 8 / R      waits  queued           sent   marked  dropped  discarded
  7-20         up                 2    16000 bit/s     4000 B     1.23 s     5.6 ms       4        12345 B        5        6          3
  7-21         blocked            0              -        0 B          -          -       0            0 B        0        0          0
  7-22         no flow ctrl       0        0 bit/s        0 B          -          -       0            0 B        0        0          0
  7-23         stopped            0        0 bit/s      100 B          -          -       0            0 B        0        0          0
  7-24         NSE down           0              -        0 B          -          -       0         123 TB        0        0          0
  7-25         down               0              -        0 B          -          -       0            0 B        0        0          0

  IMSI                 TLLI  state                     R  B x 8 / R      waits  queued           sent   marked  dropped  discarded
  001010000000008  c0000001  stopped                   -     1.0 ms          -       4        12345 B        0        0          0
"""
OF_CELL = """\
cell         state            MSs              R       Bmax  B x 8 / R      waits  queued           sent   marked  dropped  discarded
7-20         up                 2    16000 bit/s     4000 B     1.23 s     5.6 ms       4        12345 B        5        6          3
  drops: aqm 6

  packet flow                R  B x 8 / R      waits   queued   octets
  streaming         8000 bit/s          -          -        4   2000 B

  IMSI                 TLLI  state                     R  B x 8 / R      waits  queued           sent   marked  dropped  discarded
  001010000000008  c0000001  stopped                   -     1.0 ms          -       4        12345 B        0        0          0
"""
OF_MS = """\
IMSI                 TLLI  state                     R  B x 8 / R      waits  queued           sent   marked  dropped  discarded
001010000000008  c0000001  stopped                   -     1.0 ms          -       4        12345 B        0        0          0
  drops: aqm 1

  packet flow                R  B x 8 / R      waits   queued   octets
  streaming         8000 bit/s          -          -        4   2000 B
"""


@case("all of it: each part a table that stands under its title, then what was counted of it")
def whole():
    with Fake(answer):
        same(client("stats", "--mss"), ALL, "stats --mss")
        same(client("stats"), ALL[:ALL.index("\n  IMSI")], "stats")


@case("one cell with its packet flows and MSs, and one MS with its packet flows")
def single():
    with Fake(answer):
        same(client("stats", "--cell", "7-20"), OF_CELL, "stats --cell")
        same(client("stats", "--ms", "001010000000008"), OF_MS, "stats --ms")


main()
