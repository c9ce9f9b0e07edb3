// See outputs.h.
#include "control/run/outputs.h"

#include <errno.h>
#include <string.h>

#include "control/cli/commands.h"
#include "control/report/page.h"
#include "control/run/batches.h"
#include "control/run/origin.h"
#include "control/run/passive.h"
#include "lab/report/tables.h"

#define PAGE    "report.html"
#define PACKETS "packets.csv"

// ---- Captures ----

static const struct {
    const char *name;
    enum capture_kind kind;
    size_t at; // of struct lab_outputs
} captures[] = {{"gi.pcap", CAPTURE_IP, offsetof(struct lab_outputs, gi)},
                {"gn.pcap", CAPTURE_ETHERNET, offsetof(struct lab_outputs, gn)},
                {"gb.pcap", CAPTURE_ETHERNET, offsetof(struct lab_outputs, gb)}};
#define CAPTURES (sizeof captures / sizeof captures[0])

static struct capture **capture_of(struct run *run, size_t i)
{
    return (struct capture **)((char *)&run->outputs + captures[i].at);
}

static int open_captures(struct run *run)
{
    char error[256];
    for (size_t i = 0; i < CAPTURES && run->options.pcap; i++) {
        *capture_of(run, i) = run_capture(run, captures[i].name, captures[i].kind, error);
        if (!*capture_of(run, i))
            return run_failed("capture", error);
    }
    return EXIT_DONE;
}

static int close_captures(struct run *run)
{
    int status = EXIT_DONE;
    for (size_t i = 0; i < CAPTURES; i++)
        if (*capture_of(run, i))
            status |=
                run_unwritten(&run->results, captures[i].name, capture_close(*capture_of(run, i)));
    return status;
}

// ---- Packets and series ----

static int open_packets(struct run *run)
{
    if (!run->options.packets)
        return EXIT_DONE;
    run->outputs.packets = results_begin(&run->results, PACKETS);
    return run->outputs.packets ? EXIT_DONE : run_unwritten(&run->results, PACKETS, -errno);
}

static int close_packets(struct run *run)
{
    FILE *out = run->outputs.packets;
    return out ? run_unwritten(&run->results, PACKETS, results_end(&run->results, PACKETS, out))
               : EXIT_DONE;
}

static int open_series(struct run *run)
{
    for (int kind = 0; kind < LEDGER_KINDS && run->load.lab.step_ns; kind++) {
        const char *name = lab_series_name((enum ledger_kind)kind);
        if (!name)
            continue;
        run->outputs.series[kind] = results_begin(&run->results, name);
        if (!run->outputs.series[kind])
            return run_unwritten(&run->results, name, -errno);
    }
    return EXIT_DONE;
}

static int close_series(struct run *run)
{
    int status = EXIT_DONE;
    for (int kind = 0; kind < LEDGER_KINDS; kind++) {
        const char *name = lab_series_name((enum ledger_kind)kind);
        FILE *out = run->outputs.series[kind];
        if (out)
            status |= run_unwritten(&run->results, name, results_end(&run->results, name, out));
    }
    return status;
}

void outputs_each(const struct outputs_asked *asked, void (*take)(void *self, const char *name),
                  void *self)
{
    const struct lab_table *table;
    take(self, "summary.json");
    for (int i = 0; i < TABLES_FILES; i++)
        take(self, tables_files[i].name);
    for (uint32_t i = 0; (table = lab_table(i)) != NULL; i++)
        take(self, table->name);
    for (int kind = 0; kind < LEDGER_KINDS && asked->series; kind++)
        if (lab_series_name((enum ledger_kind)kind))
            take(self, lab_series_name((enum ledger_kind)kind));
    for (size_t i = 0; i < CAPTURES && asked->pcap; i++)
        take(self, captures[i].name);
    if (asked->packets)
        take(self, PACKETS);
    if (asked->batches)
        take(self, BATCHES_FILE);
    if (asked->passive)
        passive_each(take, self);
}

int outputs_open(struct run *run)
{
    int status = open_captures(run);
    status = status ? status : passive_open(run);
    status = status ? status : open_packets(run);
    return status ? status : open_series(run);
}

int outputs_close(struct run *run)
{
    int status = close_captures(run), passive = passive_close(run), packets = close_packets(run),
        series = close_series(run);
    status = status ? status : passive;
    status = status ? status : packets;
    return status ? status : series;
}

// ---- Tables and page ----

int outputs_tables(const struct run *run)
{
    uint64_t now_ns = engine_now_ns(lab_engine(run->lab));
    bool measured = now_ns > run->marked_ns;
    struct tables tables = {lab_ledger(run->lab), measured ? now_ns - run->marked_ns : 1};
    int status = EXIT_DONE;
    for (int i = 0; i < TABLES_FILES && !status; i++)
        status = run_write(run, tables_files[i].name, tables_files[i].put, &tables);
    const struct lab_table *table;
    for (uint32_t i = 0; (table = lab_table(i)) != NULL && !status; i++)
        status = run_write(run, table->name, table->put, run->lab);
    if (run->batches && !status)
        status = run_write(run, BATCHES_FILE, batches_put_csv, run);
    return status;
}

static void describe(const char *name, const struct table *table, FILE *out)
{
    fprintf(out, "\n%s\n", name);
    table_describe(table, out);
}

void outputs_describe(FILE *out)
{
    const struct lab_table *table;
    for (int i = 0; i < TABLES_FILES; i++)
        describe(tables_files[i].name, tables_files[i].table, out);
    for (uint32_t i = 0; (table = lab_table(i)) != NULL; i++)
        describe(table->name, table->table, out);
    describe(PACKETS, &lab_table_packets, out);
    for (int kind = 0; kind < LEDGER_KINDS; kind++) {
        const char *name = lab_series_name((enum ledger_kind)kind);
        if (!name)
            continue;
        fprintf(out, "\n%s\n", name);
        lab_series_describe((enum ledger_kind)kind, out);
    }
    batches_describe(out);
    passive_describe(out);
}

void outputs_describe_keys(FILE *out)
{
    origin_describe(out);
    report_describe(out);
    batches_describe_keys(out);
}

int outputs_page(const struct run *run)
{
    const char *dir = run->results.dir;
    char error[PAGE_ERROR_OCTETS] = "";
    FILE *out = results_begin(&run->results, PAGE);
    if (!out)
        return run_unwritten(&run->results, PAGE, -errno);
    if (page_write(out, &dir, 1, error)) {
        results_drop(&run->results, PAGE, out);
        return run_failed(PAGE, error);
    }
    if (error[0])
        fprintf(stderr, "%s has no figures: %s\n", PAGE, error);
    return run_unwritten(&run->results, PAGE, results_end(&run->results, PAGE, out));
}
