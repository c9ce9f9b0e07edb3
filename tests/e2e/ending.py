#!/usr/bin/python3
"""What must not end a run in real time, or hold it: a reader of its output that goes or sleeps, a
SIGHUP that comes early, the text of a reload. And what must not keep it from ending: work that is queued
for control, and such a text."""

import fcntl
import os
import pathlib
import signal
import subprocess
import threading
import time

import instance
import network
from harness import (WAIT_S, Running, case, each_of, main, new_folder, program, right, same,
                     settings, until)
from network import BSS4, GB4, NS_PORT

CONFIG = """
run { name = "ending", clock = "real" }
gn { device = "net_null0,no-rx=1", address = "192.0.2.1" }
gb { device = "net_null1,no-rx=1", address = "198.51.100.1" }
nse { nsei = 1, ns = "manual", nsvc { nsvci = 1, peer = "198.51.100.2" }, bvc { bvci = 2 } }
"""
PIPE_OCTETS = 4096  # the least that Linux has
CELLS, RESETS = 10000, 3000
RESET, RESET_ACK = "02008101" "01820001" "04820001", "03" "01820001" "04820001"


class Piped:
    """A run whose stderr, or stdout, is a pipe of ours."""

    def __init__(self, *sets, stream="stderr"):
        folder = new_folder()
        self.out = folder / "out"
        (folder / "x.lua").write_text(CONFIG)
        self.reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, PIPE_OCTETS)
        self.process = subprocess.Popen(
            [program(), "run", "x.lua", "--out", "out", *settings(sets)], cwd=folder,
            stdin=subprocess.DEVNULL, **{"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL,
                                         stream: writer})
        os.close(writer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def read_up(self):
        self.read_to(b"SIGINT or SIGTERM\n")

    def read_to(self, what):
        """What it says up to then."""
        said = b""
        while what not in said:
            octets = os.read(self.reader, 4096)
            right(octets, f"it has ended:\n{said}")
            said += octets
        return said

    def fill(self, descriptor=2):
        """So that whoever writes there, waits."""
        writer = os.open(f"/proc/{self.process.pid}/fd/{descriptor}", os.O_WRONLY | os.O_NONBLOCK)
        try:
            while True:
                os.write(writer, b"x")
        except BlockingIOError:
            os.close(writer)

    def wrong_reloads(self, times):
        """Each a line of the log, if there is anybody to read it. Control answers behind it."""
        (self.out.parent / "x.lua").write_text("run {}")
        for _ in range(times):
            self.process.send_signal(signal.SIGHUP)
            for _ in range(2):  # the first may be asked before control has begun with the reload
                instance.client("ctl", "log")

    def status(self):
        """Of its end."""
        return until("its end", lambda: self.process.poll() is not None) and self.process.returncode

    def ends(self):
        self.process.send_signal(signal.SIGTERM)
        same(self.status(), 0, "exit status")
        right((self.out / "summary.json").exists(), "no summary")


@case("a reader of its log that goes (| head) does not end it")
def reader_goes():
    with Piped() as run:
        run.read_up()
        os.close(run.reader)
        run.wrong_reloads(5)
        same(run.process.poll(), None, "exit status")
        run.ends()


@case("a reader of its log that sleeps does not hold it")
def reader_sleeps():
    with Piped() as run:
        run.read_up()
        run.fill()
        run.wrong_reloads(3)
        run.ends()


@case("a reader of its report that goes: the summary is written, and the exit status says so")
def report_unread():
    with Piped("run.duration=0.2 s", stream="stdout") as run:
        os.close(run.reader)
        same(run.status(), 1, "exit status")
        right((run.out / "summary.json").exists(), "no summary")


def is_handled(process, number):
    """Whether the process would catch that signal now."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return bool(int(status.split("SigCgt:")[1].split()[0], 16) >> (number - 1) & 1)


@case("the second signal ends it at once")
def twice():
    """Whose report nobody takes, so that the first one alone does not end it."""
    with Piped(stream="stdout") as run:
        until("it is up", (run.out / "contexts.json").exists)
        run.fill(1)
        run.process.send_signal(signal.SIGTERM)
        until("the first signal is handled", lambda: not is_handled(run.process, signal.SIGTERM))
        until("its summary", (run.out / "summary.json").exists)
        same(run.process.poll(), None, "exit status after the first signal")
        run.process.send_signal(signal.SIGTERM)
        same(run.status(), -signal.SIGTERM, "how it ended")


class Asker(threading.Thread):
    """Asks for counters again and again, until nobody answers any more."""

    def __init__(self, run):
        super().__init__(daemon=True)
        self.run_, self.said = run, []
        self.start()

    def run(self):
        try:
            while "error" not in (answer := self.run_.ask("/sluice/stats")["/sluice/stats"]):
                pass
            self.said.append(answer["error"])
        except (OSError, ValueError):  # the socket has gone; a hang-up is no JSON
            pass


@case("questions under way do not hold its end up: each is answered, or told that nothing runs")
def asked():
    """A worker that has ended answers nobody, and who has asked it waits for a second."""
    seen, deadline = [], time.monotonic() + WAIT_S
    while not seen or "a worker does not answer" in seen[-1]:  # nor does one that gets no processor
        right(len(seen) < 3 and time.monotonic() < deadline, f"the answers at the end: {seen}")
        with instance.Instance() as run:
            askers = [Asker(run) for _ in range(8)]
            for _ in range(8):
                run.ask("/sluice/stats")
            run.finish()
            for one in askers:
                one.join(WAIT_S)
            seen.append([text for one in askers for text in one.said])


@case("SIGHUP before it is up is a reload when it is")
def early_hangup():
    with Piped() as run:
        run.read_to(b"memory: ")
        run.process.send_signal(signal.SIGHUP)
        said = run.read_to(b"reload: no changes")
        right(b"up: " in said[:said.index(b"reload: ")], f"it says:\n{said}")
        run.ends()


def beside_bss(cells):
    """A run with so many cells and a BSS, its text, and a function that sends octets of the BSS's and
    waits for the answer to them, if there is to be one."""
    ours, theirs, gn, gb = network.tap()
    cells = ", ".join(f"bvc {{ bvci = {2 + i} }}" for i in range(cells))
    nse = CONFIG[CONFIG.index("nse {"):]
    text = (CONFIG.replace(nse, f'nse {{ nsei = 1, nsvc {{ nsvci = 1, peer = "{BSS4}" }}, {cells} }}')
            .replace("net_null0,no-rx=1", gn).replace("net_null1,no-rx=1", gb))
    run = Running(text, before=network.within(ours))
    host = network.Host(theirs)
    host.configure()
    bss = host.udp(BSS4, NS_PORT)

    def say(octets, answer=None):
        bss.sendto(bytes.fromhex(octets), (GB4, NS_PORT))
        while answer and bss.recv(65536).hex() != answer:  # others of the program's may come first
            pass
    return run, text, say


def flooded():
    """A run of many cells whose control has work for a minute, each reset of BVCI 0 being one of
    each cell."""
    run, _, say = beside_bss(CELLS)
    say(RESET, RESET_ACK)
    say("06")
    for number in range(RESETS):
        say("00000000" "22" "04820000" "078108")
        if number % 50 == 0:
            time.sleep(0.005)  # a tap's queue has an end
    return run


@case("SIGTERM with 10 000 cells and a queue of resets of all of them ends it, well")
def much_queued():
    with flooded() as run:
        begun_s = time.monotonic()
        run.process.send_signal(signal.SIGTERM)
        until("its end", lambda: run.process.poll() is not None, run.said)
        same(run.process.returncode, 0, "exit status")
        print(f"# {time.monotonic() - begun_s:.1f} s to its end")


def hard(bits):
    """A text whose keys all meet when Lua's table has grown to so many bits: one step of Lua's, which
    nothing interrupts, of 0.9 s for 16, and of 14 s for 18."""
    return f"local t = {{}} for i = 1, {(1 << bits - 1) + 1} do t[i * {(1 << bits) - 1}] = 1 end\n"


@case("control answers a BSS while it is a text's turn for a second in a reload")
def text_holds_nobody():
    run, text, say = beside_bss(1)
    with run:
        run.config.write_text(hard(16) + text)
        run.process.send_signal(signal.SIGHUP)
        answers, until_s = 0, time.monotonic() + WAIT_S
        # On a slow machine the text takes more than the second that it may.
        while not any(end in run.said() for end in ("reload: no changes", "reload refused")):
            right(time.monotonic() < until_s, f"the reload has no end:\n{run.said()}")
            say(RESET, RESET_ACK)
            answers += 1
        print(f"# {answers} answers")
        right(answers >= 10, f"{answers} answers before the reload was over")
        run.finish()


@case("SIGTERM while it is a text's turn for many seconds ends it, well")
def ends_in_a_text():
    with Piped() as run:
        run.read_up()
        (run.out.parent / "x.lua").write_text(hard(18) + CONFIG)
        run.process.send_signal(signal.SIGHUP)
        until("a thread for the text", lambda: "sluice-load\n" in each_of(
            run.process.pid, "task", lambda task: (task / "comm").read_text()).values())
        run.ends()
        said = os.read(run.reader, PIPE_OCTETS)
        right(b"reload" not in said, f"it waited for the text:\n{said}")


if __name__ == "__main__":
    main()
