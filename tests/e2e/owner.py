"""Whom a process is, as the kernel says it: what the tests of a run's user share. And a program that an
ordinary user starts."""

import os
import pwd
import shutil
import signal
import stat
import subprocess

import real
from harness import WAIT_S, Skip, each_of, new_folder, program, right, same, until, whole_program

USER = pwd.getpwnam("daemon")
AS_USER = "--set", f"run.user={USER.pw_name}"
NULL = real.CONFIG.replace("GN_DEVICE", "net_null0,no-rx=1").replace("GB_DEVICE", "net_null1,no-rx=1")
CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapAmb")

# Whatever else runs on this machine is not seen, and whoever called sudo is nobody of ours.
os.environ["RUNTIME_DIRECTORY"] = str(new_folder())
for name in "SUDO_UID", "SUDO_GID", "SUDO_USER":
    os.environ.pop(name, None)


def root():
    if os.geteuid() != 0:
        raise Skip("only root can become another user: run it as root")


EAL_THREADS = {"eal-intr-thread", "dpdk-intr"}  # DPDK 22.11's name of it, and 24.11's


def threads(pid):
    """{number: {name of a line: its words}} as the kernel has it."""
    found = each_of(pid, "task", lambda task: (task / "status").read_text())
    return {int(task.name): {name: words.split() for name, words in (line.split(":", 1) for line in status.splitlines())}
            for task, status in found.items()}


def is_user(pid, user=USER, capabilities=0):
    """Each of the threads is the user, in the user's groups, and can do no more than that."""
    found = threads(pid)
    names = sorted(one["Name"][0] for one in found.values())
    right("sluice-dpdk" in names and EAL_THREADS & set(names), f"threads: {names}")
    groups = sorted(set(os.getgrouplist(user.pw_name, user.pw_gid)))
    for number, one in found.items():
        who = f"of {one['Name'][0]} ({number})"
        same(one["Uid"], [str(user.pw_uid)] * 4, f"Uid {who}")
        same(one["Gid"], [str(user.pw_gid)] * 4, f"Gid {who}")
        same(sorted(map(int, one["Groups"])), groups, f"Groups {who}")
        for name in CAPABILITIES:
            wanted = capabilities if name in ("CapPrm", "CapEff") else 0
            same(int(one[name][0], 16), wanted, f"{name} {who}")
        same(one["NoNewPrivs"], ["1"], f"NoNewPrivs {who}")


def is_not_dumpable(pid):
    """Of a process that is not, /proc has what its memory is seen by as root's (proc(5))."""
    for name in "mem", "environ", "maps":
        same(os.stat(f"/proc/{pid}/{name}").st_uid, 0, f"owner of /proc/{pid}/{name}")


def is_owned(path, mode):
    found = os.stat(path)
    same((found.st_uid, found.st_gid, oct(stat.S_IMODE(found.st_mode))),
         (USER.pw_uid, USER.pw_gid, oct(mode)), f"owner, group and mode of {path.name}")


def uids(found):
    return {one["Uid"][0] for one in found.values()}


def as_user(*more):
    """A command that starts another as that user, with nothing but what `more` says."""
    if not shutil.which("setpriv"):
        raise Skip("needs the program setpriv")
    return ("setpriv", f"--reuid={USER.pw_uid}", f"--regid={USER.pw_gid}", "--clear-groups", *more)


class Own:
    """A folder and a program that an ordinary user can use, and where its sockets go."""

    def __init__(self):
        root()
        self.folder = new_folder()
        (self.folder / "x.lua").write_text(NULL)
        shutil.copy(program(), self.folder / "sluice")
        shutil.copy(whole_program(), self.folder / "sluice-dpdk")
        os.chown(self.folder, USER.pw_uid, USER.pw_gid)

    def start(self, *words, before):
        environment = os.environ | {"RUNTIME_DIRECTORY": str(self.folder)}
        return subprocess.Popen([*before, "./sluice", "run", "x.lua", "--out", "out", *words],
                                cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=(self.folder / "stderr").open("wb"))

    def said(self):
        return (self.folder / "stderr").read_text()

    def runs(self, *words, before):
        """Up, its threads looked at, and ended; what it said."""
        process = self.start(*words, before=before)
        try:
            until("the run is up", lambda: "\nup: " in self.said() or process.poll() is not None, self.said)
            right(process.poll() is None, self.said())
            found = threads(process.pid)
            process.send_signal(signal.SIGINT)
            same(process.wait(WAIT_S), 0, f"exit status; {self.said()}")
            return self.said(), found
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()

    def refused(self, *words, before):
        process = self.start(*words, before=before)
        return process.wait(WAIT_S), self.said()
