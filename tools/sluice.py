"""Runs scenarios, and reads their results into pandas.

    import sluice
    found = sluice.run("config/quickstart.lua", seeds="1..5")
    found.query("entity == 'application_kind' and metric == 'page_p95_ms'").groupby("variant").value.mean()

Each row of `found` is a value: of which run (folder, variant, an axis a column, seed), of what (entity, class,
cell, ms, flow, end, application, direction), which (metric), value, unit, and n samples. config/reference.md describes
results.csv. The program is found in build/release beside this file's folder, or in PATH.
"""

import json
import pathlib
import shutil
import subprocess

import pandas

HERE = pathlib.Path(__file__).resolve().parent
TEXTS = ("folder", "variant", "entity", "class", "cell", "ms", "flow", "end", "application", "direction", "metric", "unit")
FIGURES = ("classes", "applications", "lab")


def program():
    built = HERE.parent / "build/release/sluice"
    found = str(built) if built.exists() else shutil.which("sluice")
    if not found:
        raise FileNotFoundError(f"no program: neither {built}, which ./run build makes, nor a sluice in PATH")
    return found


def run(scenario, out, seeds=1, variant="all", settings=None, jobs=None):
    """Runs each variant and each point of the scenario with each seed, unless complete results of the same runs are in the
    folder `out` already; returns read(out). seeds: how many, or a text such as "6..10"; settings: {key: value} as for --set.
    A run that fails raises RuntimeError, so do fewer seeds or variants than the folder has results of."""
    seeds = f"1..{seeds}" if isinstance(seeds, int) else seeds
    words = [program(), "run", scenario, "--out", out, "--seeds", seeds, "--resume"]
    words += ["--variant", variant] if variant else []
    words += ["--jobs", jobs] if jobs else []
    for key, value in (settings or {}).items():
        words += ["--set", f"{key}={value}"]
    done = subprocess.run([str(word) for word in words], check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"sluice run {scenario}: {done.stderr.strip()}")
    return read(out)


def read(folder):
    """The results.csv of a folder with several runs."""
    path = pathlib.Path(folder) / "results.csv"
    if not path.exists():
        raise FileNotFoundError(f"no {path}: sluice run writes it for several variants, points or seeds (--seeds 1..1 will do), "
                                "and not with --targets")
    return pandas.read_csv(path, dtype=dict.fromkeys(TEXTS, "string"))


def means(folder):
    """The mean of each figure over the seeds with half its 95 % confidence interval, as summary.json has them: a row for each
    variant, point, class or kind of application (`of`, `name`) and metric. Of one seed with run.batches: over its batches."""
    rows = [{"variant": group.get("variant"), "point": group.get("point"), "of": of, "name": name, "metric": metric,
             **figure}
            for group in json.loads((pathlib.Path(folder) / "summary.json").read_text())["variants"]
            for of in FIGURES for name, figures in group.get(of, {}).items() for metric, figure in figures.items()
            if figure["runs"]]
    return pandas.DataFrame(rows)
