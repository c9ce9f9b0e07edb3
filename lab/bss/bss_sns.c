// The IP sub-network service at the BSS (TS 48.016 7.4b): SNS-SIZE, its SNS-CONFIG, the SGSN's
// SNS-CONFIG; then each NS-VC is tested, and is up once NS-ALIVE-ACK comes. SNS begins again with
// SNS-SIZE when no NS-VC is alive. The procedure runs on the first NS-VC. Left out: SNS-ADD,
// SNS-DELETE and SNS-CHANGEWEIGHT of the BSS, and more than one endpoint of a family at the SGSN.
#include "dataplane/wire/address.h"
#include "lab/bss/bss_parts.h"

static void enter(struct bss *bss, enum bss_sns_state state)
{
    bss->sns = state;
    bss->sns_tries = 0;
    engine_cancel(bss->engine, &bss->sns_timer);
}

static void count_endpoints(const struct bss *bss, uint16_t *ip4, uint16_t *ip6)
{
    *ip4 = *ip6 = 0;
    for (uint32_t i = 0; i < bss->nsvcs; i++)
        (*(address_is_ipv4(&bss->nsvc[i]->config.address) ? ip4 : ip6))++;
}

static void send_size(struct bss *bss, uint64_t now_ns)
{
    struct sns_size pdu = {
        .nsei = bss->config.nsei, .reset_flag = true, .max_ns_vcs = (uint16_t)bss->nsvcs};
    count_endpoints(bss, &pdu.ip4_endpoints, &pdu.ip6_endpoints);
    pdu.has_ip4_endpoints = pdu.ip4_endpoints > 0;
    pdu.has_ip6_endpoints = pdu.ip6_endpoints > 0;
    bss_send_ns(bss->nsvc[0], SNS_SIZE_TYPE, &pdu, now_ns);
}

static void put_endpoint(struct sns_config *pdu, const struct bss_nsvc_config *own)
{
    if (address_is_ipv4(&own->address)) {
        pdu->has_ip4_endpoints = true;
        pdu->ip4_endpoints.item[pdu->ip4_endpoints.n++] = (struct ns_ip4_endpoint){
            address_ipv4(&own->address), own->port, own->signalling_weight, own->data_weight};
    } else {
        pdu->has_ip6_endpoints = true;
        pdu->ip6_endpoints.item[pdu->ip6_endpoints.n++] = (struct ns_ip6_endpoint){
            own->address, own->port, own->signalling_weight, own->data_weight};
    }
}

static void send_config(struct bss *bss, uint64_t now_ns)
{
    struct sns_config pdu = {.end_flag = true, .nsei = bss->config.nsei};
    for (uint32_t i = 0; i < bss->nsvcs && i < NS_ENDPOINTS_MAX; i++)
        put_endpoint(&pdu, &bss->nsvc[i]->config);
    bss_send_ns(bss->nsvc[0], SNS_CONFIG_TYPE, &pdu, now_ns);
}

static void send(struct bss *bss, uint64_t now_ns)
{
    if (bss->sns == BSS_SNS_SIZING)
        send_size(bss, now_ns);
    else
        send_config(bss, now_ns);
    engine_set(bss->engine, &bss->sns_timer, now_ns + bss->config.tsns_prov_ns);
}

void bss_sns_start(struct bss *bss, uint64_t now_ns)
{
    if (bss->nsvcs == 0)
        return;
    enter(bss, BSS_SNS_SIZING);
    send(bss, now_ns);
}

void bss_sns_lost(struct bss *bss, uint64_t now_ns)
{
    for (uint32_t i = 0; i < bss->nsvcs; i++)
        engine_cancel(bss->engine, &bss->nsvc[i]->test);
    bss_sns_start(bss, now_ns);
}

// Tsns-prov. SNS-SIZE is repeated for ever; after the retries of SNS-CONFIG, or without the SGSN's
// SNS-CONFIG, the BSS begins again with SNS-SIZE.
static void fire(void *self, uint64_t now_ns)
{
    struct bss *bss = self;
    bss->counters.retries++;
    bss->sns_tries++;
    if (bss->sns != BSS_SNS_SIZING &&
        (bss->sns == BSS_SNS_WAITING || bss->sns_tries > bss->config.retries)) {
        bss->counters.timeouts++;
        bss_sns_start(bss, now_ns);
    } else {
        send(bss, now_ns);
    }
}

static void refused(struct bss *bss, const char *name, uint64_t now_ns)
{
    bss_fault(bss, name, "refuses the BSS's endpoints", 0, now_ns);
    enter(bss, BSS_SNS_SIZING);
    engine_set(bss->engine, &bss->sns_timer, now_ns + bss->config.tsns_prov_ns);
}

static void take_size_ack(struct bss *bss, const struct sns_size_ack *pdu, uint64_t now_ns)
{
    if (bss->sns != BSS_SNS_SIZING) {
        bss->counters.late++;
    } else if (pdu->has_cause) {
        refused(bss, "SNS-SIZE-ACK", now_ns);
    } else {
        enter(bss, BSS_SNS_CONFIGURING);
        send(bss, now_ns);
    }
}

// The SGSN's SNS-CONFIG may take all its tries.
static void take_config_ack(struct bss *bss, const struct sns_config_ack *pdu, uint64_t now_ns)
{
    if (bss->sns != BSS_SNS_CONFIGURING) {
        bss->counters.late++;
    } else if (pdu->has_cause) {
        refused(bss, "SNS-CONFIG-ACK", now_ns);
    } else {
        enter(bss, BSS_SNS_WAITING);
        engine_set(bss->engine, &bss->sns_timer,
                   now_ns + bss->config.tsns_prov_ns * (bss->config.retries + 1));
    }
}

static bool has_endpoints(const struct sns_config *pdu)
{
    return (pdu->has_ip4_endpoints && pdu->ip4_endpoints.n) ||
           (pdu->has_ip6_endpoints && pdu->ip6_endpoints.n);
}

// A repeated one is only acknowledged: ours was lost.
static void take_config(struct bss_nsvc *nsvc, const struct sns_config *pdu, uint64_t now_ns)
{
    struct bss *bss = nsvc->bss;
    if (!has_endpoints(pdu))
        bss_fault(bss, "SNS-CONFIG", "has no endpoint", 0, now_ns);
    bss_send_ns(nsvc, SNS_CONFIG_ACK_TYPE, &(struct sns_config_ack){.nsei = bss->config.nsei},
                now_ns);
    bool in_time = bss->sns == BSS_SNS_WAITING || bss->sns == BSS_SNS_CONFIGURING;
    if (!in_time || !pdu->end_flag)
        return;
    enter(bss, BSS_SNS_UP);
    for (uint32_t i = 0; i < bss->nsvcs; i++)
        bss_ns_test(bss->nsvc[i], now_ns);
}

static uint16_t nsei_of(uint8_t type, const union wire_any *pdu)
{
    if (type == SNS_CONFIG_TYPE)
        return pdu->sns_config.nsei;
    return pdu->sns_size_ack.nsei; // the first field of all the others
}

void bss_sns_input(struct bss_nsvc *nsvc, uint8_t type, const union wire_any *pdu, uint64_t now_ns)
{
    struct bss *bss = nsvc->bss;
    const char *name = bss->ns_pdu[type]->name;
    if (bss->config.ns != BSS_NS_SNS)
        bss_fault(bss, name, "the NSE has no SNS", 0, now_ns);
    else if (nsei_of(type, pdu) != bss->config.nsei)
        bss_fault(bss, name, "names another NSE", 0, now_ns);
    else if (type == SNS_SIZE_ACK_TYPE)
        take_size_ack(bss, &pdu->sns_size_ack, now_ns);
    else if (type == SNS_CONFIG_ACK_TYPE)
        take_config_ack(bss, &pdu->sns_config_ack, now_ns);
    else if (type == SNS_CONFIG_TYPE)
        take_config(nsvc, &pdu->sns_config, now_ns);
    else
        bss_fault(bss, name, "a BSS does not expect it", 0, now_ns);
}

void bss_sns_init(struct bss *bss)
{
    engine_timer_init(&bss->sns_timer, fire, bss);
}
