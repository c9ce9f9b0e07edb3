#!/usr/bin/python3
"""How a run in real time begins and ends, over DPDK's net_null, which needs no network and no root:
its time, its signals, its threads, and what it says when a device is not to be had."""

import json
import os
import pathlib
import re
import signal
import time

import instance
from harness import (SLOWER, WAIT_S, Failure, Running, Skip, case, check_sound, each_of, has_sanitizers, main, new_folder,
                     right, same, settings, sluice, until)

CONFIG = """
run { name = "null", clock = "real", duration = "0.5 s" }
gn { device = "net_null0,no-rx=1", address = "192.0.2.1" }
gb { device = "net_null1,no-rx=1", address = "198.51.100.1" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000008", count = 3,
            pdp { nsapi = 5, class = "background", address = "10.0.0.254" },
        },
    },
}
"""
ENDLESS = CONFIG.replace(', duration = "0.5 s"', "")


def folder():
    path = new_folder()
    (path / "x.lua").write_text(CONFIG)
    return path


def run(*sets):
    path = folder()
    done = sluice("run", "x.lua", "--out", "out", *settings(sets), cwd=path)
    same(done.returncode, 0, f"exit status; it says:\n{done.stderr}")
    summary = json.loads((path / "out/summary.json").read_text())
    check_sound(summary)
    return path, summary, done


@case("it ends by itself when its time is over, which it takes by the second")
def duration():
    found, deadline = [], time.monotonic() + WAIT_S
    while not found or found[-1] >= 0.6:  # where others had its processor at that moment it is late
        right(time.monotonic() < deadline, f"real_s: {found}, and duration is 0.5 s")
        start_s = time.monotonic()
        path, summary, done = run()
        took_s = time.monotonic() - start_s
        found.append(summary["real_s"])
        right(0.5 <= found[-1], f"real_s: {found}, and duration is 0.5 s")
    wall_s = json.loads((path / "out/run.json").read_text())["wall_s"]
    right(0.5 <= wall_s <= took_s, f"wall_s: {wall_s}; with its start and end it took {took_s:.3f} s")
    for text in "0.500 s, or until SIGINT or SIGTERM", "info  the run ends: run.duration is over":
        right(text in done.stderr, f"it says:\n{done.stderr}")
    same(sorted(name.name for name in (path / "out").iterdir()),
         ["contexts.json", "run.json", "summary.json"], "what it leaves")


@case("stats has the NUMA nodes: of each thread that of its processor, as the kernel says; of memory, if it is known")
def nodes():
    def node_of(processor):
        return int(next(pathlib.Path(f"/sys/devices/system/cpu/cpu{processor}").glob("node[0-9]*")).name[4:])

    with Running(ENDLESS) as run:
        control, worker = re.search(r"^threads: control on processor (\d+), workers on (\d+)", run.said(), re.MULTILINE).groups()
        found = json.loads(instance.client("stats", "--json"))["stats"]["numa_nodes"]
        same((found.pop("control"), found.pop("worker_0")), (node_of(control), node_of(worker)), "nodes of threads")
        right(set(found) <= {"worker_0_memory", "gn_buffers", "gb_buffers"}, f"of net_null: {found}")
        right(all(pathlib.Path(f"/sys/devices/system/node/node{node}").exists() for node in found.values()), f"{found}")
        right(f"\n    NUMA nodes: control {node_of(control)}, worker_0 {node_of(worker)}" in instance.client("stats"), "stats as text")
        run.finish()


@case("run.warmup: the summary has what was left out, by the second")
def warmup():
    _, summary, done = run("run.warmup=0.2 s")
    right(0.2 <= summary["warmup_s"] < summary["real_s"], f"{summary['warmup_s']} of {summary['real_s']} s")
    right("are of what came after" in done.stdout and "NOTHING" not in done.stdout, f"it says:\n{done.stdout}")


@case("a run that is ended in its warm-up has measured nothing")
def ended_in_warmup():
    with Running(ENDLESS.replace('clock = "real"', 'clock = "real", warmup = "1000 min"')) as started:
        summary = started.finish()
        text = (started.folder / "stdout").read_text()
    same(summary["warmup_s"], summary["real_s"], "warmup_s")
    right("the run ended in it, so NOTHING WAS MEASURED" in text, f"it says:\n{text}")


@case("contexts.json has every context, and TEIDs that nobody foresees")
def contexts():
    found = [json.loads((run()[0] / "out/contexts.json").read_text()) for _ in range(2)]
    same(len({one["teid"] for run in found for one in run}), 6, "TEIDs of two runs")
    same([(one["imsi"], one["tlli"], one["nsapi"], one["address"]) for one in found[0]],
         [(f"0010100000000{8 + i:02}", 0xC0000000 + i, 5, address)
          for i, address in enumerate(("10.0.0.254", "10.0.0.255", "10.0.1.0"))], "contexts")
    teids = [one["teid"] for one in found[0]]
    same([int(one["teid_hex"], 16) for one in found[0]], teids, "teid_hex")
    right(len(set(teids)) == 3 and 0 not in teids, f"TEIDs: {teids}")


@case("SIGHUP reads the file again, and contexts.json has what is new; a wrong one changes nothing")
def hangup():
    def contexts_now():
        return {row["imsi"]: (row["tlli"], row["teid"]) for row in run.contexts()}

    with Running(ENDLESS) as run:
        before = contexts_now()
        for wrong in ENDLESS.replace("bvci = 2", "bvci = 1"), ENDLESS + "run {}":
            run.config.write_text(wrong)
            count = run.said().count("the old configuration stays in force")
            run.process.send_signal(signal.SIGHUP)
            until("a refusal", lambda n=count: run.said().count("the old configuration stays in force") > n, run.said)
        same(contexts_now(), before, "contexts after two wrong files")
        run.config.write_text(ENDLESS.replace("count = 3", "count = 4, tlli = 0xD0000000"))
        run.process.send_signal(signal.SIGHUP)
        until("a reload", lambda: "1 MS added, 3 MSs changed" in run.said(), run.said)
        until("contexts.json", lambda: len(contexts_now()) == 4, run.said)
        after = contexts_now()
        same([tlli for tlli, _ in after.values()], [0xD0000000 + i for i in range(4)], "TLLIs")
        same([after[imsi][1] for imsi in before], [teid for _, teid in before.values()], "TEIDs")
        run.finish()


@case("a reload that changes contexts' addresses: contexts.json has the new ones, and the same TEIDs")
def addresses():
    with Running(ENDLESS) as run:
        before = run.contexts()
        run.config.write_text(ENDLESS.replace("10.0.0.254", "10.0.7.1"))
        run.process.send_signal(signal.SIGHUP)
        until("contexts.json", lambda: run.contexts() != before, run.said)
        same(run.contexts(), [{**one, "address": f"10.0.7.{i + 1}"} for i, one in enumerate(before)],
             "contexts")
        run.finish()


@case("contexts.json that cannot be written: a reload says so, and it is written when it can be")
def unwritable():
    with Running(ENDLESS) as run:
        before = run.contexts()
        (run.out / ".contexts.json.part").mkdir()
        for count in 4, 5:
            run.config.write_text(ENDLESS.replace("count = 3", f"count = {count}"))
            said = instance.client("ctl", "reload", status=1)
            right("1 MS added" in said and "contexts.json could not be written" in said and "Is a directory" in said,
                  f"it says: {said}")
        same(run.contexts(), before, "contexts")
        same(run.said().count("contexts.json cannot be written; next try in 1 s: "), 1,
             f"lines\n{run.said()}\nlines")
        (run.out / ".contexts.json.part").rmdir()
        until("contexts.json", lambda: len(run.contexts()) == 5, run.said)
        until("a line", lambda: "contexts.json is written again" in run.said(), run.said)
        run.config.write_text(ENDLESS)
        right("2 MSs removed" in instance.client("ctl", "reload"), "the answer")
        same(run.contexts(), before, "contexts behind the answer to a reload")
        run.finish()


class Large(Running):
    """A run over net_null, and the reload of it that adds many MSs."""

    def __init__(self, mss):
        self.mss = mss
        text = ENDLESS.replace(
            "nse {", f"room {{ mss = {mss + 3}, pdps = {mss + 3} }}\nnse {{", 1)
        super().__init__(text)
        more = f"""ms {{ imsi = "001020000000000", count = {mss},
            pdp {{ nsapi = 5, class = "background", address = "10.100.0.1" }} }},"""
        self.config.write_text(text.replace("ms {", more + "ms {", 1))

    def mss_now(self):
        """How many of its MSs the workers have."""
        return json.loads(instance.client("stats", "--json"))["cells"][0]["mss"]

    def contexts_file(self):
        """Which one it is now."""
        return (self.out / "contexts.json").stat().st_ino

    def end(self):
        check_sound(self.finish())
        same(sorted(name.name for name in self.out.iterdir()),
             ["contexts.json", "run.json", "summary.json"], "what it leaves")


@case("a reload of many MSs: contexts.json is written once, when it is over, and then is whole")
def many():
    with Large(200000) as run:
        files = [run.contexts_file()]
        run.process.send_signal(signal.SIGHUP)

        def is_done():
            if run.contexts_file() != files[-1]:
                files.append(run.contexts_file())
            return len(files) > 1 and f"{run.mss} MSs added" in run.said()
        until("a reload", is_done, run.said, 2 * WAIT_S)
        same(len(files), 2, "files of that name")
        same(len(run.contexts()), run.mss + 3, "contexts")
        run.end()


# Of a processor's time, from the signal to the end: 5 s where twenty others share each processor.
END_S = 5 / 20 * (SLOWER if has_sanitizers() else 1)


def used_s(process):
    """The processor's time that it has had, by the clock that Linux has for each process."""
    return time.clock_gettime(~process.pid << 3 | 2)


@case("SIGINT while a large reload is under way ends it, well, and soon on a busy machine")
def in_reload():
    with Large(1000000) as run:
        run.process.send_signal(signal.SIGHUP)
        until("the reload is under way", lambda: run.mss_now() > 3, run.said)
        before_s = used_s(run.process)
        run.process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + WAIT_S
        while os.waitid(os.P_PID, run.process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
            right(time.monotonic() < deadline, f"not within {WAIT_S} s: its end\n{run.said()}")
            time.sleep(0.001)
        took_s = used_s(run.process) - before_s  # it is there still, for nobody has waited for it
        run.end()
        right("reload" not in run.said(), "the reload was over before the signal")
        right(took_s < END_S, f"{took_s:.2f} s of a processor's time to its end")


@case("the same by SIGTERM", signal.SIGTERM)
@case("without a duration SIGINT ends it, well", signal.SIGINT)
def signals(number):
    with Running(ENDLESS) as run:
        check_sound(run.finish(number))
        right(f" info  the run ends: {number.name} has come" in run.said(), f"it says:\n{run.said()}")


@case("the same by one that spins", "spin")
@case("frames that come all the time: every one is counted, by a worker that may sleep", "sleep")
def flood(idle):
    """Such a worker does not sleep between two bursts: so it hardly ever gives its processor up by itself."""
    with Running(ENDLESS, "gn.device=net_null0", "gb.device=net_null1", f"run.idle={idle}") as run:
        def frames():
            try:
                seen = json.loads(instance.client("stats", "--json"))["stats"]
            except Failure:  # on busy processors a worker may not answer within a second
                return 0
            return min(seen[side]["rx_packets"] for side in ("gn", "gb"))
        until("frames at each port", lambda: frames() > 0, run.said)
        before, rests_before = frames(), rests(run.process)
        until("100 000 frames at each port", lambda: frames() > before + 100000, run.said)
        rested = rests(run.process) - rests_before
        right(rested < 100, f"the worker rested {rested} times for 100 000 frames")
        summary = run.finish()
    check_sound(summary)
    for name, port in summary["worker"]["ports"].items():
        same(port["drops"]["not_ip"]["packets"], port["rx_packets"], f"{name}: not IP")


def rests(process):
    """How often the worker has given its processor up by itself."""
    for status in each_of(process.pid, "task", lambda task: (task / "status").read_text()).values():
        if status.startswith(("Name:\trte-worker", "Name:\tdpdk-worker")):
            return int(status.split("\nvoluntary_ctxt_switches:\t")[1].split()[0])
    raise Failure("no worker's thread")


@case("a worker without work sleeps")
def sleeps():
    def used(duration):
        before = os.times()
        run(f"run.duration={duration}")
        after = os.times()
        return (after.children_user - before.children_user
                + after.children_system - before.children_system)
    more = used("2.2 s") - used("0.2 s")
    right(more < 1, f"{more:.2f} s of processor time for 2 s without a frame")


@case("with fewer processors than threads they share, and it says so")
def shared():
    one = min(os.sched_getaffinity(0))
    _, _, done = run(f"run.cores={one}", "run.workers=3")
    right(f"control on processor {one}, workers on {one} {one} {one}; 4 threads share 1 processor\n"
          in done.stderr, f"it says:\n{done.stderr}")


def refused(sets, status, *parts, options=(), config=CONFIG):
    path = folder()
    (path / "x.lua").write_text(config)
    done = sluice("run", "x.lua", "--out", "out", *options, *settings(sets), cwd=path)
    same(done.returncode, status, f"exit status; it says:\n{done.stderr}")
    for part in parts:
        right(part in done.stderr, f"'{part}' is not in:\n{done.stderr}")


@case("a processor that is not there")
def no_processor():
    refused(["run.cores=1023"], 2, "run.cores: this process may not use processor 1023")


@case("as many processors as a run may have, the last of which is not there")
def no_last_processor():
    one = min(os.sched_getaffinity(0))
    cores = f'clock = "real", workers = 16, cores = {{ {f"{one}, " * 16}1023 }}'
    refused([], 2, "run.cores: this process may not use processor 1023",
            config=CONFIG.replace('clock = "real"', cores))


@case("the same of a driver that is not there", "net_nonesuch0")
@case("a device that is not there: it says which, and what to do", "net_af_packet0,iface=nonesuch0")
def no_device(device):
    if device.startswith("net_af") and os.geteuid() != 0:
        raise Skip("only root may open a packet socket")
    refused([f"gn.device={device}"], 1, "gn: ", device, "apt-cache search librte-net",
            "config/nic.lua")


@case("a NIC without huge pages, before it is looked for; tests/guest/nic.py has real ones")
def no_huge_pages():
    refused(["gn.device=0000:ff:1f.7"], 1, "because of --no-huge", "0000:ff:1f.7: a NIC needs huge pages, see above",
            options=["--no-huge"])


@case("--pcap is for virtual time")
def pcap():
    done = sluice("run", "x.lua", "--pcap", cwd=folder())
    same(done.returncode, 2, "exit status")
    right("--pcap" in done.stderr, f"it says:\n{done.stderr}")


if __name__ == "__main__":
    main()
