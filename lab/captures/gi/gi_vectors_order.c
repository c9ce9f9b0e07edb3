// See gi_vectors.h: what the connections of a user have to do with each other.
//
// A step of the user that follows nothing on its own connection at once follows the last answer
// that it had on any: a page's objects are asked for when the page is there, the next page when it
// was read. Behind that it is the same law as within a connection: think, after so many octets.
//
// A page is what a user waits for at a time: steps of the user and their answers, up to a silence
// of PAGE_GAP_US in which nothing is due. An answer above TRANSFER_OCTETS is a page of its own, for
// a user does not wait for its end before the next page.
#include <stdlib.h>

#include "lab/captures/gi/gi_vectors.h"

#define AT_ONCE_US 50000 // a step that follows its own connection
// An answer's last ACK may pass behind a step that it led to: what a user sends at once passes in
// any order, and a request of 400 octets takes 0.3 s on one time slot.
#define EARLY_RTT_US     300000 // of half of a round trip
#define EARLY_US         300000
#define PAGE_GAP_US      1000000
#define PAIR_OCTETS      100  // of a request that measures the channel up, at least
#define PAIR_OCTETS_MOST 1400 // and as one packet
#define PAIRS_LEAST      20
#define HEADERS_OCTETS   40
#define PAIR_LEAST_NS    20000    // an octet: above 400 kbit/s nothing is known
#define CUT_US           10000000 // before the end of the capture
#define TRANSFER_OCTETS  100000

// An answer of a user: when it was whole, and where.
struct mark {
    uint64_t at_us, received;
    uint32_t connection;
};

// What the user does: opens a connection, or takes a step.
struct event {
    uint64_t at_us;
    uint64_t due_us;       // when all that answers it is there; 0: nothing does, or never
    uint32_t vector, step; // step: 0: it opens
    bool transfer;
};

struct user_order {
    struct gi_vectors *vectors;
    struct mark *mark;
    struct event *event;
    uint32_t marks, marks_room, events, events_room, pages;
};

static int by_mark(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    if (x->at_us != y->at_us)
        return x->at_us < y->at_us ? -1 : 1;
    return x->connection < y->connection ? -1 : x->connection > y->connection;
}

static int by_event(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->at_us != y->at_us)
        return x->at_us < y->at_us ? -1 : 1;
    if (x->vector != y->vector)
        return x->vector < y->vector ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step;
}

static void *room(void *array, uint32_t *have, uint32_t n, size_t octets)
{
    if (n < *have)
        return array;
    *have = *have ? 2 * *have : 64;
    array = realloc(array, *have * octets);
    if (!array)
        abort();
    return array;
}

static void add_event(struct user_order *order, uint32_t vector, uint32_t step, uint64_t at_us)
{
    order->event = room(order->event, &order->events_room, order->events, sizeof *order->event);
    order->event[order->events++] = (struct event){at_us, 0, vector, step, false};
}

static void add_mark(struct user_order *order, const struct gi_vector *v, const struct gi_step *s)
{
    order->mark = room(order->mark, &order->marks_room, order->marks, sizeof *order->mark);
    order->mark[order->marks++] = (struct mark){s->end_us, s->octets_until, v->number};
}

// The user's steps with what is due for each.
static void add_vector(struct user_order *order, uint32_t number)
{
    const struct gi_vectors *vectors = order->vectors;
    const struct gi_vector *v = &vectors->vector[number];
    uint32_t first = order->events;
    add_event(order, number, 0, v->begin_us);
    for (uint32_t i = v->first; i; i = vectors->step[i].next) {
        const struct gi_step *s = &vectors->step[i];
        if (s->what != GI_STEP_SENDS)
            continue;
        if (s->side == GI_UP) {
            add_event(order, number, i, s->at_us);
            continue;
        }
        struct event *event = &order->event[order->events - 1];
        event->transfer |= s->octets > TRANSFER_OCTETS;
        event->due_us = s->end_us;
        if (s->end_us)
            add_mark(order, v, s);
    }
    // The opening is answered when its first request is.
    if (order->events > first + 1 && !order->event[first].due_us) {
        order->event[first].due_us = order->event[first + 1].due_us;
        order->event[first].transfer = order->event[first + 1].transfer;
    }
}

// The last answer up to that time; NULL: there was none.
static const struct mark *last_mark(const struct user_order *order, uint64_t until_us)
{
    uint32_t low = 0, high = order->marks; // below low: not later
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (order->mark[middle].at_us <= until_us)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &order->mark[low - 1] : NULL;
}

static uint64_t since(uint64_t t_us, uint64_t from_us)
{
    return t_us > from_us ? t_us - from_us : 0;
}

// What the step follows: its own connection, or the user's last answer.
static void follow(struct user_order *order, const struct event *event)
{
    struct gi_vectors *vectors = order->vectors;
    struct gi_vector *v = &vectors->vector[event->vector];
    struct gi_step *s = event->step ? &vectors->step[event->step] : NULL;
    if (!s)
        v->think_us = v->begin_us - vectors->first_us;
    if (v->from_internet && !s)
        return;
    if (s && s->think_us <= AT_ONCE_US)
        return;
    uint64_t rtt_us = vectors->user[v->user]->least_rtt_us;
    uint64_t early_us = EARLY_US + (rtt_us / 2 < EARLY_RTT_US ? rtt_us / 2 : EARLY_RTT_US);
    const struct mark *mark = last_mark(order, event->at_us + early_us);
    if (!mark || mark->connection == v->number || (s && mark->at_us <= s->base_us))
        return;
    if (s) {
        s->after = mark->connection;
        s->received = mark->received;
        s->think_us = since(event->at_us, mark->at_us);
    } else {
        v->after = mark->connection;
        v->received = mark->received;
        v->think_us = since(event->at_us, mark->at_us);
    }
}

static void put_page(struct user_order *order, const struct event *event, uint32_t page)
{
    struct gi_vectors *vectors = order->vectors;
    struct gi_vector *v = &vectors->vector[event->vector];
    uint32_t i = event->step;
    if (!i) {
        v->page = page;
        i = v->first;
    } else {
        vectors->step[i].page = page;
        i = vectors->step[i].next;
    }
    for (; i; i = vectors->step[i].next) {
        struct gi_step *s = &vectors->step[i];
        if (s->side == GI_UP && s->what == GI_STEP_SENDS)
            return;
        s->page = page;
    }
}

static void number_pages(struct user_order *order)
{
    uint64_t busy_us = 0;
    uint32_t current = 0;
    for (uint32_t i = 0; i < order->events; i++) {
        const struct event *event = &order->event[i];
        if (event->transfer) {
            // The opening and the request that it was for are one page.
            bool opened = event->step && i && order->vectors->vector[event->vector].page &&
                          order->vectors->vector[event->vector].first == event->step;
            put_page(order, event,
                     opened ? order->vectors->vector[event->vector].page : ++order->pages);
            continue;
        }
        if (!current || event->at_us > busy_us + PAGE_GAP_US)
            current = ++order->pages;
        if (event->due_us > busy_us)
            busy_us = event->due_us;
        if (event->at_us > busy_us)
            busy_us = event->at_us;
        put_page(order, event, current);
    }
}

// A page as it was seen here, which is as long as for the user: the way to here is in both its
// ends.
struct page {
    uint64_t begin_us, end_us; // end_us 0: nothing answered
    bool cut;
};

static void end_page(struct page *page, const struct gi_vector *v, const struct gi_step *s)
{
    if (s->side != GI_DOWN || s->what != GI_STEP_SENDS)
        return;
    page->cut |= !s->end_us || s->octets_until > v->side[GI_DOWN].acked;
    if (s->end_us > page->end_us)
        page->end_us = s->end_us;
}

static void time_pages(const struct user_order *order, struct gi_vector_user *user)
{
    struct gi_vector *vector = order->vectors->vector;
    struct page *pages = calloc(order->pages + 1, sizeof *pages);
    if (!pages)
        abort();
    for (uint32_t i = order->events; i-- > 0;) { // the first of a page is the last to be put
        const struct event *event = &order->event[i];
        const struct gi_vector *v = &vector[event->vector];
        pages[event->step ? order->vectors->step[event->step].page : v->page].begin_us =
            event->at_us;
    }
    for (uint32_t i = user->first; i; i = vector[i].next_of_user) {
        user->octets += vector[i].side[GI_DOWN].acked;
        for (uint32_t k = vector[i].first; k; k = order->vectors->step[k].next)
            end_page(&pages[order->vectors->step[k].page], &vector[i], &order->vectors->step[k]);
    }
    for (uint32_t i = 1; i <= order->pages; i++)
        if (pages[i].end_us > pages[i].begin_us && !pages[i].cut) {
            user->pages++;
            user->pages_us += pages[i].end_us - pages[i].begin_us;
        }
    free(pages);
}

// An answer that the capture's end cuts: how much more would have come nobody knows. It is as long
// as half of its user's are, if that is more than had passed; a transfer of a user that had none as
// long does not end.
static void extend(struct gi_vectors *vectors, struct gi_vector *v, const uint32_t *octets,
                   uint32_t n)
{
    const struct gi_vector_side *down = &v->side[GI_DOWN];
    struct gi_step *s = &vectors->step[down->step];
    if (!down->step || v->closed || down->sent == down->acked ||
        v->end_us + CUT_US < vectors->last_us)
        return;
    s->end_us = 0;
    if (n && s->octets < octets[n / 2])
        s->octets = octets[n / 2];
    else if (s->octets > TRANSFER_OCTETS && (n == 0 || s->octets > octets[n - 1]))
        s->octets = GI_VECTORS_ENDLESS;
}

static int by_octets(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void extend_all(struct gi_vectors *vectors, const struct gi_vector_user *user)
{
    struct gi_vector *vector = vectors->vector;
    uint32_t *octets = NULL, n = 0, have = 0;
    for (uint32_t i = user->first; i; i = vector[i].next_of_user)
        for (uint32_t k = vector[i].first; k; k = vectors->step[k].next) {
            const struct gi_step *s = &vectors->step[k];
            if (s->side != GI_DOWN || !s->end_us || s->octets_until > vector[i].side[GI_DOWN].acked)
                continue;
            octets = room(octets, &have, n, sizeof *octets);
            octets[n++] = s->octets;
        }
    if (n)
        qsort(octets, n, sizeof *octets, by_octets);
    for (uint32_t i = user->first; i; i = vector[i].next_of_user)
        extend(vectors, &vector[i], octets, n);
    free(octets);
}

// ---- The channel up ----
// A request right behind the ACK that opens its connection passes here as much later as the channel
// up takes for it: a pair of packets. Of many connections a tenth at least have such a request.

static uint32_t first_request(const struct gi_vectors *vectors, const struct gi_vector *v)
{
    const struct gi_step *s = &vectors->step[v->first];
    bool is = v->first && v->answered && v->from_start && !v->from_internet && s->side == GI_UP &&
              s->what == GI_STEP_SENDS && s->received == 0 && s->octets >= PAIR_OCTETS &&
              s->octets <= PAIR_OCTETS_MOST;
    return is ? v->first : 0;
}

static void measure_up(struct gi_vectors *vectors)
{
    uint32_t *ns = NULL, n = 0, have = 0;
    for (uint32_t i = 1; i < vectors->vectors; i++) {
        const struct gi_step *s = &vectors->step[first_request(vectors, &vectors->vector[i])];
        uint64_t each_ns = s->octets ? s->think_us * 1000 / (s->octets + HEADERS_OCTETS) : 0;
        if (s->octets && each_ns < UINT32_MAX) {
            ns = room(ns, &have, n, sizeof *ns);
            ns[n++] = (uint32_t)each_ns;
        }
    }
    if (n >= PAIRS_LEAST) {
        qsort(ns, n, sizeof *ns, by_octets);
        vectors->up_ns_an_octet = ns[n / 10] >= PAIR_LEAST_NS ? ns[n / 10] : 0;
    }
    free(ns);
}

// That time is no thinking.
static void take_off_up(struct gi_vectors *vectors)
{
    for (uint32_t i = 1; i < vectors->steps; i++) {
        struct gi_step *s = &vectors->step[i];
        uint64_t octets = s->octets < PAIR_OCTETS_MOST ? s->octets : PAIR_OCTETS_MOST;
        uint64_t us = octets * vectors->up_ns_an_octet / 1000;
        if (s->side == GI_UP)
            s->think_us -= us < s->think_us ? us : s->think_us;
    }
}

static void order_user(struct user_order *order, struct gi_vector_user *user)
{
    struct gi_vector *vector = order->vectors->vector;
    order->marks = order->events = order->pages = 0;
    for (uint32_t i = user->first; i; i = vector[i].next_of_user)
        vector[i].number = ++user->connections;
    extend_all(order->vectors, user);
    for (uint32_t i = user->first; i; i = vector[i].next_of_user)
        add_vector(order, i);
    if (order->marks)
        qsort(order->mark, order->marks, sizeof *order->mark, by_mark);
    if (order->events)
        qsort(order->event, order->events, sizeof *order->event, by_event);
    for (uint32_t i = 0; i < order->events; i++)
        follow(order, &order->event[i]);
    number_pages(order);
    time_pages(order, user);
}

void gi_vectors_finish(struct gi_vectors *vectors)
{
    struct user_order order = {.vectors = vectors};
    uint32_t place = 0;
    measure_up(vectors);
    for (uint32_t i = vectors->vectors - 1; i > 0; i--) {
        struct gi_vector *v = &vectors->vector[i];
        vectors->left.unanswered += !v->answered;
        if (!v->answered)
            continue;
        v->next_of_user = vectors->user[v->user]->first;
        vectors->user[v->user]->first = i;
    }
    for (uint32_t i = 0; i < vectors->users; i++) {
        order_user(&order, vectors->user[i]);
        if (vectors->user[i]->connections)
            vectors->user[i]->place = ++place;
    }
    take_off_up(vectors);
    free(order.mark);
    free(order.event);
}
