// See bts.h: MSs, the messages of the PCU, and the course of blocks.
#include "lab/live/bts/bts.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc_u.h"
#include "lab/live/bts/bts_parts.h"
#include "lab/engine/need.h"

#define FRAMES        2715648 // of a hyperframe
#define BTS_SECOND_NS 1000000000u
#define PACKET_MOST   1500 // octets

// ---- MSs ----

static struct station *station_of(struct ms *ms)
{
    return (struct station *)((char *)ms - offsetof(struct station, ms));
}

void bts_queue(struct station *station, struct sender *queue, const uint8_t *llc, uint32_t octets)
{
    BTS_ADD(station->bts, pdus_up);
    if (!sender_queue(queue, llc, octets))
        BTS_ADD(station->bts, pdus_up_full);
}

static struct sender *queue_of(struct station *station)
{
    return bts_phone_holds(station) ? &station->held : &station->sender;
}

void bts_hello(struct station *station)
{
    struct llc_u null = {.cr = llc_cr(true, false), .sapi = 1, .command = LLC_U_NULL};
    uint8_t frame[16];
    const struct sender_pdu *last = station->sender.last;
    if (last && last->cut == 0)
        return;
    BTS_ADD(station->bts, hellos);
    bts_queue(station, &station->sender, frame, (uint32_t)llc_u_encode(&null, frame, sizeof frame));
}

static void from_ms(void *self, struct ms *ms, const uint8_t *llc, uint32_t octets, uint64_t now_ns)
{
    struct station *station = station_of(ms);
    (void)self;
    (void)now_ns;
    bts_queue(station, queue_of(station), llc, octets);
}

static void to_host(void *self, struct ms *ms, uint8_t nsapi, const uint8_t *npdu, uint32_t octets,
                    uint64_t now_ns)
{
    struct bts *bts = self;
    (void)ms;
    (void)nsapi;
    (void)now_ns;
    BTS_ADD(bts, packets_down);
    if (!bts->owner.to_ip(bts->owner.self, npdu, octets))
        BTS_ADD(bts, packets_down_refused);
}

struct bts *bts_create(const struct bts_config *config, const struct bts_owner *owner)
{
    struct bts *bts = need(calloc(1, sizeof *bts));
    struct ms_config ms = {
        .n201_u_most_octets = LLC_N201_U_MAX, .answers_xid = true, .protects_all = true};
    bts->config = *config;
    bts->owner = *owner;
    rng_seed(&bts->rng, config->seed, 0);
    ms_shared_setup(&bts->shared, &ms,
                    &(struct ms_owner){.self = bts, .down = to_host, .up = from_ms});
    return bts;
}

void bts_take_in(struct bts *bts, struct station *station)
{
    bts->station = need(realloc(bts->station, (bts->stations + 1) * sizeof(struct station *)));
    bts->station[bts->stations++] = station;
    station->bts = bts;
    station->ms.shared = &bts->shared;
}

int bts_add_ms(struct bts *bts, const struct bts_ms *ms)
{
    struct station *station = need(calloc(1, sizeof *station));
    *station = (struct station){
        .tlli = ms->tlli, .address = ms->address, .link_db = ms->link_db, .nsapi = ms->nsapi};
    memcpy(station->imsi, ms->imsi, sizeof station->imsi);
    int fault = ms_setup(&station->ms, &bts->shared, &station->counters, &ms->terms);
    if (ms->phone)
        bts_phone_make(station, ms->phone);
    else if (!fault)
        fault = ms_add_context(&station->ms, ms->nsapi, ms->sapi);
    if (fault) {
        free(station->phone);
        free(station);
        return fault;
    }
    station->ms.label = ms->tlli;
    // An SGSN that runs for longer than this BTS keeps to what it agreed on with the MS before.
    for (uint32_t i = 0; i < MS_LLES; i++)
        station->ms.lle[i].down_octets_most = LLC_N201_U_MAX;
    bts_take_in(bts, station);
    return 0;
}

void bts_destroy(struct bts *bts)
{
    for (uint32_t i = 0; i < bts->stations; i++) {
        ms_release(&bts->station[i]->ms, bts_now_ns(bts));
        sender_release(&bts->station[i]->sender);
        sender_release(&bts->station[i]->held);
        free(bts->station[i]->phone);
        free(bts->station[i]);
    }
    free(bts->station);
    ms_shared_release(&bts->shared);
    free(bts);
}

static struct station *source_of(const struct bts *bts, const uint8_t *packet, uint32_t octets)
{
    if (octets >= IPV4_OCTETS && packet[0] >> 4 == 4)
        for (uint32_t i = 0; i < bts->stations; i++)
            if (bts->station[i]->address && bts->station[i]->address == get_be32(packet + 12))
                return bts->station[i];
    return NULL;
}

bool bts_sends(const struct bts *bts, const uint8_t *packet, uint32_t octets)
{
    return source_of(bts, packet, octets) != NULL;
}

// With a packet more too much would wait that has not begun.
static bool has_enough(struct station *station, uint32_t octets)
{
    const struct sender *sender = queue_of(station);
    uint64_t periods = station->bts->config.up_queue_s * (BTS_SECOND_NS / BTS_BLOCK_NS);
    return periods > 0 && sender_waiting_octets(sender) + octets >
                              periods * sender_period_octets(sender) + PACKET_MOST;
}

void bts_send(struct bts *bts, const uint8_t *packet, uint32_t octets)
{
    struct station *from = source_of(bts, packet, octets);
    BTS_ADD(bts, packets_up);
    if (!from)
        BTS_ADD(bts, packets_up_stray);
    else if (has_enough(from, octets))
        BTS_ADD(bts, packets_up_full);
    else if (!ms_up(&from->ms, from->nsapi, packet, octets, bts_now_ns(bts)))
        BTS_ADD(bts, packets_up_unsent);
    else
        bts_phone_sent(from);
}

// ---- The PCU comes and goes ----

void bts_connected(struct bts *bts)
{
    BTS_ADD(bts, connections);
}

// The MSs notice nothing but that all is silent; here their TBFs end at once, as in a cell whose
// PDCHs are gone.
void bts_disconnected(struct bts *bts)
{
    for (uint32_t i = 0; i < bts->stations; i++) {
        bts_close_down(bts->station[i]);
        bts_close_up(bts->station[i], false);
    }
    for (uint32_t i = 0; i < PCUIF_SLOTS; i++) {
        struct bts_slot *slot = &bts->slot[i];
        bts->count[BTS_COUNT_unanswered] += slot->asked;
        bts->count[BTS_COUNT_up_lost] += slot->up_octets > 0;
        for (uint32_t r = 0; r < BTS_REPLIES; r++)
            bts->count[BTS_COUNT_polls_gone] += slot->reply[r].station != NULL;
        *slot = (struct bts_slot){0};
    }
    bts->runs = false;
}

// ---- Messages ----

void bts_to_pcu(struct bts *bts, uint32_t octets)
{
    if (!bts->owner.to_pcu(bts->owner.self, bts->message, octets))
        BTS_ADD(bts, messages_unsent);
}

static void take_block(struct bts *bts, const struct pcuif *message)
{
    struct bts_slot *slot = &bts->slot[message->slot];
    if (!slot->asked || slot->came || message->fn != bts->fn) {
        BTS_ADD(bts, down_unasked);
        return;
    }
    slot->came = true;
    slot->down_octets = message->octets.n;
    memcpy(slot->down, message->octets.at, message->octets.n);
}

static void take_text(struct bts *bts, const struct pcuif *message)
{
    bts->config.cell.version = pcuif_version_of(message->octets);
    memcpy(bts->pcu, message->octets.at, message->octets.n);
    bts->pcu[message->octets.n] = '\0';
    bts_to_pcu(bts, pcuif_put_info(&bts->config.cell, bts->message));
}

static void take_activate(struct bts *bts, const struct pcuif *message)
{
    bts->slot[message->slot].active =
        message->on && message->slot >= pcuif_first_slot(&bts->config.cell);
    bts->runs = true;
}

static void take_ccch(struct bts *bts, struct pcuif *message)
{
    message->fn = bts->fn;
    bts_hear_ccch(bts, message);
    if (message->confirm)
        bts_to_pcu(bts, pcuif_put_confirm(message, bts->message));
}

void bts_take(struct bts *bts, const uint8_t *message, uint32_t octets)
{
    struct pcuif decoded;
    if (pcuif_decode(&decoded, message, octets) < 0) {
        BTS_ADD(bts, messages_odd);
        return;
    }
    switch (decoded.kind) {
    case PCUIF_TEXT:
        take_text(bts, &decoded);
        break;
    case PCUIF_BLOCK:
        take_block(bts, &decoded);
        break;
    case PCUIF_CCCH:
        take_ccch(bts, &decoded);
        break;
    case PCUIF_ACTIVATE:
        take_activate(bts, &decoded);
        break;
    case PCUIF_OTHER:
        BTS_ADD(bts, messages_other);
    }
}

// ---- Blocks ----

bool bts_runs(const struct bts *bts)
{
    return bts->runs;
}

bool bts_waits(const struct bts *bts)
{
    for (uint32_t i = 0; i < PCUIF_SLOTS; i++)
        if (bts->slot[i].asked && !bts->slot[i].came)
            return true;
    return false;
}

// What the PCU receives in the block that ends: also that there was nothing.
static void deliver(struct bts *bts, uint8_t number)
{
    struct bts_slot *slot = &bts->slot[number];
    uint32_t link_db = slot->up_octets ? slot->up_from->link_db : 0;
    if (slot->up_octets && (bts_draw(bts, bts->config.loss_up_ppm) ||
                            bts_is_noise(bts, slot->up_from, slot->up_octets))) {
        BTS_ADD(bts, up_lost);
        slot->up_octets = 0;
    }
    bts->count[BTS_COUNT_up_taken] += slot->up_octets > 0;
    struct octets up = {slot->up, slot->up_octets};
    slot->up_octets = 0;
    bts_to_pcu(bts, pcuif_put_block(bts->fn, number, up, link_db, bts->message));
}

static void ask(struct bts *bts, uint8_t number)
{
    BTS_ADD(bts, asked);
    bts->slot[number].asked = true;
    bts->slot[number].came = false;
    bts_to_pcu(bts, pcuif_put_ready(bts->fn, number, bts->message));
}

static void each_active(struct bts *bts, void (*call)(struct bts *, uint8_t))
{
    for (uint8_t i = 0; i < PCUIF_SLOTS; i++)
        if (bts->slot[i].active)
            call(bts, i);
}

// 13 frames are three blocks and a frame that is no PDCH's.
static uint32_t next_frame(uint32_t fn)
{
    return (fn + (fn % 13 == 8 ? 5 : 4)) % FRAMES;
}

void bts_tick(struct bts *bts)
{
    if (!bts->runs)
        return;
    for (uint8_t i = 0; i < PCUIF_SLOTS; i++)
        bts_hear(bts, i);
    each_active(bts, deliver);
    bts->block++;
    bts->fn = next_frame(bts->fn);
    for (uint32_t i = 0; i < bts->stations; i++)
        bts_time_out(bts->station[i]);
    for (uint32_t i = 0; i < bts->stations; i++)
        bts_phone_turn(bts->station[i]);
    each_active(bts, bts_compose);
    bts_access(bts);
    each_active(bts, ask);
}
