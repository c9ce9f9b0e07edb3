// sluice top: the cells of a running instance by delay (B x 8 / R and the wait of the next LLC
// PDU), updated each second. Enter, or a number, shows a cell's MSs. If stdout is not a terminal,
// top prints one screen as text and ends.
#include <inttypes.h>
#include <string.h>

#include "control/cli/cli.h"
#include "control/cli/commands.h"
#include "control/client/columns.h"
#include "control/client/now.h"
#include "control/client/session.h"
#include "control/client/terminal.h"
#include "control/client/value.h"

#define EACH_MS   1000
#define ROWS_MOST 1000u // the most rows to scroll through
#define MSS_MOST  20000u
#define ONCE_ROWS 20
#define HEAD      4 // lines above the rows, and one below

struct screen {
    struct session *session;
    bool in_cell;
    uint64_t nsei, bvci; // of the cell that is shown
    uint32_t typed;      // the digits typed so far
    size_t selected, first;
    size_t lines; // for rows
    struct json_object *rows;
    struct json_object *before; // down_octets of the previous update, by row key
    uint64_t before_ns;         // the time of the previous update
    uint64_t now_ns;
    char head[2][160];
};

// ---- Rows ----

// A row's key: whether the row is a cell or an MS, and the id.
static void key_of(const struct screen *s, const struct json_object *row, char key[48])
{
    snprintf(key, 48, "%d-%" PRIu64, s->in_cell,
             value_number(row, s->in_cell ? "ms_id" : "bvc_id"));
}

// Adds the rate since the previous update to the row.
static void add_rates(struct screen *s)
{
    struct json_object *now = value_new();
    uint64_t passed_ns = s->now_ns - s->before_ns;
    for (size_t i = 0; i < value_count(s->rows); i++) {
        struct json_object *row = value_at(s->rows, i);
        char key[48];
        key_of(s, row, key);
        uint64_t octets = value_number(row, "down_octets");
        value_set_number(now, key, octets);
        if (!value_has(s->before, key) || s->now_ns <= s->before_ns)
            continue;
        uint64_t sent = octets - value_number(s->before, key);
        double rate = octets >= sent ? (double)sent * 8e9 / (double)passed_ns : 0;
        if (rate < 1e18) // a larger rate of a hostile instance would overflow
            value_set_number(row, "sends_bit_per_s", (uint64_t)rate);
    }
    value_free(s->before);
    s->before = now;
    s->before_ns = s->now_ns;
}

static uint64_t delay_of(const struct json_object *row)
{
    return value_number(row, "delay_ns") + value_number(row, "sojourn_ns");
}

static int by_delay(const void *a, const void *b)
{
    const struct json_object *x = *(struct json_object *const *)a;
    const struct json_object *y = *(struct json_object *const *)b;
    uint64_t x_ns = delay_of(x), y_ns = delay_of(y);
    uint64_t x_id = value_number(x, "ms_id"), y_id = value_number(y, "ms_id");
    if (x_ns != y_ns)
        return x_ns > y_ns ? -1 : 1;
    return x_id < y_id ? -1 : x_id > y_id;
}

static struct json_object *read_rows(struct screen *s)
{
    char before[48];
    if (!s->in_cell)
        return session_rows(s->session, "/sluice/bvcs", "", ",sort", ROWS_MOST);
    snprintf(before, sizeof before, "%" PRIu64 ",%" PRIu64 ",", s->nsei, s->bvci);
    struct json_object *rows = session_rows(s->session, "/sluice/cell_mss", before, "", MSS_MOST);
    value_sort(rows, by_delay);
    return rows;
}

// Behind the rest of a line: phones, if there are any.
static void put_phones(char *line, size_t octets, const struct json_object *phones)
{
    uint64_t attached = value_number(phones, "attached"),
             attaching = value_number(phones, "attaching");
    size_t n = strlen(line);
    if (attached || attaching)
        snprintf(line + n, octets - n,
                 ", phones: %" PRIu64 " attached, %" PRIu64 " attaching, %" PRIu64 " contexts",
                 attached, attaching, value_number(phones, "contexts"));
}

static void put_head(struct screen *s, const struct json_object *info)
{
    char name[40], control[32], time[TABLE_CELL_OCTETS];
    snprintf(s->head[0], sizeof s->head[0], "%s, %s, control %s",
             value_text(info, "name", name, sizeof name),
             table_time(value_number(info, "run_ns"), time),
             value_text(info, "control", control, sizeof control));
    put_phones(s->head[0], sizeof s->head[0], value_in(info, "phones"));
    if (s->in_cell)
        snprintf(s->head[1], sizeof s->head[1],
                 "MSs of cell %" PRIu64 "-%" PRIu64 " by delay; b: back, q: quit", s->nsei,
                 s->bvci);
    else
        snprintf(s->head[1], sizeof s->head[1],
                 "cells by delay; Enter or a number: a cell's MSs, q: quit");
}

// False: session->why has the reason.
static bool refresh(struct screen *s)
{
    struct json_object *info = session_ask(s->session, "/sluice/info", SESSION_ASK_MS);
    struct json_object *rows = info ? read_rows(s) : NULL;
    if (rows) {
        value_free(s->rows);
        s->rows = rows;
        s->now_ns = value_number(info, "run_ns");
        add_rates(s);
        put_head(s, info);
    }
    value_free(info);
    return rows;
}

// ---- Drawing ----

static const struct table_columns *columns_of(const struct screen *s)
{
    return s->in_cell ? &columns_top_mss : &columns_top_cells;
}

static void keep_in_sight(struct screen *s)
{
    size_t n = value_count(s->rows);
    if (s->selected >= n)
        s->selected = n ? n - 1 : 0;
    if (s->selected < s->first)
        s->first = s->selected;
    if (s->selected >= s->first + s->lines)
        s->first = s->selected - s->lines + 1;
}

// Prints at most `columns` characters, for lines do not wrap, and clears the rest of the line.
static void put_line(const char *line, int columns, bool reversed)
{
    printf("%s%-*.*s%s\033[K\n", reversed ? "\033[7m" : "", reversed ? columns : 0, columns, line,
           reversed ? "\033[0m" : "");
}

static void put_row(const struct screen *s, size_t i, int columns)
{
    char line[TABLE_LINE_OCTETS], numbered[TABLE_LINE_OCTETS + 32];
    table_row(columns_of(s), value_at(s->rows, i), line);
    snprintf(numbered, sizeof numbered, "%3zu %s", i + 1, line);
    put_line(numbered, columns, i == s->selected);
}

static void draw(struct screen *s)
{
    int lines, columns;
    char title[TABLE_LINE_OCTETS], numbered[TABLE_LINE_OCTETS + 32];
    terminal_size(&lines, &columns);
    s->lines = lines > HEAD + 1 ? (size_t)(lines - HEAD) : 1;
    keep_in_sight(s);
    printf("\033[H");
    put_line(s->head[0], columns, false);
    put_line(s->head[1], columns, false);
    table_title(columns_of(s), title);
    snprintf(numbered, sizeof numbered, "    %s", title);
    put_line(numbered, columns, false);
    for (size_t i = s->first; i < s->first + s->lines && i < value_count(s->rows); i++)
        put_row(s, i, columns);
    if (s->typed)
        printf("%" PRIu32 "_", s->typed);
    printf("\033[J");
    fflush(stdout);
}

// ---- Keys ----

static void leave_cell(struct screen *s)
{
    s->typed = 0;
    s->in_cell = false;
    s->selected = s->first = 0;
}

static void enter_cell(struct screen *s)
{
    size_t at = s->typed ? s->typed - 1 : s->selected;
    const struct json_object *row = value_at(s->rows, at);
    s->typed = 0;
    if (s->in_cell || !row)
        return;
    s->nsei = value_number(row, "nsei");
    s->bvci = value_number(row, "bvci");
    s->in_cell = true;
    s->selected = s->first = 0;
}

static void scroll(struct screen *s, size_t up, size_t down)
{
    s->selected = s->selected > up ? s->selected - up : 0;
    s->selected += down;
    keep_in_sight(s);
}

// True: another list is shown now.
static bool obey(struct screen *s, int key)
{
    bool was = s->in_cell;
    if (key == KEY_UP || key == KEY_PAGE_UP)
        scroll(s, key == KEY_UP ? 1 : s->lines, 0);
    else if (key == KEY_DOWN || key == KEY_PAGE_DOWN)
        scroll(s, 0, key == KEY_DOWN ? 1 : s->lines);
    else if (key == KEY_ENTER)
        enter_cell(s);
    else if ((key == KEY_BACK || key == 'b') && s->typed)
        s->typed /= 10;
    else if (key == KEY_BACK || key == 'b')
        leave_cell(s);
    else if (key >= '0' && key <= '9' && s->typed < 100000)
        s->typed = s->typed * 10 + (uint32_t)(key - '0');
    return was != s->in_cell;
}

// Runs until a key quits, or the instance ends.
static bool watch(struct screen *s)
{
    uint64_t next_ms = 0;
    for (;;) {
        uint64_t at_ms = now_ms();
        if (at_ms >= next_ms) {
            if (!refresh(s))
                return false;
            next_ms = at_ms + EACH_MS;
        }
        draw(s);
        int key = terminal_key((int)(next_ms > at_ms ? next_ms - at_ms : 0));
        if (key == KEY_QUIT)
            return true;
        if (obey(s, key))
            next_ms = 0;
    }
}

// Asks twice, so that there are rates.
static bool print_once(struct screen *s)
{
    if (!refresh(s))
        return false;
    nanosleep(&(struct timespec){.tv_sec = EACH_MS / 1000}, NULL);
    if (!refresh(s))
        return false;
    if (value_count(s->rows) > ONCE_ROWS)
        value_cut(s->rows, ONCE_ROWS, value_count(s->rows) - ONCE_ROWS);
    printf("%s\ncells by delay\n", s->head[0]);
    table_print(stdout, 0, &columns_top_cells, s->rows);
    return true;
}

static bool run(struct session *session)
{
    struct screen s = {.session = session, .rows = value_list(), .before = value_new(), .lines = 1};
    bool good = terminal_begin() ? watch(&s) : print_once(&s);
    terminal_end();
    value_free(s.rows);
    value_free(s.before);
    return good;
}

static const struct cli_option top_options[] = {CLI_RUN};
const struct cli cli_of_top = {.name = "top",
                               .words = "",
                               .about = "show a running instance's cells, longest delay first",
                               .options = top_options,
                               .count = sizeof top_options / sizeof top_options[0]};

int command_top(int argc, char **argv)
{
    struct session session;
    const char *name = NULL;
    int first;
    enum cli_end end = cli_parse(&cli_of_top, argc, argv, &name, &first);
    if (end != CLI_GO)
        return cli_status(end);
    if (!cli_no_words(&cli_of_top, argc, argv, first) || !session_open(&session, name, stderr))
        return EXIT_USAGE;
    bool good = run(&session);
    if (!good)
        fprintf(stderr, "sluice top: %s: %s\n", session.name, session.why);
    session_close(&session);
    return good ? EXIT_DONE : EXIT_RUN_FAILED;
}
