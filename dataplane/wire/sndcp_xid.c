// See sndcp_xid.h.
#include "dataplane/wire/sndcp_xid.h"

#include <string.h>

#include "dataplane/wire/bytes.h"

static const struct field entity_table[] = FIELD_TABLE(sndcp_entity, SNDCP_ENTITY_FIELDS);
const struct field_record sndcp_entity_record = FIELD_RECORD_OF(sndcp_entity, entity_table);

enum { TYPE_VERSION, TYPE_DATA, TYPE_PROTOCOL };

#define BIT_P             0x80
#define ENTITY_SPARE      0x60
#define ALGORITHM_SPARE   0xe0
#define HEAD_OCTETS       2 // type and length
#define NSAPIS_OCTETS     2
#define VERSION_MAX       15
#define NUMBER_MAX        31 // of an entity, of an algorithm
#define ALGORITHM_UNKNOWN UINT32_MAX

// Octets of the algorithm's DCOMP or PCOMP values (6.5.2.2, 6.5.3.2, 6.5.4.2, 6.6.2.2, 6.6.3.2):
// two values to an octet.
static uint32_t codes_octets(uint8_t type, const struct sndcp_entity *entity)
{
    static const uint8_t data[] = {1, 1}, protocol[] = {1, 3, 1};
    if (!entity->has_algorithm)
        return 0;
    if (type == TYPE_DATA)
        return entity->algorithm < sizeof data ? data[entity->algorithm] : ALGORITHM_UNKNOWN;
    return entity->algorithm < sizeof protocol ? protocol[entity->algorithm] : ALGORITHM_UNKNOWN;
}

// Decodes an entity from behind its length octet, b[-1]. Offsets count from there.
static int get_entity_value(struct sndcp_entity *entity, uint8_t type, const uint8_t *b, uint32_t n)
{
    uint32_t codes = codes_octets(type, entity);
    bool known = codes != ALGORITHM_UNKNOWN;
    if (!known)
        codes = 0;
    if (n < codes || (known && n == codes + 1))
        return wire_fault(WIRE_LENGTH, 0);
    entity->codes = (struct octets){b, codes};
    entity->has_nsapis = known && n > codes;
    entity->nsapis = entity->has_nsapis ? get_be16(b + codes) : 0;
    uint32_t at = codes + (entity->has_nsapis ? NSAPIS_OCTETS : 0);
    entity->parameters = (struct octets){b + at, n - at};
    return 0;
}

// Returns the octets of the entity at b[at], or a fault.
static int get_entity(struct sndcp_entity *entity, uint8_t type, const uint8_t *b, uint32_t end,
                      uint32_t at)
{
    uint32_t length = at + (b[at] & BIT_P ? 2 : 1);
    if (length >= end)
        return wire_fault(WIRE_TRUNCATED, end);
    if (b[at] & ENTITY_SPARE)
        return wire_fault(WIRE_RESERVED, at);
    *entity = (struct sndcp_entity){.entity = b[at] & NUMBER_MAX, .has_algorithm = b[at] & BIT_P};
    if (entity->has_algorithm && (b[at + 1] & ALGORITHM_SPARE))
        return wire_fault(WIRE_RESERVED, at + 1);
    if (entity->has_algorithm)
        entity->algorithm = b[at + 1];
    if (b[length] > end - length - 1)
        return wire_fault(WIRE_LENGTH, length);
    int fault = get_entity_value(entity, type, b + length + 1, b[length]);
    return fault ? wire_fault(wire_fault_err(fault), length) : (int)(length + 1 + b[length] - at);
}

static int get_entities(struct sndcp_entities *list, uint8_t type, const uint8_t *b, uint32_t end,
                        uint32_t at)
{
    list->n = 0;
    while (at < end) {
        if (list->n == SNDCP_ENTITIES_MAX)
            return wire_fault(WIRE_RESERVED, at);
        int n = get_entity(&list->item[list->n++], type, b, end, at);
        if (n < 0)
            return n;
        at += (uint32_t)n;
    }
    return 0;
}

static int get_version(struct sndcp_xid *block, const uint8_t *b, uint32_t end, uint32_t at)
{
    if (end - at != 1)
        return wire_fault(WIRE_LENGTH, at - 1);
    if (b[at] > VERSION_MAX)
        return wire_fault(WIRE_RESERVED, at);
    block->has_version = true;
    block->version = b[at];
    return 0;
}

// Decodes a parameter from `at` to `end`. An unknown or repeated one is skipped.
static int get_parameter(struct sndcp_xid *block, uint8_t type, const uint8_t *b, uint32_t end,
                         uint32_t at)
{
    if (type == TYPE_VERSION && !block->has_version)
        return get_version(block, b, end, at);
    if (type == TYPE_DATA && !block->has_data_compression) {
        block->has_data_compression = true;
        return get_entities(&block->data_compression, type, b, end, at);
    }
    if (type == TYPE_PROTOCOL && !block->has_protocol_compression) {
        block->has_protocol_compression = true;
        return get_entities(&block->protocol_compression, type, b, end, at);
    }
    return 0;
}

static bool is_empty(const struct sndcp_xid *block)
{
    return !block->has_version && !block->has_data_compression && !block->has_protocol_compression;
}

int sndcp_xid_decode(struct sndcp_xid *block, const uint8_t *b, uint32_t n)
{
    if (n == 0)
        return wire_fault(WIRE_TRUNCATED, 0);
    block->has_version = block->has_data_compression = block->has_protocol_compression = false;
    for (uint32_t at = 0; at < n;) {
        if (n - at < HEAD_OCTETS)
            return wire_fault(WIRE_TRUNCATED, n);
        uint32_t value = at + HEAD_OCTETS, octets = b[at + 1];
        if (octets > n - value)
            return wire_fault(WIRE_LENGTH, at + 1);
        int fault = get_parameter(block, b[at], b, value + octets, value);
        if (fault)
            return fault;
        at = value + octets;
    }
    return is_empty(block) ? wire_fault(WIRE_MISSING_IE, n) : (int)n;
}

static uint32_t value_octets(const struct sndcp_entity *entity)
{
    return entity->codes.n + (entity->has_nsapis ? NSAPIS_OCTETS : 0) + entity->parameters.n;
}

static bool is_sendable(const struct sndcp_entity *entity, uint8_t type)
{
    uint32_t codes = codes_octets(type, entity);
    bool known = codes != ALGORITHM_UNKNOWN;
    if (entity->entity > NUMBER_MAX || (entity->has_algorithm && entity->algorithm > NUMBER_MAX))
        return false;
    if (entity->codes.n != (known ? codes : 0) || (!known && entity->has_nsapis))
        return false;
    if (known && !entity->has_nsapis && entity->parameters.n)
        return false;
    return entity->parameters.n <= SNDCP_PARAMETER_MAX &&
           value_octets(entity) <= SNDCP_PARAMETER_MAX;
}

// Octets of the list behind type and length, or a fault.
static int entities_octets(const struct sndcp_entities *list, uint8_t type)
{
    uint32_t n = 0;
    if (list->n > SNDCP_ENTITIES_MAX)
        return wire_fault(WIRE_RANGE, 0);
    for (uint32_t i = 0; i < list->n; i++) {
        if (!is_sendable(&list->item[i], type))
            return wire_fault(WIRE_RANGE, 0);
        n += (list->item[i].has_algorithm ? 3 : 2) + value_octets(&list->item[i]);
    }
    return n <= SNDCP_PARAMETER_MAX ? (int)n : wire_fault(WIRE_RANGE, 0);
}

static uint8_t *put_octets(const struct octets *octets, uint8_t *b)
{
    if (octets->n)
        memcpy(b, octets->at, octets->n);
    return b + octets->n;
}

static uint8_t *put_entity(const struct sndcp_entity *entity, uint8_t *b)
{
    *b++ = (uint8_t)((entity->has_algorithm ? BIT_P : 0) | entity->entity);
    if (entity->has_algorithm)
        *b++ = entity->algorithm;
    *b++ = (uint8_t)value_octets(entity);
    b = put_octets(&entity->codes, b);
    if (entity->has_nsapis) {
        put_be16(b, entity->nsapis);
        b += NSAPIS_OCTETS;
    }
    return put_octets(&entity->parameters, b);
}

static uint8_t *put_entities(const struct sndcp_entities *list, uint8_t type, uint32_t octets,
                             uint8_t *b)
{
    *b++ = type;
    *b++ = (uint8_t)octets;
    for (uint32_t i = 0; i < list->n; i++)
        b = put_entity(&list->item[i], b);
    return b;
}

int sndcp_xid_encode(const struct sndcp_xid *block, uint8_t *b, uint32_t room)
{
    uint32_t end = block->has_version ? HEAD_OCTETS + 1 : 0;
    if (block->has_version && block->version > VERSION_MAX)
        return wire_fault(WIRE_RANGE, HEAD_OCTETS);
    int data = 0, protocol = 0;
    if (block->has_data_compression) {
        data = entities_octets(&block->data_compression, TYPE_DATA);
        if (data < 0)
            return wire_fault(WIRE_RANGE, end);
        end += HEAD_OCTETS + (uint32_t)data;
    }
    if (block->has_protocol_compression) {
        protocol = entities_octets(&block->protocol_compression, TYPE_PROTOCOL);
        if (protocol < 0)
            return wire_fault(WIRE_RANGE, end);
        end += HEAD_OCTETS + (uint32_t)protocol;
    }
    if (is_empty(block))
        return wire_fault(WIRE_RANGE, 0);
    if (room < end)
        return wire_fault(WIRE_NO_ROOM, room);
    if (block->has_version) {
        *b++ = TYPE_VERSION;
        *b++ = 1;
        *b++ = block->version;
    }
    if (block->has_data_compression)
        b = put_entities(&block->data_compression, TYPE_DATA, (uint32_t)data, b);
    if (block->has_protocol_compression)
        put_entities(&block->protocol_compression, TYPE_PROTOCOL, (uint32_t)protocol, b);
    return (int)end;
}
