"""A configuration with every block of the lab once, and all that `sluice check` has to make of each."""

MS, S = 10**6, 10**9

ALL = """
run { name = "blocks", duration = "3 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01", mtu = "1536 octets" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "sns", areas = { "001-01-7-1" }, line { },
    bss { endpoint { address = "198.51.100.2", mac = "02:00:00:00:00:03" } },
    bvc {
        bvci = 3, radio { plan { } }, buffer { }, codel { }, flow { },
        ms {
            imsi = "001010000000007",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04", gi { }, cake { }, mobile { }, tcp { name = "era" },
    move { cells = "1-3" }, suspend { }, away { },
    ftp { class = "background" }, http { class = "background" }, stream { class = "background" },
    ptt { class = "background" }, ping { class = "background" },
    traffic { class = "background", size = "576 octets" },
    replay { class = "background", file = "FILE" }, dialogue { class = "background", file = "USERS" },
}
"""

LINE = {"rate_bit_per_s": 0, "latency_ns": 0, "jitter_ns": 0, "overtaking": False, "loss_ppm": 0, "lost_run": 0,
        "good_run": 0, "queue_packets": 0, "queue_octets": 0}


def way(name, rate, pdu):
    """The radio's keys of one way."""
    return {f"{name}_{key}": value for key, value in {
        "coding": "CS-2", "rate_bit_per_s": rate, "pdu_octets": pdu, "slots": 0, "bler_ppm": 0,
        "control_ppm": 0, "window": 0, "setup_ns": 200 * MS, "setup_beside_ns": 60 * MS,
        "release_ns": 1 * S}.items()}


RADIO = {"carriers": 1, "slots": 4, "period_ns": 20 * MS, "round_trip_ns": 120 * MS, "order": "turns",
         "free_headers_octets": 0, "hold_taken_ns": 0, "resume": "at-once"} | way("down", 454400, 142) | way("up", 227200, 71) | {
             "up_buffer_octets": 0, "up_reaction_ns": 0, "up_discard_ns": 0}
PLAN = {"kind": "calls", "at_ns": 0, "every_ns": 0, "times": 0, "lasts_ns": 0, "count": 1}
BUFFER = {"rate_bit_per_s": 0, "ms_pdus": 0, "ms_octets": 0, "cell_pdus": 0, "cell_octets": 0,
          "priority": "precedence"}
CODEL = {"target_ns": 0, "interval_ns": 4 * S, "idle_octets": 512}
FLOW = {"interval_ns": 1 * S, "repeats": True, "measured": False, "rate_bit_per_s": 0,
        "bmax_octets": 0, "bmax_time_ns": 10 * S, "ms_rate_bit_per_s": 0, "ms_bmax_octets": 0,
        "ms_bmax_time_ns": 10 * S, "measurement": True, "ms": "none", "pfc": False}
BSS = {"tns_reset_ns": 3 * S, "tns_block_ns": 3 * S, "tns_test_ns": 30 * S, "tns_alive_ns": 3 * S,
       "alive_retries": 10, "tsns_prov_ns": 3 * S, "t1_ns": 5 * S, "t2_ns": 10 * S, "t3_ns": S // 2,
       "t4_ns": S // 2, "t5_ns": 15 * S, "t6_ns": 3 * S, "t8_ns": 3 * S, "retries": 3, "pfc": False,
       "cbl": False, "inr": False, "pfc_fc": False, "gigabit": False, "flush": "transfer",
       "tell_discards": True, "tell_radio_losses": False, "gather_ns": 0, "preemption": "nothing",
       "absent_ns": 5 * S, "tell_absent": False, "page_answer_ns": S // 2, "pfc_answer": "accept",
       "pfc_rate_bit_per_s": 64000, "pfc_download": False}
ENDPOINT = {"address": "198.51.100.2", "port": 23000, "mac": "02:00:00:00:00:03", "weight": 1}


def drawn(name, suffix, mean):
    """The five keys of a quantity that is drawn."""
    return {name + suffix: mean, f"{name}_law": "fixed", f"{name}_deviation{suffix}": 0,
            f"{name}_least{suffix}": 0, f"{name}_most{suffix}": 0}


APP = {"class": "background", "start_ns": 0, "stop_ns": 3 * S, "spread_ns": 0}
EVENT = {"at_ns": 0, "spread_ns": 0, "every_ns": 0, "times": 0}
LASTS = {"lasts_ns": 0}
TCP = {"host_tcp": "linux", "ms_tcp": "linux"}
LAB = {
    "ggsn": "192.0.2.2", "ggsn_mac": "02:00:00:00:00:04", "gb_rate_bit_per_s": 0, "step_ns": 1 * S,
    "passive": False,
    "gi": LINE, "cake": {"rate_bit_per_s": 0, "per": "cell", "rtt_ns": 100 * MS}, "mobile": {"n201_u_octets": 1520, "answers_xid": True, "protects_all": True},
    "tcp": [{"name": "era", "base": "linux"}],
    "move": [EVENT | {"cells": ["1-3"]}], "suspend": [EVENT | LASTS], "away": [EVENT | LASTS],
    "ftp": [APP | TCP | {"way": "down", "size_octets": 0, "files": 1, "pause_ns": 1 * S, "opener": "ms",
                         "request_octets": 0}],
    "http": [APP | TCP | {"client": "ms", "connections": 4, "reuse": "all", "request_octets": 350,
                          "header_octets": 250, "round_trips": 1, "silent_ppm": 0, "refused_ppm": 0,
                          "patience_ns": 0, "pages": 0} | drawn("main", "_octets", 4910)
             | drawn("embedded", "", 30) | drawn("embedded_size", "_octets", 4910)
             | drawn("think", "_ns", 1 * S)],
    "stream": [APP | {"way": "down", "rate_bit_per_s": 40000, "peak_bit_per_s": 0, "packet_octets": 500,
                      "ecn": False} | drawn("period", "_ns", 1 * S)],
    "ptt": [APP | {"way": "down", "group": 0, "interval_ns": 200 * MS, "packet_octets": 200,
                   "ecn": False} | drawn("talk", "_ns", 5 * S) | drawn("silence", "_ns", 5 * S)],
    "ping": [APP | {"way": "up", "interval_ns": 1 * S, "count": 0, "size_octets": 56,
                    "timeout_ns": 100 * S}],
    "traffic": [APP | {"size_octets": [576], "way": "down", "rate_bit_per_s": 8000,
                       "pattern": "constant", "ecn": False} | drawn("on", "_ns", 0)
                | drawn("off", "_ns", 0)],
    "replay": [APP | {"file": "FILE", "way": "down", "times": 1, "flow": 0, "ecn": False}],
    "dialogue": [APP | {"file": "USERS", "user": 1, "host_tcp": "linux", "ms_tcp": "linux"}],
}
NSE = {"line": LINE, "bss": BSS | {"endpoint": [ENDPOINT]}}
BVC = {"area": "001-01-7-1", "ci": 3, "radio": RADIO | {"plan": [PLAN]}, "buffer": BUFFER,
       "codel": CODEL, "flow": FLOW}

# Keys without a default.
UNSET = {"endpoint": {"nsvci"}, "plan": {"imsi"}, "radio": {"trace"}, "flow": {"trace"}, "tcp": {
    "mss", "initial_window", "initial_ssthresh", "cwnd_most", "receive_window", "window_scale",
    "send_buffer", "outside", "rto_min", "rto_initial", "rto_max", "rto_min_limits", "tick", "sample_each_ack",
    "syn_retries", "retries", "time_wait", "ack_every", "ack_delay", "ack_delay_least", "ack_adapts", "quick_acks",
    "timestamps", "sack", "dsack", "ecn", "congestion", "hystart", "count_octets", "recovery",
    "reduction", "halving_least", "dupthresh", "limited_transmit", "tail_probe", "impatient", "burst",
    "spurious", "idle_restart", "nagle"}} | {
        block: {"imsi"} for block in ("move", "suspend", "away", "ftp", "stream", "ptt", "ping", "traffic",
                                      "replay", "dialogue")} | {"http": {"imsi", "objects"}}
