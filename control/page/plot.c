// See plot.h: the script, and the child. What it draws is made fit for the page in svg.c.
#include "control/page/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "control/page/svg.h"

#define CHILD_S_MAX 60
#define POLL_NS     2000000

// ---- The script ----

// Marks at 1, 2, 5, 10 and so on; within a power of ten more of them, on a long axis fewer. The
// range is a little wider, for gnuplot leaves out a mark at an end.
static void put_log_marks(const struct plot *p, FILE *out)
{
    static const struct {
        double span;
        int count;
        double step[6];
    } of_span[] = {{11, 6, {1, 1.5, 2, 3, 5, 7}}, {301, 3, {1, 2, 5}}, {INFINITY, 1, {1}}};
    const char *between = "";
    int k = 0;
    while (p->x_most / p->x_least > of_span[k].span)
        k++;
    fprintf(out, "set xrange [%.9g:%.9g]\nset logscale x\nset xtics (", p->x_least * (1 - 1e-6),
            p->x_most * (1 + 1e-6));
    for (double unit = pow(10, floor(log10(p->x_least))); unit < 1.01 * p->x_most; unit *= 10)
        for (int i = 0; i < of_span[k].count; i++) {
            double mark = unit * of_span[k].step[i];
            if (mark < 0.99 * p->x_least || mark > 1.01 * p->x_most)
                continue;
            fprintf(out, "%s\"%.10g\" %.10g", between, mark, mark);
            between = ", ";
        }
    fputs(")\n", out);
}

static void put_axes(const struct plot *p, FILE *out)
{
    fprintf(out,
            "reset\n"
            "set terminal svg size %d,%d dynamic noenhanced font 'sans-serif,16'\n"
            "unset key\n"
            "set border 3 lw 0.7 lc rgb '" SVG_TEXT "'\n"
            "set tics nomirror out scale 0.4 textcolor rgb '" SVG_TEXT "'\n"
            "set grid lt 1 lw 0.7 lc rgb '" SVG_GRID "'\n"
            "set xlabel '%s' textcolor rgb '" SVG_TEXT "'\n"
            "set ylabel '%s' textcolor rgb '" SVG_TEXT "'\n"
            "set format '%%.10g'\n"
            "set xrange [%.9g:%.9g]\n",
            SVG_WIDTH, p->rows ? svg_height_of_rows(p->rows, p->row_bars) : SVG_HEIGHT, p->x_title,
            p->y_title ? p->y_title : "", p->x_least, p->x_most);
    if (p->log_x)
        put_log_marks(p, out);
}

static void put_lines(const struct plot *p, FILE *out)
{
    for (uint32_t i = 0; i < p->lines; i++) {
        fprintf(out, "$l%u << END\n", i);
        for (uint32_t k = 0; k < p->line[i].points; k++)
            if (isnan(p->line[i].point[k].y))
                fputc('\n', out);
            else
                fprintf(out, "%.6g %.6g\n", p->line[i].point[k].x, p->line[i].point[k].y);
        fputs("END\n", out);
    }
    fprintf(out, "set yrange [0:%.9g]\nplot ", p->y_most);
    for (uint32_t i = 0; i < p->lines; i++)
        fprintf(out, "%s$l%u with lines lw %s dt %u lc rgb '" SVG_SERIES "'", i ? ", " : "", i,
                p->thin ? "1" : "2", 1 + p->line[i].colour / PLOT_COLOURS % 5,
                p->line[i].colour % PLOT_COLOURS);
    fputc('\n', out);
}

// Only what cannot end a string or begin a markup in gnuplot or SVG.
static void put_name(const char *name, FILE *out)
{
    for (; *name; name++)
        fputc(strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 -:/.", *name)
                  ? *name
                  : (*name == '_' ? ' ' : '?'),
              out);
}

// A step with at most four more marks than the 0.
static double step_of(double most)
{
    double step = pow(10, floor(log10(most)));
    return most / step > 4 ? 2 * step : (most / step > 2 ? step : step / 2);
}

// Rows from the top down.
static void put_bars(const struct plot *p, FILE *out)
{
    fprintf(out, "set yrange [%u:0]\nset xtics %.9g\nset grid noytics\nset ytics scale 0 (",
            p->rows, step_of(p->x_most));
    for (uint32_t i = 0; i < p->rows; i++) {
        fprintf(out, "%s\"", i ? ", " : "");
        put_name(p->row[i], out);
        fprintf(out, "\" %u.5", i);
    }
    fputs(")\n$b << END\n", out);
    for (uint32_t i = 0; i < p->bars; i++) {
        const struct plot_bar *b = &p->bar[i];
        double top = b->row + 0.15 + 0.7 * b->low, bottom = b->row + 0.15 + 0.7 * b->high;
        fprintf(out, "%.9g %.4f %.9g %.9g %.4f %.4f 0x0103%02x\n", b->to, bottom, b->from, b->to,
                top, bottom, b->colour % PLOT_COLOURS);
    }
    fputs("END\nset style fill solid noborder\n"
          "plot $b using 1:2:3:4:5:6:7 with boxxyerror lc rgb variable\n",
          out);
}

static FILE *script_of(const struct plot *plots, uint32_t count)
{
    FILE *out = tmpfile();
    for (uint32_t i = 0; out && i < count; i++) {
        put_axes(&plots[i], out);
        if (plots[i].rows)
            put_bars(&plots[i], out);
        else
            put_lines(&plots[i], out);
    }
    if (out && (fflush(out) != 0 || fseek(out, 0, SEEK_SET) != 0)) {
        fclose(out);
        out = NULL;
    }
    return out;
}

// ---- The child ----

// Its exit status, or -ETIMEDOUT.
static int wait_for(pid_t child)
{
    struct timespec pause = {0, POLL_NS};
    for (uint64_t waited_ns = 0; waited_ns < CHILD_S_MAX * 1000000000ULL; waited_ns += POLL_NS) {
        int status;
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
        nanosleep(&pause, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return -ETIMEDOUT;
}

// No file of the user's and no terminal changes what it draws.
static int run_gnuplot(FILE *script, FILE *drawn, FILE *said)
{
    char *arguments[] = {"gnuplot", "-d", "-", NULL}, *environment[] = {"LC_ALL=C", NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(drawn), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO);
    int fault = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    return fault ? -fault : wait_for(child);
}

// All of a file from its beginning, with a NUL behind it.
static char *text_of(FILE *file)
{
    long octets = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = octets < 0 ? NULL : malloc((size_t)octets + 1);
    rewind(file);
    if (text)
        text[fread(text, 1, (size_t)octets, file)] = '\0';
    return text;
}

static void explain(int status, FILE *said, char error[256])
{
    char line[160] = "";
    rewind(said);
    while (fgets(line, sizeof line, said) && line[strspn(line, " \n^")] == '\0')
        ;
    line[strcspn(line, "\n")] = '\0';
    if (status == -ENOENT)
        snprintf(error, 256, "gnuplot was not found (Debian's package gnuplot-nox)");
    else
        snprintf(error, 256, "gnuplot failed: %s",
                 status < 0 ? strerror(-status) : (line[0] ? line : "it drew too little"));
}

char **plot_draw(const struct plot *plots, uint32_t count, char error[256])
{
    FILE *script = script_of(plots, count), *drawn = tmpfile(), *said = tmpfile();
    char **svg = NULL;
    if (script && drawn && said) {
        int status = run_gnuplot(script, drawn, said);
        char *text = status == 0 ? text_of(drawn) : NULL;
        svg = text ? svg_split(text, count) : NULL;
        if (!svg)
            explain(status, said, error);
        free(text);
    } else {
        snprintf(error, 256, "temporary files: %s", strerror(errno));
    }
    FILE *const files[] = {script, drawn, said};
    for (int i = 0; i < 3; i++)
        if (files[i])
            fclose(files[i]);
    return svg;
}
