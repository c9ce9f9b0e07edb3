#!/usr/bin/python3
"""Whom a run in real time becomes, by run.user, sudo or the package; and what is refused before anything is
opened, for that user could not do it afterwards. See owner.py."""

import os
import pathlib
import pwd
import re
import shutil
import subprocess

from harness import Running, Skip, case, main, new_folder, right, same, sluice
from owner import AS_USER, NULL, USER, Own, as_user, is_owned, root, threads, uids


def said_by(*sets, before=(), environment=None, text=NULL):
    """What a run says until it is up, and its threads."""
    root()
    saved = dict(os.environ)
    os.environ.update(environment or {})
    try:
        with Running(text, *sets, before=before) as run:
            found = threads(run.process.pid)
            return run.said(), found
    finally:
        os.environ.clear()
        os.environ.update(saved)


def warned(said):
    return "the run stays root" in said


def has_package():
    try:
        return str(pwd.getpwnam("sluice").pw_uid)
    except KeyError:
        return None


@case("a user's number will do, and one who called sudo is the default")
def by_number():
    number = str(USER.pw_uid)
    for sets, environment in ((f"run.user={number}",), {}), ((), {"SUDO_UID": number}):
        said, found = said_by(*sets, environment=environment)
        same((uids(found), warned(said)), ({number}, False), f"users with {sets} {environment}")


@case("root who called sudo, or nobody, is not the default: the package's user is, else root, with a warning")
def fallback():
    nobody = str(pwd.getpwnam("nobody").pw_uid)
    wanted = has_package() or "0"
    for sudo in None, "0", nobody, "4294967294", "x":
        said, found = said_by(environment={} if sudo is None else {"SUDO_UID": sudo})
        same((uids(found), warned(said)), ({wanted}, wanted == "0"), f"users with SUDO_UID {sudo}")


@case('run.user = "root" says that root is meant: no warning')
def as_root():
    said, found = said_by("run.user=root", environment={"SUDO_UID": str(USER.pw_uid)})
    same((uids(found), warned(said), "user:" in said), ({"0"}, False, False), "users")


# ---- Refused before anything is opened ----


def refused(status, wanted, *words, text=NULL, prepare=None, before=()):
    """It ends with that status and says why in one line, before DPDK starts."""
    root()
    folder = new_folder()
    (folder / "x.lua").write_text(text)
    if prepare:
        prepare(folder)
    done = sluice("run", "x.lua", "--out", "out", "--set", "run.duration=200 ms", *words, cwd=folder,
                  before=before)  # were it not refused, it would end
    same(done.returncode, status, f"exit status; {done.stderr}")
    lines = [line for line in done.stderr.splitlines() if "warning" not in line]
    right(len(lines) == 1 and re.fullmatch(wanted.replace("FOLDER", re.escape(str(folder))), lines[0]),
          f"found {lines}, right is {wanted}")


@case("a user whom the system does not know")
def unknown():
    for name in "nosuchuser", "4294967294", "4294967296", str(2**32 + USER.pw_uid), "9" * 20:
        refused(2, rf'sluice run: run.user: unknown user "{name}"; allowed: a user of this system .*', "--set",
                f"run.user={name}")


@case("an ordinary user who wants to be another")
def not_root():
    status, said = Own().refused("--set", "run.user=root", before=as_user())
    same(status, 2, said)
    right(re.search('run.user: cannot become "root": only root can become another user', said), said)


@case("a configuration that run.user cannot read: the file, the user, and what helps")
def configuration():
    refused(2, rf"sluice run: x.lua: user daemon \(run.user\) must be able to read it for a reload: "
               rf"chgrp {USER.pw_gid} x.lua && chmod g\+r x.lua", *AS_USER,
            prepare=lambda folder: os.chmod(folder / "x.lua", 0o600))
    refused(2, r"sluice run: x.lua: user daemon \(run.user\) must be able to read it for a reload: the folder FOLDER is closed .*",
            *AS_USER, prepare=lambda folder: os.chmod(folder, 0o700))


@case("what helps, helps")
def helps():
    def help_it(folder):
        os.chmod(folder / "x.lua", 0o600)
        subprocess.run(["sh", "-c", f"chgrp {USER.pw_gid} x.lua && chmod g+r x.lua"], cwd=folder, check=True)
        (folder / "out").mkdir()
    refused(1, r"sluice run: out: user daemon \(run.user\) cannot write there: .*", *AS_USER, prepare=help_it)


@case("a policy that run.user cannot read")
def policy():
    def write(folder):
        (folder / "p.lua").write_text("function start() end\n")
        os.chmod(folder / "p.lua", 0o600)
    refused(2, r"sluice run: p.lua: user daemon \(run.user\) must be able to read it for a reload: .*",
            *AS_USER, text=NULL + 'policy { script = "p.lua" }\n', prepare=write)


@case("a folder for results that is somebody else's is not taken from him")
def folder():
    made = []

    def make(folder):
        made.append(folder / "out")
        made[0].mkdir()
        (made[0] / "run.json").write_text("root's")
    refused(1, r"sluice run: out: user daemon \(run.user\) cannot write there: chown daemon out, or .*",
            *AS_USER, prepare=make)
    same((os.stat(made[0]).st_uid, (made[0] / "run.json").read_text()), (0, "root's"), "the folder")


@case("what a run leaves where its socket was, an empty folder, goes when root starts the next")
def swept():
    for _ in range(2):
        with Running(NULL, *AS_USER[1:]) as run:
            name = f"sluice-real-{run.process.pid}"
            run.finish()
        left = [path.name for path in pathlib.Path(os.environ["RUNTIME_DIRECTORY"], "dpdk").iterdir()]
        same(left, [name], "folders")


@case("the way to the results may be closed to the user: they are that user's all the same")
def closed():
    root()
    folder = new_folder()
    (folder / "x.lua").write_text(NULL)
    (folder / "closed").mkdir(mode=0o700)
    done = sluice("run", "x.lua", "--out", "closed/a/out", "--set", "run.duration=200 ms", *AS_USER, cwd=folder)
    same(done.returncode, 0, f"exit status; {done.stderr}")
    for name in "a", "a/out", "a/out/contexts.json", "a/out/run.json", "a/out/summary.json":
        is_owned(folder / "closed" / name, 0o640 if "." in name else 0o755)


@case("root who may not change users is told so")
def no_setuid():
    if not shutil.which("setpriv"):
        raise Skip("needs the program setpriv")
    refused(2, r"sluice run: run.user: cannot become daemon: .* CAP_SETUID and CAP_SETGID; .*", *AS_USER,
            before=("setpriv", "--bounding-set=-setuid,-setgid"))


@case("root who may not give a folder away is told so, and leaves none behind")
def no_chown():
    if not shutil.which("setpriv"):
        raise Skip("needs the program setpriv")
    made = []
    refused(1, "sluice run: out: making the folder for run.user takes CAP_CHOWN; make .*", *AS_USER,
            prepare=made.append, before=("setpriv", "--bounding-set=-chown"))
    same([path.name for path in made[0].iterdir()], ["x.lua"], "what is in the folder")


main()
