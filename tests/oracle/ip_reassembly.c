// See ip_reassembly.h.
#include "tests/oracle/ip_reassembly.h"

#include <stdlib.h>
#include <string.h>

struct reassembly_open {
    struct reassembly_open *next;
    uint8_t key[40];
    size_t end; // 0: not known yet
    size_t furthest;
    bool came[REASSEMBLY_OCTETS_MAX];
    uint8_t octets[REASSEMBLY_OCTETS_MAX];
};

// The link that points to the datagram, or to NULL at the end of the list.
static struct reassembly_open **place_of(struct reassembly *r, const uint8_t *key)
{
    struct reassembly_open **place = &r->first;
    while (*place && memcmp((*place)->key, key, sizeof((*place)->key)) != 0)
        place = &(*place)->next;
    return place;
}

static enum reassembly_verdict fits(const struct reassembly_open *d,
                                    const struct reassembly_fragment *f)
{
    size_t end = f->offset + f->n;
    if (f->more ? d->end && end > d->end : (d->end && end != d->end) || end < d->furthest)
        return REASSEMBLY_END;
    for (size_t i = f->offset; i < end; i++)
        if (d->came[i])
            return REASSEMBLY_OVERLAP;
    return REASSEMBLY_WAITS;
}

static void append(struct reassembly_open *d, const struct reassembly_fragment *f)
{
    size_t end = f->offset + f->n;
    memcpy(d->octets + f->offset, f->octets, f->n);
    memset(d->came + f->offset, true, f->n);
    d->furthest = end > d->furthest ? end : d->furthest;
    if (!f->more)
        d->end = end;
}

static bool is_whole(const struct reassembly_open *d)
{
    return d->end && !memchr(d->came, false, d->end);
}

static void close_whole(struct reassembly *r, struct reassembly_open **place)
{
    struct reassembly_open *d = *place;
    free(r->done);
    r->done = d;
    r->whole = d->octets;
    r->whole_n = d->end;
    *place = d->next;
    r->open--;
}

enum reassembly_verdict reassembly_take(struct reassembly *r, const struct reassembly_fragment *f)
{
    if (f->n == 0 || (f->more && f->n % 8 != 0) || f->offset > REASSEMBLY_OCTETS_MAX ||
        f->n > REASSEMBLY_OCTETS_MAX - f->offset)
        return REASSEMBLY_LENGTH;
    struct reassembly_open **place = place_of(r, f->key);
    if (!*place) {
        if (r->open == REASSEMBLY_OPEN_MAX || !(*place = calloc(1, sizeof(**place))))
            return REASSEMBLY_FULL;
        memcpy((*place)->key, f->key, sizeof(f->key));
        r->open++;
    }
    enum reassembly_verdict verdict = fits(*place, f);
    if (verdict != REASSEMBLY_WAITS)
        return verdict;
    append(*place, f);
    if (!is_whole(*place))
        return REASSEMBLY_WAITS;
    close_whole(r, place);
    return REASSEMBLY_WHOLE;
}

void reassembly_release(struct reassembly *r)
{
    while (r->first) {
        struct reassembly_open *next = r->first->next;
        free(r->first);
        r->first = next;
    }
    free(r->done);
    *r = (struct reassembly){0};
}
