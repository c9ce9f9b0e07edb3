// MSs at the BSS: who is where, SUSPEND and RESUME (TS 48.018 7.4, 7.5), RA-CAPABILITY-UPDATE
// (7.2), and PAGING-PS (7.1), which an MS in a paged cell answers by an LLC PDU without
// information. An MS that the SGSN does not resume is heard in its cell, as its routeing area
// update would be (TS 23.060 16.2.1).
#include <string.h>

#include "lab/bss/bss_parts.h"
#include "lab/engine/need.h"

static uint64_t key_of(const struct digits *imsi)
{
    uint64_t key = strlen(imsi->text);
    for (const char *digit = imsi->text; *digit; digit++)
        key = key * 10 + (uint64_t)(*digit - '0');
    return key;
}

struct bss_ms *bss_ms_find(struct bss *bss, uint32_t tlli)
{
    struct bss_link *link = bss_table_find(&bss->ms_by_tlli, tlli);
    return link ? BSS_OWNER(link, struct bss_ms, by_tlli) : NULL;
}

struct bss_ms *bss_ms_find_imsi(struct bss *bss, const struct digits *imsi)
{
    struct bss_link *link = bss_table_find(&bss->ms_by_imsi, key_of(imsi));
    struct bss_ms *ms = link ? BSS_OWNER(link, struct bss_ms, by_imsi) : NULL;
    return ms && strcmp(ms->imsi.text, imsi->text) == 0 ? ms : NULL;
}

void bss_ms_rename(struct bss_ms *ms, uint32_t tlli)
{
    bss_table_remove(&ms->bss->ms_by_tlli, &ms->by_tlli);
    ms->tlli = tlli;
    bss_table_put(&ms->bss->ms_by_tlli, &ms->by_tlli, tlli);
    bss_buffer_rename(ms->buffer, tlli);
}

struct bss_ms *bss_ms_find_before(struct bss *bss, uint32_t tlli)
{
    struct bss_link *link = bss_table_find(&bss->ms_by_before, tlli);
    return link ? BSS_OWNER(link, struct bss_ms, by_before) : NULL;
}

static void forget_before(struct bss_ms *ms)
{
    if (ms->has_before)
        bss_table_remove(&ms->bss->ms_by_before, &ms->by_before);
    ms->has_before = false;
}

void bss_rename(struct bss_ms *ms, uint32_t tlli)
{
    if (ms->tlli == tlli)
        return;
    forget_before(ms);
    ms->tlli_before = ms->tlli;
    ms->has_before = true;
    bss_table_put(&ms->bss->ms_by_before, &ms->by_before, ms->tlli_before);
    bss_ms_rename(ms, tlli);
}

void *bss_ms_user(const struct bss_ms *ms)
{
    return ms->user;
}

struct bss_cell *bss_ms_cell(const struct bss_ms *ms)
{
    return ms->buffer->cell;
}

uint32_t bss_ms_tlli(const struct bss_ms *ms)
{
    return ms->tlli;
}

bool bss_ms_is_suspended(const struct bss_ms *ms)
{
    return ms->suspended;
}

struct bss_tally bss_ms_held(const struct bss_ms *ms)
{
    const struct bss_buffer *buffer = ms->buffer;
    return (struct bss_tally){buffer->pdus + buffer->air_pdus, buffer->octets + buffer->air_octets};
}

// ---- Where ----

static void enter(struct bss_ms *ms, struct bss_cell *cell, uint64_t now_ns)
{
    ms->buffer = bss_buffer_find(ms->bss, cell, ms->tlli);
    if (!ms->buffer)
        ms->buffer = bss_buffer_make(cell, ms->tlli, ms);
    bss_buffer_attach(ms->buffer, ms, now_ns);
}

static void put(struct bss_ms *ms, struct bss *bss)
{
    ms->bss = bss;
    bss_table_put(&bss->ms_by_tlli, &ms->by_tlli, ms->tlli);
    if (ms->has_imsi)
        bss_table_put(&bss->ms_by_imsi, &ms->by_imsi, key_of(&ms->imsi));
}

static void take_out(struct bss_ms *ms)
{
    struct bss *bss = ms->bss;
    engine_cancel(bss->engine, &ms->timer);
    engine_cancel(bss->engine, &ms->page);
    engine_cancel(bss->engine, &ms->capability);
    forget_before(ms);
    bss_table_remove(&bss->ms_by_tlli, &ms->by_tlli);
    if (ms->has_imsi)
        bss_table_remove(&bss->ms_by_imsi, &ms->by_imsi);
}

// A BSS knows nothing of the procedures that another one has begun: after a call the MS is heard.
static void change_bss(struct bss_ms *ms, struct bss *bss)
{
    take_out(ms);
    put(ms, bss);
    ms->call = ms->suspended ? BSS_CALL_SUSPENDED : BSS_CALL_NONE;
    ms->has_reference = false;
}

bool bss_move(struct bss_ms *ms, struct bss_cell *cell, uint64_t now_ns)
{
    bool leaves = cell->bss != ms->bss;
    if (leaves && bss_ms_find(cell->bss, ms->tlli))
        return false;
    if (cell == ms->buffer->cell)
        return true;
    bss_buffer_detach(ms->buffer, now_ns);
    if (leaves)
        change_bss(ms, cell->bss);
    enter(ms, cell, now_ns);
    ms->unheard = bss_ms_is_silent(ms);
    if (!ms->unheard)
        bss_hello(ms, now_ns);
    return true;
}

void bss_leave(struct bss_ms *ms, uint64_t now_ns)
{
    take_out(ms);
    bss_buffer_detach(ms->buffer, now_ns);
    free(ms);
}

// ---- NULL frames ----

// TS 44.064 6.4.1: an MS's command, SAPI 1, with its FCS.
void bss_hello(struct bss_ms *ms, uint64_t now_ns)
{
    uint8_t frame[16];
    struct llc_u null = {.cr = llc_cr(true, false), .sapi = 1, .command = LLC_U_NULL};
    int octets = llc_u_encode(&null, frame, sizeof frame);
    ms->unheard = false;
    bss_up(ms, frame, (uint32_t)octets, now_ns);
}

// ---- Calls ----

static void send_suspend(struct bss_ms *ms, uint64_t now_ns)
{
    struct bssgp_suspend pdu = {.tlli = ms->tlli, .routeing_area = ms->area};
    bss_send(ms->bss, 0, BSSGP_SUSPEND_TYPE, &pdu, now_ns);
    engine_set(ms->bss->engine, &ms->timer, now_ns + ms->bss->config.t3_ns);
}

static void send_resume(struct bss_ms *ms, uint64_t now_ns)
{
    struct bssgp_resume pdu = {
        .tlli = ms->tlli, .routeing_area = ms->area, .suspend_reference = ms->reference};
    bss_send(ms->bss, 0, BSSGP_RESUME_TYPE, &pdu, now_ns);
    engine_set(ms->bss->engine, &ms->timer, now_ns + ms->bss->config.t4_ns);
}

static void end_call(struct bss_ms *ms, bool resumed, uint64_t now_ns)
{
    engine_cancel(ms->bss->engine, &ms->timer);
    ms->call = BSS_CALL_NONE;
    if (!resumed || ms->unheard)
        bss_hello(ms, now_ns);
}

// T3 or T4.
static void fire(void *self, uint64_t now_ns)
{
    struct bss_ms *ms = self;
    struct bss_counters *counters = &ms->bss->counters;
    if (ms->tries == ms->bss->config.retries) {
        counters->timeouts++;
        if (ms->call == BSS_CALL_RESUMING)
            end_call(ms, false, now_ns);
        return;
    }
    ms->tries++;
    counters->retries++;
    (ms->call == BSS_CALL_RESUMING ? send_resume : send_suspend)(ms, now_ns);
}

static bool has_procedures(const struct bss_ms *ms)
{
    return ms->bss->config.ns != BSS_NS_MANUAL;
}

void bss_suspend(struct bss_ms *ms, uint64_t now_ns)
{
    if (ms->suspended)
        return;
    ms->suspended = true;
    ms->call = BSS_CALL_SUSPENDING;
    ms->has_reference = false;
    ms->area = ms->buffer->cell->config.identity;
    ms->tries = 0;
    bss_serve_call(ms->buffer, true, now_ns);
    if (has_procedures(ms))
        send_suspend(ms, now_ns);
}

void bss_resume(struct bss_ms *ms, uint64_t now_ns)
{
    if (!ms->suspended)
        return;
    ms->suspended = false;
    bss_serve_call(ms->buffer, false, now_ns);
    if (!has_procedures(ms)) {
        end_call(ms, true, now_ns);
    } else if (!ms->has_reference) {
        end_call(ms, false, now_ns);
    } else {
        ms->call = BSS_CALL_RESUMING;
        ms->tries = 0;
        send_resume(ms, now_ns);
    }
    bss_serve(ms->buffer, now_ns);
}

static void take_suspend(struct bss_ms *ms, const uint8_t *reference)
{
    if (ms->call != BSS_CALL_SUSPENDING) {
        ms->bss->counters.late++;
        return;
    }
    engine_cancel(ms->bss->engine, &ms->timer);
    ms->call = BSS_CALL_SUSPENDED;
    ms->has_reference = reference != NULL;
    ms->reference = reference ? *reference : 0;
}

static void take_resume(struct bss_ms *ms, bool resumed, uint64_t now_ns)
{
    if (ms->call == BSS_CALL_RESUMING)
        end_call(ms, resumed, now_ns);
    else
        ms->bss->counters.late++;
}

// ---- RA-CAPABILITY-UPDATE ----

static void send_capability(struct bss_ms *ms, uint64_t now_ns)
{
    struct bssgp_ra_capability_update pdu = {.tlli = ms->tlli, .tag = ms->capability_tag};
    bss_send(ms->bss, ms->buffer->cell->config.bvci, BSSGP_RA_CAPABILITY_UPDATE_TYPE, &pdu, now_ns);
    engine_set(ms->bss->engine, &ms->capability, now_ns + ms->bss->config.t5_ns);
}

static void fire_capability(void *self, uint64_t now_ns)
{
    struct bss_ms *ms = self;
    if (ms->capability_tries++ == ms->bss->config.retries) {
        ms->bss->counters.timeouts++;
        return;
    }
    ms->bss->counters.retries++;
    send_capability(ms, now_ns);
}

void bss_ra_capability_update(struct bss *bss, struct bss_ms *ms, uint64_t now_ns)
{
    if (bss->config.ns == BSS_NS_MANUAL || ms->buffer->cell->state != BSS_CELL_UP)
        return;
    ms->capability_tries = 0;
    ms->capability_tag++;
    send_capability(ms, now_ns);
}

static void take_capability(struct bss_ms *ms, uint8_t tag)
{
    if (engine_timer_is_set(&ms->capability) && tag == ms->capability_tag)
        engine_cancel(ms->bss->engine, &ms->capability);
    else
        ms->bss->counters.late++;
}

// ---- What comes ----

// An MS that has left the NSE leaves answers behind.
void bss_ms_input(struct bss *bss, uint8_t type, const union wire_any *pdu, uint64_t now_ns)
{
    // all of these begin with the TLLI
    struct bss_ms *ms = bss_ms_find(bss, pdu->bssgp_suspend_ack.tlli);
    if (!ms)
        bss->counters.late++;
    else if (type == BSSGP_SUSPEND_ACK_TYPE)
        take_suspend(ms, &pdu->bssgp_suspend_ack.suspend_reference);
    else if (type == BSSGP_SUSPEND_NACK_TYPE)
        take_suspend(ms, NULL);
    else if (type == BSSGP_RESUME_ACK_TYPE || type == BSSGP_RESUME_NACK_TYPE)
        take_resume(ms, type == BSSGP_RESUME_ACK_TYPE, now_ns);
    else if (type == BSSGP_RA_CAPABILITY_UPDATE_ACK_TYPE)
        take_capability(ms, pdu->bssgp_ra_capability_update_ack.tag);
}

// ---- Entering ----

static void answer_page(void *self, uint64_t now_ns)
{
    struct bss_ms *ms = self;
    if (!bss_ms_is_silent(ms))
        bss_hello(ms, now_ns);
}

struct bss_ms *bss_enter(struct bss *bss, struct bss_cell *cell,
                         const struct bss_identity *identity, void *user, uint64_t now_ns)
{
    if (bss_ms_find(bss, identity->tlli))
        return NULL;
    struct bss_ms *ms = need(calloc(1, sizeof *ms));
    ms->user = user;
    ms->tlli = identity->tlli;
    ms->imsi = identity->imsi;
    ms->number = identity->number;
    ms->radio = identity->radio;
    ms->has_imsi = identity->imsi.text[0] != 0;
    engine_timer_init(&ms->timer, fire, ms);
    engine_timer_init(&ms->page, answer_page, ms);
    engine_timer_init(&ms->capability, fire_capability, ms);
    put(ms, bss);
    enter(ms, cell, now_ns);
    return ms;
}

void bss_reach(struct bss_ms *ms, bool reachable, uint64_t now_ns)
{
    if (ms->unreachable == !reachable)
        return;
    ms->unreachable = !reachable;
    bss_serve_call(ms->buffer, !reachable, now_ns);
    if (!reachable)
        return;
    if (ms->unheard && !ms->suspended)
        bss_hello(ms, now_ns);
    bss_serve(ms->buffer, now_ns);
}
