// GTP-C of a GGSN (TS 29.060): PDP contexts that an SGSN creates, updates and deletes, each with an
// address of one network. Without a clock or a socket: the owner passes datagrams of UDP port 2123,
// sends the answers, and looks contexts up for G-PDUs.
//
// A context's place is its address's place in the network, so that each has one exactly, and none
// is searched for. An address that is given back is given away again as the last of all. A request
// that comes again within POOL_REPEAT_NS gets the same octets again. For one SGSN, whose changed
// restart counter ends all contexts (23.007). Left out: secondary contexts, fixed addresses, IPv6,
// requests of the GGSN's own.
#ifndef SLUICE_LAB_POOL_POOL_H
#define SLUICE_LAB_POOL_POOL_H

#include <stdbool.h>

#include "dataplane/wire/wire.h"
#include "lab/base/json.h"

#define POOL_BITS_LEAST  12 // a million addresses; the place has 20 bits of a TEID
#define POOL_BITS_MOST   29
#define POOL_ANSWER_MAX  1024         // octets
#define POOL_REPEAT_NS   30000000000u // five sendings, 5 s apart
#define POOL_TEIDS       0x80000000u  // all of a pool's have this bit
#define POOL_FIRST_PLACE 2            // behind the network's own address and that of its router

enum pool_count {
#define COUNT(name, help) POOL_COUNT_##name,
#include "lab/pool/counts.def"
#undef COUNT
    POOL_COUNTS
};

struct pool_config {
    uint32_t address, sgsn; // of GGSN and SGSN, IPv4
    uint32_t network, bits; // of the MSs' addresses
    uint32_t dns[2];        // told to MSs; 0: none
    uint8_t recovery;       // the GGSN's restart counter
    // Addresses by subscription, the first `kept` of the network's: kept_place says which of them
    // is an IMSI's and NSAPI's, from 0 on; UINT32_MAX: none. They are given to nobody else.
    uint32_t kept;
    uint32_t (*kept_place)(void *self, uint64_t imsi, uint8_t nsapi);
    void *self;
};

struct pool_context {
    uint64_t imsi;                    // with a 1 in front of its digits; 0: none, the place is free
    uint32_t data_address, data_teid; // the SGSN's end for G-PDUs
    uint32_t control_address, control_teid; // and for messages
    uint32_t next, before, after; // of its bucket or of the free ones; of all contexts: 1 + place
    uint16_t used;                // how often the place was
    uint8_t nsapi;
};

struct pool;

// An IMSI as a number, with a 1 in front of its digits, so that leading zeros count.
uint64_t pool_imsi(const char *digits);

// "10.64.0.0/15"; false: it is no network that a pool can have.
bool pool_network(const char *text, uint32_t *network, uint32_t *bits);

struct pool *pool_create(const struct pool_config *config);
void pool_destroy(struct pool *pool);

// A datagram's payload that came to UDP port 2123 from there. Returns the octets of the answer to
// the same address and port; 0: there is none.
uint32_t pool_take(struct pool *pool, uint32_t address, uint16_t port, struct octets message,
                   uint8_t answer[POOL_ANSWER_MAX], uint64_t now_ns);

// Whether an address is of the network; its context, and the context of a TEID of the GGSN's, or
// NULL.
uint32_t pool_kept_address(const struct pool_config *config, uint32_t place);
bool pool_has(const struct pool *pool, uint32_t address);
const struct pool_context *pool_of_address(const struct pool *pool, uint32_t address);
const struct pool_context *pool_of_teid(const struct pool *pool, uint32_t teid);

uint32_t pool_address(const struct pool *pool, const struct pool_context *context);
uint32_t pool_teid(const struct pool *pool, const struct pool_context *context);

// GTP-U's answer to a G-PDU to a TEID of no context (29.281 7.3.1). Returns its octets.
uint32_t pool_indication(struct pool *pool, uint32_t teid, uint8_t b[POOL_ANSWER_MAX]);

// ---- What it did ----

uint32_t pool_contexts(const struct pool *pool);
uint64_t pool_counted(const struct pool *pool, enum pool_count count);
// Of the messages that cannot be read, or that no GGSN expects; "": none.
const char *pool_first_fault(const struct pool *pool);
// Members of an object.
void pool_put(const struct pool *pool, struct json *json);
// NULL, or which equation does not hold.
const char *pool_wrong(const struct pool *pool);

#endif
