#!/usr/bin/python3
"""The command line: what is wrong with it is said in one line that names it, with exit status 2; a
run that cannot leave its results ends with 1 and says which one and why."""

import fcntl
import json
import os
import re
import resource
import shutil
import signal
import subprocess

from harness import ROOT, UDP_SCENARIO, Skip, case, ctl_requests, has_sanitizers, main, new_folder, program, right, same, sluice, whole_program

COMMANDS = ("run", "check", "report", "bench", "stats", "top", "metrics", "ctl", "lua", "bts", "ggsn", "audit", "gi", "version")
OWN = ("report", "stats", "top", "metrics", "ctl", "audit", "gi")  # what `sluice` has without sluice-dpdk


def refused(pattern, *arguments, status=2, cwd=None):
    """The lines on stderr, but for the one about memory, match; no results."""
    done = sluice(*arguments, cwd=cwd)
    lines = [line for line in done.stderr.splitlines() if not line.startswith("memory: ")]
    right(re.fullmatch(pattern, "\n".join(lines)),
          f"{' '.join(map(str, arguments))}: not {pattern!r} alone in:\n{done.stderr}")
    same(done.returncode, status, f"exit status, {done.stderr}")
    return done


def before_the_run(pattern, *arguments, **more):
    same(refused(pattern, *arguments, **more).stdout, "", "stdout")


def has_usage(text):
    right(text.count("usage: sluice COMMAND") == 1, f"no usage in:\n{text}")
    for command in COMMANDS:
        right(re.search(rf"^  sluice {command}\b", text, re.MULTILINE), f"no {command} in:\n{text}")
    right("Exit status: 0 " in text, f"no exit statuses in:\n{text}")


# --- Help -----------------------------------------------------------------------------------------


@case("--help, -h, and help: the usage on stdout")
def helps():
    for words in (["--help"], ["-h"], ["help"], ["help", "help"]):
        done = sluice(*words)
        same((done.returncode, done.stderr), (0, ""), f"{words}: exit status and stderr")
        has_usage(done.stdout)


@case("help COMMAND, and COMMAND --help and -h: its own options, each once")
def help_of_each():
    for command in COMMANDS:
        texts = []
        for words in (("help", command), (command, "--help"), (command, "-h")):
            done = sluice(*words)
            same((done.returncode, done.stderr), (0, ""), f"{words}: exit status and stderr")
            texts.append(done.stdout)
        right(texts[0].startswith(f"usage: sluice {command}") and len(set(texts)) == 1, texts)
        options = re.findall(r"^  --(\S+)(?: \S+)?\s+\S", texts[0], re.MULTILINE)
        right("help" in options and len(options) == len(set(options)), options)
        same(len(options), texts[0].count("\n  --"), f"options with a text, in {texts[0]}")
        right(command != "bench" or len(options) > 15, options)
        right("sluice ctl" not in texts[0] or command == "ctl", f"another command's in {texts[0]}")


@case("help man and help bash: every command and option; man and bash can read them")
def help_printed():
    man, bash = sluice("help", "man").stdout, sluice("help", "bash").stdout
    for command in COMMANDS:
        right(f"\\fBsluice {command}\\fR" in man and re.search(rf"^    {command}\) ", bash, re.M),
              f"{command} is missing")
        for option in re.findall(r"^  --(\S+)", sluice("help", command).stdout, re.MULTILINE):
            right(option == "help" or f"\\-\\-{option}\\fR" in man, f"--{option} is not in the page")
            right(f"--{option}" in bash, f"--{option} is not completed")
    tags = re.findall(r"^\.TP\n(.*)\n", man, re.MULTILINE)
    whole = r"\\fB\\-\\-[\w\\-]+\\fR( \\fI[^\\]+\\fR)?"
    others = [tag.replace("\\-", "-") for tag in tags if not re.fullmatch(whole, tag)]
    same(others, [f".B {usage}" for usage in ctl_requests()], "tags that are no option alone: the requests")
    right(len(tags) == man.count("\n.TP") > 15, f"{len(tags)} tags")
    # man breaks a line at an indent or an empty line only if nothing stands before it.
    right("\n  memif  " in man and "\n\nExit status: " in man, f"lines are run together in:\n{man}")


@case("--version: as version")
def version_option():
    same(sluice("--version").stdout, sluice("version").stdout, "what it says")


@case("the version is the project's, and its commit if the source is in its own repository, clean or dirty")
def version_of_commit():
    if not shutil.which("git"):
        raise Skip("no git here")
    folder = new_folder()
    script = folder / "control/process/version.sh"
    script.parent.mkdir(parents=True)
    shutil.copy(ROOT / "control/process/version.sh", script)

    def git(*arguments):
        names = ("-c", "user.name=x", "-c", "user.email=x", "-C", folder)
        return subprocess.run(["git", *names, *arguments], check=True, capture_output=True, text=True).stdout

    def said(path=os.environ["PATH"], within="control/process"):
        return subprocess.run(["/bin/sh", script, "1.2.3", within], cwd="/", check=True, capture_output=True,
                              text=True, env={"PATH": path, "HOME": str(folder)}).stdout

    same(said(), "1.2.3\n", "without a repository")
    git("init", "-q")
    git("add", ".")
    git("commit", "-q", "-m", "x")
    git("tag", "-a", "v9", "-m", "x")
    commit = git("rev-parse", "HEAD")[:12]
    same(said(), f"1.2.3+{commit}\n", "clean, with a tag")
    same(said(within="program"), "1.2.3\n", "in another project's repository")
    tools = new_folder()
    (tools / "dirname").symlink_to(shutil.which("dirname"))
    same(said(path=str(tools)), "1.2.3\n", "without git")
    script.write_text(script.read_text() + "# changed\n")
    same(said(), f"1.2.3+{commit}-dirty\n", "dirty")


@case("version: of Sluice, DPDK, Lua, ipsec-mb, which FCS and which cipher")
def version():
    done = sluice("version")
    same((done.returncode, done.stderr), (0, ""), "exit status and stderr")
    right(re.fullmatch(r"sluice \d+\.\d+\.\d+(\+[0-9a-f]{12}(-dirty)?)?\nDPDK \d+\.\d+.*\nLua 5\.4\.\d+\n"
                       r"intel-ipsec-mb \d+\.\d+.*\n"
                       r"FCS by (slicing-by-8|PCLMULQDQ|VPCLMULQDQ-256|VPCLMULQDQ-512)\n"
                       r"GEA3 and GEA4 by (scalar|avx2|avx512)\n", done.stdout),
          done.stdout)
    here = subprocess.run([ROOT / "control/process/version.sh", "0.1.0", "control/process"], check=True,
                          capture_output=True, text=True).stdout
    same("+" in done.stdout.split()[1], "+" in here, "whether it has a commit, here and at the build")


@case("no command: the usage on stderr, 2")
def no_command():
    done = sluice()
    same((done.returncode, done.stdout), (2, ""), "exit status and stdout")
    has_usage(done.stderr)


@case("an unknown command: named, with the usage, 2")
def unknown_command():
    done = sluice("frobnicate")
    same((done.returncode, done.stdout), (2, ""), "exit status and stdout")
    same(done.stderr.splitlines()[0], "sluice: unknown command 'frobnicate'", "first line")
    has_usage(done.stderr)


@case("a command that is nearly one, and help for none: what may be meant")
def nearly():
    for words, meant in ((["chekc"], "check"), (["help", "chekc"], "check"), (["hepl"], "help")):
        same(sluice(*words).stderr.splitlines()[0], f"sluice: unknown command '{words[-1]}'; did you mean {meant}?", "first line")


@case("an option that is nearly one: what may be meant; nothing beside getopt's own words for the beginning of several, or a missing value")
def nearly_options():
    for words, said in ((("run", UDP_SCENARIO, "--variants", "a"), ["unrecognized option '--variants'", "did you mean --variant?"]),
                        (("run", "--varaint=a", UDP_SCENARIO), ["unrecognized option '--varaint=a'", "did you mean --variant?"]),
                        (("report", "--taget"), ["unrecognized option '--taget'", "did you mean --targets?"]),
                        (("run", "--frobnicate"), ["unrecognized option '--frobnicate'", "see sluice help run"]),
                        (("run", "--" + "s" * 4000), [f"unrecognized option '--{'s' * 4000}'", "see sluice help run"]),
                        (("check", "--out"), ["unrecognized option '--out'", "--out is an option of sluice run"]),
                        (("check", "--seeds=1..5"), ["unrecognized option '--seeds=1..5'", "--seeds is an option of sluice run"]),
                        (("run", "--seeds", "--out", "x"), ["--seeds: found the option --out, allowed A..B"]),
                        (("check", "--set", "--seed", "1"), ["--set: found the option --seed, allowed KEY=VALUE"]),
                        (("report", "--out", ""), ["--out: found nothing, allowed FILE"]),
                        (("report", ""), ["found an empty word, allowed DIR...; see sluice help report"]),
                        (("run", "--see", "7"), ["option '--see' is ambiguous; possibilities: '--seed' '--seeds'"]),
                        (("run", "--out"), ["option '--out' requires an argument"])):
        done = sluice(*words)
        same((done.returncode, done.stdout, done.stderr.splitlines()),
             (2, "", [f"sluice {words[0]}: {line}" for line in said]), words)


# --- Two programs ---------------------------------------------------------------------------------


def copied(*programs):
    """A folder that has these alone, as somebody may copy them."""
    folder = new_folder()
    for path in programs:
        shutil.copy(path, folder)
    return folder


@case("sluice needs none of DPDK's libraries, nor Lua: sluice-dpdk does")
def libraries():
    for path, wanted in ((program(), set()), (whole_program(), {"librte_eal", "liblua5.4"})):
        needed = subprocess.run(["ldd", path], check=True, capture_output=True, text=True).stdout
        found = {name for name in re.findall(r"^\s*([\w.-]+?)\.so", needed, re.M) if name in ("librte_eal", "liblua5.4")}
        same((found, "librte" in needed), (wanted, bool(wanted)), f"{path}: {needed}")


@case("sluice alone: captures and clients are there, and it says what it lacks for all else")
def alone():
    here = copied(program()) / "sluice"
    right("gi.pcap: No such file" in sluice("gi", "gi.pcap", path=here).stderr, "gi")
    for words in (words for command in OWN for words in ([command, "--help"], ["help", command])):
        done = sluice(*words, path=here)
        same((done.returncode, done.stderr), (0, ""), f"{words}: exit status and stderr")
        same(done.stdout, sluice(*words, path=whole_program()).stdout, words)
    for words in (["run", UDP_SCENARIO], ["help"], ["frobnicate"], []):
        done = sluice(*words, path=here)
        same((done.returncode, done.stdout), (1, ""), f"{words}: exit status and stdout")
        same(done.stderr, f"sluice: cannot start {here}-dpdk: No such file or directory; this command needs it,"
             " and it is installed beside sluice\n", "what it says")


@case("sluice by a link, by PATH, and with no name: the program beside it")
def beside():
    here, folder = copied(program(), whole_program()), new_folder()
    (folder / "linked").symlink_to(here / "sluice")
    for words, more in (([folder / "linked"], {}), (["sluice"], {"env": os.environ | {"PATH": str(here)}}),
                        (["no name"], {"executable": here / "sluice"})):
        done = subprocess.run([*words, "version"], check=True, capture_output=True, text=True, **more)
        right("\nDPDK " in done.stdout, f"{words}: {done.stdout}")


@case("without /proc nobody knows what is beside it: a program of that name in the working directory is not started")
def no_proc():
    if os.geteuid() != 0 or has_sanitizers():
        raise Skip("needs root, and a program that can do without /proc")
    folder = new_folder()
    (folder / "sluice-dpdk").write_text("#!/bin/sh\necho started\n")
    (folder / "sluice-dpdk").chmod(0o755)
    done = subprocess.run(["unshare", "-m", "sh", "-c", 'umount -l /proc && exec "$0" version', program()], cwd=folder,
                          capture_output=True, text=True, check=False)
    same((done.returncode, done.stdout), (1, ""), f"exit status and stdout; {done.stderr}")
    right("sluice: cannot start sluice-dpdk: " in done.stderr, done.stderr)


@case("sluice-dpdk has every command, of which sluice has a part")
def whole():
    for words in (["help"], ["gi", "--help"], ["audit", "--help"], ["stats", "--frob"], ["frobnicate"]):
        one, other = sluice(*words), sluice(*words, path=whole_program())
        same((one.returncode, one.stdout, one.stderr), (other.returncode, other.stdout, other.stderr), f"{words}")


# --- Arguments ------------------------------------------------------------------------------------


@case("run, check: no file, or two")
def files():
    for command in ("run", "check"):
        before_the_run(f"sluice {command}: 0 configuration files given, 1 needed", command)
        before_the_run(f"sluice {command}: 2 configuration files given, 1 needed: {UDP_SCENARIO} and x", command,
                       UDP_SCENARIO, "x")


@case("an unknown option, and one without its value")
def options():
    for command in COMMANDS:
        see = rf"\nsluice {command}: see sluice help {command}"
        before_the_run(rf"sluice {command}: .*'--frob'{see}", command, "--frob")
        before_the_run(rf"sluice {command}: .*'x'{see}", command, "-x")
    for command in ("run", "check"):
        see = rf"\nsluice {command}: see sluice help {command}"
        before_the_run(rf"sluice {command}: .*'--frob'{see}", command, UDP_SCENARIO, "--frob")
    for option in ("--out", "--seed", "--set"):
        before_the_run(rf"sluice run: .*'{option}' requires an argument", "run", UDP_SCENARIO, option)


@case("an option of another command: run --keys, check --out, check --pcap")
def options_of_others():
    for command, other, *words in (("run", "check", "--keys"), ("run", "check", "--keys", UDP_SCENARIO),
                                   ("check", "run", "--out", "x"), ("check", "run", "--pcap")):
        before_the_run(rf"sluice {command}: .*'{words[0]}'\nsluice {command}: {words[0]} is an option of sluice {other}",
                       command, *words)


@case("a bad --seed")
def seed():
    for text in ("", "x", "-1", "1.5", "1,5", "5..1", "-1..5", "99999999999999999999"):
        before_the_run(r".*seed: found .*, allowed a whole number from 0 to 9007199254740992",
                       "run", UDP_SCENARIO, "--seed", text)
    for words in ("--seed", "1..5"), ("--seed", "1-5"), ("--set", "run.seed=1..5"):
        for command in "run", "check":
            before_the_run(r"sluice: --seed: found 1(\.\.|-|,)5, allowed one whole number; for a run with each of several"
                           r" seeds: sluice run --seeds 1\.\.5", command, UDP_SCENARIO, *words)


@case("--tun: descriptors that are not open")
def tun():
    before_the_run("sluice run: --tun: found 98,99, allowed HOSTS,MSS: the numbers of two open descriptors",
                   "run", UDP_SCENARIO, "--tun", "98,99")


@case("the last --seed and --set of a key count")
def last_counts():
    done = sluice("check", UDP_SCENARIO, "--seed", "5", "--set", "run.seed=6", "--set", "run.seed=7")
    right('"seed": 7' in done.stdout, done.stdout + done.stderr)


@case("a bad --set: no =, no key, an unknown one, a wrong value")
def sets():
    for text, found in (("run.seed", "found no =, allowed KEY=VALUE"),
                        ("", "found no =, allowed KEY=VALUE"),
                        ("run=1", "found no key, allowed a path such as run.seed"),
                        ("=1", "found no key, allowed a path such as run.seed"),
                        ("run.sed=1", "unknown key 'sed'; allowed: .*; did you mean seed?"),
                        ("rum.seed=1", "unknown block 'rum'; allowed: .*; did you mean run?"),
                        ("lab.gb_rate=fast", 'found "fast" .*allowed a rate from .*')):
        key = text.partition("=")[0]
        pattern = f"--set {key}: {found}".replace("[", r"\[").replace("?", r"\?")
        for command in ("run", "check"):
            before_the_run(pattern, command, UDP_SCENARIO, "--set", text)


@case("as many --set as one may want, and a sentence for more")
def many_sets():
    def words(count):
        return [word for _ in range(count) for word in ("--set", "run.seed=3")]
    done = sluice("check", UDP_SCENARIO, *words(32))
    same(done.returncode, 0, f"exit status with 32, {done.stderr}")
    before_the_run(r"sluice.*: too many --set; allowed: \d+", "check", UDP_SCENARIO, *words(2000))


@case("bts, ggsn: what they need, and options that cannot be")
def bts():
    osmopcu = ROOT / "config/osmopcu.lua"
    before_the_run("sluice bts: one configuration file needed", "bts")
    before_the_run("sluice ggsn: one contexts.json needed, or --pool", "ggsn")
    no_cell = "sluice bts: the file has no such cell; --cell takes NSEI-BVCI, such as 101-2"
    before_the_run(no_cell, "bts", osmopcu, "--cell", "101-104")
    before_the_run(no_cell, "bts", UDP_SCENARIO, "--cell", "x")
    before_the_run("sluice bts: more --socket than the file has cells", "bts", osmopcu, "--socket", "a",
                   "--socket", "b")
    before_the_run("sluice bts: more --socket than the file has cells", "bts", ROOT / "config/osmopcu-two.lua",
                   "--cell", "201-203", "--socket", "a", "--socket", "b")
    before_the_run(r"sluice bts: .*socket: found .*8 at most.*", "bts", osmopcu, *["--socket", "a"] * 9)
    before_the_run(r"sluice bts: .*coding: found .*CS-5.*", "bts", osmopcu, "--coding", "CS-5")
    before_the_run(r"sluice bts: .*pdchs: found .*9.*", "bts", osmopcu, "--pdchs", "9")
    for text in ("10", "-1%", "101%", "%", "nan%"):
        before_the_run(r"sluice bts: .*loss-up: found .*a share of blocks.*", "bts", osmopcu,
                       "--loss-up", text)
    for text in "", "0s", "61s", "1", "1 s", "-1s", "64", "99999999999999999999s":
        before_the_run(r"sluice bts: .*up-queue: found .*1s to 60s, or 64kB.*", "bts", osmopcu, "--up-queue", text)
    before_the_run(r"sluice ggsn: .*sgsn: found .*", "ggsn", "x", "--sgsn", "::1")
    for text in "", "10.64.0.0", "10.64.0.0/30", "10.64.0.0/11", "10.64.0.1/24", "2001:db8::/64":
        before_the_run(r"sluice ggsn: .*pool: found .*(an IPv4 network of 12 to 29 bits|NETWORK).*", "ggsn", "--pool", text)
    before_the_run(r"sluice ggsn: .*dns: found .*an IPv4 address.*", "ggsn", "--pool", "10.64.0.0/15", "--dns", "::1")
    before_the_run(r"sluice ggsn: .*dns: found .*2 at most.*", "ggsn", *["--dns", "192.0.2.7"] * 3)
    for text in "", "12345", "1234567890123456", "00101000000000x", "001010000000001,", "001010000000001,1001":
        before_the_run(r"sluice bts: .*phone: found .*an IMSI.*", "bts", osmopcu, "--phone", text)
    for text in "", "001010000000001", "001010000000001=", "001010000000001=6", "001010000000001=-1dB", "001010000000001,2=61dB", \
            "12345=6dB", "001010000000001=99999999999999999999dB":
        before_the_run(r"sluice bts: .*link: found .*an IMSI.*dB.*", "bts", osmopcu, "--link", text)
    before_the_run(r"sluice bts: .*link: found .*64 at most.*", "bts", osmopcu, *["--link", "001010000000001=6dB"] * 65)
    before_the_run(r"sluice bts: .*phone: found .*64 at most.*", "bts", osmopcu, *["--phone", "001010000000001"] * 65)
    before_the_run(r"sluice bts: --socket /dev/null/x: Not a directory", "bts", osmopcu, "--socket",
                   "/dev/null/x", status=1)


@case("lua: no script, none there, a folder")
def scripts():
    before_the_run(r"sluice lua: no script given; usage: sluice lua FILE \[ARGS\]", "lua")
    before_the_run(r"sluice.*: .*none\.lua: No such file or directory", "lua", "none.lua")
    before_the_run(r"sluice.*: .*/: Is a directory", "lua", "/")


@case("describe_wire.lua: one PDU, all of them, and a name that is no PDU's")
def described():
    script = ROOT / "lua/describe_wire.lua"
    same(sluice("lua", script, "ipv4").stdout.splitlines()[0], "ipv4: IPv4 packet", "first line")
    right(len(sluice("lua", script).stdout) > 20000, "not all of them")
    before_the_run(r"unknown PDU 'ns'; without a name all PDUs are printed", "lua", script, "ns", status=1)


@case("a bucket that holds no PDU: a warning; one that does, and hours: none")
def small_bucket():
    for octets, warned in ((1439, True), (1440, False)):
        done = sluice("check", UDP_SCENARIO, "--set", "run.duration=0.01 h", "--set",
                      f"nse[1].bvc[1].bucket={octets} octets", "--set",
                      "nse[1].bvc[1].rate=20 kbit/s")
        same(done.returncode, 0, done.stderr)
        same("less than one LLC PDU, 1440 octets" in done.stderr, warned, done.stderr)
        same(json.loads(done.stdout)["run"]["duration_ns"], 36 * 10**9, "0.01 h")


# --- Results that cannot be left ------------------------------------------------------------------


@case("--out below a file, and --out with no name: before the run")
def out_unwritable():
    folder = new_folder()
    (folder / "file").touch()
    before_the_run(r"sluice run: .*file/x: Not a directory", "run", UDP_SCENARIO, "--out",
                   folder / "file/x", status=1)
    before_the_run(r"sluice run: .*: .*", "run", UDP_SCENARIO, "--out", "")


@case("--out that is a file: 1, and its name")
def out_is_file():
    folder = new_folder()
    (folder / "file").touch()
    refused(r"sluice run: .*/file\b.*: Not a directory", "run", UDP_SCENARIO, "--out",
            folder / "file", status=1)


@case("--out makes the folders above it, too")
def out_deep():
    deep = new_folder() / "a/b/c"
    done = sluice("run", UDP_SCENARIO, "--out", f"{deep}/")
    same(done.returncode, 0, f"exit status, {done.stderr}")
    right((deep / "summary.json").exists(), "no summary.json")


@case("a result that cannot be opened: 1, and its name")
def result_is_folder():
    for name in ("summary.json", "run.json", "gn.pcap", "gb.pcap"):
        out = new_folder()
        (out / name).mkdir()
        refused(rf"sluice run: .*/{name}: .*Is a directory", "run", UDP_SCENARIO, "--out", out,
                "--pcap", status=1)


def short_of_room():
    """No file of this process may grow beyond 512 octets; the write fails, the program goes on."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))


@case("a disk that is full: 1, what could not be written, and no result that is cut off")
def disk_full():
    for arguments in ([], ["--pcap"]):
        out = new_folder()
        done = subprocess.run([program(), "run", UDP_SCENARIO, "--out", out, *arguments],
                              capture_output=True, text=True, check=False,
                              preexec_fn=short_of_room)
        if done.stderr.startswith("memory: huge pages"):
            raise Skip("huge pages are free, whose file the limit meets first; runs with"
                       " vm.nr_hugepages = 0")
        same(done.returncode, 1, f"exit status, {done.stderr}")
        right(re.search(r"^sluice run: .*File too large",
                        done.stderr, re.M), f"no reason in: {done.stderr}")
        right(not (out / "summary.json").exists(), "a summary that is cut off")


@case("a second run in a folder that one is writing to: 1, and says so")
def folder_taken():
    out = new_folder()
    folder = os.open(out, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        refused(r"sluice run: .*another run writes into this folder.*", "run", UDP_SCENARIO, "--out", out,
                status=1)
    finally:
        os.close(folder)


@case("an earlier run's results are gone when a run begins")
def earlier_results():
    out = new_folder()
    for name in ("summary.json", "gn.pcap"):
        (out / name).write_text("old")
    same(sluice("run", UDP_SCENARIO, "--out", out).returncode, 0, "exit status")
    right(not (out / "gn.pcap").exists(), "the earlier gn.pcap is still there")
    json.loads((out / "summary.json").read_text())


@case("closed standard streams: no result holds a line of stderr")
def closed_streams():
    out = new_folder()
    subprocess.run(["sh", "-c", f'"{program()}" run "{UDP_SCENARIO}" --pcap --out "{out}" 2>&- >&-'],
                   check=False)
    right((out / "gn.pcap").read_bytes()[:4] == b"\x4d\x3c\xb2\xa1", "gn.pcap begins otherwise")


@case("stdout that is full: not 0, from run, check, check --keys and version")
def stdout_full():
    for arguments in (["check", UDP_SCENARIO], ["check", "--keys"], ["version"],
                      ["run", UDP_SCENARIO, "--out", new_folder()]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([program(), *arguments], stdout=full, stderr=subprocess.PIPE,
                                  text=True, check=False)
        same(done.returncode, 1, f"{arguments[:2]}: exit status, {done.stderr}")


main()
