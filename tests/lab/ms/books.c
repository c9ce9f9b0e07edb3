// See books.h.
#include "tests/lab/ms/books.h"

static struct ms_amount sum(struct ms_amount begin, const struct ms_amount *of, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        begin.packets += of[i].packets;
        begin.octets += of[i].octets;
    }
    return begin;
}

static bool same(struct ms_amount a, struct ms_amount b)
{
    return a.packets == b.packets && a.octets == b.octets;
}

const char *books_wrong(const struct ms_counters *c)
{
    struct ms_amount pdus =
        sum((struct ms_amount){0}, (struct ms_amount[]){c->data, c->control}, 2);
    if (!same(c->pdus, sum(pdus, c->refused, MS_REFUSED_COUNT)))
        return "pdus = data + control + refused";
    struct ms_amount segments =
        sum((struct ms_amount){0}, (struct ms_amount[]){c->delivered, c->held}, 2);
    if (!same(c->segments, sum(segments, c->lost, MS_LOST_COUNT)))
        return "segments = delivered + held + lost";
    if (c->segments.packets != c->data.packets)
        return "each LLC PDU of data has one segment";
    uint64_t npdus = c->npdus_delivered + c->npdus_open;
    for (uint32_t i = 0; i < MS_LOST_COUNT; i++)
        npdus += c->npdus_lost[i];
    if (c->npdus_begun != npdus)
        return "npdus_begun = npdus_delivered + npdus_open + npdus_lost";
    if ((c->npdus_open == 0) != (c->held.packets == 0))
        return "only open N-PDUs hold segments";
    if (!same(c->up_npdus, sum(c->up_sent, c->up_unsent, MS_UNSENT_COUNT)))
        return "up_npdus = up_sent + up_unsent";
    return NULL;
}

uint64_t books_faults(const struct ms_counters *c)
{
    return sum((struct ms_amount){0}, c->refused, MS_REFUSED_COUNT).packets;
}
