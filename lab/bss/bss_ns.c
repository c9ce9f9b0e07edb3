// The states of an NS-VC at the BSS (TS 48.016 7.2 to 7.4). With ns = "reset" the BSS resets each
// NS-VC, then unblocks it; a reset is repeated for ever. With "alive" and "sns" NS-ALIVE-ACK alone
// makes an NS-VC usable; with "manual" it always is, and is never tested.
#include "lab/bss/bss_parts.h"

#define CAUSE_TRANSIT_FAILURE 0x00
#define CAUSE_O_AND_M         0x01
#define CAUSE_NSVC_BLOCKED    0x03

static const struct bss_config *config_of(const struct bss_nsvc *nsvc)
{
    return &nsvc->bss->config;
}

static bool has_reset(const struct bss_nsvc *nsvc)
{
    return config_of(nsvc)->ns == BSS_NS_RESET || config_of(nsvc)->ns == BSS_NS_MANUAL;
}

// The NSE's cells are reset again if a reset or a failure took its last NS-VC.
void bss_ns_enter(struct bss_nsvc *nsvc, enum bss_nsvc_state state, uint64_t now_ns)
{
    struct bss *bss = nsvc->bss;
    bool was = nsvc->state == BSS_NSVC_UP, is = state == BSS_NSVC_UP;
    nsvc->state = state;
    bss->usable += is;
    bss->usable -= was;
    if (was && bss->usable == 0 && (state == BSS_NSVC_DEAD || state == BSS_NSVC_RESETTING))
        bss->fresh = true;
    if (is && !was && bss->usable == 1)
        bss_bvc_ns_up(bss, now_ns);
}

static void send_reset(struct bss_nsvc *nsvc, uint8_t cause, uint64_t now_ns)
{
    struct ns_reset pdu = {
        .cause = cause, .ns_vci = nsvc->config.nsvci, .nsei = config_of(nsvc)->nsei};
    bss_ns_enter(nsvc, BSS_NSVC_RESETTING, now_ns);
    engine_cancel(nsvc->bss->engine, &nsvc->test);
    nsvc->asked = false;
    bss_send_ns(nsvc, NS_RESET_TYPE, &pdu, now_ns);
    engine_set(nsvc->bss->engine, &nsvc->timer, now_ns + config_of(nsvc)->tns_reset_ns);
}

static void send_unblock(struct bss_nsvc *nsvc, uint64_t now_ns)
{
    bss_ns_enter(nsvc, BSS_NSVC_UNBLOCKING, now_ns);
    bss_send_ns(nsvc, NS_UNBLOCK_TYPE, &(struct ns_unblock){}, now_ns);
    engine_set(nsvc->bss->engine, &nsvc->timer, now_ns + config_of(nsvc)->tns_block_ns);
}

// Tns-reset or Tns-block. A blocked NS-VC has waited for the SGSN's NS-UNBLOCK, after a collision
// or NS-STATUS.
static void fire(void *self, uint64_t now_ns)
{
    struct bss_nsvc *nsvc = self;
    nsvc->bss->counters.retries += nsvc->state != BSS_NSVC_BLOCKED;
    if (nsvc->state == BSS_NSVC_RESETTING)
        send_reset(nsvc, CAUSE_O_AND_M, now_ns);
    else
        send_unblock(nsvc, now_ns);
}

static void settle(struct bss_nsvc *nsvc, enum bss_nsvc_state state, uint64_t now_ns)
{
    engine_cancel(nsvc->bss->engine, &nsvc->timer);
    bss_ns_enter(nsvc, state, now_ns);
}

// ---- The test (7.4) ----

static void ask(struct bss_nsvc *nsvc, uint64_t now_ns)
{
    nsvc->asked = true;
    bss_send_ns(nsvc, NS_ALIVE_TYPE, &(struct ns_alive){}, now_ns);
    engine_set(nsvc->bss->engine, &nsvc->test, now_ns + config_of(nsvc)->tns_alive_ns);
}

void bss_ns_test(struct bss_nsvc *nsvc, uint64_t now_ns)
{
    nsvc->tries = 0;
    ask(nsvc, now_ns);
}

static bool any_alive(const struct bss *bss)
{
    for (uint32_t i = 0; i < bss->nsvcs; i++)
        if (bss->nsvc[i]->state != BSS_NSVC_DEAD)
            return true;
    return false;
}

static void test_failed(struct bss_nsvc *nsvc, uint64_t now_ns)
{
    nsvc->bss->counters.timeouts++;
    nsvc->asked = false;
    if (has_reset(nsvc)) {
        send_reset(nsvc, CAUSE_TRANSIT_FAILURE, now_ns);
        return;
    }
    bss_ns_enter(nsvc, BSS_NSVC_DEAD, now_ns);
    if (config_of(nsvc)->ns == BSS_NS_SNS && !any_alive(nsvc->bss))
        bss_sns_lost(nsvc->bss, now_ns);
    else
        engine_set(nsvc->bss->engine, &nsvc->test, now_ns + config_of(nsvc)->tns_test_ns);
}

static void fire_test(void *self, uint64_t now_ns)
{
    struct bss_nsvc *nsvc = self;
    if (!nsvc->asked) {
        bss_ns_test(nsvc, now_ns);
    } else if (nsvc->tries >= config_of(nsvc)->alive_retries) {
        test_failed(nsvc, now_ns);
    } else {
        nsvc->tries++;
        nsvc->bss->counters.retries++;
        ask(nsvc, now_ns);
    }
}

static void take_alive_ack(struct bss_nsvc *nsvc, uint64_t now_ns)
{
    if (!nsvc->asked) {
        nsvc->bss->counters.late++;
        return;
    }
    nsvc->asked = false;
    engine_set(nsvc->bss->engine, &nsvc->test, now_ns + config_of(nsvc)->tns_test_ns);
    if (!has_reset(nsvc) && nsvc->state == BSS_NSVC_DEAD)
        bss_ns_enter(nsvc, BSS_NSVC_UP, now_ns);
}

// ---- Reset and blocking ----

static bool is_ours(struct bss_nsvc *nsvc, const char *name, uint16_t nsvci, uint16_t nsei,
                    uint64_t now_ns)
{
    bool ours = nsvci == nsvc->config.nsvci && nsei == config_of(nsvc)->nsei;
    if (!ours)
        bss_fault(nsvc->bss, name, "names another NS-VC or NSE", 0, now_ns);
    return ours;
}

// When both sides reset, each may wait for the other's NS-UNBLOCK: the BSS sends its own after
// Tns-block.
static void take_reset(struct bss_nsvc *nsvc, const struct ns_reset *pdu, uint64_t now_ns)
{
    struct ns_reset_ack ack = {.ns_vci = nsvc->config.nsvci, .nsei = config_of(nsvc)->nsei};
    bool collided = nsvc->state == BSS_NSVC_RESETTING;
    if (is_ours(nsvc, "NS-RESET", pdu->ns_vci, pdu->nsei, now_ns)) {
        if (nsvc->state == BSS_NSVC_UP && nsvc->bss->usable == 1)
            nsvc->bss->fresh = true;
        settle(nsvc, BSS_NSVC_BLOCKED, now_ns);
        if (collided)
            engine_set(nsvc->bss->engine, &nsvc->timer, now_ns + config_of(nsvc)->tns_block_ns);
    }
    bss_send_ns(nsvc, NS_RESET_ACK_TYPE, &ack, now_ns);
    if (nsvc->state == BSS_NSVC_BLOCKED && config_of(nsvc)->ns == BSS_NS_RESET)
        bss_ns_test(nsvc, now_ns);
}

static void take_reset_ack(struct bss_nsvc *nsvc, const struct ns_reset_ack *pdu, uint64_t now_ns)
{
    if (!is_ours(nsvc, "NS-RESET-ACK", pdu->ns_vci, pdu->nsei, now_ns))
        return;
    if (nsvc->state != BSS_NSVC_RESETTING) {
        nsvc->bss->counters.late++;
        return;
    }
    bss_ns_test(nsvc, now_ns);
    send_unblock(nsvc, now_ns);
}

static struct bss_nsvc *nsvc_of(struct bss *bss, uint16_t nsvci)
{
    for (uint32_t i = 0; i < bss->nsvcs; i++)
        if (bss->nsvc[i]->config.nsvci == nsvci)
            return bss->nsvc[i];
    return NULL;
}

// NS-BLOCK may come on another NS-VC of the NSE (7.2).
static void take_block(struct bss_nsvc *on, const struct ns_block *pdu, uint64_t now_ns)
{
    struct bss_nsvc *nsvc = nsvc_of(on->bss, pdu->ns_vci);
    if (!nsvc) {
        bss_fault(on->bss, "NS-BLOCK", "names an unknown NS-VC", 0, now_ns);
        return;
    }
    if (nsvc->state == BSS_NSVC_UP || nsvc->state == BSS_NSVC_UNBLOCKING)
        settle(nsvc, BSS_NSVC_BLOCKED, now_ns);
    bss_send_ns(on, NS_BLOCK_ACK_TYPE, &(struct ns_block_ack){.ns_vci = pdu->ns_vci}, now_ns);
}

static void take_unblock(struct bss_nsvc *nsvc, uint64_t now_ns)
{
    if (nsvc->state == BSS_NSVC_DEAD || nsvc->state == BSS_NSVC_RESETTING) {
        nsvc->bss->counters.late++; // the SGSN heard of the reset, and its NS-RESET-ACK was lost
        return;
    }
    bss_send_ns(nsvc, NS_UNBLOCK_ACK_TYPE, &(struct ns_unblock_ack){}, now_ns);
    settle(nsvc, BSS_NSVC_UP, now_ns);
}

static void take_unblock_ack(struct bss_nsvc *nsvc, uint64_t now_ns)
{
    if (nsvc->state == BSS_NSVC_UNBLOCKING)
        settle(nsvc, BSS_NSVC_UP, now_ns);
    else
        nsvc->bss->counters.late++;
}

// An NS-VC that is blocked at the SGSN is blocked here (7.2). The SGSN's NS-UNBLOCK may be under
// way; if none comes, the BSS sends its own after Tns-block.
static void take_status(struct bss_nsvc *nsvc, const struct ns_status *pdu, uint64_t now_ns)
{
    if (config_of(nsvc)->ns != BSS_NS_RESET || nsvc->state != BSS_NSVC_UP ||
        pdu->cause != CAUSE_NSVC_BLOCKED || (pdu->has_ns_vci && pdu->ns_vci != nsvc->config.nsvci))
        return;
    bss_ns_enter(nsvc, BSS_NSVC_BLOCKED, now_ns);
    engine_set(nsvc->bss->engine, &nsvc->timer, now_ns + config_of(nsvc)->tns_block_ns);
}

void bss_ns_input(struct bss_nsvc *nsvc, uint8_t type, const union wire_any *pdu, uint64_t now_ns)
{
    if (type == NS_ALIVE_TYPE)
        bss_send_ns(nsvc, NS_ALIVE_ACK_TYPE, &(struct ns_alive_ack){}, now_ns);
    else if (type == NS_ALIVE_ACK_TYPE)
        take_alive_ack(nsvc, now_ns);
    else if (type == NS_STATUS_TYPE)
        take_status(nsvc, &pdu->ns_status, now_ns);
    else if (!has_reset(nsvc))
        bss_fault(nsvc->bss, nsvc->bss->ns_pdu[type]->name, "NSE has neither RESET nor BLOCK", 0,
                  now_ns);
    else if (type == NS_RESET_TYPE)
        take_reset(nsvc, &pdu->ns_reset, now_ns);
    else if (type == NS_RESET_ACK_TYPE)
        take_reset_ack(nsvc, &pdu->ns_reset_ack, now_ns);
    else if (type == NS_BLOCK_TYPE)
        take_block(nsvc, &pdu->ns_block, now_ns);
    else if (type == NS_UNBLOCK_TYPE)
        take_unblock(nsvc, now_ns);
    else if (type == NS_UNBLOCK_ACK_TYPE)
        take_unblock_ack(nsvc, now_ns);
    else
        nsvc->bss->counters.late++; // NS-BLOCK-ACK: the BSS blocks none
}

void bss_ns_init(struct bss_nsvc *nsvc)
{
    engine_timer_init(&nsvc->timer, fire, nsvc);
    engine_timer_init(&nsvc->test, fire_test, nsvc);
}

void bss_ns_start(struct bss_nsvc *nsvc, uint64_t now_ns)
{
    if (config_of(nsvc)->ns == BSS_NS_RESET)
        send_reset(nsvc, CAUSE_O_AND_M, now_ns);
    else if (config_of(nsvc)->ns == BSS_NS_ALIVE)
        bss_ns_test(nsvc, now_ns);
    else if (config_of(nsvc)->ns == BSS_NS_MANUAL)
        bss_ns_enter(nsvc, BSS_NSVC_UP, now_ns);
}
