#!/usr/bin/python3
"""The tournament (tests/tournament) in small: two loads, two settings, two seeds; what is there is not run again; the
regrets are those of the figures."""

import json
import os
import re
import subprocess
import sys

from harness import ROOT, case, main, new_folder, right

sys.path.append(str(ROOT / "tests/tournament"))

from judge import Judged, interval  # noqa: E402


def tournament(out):
    done = subprocess.run([sys.executable, "-B", ROOT / "tests/tournament/tournament.py", "--seeds", "1..2",
                           "--loads", "1 flows", "--settings", "recommended", "--out", out],
                          capture_output=True, text=True, check=False, env=os.environ)
    right(done.returncode == 0, done.stderr)
    return done


@case("a page with each load and setting, a run for each of these and each seed; nothing is run twice")
def small():
    out = new_folder()
    first = tournament(out)
    right("8 of 8 runs" in first.stderr, first.stderr)
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    right(len({line["key"] for line in lines}) == len(lines) == 8, f"{len(lines)} lines")
    page = (out / "index.html").read_text()
    for word in ("recommended", "plain", "1 flows in the MS that pings, no ECN", "ping p95", "&plusmn;"):
        right(word in page, f"no {word} on the page")
    right(float(re.search(r"^plain +([\d.]+)", first.stdout, re.M)[1]) > 10, first.stdout)
    seeds = {line["figures"]["ping p95"] for line in lines if line["setting"] == "plain"}
    right(len(seeds) > 1, "all seeds give the same")
    right(tournament(out).stderr == "", "runs again what is there")


@case("regrets by hand: the ratio to the best of those with enough goodput, nobody's unfelt part, the worst and where")
def by_hand():
    def seeds(goodput, ping, page):
        return [{"sound": True, "goodput": goodput, "ping p95": ping, "page mean": page}] * 2

    judged = Judged({("x", "plain"): seeds(100, 950, 9500), ("x", "quick"): seeds(96, 450, 4500),
                     ("x", "idle"): seeds(94, 50, 500)}, ["x"], ["plain", "quick", "idle"])
    right(judged.qualified("x") == ["plain", "quick"], judged.qualified("x"))
    regrets = judged.regrets("x", "plain")
    right(regrets == {"goodput": 1, "ping p95": 1000 / 500, "page mean": 10000 / 5000}, regrets)
    right(judged.regrets("x", "idle")["ping p95"] == 100 / 500, "who has no goodput is no measure, but has a regret")
    regret, *where = judged.worst("quick")
    right(abs(regret - 100 / 96) < 1e-9 and where == ["x", "goodput"], judged.worst("quick"))
    right(judged.ranked()[0] == "quick", judged.ranked())
    right(interval([1, 1, 1]) is None and abs(interval([1, 2, 3]) - 4.30 / 3 ** .5) < 1e-9, "intervals")


if __name__ == "__main__":
    main()
