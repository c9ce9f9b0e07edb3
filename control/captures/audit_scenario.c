// See audit_scenario.h. All in the files are numbers of this program, NSEIs, BVCIs, and the name
// that the user gave: nothing of a packet but its size and time reaches them.
#include "control/captures/audit_scenario.h"

#include <inttypes.h>
#include <stdlib.h>

#include "dataplane/base/units.h"

#define BEGIN_S      5 // until all cells are up
#define EMPTY_S      60
#define OCTETS_LEAST 32 // of a packet of the lab
#define OCTETS_MOST  1500
#define PLACES_MOST  10000 // moves in a configuration

// ---- Files ----

static uint32_t octets_of(uint32_t octets)
{
    octets = octets < OCTETS_LEAST ? OCTETS_LEAST : octets;
    return octets > OCTETS_MOST ? OCTETS_MOST : octets;
}

static bool write_packets(const struct scenario *scenario, const struct audit_traffic *traffic)
{
    struct scenario_file file;
    if (!scenario_open(scenario, ".csv", &file))
        return false;
    fputs("flow,time_ns,octets\n", file.out);
    for (uint32_t i = 0; i < traffic->packets; i++) {
        const struct audit_traffic_packet *packet = &traffic->packet[i];
        fprintf(file.out, "%u,%" PRIu64 ",%u\n", packet->stream, packet->time_ns,
                octets_of(packet->octets));
    }
    return scenario_close(scenario, &file);
}

// Without an IMSI the cell's, with its MSs' defaults.
static void put_value_row(FILE *out, const struct audit_traffic_value *value)
{
    fprintf(out, "%" PRIu64 ",", value->time_ns + (uint64_t)(BEGIN_S * S_IN_NS));
    if (value->user)
        fprintf(out, "00%" PRIu64, 1010000000000 + (uint64_t)value->user);
    fprintf(out, ",%" PRIu64 ",%" PRIu64, value->bmax_octets, value->r_bit_per_s);
    if (value->user)
        fputs(",,\n", out);
    else
        fprintf(out, ",%" PRIu64 ",%" PRIu64 "\n", value->ms_bmax_octets, value->ms_r_bit_per_s);
}

// The cell's first values hold from the beginning on, so that no packet comes before them.
static bool write_cell(const struct scenario *scenario, const struct audit_traffic *traffic,
                       uint32_t cell, const struct audit_traffic_value *first)
{
    struct scenario_file file;
    struct audit_traffic_value begin = *first;
    char end[32];
    snprintf(end, sizeof end, ".flow-%u.csv", cell);
    if (!scenario_open(scenario, end, &file))
        return false;
    fputs("time_ns,imsi,bmax_octets,rate_bit_per_s,ms_bmax_octets,ms_rate_bit_per_s\n", file.out);
    fprintf(file.out, "0,,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", begin.bmax_octets,
            begin.r_bit_per_s, begin.ms_bmax_octets, begin.ms_r_bit_per_s);
    for (uint32_t i = 0; i < traffic->values; i++)
        if (traffic->value[i].cell == cell)
            put_value_row(file.out, &traffic->value[i]);
    return scenario_close(scenario, &file);
}

// first: by cell; NULL: its values are not known.
static bool write_cells(const struct scenario *scenario, const struct audit_traffic *traffic,
                        const struct audit_traffic_value *const *first)
{
    for (uint32_t cell = 1; cell <= traffic->cells; cell++)
        if (first[cell] && !write_cell(scenario, traffic, cell, first[cell]))
            return false;
    return true;
}

// ---- The configuration ----

static double seconds(uint64_t ns)
{
    return (double)ns / (double)S_IN_NS;
}

static void put_left_out(FILE *out, const struct audit_traffic *traffic)
{
    const struct {
        uint64_t n;
        const char *text;
    } rows[] = {
        {traffic->for_nobody, "packets at Gn to addresses that no N-PDU on Gb has"},
        {traffic->copies, "packets that were captured once more"},
        {traffic->enciphered, "enciphered LLC PDUs, of which nobody sees whose they are"},
        {traffic->compressed, "N-PDUs with compressed headers, likewise"},
        {traffic->of_packet_flows, "values of packet flows: their buckets are not followed"},
        {traffic->beyond, "packets, users, moves and FLOW-CONTROLs beyond the most that are kept"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].n)
            fprintf(out, "-- Not in here: %" PRIu64 " %s.\n", rows[i].n, rows[i].text);
    if (traffic->waits)
        fprintf(out,
                "-- In the capture %" PRIu64
                " packets of Gn were seen again on Gb: after %.3f s in "
                "the mean, half of them after %.3f s, 95 %% after %.3f s.\n",
                traffic->waits, seconds(traffic->wait_mean_ns), seconds(traffic->wait_half_ns),
                seconds(traffic->wait_most_ns));
}

static void put_cells(FILE *out, const struct audit_traffic *traffic,
                      const struct audit_traffic_value *const *first)
{
    for (uint32_t i = 0; i < traffic->cells; i++) {
        const struct audit_traffic_cell *cell = &traffic->cell[i];
        fprintf(out, "\n    { %u, %u, %u, %s },", cell->nse, cell->bvci, cell->nsei,
                first[i + 1] ? "true" : "false");
    }
}

static void put_first(FILE *out, const struct audit_traffic *traffic, const uint32_t *cell)
{
    for (uint32_t user = 1; user <= traffic->users; user++)
        fprintf(out, "%s%u,", user % 16 == 1 ? "\n    " : " ",
                cell[user] ? cell[user] : 1); // 0: beyond the most that are kept
}

static void put_changes(FILE *out, const struct audit_traffic *traffic)
{
    uint32_t *at = calloc(traffic->users + 1, sizeof *at), changes = 0;
    for (uint32_t i = 0; at && i < traffic->places && changes < PLACES_MOST; i++) {
        const struct audit_traffic_place *place = &traffic->place[i];
        if (at[place->user]) {
            fprintf(out, "\n    { %u, %.6f, %u },", place->user,
                    (double)place->time_ns / (double)MS_IN_NS, place->cell);
            changes++;
        }
        at[place->user] = place->cell;
    }
    free(at);
}

static void put_flows(FILE *out, const struct audit_traffic *traffic)
{
    for (uint32_t i = 0; i < traffic->streams; i++)
        fprintf(out, "%s{ %u, %d },", i % 8 == 0 ? "\n    " : " ", traffic->stream[i].user,
                traffic->stream[i].ect);
}

enum { LEFT_OUT, CELLS, FIRST, CHANGES, FLOWS, TEXTS };

static void put_all(FILE *out, const char *stem, char *const text[TEXTS], uint32_t users,
                    uint64_t lasts_s)
{
    const struct scenario_value values[] = {{"stem", stem, 0},
                                            {"left_out", text[LEFT_OUT], 0},
                                            {"cells", text[CELLS], 0},
                                            {"first", text[FIRST], 0},
                                            {"changes", text[CHANGES], 0},
                                            {"flows", text[FLOWS], 0},
                                            {"users", NULL, users},
                                            {"begin_s", NULL, BEGIN_S},
                                            {"end_s", NULL, BEGIN_S + lasts_s + EMPTY_S}};
    scenario_put(out, audit_scenario_template, values);
}

static bool write_configuration(const struct scenario *scenario,
                                const struct audit_traffic *traffic,
                                const struct audit_traffic_value *const *values,
                                const uint32_t *cells, uint64_t lasts_s)
{
    struct scenario_file file;
    char stem[SCENARIO_NAME_OCTETS + 1], *text[TEXTS];
    FILE *into[TEXTS];
    for (int i = 0; i < TEXTS; i++)
        into[i] = scenario_text(&text[i]);
    put_left_out(into[LEFT_OUT], traffic);
    put_cells(into[CELLS], traffic, values);
    put_first(into[FIRST], traffic, cells);
    put_changes(into[CHANGES], traffic);
    put_flows(into[FLOWS], traffic);
    for (int i = 0; i < TEXTS; i++)
        fclose(into[i]);
    scenario_stem(scenario->path, stem);
    bool good = scenario_open(scenario, ".lua", &file);
    if (good) {
        put_all(file.out, stem, text, traffic->users, lasts_s);
        good = scenario_close(scenario, &file);
    }
    for (int i = 0; i < TEXTS; i++)
        free(text[i]);
    return good;
}

static bool write_all(const struct scenario *scenario, const struct audit_traffic *traffic,
                      uint64_t lasts_ns, const struct audit_traffic_value **values, uint32_t *cells)
{
    for (uint32_t i = traffic->values; i-- > 0;)
        if (!traffic->value[i].user)
            values[traffic->value[i].cell] = &traffic->value[i];
    for (uint32_t i = traffic->places; i-- > 0;)
        cells[traffic->place[i].user] = traffic->place[i].cell;
    return write_packets(scenario, traffic) && write_cells(scenario, traffic, values) &&
           write_configuration(scenario, traffic, values, cells, lasts_ns / S_IN_NS + 1);
}

bool audit_scenario_write(const struct scenario *scenario, const struct audit_traffic *traffic,
                          uint64_t lasts_ns)
{
    if (traffic->steps_back) {
        fprintf(stderr,
                "sluice audit: %s: not written, for the capture's clock steps back %" PRIu64
                " times\n",
                scenario->path, traffic->steps_back);
        return false;
    }
    if (!traffic->packets) {
        fprintf(stderr,
                "sluice audit: %s: not written, for no packet at Gn is for an address that is seen "
                "on Gb\n",
                scenario->path);
        return false;
    }
    const struct audit_traffic_value **values =
        calloc(traffic->cells + 1, sizeof(struct audit_traffic_value *));
    uint32_t *cells = calloc(traffic->users + 1, sizeof *cells);
    bool good = values && cells && write_all(scenario, traffic, lasts_ns, values, cells);
    free(values);
    free(cells);
    return good;
}
