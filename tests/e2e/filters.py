#!/usr/bin/python3
"""--filter of sluice gi and sluice audit: what the expression takes is read as if the file had nothing else, also
where links differ; what it leaves out is counted; an expression that is none is refused at once."""

import json

import audit_capture as gb
from gi_capture import ETHERNET, HOST, RAW, SLL, Talk, merged, on_link, pcap
from gi_report import figures
from harness import case, main, new_folder, right, same, sluice

TALKS = [Talk(user=(f"10.0.0.{i}", 40000 + i), host=(HOST, 80 if i % 2 else 443)).setup(i, 0.1, 0.4).data(i + 1, 1).ack(i + 1.6, 1001)
         for i in range(1, 5)]
EXPRESSIONS = {
    "host 10.0.0.2": [2],
    "tcp port 443": [2, 4],
    "net 10.0.0.0/30 and not host 10.0.0.1": [2, 3],
    f"host {HOST}": [1, 2, 3, 4],
}


def report_of(octets, *options):
    path = new_folder() / "x.pcap"
    path.write_bytes(octets)
    done = sluice("gi", path, "--json", path.with_suffix(".json"), *options)
    return json.loads(path.with_suffix(".json").read_text()), done


@case("gi measures what the filter takes as if nothing else were in the file, on each link, and counts the rest")
def flows():
    for expression, wanted in EXPRESSIONS.items():
        alone = merged(*(TALKS[i - 1] for i in wanted))
        plain, _ = report_of(pcap(alone))
        same(len(plain["flows"]), len(wanted), expression)
        for link in (RAW, ETHERNET, SLL):
            whole = [(time_s, on_link(link, packet)) for time_s, packet in merged(*TALKS)]
            report, done = report_of(pcap(whole, link, raw=True), "--filter", expression)
            same((done.returncode, done.stderr), (0, ""), expression)
            same(figures(report), figures(plain), f"{expression}, link {link}")
            same((report["counts"]["frames"], report["packets"]["filtered"]), (len(alone), len(whole) - len(alone)), expression)


@case("an expression that is none is refused with libpcap's reason, status 2, and nothing is written")
def none():
    for command, words in ("gi", ("--json", "x.json")), ("audit", ()):
        folder = new_folder()
        (folder / "x.pcap").write_bytes(pcap(TALKS[0].frames))
        done = sluice(command, folder / "x.pcap", "--filter", "tcp and (", *words, cwd=folder)
        same(done.returncode, 2, command)
        right("the filter cannot be used: " in done.stderr and "syntax error" in done.stderr, done.stderr)
        same(sorted(path.name for path in folder.iterdir()), ["x.pcap"], "files")


@case("an expression that does not fit a file's link ends that file with a word; the other files are read")
def unfit():
    folder = new_folder()
    (folder / "a.pcap").write_bytes(pcap(TALKS[0].frames))
    (folder / "b.pcap").write_bytes(pcap([(time_s, on_link(ETHERNET, packet)) for time_s, packet in TALKS[1].frames], ETHERNET, raw=True))
    done = sluice("gi", folder / "a.pcap", folder / "b.pcap", "--filter", "ether host 00:00:00:00:00:00", "--json", folder / "x.json")
    report = json.loads((folder / "x.json").read_text())
    same((done.returncode, [flow["user"] for flow in report["flows"]]), (1, ["10.0.0.2"]), done.stderr)
    right("a.pcap: the filter cannot be used: " in done.stderr, done.stderr)


@case("files of several links in one run: the filter is compiled for each")
def links():
    folder = new_folder()
    made = {}
    for i, link in enumerate((RAW, ETHERNET, SLL)):
        path = folder / f"{i}.pcap"
        path.write_bytes(pcap([(time_s, on_link(link, packet)) for time_s, packet in TALKS[i].frames], link, raw=True))
        made[path] = f"10.0.0.{i + 1}"
    done = sluice("gi", *made, "--filter", "host 10.0.0.1 or host 10.0.0.2 or host 10.0.0.3", "--json", folder / "x.json")
    report = json.loads((folder / "x.json").read_text())
    same((done.returncode, [flow["user"] for flow in report["flows"]]), (0, list(made.values())), done.stderr)


@case("audit judges what the filter takes")
def audited():
    talk = gb.good()
    path = gb.write(gb.folder / "filtered.pcap", talk)
    report = gb.audit("--filter", "udp port 23000", path)
    same((report["findings"], report["input"]["filtered"], report["input"]["datagrams"]), ([], 0, len(talk)), "all of it")
    done = gb.run_audit("--json", "--filter", "port 53", path)
    report = json.loads(done.stdout)
    same((done.returncode, report["input"]["filtered"], report["nsvcs"]), (1, len(talk), []), "none of it")


main()
