#!/usr/bin/python3
"""`sluice bench`: it runs on every kind of port, its JSON says what was asked for, and its figures
agree with each other. How fast it is, is not judged here: a test machine has others to serve."""

import collections
import csv
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess

import pandas

from harness import UDP_SCENARIO, Skip, case, main, new_folder, program, right, same, sluice

# On a machine that others keep busy no rate may be without loss; one that may lose all always is.
LOSSES = 0, 0.1, 100
QUICK = ("--ms", 100, "--seconds", 0.01, "--repeats", 1, "--loss", ",".join(map(str, LOSSES)), "--json")
LONGER = ("--seconds", 0.02)  # where threads share processors and the frames that came are counted
STAGES = ("rest receive unwrap decap tunnel queue schedule frame fcs cipher send uplink").split()
PERCENTILES = ("least", "p50", "p90", "p99", "p99_9", "max")
BEYOND = {"p50": 0.5, "p90": 0.1, "p99": 0.01, "p99_9": 0.001}  # the share of samples that took longer


def processors():
    return len(os.sched_getaffinity(0))


seen = set()  # keys of all results


def keys_of(value, before=""):
    """The keys of an object, those of objects in it behind theirs; drops have their reasons as keys."""
    for key, member in value.items():
        yield before + key
        for one in member if isinstance(member, list) else [member]:
            if isinstance(one, dict) and key != "drops":
                yield from keys_of(one, f"{before}{key}.")


def bench(*arguments, status=0, before=()):
    done = sluice("bench", *QUICK, *arguments, before=before)
    same(done.returncode, status, f"bench {arguments}: exit status\n{done.stderr}")
    if status:
        return done.stderr
    result = json.loads(done.stdout)
    seen.update(keys_of(result))
    return result


def conserved(result):
    books = result["conservation"]
    same(books["sent"], sum(books[name] for name in
                            ("received", "dropped", "queued", "lost_by_devices")), "packets sent")
    if result["ports"] in ("ring", "memif"):
        same(books["lost_by_devices"], 0, "lost where nothing can be")
    same(sum(result["drops"].values()), books["dropped"], "the drops by reason")
    right(books["received"] > 0, "nothing came out")


def sound(result):
    """What holds of every run."""
    conserved(result)
    right(result["mpps"] > 0, "no packets a second")
    spread = result["cycles_spread"]
    right(0 < spread["least"] <= spread["median"] <= spread["most"], f"cycles: {spread}")
    same(result["cycles_per_packet"], spread["least"], "cycles_per_packet")
    same(sorted(result["stages"]), sorted(STAGES), "the stages")
    total = sum(result["stages"].values())
    right(abs(total - result["stages_sum"]) < 0.1, f"stages_sum is not {total}: {result}")
    right(all(result["baseline"][name] > 0 for name in ("mbuf", "forward")), "no baseline")
    right(result["tsc_hz"] > 1e8, "tsc_hz")
    right(result["pages"] in ("huge", "4 KiB"), "pages")


def searched(result, losses=LOSSES):
    """What holds of a run that looked for rates."""
    search, rates = result["search"], result["rates"]
    same([rate["loss_percent"] for rate in rates], list(losses), "per cent that may be lost")
    for rate in rates:
        right(rate["mpps_least"] <= rate["mpps"] <= rate["mpps_most"], f"rates: {rate}")
        right(rate["lost"] <= rate["loss_percent"] / 100 * rate["offered"], f"more lost than may be: {rate}")
    found = next(rate for rate in rates if rate["mpps"] > 0)
    same((result["mpps"], result["lost"]), (found["mpps"], found["lost"]), "the rate at the least loss that has one")
    right(search["trials"] >= max(1, search["disturbed"]), f"search: {search}")
    alone = search["generator_mpps"]
    right(0 < alone["least"] <= alone["median"] <= alone["most"], f"the generator alone: {alone}")
    same([latency["load_percent"] for latency in result["latency_us"]], [10, 50, 90, 100], "loads")
    for latency in result["latency_us"]:
        values = [latency[name] for name in PERCENTILES if latency[name] is not None]
        same(values, sorted(values), f"{latency}: percentiles in order")
        right(latency["samples"] > 0 and values[0] > 0, f"{latency}")
        for name, share in BEYOND.items():
            same(latency[name] is not None, math.floor(latency["samples"] * share + 1e-9) >= 10,
                 f"{name} of {latency['samples']} samples is there")


def trials_agree(folder, seconds):
    """What holds of every trial; returns their rows."""
    trials = pandas.read_csv(folder / "trials.csv")
    same(list(trials.lost), list(trials.refused + trials.dropped + trials.lost_by_devices), "lost, and by what")
    same(list(trials.offered), list((trials.offered_mpps * seconds * 1e6).round()), "offered, by the rate and the time")
    return trials


def handed_on(result, folder):
    """One queue, two workers: the first one hands on those of the second, half of all; the full port refused of either."""
    trials, handed = trials_agree(folder, result["seconds"]), result["handed_on"]
    least = 0.45 * trials.offered.sum() - trials.refused.sum()
    right(0 < handed and least < handed < 0.9 * result["conservation"]["sent"], f"handed on: {handed}, at least {least}")


# --- Runs -----------------------------------------------------------------------------------------


@case("rings: a rate without loss, latency, cycles, stages")
def rings():
    result = bench("--backlogged", 0)
    sound(result)
    searched(result)
    asked = {"ms": 100, "size": 576, "cipher": "none", "aqm": "cobalt", "ports": "ring",
             "workers": 1, "direction": "down", "backlogged": 0}
    same({name: result[name] for name in asked}, asked, "what was asked for")
    right(all(result["stages"][name] > 0 for name in ("unwrap", "tunnel", "schedule", "frame")),
          f"a stage without cycles: {result['stages']}")
    same(result["search"]["processors"], min(processors(), 2), "processors")


@case("a mix of sizes in many segments, enciphered, under another AQM")
def segments():
    result = bench("--size", "imix", "--cipher", "gea4", "--aqm", "pie", "--n201-u", 140,
                   "--no-search")
    sound(result)
    same((result["size"], result["cipher"], result["aqm"]), ("imix", "gea4", "pie"), "asked for")
    same(result["size_mean_octets"], (7 * 64 + 4 * 576 + 1400) / 12, "mean size")
    right(result["stages"]["cipher"] > 0, "no cycles for the cipher")
    same((result["search"], [name for name in ("rates", "latency_us") if name in result]), (None, []),
         "what --no-search leaves out")


@case("up: N-PDUs reach Gn, in plaintext", "none")
@case("up: N-PDUs reach Gn, enciphered", "gea3")
def up(cipher):
    result = bench("--up", "--cipher", cipher)
    sound(result)
    searched(result)
    same(result["direction"], "up", "direction")
    right(result["stages"]["uplink"] > result["stages"]["schedule"], f"{result['stages']}")


@case("both ways at once: what is sent either way comes out")
def both():
    result = bench("--both", "--cipher", "gea4")
    sound(result)
    searched(result)
    same(result["direction"], "both", "direction")


@case("backlogged MSs have packets queued throughout")
def backlogged():
    result = bench("--backlogged", 50)
    sound(result)
    right(0 < result["conservation"]["queued"] <= 2 * 50, f"{result['conservation']}")
    same(result["search"], None, "search")


@case("backlogged MSs may be on their cells' defaults, all at one rate")
def backlogged_on_defaults():
    result = bench("--backlogged", 50, "--defaults", "--rate", 16000)
    sound(result)
    right(0 < result["conservation"]["queued"] <= 2 * 50, f"{result['conservation']}")
    same((result["defaults"], result["rate_bit_per_s"]), (1, 16000), "asked for")


@case("memif: the same through shared memory")
def memif():
    result = bench("--ports", "memif")
    sound(result)
    searched(result)


@case("memif with two workers: each queue has its worker's frames, or all come to the first, which hands them on", ())
@case("memif with two workers, all frames in a VLAN", ("--vlan", 100))
@case("memif with two workers and one queue", ("--one-queue",))
def memif_workers(words):
    if processors() < 2:
        raise Skip("needs two processors")
    folder = new_folder()
    result = bench(*LONGER, "--ports", "memif", "--workers", 2, "--steering", "strays", "--out", folder, *words)
    sound(result)
    searched(result)
    same((result["workers"], result["steering"], result["scaling"]), (2, "strays", None), "asked for")
    if "--one-queue" in words:
        handed_on(result, folder)
    else:
        same(result["handed_on"], 0, "handed on")
    measured = result["measured"]
    same((measured["gn_steering"], measured["gn_steering_lacks"]), ("strays", None), "how frames came")
    same(measured["gn_vlan"], 100 if "--vlan" in words else None, "VLAN")


@case("--steering: a device that does not do it is named, and why; auto takes what it can do, and says why not more")
def steering():
    if processors() < 2:
        raise Skip("needs two processors")
    for word in "address", "teid", "rss":
        said = bench("--ports", "memif", "--workers", 2, "--steering", word, status=1)
        right(f'cannot do steering = "{word}": ' in said and "net_memif0" in said, said)
    measured = bench("--ports", "memif", "--workers", 2)["measured"]
    same(measured["gn_steering"], "strays", "how frames came")
    same([way.split(":")[0] for way in measured["gn_steering_lacks"].split("; ")], ["address", "teid", "rss"], "what it lacks")
    done = sluice("bench", *QUICK[:-1], "--ports", "memif", "--workers", 2, "--vlan", 5)
    right(re.search(r"ports memif, VLAN 5\n2 workers, Gn steering strays \(address: .*; teid: .*; rss: .*\)\n", done.stdout), done.stdout)


def tags_of(path):
    """{VID of a frame, None without a tag: how many}, of a capture of this machine's byte order."""
    data, found, at = path.read_bytes(), collections.Counter(), 24
    while at < len(data):
        captured, = struct.unpack_from("=I", data, at + 8)
        frame = data[at + 16:at + 16 + captured]
        found[int.from_bytes(frame[14:16], "big") & 0xfff if frame[12:14] == b"\x81\x00" else None] += 1
        at += 16 + captured
    return found


@case("--vlan: frames have the tag on both sides of Sluice, and without it none has")
def vlan():
    folder = new_folder()
    (folder / "empty").write_bytes(struct.pack("=IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
    for vid, words in (4094, ("--vlan", 4094)), (None, ()):
        out = folder / f"{vid}.pcap"
        ports = ",".join(f"net_memif{n},role={role},id=0,socket={folder}/{vid}" for n, role in enumerate(("server", "client")))
        ports += f",net_pcap0,rx_pcap={folder}/empty,tx_pcap={out},net_null0,no-rx=1"
        sluice("bench", *QUICK, *LONGER, "--ports", ports, *words)  # nothing comes back to the generator
        found = tags_of(out)
        right(found[vid] > 1000 and set(found) == {vid}, f"--vlan {vid}: frames by tag: {found}")


VETHS = """
for pair in a b; do
    ip link add ${pair}0 type veth peer name ${pair}1 &&
    for end in ${pair}0 ${pair}1; do
        echo 1 > /proc/sys/net/ipv6/conf/$end/disable_ipv6 && ip link set $end up || exit 77
    done || exit 77
done
exec "$@"
"""


@case("devices of the kernel: two pairs of veth, in a network namespace of their own")
def kernel_devices():
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("unshare"):
        raise Skip("needs root, ip (iproute2) and unshare (util-linux)")
    devices = ",".join(f"net_af_packet{i},iface={name}"
                       for i, name in enumerate(("a0", "a1", "b0", "b1")))
    folder = new_folder()
    done = sluice("bench", *QUICK, *LONGER, "--ports", devices, "--out", folder,
                  before=("unshare", "-n", "sh", "-c", VETHS, "sh"))
    if done.returncode == 77:
        raise Skip(f"no veth: {done.stderr}")
    same(done.returncode, 0, f"exit status\n{done.stderr}")
    result = json.loads(done.stdout)
    sound(result)
    searched(result)
    trials_agree(folder, result["seconds"])


@case("one processor: generator and worker take turns, and it says so")
def one_processor():
    one = min(os.sched_getaffinity(0))
    folder = new_folder()
    done = sluice("bench", *QUICK, "--out", folder, before=("taskset", "-c", str(one)))
    same(done.returncode, 0, f"exit status\n{done.stderr}")
    right("take turns on one" in done.stderr, f"nothing about turns in:\n{done.stderr}")
    result = json.loads(done.stdout)
    sound(result)
    searched(result)
    same(result["search"]["processors"], 1, "processors")
    drawn = (folder / "report.html").read_text()
    right("takes turns with Sluice on one processor" in drawn and "processor of its own" not in drawn, "the page")


@case("two workers: each alone accounts for its packets, and both make the rate")
def workers():
    if processors() < 2:
        raise Skip("needs two processors")
    result = bench("--workers", 2)
    sound(result)
    searched(result)
    same(result["search"]["processors"], 3 if processors() > 2 else 1, "processors of the search")
    scaling = result["scaling"]
    rate = sum(result["tsc_hz"] / cycles for cycles in scaling["cycles_per_packet"]) / 1e6
    right(abs(rate - scaling["mpps_all"]) < 0.01 * rate, f"{scaling} does not make {rate}")
    alone = bench("--workers", 2, "--no-search")
    same(alone["mpps"], alone["scaling"]["mpps_all"], "mpps where none was looked for")
    right(abs(scaling["times"] - scaling["mpps_all"] / scaling["mpps_alone"]) < 0.01, f"{scaling}")


@case("--one-queue: two workers, all frames at the first: it hands on those of the second, and all come out")
def one_queue():
    if processors() < 2:
        raise Skip("needs two processors")
    folder = new_folder()
    result = bench(*LONGER, "--workers", 2, "--one-queue", "--out", folder)
    sound(result)
    searched(result)
    same((result["workers"], result["one_queue"], result["scaling"]), (2, True, None), "asked for")
    handed_on(result, folder)


@case("--capture: every frame in and out is copied, or missed and counted, also while the stages are measured")
def capture():
    result = bench("--ms", 1000, "--no-search", "--capture", "--seconds", 0.2)
    sound(result)
    taken = result["capture"]
    right(taken["copied"] > 0 and taken["octets"] > 0, f"copied: {taken}")
    same(taken["copied"] + taken["missed"], result["conservation"]["sent"] * 2, f"copied and missed, of {taken}")
    same("capture" in bench("--no-search"), False, "without it")


@case("--view: every MS was looked at, page by page, and the packets came out all the same")
def view():
    result = bench("--ms", 1000, "--no-search", "--view", "--seconds", 0.2)
    sound(result)
    right(15 < result["view"]["pages_a_pass"] < 20
          and result["view"]["pages"] >= result["view"]["pages_a_pass"], f"pages: {result['view']}")
    right(result["view"]["cycles_a_round"] > 0, f"rounds: {result['view']}")
    same("view" in bench("--no-search"), False, "without it")


@case("rte_sched stands beside it from 4096 MSs on, with as many pipes")
def rte_sched():
    result = bench("--ms", 5000, "--no-search")
    same(result["baseline"]["rte_sched_pipes"], 4096, "pipes")
    right(result["baseline"]["rte_sched"] > 0, "no cycles")
    same(bench("--ms", 5000, "--no-search", "--no-rte-sched")["baseline"]["rte_sched"], None,
         "left out")


@case("a text, where no JSON is asked for")
def text():
    done = sluice("bench", *QUICK[:-1])
    same(done.returncode, 0, f"exit status\n{done.stderr}")
    for words in ("cycles a packet, the worker alone", "Mpps of the generator alone", "Mpps without loss",
                  "Mpps that lose 0.1 % at most", "trials", "latency at 50 %", "samples", "stages", "baselines", "packets: "):
        right(words in done.stdout, f"no {words!r} in:\n{done.stdout}")


# --- Several points, and files --------------------------------------------------------------------

FILES = ["bench.json", "cycles.csv", "histogram.csv", "latency.csv", "rates.csv", "report.html", "trials.csv"]


@case("several sizes and numbers of MSs: a point for each pair, in a list; pandas reads the CSV files")
def sweep():
    folder = new_folder() / "deep/out"
    done = sluice("bench", "--ms", "50,200", "--size", "64,imix", "--seconds", 0.01, "--repeats", 2, "--loss", "0,100",
                  "--out", folder, "--json")
    same(done.returncode, 0, f"exit status\n{done.stderr}")
    results = json.loads(done.stdout)
    points = [(50, 64), (50, "imix"), (200, 64), (200, "imix")]
    same([(one["ms"], one["size"]) for one in results], points, "points")
    for result in results:
        sound(result)
        searched(result, [0, 100])
        right(str(folder) in result["measured"]["command"] and "model name" not in result["measured"]["cpu"],
              f"measured with: {result['measured']}")
        right(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", result["measured"]["date"]), "date")
    same(sorted(path.name for path in folder.iterdir()), FILES, "files")
    same(json.loads((folder / "bench.json").read_text()), results, "bench.json")
    rates, latency, histogram = (pandas.read_csv(folder / f"{name}.csv") for name in ("rates", "latency", "histogram"))
    same([(row.ms, str(row.size), row.loss_percent) for row in rates[["ms", "size", "loss_percent"]].itertuples()],
         [(ms, str(size), loss) for ms, size in points for loss in (0, 100)], "rates.csv")
    same(list(rates.mpps), [rate["mpps"] for result in results for rate in result["rates"]], "mpps in CSV and JSON")
    same(list(rates.frame_octets[:1]), [64 + 18], "a frame of Ethernet")
    same(list(rates.gn_frame_octets[:1]), [64 + 36 + 14 + 4], "the frame on Gn")
    trials = trials_agree(folder, 0.01)
    same(trials.groupby(["ms", "size"]).size().to_dict(),
         {(one["ms"], str(one["size"])): one["search"]["trials"] for one in results}, "trials")
    same(int(trials.disturbed.sum()), sum(one["search"]["disturbed"] for one in results), "disturbed trials")
    key = ["ms", "size", "load_percent"]
    same(histogram.groupby(key).packets.sum().to_dict(), latency.set_index(key).samples.to_dict(),
         "packets in the histogram, and samples")
    for row in latency.dropna(subset=["p50_us"]).itertuples():
        one = histogram[(histogram.ms == row.ms) & (histogram["size"] == row.size) &
                        (histogram.load_percent == row.load_percent)]
        same(min(one[one.share >= 0.5].to_us.min(), row.max_us), row.p50_us, f"the median of {row}")


@case("the page has the rates, the latency and the command; each column is explained")
def page():
    folder = new_folder()
    done = sluice("bench", *QUICK[:-1], "--size", "64,576", "--out", folder)
    same(done.returncode, 0, f"exit status\n{done.stderr}")
    drawn = (folder / "report.html").read_text()
    for words in ("Throughput by size", "Latency by load", "Rates", f"--out {folder}", "generator alone"):
        right(words in drawn, f"no {words!r} on the page")
    right("No figures" in drawn or drawn.count("<svg") >= 4, "figures")
    with (folder / "rates.csv").open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        right(re.search(rf">{row['mpps']}<", drawn), f"{row['mpps']} Mpps are not on the page")
    said = sluice("help", "csv").stdout.split("\nOf sluice bench --out DIR:\n")[1]
    for name in FILES:
        if name.endswith(".csv"):
            lines = said.split(f"\n{name}\n")[1].split("\n\n")[0].strip().splitlines()
            with (folder / name).open() as file:
                same([line.split(":")[0].split(",")[0] for line in lines], next(csv.reader(file)), f"columns of {name}")


@case("the page has the cycles of each point; without a search it has nothing about trials")
def page_of_cycles():
    folder = new_folder()
    done = sluice("bench", *QUICK[:-1], "--size", "64,imix", "--no-search", "--out", folder)
    same(done.returncode, 0, f"exit status\n{done.stderr}")
    drawn = (folder / "report.html").read_text()
    found = json.loads((folder / "bench.json").read_text())
    table = pandas.read_csv(folder / "cycles.csv")
    for key, values in (("ms", [one["ms"] for one in found]), ("size", [str(one["size"]) for one in found]),
                        ("cycles_per_packet", [one["cycles_per_packet"] for one in found]),
                        ("cycles_median", [one["cycles_spread"]["median"] for one in found])):
        same([str(value) if key == "size" else value for value in table[key]], values, f"{key} of cycles.csv")
    for one in found:
        for value in one["cycles_per_packet"], one["cycles_spread"]["median"]:
            right(f">{value:.2f}<" in drawn, f"no {value:.2f} on the page")
    for words in "No figures", "Rates", "A trial offers":
        right(words not in drawn, f"{words!r} on the page")


@case("RFC 2544's sizes, less 18 octets")
def rfc2544():
    done = sluice("bench", *QUICK, "--size", "rfc2544", "--no-search")
    same(done.returncode, 0, f"exit status\n{done.stderr}")
    same([one["size"] + 18 for one in json.loads(done.stdout)], [64, 128, 256, 512, 1024, 1280, 1518], "sizes")


@case("a folder that cannot be made, or is a file: status 1, and it is named, before anything is measured")
def no_folder():
    file = new_folder() / "file"
    file.touch()
    for folder in "/proc/nowhere", file, file / "in", file.parent / ("a" * 300), "a/" * 3000:
        done = sluice("bench", *QUICK, "--no-search", "--out", folder)
        same((done.returncode, done.stdout), (1, ""), f"{folder}: exit status and stdout")
        same(len(done.stderr.splitlines()), 1, f"lines\n{done.stderr}")
        right(str(folder) in done.stderr, done.stderr)
    same(file.read_bytes(), b"", "the file")


@case("files of --out replace what has their names; what a link points to stays")
def replaced():
    folder = new_folder()
    (folder / "other").write_text("mine")
    (folder / "rates.csv").symlink_to("other")
    (folder / "report.html").write_text("older")
    os.mkfifo(folder / "bench.json")
    done = sluice("bench", *QUICK, "--out", folder)
    same(done.returncode, 0, f"exit status\n{done.stderr}")
    same((folder / "other").read_text(), "mine", "the file behind the link")
    same([name for name in FILES if (folder / name).is_symlink() or not (folder / name).is_file()], [], "no plain files")
    right((folder / "report.html").read_text() != "older", "the page")


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@case("--no-search: no file of a search, neither without rows nor of an earlier benchmark; it is said what is replaced")
def not_searched():
    folder = new_folder()
    done = sluice("bench", *QUICK, "--out", folder)
    same((done.returncode, sorted(contents(folder))), (0, [pathlib.Path(name) for name in FILES]), f"files\n{done.stderr}")
    right("earlier benchmark" not in done.stderr, done.stderr)
    done = sluice("bench", *QUICK, "--no-search", "--out", folder)
    same(done.returncode, 0, f"exit status\n{done.stderr}")
    same(sorted(path.name for path in contents(folder)), ["bench.json", "cycles.csv", "report.html"], "files without a search")
    right(f"results: {folder} has those of an earlier benchmark" in done.stderr, f"what is replaced:\n{done.stderr}")


@case("neither writes a benchmark into the folder of a run, nor a run, nor several, into that of a benchmark")
def of_another_command():
    runs, benchmark = new_folder() / "run", new_folder() / "bench"
    run = ("run", UDP_SCENARIO, "--set", 'run.duration=1 s', "--no-page", "--out")
    done = sluice(*run, runs)
    same(done.returncode, 0, f"the run\n{done.stderr}")
    done = sluice("bench", *QUICK, "--no-search", "--out", benchmark)
    same(done.returncode, 0, f"the benchmark\n{done.stderr}")
    before = contents(runs), contents(benchmark)
    for folder, whose, words in ((runs, "sluice run", ("bench", *QUICK, "--no-search", "--out", runs)),
                                 (benchmark, "sluice bench", (*run, benchmark)),
                                 (benchmark, "sluice bench", (*run, benchmark, "--force")),
                                 (benchmark, "sluice bench", (*run, benchmark, "--seeds", "1..2"))):
        done = sluice(*words)
        same((done.returncode, done.stdout), (1, ""), f"{words}: exit status and stdout\n{done.stderr}")
        right(f"{folder}: has the results of `{whose}`" in done.stderr, f"{words}: {done.stderr}")
    right((contents(runs), contents(benchmark)) == before, "the files are others")


@case("a sweep that is killed leaves the files of the points that it had measured")
def killed():
    folder = new_folder()
    sizes = ",".join(str(64 + 10 * i) for i in range(16))
    with subprocess.Popen([program(), *map(str, ("bench", *QUICK, "--size", sizes, "--out", folder))], text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as sweep_of_16:
        said = ""
        for line in sweep_of_16.stderr:
            said += line
            if line.startswith("point 2 of 16"):
                sweep_of_16.kill()
                break
    results = json.loads((folder / "bench.json").read_text())
    right(1 <= len(results) < 16, f"{len(results)} points, of a sweep that said\n{said}")
    same(len(pandas.read_csv(folder / "rates.csv")), len(LOSSES) * len(results), "rates")
    right(f"{16 - len(results)} of 16 points were not measured yet" in (folder / "report.html").read_text(), "the page")


@case("points that fail: status 1, an empty list, and the page says how many are missing")
def failed_points():
    folder = new_folder()
    (folder / "gn.pcap").touch()
    done = sluice("bench", *QUICK, "--size", "64,576", "--ports", f"pcap:{folder}/gn.pcap", "--out", folder)
    same((done.returncode, json.loads(done.stdout)), (1, []), "exit status and list")
    right("2 of 2 points failed" in (folder / "report.html").read_text(), "the page")


# --- A pcap file ----------------------------------------------------------------------------------


def pcap_octets(path):
    """The captured lengths of a file of this machine's byte order."""
    data, lengths, at = path.read_bytes(), [], 24
    same(struct.unpack_from("=IHH", data), (0xa1b2c3d4, 2, 4), "pcap header")
    while at < len(data):
        captured, = struct.unpack_from("=I", data, at + 8)
        lengths.append(captured)
        at += 16 + captured
    same(at, len(data), "the end of the last record")
    return lengths


@case("pcap:FILE is written where there is none, read again where there is one")
def pcap():
    path = new_folder() / "gn.pcap"
    result = bench("--ports", f"pcap:{path}")
    sound(result)
    right(set(pcap_octets(path)) == {576 + 50}, "frames of another length")
    written = path.read_bytes()
    sound(bench("--ports", f"pcap:{path}"))
    right(path.read_bytes() == written, "the file is another one")


@case("--flows: an MS's packets are of so many flows")
def flows():
    path = new_folder() / "gn.pcap"
    sound(bench("--ports", f"pcap:{path}", "--flows", 3))
    words = ["tshark", "-r", path, *"-T fields -e udp.srcport".split()]
    ports = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    same(set(ports), {f"2152,{9 + flow}" for flow in range(3)}, "outer and inner source ports")
    words = ["tshark", "-r", path, *"-T fields -e gtp.teid -e udp.srcport".split()]
    pairs = set(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split("\n")) - {""}
    same(len(pairs), 3 * 100, "flows of all MSs")
    for others in (), ("--flows", 2):
        right("other packets" in bench("--ports", f"pcap:{path}", *others, status=1), f"{others} with a file of 3 flows")
    path = new_folder() / "few.pcap"
    right("too few packets for --flows" in bench("--ports", f"pcap:{path}", "--ms", 8000, "--flows", 3, status=1), "8000 MSs")
    right(not path.exists(), "a file that is of no use")
    result = bench("--flows", 3, "--backlogged", 50)
    sound(result)
    same(result["flows"], 3, "flows")


@case("a pcap file of other packets: it is refused, and left as it is")
def pcap_of_others():
    path = new_folder() / "gn.pcap"
    bench("--ports", f"pcap:{path}")
    written = path.read_bytes()
    for name, changed in (("other tunnels", written), ("cut", written[:-1]), ("longer", written + b"x"), ("empty", b"")):
        path.write_bytes(changed)
        said = bench("--ports", f"pcap:{path}", *(("--ms", 10) if changed == written else ()), status=1)
        right(f"--ports {path}: this file has other packets" in said, f"{name}: {said}")
        right(path.read_bytes() == changed, f"{name}: the file is another one")


@case("a device that brings packets for other tunnels: the run fails and names the reason")
def others():
    path = new_folder() / "gn.pcap"
    bench("--ports", f"pcap:{path}")
    path.write_bytes(path.read_bytes()[:24 + 1500 * (16 + 576 + 50)])  # no more than the port has buffers for
    said = bench("--ports", f"net_pcap0,rx_pcap={path},infinite_rx=1", "--ms", 10, status=1)
    right("no tunnel of that TEID" in said, said)


@case("--simd 64: neither FCS nor cipher use vector registers, whatever the processor has")
def no_vectors():
    result = bench("--no-search", "--cipher", "gea3", "--simd", 64)
    sound(result)
    same((result["fcs"], result["cipher_variant"]), ("slicing-by-8", "scalar"), "by what")


# --- What it refuses ------------------------------------------------------------------------------

REFUSED = {
    "--ms 0": "--ms",
    "--ms many": "--ms",
    "--ms 1e3": "--ms",
    "--size 35": "--size",
    "--size 1501": "--size",
    "--cipher gea5": "none, gea3 or gea4",
    "--aqm droptail": "cobalt",
    "--backlogged 101": "--backlogged",
    "--workers 0": "--workers",
    "--workers 17": "--workers",
    "--seconds 0": "--seconds",
    "--seconds nan": "--seconds",
    "--repeats 32": "--repeats",
    "--loss 100.5": "--loss",
    "--loss 0.1,0": "rising",
    "--loss 0,1,2,3,4": "at most four",
    "--ms 100,0": "--ms",
    "--ms 100,": "--ms",
    "--size 64,,576": "--size",
    "--size imix,35": "--size",
    "--size 64,1500 --ports net_null0": "--size",
    "--size " + ",".join(["64"] * 17): "at most 16",
    "--n201-u 139": "--n201-u",
    "--waiting 0": "--waiting",
    "--simd 32": "--simd",
    "--simd 1024": "--simd",
    "--ports eth0": "--ports",
    "--ports pcap:": "--ports",
    "--ports net_null0,net_null1,net_null2": "--ports",
    "--ports memif --up": "--ports ring",
    "--ports memif --workers 2 --no-search": "--no-search",
    "--ports net_null0 --workers 2": "--workers",
    "--ports pcap:gn.pcap --workers 2": "--workers",
    "--ports net_null0,net_null1 --workers 2 --one-queue": "--one-queue",
    "--workers 2 --steering teid": "--steering",
    "--ports memif --steering teid": "--workers",
    "--ports memif --workers 2 --steering peer": "auto, address, teid, rss or strays",
    "--vlan 7": "--vlan",
    "--ports memif --vlan 0": "--vlan",
    "--ports memif --vlan 4095": "--vlan",
    "--up --n201-u 500": "--n201-u",
    "--both --n201-u 500": "--n201-u",
    "--both --up": "--both",
    "--one-queue": "--workers",
    "--workers 2 --one-queue --no-search": "--no-search",
    "--workers 2 --one-queue --up": "--up",
    "--both --workers 2": "--both",
    "--both --ports memif": "--ports ring",
    "--backlogged 10 --workers 2": "--backlogged",
    "--flows 17": "--flows",
    "--flows 2 --up": "--flows",
    "--defaults": "--backlogged",
    "--rate 16000": "--backlogged",
    "--backlogged 10 --rate 999": "--rate",
    "--ports net_null0 --size 1401": "--size",
    "--fast": "--fast",
    "more": "more",
}


SEE_HELP = "sluice bench: see sluice help bench\n"  # behind what getopt says


@case("nonsense: exit status 2, one line that names it, nothing on stdout")
def refused():
    for words, named in REFUSED.items():
        done = sluice("bench", *QUICK, *words.split())
        same((done.returncode, done.stdout), (2, ""), f"{words}: exit status and stdout")
        same(len(done.stderr.removesuffix(SEE_HELP).splitlines()), 1, f"{words}: lines\n{done.stderr}")
        right(named in done.stderr, f"{words}: no {named!r} in {done.stderr}")
    done = sluice("bench", *QUICK, "--out", "", "--no-search")
    same((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), f"--out without a name\n{done.stderr}")
    right("--out" in done.stderr, done.stderr)


@case("a device that is not there: exit status 1, and it is named")
def no_device():
    said = bench("--ports", "net_af_packet0,iface=no_such_link", status=1)
    right("net_af_packet0" in said, said)


@case("sluice help json explains each key of the results above, and no more")
def explained():
    done = sluice("help", "json")
    same((done.returncode, done.stderr), (0, ""), "sluice help json")
    lines = done.stdout.split("Of sluice bench --json:\n\n")[1].split("\n\n")[0].splitlines()
    right(all(line.split(": ", 1)[1].strip() for line in lines), f"a key without a word in {lines}")
    names = {line.split(": ", 1)[0] for line in lines}
    of_two = {name for name in names if name.startswith("scaling.") and processors() < 2}
    same(names - seen - of_two, set(), "explained, and in no result")
    same(seen - names, set(), "in a result, and not explained")


main()
