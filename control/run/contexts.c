// See contexts.h.
#include "control/run/contexts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/base/json.h"

#define PIECE 64 // contexts in one call, well below a millisecond

static const struct field context_fields[] = FIELD_TABLE(context, CONTEXT_FIELDS);
static const struct field context_gone_fields[] = FIELD_TABLE(context_gone, CONTEXT_GONE_FIELDS);

static bool make_room(struct contexts *c, uint32_t pdp_id)
{
    uint32_t room = c->room ? c->room : 64;
    while (room <= pdp_id)
        room *= 2;
    struct context *list = room == c->room ? c->list : realloc(c->list, room * sizeof *list);
    if (!list)
        return false;
    memset(list + c->room, 0, (room - c->room) * sizeof *list);
    c->list = list;
    c->room = room;
    return true;
}

static int64_t set(void *target, const void *argument)
{
    struct contexts *c = target;
    const struct context *context = argument;
    if (!make_room(c, context->pdp_id))
        return -ENOMEM;
    struct context *place = &c->list[context->pdp_id];
    uint32_t before = place->teid;
    if (!before && !context->has_teid)
        return -ENOENT;
    c->n += before == 0;
    *place = *context;
    place->teid = context->has_teid ? context->teid : before;
    c->changes++;
    return 0;
}

static int64_t clear(void *target, const void *argument)
{
    struct contexts *c = target;
    uint32_t pdp_id = ((const struct context_gone *)argument)->pdp_id;
    if (pdp_id >= c->room || c->list[pdp_id].teid == 0)
        return -ENOENT;
    c->list[pdp_id].teid = 0;
    c->n--;
    c->changes++;
    return 0;
}

// -EAGAIN until contexts.json has all changes that there were at the first call; then 0, or the
// fault of the last write. Phones change contexts all the time, so those of later are not waited
// for.
static int64_t written(void *target, const void *argument)
{
    struct contexts *c = target;
    (void)argument;
    if (!c->asked)
        c->asked = c->changes;
    if (c->done < c->asked)
        return -EAGAIN;
    c->asked = 0;
    return c->fault;
}

const struct field_call contexts_calls[] = {
    {"context", "a PDP context and its TEID", context_fields,
     sizeof context_fields / sizeof context_fields[0], sizeof(struct context), set},
    {"gone", "a removed PDP context", context_gone_fields,
     sizeof context_gone_fields / sizeof context_gone_fields[0], sizeof(struct context_gone),
     clear},
    {"written", "waits until contexts.json is written", NULL, 0, 0, written},
};
const uint32_t contexts_call_count = sizeof contexts_calls / sizeof contexts_calls[0];

void contexts_release(struct contexts *contexts)
{
    free(contexts->list);
    *contexts = (struct contexts){0};
}

static void put_ipv4(struct json *json, const char *name, uint32_t address)
{
    char text[16];
    snprintf(text, sizeof text, "%u.%u.%u.%u", address >> 24, address >> 16 & 255,
             address >> 8 & 255, address & 255);
    json_put_text(json, name, text);
}

// The address that the GGSN is to send to, so that frames come to the context's worker.
static void put_sgsn(const struct contexts *contexts, struct json *json, uint32_t teid)
{
    uint32_t worker = dp_teid_worker(contexts->dp, teid);
    const struct dp_address *own = &contexts->sgsn->item[worker];
    char text[INET6_ADDRSTRLEN];
    if (own->address)
        put_ipv4(json, "sgsn_address", own->address);
    if (!address_is_none(&own->address6))
        json_put_text(json, "sgsn_address6",
                      inet_ntop(AF_INET6, &own->address6, text, sizeof text));
}

static void put_one(const struct contexts *contexts, struct json *json, const struct context *c)
{
    char teid[11];
    snprintf(teid, sizeof teid, "0x%08x", c->teid);
    json_object(json);
    json_put_text(json, "imsi", c->imsi.text);
    json_put(json, "tlli", c->tlli);
    json_put(json, "nsapi", c->nsapi);
    json_put(json, "teid", c->teid);
    json_put_text(json, "teid_hex", teid);
    put_ipv4(json, "address", c->address);
    if (contexts->sgsn && contexts->sgsn->n)
        put_sgsn(contexts, json, c->teid);
    json_close(json);
}

void contexts_begin(struct contexts *contexts, FILE *out)
{
    contexts->next = 0;
    json_begin(&contexts->json, out);
    json_array(&contexts->json);
}

bool contexts_put(struct contexts *contexts)
{
    uint32_t left = contexts->room - contexts->next;
    uint32_t end = contexts->next + (left < PIECE ? left : PIECE);
    for (; contexts->next < end; contexts->next++)
        if (contexts->list[contexts->next].teid)
            put_one(contexts, &contexts->json, &contexts->list[contexts->next]);
    if (end < contexts->room)
        return false;
    json_close(&contexts->json);
    json_end(&contexts->json);
    return true;
}
