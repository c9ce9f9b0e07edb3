// See link.h. With no rate a packet is transmitted at once, so that the queue stays empty. A
// packet's memory is reused for others, so that a link's memory is what it once held at most.
#include "lab/net/link.h"

#include <stdlib.h>
#include <string.h>

#include "lab/engine/need.h"

struct link_packet {
    struct link_packet *next;
    uint64_t due_ns; // of its delivery, once it is on its way
    uint64_t number; // of those sent
    uint64_t tag;
    uint32_t octets, room;
    uint8_t ip[];
};

static const struct field link_config_fields[] = FIELD_KEYS_TABLE(link_config, LINK_FIELDS);
const struct field_record link_config_record = FIELD_RECORD_OF(link_config, link_config_fields);

const char *link_config_fault(const struct link_config *config)
{
    if (config->lost_run_packets && !config->good_run_packets)
        return "lost_run: needs good_run";
    if (config->good_run_packets && !config->lost_run_packets)
        return "good_run: needs lost_run";
    return NULL;
}

static void list_put(struct link_list *list, struct link_packet *packet)
{
    packet->next = NULL;
    *list->end = packet;
    list->end = &packet->next;
}

static struct link_packet *list_take(struct link_list *list)
{
    struct link_packet *packet = list->first;
    list->first = packet->next;
    if (!list->first)
        list->end = &list->first;
    return packet;
}

static struct link_packet *packet_make(struct link *link, const uint8_t *ip, uint32_t octets,
                                       uint64_t tag)
{
    struct link_packet *packet = link->spare;
    if (packet)
        link->spare = packet->next;
    if (!packet || packet->room < octets) {
        free(packet);
        packet = need(malloc(sizeof *packet + octets));
        packet->room = octets;
    }
    packet->octets = octets;
    packet->tag = tag;
    packet->number = link->counters.in.packets;
    memcpy(packet->ip, ip, octets);
    return packet;
}

static void packet_spare(struct link *link, struct link_packet *packet)
{
    packet->next = link->spare;
    link->spare = packet;
}

static bool lost_in_burst(struct link *link)
{
    const struct link_config *c = &link->config;
    if (!c->lost_run_packets)
        return false;
    bool lost = link->in_burst;
    if (rng_below(&link->rng, lost ? c->lost_run_packets : c->good_run_packets) == 0)
        link->in_burst = !lost;
    return lost;
}

static bool lost_by_itself(struct link *link)
{
    return link->config.loss_ppm && rng_below(&link->rng, 1000000) < link->config.loss_ppm;
}

static void lose(struct link *link, struct link_packet *packet, enum net_loss why, uint64_t now_ns)
{
    net_count_remove(&link->counters.held, packet->octets);
    link->tag = packet->tag;
    net_lose(&link->counters, &link->owner, packet->ip, packet->octets, why, now_ns);
    packet_spare(link, packet);
}

// Behind all that are due at the same time or earlier.
static void list_put_by_due(struct link_list *list, struct link_packet *packet)
{
    struct link_packet **at = &list->first;
    while (*at && (*at)->due_ns <= packet->due_ns)
        at = &(*at)->next;
    packet->next = *at;
    *at = packet;
    if (!packet->next)
        list->end = &packet->next;
}

// Without overtaking, a packet that is due before the one ahead of it is delivered with that one.
static void put_on_way(struct link *link, struct link_packet *packet, uint64_t now_ns)
{
    packet->due_ns = now_ns + link->config.latency_ns;
    if (link->config.jitter_ns)
        packet->due_ns += rng_below(&link->rng, link->config.jitter_ns + 1);
    if (link->config.overtaking)
        list_put_by_due(&link->way, packet);
    else
        list_put(&link->way, packet);
    if (link->way.first == packet)
        engine_set(link->engine, &link->arrived, packet->due_ns);
}

// Both laws draw for every packet, so that the one does not change the other's losses.
static void leave_transmitter(struct link *link, struct link_packet *packet, uint64_t now_ns)
{
    bool in_burst = lost_in_burst(link), by_itself = lost_by_itself(link);
    if (in_burst)
        lose(link, packet, NET_LOSS_link_burst, now_ns);
    else if (by_itself)
        lose(link, packet, NET_LOSS_link_random, now_ns);
    else
        put_on_way(link, packet, now_ns);
}

static void transmit_first(struct link *link, uint64_t now_ns)
{
    uint64_t time_ns = units_line_time_ns(link->queue.first->octets, link->config.rate_bit_per_s);
    engine_set(link->engine, &link->transmitted, now_ns + time_ns);
}

static void link_transmitted(void *self, uint64_t now_ns)
{
    struct link *link = self;
    struct link_packet *packet = list_take(&link->queue);
    if (link->queue.first) {
        net_count_remove(&link->waiting, link->queue.first->octets);
        transmit_first(link, now_ns);
    }
    leave_transmitter(link, packet, now_ns);
}

static void deliver(struct link *link, struct link_packet *packet, uint64_t now_ns)
{
    net_count_remove(&link->counters.held, packet->octets);
    net_count_add(&link->counters.out, packet->octets);
    link->tag = packet->tag;
    link->owner.deliver(link->owner.self, packet->ip, packet->octets, now_ns);
    packet_spare(link, packet);
}

// Delivers all that is due, but not what is sent meanwhile: that comes in the next round.
static void link_arrived(void *self, uint64_t now_ns)
{
    struct link *link = self;
    uint64_t sent_before = link->counters.in.packets;
    while (link->way.first && link->way.first->due_ns <= now_ns &&
           link->way.first->number <= sent_before)
        deliver(link, list_take(&link->way), now_ns);
    if (link->way.first)
        engine_set(link->engine, &link->arrived, link->way.first->due_ns);
}

static bool queue_has_room(const struct link *link, uint32_t octets)
{
    const struct link_config *c = &link->config;
    if (c->queue_packets && link->waiting.packets >= c->queue_packets)
        return false;
    return !c->queue_octets || link->waiting.octets + octets <= c->queue_octets;
}

void link_send(void *self, const uint8_t *ip, uint32_t octets, uint64_t now_ns)
{
    link_send_tagged(self, ip, octets, 0, now_ns);
}

void link_send_tagged(struct link *link, const uint8_t *ip, uint32_t octets, uint64_t tag,
                      uint64_t now_ns)
{
    bool at_work = link->queue.first != NULL;
    net_count_add(&link->counters.in, octets);
    if (at_work && !queue_has_room(link, octets)) {
        link->tag = tag;
        net_lose(&link->counters, &link->owner, ip, octets, NET_LOSS_link_queue, now_ns);
        return;
    }
    struct link_packet *packet = packet_make(link, ip, octets, tag);
    net_count_add(&link->counters.held, octets);
    if (link->config.rate_bit_per_s == 0) {
        leave_transmitter(link, packet, now_ns);
        return;
    }
    list_put(&link->queue, packet);
    if (at_work)
        net_count_add(&link->waiting, octets);
    else
        transmit_first(link, now_ns);
}

void link_setup(struct link *link, struct engine *engine, const struct link_config *config,
                const struct net_owner *owner, uint64_t seed, uint64_t stream)
{
    *link = (struct link){.engine = engine, .owner = *owner, .config = *config};
    link->queue.end = &link->queue.first;
    link->way.end = &link->way.first;
    rng_seed(&link->rng, seed, stream);
    engine_timer_init(&link->transmitted, link_transmitted, link);
    engine_timer_init(&link->arrived, link_arrived, link);
}

static void free_all(struct link_packet *packet)
{
    for (struct link_packet *next; packet; packet = next) {
        next = packet->next;
        free(packet);
    }
}

void link_release(struct link *link)
{
    engine_cancel(link->engine, &link->transmitted);
    engine_cancel(link->engine, &link->arrived);
    free_all(link->queue.first);
    free_all(link->way.first);
    free_all(link->spare);
    link->queue = (struct link_list){NULL, &link->queue.first};
    link->way = (struct link_list){NULL, &link->way.first};
    link->spare = NULL;
}
