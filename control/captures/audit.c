// sluice audit: captures of Gb, of any SGSN and BSS, before the clauses of NS, BSSGP and LLC.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "control/cli/cli.h"
#include "control/cli/commands.h"
#include "control/client/value.h"
#include "control/report/below.h"
#include "control/captures/audit_scenario.h"
#include "control/captures/columns.h"
#include "control/captures/pages.h"
#include "control/captures/overwrites.h"
#include "control/captures/spool.h"
#include "dataplane/base/units.h"
#include "lab/captures/audit/audit.h"
#include "lab/captures/read/capture_filter.h"
#include "lab/captures/read/capture_merge.h"

#define PATH_ROOM 4096

struct audit_command {
    const char *csv, *page, *filter, *scenario;
    uint32_t port;
    uint64_t tolerance_ns, th_ns;
    bool json, columns, fails_on_breach, fails_on_remark;
};

// Seconds with decimals, such as 0.001.
static bool take_seconds(const char *option, const char *text, double most, uint64_t *ns)
{
    char *end;
    double seconds = strtod(text, &end);
    if (end == text || *end || !(seconds >= 0 && seconds <= most))
        return cli_refuse("audit", option, text, "seconds, such as 0.001");
    *ns = (uint64_t)llround(seconds * (double)S_IN_NS);
    return true;
}

static bool take_tolerance(void *target, const char *text)
{
    return take_seconds("tolerance", text, 10, &((struct audit_command *)target)->tolerance_ns);
}

static bool take_th(void *target, const char *text)
{
    return take_seconds("th", text, 6000, &((struct audit_command *)target)->th_ns);
}

static const char *weight_name(size_t i)
{
    static const char *const names[] = {"breach", "remark", NULL};
    return names[i];
}

static bool take_fail_on(void *target, const char *text)
{
    struct audit_command *command = target;
    command->fails_on_remark = strcmp(text, "remark") == 0;
    command->fails_on_breach = true;
    return true;
}

#define INTO(member) .at = offsetof(struct audit_command, member)
static const struct cli_option audit_options[] = {
    {"json", NULL, "print the report as JSON", INTO(json)},
    {"csv", "DIR",
     "write the tables to DIR/findings.csv, flow_control.csv, events.csv, cells.csv, mss.csv, "
     "pfcs.csv",
     INTO(csv)},
    {"page", "FILE", "write a page with the tables, self-contained HTML", INTO(page)},
    {"scenario", "FILE.lua",
     "write a scenario of a capture of Gn and Gb: what came and what the BSSs allowed, for sluice "
     "run; and its "
     "files beside it",
     INTO(scenario)},
    {"tolerance", "SECONDS", "how much too early a PDU may be sent (0.001)",
     .take = take_tolerance},
    {"th", "SECONDS", "Th: how long an MS's own values bind the SGSN (5)", .take = take_th},
    {"port", "N", "UDP port of NS (any that looks like NS)", INTO(port), .least = 1, .most = 65535},
    {"filter", "EXPRESSION",
     "read only packets that it takes, as with tcpdump; of a fragmented packet only the first "
     "piece has ports",
     INTO(filter)},
    {"fail-on", "WEIGHT", "exit status 1 if there is a breach, or with remark any finding",
     .take = take_fail_on, .value = weight_name},
    {"columns", NULL, "print what each column of the tables means, and exit", INTO(columns)}};

const struct cli cli_of_audit = {
    .name = "audit",
    .words = "FILE...",
    .about = "read captures of Gb: which side breaks which clause; flow control replayed",
    .more =
        "FILE is a capture, pcap or pcapng, plain or compressed by gzip or zstd, of NS over UDP\n"
        "or over Frame Relay, on a line or in GRE, of any SGSN and BSS. Several files are one "
        "capture,\n"
        "by time. - is standard input; like any pipe, it is first copied to TMPDIR.\n"
        "The report ends with everything that was left out or could not be judged. The exit\n"
        "status is 1 if there is no Gb in the files, or if nothing could be read.",
    .options = audit_options,
    .count = sizeof audit_options / sizeof audit_options[0]};

// As a terminal bears it.
static int failed(const char *what, const char *why)
{
    char name[PATH_ROOM];
    fprintf(stderr, "sluice audit: %s: %s\n", value_printable(what, name, sizeof name), why);
    return EXIT_RUN_FAILED;
}

static bool path_of(char path[PATH_ROOM], const char *folder, const struct table *table)
{
    int octets = snprintf(path, PATH_ROOM, "%s/%s.csv", folder, table->csv);
    return octets < PATH_ROOM;
}

static int close_output(FILE *out, const char *path)
{
    int fault = ferror(out) ? EIO : 0;
    if (fclose(out) != 0)
        fault = errno;
    return fault ? failed(path, strerror(fault)) : EXIT_DONE;
}

static int put_table(const struct audit *audit, const char *folder, const struct table *table)
{
    char path[PATH_ROOM];
    if (!path_of(path, folder, table))
        return failed(folder, strerror(ENAMETOOLONG));
    FILE *out = below_replace(path);
    if (!out)
        return failed(path, strerror(errno));
    table_csv(table, audit, out);
    return close_output(out, path);
}

static int put_tables(const struct audit *audit, const char *folder)
{
    int status = EXIT_DONE;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return failed(folder, strerror(errno));
    for (int i = 0; !status && i < AUDIT_TABLES; i++)
        if (audit_tables[i]->csv)
            status = put_table(audit, folder, audit_tables[i]);
    return status;
}

static int put_page(const struct audit *audit, const char *path, char *const *files, int count)
{
    FILE *out = fopen(path, "we");
    if (!out)
        return failed(path, strerror(errno));
    audit_page(out, audit, files, count);
    return close_output(out, path);
}

static int put_scenario(const struct audit *audit, const char *path, char *const *files, int count)
{
    struct scenario scenario = {"audit", path, files, count};
    bool good = audit_scenario_write(&scenario, audit_traffic(audit), audit_lasts_ns(audit));
    return good ? EXIT_DONE : EXIT_RUN_FAILED;
}

// Names go to a terminal.
static void read_parts(struct audit *audit, struct capture_part *parts, char **files, int count)
{
    char(*room)[PATH_ROOM] = malloc((size_t)count * sizeof *room);
    char **names = malloc((size_t)count * sizeof *names);
    if (!room || !names)
        abort();
    for (int i = 0; i < count; i++) {
        value_printable(files[i], room[i], PATH_ROOM);
        names[i] = room[i];
    }
    audit_read(audit, AUDIT_LEARN, parts, (uint32_t)count, names);
    audit_read(audit, AUDIT_JUDGE, parts, (uint32_t)count, names);
    audit_finish(audit);
    free(names);
    free(room);
}

static int read_spooled(struct audit *audit, const struct spool *spools, char **files, int count)
{
    struct capture_part *parts = calloc((size_t)count, sizeof *parts);
    int status = EXIT_DONE;
    if (!parts)
        abort();
    for (int i = 0; i < count; i++)
        parts[i].path = spool_path(&spools[i], files[i]);
    capture_parts_sort(parts, (uint32_t)count);
    capture_parts_close(parts, (uint32_t)count); // one alone has stayed open
    for (int i = 0; i < count && !status; i++)
        if (!parts[i].opened)
            status = failed(files[parts[i].place], parts[i].fault);
    if (!status)
        read_parts(audit, parts, files, count);
    free(parts);
    return status;
}

static int read_all(struct audit *audit, char **files, int count)
{
    char error[SPOOL_TEXT];
    int status = EXIT_DONE, opened = 0;
    struct spool *spools = calloc((size_t)count, sizeof *spools);
    if (!spools)
        return failed(files[0], strerror(ENOMEM));
    for (; !status && opened < count; opened++)
        if (!spool_open(&spools[opened], files[opened], error))
            status = failed(files[opened], error);
    status = status ? status : read_spooled(audit, spools, files, count);
    while (opened > 0)
        spool_close(&spools[--opened]);
    free(spools);
    return status;
}

// The files first: who reads standard output may end before it does.
static int report(const struct audit_command *command, const struct audit *audit,
                  char *const *files, int count)
{
    int csv = command->csv ? put_tables(audit, command->csv) : EXIT_DONE;
    int page = command->page ? put_page(audit, command->page, files, count) : EXIT_DONE;
    int scenario =
        command->scenario ? put_scenario(audit, command->scenario, files, count) : EXIT_DONE;
    (command->json ? audit_json : audit_text)(audit, stdout);
    return csv ? csv : page ? page : scenario;
}

// What makes the status of a report that was given.
static int verdict(const struct audit_command *command, const struct audit *audit)
{
    uint64_t breaches = audit_breaches(audit), remarks = audit_remarks(audit);
    if (!audit_met_gb(audit)) {
        fprintf(stderr, "sluice audit: no Gb was read, so nothing was judged\n");
        return EXIT_RUN_FAILED;
    }
    if (!(command->fails_on_breach && breaches) && !(command->fails_on_remark && remarks))
        return EXIT_DONE;
    fprintf(stderr, "sluice audit: %llu breaches, %llu remarks\n", (unsigned long long)breaches,
            (unsigned long long)remarks);
    return EXIT_RUN_FAILED;
}

static bool overwrites_any(const struct audit_command *command, char *const *inputs, int n)
{
    char path[PATH_ROOM];
    if (overwrites("audit", command->page, inputs, n))
        return true;
    for (int i = 0; command->csv && i < AUDIT_TABLES; i++)
        if (audit_tables[i]->csv && path_of(path, command->csv, audit_tables[i]) &&
            overwrites("audit", path, inputs, n))
            return true;
    return false;
}

void columns_audit(FILE *out)
{
    for (int i = 0; i < AUDIT_TABLES; i++) {
        const struct table *table = audit_tables[i];
        fprintf(out, "%s%s%s%s%s%s\n", i ? "\n" : "", table->csv ? table->csv : "",
                table->csv ? ".csv" : "", table->csv && table->key ? ", " : "",
                table->key ? "in JSON " : "", table->key ? table->key : "");
        table_describe(table, out);
    }
}

int command_audit(int argc, char **argv)
{
    struct audit_command command = {.tolerance_ns = MS_IN_NS, .th_ns = 5 * S_IN_NS};
    int first;
    enum cli_end end = cli_parse(&cli_of_audit, argc, argv, &command, &first);
    if (end != CLI_GO)
        return cli_status(end);
    if (command.columns) {
        columns_audit(stdout);
        return EXIT_DONE;
    }
    if (first == argc) {
        fprintf(stderr, "sluice audit: no file given; needed: one or more captures\n");
        return EXIT_USAGE;
    }
    const char *fault = command.scenario ? scenario_fault(command.scenario) : NULL;
    if (fault) {
        cli_refuse("audit", "scenario", command.scenario, fault);
        return EXIT_USAGE;
    }
    if (overwrites_any(&command, argv + first, argc - first))
        return EXIT_USAGE;
    char error[CAPTURE_TEXT];
    struct capture_filter *filter = NULL;
    if (command.filter && !(filter = capture_filter_create(command.filter, error))) {
        fprintf(stderr, "sluice audit: %s\n", error);
        return EXIT_USAGE;
    }
    struct audit_options options = {.tolerance_ns = command.tolerance_ns,
                                    .th_ns = command.th_ns,
                                    .port = (uint16_t)command.port,
                                    .filter = filter,
                                    .traffic = command.scenario != NULL};
    struct audit *audit = audit_create(&options);
    int status = read_all(audit, argv + first, argc - first);
    status = status ? status : report(&command, audit, argv + first, argc - first);
    status = status ? status : verdict(&command, audit);
    audit_destroy(audit);
    capture_filter_destroy(filter);
    return status;
}
