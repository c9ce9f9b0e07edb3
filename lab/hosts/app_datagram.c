// See app_datagram.h. Beyond 64 behind the latest nothing is remembered: what is later than that
// counts as a duplicate.
#include "lab/hosts/app_datagram.h"

#define WINDOW 64

// The latest so far: those between it and the former latest are missing.
static void advance(struct app_datagram_seen *s, struct app_figures *f, enum flow_end at,
                    uint32_t number)
{
    uint32_t steps = number + 1 - s->next;
    f->missing[at] += steps - 1;
    s->seen = (steps < WINDOW ? s->seen << steps : 0) | 1;
    s->next = number + 1;
}

// Nothing has come between a mark and the first datagram behind it.
static void look_for_mark(struct app_datagram_seen *s, uint64_t mark_ns)
{
    if (s->mark_ns != mark_ns) {
        s->mark_ns = mark_ns;
        s->marked = s->next;
    }
}

// Whether it is no duplicate.
static bool count(struct app_datagram *d, enum flow_end at, uint32_t number)
{
    struct app_datagram_seen *s = &d->at[at];
    struct app_figures *f = &d->app.figures;
    look_for_mark(s, d->app.place.world->mark_ns);
    if (number >= s->next) {
        advance(s, f, at, number);
        return true;
    }
    uint32_t back = s->next - 1 - number;
    uint64_t bit = back < WINDOW ? 1ULL << back : 0;
    if (!bit || s->seen & bit) {
        f->duplicates[at]++;
        return false;
    }
    s->seen |= bit;
    f->missing[at] -= number >= s->marked; // else it was counted before the mark
    f->late[at]++;
    return true;
}

static void datagram_received(void *self, struct flow *flow, enum flow_end at, uint32_t number,
                              uint64_t octets, uint64_t now_ns)
{
    struct app_datagram *d = self;
    (void)flow;
    net_count_add(&d->app.figures.arrived[at], (uint32_t)octets);
    if (count(d, at, number) && d->received)
        d->received(&d->app, at, octets, now_ns);
}

static void datagram_ended(void *self, struct flow *flow, uint64_t now_ns)
{
    struct app_datagram *d = self;
    (void)flow, (void)now_ns;
    d->flow = NULL;
}

void app_datagram_open(struct app *app, uint16_t port, bool ect, uint64_t now_ns)
{
    struct app_datagram *d = (struct app_datagram *)app;
    struct flow_config config = app_flow(app, FLOW_PROTOCOL_UDP, port);
    config.ect = ect;
    struct flow_user user = {.self = d, .received = datagram_received, .ended = datagram_ended};
    d->flow = flow_open(app->place.world->table, &config, &user, now_ns);
}

// Without a flow, for all of its MS's ports are in use, nothing is sent.
void app_datagram_send(struct app *app, enum flow_end from, uint32_t octets, uint64_t now_ns)
{
    struct app_datagram *d = (struct app_datagram *)app;
    if (!d->flow)
        return;
    net_count_add(&app->figures.sent[from], octets - APP_DATAGRAM_HEADERS);
    flow_send(d->flow, from, octets, now_ns);
}
