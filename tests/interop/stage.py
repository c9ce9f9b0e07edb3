"""Where a capture is made: programs that run for a while, dumpcap beside them, and the turn of the
ends that are ours."""

import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

CAPTURES = pathlib.Path(__file__).resolve().parent / "captures"


class Stage:
    """Programs and a capture around a piece of work; all of them end with it."""

    def __init__(self, name, capture_filter, snap_octets=None):
        self.name, self.filter = name, capture_filter
        self.snap = ["-s", str(snap_octets)] if snap_octets else []

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="sluice-interop-")
        self.running = []
        self.pcap = os.path.join(self.folder, "x.pcap")
        self.start("dumpcap", "-q", "-P", "-i", "lo", "-f", self.filter, *self.snap, "-w", self.pcap)
        self.wait_for(lambda: os.path.exists(self.pcap), "dumpcap")
        time.sleep(0.5)
        return self

    def __exit__(self, failure, *_):
        time.sleep(0.5)
        for process in reversed(self.running):
            process.terminate()
            try:
                process.wait(timeout=2)
            except subprocess.TimeoutExpired:  # sgsnemu may wait for an answer
                process.kill()
                process.wait()
        if not failure:
            CAPTURES.mkdir(exist_ok=True)
            shutil.copyfile(self.pcap, CAPTURES / f"{self.name}.pcap")
            shutil.rmtree(self.folder)
        else:
            print(f"{self.name}: logs are in {self.folder}", file=sys.stderr)

    def start(self, *command):
        with open(os.path.join(self.folder, command[0] + ".log"), "ab") as log:
            self.running.append(subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log,
                                                 stdin=subprocess.DEVNULL))

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        pathlib.Path(path).write_text(text)
        return path

    @staticmethod
    def wait_for(condition, what, seconds=10):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"{what}: nothing in {seconds} s")
            time.sleep(0.05)


def turn(seconds, ends, bts=None):
    """Lets the ends answer for so long; the BTS ticks every 20 ms."""
    now = time.monotonic()
    end, tick = now + seconds, now
    while now < end:
        sockets = {one.socket: one for one in (*ends, bts) if one}
        for ready in select.select(sockets, [], [], max(0, min(tick, end) - now))[0]:
            sockets[ready].read()
        now = time.monotonic()
        if bts and now >= tick:
            bts.tick()
            tick += 0.02
