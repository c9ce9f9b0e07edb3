// See passive.h.
#include "control/run/passive.h"

#include <errno.h>
#include <pcap/dlt.h>
#include <stdlib.h>
#include <string.h>

#include "control/cli/commands.h"
#include "lab/captures/gi/gi.h"
#include "lab/captures/gi/gi_sheets.h"
#include "lab/captures/gi/gi_write.h"

#define FLOWS      "gi_flows.csv"
#define TABLES     "gi_tables.csv"
#define BINS       "gi_bins.csv"
#define IDLE_S     3600 // as sluice gi, unless it is told otherwise
#define FLOWS_MOST 1000000

struct passive {
    struct gi *gi;
    struct gi_sheets *sheets;
    FILE *flows;
};

static void take_flow(void *self, const struct gi_result *result)
{
    struct passive *passive = self;
    gi_sheets_count(passive->sheets, result);
    table_csv_row(&gi_list_flows, NULL, result, passive->flows);
}

static void take_frame(void *self, uint64_t now_ns, const uint8_t *frame, uint32_t octets)
{
    struct passive *passive = self;
    struct capture_packet packet = {.time_ns = now_ns,
                                    .link = DLT_EN10MB,
                                    .octets = frame,
                                    .captured = octets,
                                    .length = octets};
    gi_take(passive->gi, &packet);
}

int passive_open(struct run *run)
{
    struct gi_config config = {.idle_s = IDLE_S, .flows_most = FLOWS_MOST};
    if (!run->load.lab.passive)
        return EXIT_DONE;
    FILE *flows = results_begin(&run->results, FLOWS);
    if (!flows)
        return run_unwritten(&run->results, FLOWS, -errno);
    struct passive *passive = calloc(1, sizeof *passive);
    if (!passive)
        abort();
    passive->flows = flows;
    passive->sheets = gi_sheets_create();
    passive->gi = gi_create(&config, take_flow, passive);
    table_csv_head(&gi_list_flows, flows);
    run->passive = passive;
    run->outputs.gn_tap = (struct line_tap){take_frame, passive};
    return EXIT_DONE;
}

static void put_tables(const void *self, FILE *out)
{
    const struct passive *passive = self;
    gi_sheets_csv(passive->sheets, out);
}

static void put_bins(const void *self, FILE *out)
{
    const struct passive *passive = self;
    gi_sheets_csv_bins(passive->sheets, out);
}

static int write_all(const struct run *run, const struct passive *passive)
{
    int status = run_write(run, TABLES, put_tables, passive);
    return status ? status : run_write(run, BINS, put_bins, passive);
}

int passive_close(struct run *run)
{
    struct passive *passive = run->passive;
    if (!passive)
        return EXIT_DONE;
    run->passive = NULL;
    gi_finish(passive->gi);
    const char *wrong = gi_wrong(passive->gi);
    int status = wrong ? run_failed("internal error: the counts of Gn do not add up", wrong) : 0;
    status |=
        run_unwritten(&run->results, FLOWS, results_end(&run->results, FLOWS, passive->flows));
    if (!status)
        status = write_all(run, passive);
    gi_destroy(passive->gi);
    gi_sheets_destroy(passive->sheets);
    free(passive);
    return status;
}

static const struct {
    const char *name;
    const struct table *table;
} files[] = {{FLOWS, &gi_list_flows}, {TABLES, &gi_list_tables}, {BINS, &gi_list_bins}};
#define FILES (sizeof files / sizeof files[0])

void passive_each(void (*take)(void *self, const char *name), void *self)
{
    for (size_t i = 0; i < FILES; i++)
        take(self, files[i].name);
}

void passive_describe(FILE *out)
{
    for (size_t i = 0; i < FILES; i++) {
        fprintf(out, "\n%s\n", files[i].name);
        table_describe(files[i].table, out);
    }
}
