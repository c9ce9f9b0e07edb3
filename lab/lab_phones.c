// MSs of the lab that attach: a phone's GMM and SM (lab/ms/phone.h) beside the MS's user data,
// behind the BSS. Its TLLI is what it and the SGSN agree on, its context is there from ACTIVATE
// ACCEPT on, and its address, which the GGSN keeps for it, stays the same from context to context:
// so the hosts may send to it at any time, and the GGSN loses what it has no context for.
#include <inttypes.h>
#include <string.h>

#include "lab/engine/need.h"
#include "lab/lab_parts.h"
#include "lab/ms/phone.h"

#define STREAM_PHONES (3ULL << 40)

struct lab_phone {
    struct phone phone;
    struct ms_keys before;
    struct lab *lab;
    struct lab_mobile *mobile;
    struct lab_tunnel *tunnel;
    struct engine_timer timer;
    struct rng rng;
    uint32_t number;   // among the lab's phones, and the place of its address
    uint32_t known[2]; // TLLIs by which the lab finds it: its own, and the one before
    uint64_t on_ns;    // when it is switched on
    uint64_t resets;   // of LLC, that the phone knows of
    uint64_t
        took_ns[LAB_PHONE_STEPS]; // since it was switched on; UINT64_MAX: it has not come so far
    struct lab_items app;         // struct app *; not its own: they start with its first context
    bool has_context, is_on;
    struct ms_amount taken, unsent; // LLC PDUs of its signalling; N-PDUs without a context
};

// ---- Where it is ----

static void know(struct lab_phone *p, uint32_t tlli)
{
    struct lab *lab = p->lab;
    uint16_t nsei = p->mobile->bss->nsei;
    if (tlli == p->known[0])
        return;
    if (p->known[1] != tlli)
        lab_forget_mobile(lab, nsei, p->known[1], p->mobile);
    p->known[1] = p->known[0];
    p->known[0] = tlli;
    if (lab_know_mobile(lab, nsei, tlli, p->mobile) != 0)
        lab_fault(lab, "a phone: another MS has its TLLI", tlli);
    bss_rename(p->mobile->at_bss, tlli);
    p->mobile->ms.label = tlli;
}

// Whose TLLI nobody has: the phone makes a random one of it.
static uint32_t draw(void *self)
{
    struct lab_phone *p = self;
    uint32_t number;
    do
        number = rng_below(&p->rng, UINT32_MAX);
    while (lab_mobile_of(p->lab, p->mobile->bss->nsei, phone_random_tlli(number)));
    return number;
}

static void send_up(void *self, struct phone *phone, const uint8_t *llc, uint32_t octets,
                    uint64_t now_ns)
{
    struct lab_phone *p = self;
    know(p, phone->tlli);
    bss_up_tagged(p->mobile->at_bss, llc, octets, 0, now_ns);
}

// ---- How far it has come ----

static void come(struct lab_phone *p, enum lab_phone_step step, uint64_t now_ns)
{
    if (p->took_ns[step] == UINT64_MAX)
        p->took_ns[step] = now_ns - p->on_ns;
}

static void start_apps(struct lab_phone *p, uint64_t now_ns)
{
    for (uint32_t i = 0; i < p->app.n && !p->lab->outside.run; i++)
        app_start(*(struct app **)p->app.item[i], now_ns);
    p->app.n = 0;
}

static void change_context(void *self, struct phone *phone, uint64_t now_ns)
{
    struct lab_phone *p = self;
    struct ms *ms = &p->mobile->ms;
    ms_remove_context(ms, phone->config.nsapi, now_ns);
    p->has_context = phone->address != 0;
    if (!p->has_context)
        return;
    if (phone->address != p->tunnel->address ||
        ms_add_context(ms, phone->config.nsapi, phone->config.sapi) != 0)
        lab_fault(p->lab, "a phone: a context that is not the GGSN's for it, address",
                  phone->address);
    come(p, LAB_PHONE_CONTEXT, now_ns);
    start_apps(p, now_ns);
}

// User data are under the same key as the signalling.
static void take_key(void *self, struct phone *phone, uint8_t gea, struct octets kc)
{
    struct lab_phone *p = self;
    if (ms_take_key(&p->mobile->ms, gea, kc) != 0)
        lab_fault(p->lab, "a phone: a key that is none, of GEA", phone->gea);
}

static void go_on(struct lab_phone *p, uint64_t now_ns)
{
    uint64_t next_ns = phone_next_ns(&p->phone);
    if (p->phone.state == PHONE_ATTACHED)
        come(p, LAB_PHONE_ATTACHED, now_ns);
    if (next_ns == PHONE_NEVER_NS)
        engine_cancel(p->lab->engine, &p->timer);
    else
        engine_set(p->lab->engine, &p->timer, next_ns > now_ns ? next_ns : now_ns);
}

static void turn(void *self, uint64_t now_ns)
{
    struct lab_phone *p = self;
    if (p->is_on) {
        phone_turn(&p->phone, now_ns);
    } else {
        p->is_on = true;
        p->on_ns = now_ns;
        phone_on(&p->phone, now_ns);
    }
    go_on(p, now_ns);
}

// ---- LLC PDUs and N-PDUs ----

static bool is_ui(const uint8_t *llc, uint32_t octets)
{
    return octets >= 2 && (llc[1] & LLC_UI_FORMAT_MASK) == LLC_UI_FORMAT;
}

// User data for a phone that has no context any more: the SGSN does not know that yet.
static bool is_for_nobody(struct lab_phone *p, uint64_t tag, const uint8_t *llc, uint32_t octets)
{
    if (p->has_context || !is_ui(llc, octets))
        return false;
    lab_lost_llc(p->lab, p->mobile, tag, llc, octets, p->lab->place_phone + LAB_PHONE_AT_MS);
    return true;
}

bool lab_phone_down(struct lab_mobile *mobile, uint64_t tag, const uint8_t *llc, uint32_t octets,
                    uint64_t now_ns)
{
    struct lab_phone *p = mobile->phone;
    if (!p || !p->is_on ||
        (!phone_down(&p->phone, llc, octets, now_ns) && !is_for_nobody(p, tag, llc, octets)))
        return false;
    p->taken.packets++;
    p->taken.octets += octets;
    go_on(p, now_ns);
    return true;
}

// A Reset of the SGSN is for all LLEs, the phone's as well, and so is an IOV-UI.
void lab_phone_heard(struct lab_mobile *mobile)
{
    struct lab_phone *p = mobile->phone;
    if (p)
        p->phone.iov_ui = mobile->ms.iov_ui;
    if (p && mobile->counters.resets != p->resets) {
        p->resets = mobile->counters.resets;
        phone_reset(&p->phone);
    }
}

void lab_phone_arrived(const struct lab_mobile *mobile, uint64_t now_ns)
{
    if (mobile->phone)
        come(mobile->phone, LAB_PHONE_OCTET, now_ns);
}

bool lab_phone_sends(struct lab_mobile *mobile, uint32_t octets, uint64_t now_ns)
{
    struct lab_phone *p = mobile->phone;
    if (!p)
        return true;
    if (p->has_context) {
        phone_sent(&p->phone, now_ns);
        go_on(p, now_ns);
        return true;
    }
    p->unsent.packets++;
    p->unsent.octets += octets;
    return false;
}

bool lab_phone_tunnel(const struct lab *lab, const struct lab_tunnel *tunnel, uint32_t *teid,
                      uint32_t *worker)
{
    const struct pool_context *context;
    *teid = tunnel->teid;
    *worker = tunnel->worker;
    if (!tunnel->ms->phone)
        return true;
    context = ggsn_of_address(&lab->ggsn, tunnel->address);
    if (!context)
        return false;
    *teid = context->data_teid;
    *worker = dp_teid_worker(lab->dp, *teid);
    return true;
}

// ---- Setup ----

#define KEY_OF(imsi, nsapi) ((imsi)*16 + (nsapi)) // an IMSI as a number has 54 bits

static uint32_t kept_place(void *self, uint64_t imsi, uint8_t nsapi)
{
    const struct lab *lab = self;
    const struct lab_phone *p = map_find(&lab->phone_by_imsi, KEY_OF(imsi, nsapi));
    return p ? p->number : UINT32_MAX;
}

static struct lab_tunnel *add_tunnel(struct lab_phone *p, const struct lab_phone_call *c)
{
    struct lab_tunnel *tunnel = lab_add_item(&p->lab->tunnel, sizeof *tunnel);
    *tunnel = (struct lab_tunnel){
        .ms = p->mobile, .address = ggsn_kept_address(p->number), .nsapi = c->nsapi};
    tunnel->number = ledger_add_context(&p->lab->ledger, p->mobile->number, c->traffic_class);
    p->mobile->tunnel[c->nsapi - MS_NSAPI_FIRST] = tunnel;
    return tunnel;
}

static void setup(struct lab_phone *p, const struct lab_phone_call *c)
{
    struct phone_config config = {.nsapi = c->nsapi, .sapi = c->sapi, .subscribed = true};
    struct lab *lab = p->lab;
    snprintf(config.imsi, sizeof config.imsi, "%.15s", c->imsi.text);
    snprintf(config.imeisv, sizeof config.imeisv, "%s", LAB_PHONE_IMEISV);
    config.has_card = c->has_k && c->has_opc && milenage_ready();
    if (config.has_card) {
        memcpy(config.card.k, c->k.at, sizeof config.card.k);
        memcpy(config.card.opc, c->opc.at, sizeof config.card.opc);
    }
    phone_setup(&p->phone, &config,
                &(struct phone_owner){.self = p,
                                      .send = send_up,
                                      .context = change_context,
                                      .random = draw,
                                      .scratch = p->mobile->ms.shared->scratch,
                                      .keyed = take_key});
    engine_timer_init(&p->timer, turn, p);
    rng_seed(&p->rng, lab->config.seed, STREAM_PHONES + p->number);
    for (int step = 0; step < LAB_PHONE_STEPS; step++)
        p->took_ns[step] = UINT64_MAX;
    p->on_ns = c->on_ns;
}

int64_t lab_add_phone(void *target, const void *argument)
{
    struct lab *lab = target;
    const struct lab_phone_call *c = argument;
    struct lab_mobile *mobile;
    struct lab_phone *p = lab_add_item(&lab->phone, sizeof *p);
    p->lab = lab;
    p->number = lab->phone.n - 1;
    // Until it is switched on it has a TLLI that nobody hears of.
    int fault = lab_make_mobile(lab,
                                &(struct lab_ms){.nse_id = c->nse_id,
                                                 .bvci = c->bvci,
                                                 .tlli = LAB_PHONE_OFF_TLLI + p->number,
                                                 .imsi = c->imsi,
                                                 .n201_u = c->n201_u,
                                                 .has_radio = c->has_radio,
                                                 .radio = c->radio,
                                                 .has_walk = c->has_walk,
                                                 .walk = c->walk},
                                &mobile);
    if (fault)
        return fault;
    mobile->phone = p;
    mobile->ms.before = &p->before;
    p->mobile = mobile;
    p->known[0] = p->known[1] = LAB_PHONE_OFF_TLLI + p->number;
    setup(p, c);
    p->tunnel = add_tunnel(p, c);
    lab->ggsn.kept = lab->phone.n;
    lab->ggsn.kept_place = kept_place;
    fault = map_add(&lab->tunnel_by_address, p->tunnel->address, p->tunnel);
    if (!fault)
        fault = map_add(&lab->phone_by_imsi, KEY_OF(pool_imsi(c->imsi.text), c->nsapi), p);
    return fault ? fault : (int64_t)p->tunnel->address;
}

bool lab_phone_has_app(struct lab_mobile *mobile, struct app **app)
{
    if (!mobile->phone)
        return false;
    lab_put_item(&mobile->phone->app, app);
    return true;
}

void lab_phones_start(struct lab *lab)
{
    uint64_t now_ns = engine_now_ns(lab->engine);
    for (uint32_t i = 0; i < lab->phone.n; i++) {
        struct lab_phone *p = lab->phone.item[i];
        engine_set(lab->engine, &p->timer, p->on_ns > now_ns ? p->on_ns : now_ns);
    }
}

void lab_phones_release(struct lab *lab)
{
    for (uint32_t i = 0; i < lab->phone.n; i++) {
        struct lab_phone *p = lab->phone.item[i];
        engine_cancel(lab->engine, &p->timer);
        free(p->app.item);
    }
}

// ---- What they came to ----

void lab_phones_add(const struct lab *lab, struct ms_amount *taken, struct ms_amount *unsent)
{
    for (uint32_t i = 0; i < lab->phone.n; i++) {
        const struct lab_phone *p = lab->phone.item[i];
        taken->packets += p->taken.packets;
        taken->octets += p->taken.octets;
        unsent->packets += p->unsent.packets;
        unsent->octets += p->unsent.octets;
    }
}

struct phones_row {
    uint32_t phones, on, now[2]; // now: attached, with a context
    uint64_t count[PHONE_COUNTS];
    struct {
        uint64_t *ns; // in ascending order
        uint64_t n, sum_ns;
    } of[LAB_PHONE_STEPS];
};

// The smallest that so many of a thousand do not exceed.
static uint64_t quantile_ns(const struct phones_row *row, enum lab_phone_step step,
                            uint32_t per_mille)
{
    uint64_t n = row->of[step].n, place = (n * per_mille + 999) / 1000;
    return row->of[step].ns[place > 0 ? place - 1 : 0];
}

#define TABLE_FILE  "lab/lab_phones.def"
#define TABLE_OWNER const void *nothing
#include "lab/base/table_make.h"

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void add_row(struct phones_row *row, const struct lab_phone *p)
{
    row->on += p->is_on;
    row->now[0] += p->phone.state == PHONE_ATTACHED || p->phone.state == PHONE_UPDATING;
    row->now[1] += p->has_context;
    for (int i = 0; i < PHONE_COUNTS; i++)
        row->count[i] += p->phone.count[i];
    for (int step = 0; step < LAB_PHONE_STEPS; step++)
        if (p->took_ns[step] != UINT64_MAX) {
            row->of[step].ns[row->of[step].n++] = p->took_ns[step];
            row->of[step].sum_ns += p->took_ns[step];
        }
}

static void begin_row(struct phones_row *row, const struct lab *lab)
{
    *row = (struct phones_row){.phones = lab->phone.n};
    for (int step = 0; step < LAB_PHONE_STEPS; step++)
        row->of[step].ns = need(calloc(row->phones, sizeof(uint64_t)));
    for (uint32_t i = 0; i < row->phones; i++)
        add_row(row, lab->phone.item[i]);
    for (int step = 0; step < LAB_PHONE_STEPS; step++)
        qsort(row->of[step].ns, row->of[step].n, sizeof(uint64_t), by_time);
}

static void end_row(struct phones_row *row)
{
    for (int step = 0; step < LAB_PHONE_STEPS; step++)
        free(row->of[step].ns);
}

void lab_put_phones(const struct lab *lab, struct json *json)
{
    struct phones_row row;
    if (!lab->phone.n)
        return;
    begin_row(&row, lab);
    json_key(json, "phones");
    table_json_row(&lab_table_phones, NULL, &row, json);
    end_row(&row);
}

void lab_print_phones(const struct lab *lab, FILE *out)
{
    static const char *const steps[LAB_PHONE_STEPS] = {"attached", "with a context",
                                                       "with a first octet"};
    struct phones_row row;
    if (!lab->phone.n)
        return;
    begin_row(&row, lab);
    fprintf(out, "  phones          %u, of which %u attached and %u with a context at the end\n",
            row.phones, row.now[0], row.now[1]);
    for (enum lab_phone_step step = 0; step < LAB_PHONE_STEPS; step++)
        if (row.of[step].n)
            fprintf(out,
                    "                  %" PRIu64 " %s: %.0f / %.0f / %.0f ms after they were "
                    "switched on (p50, p95, max)\n",
                    row.of[step].n, steps[step], (double)quantile_ns(&row, step, 500) / 1e6,
                    (double)quantile_ns(&row, step, 950) / 1e6,
                    (double)quantile_ns(&row, step, 1000) / 1e6);
    end_row(&row);
}

void lab_describe_phones(const char *before, FILE *out)
{
    char inside[64];
    fprintf(out, "%sphones: in the lab, MSs that attach; no key: there are none\n", before);
    snprintf(inside, sizeof inside, "%sphones.", before);
    table_describe_keys(&lab_table_phones, inside, out);
}
