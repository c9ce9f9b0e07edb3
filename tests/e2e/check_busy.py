#!/usr/bin/python3
"""A configuration may take a second to be read, of the processor's time: on a machine that is busy
with other things a good one is not refused."""

import signal
import subprocess
import time

import real
from harness import case, main, new_folder, program, same

CONFIG = real.CONFIG.replace("GN_DEVICE", "net_null0").replace("GB_DEVICE", "net_null1")

STOPPED_S = 0.06
BETWEEN_S = 0.002  # of a processor's time: so the whole takes far more than a second


def used_s(process):
    """The processor's time that it has had, by the clock that Linux has for each process."""
    return time.clock_gettime(~process.pid << 3 | 2)


@case("a configuration of two million steps, in a program that hardly ever gets a processor")
def seldom():
    path = new_folder() / "slow.lua"
    path.write_text(CONFIG + "local n = 0\nfor i = 1, 2000000 do n = n + i end\n")
    with subprocess.Popen([program(), "check", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:
        while process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            time.sleep(STOPPED_S)
            before_s = used_s(process)
            process.send_signal(signal.SIGCONT)
            while process.poll() is None and used_s(process) < before_s + BETWEEN_S:
                time.sleep(0.0005)
        same(process.returncode, 0, process.stderr.read())


main()
