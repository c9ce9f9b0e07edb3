// See lab.h.
#include "lab/lab.h"

#include <errno.h>
#include <stdlib.h>

#include "dataplane/wire/bytes.h"

const struct field lab_config_fields[] = FIELD_TABLE(lab_config, LAB_CONFIG_FIELDS);
const uint32_t lab_config_field_count = sizeof lab_config_fields / sizeof lab_config_fields[0];

static const struct field endpoint_fields[] = FIELD_TABLE(lab_endpoint, LAB_ENDPOINT_FIELDS);
static const struct field context_fields[] = FIELD_TABLE(lab_context, LAB_CONTEXT_FIELDS);
static const struct field cipher_fields[] = FIELD_TABLE(lab_cipher, LAB_CIPHER_FIELDS);
static const struct field source_fields[] = FIELD_TABLE(lab_source, LAB_SOURCE_FIELDS);

static int64_t add_endpoint(void *target, const void *argument)
{
    struct lab *lab = target;
    const struct lab_endpoint *e = argument;
    struct receiver_endpoint endpoint = {e->address, e->port};
    return receiver_add_endpoint(&lab->receiver, &endpoint, e->nse_id);
}

static int64_t add_context(void *target, const void *argument)
{
    struct lab *lab = target;
    const struct lab_context *c = argument;
    struct receiver_key key = {.nse = c->nse_id, .nsapi = c->nsapi, .tlli = c->tlli};
    return receiver_add_context(&lab->receiver, &key, c->traffic_class);
}

static int64_t add_cipher(void *target, const void *argument)
{
    struct lab *lab = target;
    const struct lab_cipher *c = argument;
    struct receiver_key key = {.nse = c->nse_id, .tlli = c->tlli};
    return receiver_add_cipher(&lab->receiver, &key, c->gea, c->key, c->iov_ui);
}

static bool sizes_fit(const struct octets *sizes)
{
    for (uint32_t i = 0; i + 1 < sizes->n; i += 2) {
        uint16_t octets = get_be16(sizes->at + i);
        if (octets < SOURCE_OCTETS_MIN || octets > SOURCE_OCTETS_MAX)
            return false;
    }
    return true;
}

static int64_t add_source(void *target, const void *argument)
{
    struct lab *lab = target;
    const struct lab_source *c = argument;
    if (lab->sources == lab->config.sources)
        return -ENOSPC;
    if (!sizes_fit(&c->sizes))
        return -ERANGE;
    uint32_t index = lab->sources++;
    struct source *s = &lab->source[index];
    *s = (struct source){.engine = lab->engine,
                         .gn_line = &lab->gn,
                         .worker = dp_teid_worker(lab->dp, c->teid),
                         .gn = &lab->gn_ends,
                         .start_ns = c->start_ns,
                         .stop_ns = c->stop_ns,
                         .rate_bit_per_s = c->rate_bit_per_s,
                         .poisson = c->poisson,
                         .ect = c->ect,
                         .sizes = c->sizes.n / 2,
                         .teid = c->teid,
                         .ms_address = c->ms_address};
    for (uint32_t i = 0; i < s->sizes; i++)
        s->size_octets[i] = get_be16(c->sizes.at + 2 * i);
    rng_seed(&s->rng, lab->config.seed, index);
    return 0;
}

const struct field_call lab_calls[] = {
    {"endpoint", "the BSS's endpoint of an NS-VC, for the receiver", endpoint_fields,
     sizeof endpoint_fields / sizeof endpoint_fields[0], sizeof(struct lab_endpoint), add_endpoint},
    {"context", "a PDP context, for the receiver", context_fields,
     sizeof context_fields / sizeof context_fields[0], sizeof(struct lab_context), add_context},
    {"cipher", "the ciphering key of an MS, for the receiver", cipher_fields,
     sizeof cipher_fields / sizeof cipher_fields[0], sizeof(struct lab_cipher), add_cipher},
    {"source", "a host that sends to a PDP context", source_fields,
     sizeof source_fields / sizeof source_fields[0], sizeof(struct lab_source), add_source},
};
const uint32_t lab_call_count = sizeof lab_calls / sizeof lab_calls[0];

// The simulated BSS sends no uplink, and the configuration gives the neighbours' MACs, so any frame
// from the dataplane on Gn is an error.
static void gn_frame(void *self, const uint8_t *frame, uint32_t octets, uint64_t now_ns)
{
    (void)frame, (void)octets, (void)now_ns;
    ((struct lab *)self)->gn_unexpected++;
}

static void wire_up(struct lab *lab, struct capture *gn, struct capture *gb)
{
    lab->gn = (struct line){.engine = lab->engine,
                            .ends = lab->config.workers,
                            .capture = gn,
                            .deliver = gn_frame,
                            .self = lab};
    lab->gb = (struct line){.engine = lab->engine,
                            .ends = lab->config.workers,
                            .rate_bit_per_s = lab->config.gb_rate_bit_per_s,
                            .capture = gb,
                            .deliver = receiver_frame,
                            .self = &lab->receiver};
    line_attach(&lab->gn);
    line_attach(&lab->gb);
    for (uint32_t w = 0; w < lab->config.workers; w++) {
        lab->gn.end[w] = dp_far_end(lab->dp, STATS_GN, w);
        lab->gb.end[w] = dp_far_end(lab->dp, STATS_GB, w);
    }
}

static struct receiver_limits limits_of(const struct lab_config *config)
{
    return (struct receiver_limits){config->endpoints, config->contexts, config->ciphers};
}

uint64_t lab_memory_octets(const struct lab_config *config)
{
    struct receiver_limits limits = limits_of(config);
    return receiver_memory_octets(&limits);
}

struct lab *lab_create(const struct lab_config *config, const struct dp *dp, struct capture *gn,
                       struct capture *gb)
{
    struct lab *lab = calloc(1, sizeof *lab);
    if (!lab)
        return NULL;
    lab->config = *config;
    lab->dp = dp;
    lab->gn_ends = (struct source_gn){config->sgsn_mac, config->ggsn_mac, config->sgsn_address,
                                      config->ggsn_address, config->gn_mtu_octets};
    struct receiver_limits limits = limits_of(config);
    lab->source = calloc(config->sources ? config->sources : 1, sizeof *lab->source);
    int fault = receiver_setup(&lab->receiver, &limits);
    if (!lab->source || fault) {
        receiver_release(&lab->receiver);
        free(lab->source);
        free(lab);
        errno = ENOMEM;
        return NULL;
    }
    lab->engine = engine_create();
    wire_up(lab, gn, gb);
    return lab;
}

// The sources start after control is up, however long that takes.
int lab_run(struct lab *lab, engine_is_up_fn *is_up, engine_fire_fn *progress, void *self)
{
    uint64_t until_ns = lab->config.duration_ns;
    int fault = engine_bring_up(lab->engine, until_ns, is_up, self);
    if (fault)
        return fault;
    for (uint32_t i = 0; i < lab->sources; i++)
        source_start(&lab->source[i]);
    return engine_run(lab->engine, until_ns, progress, self);
}

void lab_destroy(struct lab *lab)
{
    line_clear(&lab->gn);
    line_clear(&lab->gb);
    receiver_release(&lab->receiver);
    engine_destroy(lab->engine);
    free(lab->source);
    free(lab);
}
