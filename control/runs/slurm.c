// See slurm.h.
#include "control/runs/slurm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/report/below.h"
#include "control/runs/children.h"
#include "control/runs/gather.h"
#include "control/run/run.h"

#define TASKS_MOST 1000 // Slurm's MaxArraySize is 1001 unless configured otherwise

// As a word of the shell.
static void put_word(const char *word, FILE *out)
{
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

static void put_run(const struct plan *plan, uint32_t run, uint32_t number, FILE *out)
{
    char path[PATH_MAX];
    char **words = plan_words(plan, run);
    plan_path(plan, run, path);
    fprintf(out, "%u) one ", number);
    put_word(path, out);
    for (size_t i = 1; words[i]; i++) {
        fputc(' ', out);
        put_word(words[i], out);
    }
    fputs(" ;;\n", out);
    plan_words_free(words);
}

static void put_script(const struct plan *plan, const bool *wanted, uint32_t count,
                       uint32_t at_once, const char *program, FILE *out)
{
    uint32_t tasks = count < TASKS_MOST ? count : TASKS_MOST, number = 0;
    fprintf(out, "#!/bin/bash\n#SBATCH --job-name=sluice\n#SBATCH --array=0-%u", tasks - 1);
    if (at_once)
        fprintf(out, "%%%u", at_once);
    fprintf(out,
            "\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=1\n#SBATCH --mem=%uM\n"
            "#SBATCH --output=/dev/null\n"
            "# Task i does run i of the list, and each %uth after it.\n"
            "program=",
            (unsigned)(plan->need_octets >> 20) + 64, tasks);
    put_word(program, out);
    fputs("\nfailed=0\n"
          "set -C # a run.log is a new file: a link in its place is not followed\n"
          "one() { # FOLDER ARGUMENT...\n"
          "    mkdir -p \"$1\" && rm -f \"$1/run.log\" &&\n"
          "        \"$program\" \"${@:2}\" >\"$1/run.log\" 2>&1 </dev/null || failed=1\n"
          "}\n"
          "run() { # NUMBER\n"
          "case $1 in\n",
          out);
    for (uint32_t i = 0; i < plan_runs(plan); i++)
        if (wanted[plan_in_turn(plan, i)])
            put_run(plan, plan_in_turn(plan, i), number++, out);
    fprintf(out,
            "esac\n}\n"
            "for ((i = SLURM_ARRAY_TASK_ID; i < %u; i += %u)); do\n    run \"$i\"\ndone\n"
            "exit $failed\n",
            count, tasks);
}

static bool write_script(const struct plan *plan, const bool *wanted, uint32_t at_once,
                         const char *path)
{
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    FILE *out = n < 0 ? NULL : below_replace(path);
    if (!out)
        return run_failed(path, strerror(errno)) == 0;
    program[n] = '\0';
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan_runs(plan); i++)
        count += wanted[i];
    put_script(plan, wanted, count, at_once, program, out);
    bool good = !ferror(out);
    if (fclose(out) != 0 || !good)
        return run_failed(path, strerror(errno)) == 0;
    return true;
}

// Slurm tells only that tasks failed.
static void tell_missing(const struct plan *plan, const bool *wanted)
{
    for (uint32_t i = 0; i < plan_runs(plan); i++)
        if (wanted[i] && gather_look(plan, i).state != GATHER_COMPLETE)
            children_tell(plan, i, "not complete");
}

bool slurm_run(const struct plan *plan, const bool *wanted, uint32_t at_once)
{
    char path[PATH_MAX], *words[] = {"sbatch", "--wait", path, NULL};
    snprintf(path, sizeof path, "%.*s/slurm.sh", PATH_MAX - 64, plan->dir);
    if (!write_script(plan, wanted, at_once, path))
        return false;
    int status = children_program("sbatch", words);
    if (status == 127)
        fprintf(stderr, "sluice run: --slurm: sbatch is Slurm's (Debian: slurm-client)\n");
    else if (status != 0)
        fprintf(stderr,
                "sluice run: --slurm: sbatch ended with status %d; tasks may go on, see squeue; "
                "--resume gathers what is complete\n",
                status);
    if (status > 0 && status != 127)
        tell_missing(plan, wanted);
    return status == 0;
}
