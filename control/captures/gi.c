// sluice gi: the performance of TCP out of captures, and nothing else: no configuration, no
// dataplane.
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "control/cli/cli.h"
#include "control/cli/commands.h"
#include "control/client/value.h"
#include "control/captures/columns.h"
#include "control/captures/pages.h"
#include "control/captures/gi_compare.h"
#include "control/captures/gi_files.h"
#include "control/captures/gi_nothing.h"
#include "control/captures/gi_scenario.h"
#include "control/captures/overwrites.h"
#include "control/process/signals.h"
#include "control/process/version.h"
#include "dataplane/base/units.h"
#include "lab/captures/read/capture_filter.h"
#include "lab/captures/read/capture_live.h"
#include "lab/captures/gi/gi.h"
#include "lab/captures/gi/gi_paper.h"
#include "lab/captures/gi/gi_sheets.h"
#include "lab/captures/gi/gi_tops.h"
#include "lab/captures/gi/gi_write.h"

struct gi_options {
    const char *csv, *json, *page, *losses, *series, *filter, *interface;
    struct scenario scenario;
    struct gi_config config;
    uint32_t idle_s, flows_most, interval_s, top;
    bool take_bad_checksums, columns, paper, compare;
    struct gi_sequence *sequence;
    struct gi_sides sides;
};

// ---- The command line ----

static bool take_prefix(struct gi_prefix *prefix, const char *text)
{
    char address[64];
    struct in_addr ipv4;
    const char *slash = strchr(text, '/');
    size_t n = slash ? (size_t)(slash - text) : strlen(text);
    if (n >= sizeof address)
        return false;
    memcpy(address, text, n);
    address[n] = 0;
    bool is_ipv4 = inet_pton(AF_INET, address, &ipv4) == 1;
    if (is_ipv4)
        prefix->address = address_of_ipv4(ntohl(ipv4.s_addr));
    else if (inet_pton(AF_INET6, address, prefix->address.octet) != 1)
        return false;
    char *end = NULL;
    unsigned long most = is_ipv4 ? 32 : 128, bits = slash ? strtoul(slash + 1, &end, 10) : most;
    if (slash && (slash[1] < '0' || slash[1] > '9' || *end || bits > most))
        return false;
    prefix->bits = (uint8_t)(bits + (is_ipv4 ? 96 : 0));
    return true;
}

static bool take_mobiles(void *target, const char *text)
{
    struct gi_config *config = &((struct gi_options *)target)->config;
    if (config->mobiles < GI_PREFIXES_MOST && take_prefix(&config->mobile[config->mobiles], text)) {
        config->mobiles++;
        return true;
    }
    return cli_refuse("gi", "mobiles", text, "up to 16 prefixes such as 10.0.0.0/8");
}

static const char *users_name(size_t i)
{
    static const char *const names[] = {"address", "teid", NULL};
    return names[i];
}

static bool take_users(void *target, const char *text)
{
    ((struct gi_options *)target)->config.users_by_tunnel = strcmp(text, "teid") == 0;
    return true;
}

static bool take_sequence(void *target, const char *text)
{
    struct gi_options *options = target;
    if (!options->sequence && !(options->sequence = calloc(1, sizeof *options->sequence)))
        abort();
    return gi_sequence_read(options->sequence, text) ||
           cli_refuse("gi", "sequence", text, "USER:PORT,HOST:PORT; an IPv6 address in brackets");
}

static bool take_names(void *target, const char *text)
{
    return gi_sides_read(&((struct gi_options *)target)->sides, text) ||
           cli_refuse("gi", "names", text, "two names such as access,core");
}

// +HH:MM or -HH:MM.
static bool take_zone(void *target, const char *text)
{
    unsigned hours, minutes;
    char sign;
    int n = 0;
    if (sscanf(text, "%c%2u:%2u%n", &sign, &hours, &minutes, &n) != 3 || text[n] || hours > 14 ||
        minutes > 59 || (sign != '+' && sign != '-'))
        return cli_refuse("gi", "zone", text, "+HH:MM or -HH:MM");
    int32_t ahead_s = (int32_t)(hours * 3600 + minutes * 60);
    ((struct gi_options *)target)->config.zone_s = sign == '+' ? ahead_s : -ahead_s;
    return true;
}

#define INTO(member) .at = offsetof(struct gi_options, member)
static const struct cli_option gi_options[] = {
    {"csv", "FILE", "write every flow as a row", INTO(csv)},
    {"losses", "FILE", "write every segment that was sent again or came late, with its verdict",
     INTO(losses)},
    {"series", "FILE",
     "write what passed in each interval as a row, when it is over; - for standard output, instead "
     "of the text",
     INTO(series)},
    {"interval", "SECONDS", "how long an interval of --series is (10)", INTO(interval_s), 1, 86400},
    {"top", "N", "show the N users, hosts and flows with most octets (10)", INTO(top), 0, 1000},
    {"sequence", "USER:PORT,HOST:PORT",
     "put each segment to the user of that connection, and its ACKs, into the JSON, and draw them",
     .take = take_sequence},
    {"json", "FILE", "write every flow and all tables; - for standard output, instead of the text",
     INTO(json)},
    {"page", "FILE", "write a page with the tables and figures, self-contained HTML", INTO(page)},
    {"scenario", "FILE.lua",
     "write what the users did as a configuration for sluice run, with its data in files beside it",
     INTO(scenario.path)},
    {"paper", NULL, "show the paper's published values beside those of the capture", INTO(paper)},
    {"compare", NULL, "compare two reports of --json: what differs, and what may be chance",
     INTO(compare)},
    {"mobiles", "PREFIX",
     "addresses of users; may be repeated; without it, the user is the end that opens a connection",
     .take = take_mobiles},
    {"filter", "EXPRESSION",
     "read only packets that it takes, as with tcpdump: \"host 10.0.0.1 and port 80\"",
     INTO(filter)},
    {"interface", "NAME",
     "capture at this interface now, until Ctrl-C, instead of reading files; any: at all of them",
     INTO(interface)},
    {"users", "WHAT",
     "how users are told apart: by address, or by the TEID of their tunnels (address)",
     .take = take_users, .value = users_name},
    {"names", "A,B", "what the sides of users and of hosts are called in texts (GPRS,Internet)",
     .take = take_names},
    {"zone", "+HH:MM", "local time of the network, for peak and off-peak hours (UTC)",
     .take = take_zone},
    {"idle", "SECONDS",
     "a flow that is silent for this long has ended (3600; at most 4000, as times within a flow "
     "are kept modulo 71 minutes)",
     INTO(idle_s), 10, 4000},
    {"flows", "N", "most flows at once; beyond that the oldest are written out (1000000)",
     INTO(flows_most), 1, 100000000},
    {"take-bad-checksums", NULL,
     "also use packets with wrong checksums of IPv4 or TCP from the beginning, and not only when "
     "the other ends acknowledge such",
     INTO(take_bad_checksums)},
    {"columns", NULL, "print what each column of a flow means, and exit", INTO(columns)}};

const struct cli cli_of_gi = {
    .name = "gi",
    .words = "FILE... | --interface NAME",
    .about = "measure TCP in captures at Gi or Gn: set-up, delay, loss, rate",
    .more = "FILE is pcap or pcapng, plain or compressed by gzip or zstd; - is standard input.\n"
            "Several files are one capture: their packets are read by time, whatever their order.\n"
            "Packets of users in GTP-U are extracted. Without any TCP the exit status is 1.\n"
            "lab/captures/gi/README.md has the definitions.\n"
            "To compare two networks, or one before and after a change:\n"
            "  sluice gi before.pcap --json a.json; sluice gi after.pcap --json b.json\n"
            "  sluice gi --compare a.json b.json --page both.html",
    .options = gi_options,
    .count = sizeof gi_options / sizeof gi_options[0]};

// ---- Where the flows go ----

struct outputs {
    FILE *csv, *json_file, *page, *series;
    struct json json;
    struct gi_sheets *sheets;
    struct gi_tops *tops;
    struct gi_sides sides;
    const struct gi_sequence *sequence;
    struct gi_history history; // for the JSON and the page
    uint64_t flows;
    bool paper;
};

static void take_flow(void *self, const struct gi_result *result)
{
    struct outputs *out = self;
    out->flows++;
    gi_sheets_count(out->sheets, result);
    gi_tops_count(out->tops, result);
    if (out->csv)
        table_csv_row(&gi_list_flows, NULL, result, out->csv);
    if (out->json_file)
        table_json_row(&gi_list_flows, NULL, result, &out->json);
}

// Whoever follows a live capture sees it at once.
static void take_moment(void *self, const struct gi_moment *moment)
{
    struct outputs *out = self;
    gi_history_take(&out->history, moment);
    if (!out->series)
        return;
    table_csv_row(&gi_list_series, NULL, moment, out->series);
    fflush(out->series);
}

static FILE *open_output(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    if (!file)
        fprintf(stderr, "sluice gi: %s: %s\n", path, strerror(errno));
    return file;
}

static bool open_outputs(struct outputs *out, const struct gi_options *options)
{
    if (options->csv && !(out->csv = open_output(options->csv)))
        return false;
    if (options->json && !(out->json_file = open_output(options->json)))
        return false;
    if (options->page && !(out->page = open_output(options->page)))
        return false;
    if (options->series && !(out->series = open_output(options->series)))
        return false;
    out->sheets = gi_sheets_create();
    out->tops = gi_tops_create(options->top);
    if (out->series)
        table_csv_head(&gi_list_series, out->series);
    if (out->csv)
        table_csv_head(&gi_list_flows, out->csv);
    if (out->json_file) {
        json_begin(&out->json, out->json_file);
        json_object(&out->json);
        json_put_array(&out->json, "flows");
    }
    return true;
}

static bool close_output(FILE *file, const char *path)
{
    bool wrong = file && (fflush(file) != 0 || ferror(file));
    if (wrong)
        fprintf(stderr, "sluice gi: %s: %s\n", path, strerror(errno));
    if (file && file != stdout)
        fclose(file);
    return !wrong;
}

// ---- The report ----

static void print_footer(const struct gi *gi, const struct gi_files *files, FILE *out)
{
    const struct gi_counts *counts = gi_counts_of(gi);
    struct gi_memory memory = gi_memory_of(gi);
    char name[GI_FILES_NAME_OCTETS];
    fprintf(out, "\n%" PRIu64 " frames, of which:\n", counts->frames);
    for (int i = 0; i < GI_COUNTS; i++)
        if (counts->n[i] || i == GI_COUNT_segments)
            fprintf(out, "%12" PRIu64 "  %s\n", counts->n[i], gi_count_texts[i].help);
    for (int i = CAPTURE_cut; i < CAPTURE_udp_malformed; i++)
        if (counts->capture[i])
            fprintf(out, "%12" PRIu64 "  %s\n", counts->capture[i], capture_count_helps[i]);
    for (uint32_t i = 0; i < files->n; i++)
        if (files->part[i].fault[0])
            fprintf(out, "%s ends after %" PRIu64 " frames: %s\n",
                    gi_files_name(&files->part[i], name), files->part[i].packets,
                    files->part[i].fault);
    fprintf(out, "at most %" PRIu64 " flows at once, %" PRIu64 " octets of memory (%u a flow)\n",
            memory.flows_most, memory.octets_most, memory.octets_a_flow);
}

static void print_all(const struct outputs *out, const struct gi *gi, const struct gi_files *files)
{
    printf("%" PRIu64 " flows\n", out->flows);
    gi_sheets_print(out->sheets, &out->sides, stdout);
    if (out->paper)
        gi_paper_print(out->sheets, stdout);
    gi_tops_print(out->tops, stdout);
    print_footer(gi, files, stdout);
}

static void put_files(struct json *json, const struct gi_files *files)
{
    json_put_array(json, "files");
    for (uint32_t i = 0; i < files->n; i++) {
        const struct capture_part *part = &files->part[i];
        json_object(json);
        json_put_text(json, "file", part->path);
        json_put(json, "frames", part->packets);
        json_key(json, "fault");
        if (part->fault[0])
            json_text(json, part->fault);
        else
            json_null(json);
        json_close(json);
    }
    json_close(json);
}

static void put_counts(struct json *json, const struct gi *gi)
{
    const struct gi_counts *counts = gi_counts_of(gi);
    struct gi_memory memory = gi_memory_of(gi);
    json_put_object(json, "counts");
    json_put(json, "frames", counts->frames);
    for (int i = 0; i < GI_COUNTS; i++)
        json_put(json, gi_count_texts[i].name, counts->n[i]);
    json_close(json);
    json_put_object(json, "packets");
    for (int i = CAPTURE_cut; i < CAPTURE_udp_malformed; i++)
        json_put(json, capture_count_names[i], counts->capture[i]);
    json_close(json);
    json_put_object(json, "memory");
    json_put(json, "flows_most", memory.flows_most);
    json_put(json, "users_most", memory.users_most);
    json_put(json, "octets_most", memory.octets_most);
    json_put(json, "octets_a_flow", memory.octets_a_flow);
    json_close(json);
}

static void put_texts(struct json *json, const struct gi_sides *sides)
{
    json_put_object(json, "texts");
    json_put_object(json, "tables");
    gi_sheets_put_titles(sides, json);
    json_close(json);
    json_put_object(json, "counts");
    for (int i = 0; i < GI_COUNTS; i++)
        json_put_text(json, gi_count_texts[i].name, gi_count_texts[i].help);
    json_close(json);
    json_put_object(json, "packets");
    for (int i = CAPTURE_cut; i < CAPTURE_udp_malformed; i++)
        json_put_text(json, capture_count_names[i], capture_count_helps[i]);
    json_close(json);
    json_close(json);
}

// All but the flows, into the open object.
static void put_report(struct json *json, const struct outputs *out, const struct gi *gi,
                       const struct gi_files *files)
{
    json_put_text(json, "version", sluice_version);
    json_put_object(json, "sides");
    json_put_text(json, "user", out->sides.user);
    json_put_text(json, "host", out->sides.host);
    json_close(json);
    json_put_object(json, "tables");
    gi_sheets_put(out->sheets, json);
    json_close(json);
    json_put_object(json, "histograms");
    gi_sheets_put_bins(out->sheets, json);
    json_close(json);
    if (out->paper)
        table_json(&gi_list_paper, out->sheets, json);
    gi_history_put(&out->history, json);
    gi_tops_put_flows(out->tops, json);
    if (out->sequence)
        gi_sequence_put(out->sequence, json);
    table_json(&gi_list_top_users, out->tops, json);
    table_json(&gi_list_top_hosts, out->tops, json);
    put_texts(json, &out->sides);
    put_counts(json, gi);
    put_files(json, files);
    json_close(json);
    json_end(json);
}

// The page is made of the JSON, so it says the same.
static void put_page(const struct outputs *out, const struct gi *gi, const struct gi_files *files)
{
    struct json json;
    char *text = NULL;
    size_t octets;
    FILE *memory = open_memstream(&text, &octets);
    if (!memory)
        abort();
    json_begin(&json, memory);
    json_object(&json);
    put_report(&json, out, gi, files);
    fclose(memory);
    struct json_object *report = value_parse_object(text);
    gi_page(out->page, report);
    value_free(report);
    free(text);
}

static int run(const struct gi_options *options, struct capture_filter *filter,
               struct gi_files *files)
{
    struct outputs out = {
        .paper = options->paper, .sides = options->sides, .sequence = options->sequence};
    struct gi_config config = options->config;
    if (!gi_files_open(files))
        return EXIT_RUN_FAILED;
    if (!open_outputs(&out, options) ||
        (options->losses && !(config.losses = open_output(options->losses)))) {
        gi_files_close(files);
        return EXIT_RUN_FAILED;
    }
    uint64_t interval_s = out.series ? options->interval_s : out.json_file || out.page ? 1 : 0;
    config.interval_ns = interval_s * S_IN_NS;
    gi_history_begin(&out.history, config.interval_ns);
    config.moment = take_moment;
    config.sequence = options->sequence;
    config.vectors = options->scenario.path ? gi_vectors_create() : NULL;
    struct gi *gi = gi_create(&config, take_flow, &out);
    bool live = options->interface;
    bool good = gi_files_read(gi, files, filter);
    gi_files_close(files);
    good = good && (live || !signals_ended);
    gi_finish(gi);
    gi_tops_finish(out.tops);
    if (out.json_file) {
        json_close(&out.json); // the flows
        put_report(&out.json, &out, gi, files);
    }
    if (out.page)
        put_page(&out, gi, files);
    if (out.csv != stdout && out.json_file != stdout && out.page != stdout && out.series != stdout)
        print_all(&out, gi, files);
    const char *wrong = gi_wrong(gi);
    if (wrong)
        fprintf(stderr, "sluice gi: internal error: the counts of %s do not add up\n", wrong);
    bool nothing = good && gi_nothing(gi_counts_of(gi));
    good = close_output(out.csv, options->csv) && good && !nothing && !wrong;
    good = close_output(out.json_file, options->json) && good;
    good = close_output(out.page, options->page) && good;
    good = close_output(config.losses, options->losses) && good;
    good = close_output(out.series, options->series) && good;
    if (config.vectors && good) {
        gi_vectors_finish(config.vectors);
        good = gi_scenario_write(&options->scenario, config.vectors, gi_counts_of(gi));
    }
    gi_sheets_destroy(out.sheets);
    gi_tops_destroy(out.tops);
    gi_destroy(gi);
    gi_vectors_destroy(config.vectors);
    return good ? EXIT_DONE : EXIT_RUN_FAILED;
}

// What concerns captures.
static bool has_other_words(const struct gi_options *options)
{
    const struct gi_config *config = &options->config;
    return options->csv || options->losses || options->series || options->paper ||
           options->scenario.path || options->filter || options->interface ||
           options->take_bad_checksums || config->mobiles || config->users_by_tunnel ||
           config->zone_s;
}

static int compare(const struct gi_options *options, int count, char **paths)
{
    if (count != 2 || has_other_words(options)) {
        fprintf(stderr, "sluice gi: --compare needs two reports that --json wrote, and goes with "
                        "--json and --page alone\n");
        return EXIT_USAGE;
    }
    return gi_compare(paths[0], paths[1], options->json, options->page);
}

// - is standard output.
static bool overwrites_any(const struct gi_options *options, char *const *inputs, int n)
{
    const char *const outputs[] = {options->csv,  options->losses, options->json,
                                   options->page, options->series, options->scenario.path};
    const int count = sizeof outputs / sizeof outputs[0];
    for (int i = 0; i < count; i++)
        if (outputs[i] && strcmp(outputs[i], "-") != 0 && overwrites("gi", outputs[i], inputs, n))
            return true;
    return overwrites_itself("gi", outputs, count);
}

void columns_gi_losses(FILE *out)
{
    table_describe(&gi_list_losses, out);
}

void columns_gi_series(FILE *out)
{
    table_describe(&gi_list_series, out);
}

static bool begin_live(struct gi_files *files)
{
    char error[CAPTURE_TEXT], name[GI_FILES_NAME_OCTETS];
    files->live = capture_live_open(files->part[0].path, &signals_ended, error);
    gi_files_name(&files->part[0], name);
    if (files->live)
        fprintf(stderr, "sluice gi: captures at %s until Ctrl-C\n", name);
    else
        fprintf(stderr, "sluice gi: %s: %s\n", name, error);
    return files->live;
}

int command_gi(int argc, char **argv)
{
    struct gi_options options = {.sides = gi_sides_of_paper,
                                 .interval_s = 10,
                                 .top = 10,
                                 .idle_s = 3600,
                                 .flows_most = 1000000};
    int first;
    enum cli_end end = cli_parse(&cli_of_gi, argc, argv, &options, &first);
    if (end != CLI_GO)
        return cli_status(end);
    if (options.columns) {
        table_describe(&gi_list_flows, stdout);
        return EXIT_DONE;
    }
    const char *fault = options.scenario.path ? scenario_fault(options.scenario.path) : NULL;
    if (fault) {
        cli_refuse("gi", "scenario", options.scenario.path, fault);
        return EXIT_USAGE;
    }
    if (overwrites_any(&options, argv + first, argc - first))
        return EXIT_USAGE;
    if (options.compare)
        return compare(&options, argc - first, argv + first);
    if ((first == argc) != (options.interface != NULL)) {
        fprintf(stderr, "sluice gi: one capture at least needed, or --interface without any\n");
        return EXIT_USAGE;
    }
    struct gi_files files = {.n = options.interface ? 1 : (uint32_t)(argc - first)};
    files.part = calloc(files.n, sizeof *files.part);
    if (!files.part)
        abort();
    for (uint32_t i = 0; i < files.n; i++)
        files.part[i].path = options.interface ? options.interface : argv[first + (int)i];
    options.scenario.command = "gi";
    options.scenario.inputs = argv + first;
    options.scenario.inputs_count = argc - first;
    options.config.idle_s = options.idle_s;
    options.config.flows_most = options.flows_most;
    options.config.take_bad_checksums = options.take_bad_checksums;
    struct capture_filter *filter = NULL;
    char error[CAPTURE_TEXT];
    if (options.filter && !(filter = capture_filter_create(options.filter, error))) {
        fprintf(stderr, "sluice gi: %s\n", error);
        free(files.part);
        return EXIT_USAGE;
    }
    signals_begin();
    signals_take_ends();
    int status = EXIT_RUN_FAILED;
    if (!options.interface || begin_live(&files))
        status = run(&options, filter, &files);
    capture_filter_destroy(filter);
    free(files.part);
    return status;
}
