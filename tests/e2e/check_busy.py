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
BETWEEN_S = 0.002  # so that the whole takes far more than a second


@case("a configuration of two million steps, in a program that hardly ever gets a processor")
def seldom():
    path = new_folder() / "slow.lua"
    path.write_text(CONFIG + "local n = 0\nfor i = 1, 2000000 do n = n + i end\n")
    with subprocess.Popen([program(), "check", path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:
        while process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            time.sleep(STOPPED_S)
            process.send_signal(signal.SIGCONT)
            time.sleep(BETWEEN_S)
        same(process.returncode, 0, process.stderr.read())


main()
