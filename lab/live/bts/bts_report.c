// What a BTS has counted, and whether that adds up.
#include <inttypes.h>
#include <string.h>

#include "lab/live/bts/bts_parts.h"

static const char *const names[] = {
#define COUNT(name, help) #name,
#include "lab/live/bts/counts.def"
#undef COUNT
};

uint64_t bts_counted(const struct bts *bts, enum bts_count count)
{
    return bts->count[count];
}

struct bts_sums bts_sums_of(const struct station *s)
{
    return (struct bts_sums){.waiting = s->sender.pdus + s->held.pdus,
                             .pdus = s->counters.pdus.packets +
                                     (s->phone ? s->phone->count[PHONE_COUNT_frames] : 0),
                             .delivered = s->counters.npdus_delivered,
                             .up_sent = s->counters.up_sent.packets};
}

// What MSs have counted while they were in this cell.
static struct bts_sums sums_here(const struct bts *bts)
{
    struct bts_sums sums = bts->left;
    for (uint32_t i = 0; i < bts->stations; i++) {
        struct bts_sums one = bts_sums_of(bts->station[i]);
        sums.waiting += one.waiting;
        sums.pdus += one.pdus;
        sums.delivered += one.delivered;
        sums.up_sent += one.up_sent;
    }
    return sums;
}

// What is under way in the slots.
struct pending {
    uint64_t asked, up, replies;
};

static struct pending pending_of(const struct bts *bts)
{
    struct pending pending = {0};
    for (uint32_t i = 0; i < PCUIF_SLOTS; i++) {
        pending.asked += bts->slot[i].asked;
        pending.up += bts->slot[i].up_octets > 0;
        for (uint32_t r = 0; r < BTS_REPLIES; r++)
            pending.replies += bts->slot[i].reply[r].station != NULL;
    }
    return pending;
}

const char *bts_wrong(const struct bts *bts)
{
    struct bts_sums sums = sums_here(bts);
    struct pending pending = pending_of(bts);
#define N(name) bts->count[BTS_COUNT_##name]
#define HOLDS(left, right)              \
    do {                                \
        if ((left) != (right))          \
            return #left " != " #right; \
    } while (0)
    HOLDS(N(asked), N(unanswered) + N(down_idle) + N(down_odd) + N(down_data) + N(down_control) +
                        pending.asked);
    HOLDS(N(down_data), N(down_data_lost) + N(down_data_stray) + N(down_data_malformed) +
                            N(down_data_duplicate) + N(down_data_taken));
    HOLDS(N(down_control), N(down_dummy) + N(down_control_lost) + N(down_control_stray) +
                               N(down_control_malformed) + N(down_control_taken));
    HOLDS(N(polls), N(polls_answered) + N(polls_gone) + pending.replies);
    HOLDS(N(up_data) + N(up_control), N(up_lost) + N(up_taken) + pending.up);
    HOLDS(N(ccch),
          N(ccch_down) + N(ccch_up) + N(ccch_reject) + N(ccch_page) + N(ccch_stray) + N(ccch_odd));
    HOLDS(N(pdus_down), N(pdus_filler) + N(pdus_long) + sums.pdus);
    HOLDS(N(pdus_up) + N(pdus_up_in),
          N(pdus_up_full) + N(pdus_up_sent) + N(pdus_up_out) + sums.waiting);
    HOLDS(N(packets_up),
          N(packets_up_stray) + N(packets_up_full) + N(packets_up_unsent) + sums.up_sent);
    HOLDS(N(packets_down), sums.delivered);
#undef HOLDS
#undef N
    return NULL;
}

void bts_say(struct bts *bts, FILE *out)
{
    uint64_t n[BTS_COUNTS];
    for (uint32_t i = 0; i < BTS_COUNTS; i++)
        n[i] = bts->count[i] - bts->said[i];
    memcpy(bts->said, bts->count, sizeof bts->said);
#define N(name) n[BTS_COUNT_##name]
    fprintf(out,
            "blocks down %" PRIu64 ", lost %" PRIu64 "; up %" PRIu64 ", lost %" PRIu64
            "; LLC PDUs down %" PRIu64 ", up %" PRIu64 "; packets down %" PRIu64 ", up %" PRIu64
            "\n",
            N(down_data) + N(down_control) - N(down_dummy),
            N(down_data_lost) + N(down_control_lost), N(up_data) + N(up_control), N(up_lost),
            N(pdus_down) - N(pdus_filler), N(pdus_up), N(packets_down), N(packets_up));
#undef N
    fflush(out);
}

static void put_station(struct json *json, const struct station *s)
{
    uint64_t refused = 0, lost = 0;
    for (uint32_t i = 0; i < MS_REFUSED_COUNT; i++)
        refused += s->counters.refused[i].packets;
    for (uint32_t i = 0; i < MS_LOST_COUNT; i++)
        lost += s->counters.npdus_lost[i];
    json_object(json);
    json_put_text(json, "imsi", s->imsi);
    json_put(json, "tlli", s->tlli);
    json_put(json, "blocks_down", s->blocks_down);
    json_put(json, "blocks_up", s->blocks_up);
    json_put(json, "pdus_down", s->counters.pdus.packets);
    json_put(json, "pdus_refused", refused);
    json_put(json, "pdus_stale", s->counters.stale);
    json_put(json, "npdus_down", s->counters.npdus_delivered);
    json_put(json, "npdus_lost", lost);
    json_put(json, "resets", s->counters.resets);
    json_put(json, "npdus_up", s->counters.up_sent.packets);
    json_put(json, "pdus_up", s->counters.up_pdus.packets + s->counters.answers.packets);
    json_put(json, "pdus_up_waiting", s->sender.pdus + s->held.pdus);
    bts_phone_put(s, json);
    json_close(json);
}

void bts_put(const struct bts *bts, struct json *json)
{
    for (uint32_t i = 0; i < BTS_COUNTS; i++)
        json_put(json, names[i], bts->count[i]);
    json_put_text(json, "pcu", bts->pcu);
    json_put_text(json, "first_fault", bts->shared.first_fault);
    json_put_array(json, "ms");
    for (uint32_t i = 0; i < bts->stations; i++)
        put_station(json, bts->station[i]);
    json_close(json);
}
