#!/usr/bin/python3
"""Holds the messages of commits against CONTRIBUTING.md: a subject `area: what changes` of at most 72
characters, and a body that says why, unless the commit changes comments alone.

Judged are the commits behind the last tag and behind those that commits.txt names, or else the last 50;
merges are not. A clone without history and a folder that git does not know have nothing to judge.

Comments alone: texts (*.md), and files of which nothing but comments differs, line by line. In
files whose strings may hold a `#` (shell, Meson, tables) only a whole line is a comment; a docstring is
none, for programs print theirs. A new file, a removed one and any other kind of file is more than that.

What a paper prints, and how far ours may be from it (tests/scenario/*.lua), changes in no commit that changes what
ours is (texts are not: a README says what comes of the targets), and with a line in CHANGES there: since the commit that brought CHANGES. A line that only comes to those
files changes no target.
"""

import collections
import io
import os
import pathlib
import re
import subprocess
import sys
import tokenize

from tap import DATA, report, root_argument, table_rows

TABLE = "tests/lint/commits.txt"
LAST = 50  # judged where nothing says since when
SUBJECT_MOST = 72
SUBJECT = re.compile(r"[^\s:]+( [^\s:]+){0,2}: \S")  # the area is one to three words
NO_REASON = re.compile(r"[\w-]+-by: |Change-Id: |This reverts commit |\(cherry picked from ")
STRING = r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'"
C = re.compile(rf"({STRING})|//[^\n]*|/\*.*?\*/", re.S)
LUA = re.compile(rf"({STRING}|(?<!-)\[(=*)\[.*?\]\2\])|--\[(=*)\[.*?\]\3\]|--[^\n]*", re.S)
HASH = re.compile(r"()^\s*#(?!!)[^\n]*", re.M)
KINDS = {".c": C, ".h": C, ".def": C, ".cc": C, ".lua": LUA}
HASH_SUFFIXES = (".build", ".txt", ".sh", ".service")
SCENARIO = "tests/scenario/"
CHANGES = SCENARIO + "CHANGES.md"
OURS = ("config/scenarios/", "config/recommended.lua", "lab/", "dataplane/", "lua/")
TARGET = re.compile(r"\b(published|within|least|most|sure|each|kind)\b|\bfigure = \"|^\{.*\d.*\}")
HASH_NAMES = ("run", "postinst", ".gdbinit", "Dockerfile", ".gitignore", ".clang-format")


def git(root, *words):
    """Its output, or None if it fails. Variables that a hook sets would name another repository."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(["git", "-c", "safe.directory=*", "-C", root, *words], env=env, check=False,
                              capture_output=True, text=True, errors="replace")
    except FileNotFoundError:
        return None
    return done.stdout if done.returncode == 0 else None


# --- Comments alone -------------------------------------------------------------------------------


def python_tokens(text):
    """None of what is no Python."""
    try:
        return [(token.type, token.string) for token in tokenize.generate_tokens(io.StringIO(text).readline)
                if token.type not in (tokenize.COMMENT, tokenize.NL)]
    except (tokenize.TokenError, SyntaxError):
        return None


def code_of(path, text):
    """What is left without comments, or None of a file that is judged as a whole."""
    if path.suffix == ".py":
        return python_tokens(text)
    kind = KINDS.get(path.suffix)
    if path.suffix in HASH_SUFFIXES or path.name in HASH_NAMES:
        kind = HASH
    if not kind or DATA.intersection(path.parts):
        return None
    text = kind.sub(lambda match: match[1] or "", text)
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def is_comment(root, commit, name):
    """A file that is new or removed has one side; one whose mode alone changes has two that are the same."""
    path = pathlib.Path(name)
    if path.suffix == ".md":
        return True
    before, after = (git(root, "show", f"{side}:{name}") for side in (f"{commit}^", commit))
    if None in (before, after) or before == after:
        return False
    left = code_of(path, before)
    return left is not None and left == code_of(path, after)


def is_comments_alone(root, commit):
    names = git(root, "diff-tree", "--root", "-r", "-z", "--no-commit-id", "--name-only", commit).split("\0")[:-1]
    return bool(names) and all(is_comment(root, commit, name) for name in names)


# --- Targets --------------------------------------------------------------------------------------


def is_target_less(root, commit, name):
    """A line with something of a target has gone, or is another."""
    before, after = ((LUA.sub(lambda match: match[1] or "", git(root, "show", f"{side}:{name}") or "")).splitlines()
                     for side in (f"{commit}^", commit))
    left = collections.Counter(line.strip() for line in before)
    left.subtract(line.strip() for line in after)
    return any(count > 0 and TARGET.search(line) for line, count in left.items())


def target_sin(root, commit):
    if git(root, "cat-file", "-e", f"{commit}^:{CHANGES}") is None:
        return ""
    names = git(root, "diff-tree", "-r", "-z", "--no-commit-id", "--name-only", commit).split("\0")[:-1]
    moved = [name for name in names if name.startswith(SCENARIO) and name.endswith(".lua")
             and is_target_less(root, commit, name)]
    if not moved:
        return ""
    if ours := [name for name in names if name.startswith(OURS) and not name.endswith(".md")]:
        return f"changes targets in {moved[0]}, and {ours[0]}"
    return "" if CHANGES in names else f"changes targets in {moved[0]}, and {CHANGES} has no line for it"


# --- Messages -------------------------------------------------------------------------------------


def bases(root):
    """The last tag, and the commits of the table, as far as they are behind HEAD."""
    tag = (git(root, "describe", "--tags", "--abbrev=0") or "").split()
    listed = [words[0] for _, words in table_rows(root, TABLE)] if (root / TABLE).exists() else []
    return tag + [commit for commit in listed
                  if git(root, "merge-base", "--is-ancestor", commit, "HEAD") is not None]


def commits(root):
    """(hash, subject, body) of those to judge."""
    since = bases(root)
    which = ["HEAD", "--not", *since] if since else [f"--max-count={LAST}", "HEAD"]
    text = git(root, "log", "--no-merges", "-z", "--format=%h%x01%s%x01%b", *which)
    return [one.split("\x01") for one in text.split("\0") if one]


def has_reason(body):
    return any(line.strip() and not NO_REASON.match(line) for line in body.splitlines())


def subject_sin(subject):
    if not SUBJECT.match(subject):
        return "is not `area: what changes`"
    if len(subject) > SUBJECT_MOST:
        return f"has {len(subject)} characters, {SUBJECT_MOST} is the most"
    return ""


def nothing_to_judge(root):
    """Why, or nothing."""
    top = git(root, "rev-parse", "--show-toplevel")
    if top is None or pathlib.Path(top.strip()).resolve() != root:
        return "this folder has no repository of git's"
    if git(root, "rev-parse", "--is-shallow-repository").strip() == "true":
        return "this clone has no history"
    return "" if git(root, "rev-parse", "--verify", "HEAD") else "there is no commit yet"


def main():
    root = root_argument()
    if why := nothing_to_judge(root):
        print(f"1..1\nok 1 - commits: messages # SKIP nothing to judge: {why}")
        return 0
    judged = commits(root)
    return report({
        f"commits: the subject is `area: what changes`, {SUBJECT_MOST} characters at most":
            [f"{short} {sin}: {subject}" for short, subject, _ in judged if (sin := subject_sin(subject))],
        "commits: a body says why, unless comments alone change":
            [f"{short} has no body: {subject}" for short, subject, body in judged
             if not has_reason(body) and not is_comments_alone(root, short)],
        "commits: targets change by themselves, and with a reason":
            [f"{short} {sin}: {subject}" for short, subject, _ in judged if (sin := target_sin(root, short))]})


if __name__ == "__main__":
    sys.exit(main())
