// See sched_input.h.
#include "tests/fuzz/sched_input.h"

#include "tests/fuzz/check.h"
#include "tests/fuzz/sched_books.h"

uint32_t input_nse_id(void)
{
    return input_octet() % (BOOKS_NSES + 1);
}

uint32_t input_bvc_id(void)
{
    return input_octet() % (BOOKS_BVCS + 1);
}

uint32_t input_ms_id(void)
{
    uint32_t id = input_octet() % (BOOKS_MSS + 2);
    return id <= BOOKS_MSS ? id : UINT32_MAX;
}

uint32_t input_slot_id(void)
{
    return input_octet() % (SCHED_SLOTS + 1);
}

struct bucket_terms input_terms(void)
{
    static const uint32_t rates[] = {80,
                                     80,
                                     300,
                                     1220,
                                     1220,
                                     2360,
                                     8000,
                                     65000,
                                     20000000,
                                     0,
                                     1,
                                     BUCKET_RATE_MAX,
                                     BUCKET_RATE_MAX + 1,
                                     BUCKET_UNLIMITED};
    static const uint32_t sizes[] = {200,   1000,   1526,    2000, 5000, 6000,
                                     65535, 100000, 6553500, 0,    1,    UINT32_MAX};
    uint32_t rate = INPUT_ONE_OF(rates);
    return (struct bucket_terms){rate, INPUT_ONE_OF(sizes)};
}

uint64_t input_level(void)
{
    return bucket_level_of_ratio(input_word() * 100, input_octet());
}

uint16_t input_n201_u(void)
{
    static const uint16_t sizes[] = {140, 500, 1520, 141, 576, 139, 1521};
    return INPUT_ONE_OF(sizes);
}

static struct aqm any_aqm(void)
{
    struct aqm aqm;
    uint64_t params[AQM_PARAMS_MAX];
    const struct aqm_ops *ops = aqm_list[input_octet() % aqm_count];
    uint32_t choice = input_octet();
    aqm_standard_params(ops, params);
    for (uint32_t i = 0; i < ops->param_count; i++)
        if (ops->params[i].unit == AQM_SWITCH)
            params[i] = choice >> i % 8 & 1;
        else if (choice & 1) // so that it has something to say about a short queue
            params[i] = ops->params[i].least;
    if (aqm_setup(&aqm, ops, params) != NULL) {
        aqm_standard_params(ops, params);
        CHECK(aqm_setup(&aqm, ops, params) == NULL);
    }
    return aqm;
}

// Least and most for the BSS within the lifetime.
static struct sched_class any_class(bool flows)
{
    static const uint64_t lifetimes[] = {SCHED_INFINITE, 5000000000, 1000000000, 60000000000};
    static const uint32_t weights[] = {1, 4, 100, SCHED_WEIGHT_MAX};
    static const uint32_t packets[] = {1000, 20, 1, 300};
    struct sched_class class = {.aqm = any_aqm()};
    class.weight = INPUT_ONE_OF(weights);
    class.limit = (struct sched_limit){INPUT_ONE_OF(packets), 1 + input_word() * 64};
    class.lifetime_ns = INPUT_ONE_OF(lifetimes);
    class.bss_least_ns = input_octet() * 3900000ULL;
    class.bss_most_ns = class.bss_least_ns + input_octet() * 100000000ULL;
    class.flow_queues = flows && input_octet() & 1;
    class.refuse_late = class.flow_queues && class.weight < 10;
    class.scope = input_octet() % (class.flow_queues ? SCHED_SCOPE_FLOW + 1 : SCHED_SCOPE_FLOW);
    return class;
}

static struct sched_limit any_limit(uint32_t packets_max)
{
    return (struct sched_limit){1 + input_word() % packets_max, 1 + input_word() * 64};
}

// One thing that cannot be.
static void spoil(struct sched_config *c, uint32_t what)
{
    struct sched_class *k = &c->of_class[CLASS_BACKGROUND];
    switch (what) {
    case 0:
        c->nses = 0;
        break;
    case 1:
        c->mss = UINT32_MAX;
        break;
    case 2:
        c->pfcs_an_ms = SCHED_SLOTS + 1;
        break;
    case 3:
        c->limit.packets = 0;
        break;
    case 4:
        c->llc_octets = c->first_header_octets + 1;
        break;
    case 5:
        k->flow_queues = true;
        c->flows_a_pfc = 3;
        break;
    case 6:
        k->flow_queues = true;
        c->flows_a_pfc = 0;
        break;
    case 7:
        k->weight = 0;
        break;
    case 8:
        k->bss_least_ns = k->bss_most_ns + 1;
        break;
    case 9:
        k->scope = SCHED_SCOPE_FLOW + 1;
        break;
    case 10:
        k->limit.octets = 0;
        break;
    default:
        k->aqm.ops = NULL;
    }
}

struct sched_config input_config(bool *good)
{
    uint32_t choice = input_octet();
    bool flows = choice & 64;
    struct sched_config c = {
        .nses = BOOKS_NSES,
        .bvcs = BOOKS_BVCS,
        .mss = BOOKS_MSS,
        .pfcs_an_ms = 1 + choice % SCHED_SLOTS,
        .flows_a_pfc = flows ? BOOKS_FLOWS : 0,
        .flow_quantum_octets = 256 + input_octet() * 8,
        .limit = any_limit(BOOKS_NPDUS),
        .bvc_limit = any_limit(BOOKS_NPDUS),
        .ms_limit = any_limit(BOOKS_NPDUS),
        .first_header_octets = 10,
        .next_header_octets = 9,
        .llc_octets = 6,
        .pipe_header_octets = choice & 32 ? 40 : 0,
        .pdu_octets_max = 1526,
        .turn_ns = choice & 4 ? 100000000 : 0,
        .tail_drop = choice & 8,
        .seed = choice,
    };
    if (choice & 16)
        c.bvc_delay_ns = c.ms_delay_ns = c.pfc_delay_ns = input_octet() * 10000000ULL;
    struct sched_class two[2] = {any_class(flows), any_class(flows)};
    for (uint32_t class = 0; class < CLASS_COUNT; class ++)
        c.of_class[class] = two[class % 2];
    uint32_t what = input_octet();
    *good = what < 200;
    if (!*good)
        spoil(&c, what - 200);
    return c;
}
