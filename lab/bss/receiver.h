// The BSS's end of Gb for the downlink: decodes Gb frames to N-PDUs with the project's own codecs,
// reassembles them per PDP context, and measures each N-PDU's delay from its time stamp. Simulated:
// without radio and flow control, a frame that arrives counts as received.
#ifndef SLUICE_LAB_BSS_RECEIVER_H
#define SLUICE_LAB_BSS_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/base/classes.h"
#include "dataplane/base/histogram.h"
#include "dataplane/wire/field.h"
#include "lab/bss/decipher.h"
#include "lab/bss/join.h"

struct receiver_class {
    uint64_t npdus, octets;
    struct histogram delay_ns;
};

struct receiver_context;
struct rte_hash;

// The most of each.
struct receiver_limits {
    uint32_t endpoints, contexts, deciphers;
};

struct receiver {
    struct rte_hash *nse_by_endpoint; // struct receiver_endpoint -> NSE
    struct rte_hash *by_key;          // struct receiver_key -> context; with NSAPI 0 -> decipher
    struct receiver_context *context;
    struct decipher *decipher;
    uint32_t contexts, deciphers;
    struct receiver_limits limits;
    struct cipher_scratch *scratch;
    struct join join;
    uint8_t clear[LLC_UI_HEADER_OCTETS + LLC_N201_U_MAX + LLC_FCS_OCTETS]; // the deciphered frame
    uint64_t frames, fragments; // fragments: those frames that were not their datagram's last
    uint64_t faults, discarded; // discarded: N-PDUs with a missing segment
    char first_fault[160];
    struct receiver_class of_class[CLASS_COUNT];
};

// The memory of the rte_hash tables.
uint64_t receiver_memory_octets(const struct receiver_limits *limits);

// 0 or a negative errno.
int receiver_setup(struct receiver *receiver, const struct receiver_limits *limits);
void receiver_release(struct receiver *receiver);

// Adds the BSS's endpoint of an NS-VC. -EEXIST: the endpoint is in use.
struct receiver_endpoint {
    struct ipv6_address address; // IPv4 as ::ffff:a.b.c.d
    uint32_t port;               // 32 bits, for rte_jhash reads whole words
};
int receiver_add_endpoint(struct receiver *receiver, const struct receiver_endpoint *endpoint,
                          uint32_t nse);

// A TLLI is unique within its NSE only. The functions return -EEXIST for a known key.
struct receiver_key {
    uint32_t nse;
    uint32_t tlli;
    uint32_t nsapi;
};

int receiver_add_context(struct receiver *receiver, const struct receiver_key *key,
                         uint8_t traffic_class);

// Sets an MS's ciphering key: its frames must be enciphered. key->nsapi is 0.
int receiver_add_cipher(struct receiver *receiver, const struct receiver_key *key, uint8_t gea,
                        struct octets kc, uint32_t iov_ui);

// A line_deliver_fn.
void receiver_frame(void *self, const uint8_t *frame, uint32_t octets, uint64_t now_ns);

// The number of N-PDUs with some segments received and some missing.
uint32_t receiver_partial(const struct receiver *receiver);

#endif
