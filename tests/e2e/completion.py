#!/usr/bin/python3
"""What bash completes with the text of `sluice help bash`, and the requests of `sluice ctl` in every help: one table
(control/plane/requests.def) has them."""

import os
import re
import socket
import subprocess

from harness import ROOT, aqm_names, case, ctl_requests, main, new_folder, right, same, sluice

COMMANDS = re.findall(r"^  sluice (\w+)", sluice("help").stdout, re.M)
# The last word is the one that is being typed.
ASK = sluice("help", "bash").stdout + 'COMP_WORDS=(sluice "$@"); COMP_CWORD=$#; _sluice; printf "%s\\n" "${COMPREPLY[@]}"'


def completed(*typed, cwd=None, **environment):
    """What bash offers for the last of these words."""
    done = subprocess.run(["bash", "-c", ASK, "bash", *typed], capture_output=True, text=True, check=False, cwd=cwd or new_folder(),
                          env=os.environ | environment)
    same((done.returncode, done.stderr), (0, ""), f"bash's exit status and stderr for {typed}")
    return sorted(done.stdout.split("\n")[:-1]) if done.stdout != "\n" else []


@case("bash completes commands, topics of help, options, values of a fixed set, files and folders")
def completes():
    folder = new_folder()
    (folder / "run").mkdir()
    (folder / "a file").touch()
    for typed, wanted in (
            (["b"], ["bench", "bts"]), (["stats", "--c"], ["--cell"]), (["help", "c"], ["check", "csv", "ctl"]),
            (["help", ""], sorted([*COMMANDS, "csv", "json", "man", "bash", "help"])),
            (["bench", "--cipher", ""], ["gea3", "gea4", "none"]), (["bench", "--cipher", "=", "gea"], ["gea3", "gea4"]),
            (["bench", "--cipher", "="], ["gea3", "gea4", "none"]), (["bench", "--aqm", ""], sorted(aqm_names())),
            (["bench", "--steering", "a"], ["address", "auto"]), (["bts", "--coding", ""], ["CS-1", "CS-2", "CS-3", "CS-4"]),
            (["gi", "--users", ""], ["address", "teid"]), (["audit", "--fail-on", "b"], ["breach"]),
            (["bench", "--ms", ""], []), (["metrics", "--listen", ""], []), (["run", "--seed", ""], []),
            (["run", ""], ["a file", "run"]), (["run", "--targets", "a"], ["a file"]), (["run", "--se"], ["--seed", "--seeds", "--set"]),
            (["run", "--out", ""], ["run"]), (["report", ""], ["run"]), (["ggsn", "a"], ["a file"]), (["top", ""], ["--help", "--run"]),
            (["frobnicate", ""], [])):
        same(completed(*typed, cwd=folder), wanted, f"what bash offers for {typed}")


@case("bash completes the requests of ctl, word by word, with --run before them as well")
def completes_ctl_requests():
    first = sorted({usage.split()[0] for usage in ctl_requests()})
    same(completed("ctl", ""), first, "the first words")
    same(completed("ctl", "help", ""), first, "the words behind help")
    for typed, wanted in (
            ("capture ", ["off", "on", "user"]), ("capture user ", ["off", "on"]), ("capture user on ", ["file", "snap"]),
            ("capture user on snap ", []), ("capture user on snap 61 ", ["file"]), ("capture user off ", []),
            ("trace ", ["--json", "off", "on"]), ("trace on ", ["--cell", "--ms", "--packets"]), ("trace on --ms ", []),
            ("trace on --ms 1 ", ["--packets"]), ("trace on --c", ["--cell"]), ("log ", ["debug", "error", "info", "warn"]), ("log w", ["warn"]),
            ("nsvc ", []), ("nsvc 1-2 ", ["block", "reset", "unblock"]), ("bvc 1-2 ", ["reset"]), ("phones ", ["refused"]),
            ("page 1 ", []), ("reload ", []), ("reload -", ["--help", "--run"]), ("frobnicate ", [])):
        for before in ([], ["--run", "view"], ["--run", "=", "view"]):
            same(completed("ctl", *before, *typed.split(" ")), wanted, f"what bash offers for {before} {typed}")


@case("bash completes --run by the running instances, and by nothing that another may have put there")
def completes_instances():
    folder, sockets = new_folder(), []
    gone = subprocess.Popen(["true"])
    gone.wait()
    for name in (f"nic-{os.getpid()}", f"other-{os.getpid()}", f"gone-{gone.pid}", f"$(id)-{os.getpid()}"):
        (folder / "dpdk" / f"sluice-{name}").mkdir(parents=True)
        sockets.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        sockets[-1].bind(str(folder / "dpdk" / f"sluice-{name}" / "dpdk_telemetry.v2"))
    for typed, names in ((["stats", "--run", ""], ("nic", "other")), (["ctl", "reload", "--run", "n"], ("nic",)),
                         (["ctl", "--run", "="], ("nic", "other"))):
        for environment in ({"RUNTIME_DIRECTORY": str(folder)},
                            {"RUNTIME_DIRECTORY": "", "XDG_RUNTIME_DIR": str(folder)} if os.geteuid() else {}):
            if environment:
                same(completed(*typed, **environment), [f"{name}-{os.getpid()}" for name in names], f"{typed}, {environment}")
    for one in sockets:
        one.close()


@case("ctl help needs no instance, and says what help ctl and ctl --help say; of one request its lines; wrong ones are refused")
def requests_help():
    whole = sluice("ctl", "help")
    same((whole.returncode, whole.stderr), (0, ""), "exit status and stderr")
    for words in (["help", "ctl"], ["ctl", "--help"], ["ctl", "--run", "none", "help"]):
        same(sluice(*words).stdout, whole.stdout, f"what {words} says")
    for usage in ctl_requests():
        right(re.search(rf"^  {re.escape(usage)}( +\w|\n {{26}}\w)", whole.stdout, re.M), f"no '{usage}' with its text in:\n{whole.stdout}")
    lines = [line for line in whole.stdout.splitlines() if line.startswith("  capture")]
    for words in (["ctl", "help", "capture"], ["ctl", "capture", "--help"], ["ctl", "capture", "user", "--help"]):
        done = sluice(*words)
        same((done.returncode, [line for line in done.stdout.splitlines() if line[2] != " "], done.stderr), (0, lines, ""), words)
    for words, why in ((["ctl", "help", "capt"], "no request 'capt'; see: sluice ctl help"),
                       (["ctl", "capt", "--help"], "no request 'capt'; see: sluice ctl help"),
                       (["ctl"], "no request given; see: sluice ctl help"),
                       (["ctl", "x" * 300], "the request is too long; allowed: 243 characters")):
        done = sluice(*words)
        same((done.returncode, done.stdout, done.stderr), (2, "", f"sluice ctl: {why}\n"), words)
    manual = (ROOT / "MANUAL.md").read_text()
    manual = manual[manual.index("    sluice ctl "):manual.index("    sluice metrics ")]
    table = (ROOT / "config/network.md").read_text().partition("## What `sluice ctl` asks for")[2].partition("\n\n")[0]
    for word in {usage.split()[0] for usage in ctl_requests()}:
        right(re.search(rf"\b{word}\b", manual), f"MANUAL.md has no {word}")
        right(word == "help" or re.search(rf"^\|.*`{word}\b.*\|", table, re.M), f"config/network.md has no {word}")


main()
