// The receiver's MSs, and what is told of them from outside: keys, contexts and names that change,
// the optional elements that are right.
#include "tests/oracle/gb_receiver_state.h"

#include <stdlib.h>
#include <string.h>

struct ms *gb_receiver_ms(const struct gb_receiver *r, uint32_t tlli)
{
    struct ms *ms = r->buckets[tlli % BUCKETS];
    while (ms && ms->tlli != tlli)
        ms = ms->next;
    return ms;
}

static void link_in(struct gb_receiver *r, struct ms *ms, uint32_t tlli)
{
    ms->tlli = tlli;
    ms->next = r->buckets[tlli % BUCKETS];
    r->buckets[tlli % BUCKETS] = ms;
}

static void link_out(struct gb_receiver *r, const struct ms *ms)
{
    struct ms **place = &r->buckets[ms->tlli % BUCKETS];
    while (*place != ms)
        place = &(*place)->next;
    *place = ms->next;
}

struct ms *gb_receiver_ms_or_new(struct gb_receiver *r, uint32_t tlli)
{
    struct ms *ms = gb_receiver_ms(r, tlli);
    if (ms || r->mss == GB_MSS_MAX)
        return ms;
    ms = calloc(1, sizeof(*ms));
    if (!ms)
        return NULL;
    link_in(r, ms, tlli);
    r->mss++;
    return ms;
}

void gb_receiver_discard(struct gb_receiver *r, struct context *c)
{
    r->counters.partials_open -= c->open;
    r->counters.partials_discarded += c->open;
    c->open = false;
}

void gb_receiver_new_key(struct gb_receiver *r, uint32_t tlli)
{
    struct ms *ms = gb_receiver_ms(r, tlli);
    if (ms)
        memset(ms->next_ui, 0, sizeof(ms->next_ui));
}

void gb_receiver_new_context(struct gb_receiver *r, uint32_t tlli, uint8_t nsapi)
{
    struct ms *ms = gb_receiver_ms(r, tlli);
    if (!ms || nsapi < NSAPI_FIRST || nsapi >= NSAPI_FIRST + CONTEXTS)
        return;
    gb_receiver_discard(r, &ms->contexts[nsapi - NSAPI_FIRST]);
    memset(&ms->contexts[nsapi - NSAPI_FIRST], 0, sizeof(ms->contexts[0]));
}

void gb_receiver_flush(struct gb_receiver *r, uint32_t tlli)
{
    struct ms *ms = gb_receiver_ms(r, tlli);
    for (int i = 0; ms && i < CONTEXTS; i++)
        gb_receiver_discard(r, &ms->contexts[i]);
}

bool gb_receiver_rename(struct gb_receiver *r, uint32_t old_tlli, uint32_t tlli)
{
    struct ms *ms = gb_receiver_ms(r, old_tlli);
    if (!ms || gb_receiver_ms(r, tlli))
        return false;
    link_out(r, ms);
    link_in(r, ms, tlli);
    return true;
}

void gb_receiver_forget(struct gb_receiver *r, uint32_t tlli)
{
    struct ms *ms = gb_receiver_ms(r, tlli);
    if (!ms)
        return;
    gb_receiver_flush(r, tlli);
    link_out(r, ms);
    free(ms);
    r->mss--;
}

bool gb_receiver_expect_options(struct gb_receiver *r, uint32_t tlli, uint8_t nsapi,
                                const uint8_t *octets, size_t n)
{
    struct ms *ms = gb_receiver_ms_or_new(r, tlli);
    if (!ms || n > GB_OPTIONS_MAX || nsapi < NSAPI_FIRST || nsapi >= NSAPI_FIRST + CONTEXTS)
        return false;
    struct context *c = &ms->contexts[nsapi - NSAPI_FIRST];
    c->options_expected = true;
    c->options_n = n;
    if (n > 0)
        memcpy(c->options, octets, n);
    return true;
}
