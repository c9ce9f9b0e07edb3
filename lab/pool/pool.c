// See pool.h: contexts and their addresses.
#include "lab/pool/pool_parts.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/wire/gtpu.h"
#include "lab/engine/need.h"

#define PLACE_BITS 20
#define USED_MASK  0x7ffu // what is left of a TEID between POOL_TEIDS and the place

static const char *const names[] = {
#define COUNT(name, help) #name,
#include "lab/pool/counts.def"
#undef COUNT
};

bool pool_network(const char *text, uint32_t *network, uint32_t *bits)
{
    char address[INET_ADDRSTRLEN];
    struct in_addr parsed;
    const char *slash = strchr(text, '/');
    char *end;
    if (!slash || slash[1] < '0' || slash[1] > '9' || (size_t)(slash - text) >= sizeof address)
        return false;
    memcpy(address, text, (size_t)(slash - text));
    address[slash - text] = '\0';
    unsigned long n = strtoul(slash + 1, &end, 10);
    if (*end || n < POOL_BITS_LEAST || n > POOL_BITS_MOST ||
        inet_pton(AF_INET, address, &parsed) != 1)
        return false;
    *network = ntohl(parsed.s_addr);
    *bits = (uint32_t)n;
    return (*network & (UINT32_MAX >> n)) == 0;
}

struct pool *pool_create(const struct pool_config *config)
{
    struct pool *pool = need(calloc(1, sizeof *pool));
    pool->config = *config;
    pool->places = 1u << (32 - config->bits);
    pool->fresh = POOL_FIRST_PLACE + config->kept;
    pool->context = need(calloc(pool->places, sizeof *pool->context));
    pool->bucket = need(calloc(pool->places, sizeof *pool->bucket));
    pool->bucket_mask = pool->places - 1;
    return pool;
}

void pool_destroy(struct pool *pool)
{
    pool_repeats_forget(pool);
    free(pool->context);
    free(pool->bucket);
    free(pool);
}

// ---- By IMSI and NSAPI ----

static uint32_t *bucket_of(const struct pool *pool, uint64_t imsi, uint8_t nsapi)
{
    uint64_t mixed = (imsi * 16 + nsapi) * 0x9e3779b97f4a7c15u;
    return &pool->bucket[(mixed >> 32) & pool->bucket_mask];
}

static struct pool_context *at(const struct pool *pool, uint32_t number)
{
    return number ? &pool->context[number - 1] : NULL;
}

static uint32_t number_of(const struct pool *pool, const struct pool_context *context)
{
    return 1 + (uint32_t)(context - pool->context);
}

struct pool_context *pool_find(const struct pool *pool, uint64_t imsi, uint8_t nsapi)
{
    struct pool_context *context = at(pool, *bucket_of(pool, imsi, nsapi));
    while (context && (context->imsi != imsi || context->nsapi != nsapi))
        context = at(pool, context->next);
    return context;
}

static void bucket_leave(struct pool *pool, const struct pool_context *context)
{
    uint32_t *number = bucket_of(pool, context->imsi, context->nsapi);
    while (*number != number_of(pool, context))
        number = &at(pool, *number)->next;
    *number = context->next;
}

// ---- Free places ----

static uint32_t take_free(struct pool *pool)
{
    uint32_t number = pool->free_first;
    if (pool->fresh < pool->places - 1) // the last is the network's broadcast address
        return ++pool->fresh;
    if (number)
        pool->free_first = at(pool, number)->next;
    return number;
}

static void give_back(struct pool *pool, struct pool_context *context)
{
    uint32_t number = number_of(pool, context);
    if (number <= POOL_FIRST_PLACE + pool->config.kept)
        return;
    if (pool->free_first)
        at(pool, pool->free_last)->next = number;
    else
        pool->free_first = number;
    pool->free_last = number;
}

// ---- Contexts ----

// By subscription; 0: it has none.
static uint32_t kept_for(const struct pool *pool, uint64_t imsi, uint8_t nsapi)
{
    const struct pool_config *c = &pool->config;
    uint32_t place = c->kept ? c->kept_place(c->self, imsi, nsapi) : UINT32_MAX;
    return place < c->kept ? POOL_FIRST_PLACE + 1 + place : 0;
}

struct pool_context *pool_add(struct pool *pool, uint64_t imsi, uint8_t nsapi)
{
    uint32_t kept = kept_for(pool, imsi, nsapi), number = kept ? kept : take_free(pool);
    uint32_t *bucket = bucket_of(pool, imsi, nsapi);
    struct pool_context *context = at(pool, number);
    if (!context)
        return NULL;
    *context = (struct pool_context){.imsi = imsi,
                                     .nsapi = nsapi,
                                     .used = (uint16_t)(context->used + 1),
                                     .next = *bucket,
                                     .after = pool->first};
    if (pool->first)
        at(pool, pool->first)->before = number;
    *bucket = pool->first = number;
    pool->contexts++;
    return context;
}

void pool_renew(struct pool *pool, struct pool_context *context)
{
    (void)pool;
    context->used++;
}

void pool_remove(struct pool *pool, struct pool_context *context)
{
    bucket_leave(pool, context);
    if (context->before)
        at(pool, context->before)->after = context->after;
    else
        pool->first = context->after;
    if (context->after)
        at(pool, context->after)->before = context->before;
    *context = (struct pool_context){.used = context->used};
    give_back(pool, context);
    pool->contexts--;
}

uint32_t pool_kept_address(const struct pool_config *config, uint32_t place)
{
    return config->network + POOL_FIRST_PLACE + place;
}

bool pool_has(const struct pool *pool, uint32_t address)
{
    return address - pool->config.network < pool->places;
}

const struct pool_context *pool_of_address(const struct pool *pool, uint32_t address)
{
    uint32_t place = address - pool->config.network;
    return place < pool->places && pool->context[place].imsi ? &pool->context[place] : NULL;
}

uint32_t pool_address(const struct pool *pool, const struct pool_context *context)
{
    return pool->config.network + (uint32_t)(context - pool->context);
}

uint32_t pool_teid(const struct pool *pool, const struct pool_context *context)
{
    return POOL_TEIDS | (context->used & USED_MASK) << PLACE_BITS |
           (uint32_t)(context - pool->context);
}

const struct pool_context *pool_of_teid(const struct pool *pool, uint32_t teid)
{
    uint32_t place = teid & ((1u << PLACE_BITS) - 1);
    const struct pool_context *context = place < pool->places ? &pool->context[place] : NULL;
    return context && context->imsi && pool_teid(pool, context) == teid ? context : NULL;
}

uint32_t pool_indication(struct pool *pool, uint32_t teid, uint8_t b[POOL_ANSWER_MAX])
{
    uint8_t elements[64];
    struct gtpu_error_indication error = {
        .teid = teid, .has_ipv4_address = true, .ipv4_address = pool->config.address};
    int n = gtpu_error_indication_encode(&error, elements, sizeof elements);
    struct gtpu message = {
        .type = GTPU_ERROR_INDICATION, .has_sequence = true, .payload = {elements, (uint32_t)n}};
    POOL_ADD(pool, indications);
    return (uint32_t)gtpu_encode(&message, b, POOL_ANSWER_MAX);
}

// ---- What it did ----

uint32_t pool_contexts(const struct pool *pool)
{
    return pool->contexts;
}

uint64_t pool_counted(const struct pool *pool, enum pool_count count)
{
    return pool->count[count];
}

const char *pool_first_fault(const struct pool *pool)
{
    return pool->first_fault;
}

void pool_put(const struct pool *pool, struct json *json)
{
    json_put(json, "contexts", pool->contexts);
    for (uint32_t i = 0; i < POOL_COUNTS; i++)
        json_put(json, names[i], pool->count[i]);
}

static uint64_t sum_of(const struct pool *pool, enum pool_count first, enum pool_count last)
{
    uint64_t sum = 0;
    for (uint32_t i = first; i <= last; i++)
        sum += pool->count[i];
    return sum;
}

const char *pool_wrong(const struct pool *pool)
{
    if (pool_counted(pool, POOL_COUNT_messages) !=
        sum_of(pool, POOL_COUNT_strangers, POOL_COUNT_unknown))
        return "GTP-C messages";
    if (pool_counted(pool, POOL_COUNT_created) !=
        sum_of(pool, POOL_COUNT_replaced, POOL_COUNT_ended) + pool->contexts)
        return "PDP contexts";
    return NULL;
}
