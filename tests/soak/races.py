#!/usr/bin/python3
"""Plants races, one at a time, in a copy of the tree, and has ThreadSanitizer find each of them by
the test of suite `threads` that stands beside it. Before the first the copy passes all of them.

    races.py [WORD]      those alone whose file or test holds the word

The copy and its build stay in build/races, so that a second run is quicker.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests")]

import runner  # noqa: E402
from planting import copies  # noqa: E402

COPY = ROOT / "build/races"
PATIENCE_S = 300

# In FILE, behind the text BEHIND, the next OLD becomes NEW. The program TEST of build/tsan finds it,
# in a report one of whose stacks names WHERE.
Race = collections.namedtuple("Race", "what file behind old new test where")

PATH = "dataplane/path/threads"
RACES = [
    # Rings: commands, events and messages, and what is handed over by them.
    Race("a message goes into the ring whose producer is the other worker",
         "dataplane/post/post.c", "void post_stray", "post->to[to]", "post->from[to]", PATH,
         "post_stray"),
    Race("a frame is written when it has gone to the other worker already",
         "dataplane/post/post.c", "void post_stray", "post->news = true;",
         "post->news = true; frame->hash.usr = 1;", PATH, "post_stray"),
    Race("a migration is free before the MS in it has been read",
         "dataplane/post/migration.c", "bool post_migration_unpack", "__ATOMIC_RELEASE", "__ATOMIC_RELAXED",
         PATH, "post_migration_send"),
    Race("the count of commands carried out is written plainly",
         "dataplane/worker.c", "static bool carry_out(",
         "__atomic_store_n(&worker->stats.commands, worker->stats.commands + 1, __ATOMIC_RELEASE)",
         "worker->stats.commands++", PATH, "carry_out"),
    # The live view.
    Race("a worker lets go of a query and orders nothing before that",
         "dataplane/view/view_answer.c", "void view_answer", "__ATOMIC_RELEASE", "__ATOMIC_RELAXED",
         "control/export/ask", "view_answer"),
    Race("a worker lets go of a query and then answers it",
         "dataplane/view/view_answer.c", "void view_answer", "put_answer(view, q);",
         "__atomic_store_n(&view->query, NULL, __ATOMIC_RELEASE); put_answer(view, q);",
         PATH, "view_answer"),
    Race("who asks takes the answer without order",
         "dataplane/view/view.c", "bool view_answered", "__ATOMIC_ACQUIRE", "__ATOMIC_RELAXED",
         PATH, "view_answer"),
    Race("a counter is read while its worker counts",
         "tests/dataplane/path/threads_test.c", "static bool stats_are_right", "&q->stats",
         "q == &query ? dp_stats(dp_worker(p.dp, 0)) : NULL", PATH, "stats_are_right"),
    # The trace.
    Race("a worker counts its packets plainly",
         "dataplane/trace/trace.c", "static void add(", "__atomic_store_n(count, *count + n, __ATOMIC_RELAXED)",
         "*count += n", PATH, "trace_progress"),
    # The board.
    Race("a record is on the board before its word",
         "control/export/board.c", "static int64_t put(", "__ATOMIC_RELEASE", "__ATOMIC_RELAXED",
         "control/export/board", "word_of"),
    Race("a record is written plainly",
         "control/export/board.c", "static int64_t put(",
         "__atomic_store_n(&table->record[id], record, __ATOMIC_RELEASE)",
         "table->record[id] = record", "control/export/board", "record_of"),
    Race("a record is read plainly",
         "control/export/board.c", "static uint64_t record_of",
         "__atomic_load_n(&table->record[id], __ATOMIC_ACQUIRE)", "table->record[id]",
         "control/export/board", "record_of"),
    # The mailbox.
    Race("an answer is written without the lock",
         "control/plane/mailbox.c", "void mailbox_answer", "pthread_mutex_lock(&mail->lock)",
         "pthread_mutex_trylock(&mail->lock); pthread_mutex_unlock(&mail->lock)",
         "control/plane/mailbox", "mailbox_answer"),
    Race("a question is taken without the lock",
         "control/plane/mailbox.c", "const char *mailbox_take", "pthread_mutex_lock(&mail->lock)",
         "if (pthread_mutex_trylock(&mail->lock) == 0) pthread_mutex_unlock(&mail->lock)",
         "control/plane/mailbox", "mailbox_take"),
    # The clock.
    Race("a line is written plainly", "control/process/clock.c", "static void write_line",
         "__atomic_store_n(&clock->tsc, tsc, __ATOMIC_RELEASE)", "clock->tsc = tsc",
         "control/process/clock", "write_line"),
    Race("a line is read plainly", "control/process/clock.c", "uint64_t clock_at",
         "__atomic_load_n(&clock->rate, __ATOMIC_ACQUIRE)", "clock->rate",
         "control/process/clock", "write_line"),
    # The mirrors.
    Race("blocks are the reader's without order", "dataplane/mirror/mirror.c", "void mirror_take",
         "__ATOMIC_RELEASE", "__ATOMIC_RELAXED", "dataplane/mirror/mirror_ring", "read_all"),
    Race("their room is the worker's without order", "dataplane/mirror/mirror.c", "void mirror_done",
         "__ATOMIC_RELEASE", "__ATOMIC_RELAXED", "dataplane/mirror/mirror_ring", "mirror_put"),
    Race("a mirror's count is read while the worker counts", "dataplane/mirror/mirror.c", "static void count(",
         "__atomic_store_n(at, *at + n, __ATOMIC_RELAXED)", "*at += n", "dataplane/mirror/mirror_ring", "count"),
    # The thread that loads the file for a reload.
    Race("an answer is said to be there before the lock is taken",
         "control/bind/loader.c", "static bool wait_for_question",
         "pthread_mutex_lock(&loader->lock);\n    if (loader->state == LOADER_BUSY)\n"
         "        loader->state = LOADER_DONE;",
         "if (loader->state == LOADER_BUSY)\n        loader->state = LOADER_DONE;\n"
         "    pthread_mutex_lock(&loader->lock);", "control/bind/loader", "wait_for_question"),
    Race("two loads write a PDU to one place",
         "control/bind/wire.c", "static int wire_encode", "static _Thread_local uint8_t b", "static uint8_t b",
         "control/bind/loader", "put_rows"),
]

PROGRAMS = {"control/bind/loader": "control/control_bind_loader_test",
            "control/process/clock": "control/control_process_clock_test",
            "control/export/ask": "control/control_export_ask_test",
            "control/export/board": "control/control_export_board_test",
            "control/plane/mailbox": "control/control_plane_mailbox_test",
            "dataplane/mirror/mirror_ring": "dataplane/mirror_mirror_ring_test",
            PATH: "dataplane/path_threads_test"}


def copy_tree():
    copies.copy_tree(COPY)
    copies.set_up(COPY, "tsan", ["--buildtype=debugoptimized", "-Db_sanitize=thread",
                                 "-Db_lundef=false", "-Dtests=true"])
    copies.do(COPY, "ninja", "-C", "build/tsan", "threads")


def run(test, patience_s=PATIENCE_S):
    """Its status, None if it did not end, and what it said on stderr."""
    environment, before = runner.sanitizer_of("tsan")
    command = [*before, COPY / "build/tsan/tests" / PROGRAMS[test]]
    try:
        done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True,
                              text=True, errors="replace", timeout=patience_s, check=False)
    except subprocess.TimeoutExpired as late:
        return None, (late.stderr or b"").decode(errors="replace")
    return done.returncode, done.stderr


def reports(text):
    return [report for report in text.split("==================")
            if "WARNING: ThreadSanitizer: data race" in report]


def planted(race):
    """The text with the race in it."""
    text = (ROOT / race.file).read_text()
    behind = text.index(race.behind)
    at = text.index(race.old, behind)
    return text[:at] + race.new + text[at + len(race.old):]


def is_found(race, patience_s):
    """A sentence if it is not. What a race does to the program may be that it waits for ever."""
    path = COPY / race.file
    path.write_text(planted(race))
    try:
        copies.do(COPY, "ninja", "-C", "build/tsan", f"tests/{PROGRAMS[race.test]}")
        status, text = run(race.test, patience_s)
    finally:
        shutil.copy(ROOT / race.file, path)
    found = reports(text)
    if not found:
        return f"{race.test} ended with {status} and without a report"
    named = [report for report in found if re.search(rf"^ +#\d+ {race.where}\w*\b", report, re.M)]
    return "" if named else f"{len(found)} reports, and none names {race.where}:\n{found[0]}"


def judge(number, what, sentence):
    print(f"{'not ok' if sentence else 'ok'} {number} - {what}", flush=True)
    if sentence:
        print("\n".join(f"# {line}" for line in sentence.splitlines()), flush=True)
    return bool(sentence)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("word", nargs="?", default="")
    args = parser.parse_args()
    races = [race for race in RACES if args.word in race.file or args.word in race.test]
    if not races:
        sys.exit(f"no race has '{args.word}' in its file or test")
    start = time.monotonic()
    copy_tree()
    tests = sorted({race.test for race in races})
    failed, patience_s = 0, {}
    for number, test in enumerate(tests, 1):
        begun = time.monotonic()
        status, text = run(test)
        patience_s[test] = min(30 + 3 * (time.monotonic() - begun), PATIENCE_S)
        failed += judge(number, f"{test} without a race",
                        f"it ended with {status}\n{text[-2000:]}" if status else "")
    for number, race in enumerate(races, 1 + len(tests)):
        failed += judge(number, f"{race.test}: {race.what}", is_found(race, patience_s[race.test]))
    cases = len(tests) + len(races)
    print(f"{time.monotonic() - start:.0f} s\n{cases - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
