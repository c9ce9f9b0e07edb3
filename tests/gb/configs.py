#!/usr/bin/python3
"""What `check` accepts comes up: random configurations out of the keys and ranges that `check --keys`
says, their ends among them, brought up one after the other in one process. Only the sizes of tables
are held back, so that a thousand fit into a minute. What `check` refuses says so, and is not run."""

import os
import pathlib
import random
import re
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent / "e2e")]

from harness import aqm_names, case, main, new_folder, often, right, sluice  # noqa: E402

SEED = int(os.environ.get("TEST_SEED", "1"))
CONFIGS = int(os.environ.get("TEST_CONFIGS", often(300, 1000)))
CHANCE = 0.2  # that a key which may be left out is there
# So that a table, or a count of MSs, takes no second.
MOST = {"rx_frames": 256, "tx_frames": 256, "packets": 4096, "nse_packets": 4096, "count": 20,
        "cell_packets": 4096, "ms_packets": 4096, "flows": 8, "workers": 2}
# Whose value another place must agree with, or that names something.
LEFT_OUT = {"name", "clock", "cores", "device", "gateway", "gateway6", "address", "address6", "mac",
            "script", "imsi", "tlli", "bvci", "nsei", "nsvci", "peer", "peer_mac", "ggsn", "key",
            "nsapi", "class", "features", "capture", "duration", "sizes", "size", "ns", "cipher",
            "dynamic", "nsvcs_most", "flow_control", "area", "ci", "warmup", "batches"}
UNIT = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9,
        "bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "octets": 1, "kB": 10**3, "ppm": 1,
        "%": 10**4}
MACHINE = {"time": "ns", "rate": "bit/s", "size": "octets", "probability": "ppm"}


def range_of(words):
    """A function that draws from what a key's line allows; None: it has no range."""
    found = re.match(r"(?:a whole number|a list) from (0x\w+|\d+) to (0x\w+|\d+)", words)
    if found:
        least, most = (int(text, 0) for text in found.groups())
        return lambda rng, limit: str(between(rng, least, min(most, limit or most)))
    found = re.match(r"a (time|rate|size|probability) from (\d+) (\S+) to (\d+) (\S+?)[,;]", words)
    if found:
        unit = MACHINE[found[1]]
        least, most = int(found[2]) * UNIT[found[3]], int(found[4]) * UNIT[found[5]]
        return lambda rng, limit: f'"{whole(between(rng, least, most), found[1])} {unit}"'
    found = re.match(r"one of (.*?);", words)
    if found:
        return lambda rng, limit: rng.choice(found[1].split(", "))
    return (lambda rng, limit: rng.choice(("true", "false"))) if words.startswith("true") else None


def whole(value, kind):
    """A rate is in hundreds, a time in whole milliseconds where it is long: as keys want it."""
    if kind == "rate":
        return max(100, value // 100 * 100)
    return value // 10**7 * 10**7 if kind == "time" and value >= 10**7 else value


def between(rng, least, most):
    """The ends often; else every order of magnitude alike."""
    kind = rng.random()
    if kind < 0.15:
        return least
    if kind < 0.3:
        return most
    return min(most, int((least + 1) * ((most + 1) / (least + 1)) ** rng.random()))


def keys():
    """{constructor: {key: draw}}; an AQM's keys are by its name."""
    text, place, all_keys = sluice("check", "--keys").stdout, None, {}
    for line, below in zip(text.splitlines(), [*text.splitlines()[1:], ""]):
        head = re.match(r' *(\w+) \{(?: name = "([\w-]+)", \.\.\.)? \}  ', line)
        if head:
            place = all_keys.setdefault(head[2] or head[1], {})
        elif re.match(r" +(\w+) +\S", line) and place is not None:
            draw = range_of(below.strip())
            name = line.split()[0]
            if draw and name not in LEFT_OUT:
                place[name] = draw
    return all_keys


class Config:
    """One random configuration."""

    def __init__(self, rng, known):
        self.rng, self.known = rng, known

    def some(self, constructor):
        """Some of its keys; a bucket has a rate."""
        known = self.known[constructor]
        names = [name for name in known if self.rng.random() < CHANCE]
        names += [rate for rate in ("rate", "ms_rate") if rate not in names
                  and rate.replace("rate", "bucket") in names]
        return "".join(f"{name} = {known[name](self.rng, MOST.get(name))}, " for name in names)

    def cipher(self):
        gea = self.rng.choice((0, 0, 3, 4))
        key = self.rng.randbytes(16 if gea == 4 else 8).hex()
        return f'cipher = "gea{gea}", key = "{key}", ' if gea else ""

    def of_class(self, name):
        weighted = [key for key in self.some("class").split(", ")
                    if key and not (name == "signalling" and key.startswith("weight"))]
        if any(key.startswith("window") for key in weighted):  # which needs queues by flow
            weighted = [*(key for key in weighted if not key.startswith("flows")), "flows = true"]
        aqm = self.rng.choice(aqm_names())
        body = f'aqm {{ name = "{aqm}", {self.some(aqm)} }}, ' if self.rng.random() < 0.5 else ""
        return f'class {{ name = "{name}", {", ".join([*weighted, body])} }}\n'

    def ms(self, number):
        ra = f'ra_capability = "{self.rng.randbytes(self.rng.choice((1, 46, 47, 48))).hex()}", '
        return (f'ms {{ imsi = "{1010000000000 + 100 * number:015}", {self.some("ms")}'
                f'{ra if self.rng.random() < 0.5 else ""}{self.cipher()}'
                f'pdp {{ nsapi = {self.rng.randint(5, 15)}, class = "background", '
                f'address = "10.{number}.0.1", {self.some("pdp")} }} }},\n')

    def nse(self, number, ns):
        cells = "".join(f"bvc {{ bvci = {2 + cell}, {self.some('bvc')}"
                        f"{''.join(self.ms(8 * number + 2 * cell + n) for n in range(2))} }},\n"
                        for cell in range(self.rng.randint(0, 3)))
        return (f'nse {{ nsei = {number}, ns = "{ns}", flow_control = "open", '
                f"{self.some('nse')}nsvc {{ nsvci = {number}, "
                f'peer = "198.51.100.{10 + number}", peer_mac = "02:00:00:00:00:03", '
                f"{self.some('nsvc')} }},\n{cells} }}\n")

    def text(self):
        """All of the NSEs are the lab's, or none."""
        ns = self.rng.choice(("manual", "reset", "alive"))
        lab = 'lab { ggsn = "192.0.2.3", ggsn_mac = "02:00:00:00:00:05" }\n' * (ns == "manual")
        classes = "".join(self.of_class(name) for name in
                          ("signalling", "streaming", "interactive-1", "background")
                          if self.rng.random() < 0.5)
        return (f'run {{ name = "any", duration = "1 s", {self.some("run")} }}\n'
                f'gn {{ address = "192.0.2.1", mac = "02:00:00:00:00:01", {self.some("gn")} }}\n'
                f'gb {{ address = "198.51.100.1", mac = "02:00:00:00:00:02", '
                f"{self.some('gb')} }}\n"
                'ggsn { address = "192.0.2.2", mac = "02:00:00:00:00:04" }\n'
                f"timers {{ {self.some('timers')} }}\nqueue {{ {self.some('queue')} }}\n{classes}"
                f"{''.join(self.nse(n, ns) for n in range(self.rng.randint(1, 3)))}{lab}")


def brought_up(files):
    done = subprocess.run([os.environ["GB_WORLD"], "--each"], input="\n".join(map(str, files)),
                          capture_output=True, text=True, check=False, errors="replace")
    return [line for line in done.stdout.splitlines() if not line.startswith("EAL")], done


@case(f"{CONFIGS} random configurations: what check accepts comes up")
def accepted():
    rng, known, folder = random.Random(SEED), keys(), new_folder()
    files = []
    for number in range(CONFIGS):
        files.append(folder / f"{number}.lua")
        files[-1].write_text(Config(rng, known).text())
    said, done = brought_up(files)
    right(len(said) == CONFIGS, f"it ended after {len(said)} (exit {done.returncode}):\n"
          f"{done.stderr[-1000:]}")
    wrong = [f"{file}: {line}" for file, line in zip(files, said) if line not in ("ran", "refused")]
    print(f"# TEST_SEED={SEED}: {said.count('ran')} of {CONFIGS} were accepted and came up")
    right(not wrong, "\n".join([*wrong[:10], done.stderr[-1500:]]))
    right(said.count("ran") * 4 >= CONFIGS, "too few are accepted to say much")


main()
