#!/usr/bin/python3
"""`sluice top` on a terminal of 24 lines and 80 columns: what it shows, what its keys do, and that the
terminal is afterwards as it was, however it ends. On none it prints one screen and ends."""

import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import termios
import threading
import time

from harness import WAIT_S, Failure, case, main, program, right, same, terminal, until
from instance import Fake, Instance, client

SEQUENCE = re.compile(r"\x1b\[[?0-9;]*([A-Za-z])")
LEAVES = "\x1b[?7h\x1b[?25h\x1b[?1049l"


def need_terminal():
    """Before an instance is started."""
    for end in terminal():
        os.close(end)


class Terminal:
    def __init__(self, lines=24, columns=80, its_input=0):
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            os.dup2(its_input, 0)
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            os.execv(program(), [program(), "top"])
        self.text, self.lines, self.columns = "", lines, columns

    def read(self, wait_s):
        """False: nobody writes any more."""
        if select.select([self.end], [], [], wait_s)[0]:
            try:
                self.text += os.read(self.end, 65536).decode()
            except OSError:
                return False
        return True

    def until(self, wanted):
        """Reads on until a whole screen has it; returns that screen's lines."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            for screen in reversed(self.text.split("\x1b[H")[1:-1]):
                if wanted in screen:
                    self.text = ""
                    return self.shown(screen)
            self.read(0.1)
        raise Failure(f"not within {WAIT_S} s: a screen with '{wanted}'; it has\n{self.text[-2000:]!r}")

    def shown(self, screen):
        rows = [SEQUENCE.sub("", row) for row in screen.split("\r\n")]
        right(len(rows) <= self.lines, f"{len(rows)} lines")
        for row in rows:
            right(len(row) <= self.columns, f"{len(row)} columns: {row}")
        return rows

    def press(self, keys):
        os.write(self.end, keys.encode())

    def finish(self, status=0):
        deadline = time.monotonic() + WAIT_S
        while self.read(0.5):
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
        _, ended = os.waitpid(self.pid, 0)
        flags = termios.tcgetattr(self.end)[3]
        same(os.waitstatus_to_exitcode(ended), status, "exit status")
        right(LEAVES in self.text,
              f"the screen is not given back: {self.text[-200:]!r}")
        os.close(self.end)
        return flags


def is_cooked(flags):
    return bool(flags & termios.ECHO and flags & termios.ICANON and flags & termios.ISIG)


@case("cells, then the MSs of one by Enter, by its number, and back; q ends it")
def keys():
    need_terminal()
    instance, top = Instance(), Terminal()
    rows = top.until("cells by delay")
    right(any("7-20" in row for row in rows) and any("7-21" in row for row in rows), f"{rows}")
    right(not is_cooked(termios.tcgetattr(top.end)[3]), "the terminal is not ours")
    top.press("\r")
    rows = top.until("MSs of cell 7-20")
    same(sum("00101000000" in row for row in rows), 20, "MSs on the screen")
    top.press("\x1b[6~\x1b[6~")
    top.until(" 41 001010000000048")
    top.press("b")
    top.until("cells by delay")
    top.press("2\r")
    right(any("001010000001000" in row for row in top.until("MSs of cell 7-21")), "its MS")
    top.press("\x1b")
    top.until("cells by delay")
    top.press("j\r")
    top.until("MSs of cell 7-21")
    top.press("q")
    right(is_cooked(top.finish()), "the terminal is not as it was")
    instance.finish()


@case("the end of its input ends it, and the terminal of its screen is given back")
def end_of_input():
    """Its input is another terminal, whose hanging up is no signal for it."""
    other, its_input = terminal()
    with Instance():
        top = Terminal(its_input=its_input)
        os.close(its_input)
        top.until("cells by delay")
        os.close(other)
        top.finish()


@case("the same by SIGTERM", signal.SIGTERM)
@case("the same by SIGHUP", signal.SIGHUP)
@case("a signal ends it, and the terminal is as it was", signal.SIGINT)
def signals(number):
    need_terminal()
    instance, top = Instance(), Terminal()
    top.until("cells by delay")
    os.kill(top.pid, number)
    right(is_cooked(top.finish()), "the terminal is not as it was")
    instance.finish()


@case("the instance ends: so does it, with the reason")
def ends():
    need_terminal()
    instance, top = Instance(), Terminal()
    top.until("cells by delay")
    instance.finish()
    right(is_cooked(top.finish(1)), "the terminal is not as it was")
    right("sluice top: view-" in top.text, f"it says: {top.text[-300:]!r}")


@case("the same on one larger than what there is to show", 60, 200)
@case("a terminal of 5 lines, 20 columns", 5, 20)
def sizes(lines, columns):
    need_terminal()
    instance, top = Instance(), Terminal(lines, columns)
    top.until("cells by")
    top.press("\r")
    top.until("MSs of cell")
    top.press("q")
    top.finish()
    instance.finish()


def answer_with_delays(command):
    """An instance with one cell, whose MSs wait for 5, 50, 20 and 35 ms, in bucket and queue together:
    in another order by either alone, and by their difference."""
    name = command.decode().split(",")[0]
    rows = {"/sluice/bvcs": [{"nsei": 7, "bvci": 20}],
            "/sluice/cell_mss": [
                {"ms_id": 1, "imsi": "111", "delay_ns": 4000000, "sojourn_ns": 1000000},
                {"ms_id": 2, "imsi": "222", "sojourn_ns": 50000000},
                {"ms_id": 3, "imsi": "333", "delay_ns": 20000000, "sojourn_ns": 0},
                {"ms_id": 4, "imsi": "444", "delay_ns": 25000000, "sojourn_ns": 10000000}]}.get(name)
    value = {"name": "fake", "run_ns": 1} if rows is None else {
        "first": 0, "count": len(rows), "rows": {str(i): row for i, row in enumerate(rows)}}
    return json.dumps({name: value}).encode()


@case("the MSs of a cell stand by their delay")
def order():
    need_terminal()
    with Fake(answer_with_delays):
        top = Terminal()
        top.until("7-20")
        top.press("\r")
        rows = top.until("MSs of cell 7-20")
        same([row.split()[1] for row in rows[3:7]], ["222", "444", "333", "111"], "MSs")
        top.press("q")
        top.finish()


@case("the instance is asked once a second, and for another list; other keys ask nothing")
def asks():
    need_terminal()
    with Fake(answer_with_delays) as fake:
        begin_s, top = time.monotonic(), Terminal()
        top.until("7-20")
        top.press("\r" + "jk" * 100)
        top.until("MSs of cell 7-20")
        top.press("q")
        top.finish()
        seconds = int(time.monotonic() - begin_s)
        lists = sum(command.startswith((b"/sluice/bvcs", b"/sluice/cell_mss")) for command in fake.asked)
        right(2 <= lists <= 2 + 1 + seconds, f"{lists} lists were asked for in {seconds} s")


def is_pending(pid, number):
    """Whether the process has not had that signal yet."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return any(int(status.split(f"{name}:")[1].split()[0], 16) >> (number - 1) & 1 for name in ("SigPnd", "ShdPnd"))


@case("another size of the terminal, while an answer is awaited, does not end it")
def resized():
    need_terminal()
    fast, awaited = threading.Event(), threading.Event()
    fast.set()

    def answer(command):
        if not fast.is_set():
            awaited.set()
            fast.wait(WAIT_S)
        return answer_with_delays(command)
    with Fake(answer):
        top = Terminal()
        top.until("7-20")
        fast.clear()
        right(awaited.wait(WAIT_S), f"not within {WAIT_S} s: it asks again")
        os.kill(top.pid, signal.SIGWINCH)
        until("the signal has come to it", lambda: not is_pending(top.pid, signal.SIGWINCH))
        fast.set()
        top.until("7-20")
        top.press("q")
        top.finish()


@case("no terminal: one screen as text")
def no_terminal():
    instance = Instance()
    text = client("top")
    right("7-20" in text and "7-21" in text and "\x1b" not in text, f"it prints:\n{text}")
    right("phones" not in text, f"it has none:\n{text}")
    instance.finish()


@case("phones that attach stand in its first line, and in that of stats")
def phones():
    for there, said in (({"attached": 12, "attaching": 0, "contexts": 11}, "phones: 12 attached, 0 attaching, 11 contexts"),
                        ({"attached": 0, "attaching": 3, "contexts": 0}, "phones: 0 attached, 3 attaching, 0 contexts")):
        def answer(command, there=there):
            if not command.startswith(b"/sluice/info"):
                return answer_with_delays(command)
            return json.dumps({"/sluice/info": {"name": "fake", "run_ns": 1, "control": "up", "phones": there}}).encode()
        with Fake(answer):
            right(client("top").splitlines()[0].endswith(f"control up, {said}"), client("top"))
            counts = ", ".join(f"{name} {n}" for name, n in there.items() if n)
            right(f"\n    phones:   {counts}\n" in client("stats"), client("stats"))


main()
