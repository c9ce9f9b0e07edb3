// The SNDCP XID block (TS 44.065 clauses 6.5.1, 6.6.1, 6.8 and 8), carried as the layer-3
// parameters of an LLC XID frame: version, and the compression entities of data and of protocol
// control information. A proposed entity (P = 1) names an algorithm and its DCOMP or PCOMP values;
// an answer's entity (P = 0) has neither. The parameters of an algorithm stay octets, since Sluice
// compresses nothing: it refuses a proposal by an answer with P = 0 and no NSAPIs. All octets of an
// unknown algorithm are in `parameters`. A block has at least one of the three.
//
// Octets of an entity must not lie in the output buffer.
#ifndef SLUICE_WIRE_SNDCP_XID_H
#define SLUICE_WIRE_SNDCP_XID_H

#include "dataplane/wire/field.h"

#define SNDCP_ENTITIES_MAX  32
#define SNDCP_CODES_MAX     3
#define SNDCP_PARAMETER_MAX 255 // octets; of a block's parameter, and of an entity's parameters

#define SNDCP_ENTITY_FIELDS(MUST, MAY, T)                                               \
    MUST(T, U8, entity, 0, 31, "entity number")                                         \
    MAY(T, U8, algorithm, 0, 31,                                                        \
        "proposed; data: 0 V.42bis, 1 V.44; protocol: 0 RFC 1144, 1 RFC 2507, 2 ROHC")  \
    MUST(T, OCTETS, codes, 0, SNDCP_CODES_MAX,                                          \
         "DCOMP or PCOMP values, 4 bits each, as many as the proposed algorithm has")   \
    MAY(T, U16, nsapis, 0, 0xffff, "NSAPIs it is for, bit n for NSAPI n; none refuses") \
    MUST(T, OCTETS, parameters, 0, SNDCP_PARAMETER_MAX, "the algorithm's, only with nsapis")
FIELD_STRUCT(sndcp_entity, SNDCP_ENTITY_FIELDS);
FIELD_LIST_STRUCT(sndcp_entities, sndcp_entity, SNDCP_ENTITIES_MAX);

extern const struct field_record sndcp_entity_record;

#define FIELD_TYPE_SNDCP_ENTITIES struct sndcp_entities
#define FIELD_KIND_SNDCP_ENTITIES FIELD_LIST, &sndcp_entity_record

#define SNDCP_XID_FIELDS(MUST, MAY, T)                                                    \
    MAY(T, U8, version, 0, 15, "SNDCP version")                                           \
    MAY(T, SNDCP_ENTITIES, data_compression, 0, SNDCP_ENTITIES_MAX, "entities of type 1") \
    MAY(T, SNDCP_ENTITIES, protocol_compression, 0, SNDCP_ENTITIES_MAX, "entities of type 2")

FIELD_STRUCT(sndcp_xid, SNDCP_XID_FIELDS);

int sndcp_xid_decode(struct sndcp_xid *block, const uint8_t *b, uint32_t n);
int sndcp_xid_encode(const struct sndcp_xid *block, uint8_t *b, uint32_t room);

#endif
