// See gb.h. A run is made of its own parts: configuration, Lua state, control, dataplane with
// one worker on ring ports; the clock stands still but for a microsecond a burst. What the BSS
// sends is written octet by octet, and its answers are read so.
#include "bench/control/gb_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <x86intrin.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

#include "control/bind/bind.h"
#include "control/process/eal.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ns.h"

#define FIRST_BVCI 2u
#define STRIDE     7919u // from one to the next, so that no two of a burst are neighbours

static const char text[] =
    "run { name = 'bench', duration = '1 s' }\n"
    "log { level = 'error' }\n"
    "class { name = 'background', aqm { name = 'tail-drop' } }\n"
    "gn { address = '192.0.2.1', mac = '02:00:00:00:00:01', from = '192.0.2.2' }\n"
    "gb { address = '198.51.100.1', mac = '02:00:00:00:00:02' }\n"
    "local cells = { nsei = 101, ns = 'manual',\n"
    "    nsvc { nsvci = 101, peer = '198.51.100.2', peer_mac = '02:00:00:00:00:03' } }\n"
    "for i = 2, %u + 1 do\n"
    "    cells[#cells + 1] = i > 2 and bvc { bvci = i } or bvc { bvci = i,\n"
    "        ms { imsi = '001010000000001', count = %u, tlli = 0xc0000000,\n"
    "        pdp { nsapi = 5, class = 'background', address = '10.0.0.1' } } }\n"
    "end\n"
    "nse(cells)\n";

static uint32_t processors; // that are not shared, of one for each lcore

void gb_die(const char *why)
{
    fprintf(stderr, "gb_bench: %s\n", why);
    exit(1);
}

static void load_shape(struct gb *gb)
{
    char path[] = "/tmp/gb_bench.XXXXXX";
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file || fprintf(file, text, gb->shape.cells, gb->shape.mss) < 0 || fclose(file) != 0)
        gb_die("the configuration cannot be written");
    struct options options = {.file = path};
    gb->control.lua = bind_create(false);
    bool good = gb->control.lua && load_config(gb->control.lua, &options, &gb->load);
    unlink(path);
    if (!good)
        gb_die("the configuration is not accepted");
}

bool gb_begin(const struct gb_shape *largest)
{
    struct gb gb = {.shape = *largest};
    char plan_text[512];
    load_shape(&gb);
    struct eal_plan plan = eal_plan(EAL_SYSFS, load_memory_octets(&gb.load) + (64ULL << 20));
    bind_destroy(gb.control.lua);
    eal_plan_text(&plan, plan_text, sizeof plan_text);
    fprintf(stderr, "%s\n", plan_text);
    struct eal_threads threads = {.lcores = 1 + GB_CONTROL_LCORE};
    processors = eal_processors(&threads, NULL, 0);
    return eal_start_threads(&plan, &threads) == 0;
}

uint32_t gb_processors(void)
{
    return processors;
}

void gb_end(void)
{
    eal_stop();
}

// ---- The BSS ----

uint8_t *gb_put_outer(uint8_t *b, const uint8_t head[GB_IP_OCTETS], uint16_t port, uint16_t octets)
{
    uint32_t sum = 0;
    memcpy(b, head, GB_IP_OCTETS);
    put_be16(b + 16, (uint16_t)(28 + octets));
    for (int i = 14; i < 34; i += 2)
        sum += get_be16(b + i);
    sum = (sum & 0xffff) + (sum >> 16);
    put_be16(b + 24, (uint16_t) ~(sum + (sum >> 16)));
    put_be16(b + 34, port);
    put_be16(b + 36, port);
    put_be16(b + 38, (uint16_t)(8 + octets));
    put_be16(b + 40, 0);
    return b + GB_OUTER_OCTETS;
}

static void say(struct gb *gb, uint16_t bvci, uint8_t type, const uint8_t *ies, uint16_t octets)
{
    static const uint8_t head[] = {2, 0, 0, 0, 0, 2,  2,  0, 0, 0,   0,  3,   8, 0,   0x45, 0,   0,
                                   0, 0, 0, 0, 0, 64, 17, 0, 0, 198, 51, 100, 2, 198, 51,   100, 1};
    struct rte_mbuf *m = rte_pktmbuf_alloc(gb->end.pool);
    if (!m)
        gb_die("no buffer");
    uint8_t *b = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)(GB_OUTER_OCTETS + 5 + octets));
    b = gb_put_outer(b, head, 23000, (uint16_t)(5 + octets));
    put_be16(b, NS_UNITDATA_TYPE << 8);
    put_be16(b + 2, bvci);
    b[4] = type;
    memcpy(b + 5, ies, octets);
    if (rte_ring_sp_enqueue(gb->end.to_port, m) != 0)
        gb_die("the ring is full");
}

void gb_say_flow_ms(struct gb *gb)
{
    uint8_t ies[] = {0x1f, 0x84, 0,    0,    0,    0,    0x1e, 0x81, 0,
                     0x12, 0x82, 0xff, 0xff, 0x03, 0x82, 0xff, 0xff};
    put_be32(ies + 2, GB_FIRST_TLLI + gb->next_ms);
    ies[8] = gb->tag++;
    gb->next_ms = (gb->next_ms + STRIDE) % gb->shape.mss;
    say(gb, FIRST_BVCI, BSSGP_FLOW_CONTROL_MS_TYPE, ies, sizeof ies);
}

static uint16_t next_bvci(struct gb *gb)
{
    uint16_t bvci = (uint16_t)(FIRST_BVCI + gb->next_cell);
    gb->next_cell = (gb->next_cell + 1) % gb->shape.cells;
    return bvci;
}

static void say_flow_bvc(struct gb *gb)
{
    uint8_t ies[] = {0x1e, 0x81, 0,    0x05, 0x82, 0x00, 0x64, 0x03, 0x82, 0x00,
                     0x50, 0x01, 0x82, 0x00, 0x32, 0x1c, 0x82, 0x00, 0x28};
    ies[2] = gb->tag++;
    say(gb, next_bvci(gb), BSSGP_FLOW_CONTROL_BVC_TYPE, ies, sizeof ies);
}

static void say_reset(struct gb *gb, uint16_t bvci)
{
    uint8_t ies[] = {0x04, 0x82, 0,    0,    0x07, 0x81, 0x08, 0x08, 0x88,
                     0x62, 0xf2, 0x24, 0x12, 0x34, 0x56, 0,    0};
    put_be16(ies + 2, bvci);
    put_be16(ies + 15, bvci);
    say(gb, 0, BSSGP_BVC_RESET_TYPE, ies, bvci ? sizeof ies : 7);
}

static void say_cell_reset(struct gb *gb)
{
    say_reset(gb, next_bvci(gb));
}

// What came back: how many of them are that PDU.
static uint32_t hear(struct gb *gb, uint8_t wanted)
{
    struct rte_mbuf *m;
    uint32_t n = 0;
    while (rte_ring_sc_dequeue(gb->end.from_port, (void **)&m) == 0) {
        n += rte_pktmbuf_mtod(m, uint8_t *)[GB_OUTER_OCTETS + 4] == wanted;
        rte_pktmbuf_free(m);
    }
    return n;
}

static void poll_worker(struct gb *gb)
{
    dp_poll(dp_worker(gb->dp, 0), gb->now_ns);
}

// Neither side has anything left to do at this time: what is not answered now never will be.
static bool is_at_rest(const struct gb *gb, uint64_t control_next_ns)
{
    return control_next_ns > gb->now_ns && dp_settled(gb->dp) && rte_ring_empty(gb->end.to_port) &&
           rte_ring_empty(gb->end.from_port);
}

// A burst of what `one` says, until all of it is answered by `wanted`. How many rounds that takes
// depends on the commands before the answer, of which a poll carries out some: two for each cell
// when BVCI 0 is reset.
static struct gb_cycles burst(struct gb *gb, void (*one)(struct gb *gb), uint8_t wanted, uint32_t n)
{
    struct gb_cycles cycles = {.pdus = n};
    uint64_t start = __rdtsc();
    uint32_t answered = 0;
    for (uint32_t i = 0; i < n; i++)
        one(gb);
    for (bool rests = false; answered < n && !rests;) {
        poll_worker(gb);
        uint64_t before = __rdtsc();
        uint64_t next_ns = control_poll(&gb->control, gb->now_ns);
        cycles.control += __rdtsc() - before;
        poll_worker(gb);
        rests = is_at_rest(gb, next_ns);
        answered += hear(gb, wanted);
    }
    if (answered != n)
        gb->fault = "an answer is missing";
    cycles.all = __rdtsc() - start;
    gb->now_ns += 1000;
    return cycles;
}

struct gb_cycles gb_flow_control_ms(struct gb *gb)
{
    return burst(gb, gb_say_flow_ms, BSSGP_FLOW_CONTROL_MS_ACK_TYPE, GB_BURST);
}

struct gb_cycles gb_flow_control_bvc(struct gb *gb)
{
    return burst(gb, say_flow_bvc, BSSGP_FLOW_CONTROL_BVC_ACK_TYPE, GB_BURST);
}

static void say_signalling_reset(struct gb *gb)
{
    say_reset(gb, 0);
}

static uint64_t each_cell(struct gb *gb, void (*one)(struct gb *gb), uint8_t wanted)
{
    uint64_t cycles = 0;
    gb->next_cell = 0;
    for (uint32_t i = 0; i < gb->shape.cells; i += GB_BURST) {
        uint32_t left = gb->shape.cells - i;
        cycles += burst(gb, one, wanted, left < GB_BURST ? left : GB_BURST).all;
    }
    return cycles;
}

uint64_t gb_restart(struct gb *gb)
{
    uint64_t cycles = burst(gb, say_signalling_reset, BSSGP_BVC_RESET_ACK_TYPE, 1).all;
    cycles += each_cell(gb, say_cell_reset, BSSGP_BVC_RESET_ACK_TYPE);
    return cycles + each_cell(gb, say_flow_bvc, BSSGP_FLOW_CONTROL_BVC_ACK_TYPE);
}

// ----

static void bring_up(struct gb *gb)
{
    control_start(&gb->control, &bind_procedures, gb->dp);
    while (gb->control.phase == CONTROL_STARTING) {
        control_poll(&gb->control, 0);
        poll_worker(gb);
    }
    if (gb->control.phase != CONTROL_UP)
        gb_die("the configuration was not brought up");
    while (!dp_settled(gb->dp))
        poll_worker(gb);
}

static int64_t nothing(void *target, const void *argument)
{
    (void)target, (void)argument;
    return 0;
}

// Nobody is in the lab but ourselves.
static const struct field_call lab_calls_none[] = {
    {"endpoint", "", NULL, 0, 0, nothing},
    {"context", "", NULL, 0, 0, nothing},
    {"cipher", "", NULL, 0, 0, nothing},
};

struct gb *gb_open(const struct gb_shape *shape)
{
    const char *why;
    struct gb *gb = calloc(1, sizeof *gb);
    if (!gb)
        gb_die("no memory");
    gb->shape = *shape;
    load_shape(gb);
    gb->dp = dp_create(&gb->load.dp, &why);
    if (!gb->dp)
        gb_die(why);
    gb->board = board_create(&gb->load.dp);
    gb->control.log = (struct log){.out = stderr, .level = LOG_ERROR};
    gb->end = dp_far_end(gb->dp, STATS_GB, 0);
    gb->gn = dp_far_end(gb->dp, STATS_GN, 0);
    bind_add_calls(gb->control.lua, "dp", dp_calls, dp_call_count, gb->dp);
    bind_add_find(gb->control.lua, gb->dp);
    bind_add_calls(gb->control.lua, "board", board_calls, board_call_count, gb->board);
    bind_add_calls(gb->control.lua, "lab", lab_calls_none, 3, gb);
    bind_add_calls(gb->control.lua, "contexts", NULL, 0, NULL);
    bring_up(gb);
    return gb;
}

void gb_close(struct gb *gb)
{
    control_stop(&gb->control);
    hear(gb, 0);
    if (dp_destroy(gb->dp) != 0)
        gb_die("buffers were lost");
    board_destroy(gb->board);
    bind_destroy(gb->control.lua);
    free(gb);
}

const char *gb_fault(const struct gb *gb)
{
    return gb->fault;
}
