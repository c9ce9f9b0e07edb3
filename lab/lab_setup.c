// What Lua adds to the lab while the configuration comes up.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/engine/need.h"
#include "lab/lab_parts.h"

#define LENGTH(a) (sizeof(a) / sizeof(a)[0])
#define RECORD(tag, table, n)        \
    {                                \
        table, n, sizeof(struct tag) \
    }

const struct field lab_config_fields[] = FIELD_TABLE(lab_config, LAB_CONFIG_FIELDS);
const uint32_t lab_config_field_count = LENGTH(lab_config_fields);

static int64_t add_nse(void *target, const void *argument)
{
    struct lab *lab = target;
    const struct lab_nse *c = argument;
    struct lab_bss *at = lab_add_item(&lab->bss, sizeof *at);
    struct bss_owner owner = lab_bss_owner;
    owner.self = at;
    at->lab = lab;
    at->line = c->line;
    at->nsei = c->bss.nsei;
    at->bss = bss_create(&c->bss, &owner, lab->engine);
    return map_add(&lab->bss_by_nse, c->nse_id, at);
}

static int64_t add_endpoint(void *target, const void *argument)
{
    struct lab *lab = target;
    const struct lab_endpoint *c = argument;
    struct lab_bss *at = map_find(&lab->bss_by_nse, c->nse_id);
    if (!at)
        return -ENOENT;
    struct lab_nsvc *nsvc = lab_add_item(&at->nsvc, sizeof *nsvc);
    struct bss_nsvc_config config = {c->nsvci, c->address, c->port, c->weight, c->weight};
    nsvc->bss = at;
    nsvc->host = (struct ends_host){c->address, c->mac, c->port};
    nsvc->number = bss_add_nsvc(at->bss, &config);
    lab_nsvc_setup(lab, nsvc);
    return map_add(&lab->nsvc_by_endpoint, lab_endpoint_key(&c->address, c->port), nsvc);
}

// The file was read before, by the configuration's check.
static int follow_trace(struct lab_place *place, struct octets file)
{
    char name[RADIO_TRACE_NAME_MOST + 1] = "", error[RADIO_TRACE_ERROR_ROOM];
    if (file.n == 0)
        return 0;
    memcpy(name, file.at, file.n);
    struct radio_trace *trace = radio_trace_read(name, error);
    if (trace)
        radio_follow(bss_cell_radio(place->cell), trace);
    return trace ? 0 : -EIO;
}

static int follow_flow(struct lab_place *place, struct octets file)
{
    char name[BSS_TRACE_NAME_MOST + 1] = "", error[BSS_TRACE_ERROR_ROOM];
    if (file.n == 0)
        return 0;
    memcpy(name, file.at, file.n);
    struct bss_trace *trace = bss_trace_read(name, error);
    if (trace)
        bss_cell_follow(place->cell, trace);
    return trace ? 0 : -EIO;
}

static int64_t add_cell(void *target, const void *argument)
{
    struct lab *lab = target;
    const struct lab_cell *c = argument;
    struct lab_bss *at = map_find(&lab->bss_by_nse, c->nse_id);
    char name[32];
    if (!at)
        return -ENOENT;
    struct lab_place *place = lab_add_item(&lab->place, sizeof *place);
    place->bss = at;
    place->cell = bss_add_cell(at->bss, &c->bsc);
    if (c->has_radio)
        bss_cell_add_radio(place->cell, &c->radio, lab->config.seed);
    if ((c->has_radio && follow_trace(place, c->trace) != 0) ||
        follow_flow(place, c->flow_trace) != 0)
        return -EIO;
    at->cells++;
    snprintf(name, sizeof name, "%u-%u", at->nsei, c->bsc.bvci);
    place->number = ledger_add_cell(&lab->ledger, name);
    place->bvc_id = c->bvc_id;
    int fault = map_add(&lab->place_by_bvc, c->bvc_id, place);
    return fault ? fault
                 : map_add(&lab->place_by_cell, lab_cell_key(c->nse_id, c->bsc.bvci), place);
}

static uint64_t mobile_key(uint16_t nsei, uint32_t tlli)
{
    return (uint64_t)nsei << 32 | tlli;
}

struct lab_mobile *lab_mobile_of(const struct lab *lab, uint16_t nsei, uint32_t tlli)
{
    return map_find(&lab->mobile_by_tlli, mobile_key(nsei, tlli));
}

int lab_know_mobile(struct lab *lab, uint16_t nsei, uint32_t tlli, struct lab_mobile *mobile)
{
    int fault = map_add(&lab->mobile_by_tlli, mobile_key(nsei, tlli), mobile);
    return lab_mobile_of(lab, nsei, tlli) == mobile ? 0 : fault;
}

void lab_forget_mobile(struct lab *lab, uint16_t nsei, uint32_t tlli,
                       const struct lab_mobile *mobile)
{
    if (lab_mobile_of(lab, nsei, tlli) == mobile)
        map_remove(&lab->mobile_by_tlli, mobile_key(nsei, tlli));
}

int lab_make_mobile(struct lab *lab, const struct lab_ms *c, struct lab_mobile **made)
{
    struct lab_bss *at = map_find(&lab->bss_by_nse, c->nse_id);
    struct lab_place *place = map_find(&lab->place_by_cell, lab_cell_key(c->nse_id, c->bvci));
    struct ms_terms terms = {c->n201_u, c->gea, c->key, c->iov_ui};
    const struct radio_own *own = NULL;
    char name[32];
    if (!place)
        return -ENOENT;
    int fault = c->has_radio ? lab_own_radio(lab, c->radio, c->walk, &own) : 0;
    if (fault)
        return fault;
    struct lab_mobile *mobile = lab_add_item(&lab->mobile, sizeof *mobile);
    *made = mobile;
    fault = ms_setup(&mobile->ms, &lab->mobiles_shared, &mobile->counters, &terms);
    if (fault)
        return fault;
    ms_sgsn_setup(&mobile->sgsn, &mobile->ms);
    mobile->ms.label = c->tlli;
    snprintf(name, sizeof name, "%s", c->imsi.text);
    mobile->number = ledger_add_ms(&lab->ledger, name, place->number);
    mobile->bss = at;
    struct bss_identity identity = {c->tlli, c->imsi, mobile->number, own};
    mobile->at_bss = bss_enter(at->bss, place->cell, &identity, mobile, engine_now_ns(lab->engine));
    if (!mobile->at_bss)
        return -EEXIST;
    return lab_know_mobile(lab, at->nsei, c->tlli, mobile);
}

static int64_t add_ms(void *target, const void *argument)
{
    struct lab_mobile *mobile;
    return lab_make_mobile(target, argument, &mobile);
}

static struct lab_mobile *mobile_of(struct lab *lab, uint32_t nse_id, uint32_t tlli)
{
    struct lab_bss *at = map_find(&lab->bss_by_nse, nse_id);
    return at ? lab_mobile_of(lab, at->nsei, tlli) : NULL;
}

static int64_t add_context(void *target, const void *argument)
{
    struct lab *lab = target;
    const struct lab_context *c = argument;
    struct lab_mobile *mobile = mobile_of(lab, c->nse_id, c->tlli);
    if (!mobile)
        return -ENOENT;
    struct lab_tunnel *tunnel = lab_add_item(&lab->tunnel, sizeof *tunnel);
    *tunnel = (struct lab_tunnel){.ms = mobile,
                                  .address = c->address,
                                  .teid = c->teid,
                                  .ggsn_teid = c->ggsn_teid,
                                  .worker = dp_teid_worker(lab->dp, c->teid),
                                  .nsapi = c->nsapi};
    tunnel->number = ledger_add_context(&lab->ledger, mobile->number, c->traffic_class);
    mobile->tunnel[c->nsapi - MS_NSAPI_FIRST] = tunnel;
    int fault = ms_add_context(&mobile->ms, c->nsapi, c->sapi);
    fault = fault ? fault : map_add(&lab->tunnel_by_address, c->address, tunnel);
    return fault ? fault : map_add(&lab->tunnel_by_teid, c->ggsn_teid, tunnel);
}

// An event at a given time; what it meets is there already.
static int64_t add_plan(void *target, const void *argument)
{
    struct lab *lab = target;
    const struct lab_plan *c = argument;
    struct lab_bss *at = map_find(&lab->bss_by_nse, c->nse_id);
    struct bss_cell *cell = at ? bss_cell_find(at->bss, c->bvci) : NULL;
    struct radio *radio = cell ? bss_cell_radio(cell) : NULL;
    const struct lab_mobile *ms = radio && c->has_tlli ? mobile_of(lab, c->nse_id, c->tlli) : NULL;
    struct radio_plan plan = c->plan;
    if (!radio || (c->has_tlli && (!ms || bss_ms_cell(ms->at_bss) != cell)))
        return -ENOENT;
    plan.ms = ms ? ms->number : 0;
    radio_add_plans(radio, &plan, 1, engine_now_ns(lab->engine));
    return 0;
}

// ---- TCP ----

static bool is_named(const char *name, struct octets octets)
{
    return strlen(name) == octets.n && memcmp(name, octets.at, octets.n) == 0;
}

static const struct tcp_profile *built_in(struct octets name)
{
    for (uint32_t i = 0; i < tcp_profile_count; i++)
        if (is_named(tcp_profiles[i].name, name))
            return &tcp_profiles[i].profile;
    return NULL;
}

// A profile of the file, or one of those that are built in.
static const struct tcp_profile *profile_of(const struct lab *lab, struct octets name)
{
    for (uint32_t i = 0; i < lab->profile.n; i++) {
        const struct lab_profile *own = lab->profile.item[i];
        if (is_named(own->name, name))
            return &own->profile;
    }
    return built_in(name);
}

// Returns 0 or a negative errno.
static int change_profile(struct tcp_profile *profile, const struct tcp_profile *base,
                          const struct lab_tcp *c)
{
    if (!base)
        return -ENOENT;
    *profile = *base;
    return field_change(tcp_profile_fields, tcp_profile_field_count, profile, c->changes);
}

const char *lab_tcp_fault(const void *config)
{
    const struct lab_tcp *c = config;
    struct tcp_profile profile;
    int fault = change_profile(&profile, built_in(c->base), c);
    return fault ? "base: no such profile" : tcp_profile_fault(&profile);
}

static int64_t add_tcp(void *target, const void *argument)
{
    struct lab *lab = target;
    const struct lab_tcp *c = argument;
    struct lab_profile *own = lab_add_item(&lab->profile, sizeof *own);
    memcpy(own->name, c->name.at, c->name.n);
    return change_profile(&own->profile, built_in(c->base), c);
}

// ---- Applications ----

// The call that adds an application: these fields, and then the kind's own struct, `config`.
#define LAB_APP_FIELDS(MUST, MAY, T)                                        \
    MUST(T, U8, kind, 0, 255, "its place in app_kinds")                     \
    MUST(T, U32, address, 1, UINT32_MAX, "the MS's address in its context") \
    MUST(T, U32, host, 1, UINT32_MAX, "the host's address")                 \
    MUST(T, OCTETS, host_tcp, 1, 64, "the TCP profile of the host")         \
    MUST(T, OCTETS, ms_tcp, 1, 64, "the TCP profile of the MS")
FIELD_STRUCT(lab_app, LAB_APP_FIELDS);
static const struct field app_fields[] = FIELD_TABLE(lab_app, LAB_APP_FIELDS);

#define CONFIG_AT ((sizeof(struct lab_app) + 15) / 16 * 16)

static int64_t add_app(void *target, const void *argument)
{
    struct lab *lab = target;
    const struct lab_app *c = argument;
    const struct app_kind *kind = app_kinds[c->kind];
    struct lab_tunnel *tunnel = map_find(&lab->tunnel_by_address, c->address);
    char error[APP_ERROR_ROOM];
    if (!tunnel)
        return -ENOENT;
    struct app_place place = {
        .world = &lab->world,
        .times = &lab->times[c->kind],
        .batch = &lab->batch_times[c->kind],
        .address = {[FLOW_HOST] = c->host, [FLOW_MS] = c->address},
        .profile =
            {[FLOW_HOST] = profile_of(lab, c->host_tcp), [FLOW_MS] = profile_of(lab, c->ms_tcp)},
        .stream = ledger_add_flow(&lab->ledger, kind->name, tunnel->number),
    };
    struct app **app = lab_add_item(&lab->app, sizeof(struct app *));
    *app = app_create(kind, (const char *)argument + CONFIG_AT, &place, error);
    if (*app) {
        (*app)->place.waits = lab_phone_has_app(tunnel->ms, app);
        return 0;
    }
    snprintf(lab->refusal, sizeof lab->refusal, "%s", error);
    free(lab->app.item[--lab->app.n]);
    return -EINVAL;
}

// ---- The calls and the lists ----

static const struct field nse_fields[] = FIELD_TABLE(lab_nse, LAB_NSE_FIELDS);
static const struct field endpoint_fields[] = FIELD_TABLE(lab_endpoint, LAB_ENDPOINT_FIELDS);
static const struct field cell_fields[] = FIELD_TABLE(lab_cell, LAB_CELL_FIELDS);
static const struct field ms_fields[] = FIELD_TABLE(lab_ms, LAB_MS_FIELDS);
static const struct field context_fields[] = FIELD_TABLE(lab_context, LAB_CONTEXT_FIELDS);
static const struct field phone_fields[] = FIELD_TABLE(lab_phone_call, LAB_PHONE_FIELDS);
static const struct field plan_fields[] = FIELD_TABLE(lab_plan, LAB_PLAN_FIELDS);
static const struct field event_fields[] = FIELD_TABLE(lab_event_call, LAB_EVENT_CALL_FIELDS);
static const struct field tcp_fields[] = FIELD_TABLE(lab_tcp, LAB_TCP_FIELDS);
const struct field_record lab_tcp_record = FIELD_RECORD_OF(lab_tcp, tcp_fields);

#define CALL(name, help, fields)                                                   \
    {                                                                              \
#name, help, fields, LENGTH(fields), sizeof(struct lab_##name), add_##name \
    }
static const struct field_call plain_calls[] = {
    CALL(nse, "the BSS of an NSE", nse_fields),
    CALL(endpoint, "the BSS's endpoint of an NS-VC", endpoint_fields),
    CALL(cell, "a cell of a BSS", cell_fields),
    CALL(ms, "an MS in a cell", ms_fields),
    CALL(context, "a PDP context of an MS", context_fields),
    {"phone", "an MS in a cell that attaches", phone_fields, LENGTH(phone_fields),
     sizeof(struct lab_phone_call), lab_add_phone},
    CALL(plan, "an event of a cell's radio", plan_fields),
    {"event", "what an MS does at given times", event_fields, LENGTH(event_fields),
     sizeof(struct lab_event_call), lab_add_event},
    CALL(tcp, "a TCP profile of the file", tcp_fields),
};

// The fields of the call for one kind of application.
static void put_app_fields(struct field *fields, const struct app_kind *kind)
{
    memcpy(fields, app_fields, sizeof app_fields);
    fields[LENGTH(app_fields)] = (struct field){.name = "config",
                                                .help = kind->help,
                                                .kind = FIELD_RECORD,
                                                .record = kind->config,
                                                .offset = CONFIG_AT,
                                                .has_offset = FIELD_ALWAYS};
}

const struct field_call *lab_calls(struct lab *lab, uint32_t *count)
{
    uint32_t n = LENGTH(app_fields) + 1;
    *count = LENGTH(plain_calls) + app_kind_count;
    if (lab->calls)
        return lab->calls;
    lab->calls = need(calloc(*count, sizeof *lab->calls));
    lab->app_fields = need(calloc(app_kind_count * n, sizeof *lab->app_fields));
    memcpy(lab->calls, plain_calls, sizeof plain_calls);
    for (uint32_t i = 0; i < app_kind_count; i++) {
        struct field *fields = lab->app_fields + i * n;
        put_app_fields(fields, app_kinds[i]);
        lab->calls[LENGTH(plain_calls) + i] =
            (struct field_call){app_kinds[i]->name,
                                app_kinds[i]->help,
                                fields,
                                n,
                                (uint32_t)CONFIG_AT + app_kinds[i]->config->octets,
                                add_app};
    }
    return lab->calls;
}
