// See contexts.h.
#include "control/contexts.h"

#include <errno.h>
#include <stdlib.h>

#include "dataplane/base/json.h"

static const struct field context_fields[] = FIELD_TABLE(context, CONTEXT_FIELDS);

static int64_t add(void *target, const void *argument)
{
    struct contexts *c = target;
    if (c->n == c->room) {
        uint32_t room = c->room ? 2 * c->room : 64;
        struct context *list = realloc(c->list, room * sizeof *list);
        if (!list)
            return -ENOMEM;
        c->list = list;
        c->room = room;
    }
    c->list[c->n++] = *(const struct context *)argument;
    return 0;
}

const struct field_call contexts_calls[] = {
    {"context", "a PDP context and its TEID", context_fields,
     sizeof context_fields / sizeof context_fields[0], sizeof(struct context), add},
};
const uint32_t contexts_call_count = sizeof contexts_calls / sizeof contexts_calls[0];

void contexts_release(struct contexts *contexts)
{
    free(contexts->list);
    *contexts = (struct contexts){0};
}

static void put_one(struct json *json, const struct context *c)
{
    char address[16], teid[11];
    snprintf(address, sizeof address, "%u.%u.%u.%u", c->address >> 24, c->address >> 16 & 255,
             c->address >> 8 & 255, c->address & 255);
    snprintf(teid, sizeof teid, "0x%08x", c->teid);
    json_object(json);
    json_put_text(json, "imsi", c->imsi.text);
    json_put(json, "tlli", c->tlli);
    json_put(json, "nsapi", c->nsapi);
    json_put(json, "teid", c->teid);
    json_put_text(json, "teid_hex", teid);
    json_put_text(json, "address", address);
    json_close(json);
}

void contexts_put(const void *self, FILE *out)
{
    const struct contexts *contexts = self;
    struct json json;
    json_begin(&json, out);
    json_array(&json);
    for (uint32_t i = 0; i < contexts->n; i++)
        put_one(&json, &contexts->list[i]);
    json_close(&json);
    json_end(&json);
}
