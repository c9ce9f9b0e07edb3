// See population.h.
#include "bench/throughput/population.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/dataplane/sched/traffic.h"
#include "bench/throughput/clock.h"
#include "dataplane/state/teid.h"

#define BUCKET      4000000000u
#define BUCKET_PDUS 4u
#define TRIES       1000000u

struct population_share population_share(const struct bench_options *o, uint32_t worker)
{
    uint32_t per = (o->mss + o->workers - 1) / o->workers;
    uint32_t cells = (per + POPULATION_MSS_A_CELL - 1) / POPULATION_MSS_A_CELL;
    struct population_share share = {
        .first = worker * per, .first_bvc = worker * cells, .bvcs = cells};
    uint32_t left = share.first < o->mss ? o->mss - share.first : 0;
    share.mss = left < per ? left : per;
    return share;
}

void population_key(uint32_t ms, uint8_t key[POPULATION_KEY_OCTETS])
{
    memset(key, 0x5a, POPULATION_KEY_OCTETS);
    memcpy(key, &ms, sizeof ms);
}

// ---- What control would ask for ----

// The command's result; negative, said on stderr, if it was refused.
static int64_t command(const struct population *w, const struct command *c)
{
    int64_t result;
    uint32_t tries = 0;
    do {
        result = dp_command(w->dp, c);
        for (uint32_t i = 0; result == -EAGAIN && i < w->options->workers; i++)
            dp_poll(dp_worker(w->dp, i), bench_clock_ns());
    } while (result == -EAGAIN && ++tries < TRIES);
    if (result < 0)
        fprintf(stderr, "sluice bench: command %u was refused: %s\n", c->op,
                strerror(-(int)result));
    return result;
}

static bool settle(const struct population *w)
{
    for (uint32_t tries = 0; tries < TRIES && !dp_settled(w->dp); tries++)
        for (uint32_t i = 0; i < w->options->workers; i++)
            dp_poll(dp_worker(w->dp, i), bench_clock_ns());
    for (uint32_t i = 0; i < w->options->workers; i++)
        if (dp_stats(dp_worker(w->dp, i))->commands_refused)
            return false;
    return dp_settled(w->dp);
}

static bool add_ggsn(const struct population *w)
{
    struct command c = {.op = COMMAND_ggsn};
    c.ggsn.address = address_of_ipv4(BENCH_GGSN_ADDRESS);
    c.ggsn.has_mac = true;
    c.ggsn.mac = bench_ggsn_mac;
    return command(w, &c) >= 0;
}

static bool add_nse(const struct population *w, uint32_t id)
{
    struct command c = {.op = COMMAND_nse};
    c.nse.nse_id = id;
    c.nse.nsei = (uint16_t)(1 + id);
    if (command(w, &c) < 0)
        return false;
    c = (struct command){.op = COMMAND_nsvc};
    c.nsvc.nsvc_id = c.nsvc.nse_id = id;
    c.nsvc.nsvci = (uint16_t)(1 + id);
    c.nsvc.peer_address = address_of_ipv4(BENCH_BSS_ADDRESS);
    c.nsvc.peer_port = (uint16_t)(BENCH_BSS_PORT + id);
    c.nsvc.has_peer_mac = true;
    c.nsvc.peer_mac = bench_bss_mac;
    c.nsvc.weight = 1;
    return command(w, &c) >= 0;
}

// What backlogged MSs are held back to; on defaults it is the same for all MSs of a cell.
static uint32_t held_rate(const struct population *w, uint32_t ms)
{
    const struct bench_options *o = w->options;
    uint32_t of = o->defaults ? ms / POPULATION_MSS_A_CELL : ms;
    uint32_t bit_per_s =
        o->rate_bit_per_s ? o->rate_bit_per_s : traffic_rate_bit_per_s(traffic_rate_of(of));
    return bit_per_s / BUCKET_RATE_BIT_PER_S;
}

static uint32_t held_octets(const struct population *w)
{
    uint32_t largest = 0;
    const struct frames *down = &w->frames[STATS_GN];
    for (uint32_t i = 0; i < down->sizes; i++)
        if (down->frame[i].packet_octets > largest)
            largest = down->frame[i].packet_octets;
    return (w->options->rate_bit_per_s ? 1 : BUCKET_PDUS) * (largest + POPULATION_PDU_HEADERS);
}

static bool add_cell(const struct population *w, uint32_t nse, uint32_t id, uint32_t place)
{
    struct command c = {.op = COMMAND_bvc};
    c.bvc.bvc_id = id;
    c.bvc.nse_id = nse;
    c.bvc.bvci = (uint16_t)(BENCH_BVCI + place);
    if (command(w, &c) < 0)
        return false;
    c = (struct command){.op = COMMAND_bvc_bucket};
    c.bvc_bucket.bvc_id = id;
    c.bvc_bucket.has_rate_100_bit_per_s = c.bvc_bucket.has_ms_rate_100_bit_per_s = true;
    c.bvc_bucket.rate_100_bit_per_s = c.bvc_bucket.ms_rate_100_bit_per_s = BUCKET_RATE_MAX;
    c.bvc_bucket.bucket_octets = c.bvc_bucket.ms_bucket_octets = BUCKET;
    if (w->options->defaults && place * POPULATION_MSS_A_CELL < w->options->backlogged) {
        c.bvc_bucket.ms_rate_100_bit_per_s = held_rate(w, place * POPULATION_MSS_A_CELL);
        c.bvc_bucket.ms_bucket_octets = held_octets(w);
    }
    return command(w, &c) >= 0;
}

static bool add_key(const struct population *w, uint32_t id)
{
    uint8_t kc[POPULATION_KEY_OCTETS];
    struct command c = {.op = COMMAND_ms_cipher};
    population_key(id, kc);
    c.ms_cipher.ms_id = id;
    c.ms_cipher.gea = w->options->gea;
    c.ms_cipher.key = (struct octets){kc, w->options->gea == 3 ? 8 : POPULATION_KEY_OCTETS};
    return command(w, &c) >= 0;
}

// The MS's bucket limits; its packet flow may send twice as much.
static bool hold_back(struct population *w, uint32_t id, struct command *pfc_bucket)
{
    uint32_t rate = held_rate(w, id);
    struct command c = {.op = COMMAND_ms_bucket};
    c.ms_bucket.ms_id = id;
    c.ms_bucket.has_rate_100_bit_per_s = true;
    c.ms_bucket.rate_100_bit_per_s = rate;
    c.ms_bucket.bucket_octets = held_octets(w);
    pfc_bucket->pfc_bucket.rate_100_bit_per_s = 2 * rate;
    pfc_bucket->pfc_bucket.bucket_octets = 2 * c.ms_bucket.bucket_octets;
    w->bit_per_s += rate * BUCKET_RATE_BIT_PER_S;
    return w->options->defaults || command(w, &c) >= 0;
}

static bool add_pfc(struct population *w, uint32_t id)
{
    struct command c = {.op = COMMAND_pfc};
    c.pfc.ms_id = id;
    c.pfc.traffic_class = CLASS_BACKGROUND;
    if (command(w, &c) < 0)
        return false;
    c = (struct command){.op = COMMAND_pfc_bucket};
    c.pfc_bucket.ms_id = id;
    c.pfc_bucket.has_rate_100_bit_per_s = true;
    c.pfc_bucket.rate_100_bit_per_s = BUCKET_RATE_MAX;
    c.pfc_bucket.bucket_octets = BUCKET;
    if (id < w->options->backlogged && !hold_back(w, id, &c))
        return false;
    return command(w, &c) >= 0;
}

static bool add_pdp(const struct population *w, uint32_t id)
{
    struct command c = {.op = COMMAND_pdp};
    c.pdp.pdp_id = c.pdp.ms_id = id;
    c.pdp.nsapi = BENCH_NSAPI;
    c.pdp.sapi = BENCH_SAPI;
    c.pdp.has_ggsn_id = true;
    c.pdp.ggsn_teid = 1 + id;
    int64_t teid = command(w, &c);
    uint32_t known = w->teid[id];
    w->teid[id] = __builtin_bswap32((uint32_t)teid);
    if (teid < 0 || !w->ports.pcap || w->teid[id] == known)
        return teid >= 0;
    fprintf(stderr, "sluice bench: MS %u has another TEID than in the file\n", id);
    return false;
}

static bool add_ms(struct population *w, uint32_t id, uint32_t bvc)
{
    struct command c = {.op = COMMAND_ms};
    c.ms.ms_id = id;
    c.ms.bvc_id = bvc;
    c.ms.tlli = BENCH_TLLI + id;
    c.ms.n201_u = (uint16_t)w->options->n201_u;
    return command(w, &c) >= 0 && (w->options->gea == 0 || add_key(w, id)) && add_pfc(w, id) &&
           add_pdp(w, id);
}

static bool populate_worker(struct population *w, uint32_t worker)
{
    struct population_share share = population_share(w->options, worker);
    bool good = add_nse(w, worker);
    for (uint32_t i = 0; i < share.bvcs && good; i++)
        good = add_cell(w, worker, share.first_bvc + i, i);
    for (uint32_t i = 0; i < share.mss && good; i++)
        good = add_ms(w, share.first + i, share.first_bvc + i / POPULATION_MSS_A_CELL);
    return good;
}

static bool populate(struct population *w)
{
    bool good = add_ggsn(w);
    for (uint32_t i = 0; i < w->options->workers && good; i++)
        good = populate_worker(w, i);
    return good && settle(w);
}

static bool create(struct population *w)
{
    struct dp_config config;
    const char *why;
    population_configure(w->options, &w->ports, &config);
    w->dp = dp_create(&config, &why);
    if (!w->dp)
        fprintf(stderr, "sluice bench: the dataplane could not be made: %s\n", why);
    return w->dp != NULL;
}

static uint32_t first_teid(struct teid_bits bits, uint32_t worker, uint32_t index)
{
    return state_teid_after(bits, POPULATION_TEID_SEED, 0, teid_make(bits, worker, 0, index), NULL);
}

// The first TEIDs of all places are known beforehand, which a file that a port is to read needs.
static bool make_tables(struct population *w)
{
    const struct bench_options *o = w->options;
    w->teid = calloc(o->mss, sizeof *w->teid);
    w->sent_up = calloc(o->mss, sizeof *w->sent_up);
    if (!w->teid || !w->sent_up)
        return false;
    struct teid_bits bits = teid_bits(o->workers, population_share(o, 0).mss);
    for (uint32_t worker = 0; worker < o->workers; worker++) {
        struct population_share share = population_share(o, worker);
        for (uint32_t id = share.first; id < share.first + share.mss; id++)
            w->teid[id] = __builtin_bswap32(first_teid(bits, worker, id - share.first));
    }
    return true;
}

bool population_open(struct population *w, const struct bench_options *o, const struct ports *ports)
{
    *w = (struct population){.options = o, .ports = *ports};
    if (!frames_make(&w->frames[STATS_GN], o, false) ||
        !frames_make(&w->frames[STATS_GB], o, true) || !make_tables(w)) {
        fprintf(stderr, "sluice bench: no memory for the traffic\n");
        return false;
    }
    return (!ports->pcap || ports_write_pcap(ports, &w->frames[STATS_GN], w->teid, o->mss)) &&
           create(w) && populate(w);
}

uint32_t population_close(struct population *w)
{
    uint32_t lost = w->dp ? dp_destroy(w->dp) : 0;
    free(w->teid);
    free(w->sent_up);
    *w = (struct population){0};
    return lost;
}
