// Any command with any values, by its description: mostly such as are in range, now and then not.
// What it may answer is what dataplane.h says.
#include <errno.h>
#include <string.h>

#include "tests/fuzz/path.h"

#define STRUCT_OCTETS 256
#define PDU_OCTETS    2100

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static uint32_t ids_of(const char *name)
{
    static const struct {
        const char *name;
        uint32_t ids;
    } kinds[] = {{"nse_id", PATH_NSES},   {"nsvc_id", PATH_NSVCS}, {"bvc_id", PATH_BVCS},
                 {"ggsn_id", PATH_GGSNS}, {"ms_id", PATH_MSS},     {"pdp_id", PATH_PDPS}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(name, kinds[i].name) == 0)
            return kinds[i].ids;
    return 256;
}

static uint64_t value_of(const struct field *f)
{
    uint64_t any = input_long();
    if (ends_with(f->name, "_id"))
        return any % 64 ? any / 64 % (ids_of(f->name) + 1) : any;
    if (strstr(f->name, "tlli"))
        return 0xc0000000 + any % 16;
    if (strcmp(f->name, "bvci") == 0)
        return any % 6;
    if (strcmp(f->name, "peer_port") == 0)
        return 23000 + any % 8;
    if (strcmp(f->name, "sapi") == 0)
        return any % 13;
    if (f->most - f->least < 4096)
        return any % 32 ? f->least + any / 32 % (f->most - f->least + 1) : any;
    return any >> (any & 31);
}

static struct octets octets_of(void)
{
    static uint8_t pdu[PDU_OCTETS];
    static const uint32_t lengths[] = {0, 1, 8, 16, 12, 40, 1100, 1400, 1526, 1527, 2048, 2100};
    uint32_t n = input_octet() % 2 ? INPUT_ONE_OF(lengths) : input_octet() % 20;
    memset(pdu, (int)input_octet(), sizeof pdu);
    if (pdu[0] == NS_UNITDATA_TYPE) // path_check.c takes these for the path's own
        pdu[0] = 1;
    return (struct octets){pdu, n};
}

static struct digits digits_of(void)
{
    struct digits digits = {{0}};
    memset(digits.text, '0' + (int)(input_octet() % 10), input_octet() % (FIELD_DIGITS_MAX + 1));
    return digits;
}

// The parameters that some class's AQM has, as they are, with one that is another, or one too few.
static void fill_params(struct dp_aqm_params *params)
{
    *params = path_config().classes.item[input_octet() % CLASS_COUNT].aqm_params;
    uint32_t place = input_octet() % 16;
    if (place < params->n)
        params->item[place] = (struct dp_aqm_param){(uint8_t)(input_octet() % 4),
                                                    (uint64_t)input_long() << (input_octet() & 31)};
    if (input_octet() % 8 == 0)
        params->n += input_long();
}

static void fill(const struct field *f, enum stats_side side, uint8_t *argument)
{
    void *at = argument + f->offset;
    if (f->has_offset != FIELD_ALWAYS)
        *(bool *)(argument + f->has_offset) = input_octet() & 1;
    if (f->kind == FIELD_MAC)
        *(struct mac *)at = path_mac(side, input_octet() % 8);
    else if (f->kind == FIELD_IPV6)
        *(struct ipv6_address *)at = path_address(side, input_octet() & 1, input_octet() % 20);
    else if (f->kind == FIELD_OCTETS)
        *(struct octets *)at = octets_of();
    else if (f->kind == FIELD_DIGITS)
        *(struct digits *)at = digits_of();
    else if (f->kind == FIELD_LIST)
        fill_params(at);
    else
        field_set(f, argument, value_of(f));
}

// A frame that the MS itself could send next, or nearly.
static void fill_own_frame(struct command_ms_prove *c)
{
    c->ms_id %= path.mss;
    c->bvc_id %= PATH_BVCS;
    c->pdu = path_llc(c->ms_id);
}

static bool may_be_answered(int64_t code)
{
    static const int faults[] = {EAGAIN,   ERANGE,        EEXIST,       ENOENT, EBUSY,
                                 ENOTSUP,  EINVAL,        EAFNOSUPPORT, ENOSPC, EXDEV,
                                 EMSGSIZE, EADDRNOTAVAIL, EADDRINUSE};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (code == -faults[i])
            return true;
    return code >= 0 && code <= UINT32_MAX;
}

void path_command_from_input(void)
{
    static _Alignas(16) uint8_t argument[STRUCT_OCTETS];
    const struct field_call *call = &dp_calls[input_octet() % dp_call_count];
    CHECK(call->struct_octets <= sizeof argument);
    memset(argument, 0, sizeof argument);
    for (uint32_t i = 0; i < call->field_count; i++)
        fill(&call->fields[i], strncmp(call->name, "ggsn", 4) == 0 ? STATS_GN : STATS_GB, argument);
    if (strcmp(call->name, "ms_prove") == 0 && input_octet() % 4)
        fill_own_frame((struct command_ms_prove *)argument);
    CHECK(may_be_answered(call->call(path.dp, argument)));
    path_totals.commands++;
}
