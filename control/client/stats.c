// sluice stats: the state of a running instance as text, or as one JSON object with every row.
#include <inttypes.h>
#include <string.h>

#include "control/cli/cli.h"
#include "control/cli/commands.h"
#include "control/client/columns.h"
#include "control/client/session.h"
#include "control/client/value.h"

#define ALL       1000000u // the most rows of each kind in JSON
#define TEXT_ROWS 20u      // the most rows of each kind in text, without --all

struct options {
    const char *run, *cell, *ms;
    bool json, mss, all;
};

// ---- Text ----

static void print_count(void *self, const char *name, uint64_t count)
{
    const char **before = self;
    if (count)
        printf("%s%s %" PRIu64, *before, name, count);
    if (count)
        *before = ", ";
}

// Prints the counts that are not 0 as "name N, name N"; without such counts prints nothing.
static void print_counts(const char *title, const struct json_object *counts)
{
    const char *before = title;
    value_numbers(counts, print_count, &before);
    if (before != title)
        printf("\n");
}

static void print_node(void *self, const char *name, uint64_t node)
{
    const char **before = self;
    printf("%s%s %" PRIu64, *before, name, node);
    *before = ", ";
}

static void print_nodes(const struct json_object *nodes)
{
    const char *before = "    NUMA nodes: ";
    value_numbers(nodes, print_node, &before);
    if (*before == ',')
        printf("\n");
}

static void add_to(void *self, const char *name, uint64_t count)
{
    (void)name;
    *(uint64_t *)self += count;
}

// Adds a member `dropped`, the sum of the row's drops.
static void add_row(struct json_object *rows, struct json_object *row)
{
    uint64_t sum = 0;
    value_numbers(value_in(row, "drops"), add_to, &sum);
    value_set_number(row, "dropped", sum);
    value_add(rows, row);
}

static void print_info(struct json_object *info)
{
    char name[65], clock[16], control[32], time[TABLE_CELL_OCTETS];
    printf("%s (process %" PRIu64 "), %s of %s time, %" PRIu64 " worker%s, control %s\n",
           value_text(info, "name", name, sizeof name), value_number(info, "pid"),
           table_time(value_number(info, "run_ns"), time),
           value_text(info, "clock", clock, sizeof clock), value_number(info, "workers"),
           value_number(info, "workers") == 1 ? "" : "s",
           value_text(info, "control", control, sizeof control));
    print_counts("    phones:   ", value_in(info, "phones"));
}

static void print_steering(const char *name, const struct json_object *port)
{
    char way[16];
    if (!value_in(port, "steering"))
        return;
    printf("    %s steering: %s", name, value_text(port, "steering", way, sizeof way));
    if (value_in(port, "rules"))
        printf(", with a rule for %" PRIu64 " NS-VCs, and refused for %" PRIu64,
               value_number(port, "rules"), value_number(port, "rules_refused"));
    printf("; handed on to other workers: %" PRIu64 "\n", value_number(port, "strays_out_packets"));
}

static void print_ports(struct json_object *stats)
{
    struct json_object *rows = value_list(), *gn = value_in(stats, "gn"),
                       *gb = value_in(stats, "gb"), *up = value_in(stats, "up");
    char fault[128];
    value_set_text(gn, "port", "Gn");
    value_set_text(gb, "port", "Gb");
    add_row(rows, gn);
    add_row(rows, gb);
    printf("\n");
    table_print(stdout, 2, &columns_ports, rows);
    print_steering("Gn", gn);
    print_steering("Gb", gb);
    print_counts("    Gn device: ", value_in(gn, "nic"));
    print_counts("    Gb device: ", value_in(gb, "nic"));
    print_counts("    Gn frames by worker: ", value_in(gn, "rx_packets_by_worker"));
    print_counts("    Gb frames by worker: ", value_in(gb, "rx_packets_by_worker"));
    print_nodes(value_in(stats, "numa_nodes"));
    print_counts("    Gn drops: ", value_in(gn, "drops"));
    print_counts("    Gb drops: ", value_in(gb, "drops"));
    print_counts("    uplink:   ", up);
    print_counts("    uplink drops: ", value_in(up, "drops"));
    print_counts("    workers:  ", value_in(stats, "worker"));
    print_counts("    control:  ", value_in(stats, "control"));
    if (value_in(stats, "last_hook_fault"))
        printf("    policy:   %s\n", value_text(stats, "last_hook_fault", fault, sizeof fault));
    print_counts("    PDUs in:  ", value_in(stats, "pdus_in"));
    print_counts("    PDUs out: ", value_in(stats, "pdus_out"));
    value_free(rows);
}

static void print_drops_of_class(const struct json_object *class)
{
    char name[32], before[48];
    snprintf(before, sizeof before,
             "    %s drops: ", value_text(class, "class", name, sizeof name));
    print_counts(before, value_in(class, "drops"));
}

static void print_classes(struct json_object *all)
{
    struct json_object *list = value_list_of(all), *rows = value_list();
    for (size_t i = 0; i < value_count(list); i++)
        add_row(rows, value_at(list, i));
    printf("\n");
    table_print(stdout, 2, &columns_classes, rows);
    for (size_t i = 0; i < value_count(list); i++)
        print_drops_of_class(value_at(list, i));
    value_free(list);
    value_free(rows);
}

static void print_more(const char *what, size_t shown, uint32_t most)
{
    if (shown >= most)
        printf("    the first %u %s; --all shows all\n", most, what);
}

static void print_rows(const struct options *options, const struct json_object *rows,
                       const struct table_columns *columns, const char *what)
{
    printf("\n");
    table_print(stdout, 2, columns, rows);
    if (!options->all)
        print_more(what, value_count(rows), TEXT_ROWS);
}

static void print_all(const struct options *options, const struct json_object *all)
{
    print_info(value_in(all, "info"));
    print_ports(value_in(all, "stats"));
    print_classes(value_in(all, "classes"));
    print_rows(options, value_in(all, "nses"), &columns_nses, "NSEs");
    print_rows(options, value_in(all, "nsvcs"), &columns_nsvcs, "NS-VCs");
    print_rows(options, value_in(all, "cells"), &columns_cells, "cells, longest delay first");
    if (options->mss)
        print_rows(options, value_in(all, "mss"), &columns_mss, "MSs");
}

static bool show_all(struct session *session, const struct options *options)
{
    bool json = options->json;
    uint32_t most = json || options->all ? ALL : TEXT_ROWS;
    const struct session_part parts[] = {{.name = "info", .command = "/sluice/info"},
                                         {.name = "stats", .command = "/sluice/stats"},
                                         {.name = "classes", .command = "/sluice/classes"},
                                         {"nses", "/sluice/nses", most, NULL},
                                         {"nsvcs", "/sluice/nsvcs", most, NULL},
                                         {"cells", "/sluice/bvcs", most, json ? NULL : ",sort"},
                                         {"mss", "/sluice/mss", json ? ALL * 5 : most, NULL}};
    size_t n = sizeof parts / sizeof parts[0] - !options->mss;
    struct json_object *all = session_parts(session, parts, n);
    if (all && json)
        value_print(all, stdout);
    else if (all)
        print_all(options, all);
    value_free(all);
    return all;
}

// ---- One cell, one MS ----

static bool is_imsi(const char *text)
{
    size_t n = strlen(text);
    return n > 0 && n <= 15 && strspn(text, "0123456789") == n;
}

static void print_single(struct json_object *one, const struct table_columns *columns,
                         const char *parts, const struct table_columns *part_columns)
{
    struct json_object *rows = value_list(), *inner = value_list_of(value_in(one, parts));
    value_add(rows, one);
    table_print(stdout, 0, columns, rows);
    print_counts("  drops: ", value_in(one, "drops"));
    printf("\n");
    table_print(stdout, 2, part_columns, inner);
    value_free(inner);
    value_free(rows);
}

static void print_cell(const struct options *options, struct json_object *cell,
                       const struct json_object *mss)
{
    print_single(cell, &columns_cells, "classes", &columns_flows);
    print_rows(options, mss, &columns_mss, "MSs");
}

static bool show_cell(struct session *session, const struct options *options, const char *words)
{
    char command[64], before[40];
    snprintf(command, sizeof command, "/sluice/bvc,%s", words);
    snprintf(before, sizeof before, "%s,", words);
    uint32_t most = options->all || options->json ? ALL : TEXT_ROWS;
    struct json_object *cell = session_ask(session, command, SESSION_ASK_MS), *mss = NULL;
    if (cell)
        mss = session_rows(session, "/sluice/cell_mss", before, "", most);
    if (mss && options->json) {
        value_set(cell, "mss_in_it", value_hold(mss));
        value_print(cell, stdout);
    } else if (mss) {
        print_cell(options, cell, mss);
    }
    value_free(cell);
    value_free(mss);
    return mss;
}

static bool show_ms(struct session *session, const struct options *options)
{
    char command[64];
    snprintf(command, sizeof command, "/sluice/ms,%s", options->ms);
    struct json_object *ms = session_ask(session, command, SESSION_ASK_MS);
    if (ms && options->json)
        value_print(ms, stdout);
    else if (ms)
        print_single(ms, &columns_mss, "packet_flows", &columns_flows);
    value_free(ms);
    return ms;
}

// ---- The command ----

#define INTO(member) .at = offsetof(struct options, member)
static const struct cli_option stats_options[] = {
    CLI_RUN,
    {"json", NULL, "print one JSON object with every row", INTO(json)},
    {"all", NULL, "print all rows, not only 20 of each kind", INTO(all)},
    {"mss", NULL, "also print the MSs", INTO(mss)},
    {"cell", "NSEI-BVCI", "print one cell, its classes and its MSs", INTO(cell)},
    {"ms", "IMSI", "print one MS and its packet flows", INTO(ms)}};
const struct cli cli_of_stats = {.name = "stats",
                                 .words = "",
                                 .about = "print the state of a running instance",
                                 .options = stats_options,
                                 .count = sizeof stats_options / sizeof stats_options[0]};

static enum cli_end parse(struct options *options, char words[SESSION_CELL_OCTETS], int argc,
                          char **argv)
{
    int first;
    enum cli_end end = cli_parse(&cli_of_stats, argc, argv, options, &first);
    if (end != CLI_GO)
        return end;
    const char *cell = options->cell;
    char both[SESSION_CELL_OCTETS];
    if (cell && first == argc - 1) { // --cell NSEI BVCI
        snprintf(both, sizeof both, "%s-%s", cell, argv[first++]);
        cell = both;
    }
    const char *wrong = first < argc ? argv[first] : NULL;
    if (cell && !session_cell(cell, words))
        wrong = cell;
    if (options->ms && !is_imsi(options->ms))
        wrong = options->ms;
    if (wrong)
        fprintf(stderr, "sluice stats: found '%s', allowed --cell NSEI-BVCI, --ms IMSI\n", wrong);
    return wrong ? CLI_WRONG : CLI_GO;
}

int command_stats(int argc, char **argv)
{
    struct options options = {0};
    struct session session;
    char words[SESSION_CELL_OCTETS];
    bool good;
    enum cli_end end = parse(&options, words, argc, argv);
    if (end != CLI_GO)
        return cli_status(end);
    if (!session_open(&session, options.run, stderr))
        return EXIT_USAGE;
    if (options.ms)
        good = show_ms(&session, &options);
    else if (options.cell)
        good = show_cell(&session, &options, words);
    else
        good = show_all(&session, &options);
    if (!good)
        fprintf(stderr, "sluice stats: %s: %s\n", session.name, session.why);
    session_close(&session);
    return good ? EXIT_DONE : EXIT_RUN_FAILED;
}
