// contexts.json as `sluice ggsn` reads it, under any octets: what is taken has a TEID, each item is
// taken or left out, and the gateway finds what it was given. What Sluice itself writes comes back
// as it was: the first octet says whether the rest is a file, or contexts to be written and read.
#include <string.h>

#include "control/run/contexts.h"
#include "control/program/ggsn_contexts.h"
#include "lab/live/gateway/gateway.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/input.h"

static struct gateway gateway;

static void read_file(const char *text, size_t octets)
{
    struct gateway_context *contexts;
    uint32_t count, left_out;
    if (!ggsn_contexts(text, octets, &contexts, &count, &left_out))
        return;
    CHECK(count + (size_t)left_out <= octets);
    for (uint32_t i = 0; i < count; i++)
        CHECK(contexts[i].teid != 0);
    gateway_set(&gateway, contexts, count);
    CHECK(gateway.contexts == count);
    for (uint32_t i = 1; i < count; i++)
        CHECK(gateway.context[i - 1].address <= gateway.context[i].address);
    free(contexts);
}

static int64_t call(struct contexts *contexts, const char *name, const void *argument)
{
    for (uint32_t i = 0; i < contexts_call_count; i++)
        if (strcmp(contexts_calls[i].name, name) == 0)
            return contexts_calls[i].call(contexts, argument);
    abort();
}

#define IDS 100 // more than are written in one piece

static void expect_same(const struct context *known, uint32_t n, char *text, size_t octets)
{
    struct gateway_context *contexts;
    uint32_t count, left_out;
    CHECK(ggsn_contexts(text, octets, &contexts, &count, &left_out));
    CHECK(left_out == 0 && count == n);
    for (uint32_t id = 0, at = 0; id < IDS; id++)
        if (known[id].teid) {
            CHECK(contexts[at].teid == known[id].teid && contexts[at].address == known[id].address);
            at++;
        }
    free(contexts);
}

static void write_and_read(void)
{
    struct contexts contexts = {.n = 0};
    struct context known[IDS] = {0};
    uint32_t n = 0;
    while (input_left()) {
        uint32_t id = input_octet() % IDS, choice = input_octet();
        bool was = known[id].teid != 0;
        if (choice < 64) {
            CHECK((call(&contexts, "gone", &(struct context_gone){id}) == 0) == was);
            n -= was;
            known[id].teid = 0;
            continue;
        }
        struct context c = {.pdp_id = id, .nsapi = 5, .address = input_long()};
        c.has_teid = choice < 192;
        c.teid = c.has_teid ? input_long() | 1 : 0;
        strcpy(c.imsi.text, "001");
        bool good = call(&contexts, "context", &c) == 0;
        CHECK(good == (was || c.has_teid));
        if (!good)
            continue;
        n += !was;
        known[id] =
            (struct context){.teid = c.has_teid ? c.teid : known[id].teid, .address = c.address};
    }
    char *text = NULL;
    size_t octets;
    FILE *out = open_memstream(&text, &octets);
    CHECK(out);
    contexts_begin(&contexts, out);
    for (int pieces = 0; !contexts_put(&contexts); pieces++)
        CHECK(pieces < IDS);
    fclose(out);
    expect_same(known, n, text, octets);
    free(text);
    contexts_release(&contexts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    if (data[0] % 4 == 0) {
        input_begin(data + 1, size - 1);
        write_and_read();
        return 0;
    }
    char *text = malloc(size); // which ends where the file does
    CHECK(text);
    memcpy(text, data + 1, size - 1);
    read_file(text, size - 1);
    free(text);
    return 0;
}
