// See telemetry.h: one cell with its classes, one MS with its packet flows.
#include <stdio.h>

#include "control/export/telemetry_parts.h"

bool telemetry_cell(const struct telemetry *t, const char **words, uint32_t *bvc)
{
    uint64_t nsei, bvci;
    if (!telemetry_number(words, 0xffff, &nsei) || !telemetry_number(words, 0xffff, &bvci))
        return false;
    uint32_t nse = board_nse_of(t->source.board, (uint16_t)nsei);
    *bvc = nse == VIEW_ALL ? VIEW_ALL : board_bvc_of(t->source.board, nse, (uint16_t)bvci);
    return *bvc != VIEW_ALL;
}

#define MOVES_MEANWHILE 3 // tries, since the MS may move between workers meanwhile

struct single {
    const struct telemetry *t;
    struct row *row;
    uint32_t ms; // ms_id
    bool found;
};

// The key is the class's number: DPDK allows no '-' in a key.
void telemetry_put_class(struct row *row, uint32_t traffic_class, struct row *inner)
{
    char number[8];
    row_text(inner, "class", class_names[traffic_class]);
    snprintf(number, sizeof number, "%u", traffic_class);
    row_inside(row, number, inner);
}

static const char *put_bvc_classes(const struct telemetry *t, uint32_t bvc, struct row *row)
{
    const struct dp_query *q;
    const char *why = ask_parts(&t->ask, VIEW_ALL, VIEW_BVC_CLASSES, bvc, &q);
    struct row classes = row_begin();
    for (uint32_t i = 0; i < q->n && !why; i++) {
        struct row one = row_begin();
        row_fields(&one, &view_class_record, &q->of_class[i]);
        telemetry_put_class(&classes, q->of_class[i].traffic_class, &one);
    }
    row_inside(row, "classes", &classes);
    return why;
}

static bool take_bvc(void *self, uint32_t id, const void *view, const struct view_drops *drops)
{
    struct single *single = self;
    (void)id;
    telemetry_put_bvc(single->t, single->row, view, drops);
    single->found = true;
    return true;
}

const char *telemetry_bvc(struct telemetry *t, const char *words, struct row *row)
{
    struct single single = {.t = t, .row = row};
    uint32_t bvc;
    if (!telemetry_cell(t, &words, &bvc))
        return TELEMETRY_NO_CELL;
    const char *why = ask_rows(&t->ask, VIEW_BVCS, VIEW_ALL, bvc, bvc + 1, take_bvc, &single);
    if (why || !single.found)
        return why ? why : TELEMETRY_NO_CELL;
    return put_bvc_classes(t, bvc, row);
}

static bool take_ms(void *self, uint32_t id, const void *view, const struct view_drops *drops)
{
    struct single *single = self;
    (void)id;
    if (((const struct view_ms *)view)->ms_id != single->ms)
        return true;
    telemetry_put_ms(single->t, single->row, view, drops);
    single->found = true;
    return true;
}

static const char *put_pfcs(const struct telemetry *t, uint32_t ms, uint32_t at, struct row *row)
{
    const struct dp_query *q;
    const char *why = ask_parts(&t->ask, dp_at_worker(at), VIEW_PFCS, dp_at_place(at), &q);
    struct row pfcs = row_begin();
    for (uint32_t i = 0; i < q->n && !why && q->ms_id == ms; i++) {
        char slot[8];
        struct row one = row_begin();
        row_fields(&one, &view_pfc_record, &q->pfc[i]);
        row_text(&one, "class", class_names[q->pfc[i].traffic_class]);
        snprintf(slot, sizeof slot, "%u", q->pfc[i].slot);
        row_inside(&pfcs, slot, &one);
    }
    row_inside(row, "packet_flows", &pfcs);
    return why;
}

const char *telemetry_ms(struct telemetry *t, const char *words, struct row *row)
{
    struct single single = {.t = t, .row = row, .ms = board_ms_of(t->source.board, words)};
    const char *why = NULL;
    uint32_t at = 0;
    for (int i = 0; i < MOVES_MEANWHILE && single.ms != VIEW_ALL && !single.found && !why; i++) {
        at = dp_ms_at(t->ask.dp, single.ms);
        uint32_t id = ask_ms_id(&t->ask, at);
        why = ask_rows(&t->ask, VIEW_MSS, VIEW_ALL, id, id + 1, take_ms, &single);
    }
    if (why || !single.found)
        return why ? why : "there is no such MS";
    return put_pfcs(t, single.ms, at, row);
}
