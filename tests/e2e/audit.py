#!/usr/bin/python3
"""`sluice audit` on captures typed from the formats (audit_capture.py): a good one has nothing to report, and
its figures are those worked out on paper; links and networks; outputs; captures of osmo-sgsn and osmo-pcu."""

import csv
import json
import os
import random
import re
import subprocess
import threading

import audit_capture as gb  # tests/gb is on the path from here on
import codec
import frames
from audit_capture import MS, S, audited, changed, down, folder, found, place, up
from harness import ROOT, case, main, new_folder, program, right, same


@case("a good capture: nothing to report, and all of it read")
def good():
    report = audited(gb.good())
    same(report["findings"], [], "findings")
    same(report["input"]["frames"], report["input"]["datagrams"], "datagrams of the frames")
    same([row["state"] for row in report["nsvcs"]], ["unblocked"], "NS-VC")
    same([(row["bvci"], row["state"]) for row in report["bvcs"]], [(0, "reset"), (2, "open")], "cells")
    same({row["bvci"] for row in report["mss"]}, {2}, "cell of the MSs")
    same([event["text"] for event in report["events"] if event["what"] == "ns-vc"],
         ["resetting", "blocked", "unblocked"], "states of the NS-VC")
    same([event["text"] for event in report["events"] if event["what"] == "bvc"],
         ["resetting", "reset", "resetting", "reset", "open"], "states of the cells")


@case("the text ends with each count that is not 0, as the JSON has it")
def footer():
    gb.write(folder / "footer.pcap", gb.good())
    counts = gb.audit(folder / "footer.pcap")["input"]
    text = gb.run_audit(folder / "footer.pcap").stdout.decode().partition("What was read, and what was not judged\n")[2]
    others = ("frames", "first_ns", "lasts_ns", "clock_disorder_ns")
    same([int(n) for n in re.findall(r"^  .*: (\d+)$", text, re.MULTILINE)],
         [n for name, n in counts.items() if name not in others and n], text)
    right(counts["datagrams"] > 0, counts)


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


@case("quantiles of answers: the middle one and the one of 95 %, as a sorted list has them, within 0.8 %")
def quantiles():
    delays = [n * n * MS for n in range(1, 101)]
    random.Random(7).shuffle(delays)
    talk = gb.bring_up()
    for n, delay in enumerate(delays):
        asked = (20 + 20 * n) * S
        talk += [up(asked, gb.flow_bvc(n % 256)),
                 down(asked + delay, gb.on_cell("bssgp_flow_control_bvc_ack", tag=n % 256))]
    found = audited(talk)["bvcs"][1]["ack_delays_ns"]
    wanted = sorted([*delays, MS])
    same((found["samples"], found["most"]), (101, 10 * S), "of the answers")
    for name, value in (("p50", wanted[50]), ("p95", wanted[95])):
        right(value <= found[name] <= value * 1.008, f"{name}: {found[name]}, sorted {value}")



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
    asks = [gb.down(0, codec.build("ns_reset", cause=1, nsvci=102, nsei=101)), up(MS, codec.build("ns_reset_ack", nsvci=102, nsei=101))]
    nsvc, = audited(asks + [said._replace(time_ns=said.time_ns + 2 * MS) for said in gb.good()])["nsvcs"]
    same((nsvc["sgsn_known"], nsvc["nse"]), (True, "NSEI 101"), "the SGSN's datagram is the first")
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
    hostile = gb.write(folder / "<script>alert(1)\x1b<.pcap", gb.good())
    for words, title in (((path,), "x.pcap"), ((path, hostile), "x.pcap and others"), ((hostile,), "&lt;script&gt;alert(1)?&lt;.pcap")):
        same(gb.run_audit("--page", folder / "named.html", *words).returncode, 0, "exit status")
        right(f"<h1>Audit of Gb: {folder}/{title}</h1>" in (folder / "named.html").read_text(), f"no title {title}")
    for part in ("<script", "http://", "https://", "src="):
        right(part not in html, f"{part} is on the page")
    same(html.count("<tr>"), html.count("</tr>"), "rows")
    same(html.count("<td"), html.count("</td>"), "cells")
    same(gb.run_audit("--page", "/proc/none/x.html", path).returncode, 1, "a folder that is none")


@case("the verdict is good only where all was judged; a capture without Gb has none")
def verdicts():
    good, none = "Clauses broken: 0 times", "There is no Gb in this capture, so nothing was judged"
    talk = gb.good()
    snapped = gb.write(folder / "snapped.pcap", talk, snap=70)
    for path, verdict, word, noted in ((gb.write(folder / "y.pcap", talk), "good", good, False), (snapped, "soft", good, True),
                                       (gb.write(folder / "no_gb.pcap", []), "bad", none, True)):
        text = gb.run_audit("--page", folder / "page.html", path).stdout.decode()
        html = (folder / "page.html").read_text()
        right(f'<strong class="{verdict}">{word}' in html, f"{verdict} is not the verdict on {path.name}")
        same("at the end of this page" in html, noted, f"{path.name}: what was not judged is named beside it")
        same((good in text, none in text), (word == good, word == none), text)
        right('<td class="n">0</td><td>open' not in html and '<td class="n">0</td><td>reset' not in html, "BVCI 0 is no cell")


@case("CSV: what there is not is empty, as it is null or missing in the JSON")
def empty_cells():
    own = gb.on_cell("bssgp_flow_control_ms", tlli=gb.TLLI, tag=9, ms_bmax=10, r=80)
    path = gb.write(folder / "x.pcap", gb.sorted_by_time([*gb.good(), up(3 * S + 5 * MS, own)]))
    report = gb.audit(path)
    gb.run_audit("--csv", folder / "csv", path)
    rows = {name: list(csv.DictReader((folder / f"csv/{name}.csv").read_text().splitlines())) for name in ("cells", "flow_control")}
    right({one["bucket"] is None for one in report["bvcs"]} == {True, False}, "a BVC with and one without a bucket")
    for row, one in zip(rows["cells"], report["bvcs"], strict=True):
        same([row[key] == "" for key in list(row)[-9:]], [one["bucket"] is None] * 9, str(row))
    kinds = set()
    for row, one in zip(rows["flow_control"], report["flow_control"], strict=True):
        kinds.add(one["of"])
        for key in ("bmax_octets", "r_bit_per_s", "bmax_default_octets", "r_default_bit_per_s", "ack_frame"):
            same(row[key], str(one.get(key, "")), f"{key} of {row}")
    right("bvc" in kinds and len(kinds) > 1, f"FLOW-CONTROLs of {kinds}")


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


@case("a link in the place of a table is replaced, and what it names stays as it is")
def linked_table():
    out, other = new_folder(), folder / "other"
    other.write_text("mine")
    (out / "cells.csv").symlink_to(other)
    same(gb.run_audit("--csv", out, gb.write(folder / "x.pcap", gb.good())).returncode, 0, "status")
    same((other.read_text(), (out / "cells.csv").is_symlink()), ("mine", False), "what it named, and the table")


@case("files are written though nobody reads standard output, and one that cannot be written keeps no other from it")
def ended():
    path = gb.write(folder / "x.pcap", gb.good())
    for words in ((), ("--json",)):
        reader, writer = os.pipe()
        os.close(reader)
        outputs = new_folder()
        subprocess.run([program(), "audit", path, *words, "--csv", outputs, "--page", outputs / "x.html"], stdout=writer,
                       stderr=subprocess.DEVNULL, check=False, timeout=60)
        os.close(writer)
        right((outputs / "pfcs.csv").exists() and (outputs / "x.html").read_text().endswith("</html>\n"), f"files with {words}")
    done = gb.run_audit("--csv", "/proc/none", "--page", outputs / "y.html", path)
    right(done.returncode == 1 and b"Clauses broken" in done.stdout and (outputs / "y.html").exists(), "page and text")


@case("an output that is the capture is refused, and the capture stays as it is")
def kept():
    path = gb.write(folder / "findings.csv", gb.good())
    before = path.read_bytes()
    for words in (("--page", path), ("--csv", folder), ("--page", folder / "y.html", "--csv", f"{folder}/../{folder.name}")):
        same((gb.run_audit(*words, path).returncode, path.read_bytes()), (2, before), words)
    right(not (folder / "y.html").exists(), "nothing is written")


@case("a capture through a pipe, as - or by a name, whole or broken off; where there is no room for it a message says so")
def pipes():
    talk = gb.good()
    at = place(talk, "bssgp_dl_unitdata", 3)
    octets = gb.write(folder / "x.pcap", changed(talk, at, talk[at].datagram[:-1] + b"\xff")).read_bytes()
    wanted = gb.run_audit("--json", folder / "x.pcap").stdout
    os.mkfifo(folder / "pipe")
    for name in "-", "/dev/stdin", str(folder / "pipe"):
        if name == str(folder / "pipe"):
            writer = threading.Thread(target=(folder / "pipe").write_bytes, args=(octets,))
            writer.start()
        done = subprocess.run([program(), "audit", "--json", name], input=octets, capture_output=True, timeout=60)
        same((done.returncode, done.stdout), (0, wanted), name)
    writer.join()
    cut = subprocess.run([program(), "audit", "-"], input=octets[:-9], capture_output=True, timeout=60)
    right(b"- breaks off behind frame" in cut.stdout, cut.stdout)
    none = subprocess.run([program(), "audit", "-"], input=octets, capture_output=True, timeout=60,
                          env=os.environ | {"TMPDIR": "/proc/none"})
    right(none.returncode == 1 and b"a copy in /proc/none cannot be made" in none.stderr, none.stderr)
    of_folder = gb.run_audit(folder)
    same((of_folder.returncode, of_folder.stderr.decode()), (1, f"sluice audit: {folder}: Is a directory\n"), "a folder")
    for env in {}, {"TMPDIR": ""}:
        full = subprocess.run(["bash", "-c", f"ulimit -f 1; trap '' XFSZ; exec {program()} audit -"], input=octets,
                              capture_output=True, timeout=60, env=os.environ | env)
        right(full.returncode == 1 and b"cannot be made: File too large" in full.stderr, full.stderr)
    right(b"a copy in /var/tmp " in full.stderr, f"TMPDIR empty: {full.stderr}")


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
