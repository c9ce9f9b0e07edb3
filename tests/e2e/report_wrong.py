#!/usr/bin/python3
"""The page of results whose files are wrong or hostile: what is wrong is named and left out, text is escaped, and
nothing is a crash."""

import atexit
import json
import os
import re
import shutil
import signal
import subprocess

from harness import TIMEOUT_S, Skip, case, each_of, main, new_folder, program, right, same, short, sluice
from pages import check_classes, check_drops, copy, made_up, page_of, report, summary_of, summary_rows

EVIL = '<script>alert(1)</script>"\'&\x01\udcff'


@case("text of the files is escaped wherever it is shown")
def escaped():
    folder = copy()
    summary = json.loads((folder / "summary.json").read_text())
    evil = EVIL.replace("\udcff", "\u00e9")
    summary["scenario"] = summary["version"] = summary["config_sha256"] = evil
    summary["overrides"] = [evil, 7, None]
    summary["classes"][evil] = summary["classes"]["background"]
    (folder / "summary.json").write_text(json.dumps(summary))
    for name in "series_classes.csv", "classes.csv", "drops.csv", "delays.csv":
        text = (folder / name).read_text().replace("background", '"<b onclick=x>`$(id)`""\'&"')
        (folder / name).write_text(text.replace("queue_full", '"<i>\\x`id`""\'"'))
    page, text = page_of(folder)
    right("<script" not in text and "<b " not in text, "markup of a file is on the page")
    right(page.tables["What was run"][1][0].startswith("<script>alert(1)</script>"), "the scenario")


def wrong_files():
    """Name of the file, its content, and a word of what is said."""
    series = "time_s,class,direction,delay_p95_ms\n"
    yield "series_classes.csv", "", "a row of names is missing"
    yield "series_classes.csv", "time_s,class\n", "no column direction"
    yield "series_classes.csv", series + "1,a,down\n", "line 2: not as many cells"
    yield "series_classes.csv", series + "1,a,down,1e9\n", "line 2: a cell that is not a number"
    yield "series_classes.csv", series + "x,a,down,1\n", "line 2: a cell that is not a number"
    yield "series_classes.csv", series + "1," + "a" * 20_000 + ",down,1\n", "line 2: it is too long"
    yield "series_classes.csv", series + '1,"a,down,1\n', "line 2: quotes"
    yield "series_flows.csv", "," * 300 + "\n", "more than 256 cells"
    yield "delays.csv", "class,direction,packets\n", "no column delay_ms"
    yield "delays.csv", "class,direction,delay_ms,packets\na,down,-1,0\n", "not a number"
    yield "classes.csv", "class,direction\n", "no column"
    yield "classes.csv", (made_up() / "classes.csv").read_text() + "x,down" + ",x" * 15 + "\n", "not a number"
    yield "drops.csv", "by,name,place,reason,packets\n", "no column octets"
    yield "drops.csv", "by,name,place,reason,packets,octets\nclass,a,b,c,x,1\n", "not a number"


@case("a CSV file that is wrong is named on the page, with its line, and the rest is shown")
def wrong_csv():
    for name, content, word in wrong_files():
        folder = copy()
        (folder / name).write_text(content)
        page, text = page_of(folder)
        right(re.search(rf'<p class="bad">Not shown: [^<]*{name}: [^<]*{word}', text),
              f"{name} {short(content)}: {re.findall('Not shown[^<]*', text)}")
        same(len(page.tables["What was run"]), 2, "the rest of the page")


@case("without classes.csv and drops.csv, as in real time: their rows are the summary's")
def no_csv():
    folder = copy()
    for path in folder.glob("*.csv"):
        path.unlink()
    page, text = page_of(folder)
    summary = summary_of(folder)
    check_classes(page, summary_rows(summary))
    check_drops(page, [[f"sgsn: {reason}", name, str(drop["packets"]), str(drop["octets"])]
                       for name, row in summary["classes"].items() for reason, drop in row["drops"].items()])


@case("huge and odd numbers and many groups are drawn, or left out, and are no crash")
def odd_numbers():
    folder = copy()
    rows = [f"{'9' * 39},a,down,{'9' * 39}", "0,a,down,0", "0.0000001,b,up,", "5,b,down,0.000000"]
    rows += [f"{i},class-{i},down,{i}" for i in range(400)]
    (folder / "series_classes.csv").write_text("time_s,class,direction,delay_p95_ms\n" + "\n".join(rows))
    (folder / "delays.csv").write_text("class,direction,delay_ms,packets\na,down,0,1\nb,down,1e,1\n")
    (folder / "drops.csv").write_text("by,name,place,reason,packets,octets\n" + "".join(
        f"class,c{i},p,r{i},{'9' * 30},{i}\nclass,c{i},p,s{i},{i},{i}\n" for i in range(200)))
    _, text = page_of(folder)
    right("The first 8; the files have all." in text and "The first 24; the files have all." in text,
          "what is left out is not said")
    for elapsed in "0", "1e400", "-5", '"x"', "null":
        summary = re.sub(r'"virtual_s": [\d.]+', f'"virtual_s": {elapsed}', (made_up() / "summary.json").read_text())
        (folder / "summary.json").write_text(summary)
        page_of(folder)


@case("a folder without results, and a summary that is none, are refused by name")
def refused():
    for content, word in ((None, "no run: no summary.json"), ("", "not the summary of a run"),
                          ("[1]", "not the summary"), ('{"classes": 7}', "no run"), ("[" * 9999, "not the summary"),
                          ('{"classes": {}} x', "not the summary"), ('{"a": "\udcff"}', "not the summary")):
        folder = new_folder()
        if content is not None:
            (folder / "summary.json").write_text(content, errors="surrogateescape")
        status, text, stderr = report(folder)
        same((status, text), (1, None), f"exit status and page of {content!r:.40}")
        right(stderr.startswith(f"sluice report: {folder}") and word in stderr, stderr)
    status, _, stderr = report("/nonexistent")
    same((status, stderr), (1, "sluice report: /nonexistent: No such file or directory\n"), "no folder")


@case("a run that is given twice, by whatever name, is refused: it would be two samples")
def twice():
    folder, link, gathered = new_folder(), new_folder() / "link", new_folder()
    for seed in "12":
        shutil.copytree(made_up(), folder / "a" / seed)
        shutil.copytree(made_up(), gathered / seed)
    link.symlink_to(folder)
    (gathered / "summary.json").write_text(json.dumps({"runs": [{"folder": "1"}, {"folder": "2"}, {"folder": "./2"}]}))
    for given, named in (((folder, folder), folder / "a/1"), ((folder, f"{folder}/a/2"), f"{folder}/a/2"),
                         ((folder / "a/1", link), link / "a/1"), ((gathered,), f"{gathered}/./2")):
        status, text, stderr = report(*given)
        same((status, text, stderr), (1, None, f"sluice report: {named}: this run has been given already\n"), f"{given}")


@case("a pipe in place of a file does not stop it")
def pipes():
    folder = copy()
    for name in "series_classes.csv", "drops.csv":
        (folder / name).unlink()
        os.mkfifo(folder / name)
    _, text = page_of(folder)
    same(text.count("not a regular file"), 2, "what is said of the pipes")
    (folder / "summary.json").unlink()
    os.mkfifo(folder / "summary.json")
    status, _, stderr = report(folder)
    right(status == 1 and "summary.json: not a regular file" in stderr, stderr)


def opens(process, path):
    return str(path) in each_of(process.pid, "fd", os.readlink).values()


def removed_meanwhile(folder):
    """Status and stderr of a report during which folder/b goes away; None: it was too fast for that. What it has to
    read before b takes long."""
    (folder / "b").mkdir()
    process = subprocess.Popen([program(), "report", folder, "--out", folder / "page.html"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8")
    atexit.register(process.kill)
    while process.poll() is None and not opens(process, folder / "a/summary.json"):
        pass
    process.send_signal(signal.SIGSTOP)
    early = opens(process, folder / "a/summary.json")
    (folder / "b").rmdir()
    process.send_signal(signal.SIGCONT)
    said = process.communicate(timeout=TIMEOUT_S)[1]
    return (process.returncode, said) if early else None


@case("a folder beside the runs that goes away while it looks for runs")
def vanished():
    folder = new_folder()
    shutil.copytree(made_up(), folder / "run")
    (folder / "a").mkdir()
    (folder / "a/summary.json").write_text("{" + " " * (60 << 20) + "}")
    done = next(filter(None, (removed_meanwhile(folder) for _ in range(20))), None)
    if not done:
        raise Skip("it was too fast for this test")
    same(done, (0, ""), "exit status and stderr")
    right("What was run" in (folder / "page.html").read_text(), "no page of the run")


@case("a folder beside the runs that is closed to this user is named on the page")
def closed():
    folder = new_folder()
    folder.chmod(0o755)
    shutil.copytree(made_up(), folder / "run")
    (folder / "closed").mkdir(mode=0)
    before = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if os.geteuid() == 0 else []
    done = sluice("report", folder, "--out", folder / "page.html", before=before)
    if before and "setpriv" in done.stderr:
        raise Skip("this root cannot give up its rights")
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    right(f"{folder}/closed: Permission denied" in (folder / "page.html").read_text(), "no word of it on the page")


main()
