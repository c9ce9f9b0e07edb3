#!/usr/bin/python3
"""`sluice audit` on captures typed from the formats (audit_capture.py): a good one has nothing to report, and
its figures are those worked out on paper; links and networks; outputs; captures of osmo-sgsn and osmo-pcu."""

import json
import re

import audit_capture as gb  # tests/gb is on the path from here on
import codec
import frames
from audit_capture import MS, S, audited, changed, folder, found, place, up
from harness import ROOT, case, main, right, same


@case("a good capture: nothing to report, and all of it read")
def good():
    report = audited(gb.good())
    same(report["findings"], [], "findings")
    same(report["input"]["frames"], report["input"]["datagrams"], "datagrams of the frames")
    same([row["state"] for row in report["nsvcs"]], ["unblocked"], "NS-VC")
    same([(row["bvci"], row["state"]) for row in report["bvcs"]], [(0, "reset"), (2, "open")], "cells")
    same([event["text"] for event in report["events"] if event["what"] == "ns-vc"],
         ["resetting", "blocked", "unblocked"], "states of the NS-VC")
    same([event["text"] for event in report["events"] if event["what"] == "bvc"],
         ["resetting", "reset", "resetting", "reset", "open"], "states of the cells")


@case("its figures: rate against R, queue, room, delays of acknowledgements, by numbers worked out on paper")
def figures():
    # from 0.013 s to 10.020 s, 20 PDUs of 500 octets, each 0.5 s: the queue is 500 octets and leaks
    # 1000 octets/s: empty after 0.5 s, so its mean is 250 while busy, up to the last 0.02 s of the capture
    report = audited(gb.good())
    bucket, cell = report["bvcs"][1]["bucket"], report["bvcs"][1]
    same((bucket["pdus"], bucket["octets"], bucket["queue_most_octets"]), (20, 10000, 500), "sent")
    covered_s = 10.020 - 0.013
    right(abs(bucket["used_of_r"] - 10000 / (1000 * covered_s)) < 1e-6, f"used of R: {bucket['used_of_r']}")
    area = 19 * 125 + 0.020 * (500 - 10)
    right(abs(bucket["queue_mean_octets"] - area / covered_s) < 1e-3, f"{bucket['queue_mean_octets']}")
    right(abs(bucket["room_mean_octets"] - (4000 - area / covered_s)) < 1e-3, f"{bucket['room_mean_octets']}")
    right(abs(bucket["queue_most_s"] - 0.5) < 1e-9, f"{bucket['queue_most_s']}")
    same((cell["flow_controls"], cell["flow_control_acks"]), (11, 11), "FLOW-CONTROLs")
    flows = report["flow_control"]
    same({row["ack_delay_ns"] for row in flows}, {MS}, "delays")
    same([row["tag"] for row in flows], list(range(1, 12)), "tags")
    same((flows[0]["bmax_octets"], flows[0]["r_bit_per_s"]), (4000, 8000), "values")
    same((cell["lifetimes_ms"]["samples"], cell["lifetimes_ms"]["most"]), (20, 10000), "lifetimes")



# ---- Links and networks ----


@case("link types, VLANs, IPv6, Frame Relay over GRE, µs stamps, two files: the same findings")
def links():
    talk = gb.good()
    at = place(talk, "bssgp_dl_unitdata", 3)
    changed(talk, at, talk[at].datagram[:-1] + b"\xff")
    wanted = {("fcs_down", "SGSN", at + 1)}
    ip_packets = [(said.time_ns, gb.frame_of(said)[14:]) for said in talk]
    macs = [gb.frame_of(said)[:12] for said in talk]
    in_six = [(said.time_ns, gb.frame_of(said, ("2001:db8::1", 23000), ("2001:db8::2", 23001))) for said in talk]

    def relayed(said):
        ends = ("192.0.2.1", "192.0.2.2") if said.down else ("192.0.2.2", "192.0.2.1")
        dlci = 300
        head = b"\0\0\x65\x59" + bytes([dlci >> 4 << 2, (dlci & 15) << 4 | 1])
        return said.time_ns, frames.ip(*ends, 47, head + said.datagram)

    kinds = {
        "Ethernet": gb.pcap([(said.time_ns, gb.frame_of(said)) for said in talk]),
        "raw": gb.pcap(ip_packets, gb.RAW),
        "loopback": gb.pcap([(t, b"\2\0\0\0" + p) for t, p in ip_packets], gb.NULL),
        "SLL": gb.pcap([(t, bytes(14) + b"\x08\0" + p) for t, p in ip_packets], gb.SLL),
        "SLL2": gb.pcap([(t, b"\x08\0" + bytes(18) + p) for t, p in ip_packets], gb.SLL2),
        "VLAN": gb.pcap([(t, mac + b"\x81\0\0\5\x08\0" + p) for (t, p), mac in zip(ip_packets, macs)]),
        "two VLANs": gb.pcap([(t, mac + b"\x88\xa8\0\1\x81\0\0\5\x08\0" + p)
                              for (t, p), mac in zip(ip_packets, macs)]),
        "IPv6": gb.pcap(in_six),
        "GRE": gb.pcap([relayed(said) for said in talk], gb.RAW),
        "us": gb.pcap(ip_packets, gb.RAW, in_ns=False),
    }
    for name, octets in kinds.items():
        (folder / "x.pcap").write_bytes(octets)
        report = gb.audit(folder / "x.pcap")
        same(found(report), wanted, name)
        same(report["bvcs"][1]["pdus_down"], 20, f"{name}: LLC PDUs")
    half = len(talk) // 2
    halves = [gb.write(folder / f"{n}.pcap", part) for n, part in enumerate((talk[:half], talk[half:]))]
    same(found(gb.audit(*halves)), wanted, "two files")


@case("two NSEs and several NS-VCs; an NS-VC without an NSEI belongs to its BSS; other UDP is left out")
def places():
    second = ("198.51.100.3", 23001)
    frames_ = [(said.time_ns, gb.frame_of(said)) for said in gb.good()]
    other = [said._replace(datagram=said.datagram.replace(b"\x04\x82\x00\x65", b"\x04\x82\x00\xc9"))
             for said in gb.good()]
    frames_ += [(said.time_ns + 1, gb.frame_of(said, bss=second)) for said in other]
    dns = frames.Datagram("198.51.100.1", 40000, "198.51.100.53", 53, b"\x12\x34\x01\0\0\1")
    frames_.append((S, frames.frame_of(dns, bytes(6), bytes(6))))
    frames_.sort()
    (folder / "x.pcap").write_bytes(gb.pcap(frames_))
    report = gb.audit(folder / "x.pcap")
    same(report["findings"], [], "findings")
    same([row["nse"] for row in report["nses"]], ["NSEI 101", "NSEI 201"], "NSEs")
    same([(row["nse"], row["bvci"]) for row in report["bvcs"] if row["bvci"]],
         [("NSEI 101", 2), ("NSEI 201", 2)], "cells")
    same(report["input"]["not_gb"], 1, "DNS")
    third = [said for said in gb.good() if not gb.name_of(said).startswith("ns_reset")]
    packets = [(said.time_ns + n, gb.frame_of(said, bss=("198.51.100.2", 23001 + n)))
               for n, talk in enumerate((gb.good(), other, third)) for said in talk]
    (folder / "x.pcap").write_bytes(gb.pcap(sorted(packets)))
    same([row["nse"] for row in gb.audit(folder / "x.pcap")["nses"]], ["NSEI 101", "NSEI 201", "BSS 198.51.100.2"],
         "an NS-VC without an NSEI at a BSS that has two")
    sns = [up(0, codec.build("sns_size", nsei=101, reset_flag=1, nsvcs=4, ip4_endpoints=1)),
           gb.down(MS, codec.build("sns_size_ack", nsei=101)), up(2 * MS, codec.build("ns_alive"))]
    nsvc, = audited(sns)["nsvcs"]
    same((nsvc["sgsn_known"], nsvc["nse"], nsvc["datagrams_down"], nsvc["datagrams_up"]), (True, "NSEI 101", 1, 2), "SNS")
    bare = [said for said in gb.good() if not gb.name_of(said).startswith("ns_reset")]
    same(audited(bare)["nses"][0]["nse"], "BSS 198.51.100.2", "without NS-RESET")


# ---- osmo-sgsn ----


@case("osmo-sgsn 1.9.0 with a queue: LLC PDUs overtake each other, and 1350 of 1500 octets/s at most")
def osmo_sgsn():
    report = gb.audit(ROOT / "tests/interop/captures/sgsn_load.pcap")
    rules = {(one["rule"], one["who"]) for one in report["findings"]}
    # what its queue drops has its number already
    same(rules, {("llc_out_of_order", "SGSN"), ("nu_gap", "SGSN"), ("paced_below", "SGSN")}, "rules")
    for one in report["findings"]:
        if one["rule"] == "paced_below":
            pdus, rate = int(one["text"].split()[0]), int(re.search(r"(\d+) octets/s, R is 1500", one["text"])[1])
            right(pdus >= 25 and 1150 <= rate <= 1400, one["text"])
    same(report["input"]["cut_llc"], 229, "LLC PDUs cut by the snap length and judged")


# ---- Outputs ----


@case("the page: on its own, with the findings, the notes and the figures of the JSON")
def page():
    talk = gb.good()
    at = place(talk, "bssgp_dl_unitdata", 3)
    path = gb.write(folder / "x.pcap", changed(talk, at, talk[at].datagram[:-1] + b"\xff"))
    same(gb.run_audit("--page", folder / "page.html", path).returncode, 0, "exit status")
    html = (folder / "page.html").read_text()
    for part in (f'<td class="n">{at + 1}</td>', "fcs_down", "Clauses broken: 1 times", "44.064 5.5", "c0000001",
                 "198.51.100.1:23000 - 198.51.100.2:23001", "unblocked"):
        right(part in html, f"{part} is not on the page")
    same(re.findall(r"<tr><td>(\w+)</td><td>breach</td><td>44.064 5.5</td><td[^>]*>(\d+)</td><td[^>]*>(\d+)</td>", html),
         [("fcs_down", "1", "0")], "its rule, by whom, and no other")
    right("bvc_bucket" not in html, "a rule that nobody breaks")
    for part in ("<script", "http://", "https://", "src="):
        right(part not in html, f"{part} is on the page")
    same(html.count("<tr>"), html.count("</tr>"), "rows")
    same(html.count("<td"), html.count("</td>"), "cells")
    same(gb.run_audit("--page", "/proc/none/x.html", path).returncode, 1, "a folder that is none")


@case("text, CSV and JSON say the same; usage")
def outputs():
    talk = gb.good()
    at = place(talk, "bssgp_dl_unitdata", 3)
    path = gb.write(folder / "x.pcap", changed(talk, at, talk[at].datagram[:-1] + b"\xff"))
    done = gb.run_audit("--csv", folder / "csv", path)
    text = done.stdout.decode()
    for part in ("Clauses broken: 1 times", f"frame {at + 1}, ", "44.064 5.5", "TLLI c0000001",
                 "What was read, and what was not judged"):
        right(part in text, f"{part} is not in:\n{text}")
    rows = (folder / "csv/findings.csv").read_text().splitlines()
    same((len(rows), rows[1].split(",")[:5]), (2, [str(at + 1), "3.000000000", "SGSN", "breach", "fcs_down"]), "CSV")
    same(len((folder / "csv/flow_control.csv").read_text().splitlines()), 12, "rows of flow_control.csv")
    for name in ("findings", "flow_control", "events", "cells", "mss", "pfcs"):
        table = [line.count(",") for line in (folder / f"csv/{name}.csv").read_text().splitlines()]
        right(name == "findings" or len(set(table)) == 1, f"{name}.csv has rows of {set(table)} commas")
    same(gb.run_audit().returncode, 2, "no file")
    same(gb.run_audit("--tolerance", "x", path).returncode, 2, "tolerance")
    same(gb.run_audit(folder / "none.pcap").returncode, 1, "no such file")
    same(gb.run_audit("--csv", "/proc/none", path).returncode, 1, "a folder that cannot be")


@case("an output that is the capture is refused, and the capture stays as it is")
def kept():
    path = gb.write(folder / "findings.csv", gb.good())
    before = path.read_bytes()
    for words in (("--page", path), ("--csv", folder), ("--page", folder / "y.html", "--csv", f"{folder}/../{folder.name}")):
        same((gb.run_audit(*words, path).returncode, path.read_bytes()), (2, before), words)
    right(not (folder / "y.html").exists(), "nothing is written")


@case("captures of osmo-pcu and osmo-sgsn: what make_captures.py did wrong on purpose, and their faults")
def osmocom():
    captures = ROOT / "tests/interop/captures"
    # a DL-UNITDATA cut short, and one on an NS-VC that it had blocked with an N(U) that was there before
    same({(one["rule"], one["who"]) for one in gb.audit(captures / "pcu.pcap")["findings"]},
         {("malformed", "SGSN"), ("nsvc_blocked", "SGSN"), ("llc_repeated", "SGSN")}, "pcu.pcap")
    same(found(gb.audit(captures / "pcu_sns.pcap")), set(), "pcu_sns.pcap")
    # a FLOW-CONTROL-BVC without its values, by the simulated BSS
    same({(one["rule"], one["who"]) for one in gb.audit(captures / "sgsn.pcap")["findings"]},
         {("malformed", "BSS")}, "sgsn.pcap")
    report = gb.audit(captures / "ggsn.pcap")
    right(any("no Gb" in note for note in report["notes"]), json.dumps(report["notes"]))


main()
