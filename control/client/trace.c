// See trace.h. `on` and `off` are commands of the telemetry socket, which the control plane does
// not see; without either, all records are read and put together, packet by packet, as text or as
// JSON. Exit status as of sluice ctl; 1 also if nothing has been traced.
#include "control/client/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "control/cli/cli.h"
#include "control/cli/commands.h"
#include "control/client/session.h"
#include "control/client/table.h"
#include "control/client/value.h"

#define PACKETS      16u  // traced unless told otherwise
#define PACKETS_MAX  256u // TRACE_PACKETS_MAX; the instance refuses more
#define RECORDS_MOST 100000u
#define MS_PART_NS   1000000u

struct options {
    const char *run, *ms, *cell;
    uint32_t packets;
    bool json;
};

static const struct cli_option trace_options[] = {
    CLI_RUN,
    {"ms", "IMSI", "on: only packets of this MS", .at = offsetof(struct options, ms)},
    {"cell", "NSEI-BVCI", "on: only packets of this cell", .at = offsetof(struct options, cell)},
    {"packets", "N", "on: so many packets, up and down together; 1 to 256, else 16",
     .at = offsetof(struct options, packets), .least = 1, .most = PACKETS_MAX},
    {"json", NULL, "show: as JSON", .at = offsetof(struct options, json)},
};
static const struct cli cli_of_trace = {.name = "ctl trace",
                                        .words = "[on | off]",
                                        .about = "every stage of a few packets' way",
                                        .more = "on begins a trace, which ends by itself; off ends "
                                                "it before; without a word: shows it.",
                                        .options = trace_options,
                                        .count = sizeof trace_options / sizeof trace_options[0]};

// ---- A stage as text ----

#define STAGE_OCTETS 256

static int put(char text[STAGE_OCTETS], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static int put(char text[STAGE_OCTETS], const char *format, ...)
{
    size_t n = strlen(text);
    va_list values;
    va_start(values, format);
    int written = vsnprintf(text + n, STAGE_OCTETS - n, format, values);
    va_end(values);
    return written;
}

static uint64_t number(const struct json_object *stage, const char *name)
{
    return value_number(stage, name);
}

static void put_received(const struct json_object *s, char text[STAGE_OCTETS])
{
    put(text, "from Gn, %" PRIu64 " octets for TEID %08" PRIx64 ", NSAPI %" PRIu64 "%s",
        number(s, "octets"), number(s, "teid"), number(s, "nsapi"),
        number(s, "ect") ? ", ECN-capable" : "");
}

static void put_verdict(const struct json_object *s, char text[STAGE_OCTETS])
{
    char aqm[24], verdict[24];
    put(text, "%s: %s", value_text(s, "aqm", aqm, sizeof aqm),
        value_text(s, "verdict", verdict, sizeof verdict));
}

static void put_enqueue(const struct json_object *s, char text[STAGE_OCTETS])
{
    put_verdict(s, text);
    put(text, "; ahead of it %" PRIu64 " N-PDUs, %" PRIu64 " octets", number(s, "ahead_npdus"),
        number(s, "ahead_octets"));
    if (value_has(s, "flow"))
        put(text, ", in queue %" PRIu64 " by flow", number(s, "flow"));
}

// `next`: the stage behind it, or NULL.
static void put_held(const struct json_object *s, const struct json_object *next,
                     char text[STAGE_OCTETS])
{
    char what[80], time[TABLE_CELL_OCTETS];
    put(text, "%s by %s",
        next ? table_time(number(next, "time_ns") - number(s, "time_ns"), time) : "so far",
        value_text(s, "what", what, sizeof what));
    if (!value_has(s, "bucket_octets"))
        return;
    put(text, ": B %" PRIu64 " of %" PRIu64 " octets, R %" PRIu64 " bit/s, next %" PRIu64 " octets",
        number(s, "level_octets"), number(s, "bucket_octets"), number(s, "rate_bit_per_s"),
        number(s, "octets"));
}

static void put_segment(const struct json_object *s, char text[STAGE_OCTETS])
{
    char time[TABLE_CELL_OCTETS];
    uint64_t offset = number(s, "offset");
    put(text,
        "%" PRIu64 ": octets %" PRIu64 " to %" PRIu64 ", LLC PDU of %" PRIu64 ", SAPI %" PRIu64
        ", N(U) %" PRIu64 ", lifetime %s%s",
        number(s, "segment"), offset, offset + number(s, "octets") - 1, number(s, "llc_octets"),
        number(s, "sapi"), number(s, "nu"),
        value_has(s, "lifetime_ms") ? table_time(number(s, "lifetime_ms") * MS_PART_NS, time)
                                    : "endless",
        number(s, "ce") ? ", marked CE" : "");
}

static void put_frame(const struct json_object *s, char text[STAGE_OCTETS])
{
    put(text,
        "from Gb, LLC PDU of %" PRIu64 ", SAPI %" PRIu64 ", N(U) %" PRIu64 "%s, cell %" PRIu64
        "-%" PRIu64 ", NS-VC %" PRIu64,
        number(s, "llc_octets"), number(s, "sapi"), number(s, "nu"),
        number(s, "enciphered") ? ", enciphered" : "", number(s, "nsei"), number(s, "bvci"),
        number(s, "nsvci"));
}

static void put_sndcp(const struct json_object *s, char text[STAGE_OCTETS])
{
    put(text, "segment %" PRIu64 " of N-PDU %" PRIu64 ", NSAPI %" PRIu64 ": %" PRIu64 " octets, %s",
        number(s, "segment"), number(s, "npdu_number"), number(s, "nsapi"), number(s, "octets"),
        number(s, "more") ? "more follow" : "the last");
}

static void put_dropped(const struct json_object *s, char text[STAGE_OCTETS])
{
    char reason[32], what[128];
    put(text, "%s: %s", value_text(s, "reason", reason, sizeof reason),
        value_text(s, "what", what, sizeof what));
}

static void put_stage(const struct json_object *s, const struct json_object *next,
                      char text[STAGE_OCTETS])
{
    char stage[16], time[TABLE_CELL_OCTETS];
    value_text(s, "stage", stage, sizeof stage);
    *text = '\0';
    if (strcmp(stage, "received") == 0)
        put_received(s, text);
    else if (strcmp(stage, "enqueue") == 0)
        put_enqueue(s, text);
    else if (strcmp(stage, "held") == 0)
        put_held(s, next, text);
    else if (strcmp(stage, "dequeue") == 0) {
        put_verdict(s, text);
        put(text, ", %s after it came", table_time(number(s, "sojourn_ns"), time));
    } else if (strcmp(stage, "segment") == 0)
        put_segment(s, text);
    else if (strcmp(stage, "frame") == 0)
        put_frame(s, text);
    else if (strcmp(stage, "llc") == 0)
        put(text, "FCS is good%s", number(s, "enciphered") ? ", deciphered" : "");
    else if (strcmp(stage, "sndcp") == 0)
        put_sndcp(s, text);
    else if (strcmp(stage, "sent") == 0)
        put(text, "%" PRIu64 " octets: the port has all of it", number(s, "octets"));
    else if (strcmp(stage, "dropped") == 0)
        put_dropped(s, text);
    else if (strcmp(stage, "moved") == 0)
        put(text, "with its MS to another worker");
}

// ---- The records by packet ----

// Every packet is an object with `stages`, its records in order, each with its time since the one
// before.
static struct json_object *packets_of(const struct json_object *records)
{
    static struct json_object *of[PACKETS_MAX + 1];
    static uint64_t before_ns[PACKETS_MAX + 1];
    struct json_object *packets = value_list();
    memset(of, 0, sizeof of);
    for (size_t i = 0; i < value_count(records); i++) {
        struct json_object *record = value_at(records, i);
        uint64_t n = number(record, "packet"), time_ns = number(record, "time_ns");
        char stage[16];
        value_text(record, "stage", stage, sizeof stage);
        if (n == 0 || n > PACKETS_MAX)
            continue;
        if (!of[n]) {
            bool up = strcmp(stage, "frame") == 0;
            of[n] = value_new();
            before_ns[n] = time_ns;
            value_set_number(of[n], "packet", n);
            value_set_text(of[n], "way", up ? "up" : "down");
            value_set(of[n], "stages", value_list());
            value_add(packets, of[n]);
            value_free(of[n]);
        }
        value_set_number(record, "since_ns", time_ns - before_ns[n]);
        before_ns[n] = time_ns;
        value_add(value_in(of[n], "stages"), record);
        if (number(record, "end"))
            value_set_text(of[n], "ended", stage);
    }
    return packets;
}

static void print_head(const struct json_object *packet, const struct json_object *first)
{
    char imsi[17], class[32], way[8];
    printf("\nN-PDU %" PRIu64 ", %s: MS %s, cell %" PRIu64 "-%" PRIu64, number(packet, "packet"),
           value_text(packet, "way", way, sizeof way), value_text(first, "imsi", imsi, sizeof imsi),
           number(first, "nsei"), number(first, "bvci"));
    if (*value_text(first, "class", class, sizeof class))
        printf(", %s (packet flow %" PRIu64 ")", class, number(first, "slot"));
    printf("\n  %14s  %12s  stage\n", "time s", "+ ms");
}

static void print_packet(const struct json_object *packet)
{
    const struct json_object *stages = value_in(packet, "stages");
    print_head(packet, value_at(stages, 0));
    for (size_t i = 0; i < value_count(stages); i++) {
        const struct json_object *s = value_at(stages, i);
        const struct json_object *next =
            i + 1 < value_count(stages) ? value_at(stages, i + 1) : NULL;
        uint64_t time_ns = number(s, "time_ns"), since_ns = number(s, "since_ns");
        char stage[16], text[STAGE_OCTETS];
        put_stage(s, next, text);
        printf("  %4" PRIu64 ".%09" PRIu64 "  %5" PRIu64 ".%06" PRIu64 "  %-8s  %s\n",
               time_ns / 1000000000, time_ns % 1000000000, since_ns / MS_PART_NS,
               since_ns % MS_PART_NS, value_text(s, "stage", stage, sizeof stage), text);
    }
}

static void print_all(const struct json_object *state, const struct json_object *packets)
{
    char imsi[17], cell[32] = "";
    if (value_has(state, "bvci"))
        snprintf(cell, sizeof cell, " of cell %" PRIu64 "-%" PRIu64, number(state, "nsei"),
                 number(state, "bvci"));
    value_text(state, "imsi", imsi, sizeof imsi);
    printf("%s: %" PRIu64 " of %" PRIu64 " packets%s%s%s traced, %" PRIu64
           " still on their way; %" PRIu64 " records lost\n",
           number(state, "on") ? "tracing" : "ended", number(state, "packets"),
           number(state, "wanted"), *imsi ? " of MS " : "", imsi, cell, number(state, "going"),
           number(state, "lost"));
    for (size_t i = 0; i < value_count(packets); i++)
        print_packet(value_at(packets, i));
}

// ---- The commands ----

static int failed(const struct session *session, const struct options *o)
{
    const char *option = o->ms ? "--ms " : o->cell ? "--cell " : "";
    const char *what = o->ms ? o->ms : o->cell ? o->cell : "";
    fprintf(stderr, "sluice ctl trace: %s: %s%s%s%s%s\n", session->name, option, what,
            *what ? ": " : "", session->why,
            strstr(session->why, "no such") ? "; sluice stats --mss lists cells and MSs" : "");
    return EXIT_RUN_FAILED;
}

static int show(struct session *session, const struct options *o)
{
    struct json_object *state = session_ask(session, "/sluice/trace", SESSION_ASK_MS);
    struct json_object *records =
        state ? session_rows(session, "/sluice/trace_records", "", "", RECORDS_MOST) : NULL;
    int status = EXIT_DONE;
    if (!records) {
        status = failed(session, o);
    } else if (number(state, "wanted") == 0) {
        fprintf(stderr,
                "sluice ctl trace: %s: nothing has been traced; begin with: sluice ctl "
                "trace on\n",
                session->name);
        status = EXIT_RUN_FAILED;
    } else {
        struct json_object *packets = packets_of(records);
        if (o->json) {
            value_set(state, "traced", packets);
            value_print(state, stdout);
        } else {
            print_all(state, packets);
            value_free(packets);
        }
    }
    value_free(records);
    value_free(state);
    return status;
}

static int on(struct session *session, const struct options *o, const char *cell)
{
    char line[96];
    snprintf(line, sizeof line, "/sluice/trace_on,%" PRIu32 "%s%s%s%s",
             o->packets ? o->packets : PACKETS, o->ms ? ",ms," : "", o->ms ? o->ms : "",
             o->cell ? ",cell," : "", cell);
    struct json_object *answer = session_ask(session, line, SESSION_ASK_MS);
    if (!answer)
        return failed(session, o);
    printf("traces the next %" PRIu64 " packets; see them with: sluice ctl trace\n",
           number(answer, "packets"));
    value_free(answer);
    return EXIT_DONE;
}

static int off(struct session *session, const struct options *o)
{
    struct json_object *answer = session_ask(session, "/sluice/trace_off", SESSION_ASK_MS);
    if (!answer)
        return failed(session, o);
    printf("off\n");
    value_free(answer);
    return EXIT_DONE;
}

// True if the words and the options go together.
static bool check(const struct options *o, const char *word, int words, char *cell)
{
    bool for_on = o->ms || o->cell || o->packets;
    bool is_on = strcmp(word, "on") == 0, is_off = strcmp(word, "off") == 0;
    if (words > 1 || (*word && !is_on && !is_off))
        fprintf(stderr, "sluice ctl trace: found '%s', allowed on, off or nothing\n", word);
    else if (o->ms &&
             (strlen(o->ms) > 15 || strspn(o->ms, "0123456789") != strlen(o->ms) || !*o->ms))
        cli_refuse("ctl trace", "ms", o->ms, "an IMSI, 1 to 15 digits");
    else if (o->cell && !session_cell(o->cell, cell))
        cli_refuse("ctl trace", "cell", o->cell, "NSEI-BVCI, such as 101-2");
    else if (o->ms && o->cell)
        fprintf(stderr, "sluice ctl trace: found --ms and --cell, allowed one of them\n");
    else if (for_on && !is_on)
        fprintf(stderr, "sluice ctl trace: --ms, --cell and --packets are for: trace on\n");
    else if (o->json && *word)
        fprintf(stderr, "sluice ctl trace: --json is for: trace, without a word behind it\n");
    else
        return true;
    return false;
}

int trace_command(int argc, char **argv, const char *run)
{
    struct options o = {.run = run};
    struct session session;
    char cell[SESSION_CELL_OCTETS] = "";
    int first;
    enum cli_end end = cli_parse(&cli_of_trace, argc, argv, &o, &first);
    if (end != CLI_GO)
        return cli_status(end);
    const char *word = first < argc ? argv[first] : "";
    if (!check(&o, word, argc - first, cell) || !session_open(&session, o.run, stderr))
        return EXIT_USAGE;
    int status = !*word                    ? show(&session, &o)
                 : strcmp(word, "on") == 0 ? on(&session, &o, cell)
                                           : off(&session, &o);
    session_close(&session);
    return status;
}
