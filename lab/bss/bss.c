// See bss.h: making, starting and ending a BSS, its tables of fields, and what its owner may read.
#include "lab/bss/bss.h"

#include <string.h>

#include "lab/bss/bss_parts.h"
#include "lab/engine/need.h"

const struct field bss_config_fields[] = FIELD_KEYS_TABLE(bss_config, BSS_CONFIG_FIELDS);
const uint32_t bss_config_field_count = sizeof bss_config_fields / sizeof bss_config_fields[0];
const struct field_record bss_config_record = FIELD_RECORD_OF(bss_config, bss_config_fields);
const struct field bss_cell_config_fields[] =
    FIELD_KEYS_TABLE(bss_cell_config, BSS_CELL_CONFIG_FIELDS);
const uint32_t bss_cell_config_field_count =
    sizeof bss_cell_config_fields / sizeof bss_cell_config_fields[0];
const struct field_record bss_cell_config_record =
    FIELD_RECORD_OF(bss_cell_config, bss_cell_config_fields);

static void standard(const struct field *fields, uint32_t count, void *config)
{
    for (uint32_t i = 0; i < count; i++)
        if (fields[i].key)
            field_set(&fields[i], config, fields[i].key->standard);
}

void bss_config_standard(struct bss_config *config)
{
    memset(config, 0, sizeof *config);
    standard(bss_config_fields, bss_config_field_count, config);
}

void bss_cell_config_standard(struct bss_cell_config *config)
{
    memset(config, 0, sizeof *config);
    standard(bss_cell_config_fields, bss_cell_config_field_count, config);
}

const char *bss_config_fault(const struct bss_config *c)
{
    if (c->pfc_fc && !c->pfc)
        return "bss.pfc_fc: needs bss.pfc";
    if (c->pfc_download && !c->pfc)
        return "bss.pfc_download: needs bss.pfc";
    return NULL;
}

const char *bss_cell_config_fault(const struct bss_cell_config *c)
{
    if (c->flow_pfc && c->flow_ms == BSS_FLOW_MS_NONE)
        return "flow.pfc: needs flow.ms";
    if (c->ms_octets && c->cell_octets && c->ms_octets > c->cell_octets)
        return "buffer.ms_octets: more than buffer.cell_octets";
    if (c->ms_pdus && c->cell_pdus && c->ms_pdus > c->cell_pdus)
        return "buffer.ms_pdus: more than buffer.cell_pdus";
    return NULL;
}

static const struct {
    const char *name, *help;
    enum bss_way way;
} losses[BSS_LOSSES] = {
#define BSS_LOSS(name, way, told, help) [BSS_LOST_##name] = {#name, help, BSS_##way},
#include "lab/bss/bss_losses.def"
#undef BSS_LOSS
};

const char *bss_loss_name(enum bss_loss loss)
{
    return losses[loss].name;
}

const char *bss_loss_help(enum bss_loss loss)
{
    return losses[loss].help;
}

uint64_t bss_tag(const struct bss *bss)
{
    return bss->tag;
}

enum bss_way bss_loss_way(enum bss_loss loss)
{
    return losses[loss].way;
}

// ---- Making ----

static void find_codecs(struct bss *bss)
{
    for (uint32_t i = 0; i < wire_pdu_count; i++) {
        const struct wire_pdu *pdu = &wire_pdus[i];
        if (pdu->group && strcmp(pdu->group, "bssgp") == 0)
            bss->bssgp_pdu[pdu->type] = pdu;
        else if (pdu->group && strcmp(pdu->group, "ns") == 0 && pdu->type < 32)
            bss->ns_pdu[pdu->type] = pdu;
    }
}

struct bss *bss_create(const struct bss_config *config, const struct bss_owner *owner,
                       struct engine *engine)
{
    struct bss *bss = need(calloc(1, sizeof *bss));
    bss->config = *config;
    bss->owner = *owner;
    bss->engine = engine;
    bss->fresh = true;
    bss->cells_end = &bss->cells;
    find_codecs(bss);
    bss_bvc_init(bss);
    bss_sns_init(bss);
    return bss;
}

uint32_t bss_add_nsvc(struct bss *bss, const struct bss_nsvc_config *config)
{
    struct bss_nsvc *nsvc = need(calloc(1, sizeof *nsvc));
    bss->nsvc = need(realloc(bss->nsvc, (bss->nsvcs + 1) * sizeof(struct bss_nsvc *)));
    nsvc->bss = bss;
    nsvc->config = *config;
    nsvc->index = bss->nsvcs;
    bss->nsvc[bss->nsvcs++] = nsvc;
    bss_ns_init(nsvc);
    return nsvc->index;
}

struct bss_cell *bss_add_cell(struct bss *bss, const struct bss_cell_config *config)
{
    struct bss_cell *cell = need(calloc(1, sizeof *cell));
    cell->bss = bss;
    cell->config = *config;
    bss_table_put(&bss->cell_by_bvci, &cell->by_bvci, config->bvci);
    *bss->cells_end = cell;
    bss->cells_end = &cell->next;
    bss_bvc_init_cell(cell);
    bss_flow_init(cell);
    bss_serve_init(cell);
    return cell;
}

void bss_start(struct bss *bss, uint64_t now_ns)
{
    for (uint32_t i = 0; i < bss->nsvcs; i++)
        bss_ns_start(bss->nsvc[i], now_ns);
    if (bss->config.ns == BSS_NS_SNS)
        bss_sns_start(bss, now_ns);
}

// ---- Ending ----

static void release_queues(struct bss_buffer *buffer)
{
    struct bss_cell *cell = buffer->cell;
    for (uint32_t sapi = 0; sapi < BSS_SAPIS; sapi++)
        for (struct bss_pdu *pdu = buffer->lle[sapi].first, *next; pdu; pdu = next) {
            next = pdu->next;
            engine_cancel(cell->bss->engine, &pdu->expiry);
            bss_pdu_free(cell->bss, pdu);
        }
}

static void release_ms(struct bss *bss, struct bss_ms *ms)
{
    engine_cancel(bss->engine, &ms->timer);
    engine_cancel(bss->engine, &ms->page);
    engine_cancel(bss->engine, &ms->capability);
    free(ms);
}

static void release_cell(struct bss_cell *cell)
{
    struct engine *engine = cell->bss->engine;
    engine_cancel(engine, &cell->timer);
    engine_cancel(engine, &cell->flow);
    engine_cancel(engine, &cell->server);
    bss_trace_end(cell);
    if (cell->served)
        bss_pdu_free(cell->bss, cell->served);
    while (cell->buffers) {
        struct bss_buffer *buffer = cell->buffers;
        release_queues(buffer);
        if (buffer->ms) {
            bss_radio_leave(buffer, engine_now_ns(engine));
            release_ms(cell->bss, buffer->ms);
        }
        bss_buffer_free(buffer);
    }
    if (cell->radio)
        radio_destroy(cell->radio);
    free(cell->on_air);
    free(cell);
}

// The radios give back what they have.
static void silence(struct bss *bss)
{
    bss->owner.lost = NULL;
    bss->owner.deliver = NULL;
    for (uint32_t i = 0; i < bss->nsvcs; i++)
        bss->nsvc[i]->state = BSS_NSVC_DEAD;
}

void bss_destroy(struct bss *bss)
{
    silence(bss);
    for (struct bss_cell *cell = bss->cells, *next; cell; cell = next) {
        next = cell->next;
        release_cell(cell);
    }
    for (uint32_t i = 0; i < bss->nsvcs; i++) {
        engine_cancel(bss->engine, &bss->nsvc[i]->timer);
        engine_cancel(bss->engine, &bss->nsvc[i]->test);
        free(bss->nsvc[i]);
    }
    engine_cancel(bss->engine, &bss->sns_timer);
    engine_cancel(bss->engine, &bss->t2);
    free(bss->nsvc);
    bss_table_release(&bss->cell_by_bvci);
    bss_table_release(&bss->ms_by_tlli);
    bss_table_release(&bss->ms_by_before);
    bss_table_release(&bss->ms_by_imsi);
    bss_table_release(&bss->buffer_by_tlli);
    bss_pdu_release(bss);
    free(bss);
}

// ---- Reading ----

bool bss_nsvc_is_up(const struct bss *bss, uint32_t nsvc)
{
    return bss->nsvc[nsvc]->state == BSS_NSVC_UP;
}

struct bss_cell *bss_cell_find(struct bss *bss, uint16_t bvci)
{
    struct bss_link *link = bss_table_find(&bss->cell_by_bvci, bvci);
    return link ? BSS_OWNER(link, struct bss_cell, by_bvci) : NULL;
}

uint16_t bss_cell_bvci(const struct bss_cell *cell)
{
    return cell->config.bvci;
}

bool bss_cell_is_up(const struct bss_cell *cell)
{
    return cell->told_up && bss_bvc_takes(cell);
}

const struct bss_traffic *bss_cell_traffic(const struct bss_cell *cell)
{
    return &cell->traffic;
}

const struct bss_counters *bss_counters(const struct bss *bss)
{
    return &bss->counters;
}

void bss_radio_status(struct bss *bss, struct bss_ms *ms, uint8_t cause, uint64_t now_ns)
{
    (void)bss;
    bss_report_radio(ms->buffer->cell, ms->tlli, cause, now_ns);
}
