#!/usr/bin/python3
"""A command with several runs in a folder that has results of an earlier one: what is taken over, done again or
refused. The earlier command may have been of another file, of more runs, or killed; files may have gone since."""

import csv
import json
import re
import shutil
import subprocess

from harness import CAPTURES, case, main, new_folder, program, right, same, sluice
from several import ENDLESS, VARIANTS, config, many, results, scenario, six, summary_of

ALL = "--variant", "all", "--seeds", "1..3", "--pcap"
OTHER = """
variants {
    variant { name = "codel", set = "class.aqm.name=codel" },
    variant { name = "pie", set = "class.aqm.name=pie" },
}
"""
FEWER = "give --variant, --point and --seeds of all of them, another --out, or --force to leave them out of the summary"


def copy_of_six():
    out = new_folder() / "out"
    shutil.copytree(six()[0], out)
    return out


def is_refused(path, out, words, said):
    before = results(out)
    done = many(path, out, *words, status=1)
    same((done.stderr, done.stdout), (f"sluice run: {said}\n", ""), words)
    same(results(out), before, "results")


# --- Whose the folder is --------------------------------------------------------------------------


@case("another configuration is refused, too, where its runs would have other folders; --force takes the folder")
def another():
    out, other = copy_of_six(), scenario(OTHER)
    words = "--variant", "all", "--seeds", "1..2"
    for more in (), ("--resume",):
        is_refused(other, out, (*words, *more), f"{out}: has the results of another run (another configuration file);"
                   " give another --out, or --force to do it again")
    many(other, out, *words, "--resume", "--force")
    same([run["folder"] for run in summary_of(out)["runs"]], ["codel/1", "codel/2", "pie/1", "pie/2"], "runs")
    same({line.split(",")[0] for line in (out / "results.csv").read_text().splitlines()[1:]},
         {f'"{variant}/{seed}"' for variant in ("codel", "pie") for seed in (1, 2)}, "folders in results.csv")


@case("a command that was killed has said before its first run whose the folder is")
def killed():
    out, log = new_folder() / "out", None
    process = subprocess.Popen([program(), "run", scenario(ENDLESS), "--out", out, "--variant", "short", "--variant",
                                "endless", "--jobs", "1"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, encoding="utf-8")
    try:
        log = process.stderr.readline()  # it is about to start the first run
    finally:
        process.kill()
        process.communicate()
    right(log.startswith("2 runs, "), log)
    same([(run["folder"], run["state"]) for run in summary_of(out)["runs"]],
         [("short/1", "absent"), ("endless/1", "absent")], "its summary")
    is_refused(config(), out, ("--variant", "all", "--resume"), f"{out}: has the results of another run (another"
               " configuration file); give another --out, or --force to do it again")


@case("fewer seeds or variants are refused, also with --resume, for the summary would not count what the folder has")
def fewer():
    out = copy_of_six()
    for words, first, count in ((("--variant", "all", "--seeds", "1..2"), "red/3", 2),
                                (("--variant", "all", "--seeds", "2..3"), "red/1", 2),
                                (("--variant", "red", "--seeds", "1..3"), "cobalt/1", 3),
                                (("--variant", "all", "--seeds", "9..9"), "red/1", 6)):
        for resume in (), ("--resume",):
            is_refused(config(), out, (*words, *resume), f"{out}: has the results of {count} more runs than this command,"
                       f" such as {first}; {FEWER}")
    kept = (out / "red/2/run.json").stat().st_mtime_ns
    many(config(), out, "--variant", "red", "--seeds", "2..2", "--resume", "--force")
    same([run["folder"] for run in summary_of(out)["runs"]], ["red/2"], "what is counted with --force")
    same((out / "red/2/run.json").stat().st_mtime_ns, kept, "the run is done again")
    right((out / "cobalt/3/summary.json").exists(), "the others are gone")


@case("--resume with more seeds and variants takes over what there is; the result is that of one go")
def more():
    out = new_folder() / "out"
    many(config(), out, "--seeds", "2..2", "--pcap")  # the default variant, red
    (out / "red/2/gi.pcap").unlink()  # as the second run of all six has none
    for name in CAPTURES[1:]:
        (out / "red/2" / name).unlink()
    info = json.loads((out / "red/2/run.json").read_text())
    info["files"] = {name: octets for name, octets in info["files"].items() if name not in CAPTURES}
    (out / "red/2/run.json").write_text(json.dumps(info))
    kept = (out / "red/2/run.json").stat().st_mtime_ns
    many(config(), out, *ALL, "--resume")
    same((out / "red/2/run.json").stat().st_mtime_ns, kept, "the run that was there is done again")
    same(results(out), results(six()[0]), "results")


@case("runs that an interrupted command never did are missed by nobody: --resume may leave them out")
def never_done():
    out = copy_of_six()
    for variant in "red", "cobalt":
        shutil.rmtree(out / variant / "3")
    many(config(), out, "--variant", "all", "--seeds", "1..2", "--pcap", "--resume")
    same(len(summary_of(out)["runs"]), 4, "runs")


@case("a hostile list of runs in the folder's summary reads nothing outside the folder")
def hostile_list():
    out, outside = copy_of_six(), new_folder()
    shutil.copytree(out / "red/1", outside / "1")
    summary = summary_of(out)
    (out / "link").symlink_to(outside)
    summary["runs"] += [{"folder": folder} for folder in (f"../../{outside.name}/1", str(outside / "1"), "link/1", "", "x" * 9000)]
    summary["runs"] += [7, {"folder": 7}, {}, None]
    (out / "summary.json").write_text(json.dumps(summary))
    same(many(config(), out, *ALL, "--resume").stderr, "", "what is said")


# --- What of a run must be there ------------------------------------------------------------------


def tables():
    return sorted(path.name for path in (six()[0] / "red/1").glob("*.csv"))


@case("a run counts as done only with each file as it wrote it: deleted, emptied or cut, it is done again")
def files():
    out = copy_of_six()
    damages = {"deleted": lambda path: path.unlink(), "emptied": lambda path: path.write_bytes(b""),
               "cut": lambda path: path.write_bytes(path.read_bytes().rsplit(b"\n", 2)[0] + b"\n"),
               "a folder": lambda path: (path.unlink(), path.mkdir(), path.rmdir()),
               "a link": lambda path: (path.rename(out / "moved"), path.symlink_to(out / "moved"))}
    names = [*tables(), "gn.pcap", "run.json"]
    right(len(names) == 14, names)
    for i, name in enumerate(names):
        how = list(damages)[i % len(damages)] if name != "run.json" else "deleted"
        folder = out / ("red/1" if name.endswith("pcap") else "cobalt/2")
        damages[how](folder / name)
        done = many(config(), out, *ALL, "--resume")
        said = f"sluice run: {folder}: {name} is missing or not whole: the run is done again\n1 runs, 1 at a time;"
        right(done.stderr.startswith(said), f"{name}, {how}: {done.stderr}")
        (out / "moved").unlink(missing_ok=True)
        same(results(out), results(six()[0]), f"results after {name} was {how}")


@case("a list of a run's files that lacks one of those that such a run writes is of no whole run")
def forged_list():
    out, words = copy_of_six(), (*ALL, "--resume")
    red, cobalt = "red/1", "cobalt/2"
    for folder, left_out in ((cobalt, None), (cobalt, "summary.json"), (cobalt, "mss.csv"), (red, "gn.pcap"), (cobalt, "series_flows.csv")):
        info = json.loads((out / folder / "run.json").read_text())
        right(left_out is None or left_out in info["files"], f"{left_out} is no file of {folder}: {info['files']}")
        info["files"] = {name: octets for name, octets in info["files"].items() if left_out and name != left_out}
        (out / folder / "run.json").write_text(json.dumps(info))
        said = many(config(), out, *words).stderr
        right(said.startswith(f"sluice run: {out / folder}: {left_out or 'summary.json'} is missing or not whole: the run is done again\n1 runs,"),
              f"{left_out}: {said}")
        same(results(out), results(six()[0]), f"results without {left_out}")


@case("a table that cannot be read is named, and there is no results.csv at all, nor an older one")
def unreadable():
    out = copy_of_six()
    table = out / "cobalt/2/mss.csv"
    text = table.read_text()
    table.write_text(text[:-2] + "x\n")  # of the same length
    done = many(config(), out, *ALL, "--resume", status=1)
    right("sluice run: results.csv: mss.csv: line" in done.stderr, done.stderr)
    same([name for name in (".results.csv.part", "results.csv") if (out / name).exists()], [], "what is left of it")


@case("killed while it gathers, it leaves no file that is broken off; --resume writes all of them")
def killed_gathering():
    out = copy_of_six()
    part = out / ".results.csv.part"
    for _ in range(50):  # until it is killed in between
        process = subprocess.Popen([program(), "run", config(), "--out", out, *ALL, "--resume"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not part.exists() and process.poll() is None:
            pass
        process.kill()
        process.wait()
        if part.exists():
            break
    right(part.exists(), "never killed while it wrote results.csv")
    same([name for name in ("results.csv", "report.html") if (out / name).exists()], [], "files of before")
    many(config(), out, *ALL, "--resume")
    same(results(out), results(six()[0]), "results")


@case("what cannot be written whole is not there: no part of it, and none of an earlier command")
def no_room():
    out = copy_of_six()
    most = (out / "results.csv").stat().st_size // 2
    right(max((out / name).stat().st_size for name in ("summary.json", "runs.csv")) < most, "results.csv is not the longest")
    done = sluice("run", config(), "--out", out, *ALL, "--resume", before=("prlimit", f"--fsize={most}", "--"))
    same((done.returncode, done.stderr), (1, f"sluice run: {out}/results.csv: File too large\n"), "status and stderr")
    same([name for name in (".results.csv.part", "results.csv") if (out / name).exists()], [], "what is left of it")
    right("summary.json, runs.csv\n" in done.stdout, done.stdout)


@case("--resume --pcap and --packets: the first run is done again if it has none, and keeps those it has")
def asked_later():
    out = new_folder() / "out"
    words = "--variant", "red", "--seeds", "1..2"
    many(config(), out, *words)
    for option, name, others in (("--pcap", "gi.pcap", ()), ("--packets", "packets.csv", ("--pcap",))):
        kept = (out / "red/2/run.json").stat().st_mtime_ns
        done = many(config(), out, *words, *others, option, "--resume")
        right(done.stderr.startswith(f"sluice run: {out}/red/1: {name} is missing or not whole: the run is done again\n"),
              done.stderr)
        right((out / "red/1" / name).stat().st_size > 0, f"no {name}")
        same((out / "red/2/run.json").stat().st_mtime_ns, kept, "the second run is done again")
    right((out / "red/1/gi.pcap").exists(), "--packets without --pcap")
    same(many(config(), out, *words, "--resume").stderr, "", "without the options nothing is done again")
    right((out / "red/1/gi.pcap").exists() and (out / "red/1/packets.csv").exists(), "what the first run has")


# --- Figures that no run could have ---------------------------------------------------------------


def changed_summary(folder, text):
    (folder / "summary.json").write_text(text)
    info = json.loads((folder / "run.json").read_text())
    info["files"]["summary.json"] = len(text)
    (folder / "run.json").write_text(json.dumps(info))


@case("a figure that is no number, below 0 or beyond any run's is none, in all files")
def figures():
    path, out = scenario(VARIANTS), new_folder() / "out"
    many(path, out, "--variant", "red", "--seeds", "1..2")
    text = (out / "red/2/summary.json").read_text()
    for bad in "NaN", "1e999", "1e300", "-1.25", "99999999999999999":
        def replaced(found, value=bad):
            return found[1] + value
        changed = re.sub(r'("goodput_bit_per_s": )\d+', replaced, text)
        changed = re.sub(r'("p95": )[\d.]+', replaced, changed)
        right(changed != text, "nothing is replaced")
        changed_summary(out / "red/2", changed)
        many(path, out, "--variant", "red", "--seeds", "1..2", "--resume")
        found = summary_of(out)["variants"][0]["classes"]["background"]
        for figure in "goodput_bit_per_s", "delay_p95_ms":
            same(found[figure]["runs"], 1, f"{bad}: runs of {figure}")
            same(found[figure]["mean"], summary_of(out)["runs"][0]["classes"]["background"][figure], f"{bad}: its mean")
            same(summary_of(out)["runs"][1]["classes"]["background"][figure], None, f"{bad}: {figure}")
        for name in "runs.csv", "results.csv":
            right(bad not in (out / name).read_text(), f"{bad} is in {name}")


@case("a key of a summary is quoted in results.csv, and what has no digits alone is no value there")
def keys():
    path, out = scenario(VARIANTS), new_folder() / "out"
    many(path, out, "--variant", "red", "--seeds", "1..2")
    text = (out / "red/2/summary.json").read_text()
    more = json.dumps({'a",b_ms': {"n": 3, "mean": 1.5, "p50": 2}})[1:-1] + ', "c_ms": { "n": 3, "mean": 1e999, "p95": -1 },'
    changed_summary(out / "red/2", re.sub(r'("traffic": \{)', lambda found: found[1] + more, text))
    many(path, out, "--variant", "red", "--seeds", "1..2", "--resume")
    with (out / "results.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["entity"] == "application_kind" and row["seed"] == "2"]
    same([(row["metric"], row["value"], row["unit"], row["n"]) for row in rows if not row["metric"].startswith("c_")],
         [('a",b_mean_ms', "1.5", "ms", "3"), ('a",b_p50_ms', "2", "ms", "3")], "rows")
    same(len(rows), 2, "rows of what is no value")


main()
