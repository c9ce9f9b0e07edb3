// BSS packet flow contexts at the BSS (TS 48.018 clause 8a): CREATE, DOWNLOAD, MODIFY and DELETE. A
// context belongs to an MS's buffer in a cell, and goes with it when FLUSH-LL transfers. One that
// was idle for its packet flow timer is forgotten without a word, when next asked for (8a.5).
#include "lab/bss/bss_parts.h"
#include "lab/engine/need.h"

#define CAUSE_UNKNOWN_MS         0x04
#define CAUSE_PFC_CREATE_FAILURE 0x0a
#define CAUSE_ABQP               0x0c
#define FEATURE_PFC              0x01
#define PFI_LEAST                4 // those below the BSS knows by itself (24.008 10.5.6.11)
#define ABQP_OCTETS_MAX          64

static struct engine *engine_of(const struct bss_pfc *pfc)
{
    return pfc->buffer->cell->bss->engine;
}

static void forget(struct bss_pfc *pfc)
{
    struct bss_pfc **at = &pfc->buffer->pfcs;
    while (*at != pfc)
        at = &(*at)->next;
    *at = pfc->next;
    engine_cancel(engine_of(pfc), &pfc->timer);
    free(pfc);
}

void bss_pfc_forget(struct bss_buffer *buffer)
{
    while (buffer->pfcs)
        forget(buffer->pfcs);
}

struct bss_pfc *bss_pfc_find(struct bss_buffer *buffer, uint8_t pfi, uint64_t now_ns)
{
    struct bss_pfc *pfc = buffer->pfcs;
    while (pfc && pfc->pfi != pfi)
        pfc = pfc->next;
    bool idle = pfc && pfc->state == BSS_PFC_KNOWN && pfc->octets == 0 &&
                now_ns - pfc->used_ns >= pfc->idle_ns;
    if (!idle)
        return pfc;
    forget(pfc);
    return NULL;
}

static void send_with_pfi(struct bss_pfc *pfc, uint8_t type, uint64_t now_ns)
{
    const struct bss_buffer *buffer = pfc->buffer;
    // DOWNLOAD-BSS-PFC and DELETE-BSS-PFC-ACK have the same fields
    struct bssgp_download_bss_pfc pdu = {.tlli = buffer->tlli, .pfi = pfc->pfi};
    bss_send(buffer->cell->bss, buffer->cell->config.bvci, type, &pdu, now_ns);
}

static void send_modify(struct bss_pfc *pfc, uint64_t now_ns)
{
    const struct bss_buffer *buffer = pfc->buffer;
    uint8_t abqp[ABQP_OCTETS_MAX];
    int octets = abqp_encode(&pfc->wanted, abqp, sizeof abqp);
    struct bssgp_modify_bss_pfc pdu = {.tlli = buffer->tlli, .pfi = pfc->pfi};
    pdu.abqp = (struct octets){abqp, octets < 0 ? 0 : (uint32_t)octets};
    bss_send(buffer->cell->bss, buffer->cell->config.bvci, BSSGP_MODIFY_BSS_PFC_TYPE, &pdu, now_ns);
}

static void send(struct bss_pfc *pfc, uint64_t now_ns)
{
    const struct bss_config *config = &pfc->buffer->cell->bss->config;
    bool modifies = pfc->state == BSS_PFC_MODIFYING;
    if (modifies)
        send_modify(pfc, now_ns);
    else
        send_with_pfi(pfc, BSSGP_DOWNLOAD_BSS_PFC_TYPE, now_ns);
    engine_set(engine_of(pfc), &pfc->timer, now_ns + (modifies ? config->t8_ns : config->t6_ns));
}

// T6 or T8.
static void fire(void *self, uint64_t now_ns)
{
    struct bss_pfc *pfc = self;
    struct bss *bss = pfc->buffer->cell->bss;
    if (pfc->tries++ < bss->config.retries) {
        bss->counters.retries++;
        send(pfc, now_ns);
        return;
    }
    bss->counters.timeouts++;
    if (pfc->state == BSS_PFC_MODIFYING)
        pfc->state = BSS_PFC_KNOWN;
    else
        forget(pfc);
}

// Behind the others: the first come are controlled first.
static struct bss_pfc *make(struct bss_buffer *buffer, uint8_t pfi, uint64_t now_ns)
{
    struct bss_pfc *pfc = need(calloc(1, sizeof *pfc)), **at = &buffer->pfcs;
    while (*at)
        at = &(*at)->next;
    *at = pfc;
    pfc->buffer = buffer;
    pfc->pfi = pfi;
    pfc->used_ns = now_ns;
    pfc->idle_ns = TIME_NEVER;
    engine_timer_init(&pfc->timer, fire, pfc);
    return pfc;
}

void bss_pfc_used(struct bss_buffer *buffer, uint8_t pfi, uint64_t now_ns)
{
    struct bss *bss = buffer->cell->bss;
    struct bss_pfc *pfc = bss_pfc_find(buffer, pfi, now_ns);
    if (pfc) {
        pfc->used_ns = now_ns;
        return;
    }
    if (pfi < PFI_LEAST || !bss->config.pfc_download || !(bss->features & FEATURE_PFC))
        return;
    pfc = make(buffer, pfi, now_ns);
    pfc->state = BSS_PFC_ASKED;
    send(pfc, now_ns);
}

void bss_pfc_pass(struct bss_buffer *from, struct bss_buffer *to)
{
    while (from->pfcs) {
        struct bss_pfc *old = from->pfcs;
        if (old->state != BSS_PFC_ASKED && !bss_pfc_find(to, old->pfi, old->used_ns)) {
            struct bss_pfc *pfc = make(to, old->pfi, old->used_ns);
            pfc->state = BSS_PFC_KNOWN;
            pfc->abqp = old->abqp;
            pfc->idle_ns = old->idle_ns;
        }
        forget(old);
    }
}

// ---- CREATE-BSS-PFC ----

static void refuse(struct bss_cell *cell, const struct bssgp_create_bss_pfc *pdu, uint8_t cause,
                   uint64_t now_ns)
{
    struct bssgp_create_bss_pfc_nack nack = {.tlli = pdu->tlli, .pfi = pdu->pfi, .cause = cause};
    bss_send(cell->bss, cell->config.bvci, BSSGP_CREATE_BSS_PFC_NACK_TYPE, &nack, now_ns);
}

static void limit(bool has, uint32_t *rate, uint64_t most)
{
    if (has && *rate > most)
        *rate = (uint32_t)most;
}

// Rates that are no code of 24.008 stay as they were asked for.
static struct octets lowered(const struct bss *bss, struct abqp *abqp, struct octets asked,
                             uint8_t room[ABQP_OCTETS_MAX])
{
    uint64_t most = bss->config.pfc_rate_bit_per_s;
    if (bss->config.pfc_answer != BSS_PFC_LOWER)
        return asked;
    struct abqp low = *abqp;
    limit(low.has_mbr_up_bit_per_s, &low.mbr_up_bit_per_s, most);
    limit(low.has_mbr_down_bit_per_s, &low.mbr_down_bit_per_s, most);
    limit(low.has_gbr_up_bit_per_s, &low.gbr_up_bit_per_s, most);
    limit(low.has_gbr_down_bit_per_s, &low.gbr_down_bit_per_s, most);
    int octets = abqp_encode(&low, room, ABQP_OCTETS_MAX);
    if (octets < 0)
        return asked;
    *abqp = low;
    return (struct octets){room, (uint32_t)octets};
}

static void grant(struct bss_buffer *buffer, const struct bssgp_create_bss_pfc *pdu,
                  struct abqp *abqp, uint64_t now_ns)
{
    struct bss *bss = buffer->cell->bss;
    uint8_t room[ABQP_OCTETS_MAX];
    struct bssgp_create_bss_pfc_ack ack = {.tlli = pdu->tlli, .pfi = pdu->pfi};
    ack.abqp = lowered(bss, abqp, pdu->abqp, room);
    struct bss_pfc *pfc = bss_pfc_find(buffer, pdu->pfi, now_ns);
    if (!pfc)
        pfc = make(buffer, pdu->pfi, now_ns);
    engine_cancel(bss->engine, &pfc->timer);
    pfc->state = BSS_PFC_KNOWN;
    pfc->used_ns = now_ns;
    pfc->idle_ns = pdu->packet_flow_timer_s == BSSGP_TIMER_OFF_S
                       ? TIME_NEVER
                       : pdu->packet_flow_timer_s * S_IN_NS;
    pfc->abqp = *abqp;
    bss_send(bss, buffer->cell->config.bvci, BSSGP_CREATE_BSS_PFC_ACK_TYPE, &ack, now_ns);
}

static void create(struct bss_cell *cell, const struct bssgp_create_bss_pfc *pdu, uint64_t now_ns)
{
    struct bss *bss = cell->bss;
    struct bss_buffer *buffer = bss_buffer_find(bss, cell, pdu->tlli);
    struct abqp abqp;
    if (bss->config.pfc_answer == BSS_PFC_SILENT)
        return;
    if (abqp_decode(&abqp, pdu->abqp.at, pdu->abqp.n) < 0) {
        bss_fault(bss, "CREATE-BSS-PFC", "its profile cannot be read", 0, now_ns);
        refuse(cell, pdu, CAUSE_ABQP, now_ns);
    } else if (!buffer || !buffer->ms) {
        refuse(cell, pdu, CAUSE_UNKNOWN_MS, now_ns);
    } else if (bss->config.pfc_answer == BSS_PFC_REFUSE) {
        refuse(cell, pdu, CAUSE_PFC_CREATE_FAILURE, now_ns);
    } else {
        grant(buffer, pdu, &abqp, now_ns);
    }
}

// ---- DELETE, MODIFY ----

static void delete (struct bss_cell *cell, const struct bssgp_delete_bss_pfc *pdu, uint64_t now_ns)
{
    struct bss_buffer *buffer = bss_buffer_find(cell->bss, cell, pdu->tlli);
    struct bss_pfc *pfc = buffer ? bss_pfc_find(buffer, pdu->pfi, now_ns) : NULL;
    struct bssgp_delete_bss_pfc_ack ack = {.tlli = pdu->tlli, .pfi = pdu->pfi};
    if (pfc)
        forget(pfc);
    bss_send(cell->bss, cell->config.bvci, BSSGP_DELETE_BSS_PFC_ACK_TYPE, &ack, now_ns);
}

static void modified(struct bss_cell *cell, const struct bssgp_modify_bss_pfc_ack *pdu,
                     uint64_t now_ns)
{
    struct bss_buffer *buffer = bss_buffer_find(cell->bss, cell, pdu->tlli);
    struct bss_pfc *pfc = buffer ? bss_pfc_find(buffer, pdu->pfi, now_ns) : NULL;
    if (!pfc || pfc->state != BSS_PFC_MODIFYING) {
        cell->bss->counters.late++;
        return;
    }
    engine_cancel(cell->bss->engine, &pfc->timer);
    pfc->state = BSS_PFC_KNOWN;
    if (abqp_decode(&pfc->abqp, pdu->abqp.at, pdu->abqp.n) < 0)
        bss_fault(cell->bss, "MODIFY-BSS-PFC-ACK", "its profile cannot be read", 0, now_ns);
}

void bss_pfc_input(struct bss_cell *cell, uint8_t type, const union wire_any *pdu, uint64_t now_ns)
{
    if (type == BSSGP_CREATE_BSS_PFC_TYPE)
        create(cell, &pdu->bssgp_create_bss_pfc, now_ns);
    else if (type == BSSGP_MODIFY_BSS_PFC_ACK_TYPE)
        modified(cell, &pdu->bssgp_modify_bss_pfc_ack, now_ns);
    else
        delete (cell, &pdu->bssgp_delete_bss_pfc, now_ns);
}

void bss_pfc_modify(struct bss *bss, struct bss_ms *ms, uint8_t pfi, uint64_t rate_bit_per_s,
                    uint64_t now_ns)
{
    struct bss_pfc *pfc = bss_pfc_find(ms->buffer, pfi, now_ns);
    (void)bss;
    if (!pfc || pfc->state != BSS_PFC_KNOWN)
        return;
    pfc->wanted = pfc->abqp;
    pfc->wanted.has_mbr_down_bit_per_s = true;
    pfc->wanted.mbr_down_bit_per_s = (uint32_t)rate_bit_per_s;
    pfc->state = BSS_PFC_MODIFYING;
    pfc->tries = 0;
    send(pfc, now_ns);
}

void bss_pfc_delete(struct bss *bss, struct bss_ms *ms, uint8_t pfi, uint8_t cause, uint64_t now_ns)
{
    struct bss_pfc *pfc = bss_pfc_find(ms->buffer, pfi, now_ns);
    struct bssgp_delete_bss_pfc_req pdu = {.tlli = ms->tlli, .pfi = pfi, .cause = cause};
    if (!pfc || pfc->state == BSS_PFC_ASKED)
        return;
    engine_cancel(bss->engine, &pfc->timer);
    pfc->state = BSS_PFC_DELETING;
    bss_send(bss, ms->buffer->cell->config.bvci, BSSGP_DELETE_BSS_PFC_REQ_TYPE, &pdu, now_ns);
}
