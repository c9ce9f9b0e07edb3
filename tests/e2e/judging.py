"""Runs of two seconds, judged by files of targets: what the tests of targets and of figures have in common."""

import functools
import json

from harness import UDP_SCENARIO, new_folder, right, same, sluice, written
from several import VARIANTS

SHORT = UDP_SCENARIO.read_text().replace('duration = "10 s"', 'duration = "2 s"')
SEED = "local function seed(run)\n    return (run('red').value('seed'))\nend\n"
# Student's t at 0.975 by its closed forms: one degree of freedom is tan(0.475 pi), two 0.95 sqrt(2 / (1 - 0.95^2)).
T1, T2 = 12.7062047, 4.3026527


@functools.cache
def runs():
    """Both variants with the seeds 6, 7 and 8."""
    config, out = written(SHORT + VARIANTS), new_folder() / "out"
    done = sluice("run", config, "--out", out, "--variant", "all", "--seeds", "6..8", "--no-page")
    same(done.returncode, 0, f"exit status\n{done.stderr}")
    return config, out


def judged(text, status=0, config_out=None, words=("--variant", "all", "--seeds", "6..8")):
    """The rows of targets.json, and what the command said; --resume runs nothing again."""
    config, out = config_out or runs()
    done = sluice("run", config, "--out", out, *words, "--resume", "--no-page", "--targets", written(text))
    same(done.returncode, status, f"exit status\n{done.stdout}{done.stderr}")
    return json.loads((out / "targets.json").read_text())["targets"], done


def refuses(mistakes, config, *words):
    """Each file of --targets, or of --knobs behind `words`, ends with its lines, and nothing is run."""
    for text, said in mistakes:
        path, out = written(text), new_folder() / "out"
        done = sluice("run", config, "--out", out, *words, path)
        wanted = "".join(f"{path}{line}\n" for line in said.splitlines())
        same((done.returncode, done.stdout, done.stderr), (2, "", wanted), text)
        right(not out.exists(), f"{text}: it made {out}")


def near(found, wanted, what):
    right(abs(found - wanted) <= 1e-6 * max(1, abs(wanted)), f"{what}: found {found}, right is {wanted}")
