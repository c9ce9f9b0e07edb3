"""What the tests of a running instance's live view share: instances over DPDK's net_null, which needs
no network and no root, in a runtime folder of this process alone; the client; and a fake instance,
whose answers are whatever the test wants."""

import json
import os
import pathlib
import socket
import threading

from harness import WAIT_S, Running, new_folder, same, sluice

CONFIG = """
run { name = "NAME", clock = "real" }
gn { device = "net_null0,no-rx=1", address = "192.0.2.1" }
gb { cell_delay = "0 s", ms_delay = "0 s", pfc_delay = "0 s", device = "net_null1,no-rx=1", address = "198.51.100.1" }
nse {
    nsei = 7, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2" },
    bvc {
        bvci = 20,
        ms {
            imsi = "001010000000008", count = 300,
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
    bvc {
        bvci = 21, rate = "16 kbit/s", bucket = "4 kB",
        ms {
            imsi = "001010000001000",
            pdp { nsapi = 5, class = "streaming", address = "10.1.0.1" },
        },
    },
}
"""
SOCKET = "dpdk_telemetry.v2"

# Whatever else runs on this machine is not seen, and does not see us.
os.environ["RUNTIME_DIRECTORY"] = str(new_folder())
FOLDER = pathlib.Path(os.environ["RUNTIME_DIRECTORY"]) / "dpdk"


class Instance(Running):
    """One that is looked at."""

    def __init__(self, name="view", *sets, config=CONFIG):
        super().__init__(config.replace("NAME", name), *sets)
        self.runtime = FOLDER / f"sluice-{name}-{self.process.pid}"

    def send(self, octets):
        """Straight to the socket: what comes back."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as end:
            end.settimeout(WAIT_S)
            end.connect(str(self.runtime / SOCKET))
            end.recv(1 << 16)
            end.send(octets)
            return end.recv(1 << 16)

    def ask(self, command):
        return json.loads(self.send(command.encode()))


def client(*words, status=0):
    """`sluice WORDS`: its standard output; with another status what it says on standard error."""
    done = sluice(*words)
    same(done.returncode, status, f"sluice {' '.join(map(str, words))}: exit status; it says:\n"
         f"{done.stderr}{done.stdout}")
    return done.stdout if status == 0 else done.stderr


class Fake:
    """A socket where an instance's would be; `answer` gets a command and returns octets, or None to
    say nothing, or raises EOFError to hang up."""

    def __init__(self, answer, greeting=b'{"version":"x","pid":1,"max_output_len":16384}'):
        self.answer, self.greeting, self.asked = answer, greeting, []
        self.folder = FOLDER / "sluice-fake-1"
        self.folder.mkdir(parents=True)
        self.end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.end.bind(str(self.folder / SOCKET))
        self.end.listen(8)
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end.shutdown(socket.SHUT_RDWR)
        self.end.close()
        (self.folder / SOCKET).unlink()
        self.folder.rmdir()

    def accept(self):
        while True:
            try:
                connection, _ = self.end.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            try:
                if self.greeting is not None:
                    connection.send(self.greeting)
                while command := connection.recv(4096):
                    self.asked.append(command)
                    answer = self.answer(command)
                    if answer is not None:
                        connection.send(answer)
            except (OSError, EOFError):
                pass
