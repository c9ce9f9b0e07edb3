// MSs that attach: between the phone's GMM and SM, the MS's user data, and the radio. A frame goes
// up with the TLLI of the time when its TBF began, as the network gives a TBF's LLC PDUs the TLLI
// that it knows the MS by.
#include <inttypes.h>
#include <stdio.h>

#include "lab/engine/need.h"
#include "lab/live/bts/bts_parts.h"

static void send_up(void *self, struct phone *phone, const uint8_t *llc, uint32_t octets,
                    uint64_t now_ns)
{
    struct station *station = self;
    (void)now_ns;
    station->tlli = station->ms.label = phone->tlli;
    bts_queue(station, &station->sender, llc, octets);
}

// Its address and its context are the network's.
static void change_context(void *self, struct phone *phone, uint64_t now_ns)
{
    struct station *station = self;
    ms_remove_context(&station->ms, phone->config.nsapi, now_ns);
    station->address = phone->address;
    if (phone->address)
        ms_add_context(&station->ms, phone->config.nsapi, phone->config.sapi);
}

// User data are under the same key as the signalling.
static void take_key(void *self, struct phone *phone, uint8_t gea, struct octets kc)
{
    struct station *station = self;
    (void)phone;
    if (ms_take_key(&station->ms, gea, kc) != 0)
        abort(); // the phone has made it
}

static uint32_t draw(void *self)
{
    struct station *station = self;
    return rng_below(&station->bts->rng, UINT32_MAX);
}

void bts_phone_make(struct station *station, const struct phone_config *config)
{
    station->phone = need(calloc(1, sizeof *station->phone));
    station->nsapi = config->nsapi;
    station->ms.before = &station->before;
    phone_setup(station->phone, config,
                &(struct phone_owner){.self = station,
                                      .send = send_up,
                                      .context = change_context,
                                      .random = draw,
                                      .scratch = station->ms.shared->scratch,
                                      .keyed = take_key});
}

// ---- Time ----

static uint64_t now_ns_of(const struct station *station)
{
    return bts_now_ns(station->bts) + station->ahead_ns;
}

// ---- Another cell, and another area ----

static bool is_same(const struct bssgp_area *a, const struct bssgp_area *b)
{
    return a->mcc == b->mcc && a->mnc == b->mnc && a->mnc_digits == b->mnc_digits &&
           a->lac == b->lac && a->rac == b->rac;
}

bool bts_phone_holds(const struct station *station)
{
    return station->phone && station->phone->abroad;
}

// User data wait for the update (LLGMM-SUSPEND, 44.064 7.2.1.1), which goes before them.
static void hold(struct station *station)
{
    struct sender none = station->held;
    station->held = station->sender;
    station->sender = none;
}

static void let_go(struct station *station)
{
    struct sender *held = &station->held;
    for (const struct sender_pdu *pdu = held->first; pdu; pdu = pdu->next)
        if (!sender_queue(&station->sender, pdu->at, pdu->octets))
            BTS_ADD(station->bts, pdus_up_full);
    sender_release(held);
}

void bts_phone_enter(struct station *station, uint64_t from_ns)
{
    struct phone *phone = station->phone;
    station->ahead_ns += from_ns - bts_now_ns(station->bts);
    phone->owner.scratch = station->ms.shared->scratch;
    if (phone->state != PHONE_ATTACHED && phone->state != PHONE_UPDATING)
        return;
    if (!phone->abroad && is_same(&phone->area, &station->bts->config.cell.area)) {
        bts_hello(station);
        return;
    }
    if (!phone->abroad) {
        let_go(station); // what the last area's ACCEPT has just freed
        hold(station);
    }
    phone_update(phone, now_ns_of(station));
}

void bts_phone_sent(struct station *station)
{
    if (station->phone)
        phone_sent(station->phone, now_ns_of(station));
}

// ---- What a user sees ----

static void tell(struct station *station)
{
    const struct phone *phone = station->phone;
    const struct bts_owner *owner = &station->bts->owner;
    char text[96];
    if (phone->state == station->told_state && phone->address == station->told_address &&
        phone->cause == station->told_cause)
        return;
    station->told_state = phone->state;
    station->told_address = phone->address;
    station->told_cause = phone->cause;
    if (!owner->told)
        return;
    int n = snprintf(text, sizeof text, "%s", phone_state_name(phone));
    if (phone->address)
        n += snprintf(text + n, sizeof text - (size_t)n, ", %u.%u.%u.%u", phone->address >> 24,
                      phone->address >> 16 & 255, phone->address >> 8 & 255, phone->address & 255);
    if (phone->cause && !phone->address)
        snprintf(text + n, sizeof text - (size_t)n, ", cause %u of the network", phone->cause);
    owner->told(owner->self, station->imsi, text);
}

// ---- Blocks, and LLC PDUs ----

void bts_phone_turn(struct station *station)
{
    struct phone *phone = station->phone;
    if (!phone)
        return;
    uint64_t now_ns = now_ns_of(station);
    if (!station->is_on) { // its cell is there for the first time
        station->is_on = true;
        phone_on(phone, now_ns);
    } else if (phone_next_ns(phone) <= now_ns) {
        phone_turn(phone, now_ns);
    }
    if (station->held.first && !phone->abroad)
        let_go(station);
    tell(station);
}

bool bts_phone_down(struct station *station, const uint8_t *llc, uint32_t octets)
{
    struct phone *phone = station->phone;
    return phone && phone_down(phone, llc, octets, now_ns_of(station));
}

// A Reset of the SGSN is for all LLEs, the phone's as well, and so is an IOV-UI.
void bts_phone_heard(struct station *station)
{
    if (station->phone)
        station->phone->iov_ui = station->ms.iov_ui;
    if (station->phone && station->counters.resets != station->resets) {
        station->resets = station->counters.resets;
        phone_reset(station->phone);
    }
}

bool bts_phone_is(const struct station *station, uint32_t tlli)
{
    return station->phone && station->phone->tlli_before && station->phone->tlli_before == tlli;
}

void bts_phone_put(const struct station *station, struct json *json)
{
    const struct phone *phone = station->phone;
    if (!phone)
        return;
    json_put_object(json, "phone");
    json_put_text(json, "state", phone_state_name(phone));
    json_put(json, "address", phone->address);
    json_put(json, "cause", phone->cause);
    for (uint32_t i = 0; i < PHONE_COUNTS; i++)
        json_put(json, phone_count_names[i], phone->count[i]);
    json_close(json);
}
