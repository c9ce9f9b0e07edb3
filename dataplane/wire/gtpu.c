// See gtpu.h.
#include "dataplane/wire/gtpu.h"

#include "dataplane/wire/bytes.h"

#define FLAGS_V1_GTP 0x30
#define FLAG_E       0x04
#define FLAG_S       0x02
#define FLAG_PN      0x01

// The two high bits of an extension's type: an endpoint must understand 10 and 11.
#define EXTENSION_REQUIRED 0x80

// Information elements: types below 128 have a fixed length, types from 128 a length of two octets.
// Only the list of extension header types has one octet of length.
#define IE_RECOVERY       14
#define IE_TEID           16
#define IE_WITH_LENGTH    128
#define IE_GSN_ADDRESS    133
#define IE_EXTENSION_LIST 141

// --- The message ---------------------------------------------------------------------------------

static bool is_known(uint8_t type)
{
    return !(type & EXTENSION_REQUIRED) || type == GTPU_EXTENSION_PDCP_NUMBER;
}

// Skips the chain at `at` with the first type `next`; returns the offset behind it or a fault, with
// offsets as in a message.
static int skip_extensions(uint8_t next, const uint8_t *chain, uint32_t n)
{
    const uint32_t begin = GTPU_OCTETS + GTPU_OPTIONS_OCTETS;
    uint32_t at = 0;
    while (next) {
        if (!is_known(next))
            return wire_fault(WIRE_EXTENSION, begin + at - 1);
        if (at >= n)
            return wire_fault(WIRE_TRUNCATED, begin + at);
        uint32_t octets = chain[at] * 4u;
        if (octets == 0 || octets > n - at)
            return wire_fault(WIRE_LENGTH, begin + at);
        at += octets;
        next = chain[at - 1];
    }
    return (int)at;
}

// The four octets that exist if any flag is set, and the chain behind them. Returns their number.
static int get_options(struct gtpu *message, uint8_t flags, const uint8_t *b, uint32_t n)
{
    message->has_sequence = flags & FLAG_S;
    message->has_npdu_number = flags & FLAG_PN;
    message->has_extension_type = flags & FLAG_E;
    message->has_extensions = false;
    if (!(flags & (FLAG_E | FLAG_S | FLAG_PN)))
        return 0;
    if (n < GTPU_OPTIONS_OCTETS)
        return wire_fault(WIRE_TRUNCATED, GTPU_OCTETS + n);
    message->sequence = get_be16(b);
    message->npdu_number = b[2];
    message->extension_type = message->has_extension_type ? b[3] : 0;
    const uint8_t *chain = b + GTPU_OPTIONS_OCTETS;
    int octets = skip_extensions(message->extension_type, chain, n - GTPU_OPTIONS_OCTETS);
    if (octets <= 0)
        return octets < 0 ? octets : GTPU_OPTIONS_OCTETS;
    message->has_extensions = true;
    message->extensions = (struct octets){chain, (uint32_t)octets};
    return GTPU_OPTIONS_OCTETS + octets;
}

int gtpu_decode(struct gtpu *message, const uint8_t *b, uint32_t n)
{
    if (n < GTPU_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    if ((b[0] & 0xf0) != FLAGS_V1_GTP)
        return wire_fault(WIRE_VERSION, 0);
    uint32_t end = GTPU_OCTETS + get_be16(b + 2);
    if (end > n)
        return wire_fault(WIRE_LENGTH, 2);
    message->type = b[1];
    message->teid = get_be32(b + 4);
    int options = get_options(message, b[0], b + GTPU_OCTETS, end - GTPU_OCTETS);
    if (options < 0)
        return options;
    uint32_t head = GTPU_OCTETS + (uint32_t)options;
    message->payload = (struct octets){b + head, end - head};
    return (int)end;
}

static uint8_t flags_of(const struct gtpu *message)
{
    return (uint8_t)((message->has_extension_type ? FLAG_E : 0) |
                     (message->has_sequence ? FLAG_S : 0) |
                     (message->has_npdu_number ? FLAG_PN : 0));
}

// 0, or the fault of the chain: one of the decoder's, or a wrong end.
static int check_extensions(const struct gtpu *message, const struct octets *chain)
{
    uint8_t type = message->has_extension_type ? message->extension_type : 0;
    int octets = skip_extensions(type, chain->at, chain->n);
    if (octets < 0)
        return octets;
    if ((uint32_t)octets != chain->n)
        return wire_fault(WIRE_LENGTH, GTPU_OCTETS + GTPU_OPTIONS_OCTETS + (uint32_t)octets);
    return 0;
}

static void put_options(const struct gtpu *message, const struct octets *chain, uint8_t *b)
{
    put_be16(b, message->has_sequence ? message->sequence : 0);
    b[2] = message->has_npdu_number ? message->npdu_number : 0;
    b[3] = message->has_extension_type ? message->extension_type : 0;
    if (chain->n)
        memmove(b + GTPU_OPTIONS_OCTETS, chain->at, chain->n);
}

int gtpu_encode(const struct gtpu *message, uint8_t *b, uint32_t room)
{
    const struct octets chain = message->has_extensions ? message->extensions : (struct octets){0};
    uint8_t flags = flags_of(message);
    int fault = check_extensions(message, &chain);
    if (fault)
        return fault;
    uint64_t options = flags ? (uint64_t)GTPU_OPTIONS_OCTETS + chain.n : 0;
    uint64_t length = options + message->payload.n;
    if (length > 0xffff)
        return wire_fault(WIRE_RANGE, 2);
    if (room < GTPU_OCTETS + length)
        return wire_fault(WIRE_NO_ROOM, room);
    if (message->payload.n)
        memmove(b + GTPU_OCTETS + options, message->payload.at, message->payload.n);
    b[0] = FLAGS_V1_GTP | flags;
    b[1] = message->type;
    put_be16(b + 2, (uint16_t)length);
    put_be32(b + 4, message->teid);
    if (flags)
        put_options(message, &chain, b + GTPU_OCTETS);
    return (int)(GTPU_OCTETS + length);
}

bool gtpu_extension(const struct gtpu *message, uint8_t type, struct octets *content)
{
    uint8_t next = message->has_extensions ? message->extension_type : 0;
    const uint8_t *at = message->extensions.at;
    while (next) {
        uint32_t octets = at[0] * 4u;
        if (next == type) {
            *content = (struct octets){at + 1, octets - 2};
            return true;
        }
        at += octets;
        next = at[-1];
    }
    return false;
}

// --- Information elements ------------------------------------------------------------------------

static uint32_t ie_head_octets(uint8_t type)
{
    if (type < IE_WITH_LENGTH)
        return 1;
    return type == IE_EXTENSION_LIST ? 2 : 3;
}

// The value of the element at `at`. Returns the offset behind it. An element of unknown type
// without a length cannot be skipped.
static int ie_value(const uint8_t *b, uint32_t n, uint32_t at, struct octets *value)
{
    uint32_t head = ie_head_octets(b[at]), octets;
    if (n - at < head)
        return wire_fault(WIRE_TRUNCATED, n);
    if (b[at] == IE_RECOVERY)
        octets = 1;
    else if (b[at] == IE_TEID)
        octets = 4;
    else if (head == 1)
        return wire_fault(WIRE_TYPE, at);
    else
        octets = head == 2 ? b[at + 1] : get_be16(b + at + 1);
    if (octets > n - at - head)
        return head == 1 ? wire_fault(WIRE_TRUNCATED, n) : wire_fault(WIRE_LENGTH, at + 1);
    *value = (struct octets){b + at + head, octets};
    return (int)(at + head + octets);
}

// The first element of that type. All other elements must be complete, too.
static int ie_find(const uint8_t *b, uint32_t n, uint8_t type, struct octets *found)
{
    bool is_found = false;
    if (n == 0)
        return wire_fault(WIRE_TRUNCATED, 0);
    for (uint32_t at = 0; at < n;) {
        struct octets value;
        int behind = ie_value(b, n, at, &value);
        if (behind < 0)
            return behind;
        if (b[at] == type && !is_found) {
            *found = value;
            is_found = true;
        }
        at = (uint32_t)behind;
    }
    return is_found ? (int)n : wire_fault(WIRE_MISSING_IE, n);
}

int gtpu_echo_response_decode(struct gtpu_echo_response *response, const uint8_t *b, uint32_t n)
{
    struct octets value;
    int result = ie_find(b, n, IE_RECOVERY, &value);
    if (result >= 0)
        response->restart_counter = value.at[0];
    return result;
}

int gtpu_echo_response_encode(const struct gtpu_echo_response *response, uint8_t *b, uint32_t room)
{
    if (room < 2)
        return wire_fault(WIRE_NO_ROOM, room);
    b[0] = IE_RECOVERY;
    b[1] = response->restart_counter;
    return 2;
}

int gtpu_error_indication_decode(struct gtpu_error_indication *error, const uint8_t *b, uint32_t n)
{
    struct octets teid, address;
    int result = ie_find(b, n, IE_TEID, &teid);
    if (result >= 0)
        result = ie_find(b, n, IE_GSN_ADDRESS, &address);
    if (result < 0)
        return result;
    error->teid = get_be32(teid.at);
    error->has_ipv4_address = address.n == 4;
    error->has_ipv6_address = address.n == 16;
    if (error->has_ipv4_address)
        error->ipv4_address = get_be32(address.at);
    else if (error->has_ipv6_address)
        memcpy(error->ipv6_address.octet, address.at, 16);
    else
        return wire_fault(WIRE_LENGTH, (uint32_t)(address.at - b) - 2);
    return result;
}

int gtpu_error_indication_encode(const struct gtpu_error_indication *error, uint8_t *b,
                                 uint32_t room)
{
    uint16_t octets = error->has_ipv4_address ? 4 : 16;
    if (!error->has_ipv4_address && !error->has_ipv6_address)
        return wire_fault(WIRE_MISSING_IE, 5);
    if (error->has_ipv4_address && error->has_ipv6_address)
        return wire_fault(WIRE_RANGE, 5);
    if (room < 8u + octets)
        return wire_fault(WIRE_NO_ROOM, room);
    b[0] = IE_TEID;
    put_be32(b + 1, error->teid);
    b[5] = IE_GSN_ADDRESS;
    put_be16(b + 6, octets);
    if (error->has_ipv4_address)
        put_be32(b + 8, error->ipv4_address);
    else
        memcpy(b + 8, error->ipv6_address.octet, 16);
    return 8 + octets;
}

int gtpu_supported_extensions_decode(struct gtpu_supported_extensions *supported, const uint8_t *b,
                                     uint32_t n)
{
    return ie_find(b, n, IE_EXTENSION_LIST, &supported->types);
}

int gtpu_supported_extensions_encode(const struct gtpu_supported_extensions *supported, uint8_t *b,
                                     uint32_t room)
{
    if (supported->types.n > 255)
        return wire_fault(WIRE_RANGE, 1);
    if (room < 2 + supported->types.n)
        return wire_fault(WIRE_NO_ROOM, room);
    if (supported->types.n)
        memmove(b + 2, supported->types.at, supported->types.n);
    b[0] = IE_EXTENSION_LIST;
    b[1] = (uint8_t)supported->types.n;
    return (int)(2 + supported->types.n);
}
