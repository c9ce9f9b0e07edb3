// See gb_world.h: frames in, frames out, and the time between them.
#include "tests/control/gb_world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_mbuf.h>
#include <rte_ring.h>

#define ROUNDS_AT_REST_MAX 100000 // a job with a million MSs is so many pieces of work

// ---- Frames ----

static int side_of(const char *name)
{
    for (int side = 0; name && side < STATS_SIDES; side++)
        if (strcmp(name, stats_side_names[side]) == 0)
            return side;
    return -1;
}

static int digit(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

bool world_octets(uint8_t *at, const char *hex, size_t octets)
{
    for (size_t i = 0; i < octets; i++) {
        int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        at[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static const char *put_frame(const struct dp_far_end *end, const char *hex)
{
    size_t octets = strlen(hex) / 2;
    struct rte_mbuf *m = rte_pktmbuf_alloc(end->pool);
    if (!m)
        return "no buffer";
    const char *why = "ring is full";
    char *at = octets <= UINT16_MAX ? rte_pktmbuf_append(m, (uint16_t)octets) : NULL;
    if (!at || strlen(hex) % 2 != 0 || !world_octets((uint8_t *)at, hex, octets))
        why = "not a frame that fits a buffer, in hexadecimal digits";
    else if (rte_ring_sp_enqueue(end->to_port, m) == 0)
        return NULL;
    rte_pktmbuf_free(m);
    return why;
}

void world_frame(struct world *world, char *arguments)
{
    int side = side_of(strsep(&arguments, " "));
    unsigned long worker = arguments ? strtoul(strsep(&arguments, " "), NULL, 10) : 0;
    if (side < 0 || !arguments || worker >= world->load.dp.workers) {
        world_fault(world, "frame gb|gn WORKER HEX");
        return;
    }
    struct dp_far_end end = dp_far_end(world->dp, side, (uint32_t)worker);
    const char *why = put_frame(&end, arguments);
    printf(why ? "error %s\n" : "ok\n", why);
}

static void tell_frame(struct world *world, int side, struct rte_mbuf *m, uint32_t worker)
{
    const uint8_t *at = rte_pktmbuf_mtod(m, const uint8_t *);
    if (world->mute) {
        rte_pktmbuf_free(m);
        world->frames++;
        return;
    }
    if (m->nb_segs != 1)
        world_fault(world, "a frame of several segments");
    printf("out %s %" PRIu64 " %u ", stats_side_names[side], world->now_ns, worker);
    for (uint32_t i = 0; i < m->data_len; i++)
        printf("%02x", at[i]);
    printf("\n");
    rte_pktmbuf_free(m);
    world->frames++;
}

// The next frame that a port has, of its queues in turn.
static struct rte_mbuf *take(struct world *world, int side, uint32_t *worker)
{
    struct world_side *s = &world->side[side];
    struct rte_mbuf *m;
    for (uint32_t tried = 0; tried < world->load.dp.workers; tried++) {
        *worker = s->next;
        s->next = (s->next + 1) % world->load.dp.workers;
        if (rte_ring_sc_dequeue(dp_far_end(world->dp, side, *worker).from_port, (void **)&m) == 0)
            return m;
    }
    return NULL;
}

// Puts the next frame on the line, or takes it off. True: something was done.
static bool move_line(struct world *world, int side)
{
    struct world_side *s = &world->side[side];
    if (!s->on_line) {
        s->on_line = take(world, side, &s->line_worker);
        uint64_t took_ns = s->on_line && s->rate_bit_per_s
                               ? units_line_time_ns(s->on_line->pkt_len, s->rate_bit_per_s)
                               : 0;
        s->leaves_ns = world->now_ns + took_ns;
        return s->on_line != NULL;
    }
    if (s->leaves_ns > world->now_ns)
        return false;
    tell_frame(world, side, s->on_line, s->line_worker);
    s->on_line = NULL;
    return true;
}

static bool take_frames(struct world *world)
{
    bool worked = false;
    for (int side = 0; side < STATS_SIDES; side++)
        while (move_line(world, side))
            worked = true;
    return worked;
}

void world_rate(struct world *world, char *arguments)
{
    int side = side_of(strsep(&arguments, " "));
    if (side < 0 || !arguments) {
        world_fault(world, "rate gb|gn BIT_PER_S");
        return;
    }
    world->side[side].rate_bit_per_s = strtoull(arguments, NULL, 10);
    printf("ok\n");
}

void world_clear(struct world *world)
{
    struct rte_mbuf *m;
    uint32_t worker;
    for (int side = 0; world->dp && side < STATS_SIDES; side++) {
        rte_pktmbuf_free(world->side[side].on_line);
        while ((m = take(world, side, &worker)) != NULL)
            rte_pktmbuf_free(m);
        for (worker = 0; worker < world->load.dp.workers; worker++)
            while (rte_ring_sc_dequeue(dp_far_end(world->dp, side, worker).to_port, (void **)&m) ==
                   0)
                rte_pktmbuf_free(m);
    }
    free(world->tunnel);
    free(world->bvc_nse);
    free(world->ms_bvc);
    free(world->ms_tlli);
}

// ---- Time ----

static void earlier(uint64_t *next_ns, uint64_t t_ns)
{
    if (t_ns < *next_ns)
        *next_ns = t_ns;
}

static uint64_t thread_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * S_IN_NS + (uint64_t)used.tv_nsec;
}

static uint64_t poll_control(struct world *world)
{
    uint64_t before_ns = thread_ns();
    uint64_t next_ns = control_poll(&world->control, world->now_ns);
    world->control_ns += thread_ns() - before_ns;
    return next_ns;
}

static uint64_t poll_all(struct world *world)
{
    uint64_t next_ns = TIME_NEVER;
    for (uint32_t w = 0; w < world->load.dp.workers; w++) {
        earlier(&next_ns, dp_poll(dp_worker(world->dp, w), world->now_ns));
        if (!dp_balanced(dp_worker(world->dp, w)))
            world_fault(world, "a worker is not balanced");
    }
    earlier(&next_ns, poll_control(world));
    return next_ns;
}

bool world_settle(struct world *world)
{
    for (int round = 0; round < ROUNDS_AT_REST_MAX && !world->fault; round++) {
        bool worked = take_frames(world);
        world->next_ns = poll_all(world);
        worked |= take_frames(world);
        for (int side = 0; side < STATS_SIDES; side++)
            if (world->side[side].on_line)
                earlier(&world->next_ns, world->side[side].leaves_ns);
        if (!worked && world->next_ns > world->now_ns)
            return true;
    }
    return false;
}

void world_until(struct world *world, char *arguments)
{
    uint64_t until_ns = strtoull(arguments, NULL, 10), frames = world->frames;
    while (world_settle(world)) {
        if (world->frames > frames || world->now_ns >= until_ns || world->next_ns > until_ns) {
            if (world->frames == frames && world->now_ns < until_ns)
                world->now_ns = until_ns;
            printf("ok %" PRIu64 " %" PRIu64 "\n", world->now_ns, world->next_ns);
            return;
        }
        world->now_ns = world->next_ns;
    }
    world_fault(world, "an instant did not come to rest");
}

// Before time begins; however many commands it takes.
bool world_bring_up(struct world *world)
{
    while (world->control.phase == CONTROL_STARTING)
        poll_all(world);
    return world->control.phase == CONTROL_UP;
}
