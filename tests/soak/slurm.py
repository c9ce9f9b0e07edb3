#!/usr/bin/python3
"""`sluice run --slurm`: several runs as a job array of Slurm, on one node that this test starts and ends.

    slurm.py

It starts munged, slurmctld and slurmd of Debian's slurm-wlm in a folder of its own, on ports of its own.
Then the results of --slurm have to be those of --jobs 1, byte for byte; a failed task is named by
--resume; and what is interrupted is gathered once its tasks are done. Needs root and slurm-wlm; about a
minute.
"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

os.environ.setdefault("SLUICE", str(pathlib.Path(__file__).resolve().parent.parent.parent
                                    / "build/release/sluice"))
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from harness import Failure, new_folder, program, right, same, sluice  # noqa: E402
from several import VARIANTS, results, scenario, six, summary_of  # noqa: E402

WAIT_S = 120
WORDS = "--variant", "all", "--seeds", "1..3"
CONF = """
ClusterName=sluice
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=4000 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    """Ports that are free now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """One node; its three daemons end with the `with`."""

    def __init__(self):
        self.folder, self.daemons = new_folder(), []
        for name in "state", "spool":
            (self.folder / name).mkdir()
        host = socket.gethostname().partition(".")[0]
        (self.folder / "slurm.conf").write_text(CONF.format(
            folder=self.folder, host=host, ports=free_ports(2), cpus=os.cpu_count()))
        os.environ["SLURM_CONF"] = str(self.folder / "slurm.conf")

    def start(self, *command):
        log = (self.folder / f"{pathlib.Path(command[0]).name}.out").open("wb")
        self.daemons.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def logs(self):
        return "\n".join(f"--- {path.name}\n{path.read_text(errors='replace')[-1500:]}"
                         for path in sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out")]))

    def __enter__(self):
        key, at = self.folder / "munge.key", self.folder / "munge.socket"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        try:
            self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={at}",
                       f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                       f"--seed-file={self.folder}/munged.seed")
            wait_for("munged", at.exists)
            self.start("slurmctld", "-D")
            self.start("slurmd", "-D")
            wait_for("an idle node", lambda: "idle" in subprocess.run(
                ["sinfo", "--noheader", "--format=%T"], capture_output=True, text=True,
                check=False).stdout)
        except Exception as why:
            logs = self.logs()
            self.__exit__()
            raise Failure(f"{why}\n{logs}") from why
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def wait_for(what, condition):
    deadline = time.monotonic() + WAIT_S
    while not condition():
        right(time.monotonic() < deadline, f"{what}: not within {WAIT_S} s")
        time.sleep(0.2)


def array_is_the_same():
    out = new_folder() / "out of it"  # a folder's name may have a space, and an apostrophe
    config = scenario(VARIANTS)
    done = sluice("run", config, "--out", out, *WORDS, "--slurm", "--pcap")
    same(done.returncode, 0, f"exit status\n{done.stdout}{done.stderr}")
    right("Submitted batch job" in done.stdout, done.stdout)
    (out / "slurm.sh").unlink()
    one, other = results(six()[0]), results(out)
    same(sorted(one), sorted(other), "files")
    same([name for name in one if one[name] != other[name]], [], "files that differ")
    before = (out / "red/2/run.json").stat().st_mtime_ns
    shutil.rmtree(out / "red/1")
    done = sluice("run", config, "--out", out, *WORDS, "--slurm", "--resume", "--jobs", "1", "--pcap")
    same(done.returncode, 0, f"exit status of --resume\n{done.stderr}")
    same((out / "red/2/run.json").stat().st_mtime_ns, before, "a run that was complete is done again")
    (out / "slurm.sh").unlink()
    same(results(out), one, "results")


def failure_is_named():
    out = new_folder() / "it's"
    (out / "red/2/run.json").mkdir(parents=True)
    done = sluice("run", scenario(VARIANTS), "--out", out, *WORDS, "--slurm")
    same(done.returncode, 1, "exit status")
    right("sbatch ended with status 1" in done.stderr, done.stderr)
    right(f"sluice run: {out}/red/2: not complete: run.json: Is a directory\n" in done.stderr, done.stderr)
    same(summary_of(out)["missing"], ["red/2"], "missing")


def interruption_leaves_the_array():
    out = new_folder() / "out"
    config = scenario(VARIANTS)
    process = subprocess.Popen([program(), "run", config, "--out", out, *WORDS, "--slurm"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    process.stdout.readline()  # Submitted batch job
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=WAIT_S)[1]
    same(process.returncode, 1, f"exit status\n{said}")
    right("tasks may go on, see squeue; --resume gathers" in said, said)
    wait_for("the end of the array", lambda: not subprocess.run(
        ["squeue", "--noheader"], capture_output=True, text=True, check=False).stdout.strip())
    done = sluice("run", config, "--out", out, *WORDS, "--resume")
    same((done.returncode, summary_of(out)["complete"]), (0, True), f"--resume\n{done.stderr}")


def main():
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(name)]
    if missing or os.geteuid() != 0:
        sys.exit(f"slurm.py needs root and Debian's slurm-wlm; missing: {', '.join(missing) or 'root'}")
    with Cluster() as cluster:
        for check in array_is_the_same, failure_is_named, interruption_leaves_the_array:
            try:
                check()
            except Failure as why:
                sys.exit(f"not ok - {check.__name__}: {why}\n{cluster.logs()}")
            print(f"ok - {check.__name__.replace('_', ' ')}", flush=True)


main()
