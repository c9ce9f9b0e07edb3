#!/usr/bin/python3
"""What a run in real time may do once its ports are open: it has become run.user, in every thread, with
no capability, not dumpable; what it reads, writes and answers from then on works. The kernel says who a
thread is, and who owns a file."""

import os
import pathlib
import re

import network
import owner
import real
from harness import ROOT, case, main, right, same, sluice, until
from owner import AS_USER, USER, Own, as_user, is_not_dumpable, is_owned, is_user


def socket_of(pid):
    return next(pathlib.Path(os.environ["RUNTIME_DIRECTORY"]).glob(f"dpdk/sluice-*-{pid}/*.v2"))


def client(*words):
    done = sluice(*words)
    same((done.returncode, done.stderr), (0, ""), f"sluice {' '.join(words)}: status and stderr")
    return done.stdout


def reload(world):
    """With what the file says now, if the user may read it, and with what it had before."""
    text = world.program.config.read_text()
    world.program.config.write_text(text.replace("nse { nsei = 3,", "nse { nsei = 3, bvc { bvci = 77 },"))
    before = os.stat(world.program.out / "contexts.json").st_ino
    client("ctl", "reload")
    right('"bvci":77,' in client("stats", "--json").replace(" ", ""), "no cell 77 behind the reload")
    os.chmod(world.program.config, 0o600)
    done = sluice("ctl", "reload")
    right(done.returncode == 1 and "cannot be read: Permission denied" in done.stderr + done.stdout, done)
    os.chmod(world.program.config, 0o644)
    world.program.config.write_text(text.replace("imsi = \"001010000000002\"", "imsi = \"001010000000009\""))
    client("ctl", "reload")
    until("contexts.json anew", lambda: os.stat(world.program.out / "contexts.json").st_ino != before)
    right("001010000000009" in {one["imsi"] for one in world.program.contexts()}, "the MS that was added")
    is_owned(world.program.out / "contexts.json", 0o640)


def captured(world, path, question):
    """What was sent while the capture ran is in it; where control had no time for that, not yet."""
    right("signalling.pcap" in client("ctl", "capture", "on"), "capture on")
    world.bss(real.FOUR).sendto(question, (real.GB4, real.NS_PORT))
    until("the capture", path.exists)
    is_owned(path, 0o640)
    real.besides_gb(world, real.FOUR)
    client("ctl", "capture", "off")
    return question in path.read_bytes()


def capture(world):
    """Twice: the second one renames a file that is the user's by then."""
    path = world.program.out / "signalling.pcap"
    question = bytes.fromhex("00000000" "41" "078127")  # STATUS, which asks for nothing
    for _ in range(2):
        until("what was sent is in the capture", lambda: captured(world, path, question))


def link(world, namespace):
    for state in "down", "up":
        network.must("ip", "-n", namespace, "link", "set", "gb", state)
        until(f"the link {state}", lambda: f"gb: its link is {state}" in world.program.said())


def passes(world):
    """Packets, and they alone, once both ends know each other."""
    for address in real.GN4, real.GB4:
        world.host.ping(address, 56)
    real.sent_down(world, real.FOUR, [world.packet(real.FOUR, octets) for octets in (64, 576, 1400)])


def goes_on(world, theirs):
    """All that a run does once it is up, to its end."""
    pid = world.program.process.pid
    right(re.search(f"^user: {USER.pw_name} from now on; capabilities kept for (net_[a-z_]+)( and (?!\\1)net_[a-z_]+)?: none$",
                    world.program.said(), re.MULTILINE), world.program.said())
    is_user(pid)
    is_not_dumpable(pid)
    is_owned(world.program.out / "contexts.json", 0o640)
    is_owned(world.program.out, 0o755)
    is_owned(socket_of(pid), 0o640)
    is_owned(socket_of(pid).parent, 0o700)
    passes(world)
    link(world, theirs)
    passes(world)
    right("real" in client("stats"), "stats")
    capture(world)
    reload(world)
    passes(world)
    is_user(pid)  # a thread that was made since is, too
    before = world.program.said()
    real.check_sound(world.program.finish())
    said = world.program.said()[len(before):]
    right(re.fullmatch(r"\S+ \S+ info  the run ends: SIGINT has come\n", said), f"what it says at its end: {said!r}")
    for name in "summary.json", "run.json", "contexts.json", "signalling.pcap", "previous-signalling.pcap":
        is_owned(world.program.out / name, 0o640)
    same(sorted(path.name for path in world.program.out.iterdir()),
         ["contexts.json", "previous-signalling.pcap", "run.json", "signalling.pcap", "summary.json"], "what it leaves")
    same(list(pathlib.Path(os.environ["RUNTIME_DIRECTORY"]).glob(f"dpdk/*-{pid}/*")), [], "sockets left")


def over(devices):
    owner.root()
    made = []

    def make():
        made.append(devices())
        return made[0]
    os.umask(0o022)
    world = real.World(make, f"run.user={USER.pw_name}", "run.workers=2")
    try:
        goes_on(world, made[0][1])
    finally:
        world.program.kill()


case("over net_af_packet: every thread is run.user, and all goes on as root's would")(
    lambda: over(lambda: network.veth(2)))
case("over net_tap: every thread is run.user, and all goes on as root's would")(
    lambda: over(network.tap))


# ---- Who is not root ----


@case("an ordinary user's run has nothing to give up, and says nothing of it")
def ordinary():
    own = Own()
    for words in (), AS_USER:
        said, found = own.runs(*words, before=as_user())
        same((owner.uids(found), "user" in said), ({str(USER.pw_uid)}, False), said)
    is_owned(own.folder / "out/summary.json", 0o640)


@case("an ordinary user's run that was given capabilities gives them up, too")
def ambient():
    given = ("+net_raw,+net_admin")
    _, found = Own().runs(before=as_user(f"--inh-caps={given}", f"--ambient-caps={given}"))
    for one in found.values():
        for name in "CapPrm", "CapEff", "CapAmb":
            same(int(one[name][0], 16), 0, f"{name} of {one['Name'][0]}")


@case("config/reference.md has what is kept for each driver as the program has it")
def table():
    rows = re.findall(r'^DRIVER\("(\w+)", ([^,]+),\s*"([^"]+)"\)', (ROOT / "control/process/drivers.def").read_text(),
                      re.MULTILINE)
    right(len(rows) >= 5, rows)
    text = (ROOT / "config/reference.md").read_text()
    for name, kept, why in rows:
        names = "none" if kept == "0" else ", ".join("CAP_" + one.strip() for one in kept.split("|"))
        right(f"| {name} | {names} | {why} |" in text, f"no row of {name}, {names}: {why}")


main()
