#!/usr/bin/python3
"""`sluice metrics`: OpenMetrics and Prometheus's text format by an independent parser, the same figures
as `sluice stats`, a bounded number of series, names that the dashboard and the rules of `config/` have
right, and a server that outlives whatever comes over HTTP."""

import json
import http.client
import re
import resource
import secrets
import select
import signal
import socket
import subprocess
import time

import openmetrics
from harness import PATIENCE, ROOT, WAIT_S, Failure, case, has_sanitizers, has_started, main, program, right, run_case, same, until
from instance import Fake, Instance, client

TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
TEXT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


# An address of loopback that nobody else has: a port that is free now may be another's a moment later.
ADDRESS, PORT = "127." + ".".join(str(1 + secrets.randbelow(254)) for _ in range(3)), 9464


class Metrics:
    def __init__(self, *words):
        self.process = subprocess.Popen(
            [program(), "metrics", "--listen", f"{ADDRESS}:{PORT}", *words],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8")
        has_started(self)
        said = self.process.stderr.readline()
        right(f"http://{ADDRESS}" in said, f"it does not listen: {said}")

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def get(self, path="/metrics", method="GET", accept="application/openmetrics-text"):
        connection = http.client.HTTPConnection(ADDRESS, PORT, timeout=WAIT_S)
        connection.request(method, path, headers={"Accept": accept} if accept else {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        same(answer.reason, http.client.responses[answer.status], f"{path}: reason")
        return answer.status, answer.getheader("Content-Type"), text

    def families(self, path="/metrics"):
        status, kind, text = self.get(path)
        same((status, kind), (200, TYPE), f"{path}: {text[:200]}")
        return openmetrics.parse(text)

    def text_families(self, path="/metrics", accept="*/*"):
        status, kind, text = self.get(path, accept=accept)
        same((status, kind), (200, TEXT_TYPE), f"{path} for {accept}: {text[:200]}")
        return openmetrics.parse_text(text)

    def raw(self, octets, wait_s=WAIT_S):
        """What comes back for it, up to its end."""
        with socket.create_connection((ADDRESS, PORT), timeout=wait_s) as end:
            answer = b""
            try:
                end.sendall(octets)
                while more := end.recv(65536):
                    answer += more
            except (ConnectionResetError, BrokenPipeError):
                pass
            return answer

    def finish(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        until("the end of metrics", lambda: self.process.poll() is not None)
        same(self.process.returncode, 0, "exit status of metrics")


BUCKET = "rate_bit_per_second bucket_octets level_octets delay_seconds"
QUEUE = "queued_npdus queued_octets"
GAUGES = {
    "clock": "run_seconds", "class": QUEUE, "nse": f"{BUCKET} {QUEUE} cells waits stopped",
    "cell": f"{BUCKET} {QUEUE} sojourn_seconds sent_sojourn_seconds mss mobile_rate_bit_per_second "
            "mobile_bucket_octets waits stopped blocked",
    "nic": "link_mbit_per_second link_up", "phones": "attaching attached contexts", "port": "rules rules_refused",
    "mobile": f"{BUCKET} {QUEUE} own sojourn_seconds waits stopped frozen held_by_control "
          "held_until_heard"}


HISTOGRAM = "sluice_class_delay_seconds"


def expect_types(families):
    """What goes up and down is a gauge, what the run is called is info, all else is a counter."""
    prefixes = {name.split("_")[1] for name in families}
    gauges = {f"sluice_{prefix}_{name}" for prefix, names in GAUGES.items() if prefix in prefixes
              for name in names.split()}
    same({name: one.type for name, one in families.items()},
         {name: "info" if name == "sluice_run" else "histogram" if name == HISTOGRAM
          else "gauge" if name in gauges else "counter"
          for name in families} | {name: "gauge" for name in gauges}, "types")


@case("OpenMetrics, and the same figures as stats")
def format_and_figures():
    instance, metrics = Instance("view", "gn.device=net_null0"), Metrics()
    before = json.loads(client("stats", "--json"))
    families = metrics.families()
    after = json.loads(client("stats", "--json"))
    gn = families["sluice_port_rx_packets"].samples[("port", "gn"),]
    right(before["stats"]["gn"]["rx_packets"] <= gn <= after["stats"]["gn"]["rx_packets"], "frames")
    dropped = families["sluice_port_drops"].samples[("port", "gn"), ("reason", "not_ip")]
    same(dropped, gn, "drops of the same moment")
    same(families["sluice_run"].samples, {(("name", "view"),): 1}, "what runs")
    cell = (("bvci", "21"), ("nsei", "7"))
    same(families["sluice_cell_rate_bit_per_second"].samples, {cell: 16000}, "R, where there is one")
    same(families["sluice_cell_mss"].samples[cell], 1, "MSs of a cell")
    right("sluice_cell_delay_seconds" in families, "a time is in seconds")
    same(families["sluice_nse_cells"].samples, {(("nsei", "7"),): 2}, "cells")
    for name in ("handled", "refused", "ignored", "fault", "reloads"):
        right(f"sluice_control_{name}" in families, f"no count of {name}")
    counters = [one for one in families.values() if one.type == "counter"]
    right(len(counters) > 60, f"{len(counters)} counters")
    expect_types(families)
    metrics.finish()
    instance.finish()


def in_text(families):
    """The families of OpenMetrics as the text format has them."""
    return {name if one.type == "histogram" else name + openmetrics.SUFFIX[one.type][0]:
            (one.type if one.type in ("counter", "histogram") else "gauge", one.help, one.samples)
            for name, one in families.items()}


@case("the text format, for each who does not name OpenMetrics, has the same samples, types and helps")
def text_format():
    def answer(command):
        name = command.decode().split(",")[0]
        if name.endswith("bvcs"):
            return many_cells(command)
        return json.dumps({name: {
            "name": "fake", "run_ns": 1500000000, "worker": {"commands": 3},
            "phones": {"attaching": 3, "attached": 12, "contexts": 11},
            "gn": {"rx_packets": 7, "drops": {"not_ip": 2}}, "control": {"events": {"ms": 4}}}}).encode()
    with Fake(answer):
        metrics = Metrics()
        families = metrics.families()
        text = metrics.text_families()
        same([families[f"sluice_phones_{name}"].samples for name in ("attaching", "attached", "contexts")],
             [{(): 3}, {(): 12}, {(): 11}], "phones")
        same({name: (one.type, one.help, one.samples) for name, one in text.items()}, in_text(families),
             "families")
        same(text["sluice_run_info"].samples, {(("name", "fake"),): 1}, "what runs")
        same(text["sluice_port_drops_total"].samples, {(("port", "gn"), ("reason", "not_ip")): 2}, "drops")
        same(len(text["sluice_cell_mss"].samples), 400, "cells")
        for accept in (None, "text/plain", "text/plain;version=0.0.4", "text/html,*/*;q=0.1",
                       "application/openmetrics-text;q=0.5,text/plain;q=0.6"):
            metrics.text_families(accept=accept)
        for accept in ("application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
                       "text/plain;q=0.4,application/openmetrics-text;q=0.5"):
            same(metrics.get(accept=accept)[1], TYPE, accept)
        for line, kind in ((b"ACCEPT:application/openmetrics-text", TYPE), (b"Accepts: x", TEXT_TYPE),
                           (b"X: y\r\naccept: application/openmetrics-text\r\nX: text/plain", TYPE),
                           (b"X-Accept: application/openmetrics-text", TEXT_TYPE),
                           (b"Accept", TEXT_TYPE), (b"Accept:", TEXT_TYPE)):
            answered = metrics.raw(b"GET /metrics HTTP/1.1\r\n" + line + b"\r\n\r\n")
            right(f"Content-Type: {kind}\r\n".encode() in answered, f"{line}: {answered[:200]}")
        metrics.finish()


@case("a histogram of the delays of each class: counts of all that is at most each bound, in seconds")
def delays():
    def answer(command):
        name = command.decode().split(",")[0]
        if name.endswith("bvcs"):
            return many_cells(command)
        if name.endswith("classes"):
            return json.dumps({name: {"0": {"class": "background", "delays_sum_ns": 2500000000,
                                            "delays": {"0": 3, "1": 4, "16": 1, "17": 2}}}}).encode()
        return json.dumps({name: {"name": "fake", "run_ns": 1500000000}}).encode()
    with Fake(answer):
        metrics = Metrics()
        found = metrics.families()[HISTOGRAM].samples
        text = metrics.text_families()[HISTOGRAM].samples
        metrics.finish()
    same(text, found, "the text format's")
    of = {(dict(key).get("le"), dict(key)[""]): value for key, value in found.items()}
    same({dict(key)["class"] for key in found}, {"background"}, "classes")
    same((of[None, "_count"], of[None, "_sum"]), (10, 2.5), "count and sum")
    # The bounds are 1 ns below 2^20 ns and its doubles.
    bounds = {le: value for (le, end), value in of.items() if end == "_bucket"}
    same({float(le): value for le, value in bounds.items()},
         {(2 ** (20 + k) - 1) / 1e9: 3 if k == 0 else 7 if k < 16 else 8 for k in range(17)} | {float("inf"): 10}, "buckets")


# What needs another help before it, or an opened source, to be understood.
ALONE = re.compile(r"\b(those|that capture|these)\b|^[RB]\b|: (R|B|Bmax)\b")


@case("each help says alone what is counted")
def helps():
    instance, metrics = Instance(), Metrics()
    families = metrics.families()
    families.update(metrics.families("/metrics?cell=7-20"))
    for name, one in families.items():
        right(not ALONE.search(one.help), f"{name}: {one.help}")
        right(name.startswith(("sluice_run", "sluice_clock")) or one.help.startswith("Of "), f"{name}: {one.help}")
    metrics.finish()
    instance.finish()


@case("the dashboard and the rules of config/ name metrics and labels that there are")
def dashboard():
    instance, metrics = Instance(), Metrics()
    families = metrics.text_families()
    for name in "grafana.json", "alerts.yml":
        text = (ROOT / "config" / name).read_text()
        named = set(re.findall(r"\bsluice_\w+", text))
        right(len(named) > 5 and f"{HISTOGRAM}_bucket" in named, f"{name}: names {named}")
        same(named - openmetrics.sample_names(families), set(), f"{name}: metrics that there are not")
    shown = json.loads((ROOT / "config/grafana.json").read_text())
    right(all(target["expr"] for panel in shown["panels"] for target in panel.get("targets", ())), "no query")
    metrics.finish()
    instance.finish()


@case("MSs only of one cell, when asked for")
def mss():
    instance, metrics = Instance(), Metrics("--run", "view")
    right(not any("imsi" in dict(key) for one in metrics.families().values() for key in one.samples),
          "an MS among the rest")
    families = metrics.families("/metrics?cell=7-20")
    expect_types(families)
    same(len(families["sluice_mobile_queued_npdus"].samples), 300, "MSs of a cell")
    same(sorted(dict(key)["imsi"] for key in families["sluice_mobile_frozen"].samples),
         [f"{1010000000008 + i:015}" for i in range(300)], "IMSIs")
    for path, status in (("/metrics?cell=7-22", 404), ("/metrics?cell=7", 404),
                         ("/metrics?cell=7-20x", 404), ("/metrics?cell=" + "9" * 2000, 404),
                         ("/", 404), ("/metrics/", 404)):
        same(metrics.get(path)[0], status, path[:40])
    right(metrics.get("/metrics?cell=7-22")[2].endswith(": there is no such cell\n"), metrics.get("/metrics?cell=7-22"))
    metrics.finish(signal.SIGINT)
    instance.finish()


@case("no instance: 503 and the reason; one that comes later is found")
def later():
    metrics = Metrics()
    status, _, text = metrics.get()
    right(status == 503 and "no instance is running" in text, f"{status}: {text}")
    instance = Instance()
    metrics.families()
    instance.finish()
    same(metrics.get()[0], 503, "when it has ended")
    metrics.finish()


@case("requests that are none of ours get an answer that says so")
def refused():
    metrics = Metrics()
    for octets, status in (
            (b"POST /metrics HTTP/1.1\r\n\r\n", 405), (b"DELETE / HTTP/1.0\r\n\r\n", 405),
            (b"GET /metrics HTTP/2\r\n\r\n", 400), (b"GET\r\n\r\n", 400), (b"\r\n\r\n", 400),
            (b"GET /metrics\r\n\r\n", 400), (b"GET metrics HTTP/1.1\r\n\r\n", 400),
            (b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\n\n", 400), (b"\x00\n\n", 400),
            (b"GET / HTTP/1.1\r\nX: " + b"x" * 10000, 431), (b"x" * 4095, 431),
            (b"GET /" + b"x" * 3000 + b" HTTP/1.1\r\n\r\n", 404)):
        answer = metrics.raw(octets)
        right(answer.startswith(b"HTTP/1.1 %d " % status), f"{octets[:40]}: {answer[:80]}")
    same(metrics.raw(b"HEAD / HTTP/1.1\r\n\r\n").split(b"\r\n\r\n", 1)[1], b"", "a body for HEAD")
    metrics.finish()


@case("clients that send nothing, or little, or do not listen: others are served, and memory stays")
def slow():
    instance, metrics = Instance(), Metrics()
    metrics.families()
    before = memory_kib(metrics.process.pid)
    idle = []
    for i in range(40):
        end = socket.create_connection((ADDRESS, PORT))
        end.sendall([b"", b"GET /met", b"GET /metrics?cell=7-20 HTTP/1.1\r\n\r\n"][i % 3])
        idle.append(end)
    started = time.monotonic()
    metrics.families()
    took_s = time.monotonic() - started  # 5 s for each of the idle would be 200 s
    right(took_s < 20 * min(PATIENCE, 8), f"{took_s:.1f} s for a scrape")
    for end in idle:
        end.close()
    for _ in range(200):
        socket.create_connection((ADDRESS, PORT)).close()
    metrics.families()
    if not has_sanitizers():  # AddressSanitizer keeps what was freed
        right(memory_kib(metrics.process.pid) < before + 8 * 1024, "memory")
    metrics.finish()
    instance.finish()


@case("200 clients that send nothing do not delay a scrape: the longest idle make room for it")
def crowd():
    instance = Instance()
    metrics = Metrics()
    # Many come within one millisecond: they wait in the kernel while it is stopped.
    metrics.process.send_signal(signal.SIGSTOP)
    idle = [socket.create_connection((ADDRESS, PORT)) for _ in range(200)]
    metrics.process.send_signal(signal.SIGCONT)
    same(metrics.get()[0], 200, "status")
    ended = [end for end in idle if select.select([end], [], [], 0)[0]]
    same(len(ended), 200 + 1 - 64, "who made room")
    same(ended, idle[:len(ended)], "they were idle longest")
    for end in idle:
        end.close()
    metrics.finish()
    instance.finish()


@case("a time in nanoseconds is in seconds here, none of its digits lost")
def seconds():
    for run_ns, wanted in ((11987654321, "11.987654321"), (1, "0.000000001")):
        def answer(command, value={"name": "fake", "run_ns": run_ns, "count": 0}):
            return json.dumps({command.decode().split(",")[0]: value}).encode()
        with Fake(answer):
            metrics = Metrics()
            right(f"\nsluice_clock_run_seconds {wanted}\n" in metrics.get()[2], f"no {wanted}")
            metrics.finish()


@case("however many the scrapes, no more files are open than for one")
def open_files():
    with Fake(many_cells):
        metrics = Metrics()
        most = resource.prlimit(metrics.process.pid, resource.RLIMIT_NOFILE)[1]
        # A call of poll has a place for each of 64 clients, and the server's.
        resource.prlimit(metrics.process.pid, resource.RLIMIT_NOFILE, (80, most))
        same([metrics.get()[0] for _ in range(100)], [200] * 100, "status")
        metrics.finish()


MEMBERS = "mss", "queued_npdus", "queued_octets", "down_frames", "down_octets", "marks"


def many_cells(command):
    """An instance with so many cells that the answer does not fit between two sockets."""
    name = command.decode().split(",")[0]
    rows = {} if not name.endswith("s") or name.endswith(("stats", "classes")) else {
        str(i): {"nsei": 1, "bvci": 2 + i, **dict.fromkeys(MEMBERS, i)} for i in range(400)}
    value = {"count": len(rows), "rows": rows} if rows else {"name": "fake"}
    return json.dumps({name: value}).encode()


@case("200 clients that ask and do not listen do not delay a scrape: the instance is read a few times")
def crowd_that_asks():
    asks = [b"GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text\r\nX: %d\r\n\r\n" % i for i in range(201)]
    with Fake(many_cells) as fake:
        metrics = Metrics()
        # All have asked before the first is answered: they wait in the kernel while it is stopped.
        metrics.process.send_signal(signal.SIGSTOP)
        ends = []
        for ask in asks:
            end = socket.socket()
            end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            end.connect((ADDRESS, PORT))
            end.sendall(ask)
            ends.append(end)
        scrape = ends.pop()
        metrics.process.send_signal(signal.SIGCONT)
        scrape.settimeout(WAIT_S)
        answer = b""
        while more := scrape.recv(65536):
            answer += more
        right(answer.startswith(b"HTTP/1.1 200 ") and answer.endswith(b"# EOF\n"), f"{answer[:80]}")
        right(len(answer) > 65536, f"{len(answer)} octets")
        looks = fake.asked.count(b"/sluice/info")
        right(looks <= 201 // 16 + 2, f"the instance was read {looks} times")
        for end in ends:
            end.close()
        metrics.finish()


def memory_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


@case("an address that cannot be listened at: exit status 2")
def address():
    for at in ("nonsense", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999", "256.0.0.1:1", ":9464",
               "192.0.2.77:9464", "[::1:9464"):
        right("--listen: found" in client("metrics", "--listen", at, status=2), at)
    client("metrics", "nonsense", status=2)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        client("metrics", "--listen", f"127.0.0.1:{taken.getsockname()[1]}", status=2)


@case("a case that fails leaves no server: the next one listens at the same address")
def left_behind():
    def fails():
        Metrics()
        raise Failure("as it should")
    same(run_case(fails, ()), ("not ok", "", ["as it should"]), "what fails")
    Metrics().finish()


main()
