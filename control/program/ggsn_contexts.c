// See ggsn_contexts.h.
#include "control/program/ggsn_contexts.h"

#include <arpa/inet.h>
#include <stdlib.h>

#include "control/client/value.h"
#include "lab/live/gateway/gateway.h"

// False: it has no address or no TEID.
static bool take(const struct json_object *one, struct gateway_context *context)
{
    char text[INET_ADDRSTRLEN];
    struct in_addr address;
    uint64_t teid = value_number(one, "teid");
    if (inet_pton(AF_INET, value_text(one, "address", text, sizeof text), &address) != 1 ||
        teid == 0 || teid > UINT32_MAX)
        return false;
    *context = (struct gateway_context){ntohl(address.s_addr), (uint32_t)teid};
    return true;
}

bool ggsn_contexts(const char *text, size_t octets, struct gateway_context **contexts,
                   uint32_t *count, uint32_t *left_out)
{
    struct json_object *list = value_parse(text, octets);
    if (!list)
        return false;
    size_t n = value_count(list);
    *contexts = calloc(n + 1, sizeof **contexts);
    if (!*contexts)
        abort();
    *count = 0;
    for (size_t i = 0; i < n; i++)
        *count += take(value_at(list, i), &(*contexts)[*count]);
    *left_out = (uint32_t)n - *count;
    value_free(list);
    return true;
}
