// See telemetry.h: the run, and every counter by its descriptor.
#include <stdio.h>
#include <unistd.h>

#include "control/export/telemetry_parts.h"
#include "dataplane/base/classes.h"
#include "dataplane/wire/wire.h"

// ---- The run ----

static const char *phase_name(const struct control *control)
{
    switch (__atomic_load_n(&control->phase, __ATOMIC_RELAXED)) {
    case CONTROL_STARTING:
        return "starting";
    case CONTROL_UP:
        return "up";
    case CONTROL_DEAD:
        return "up, without its procedures";
    default:
        return "failed";
    }
}

// Phones that attach, and their contexts.
static void put_gauges(const struct telemetry *t, struct row *row)
{
    struct row inner = row_begin();
    for (int i = 0; i < GAUGE_COUNT; i++)
        row_put(&inner, count_gauges[i].name, counts_read(&t->source.counts->gauge[i]));
    row_inside(row, "phones", &inner);
}

const char *telemetry_info(struct telemetry *t, const char *words, struct row *row)
{
    struct ask_stats stats;
    const struct dp_config *c = t->source.config;
    const char *why = ask_stats(&t->ask, VIEW_ALL, &stats);
    (void)words;
    row_text(row, "name", t->source.name);
    row_put(row, "pid", (uint64_t)getpid());
    row_text(row, "clock", c->real_time ? "real" : "virtual");
    row_text(row, "control", phase_name(t->source.control));
    row_put(row, "run_ns", stats.now_ns);
    row_put(row, "workers", c->workers);
    row_put(row, "nses_most", c->nses);
    row_put(row, "nsvcs_most", c->nsvcs);
    row_put(row, "bvcs_most", c->bvcs);
    row_put(row, "mss_most", c->mss);
    put_gauges(t, row);
    return why;
}

// ---- Counters ----

static void put_scope(struct row *row, enum stats_scope scope, const void *counters)
{
    for (uint32_t i = 0; i < stats_counter_count; i++) {
        const struct stats_counter *c = &stats_counters[i];
        if (c->scope == scope)
            row_put(row, c->name, *(const uint64_t *)((const char *)counters + c->offset));
    }
}

static void put_drops(struct row *row, const struct stats_drop drop[DROP_COUNT])
{
    uint64_t packets[DROP_COUNT];
    for (int i = 0; i < DROP_COUNT; i++)
        packets[i] = drop[i].packets;
    row_drops(row, packets, stats_drop_names, DROP_COUNT);
}

static void put_counters(struct row *row, const char *name, enum stats_scope scope,
                         const void *counters, const struct stats_drop *drops)
{
    struct row inner = row_begin();
    put_scope(&inner, scope, counters);
    if (drops)
        put_drops(&inner, drops);
    row_inside(row, name, &inner);
}

static void put_nic(const struct telemetry *t, struct row *row, enum stats_side side)
{
    uint32_t mbit_per_s;
    const struct stats_nic *nic = dp_nic(t->source.dp, side, &mbit_per_s);
    if (!nic)
        return;
    struct row inner = row_begin();
    row_put(&inner, "link_up", strcmp(dp_link(t->source.dp, side), "up") == 0);
    if (mbit_per_s)
        row_put(&inner, "link_mbit_per_s", mbit_per_s);
    put_scope(&inner, STATS_SCOPE_NIC, nic);
    row_inside(row, "nic", &inner);
}

// So that one sees whether the device shares its frames out.
static void put_shares(const struct telemetry *t, struct row *row, enum stats_side side)
{
    struct row inner = row_begin();
    for (uint32_t w = 0; w < t->ask.workers; w++) {
        char number[12];
        snprintf(number, sizeof number, "%u", w);
        row_put(&inner, number, dp_stats(dp_worker(t->source.dp, w))->of_port[side].rx_packets);
    }
    row_inside(row, "rx_packets_by_worker", &inner);
}

// By peer: how many NS-VCs have a rule, and for how many the device refused one.
static void put_rules(const struct telemetry *t, struct row *row)
{
    uint32_t made, refused;
    if (!dp_rules(t->source.dp, &made, &refused, NULL))
        return;
    row_put(row, "rules", made);
    row_put(row, "rules_refused", refused);
}

static void put_port(const struct telemetry *t, struct row *row, enum stats_side side,
                     const struct stats_port *port)
{
    struct row inner = row_begin();
    const char *lacks, *how, *steering = dp_steering(t->source.dp, side, &lacks);
    const char *sums = dp_sums(t->source.dp, side);
    uint16_t vlan = dp_vlan(t->source.dp, side, &how);
    row_text(&inner, "link", dp_link(t->source.dp, side));
    if (steering)
        row_text(&inner, "steering", steering);
    if (side == STATS_GB)
        put_rules(t, &inner);
    if (vlan)
        row_put(&inner, "vlan", vlan);
    if (sums)
        row_text(&inner, "checksums_ipv6", sums);
    put_scope(&inner, STATS_SCOPE_PORT, port);
    put_drops(&inner, port->drop);
    put_nic(t, &inner, side);
    if (t->ask.workers > 1)
        put_shares(t, &inner, side);
    row_inside(row, stats_side_names[side], &inner);
}

// Only counts above 0: there are more than a hundred kinds of PDUs.
static void put_pdus(struct row *row, const char *name, const uint64_t *counts)
{
    struct row inner = row_begin();
    for (uint32_t i = 0; i < wire_pdu_count && i < COUNTS_PDUS; i++)
        if (counts_read(&counts[i]))
            row_put(&inner, wire_pdus[i].name, counts_read(&counts[i]));
    row_inside(row, name, &inner);
}

static void put_control(const struct telemetry *t, struct row *row)
{
    struct row inner = row_begin(), events = row_begin();
    char text[CONTROL_HOOK_FAULT_OCTETS];
    for (int i = 0; i < COUNT_COUNT; i++)
        row_put(&inner, count_descriptions[i].name, counts_read(&t->source.counts->count[i]));
    for (int i = 0; i < EVENT_COUNT; i++)
        row_put(&events, state_event_names[i], counts_read(&t->source.control->events[i]));
    row_inside(&inner, "events", &events);
    row_inside(row, "control", &inner);
    control_hook_fault(t->source.control, text);
    if (*text)
        row_text(row, "last_hook_fault", text);
    put_pdus(row, "pdus_in", t->source.counts->pdu_in);
    put_pdus(row, "pdus_out", t->source.counts->pdu_out);
}

static void put_node(struct row *row, const char *name, int node)
{
    if (node >= 0)
        row_put(row, name, (uint64_t)node);
}

// NUMA nodes, of processors, devices and memory, as far as they are known.
static void put_nodes(const struct telemetry *t, struct row *row)
{
    const struct eal_threads *threads = t->source.threads;
    const struct dp *dp = t->source.dp;
    char name[32];
    if (threads->lcores == 0)
        return;
    struct row inner = row_begin();
    put_node(&inner, "control", threads->node[0]);
    for (uint32_t w = 0; w + 1 < threads->lcores; w++) {
        snprintf(name, sizeof name, "worker_%u", w);
        put_node(&inner, name, threads->node[w + 1]);
        snprintf(name, sizeof name, "worker_%u_memory", w);
        put_node(&inner, name, dp_worker_node(dp, w));
    }
    for (int side = 0; side < STATS_SIDES; side++) {
        snprintf(name, sizeof name, "%s_device", stats_side_names[side]);
        put_node(&inner, name, threads->device_node[side]);
        snprintf(name, sizeof name, "%s_buffers", stats_side_names[side]);
        put_node(&inner, name, dp_buffers_node(dp, (enum stats_side)side));
    }
    row_inside(row, "numa_nodes", &inner);
}

const char *telemetry_stats(struct telemetry *t, const char *words, struct row *row)
{
    struct ask_stats stats;
    uint64_t worker = VIEW_ALL;
    if (*words && !telemetry_number(&words, t->ask.workers - 1, &worker))
        return "there is no such worker";
    const char *why = ask_stats(&t->ask, (uint32_t)worker, &stats);
    if (why)
        return why;
    row_put(row, "run_ns", stats.now_ns);
    put_counters(row, "worker", STATS_SCOPE_WORKER, &stats.stats, NULL);
    for (int side = 0; side < STATS_SIDES; side++)
        put_port(t, row, (enum stats_side)side, &stats.stats.of_port[side]);
    put_counters(row, "up", STATS_SCOPE_UP, &stats.stats.up, stats.stats.up.drop);
    put_control(t, row);
    put_nodes(t, row);
    return NULL;
}

// By the bounds' numbers: see stats_delay_bound_ns.
static void put_delays(struct row *row, const struct stats_delays *delays)
{
    struct row inner = row_begin();
    uint64_t shown[STATS_DELAYS];
    stats_delays_shown(delays, shown);
    for (uint32_t i = 0; i < STATS_DELAYS; i++) {
        char number[12];
        snprintf(number, sizeof number, "%u", i);
        row_put(&inner, number, shown[i]);
    }
    row_inside(row, "delays", &inner);
    row_put(row, "delays_sum_ns", delays->sum_ns);
}

const char *telemetry_classes(struct telemetry *t, const char *words, struct row *row)
{
    struct ask_stats stats;
    const char *why = ask_stats(&t->ask, VIEW_ALL, &stats);
    (void)words;
    for (int i = 0; i < CLASS_COUNT && !why; i++) {
        struct row inner = row_begin();
        put_scope(&inner, STATS_SCOPE_CLASS, &stats.stats.of_class[i]);
        row_put(&inner, "queued_npdus", stats.queues[i].queued_npdus);
        row_put(&inner, "queued_octets", stats.queues[i].queued_octets);
        put_delays(&inner, &stats.stats.of_class[i].delays);
        put_drops(&inner, stats.stats.of_class[i].drop);
        telemetry_put_class(row, (uint32_t)i, &inner);
    }
    return why;
}
