"""What the tests of several runs of one command share: the scenario with its variants, a command with six
runs, and what runs leave."""

import functools
import json

from harness import UDP_SCENARIO, new_folder, same, sluice, written

VARIANTS = """
variants {
    variant { name = "red" },
    variant { name = "cobalt", set = { "class.aqm.name=cobalt", "class.aqm.target=20 ms" } },
}
"""
SWEEP = """
sweep { axis { key = "nse.bvc.rate", values = { "20 kbit/s", "40 kbit/s" } } }
"""
# Thousands of packets in each of 86400 s: it takes half an hour, unless a signal ends it.
ENDLESS = """
variants {
    variant { name = "endless", set = { "run.duration=1440 min", "lab.traffic.rate=10 Mbit/s" } },
    variant { name = "short" },
}
"""

def scenario(more):
    return written(UDP_SCENARIO.read_text() + more)


def many(config, out, *words, status=0):
    done = sluice("run", config, "--out", out, *words)
    same(done.returncode, status, f"{' '.join(map(str, words))}: exit status\n{done.stderr}")
    return done


def summary_of(folder):
    return json.loads((folder / "summary.json").read_text())


def results(folder):
    """All files of results with their octets, but those of the machine's time and memory."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*")
            if path.is_file() and path.name not in ("run.json", "run.log")}


@functools.cache
def config():
    return scenario(VARIANTS)


@functools.cache
def six():
    """Two variants with three seeds, one run at a time."""
    out = new_folder() / "out"
    return out, many(config(), out, "--variant", "all", "--seeds", "1..3", "--jobs", "1", "--pcap")
