#!/usr/bin/python3
"""Prometheus beside a run in real time: it scrapes `sluice metrics` in a network namespace.

    prometheus.py [--seconds N]     of scraping, 60

The run has traffic over taps, drops, and a reload that is refused. `sluice metrics` has the capabilities of
docker/sluice-metrics@.service. Judged: `promtool check metrics` of the text format and `check rules` of
config/alerts.yml without a word; `test rules` with alerts.yml of this folder; each scrape of Prometheus good;
the samples of both formats the same; each query of config/grafana.json answered, and with samples where the
run has any; each rule evaluated, and the alert that the refused reload calls for, alone, fires. Needs root, and
Debian's prometheus, curl and setpriv (util-linux).
"""

import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))
os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))

import instance  # noqa: E402, F401  (a runtime folder of this process alone)
import network  # noqa: E402
import openmetrics  # noqa: E402
import real  # noqa: E402
from harness import Failure, Skip, check_sound, new_folder, program, right, same, until  # noqa: E402

METRICS, PROMETHEUS = "127.0.0.1:9464", "127.0.0.1:9090"
UNIT, ALERTS, DASHBOARD = ROOT / "docker/sluice-metrics@.service", ROOT / "config/alerts.yml", ROOT / "config/grafana.json"
NSE = "nse[1].bvc[1]"
SLOW = f"{NSE}.rate=48 kbit/s", f"{NSE}.bucket=4 kB", "queue.ms_packets=20"
SCRAPE_S = 1
# What the run of this soak has no samples of: nothing of signalling (ns = "manual"), no uplink's drops.
BARE = {"sluice_control_pdus_in_total", "sluice_up_drops_total"}
PROMETHEUS_CONFIG = f"""
global: {{scrape_interval: {SCRAPE_S}s, evaluation_interval: {SCRAPE_S}s}}
rule_files: [{ALERTS}]
scrape_configs:
  - job_name: sluice
    static_configs: [{{targets: ["{METRICS}"]}}]
"""


def said(*words, text=None):
    """What a command says on either output, when it has ended with 0."""
    done = subprocess.run([str(word) for word in words], input=text, capture_output=True, encoding="utf-8",
                          timeout=network.WAIT_S, check=False)
    right(done.returncode == 0, f"{words[:3]}: exit status {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def check_rules():
    said("promtool", "check", "rules", ALERTS)
    said("promtool", "test", "rules", ROOT / "tests/soak/alerts.yml")
    named = set(re.findall(r"alert: (\w+)", ALERTS.read_text()))
    tried = set(re.findall(r'alertname="(\w+)"', (ROOT / "tests/soak/alerts.yml").read_text()))
    same(tried, named, "alerts that alerts.yml of this folder makes fire")
    print(f"{len(named)} alerts: promtool check rules, test rules")


class Beside:
    """`sluice metrics` and Prometheus in the run's namespace."""

    def __init__(self, space):
        self.space, self.folder, self.running = network.within(space), new_folder(), []
        unit = UNIT.read_text()
        kept = re.search(r"^CapabilityBoundingSet=CAP_(\w+)$", unit, re.MULTILINE)[1].lower()
        command = re.search(r"^ExecStart=/usr/bin/sluice (.*)$", unit, re.MULTILINE)[1]
        words = command.replace("%i", "real").replace("${LISTEN}", METRICS).split()
        self.start("metrics", "setpriv", "--no-new-privs", "--inh-caps=-all", f"--bounding-set=-all,+{kept}",
                   program(), *words)
        until("the metrics' first answer", lambda: self.curl("-f", f"http://{METRICS}/metrics").returncode == 0)

    def start(self, name, *words):
        log = (self.folder / f"{name}.log").open("wb")
        self.running.append(subprocess.Popen([*self.space, *map(str, words)], stdin=subprocess.DEVNULL,
                                             stdout=log, stderr=log))

    def start_prometheus(self):
        (self.folder / "prometheus.yml").write_text(PROMETHEUS_CONFIG)
        said("promtool", "check", "config", self.folder / "prometheus.yml")
        self.start("prometheus", "prometheus", f"--config.file={self.folder}/prometheus.yml",
                   f"--storage.tsdb.path={self.folder}/data", f"--web.listen-address={PROMETHEUS}",
                   "--log.level=warn")
        until("Prometheus", lambda: self.curl("-f", f"http://{PROMETHEUS}/-/ready").returncode == 0,
              lambda: (self.folder / "prometheus.log").read_text())

    def curl(self, *words):
        return subprocess.run([*self.space, "curl", "-s", *words], stdin=subprocess.DEVNULL, capture_output=True,
                              encoding="utf-8", timeout=network.WAIT_S, check=False)

    def metrics(self, *words):
        done = self.curl("-f", *words, f"http://{METRICS}/metrics")
        right(done.returncode == 0, f"no metrics: curl's exit status {done.returncode}")
        return done.stdout

    def ask(self, path, **words):
        """Prometheus' answer to a path of its API."""
        done = self.curl(f"http://{PROMETHEUS}/api/v1/{path}?{urllib.parse.urlencode(words)}")
        answer = json.loads(done.stdout)
        same((answer["status"], answer.get("warnings")), ("success", None), f"{path} {words}: {done.stdout[:500]}")
        return answer["data"]

    def end(self):
        for one in reversed(self.running):
            one.send_signal(signal.SIGTERM)
            one.wait(network.WAIT_S)


def check_formats(beside):
    text = beside.metrics()
    complaints = said("promtool", "check", "metrics", text=text)
    same(complaints, "", "promtool check metrics")
    families = openmetrics.parse_text(text)
    others = openmetrics.parse(beside.metrics("-H", "Accept: application/openmetrics-text"))
    same({name + (openmetrics.SUFFIX[one.type][0] if one.type != "histogram" else "") for name, one in others.items()},
         set(families), "families")
    cell = beside.curl("-f", f"http://{METRICS}/metrics?cell=1-2").stdout
    right("sluice_mobile_queued_npdus" in cell, "no MSs")
    same(said("promtool", "check", "metrics", text=cell), "", "promtool check metrics, of a cell's MSs")
    print(f"{len(families)} families: promtool check metrics has no complaint, of {len(text)} octets, nor of "
          f"the {len(cell)} of a cell")
    return openmetrics.sample_names(families)


def send(world, seconds):
    """Too much for the slow cell, as much as it takes for the other, and some for no tunnel."""
    end, sent = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        for ms, octets in (real.FOUR, 1000), (real.LARGE, 500):
            world.ggsn(ms).sendto(real.g_pdu(world.teid(ms), world.packet(ms, octets)), (ms.gn, network.GTPU_PORT))
        world.ggsn(real.FOUR).sendto(real.g_pdu(0x00300000, world.packet(real.FOUR, 100)), (real.GN4, network.GTPU_PORT))
        for info in real.segments(world.packet(real.FOUR, 200), sent, 500):
            world.bss(real.FOUR).sendto(real.ul_unitdata(real.FOUR, real.llc_ui(world.nu, info)), (real.GB4, network.NS_PORT))
        world.nu, sent = (world.nu + 1) % 512, sent + 1
        time.sleep(0.02)
    return sent


def refuse_reload(world):
    text = world.program.config.read_text()
    world.program.config.write_text(text.replace('nsei = 2', 'nsei = "two", nonsense = 1'))
    world.program.process.send_signal(signal.SIGHUP)
    until("the log's lines about the refused reload",
          lambda: "reload refused, 2 of 2: " in world.program.said(), world.program.said)
    world.program.config.write_text(text)


def check_queries(beside, families):
    """Each of the dashboard's, and of the rules'."""
    panels = json.loads(DASHBOARD.read_text())["panels"]
    queries = [target["expr"] for panel in panels for target in panel["targets"]]
    named = set(re.findall(r"\bsluice_\w+", " ".join(queries) + ALERTS.read_text()))
    same(named - families, set(), "metrics of the dashboard and the rules that there are not")
    empty = 0
    for query in queries:
        samples = beside.ask("query", query=query.replace("$instance", ".*"))["result"]
        bare = BARE & set(re.findall(r"\bsluice_\w+", query))
        right(samples or bare, f"no samples: {query}")
        empty += not samples
    print(f"{len(queries)} queries of the dashboard, {empty} without samples here; {len(named)} metrics in them and in "
          f"the rules, each there")


def check_prometheus(beside, seconds):
    up = beside.ask("query", query=f'min_over_time(up{{job="sluice"}}[{int(seconds)}s])')["result"]
    same([one["value"][1] for one in up], ["1"], "the worst scrape")
    scrapes = int(beside.ask("query", query=f'count_over_time(up{{job="sluice"}}[{int(seconds)}s])')["result"][0]["value"][1])
    right(scrapes >= seconds / SCRAPE_S / 2, f"{scrapes} scrapes")
    target = beside.ask("targets")["activeTargets"][0]
    same((target["health"], target["lastError"]), ("up", ""), "Prometheus' target")
    rules = [rule for group in beside.ask("rules")["groups"] for rule in group["rules"]]
    same({rule["health"] for rule in rules}, {"ok"}, "the rules' evaluation")
    print(f"{scrapes} scrapes, all good, the last in {target['lastScrapeDuration'] * 1000:.0f} ms; {len(rules)} rules "
          f"evaluated")


def firing(beside):
    return sorted(alert["labels"]["alertname"] for alert in beside.ask("alerts")["alerts"] if alert["state"] == "firing")


def look(seconds):
    check_rules()
    world = real.World(network.tap, *SLOW)
    beside = Beside(world.host.name)
    try:
        send(world, 2)  # so that reasons of drops are there
        families = check_formats(beside)
        beside.start_prometheus()
        send(world, seconds)
        same(firing(beside), [], "alerts without a cause")
        check_queries(beside, families)
        check_prometheus(beside, seconds)
        refuse_reload(world)
        until("the alert of the refused reload", lambda: firing(beside) == ["SluiceReloadRefused"],
              lambda: f"{firing(beside)}")
        print("a refused reload: SluiceReloadRefused fires")
        check_sound(world.program.finish())
        until("503 after the run's end", lambda: beside.curl("-f", f"http://{METRICS}/metrics").returncode == 22)
    finally:
        beside.end()
        world.program.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=60)
    seconds = parser.parse_args().seconds
    try:
        network.needs("prometheus", "promtool", "curl", "setpriv")
        look(seconds)
    except (Failure, Skip) as why:
        print("0 passed, 1 failed")
        sys.exit(f"prometheus.py: {why}")
    print("1 passed, 0 failed")


main()
