// The far side of Gb, as far as the downlink needs one: Gb frames to N-PDUs, by the project's own
// codecs, with reassembly per PDP context, and the delay of each N-PDU by the time stamp it
// carries. Simulated: there is no radio behind it and no flow control; what arrives counts as
// received.
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

// How many there are at most of each.
struct receiver_limits {
    uint32_t endpoints, contexts, deciphers;
};

struct receiver {
    struct rte_hash *nse_by_endpoint; // struct receiver_endpoint -> NSE
    struct rte_hash *by_key;          // struct receiver_key -> context; of NSAPI 0 -> decipher
    struct receiver_context *context;
    struct decipher *decipher;
    uint32_t contexts, deciphers;
    struct receiver_limits limits;
    struct cipher_scratch *scratch;
    struct join join;
    uint8_t clear[LLC_UI_HEADER_OCTETS + LLC_N201_U_MAX + LLC_FCS_OCTETS]; // the frame at hand
    uint64_t frames, fragments; // `fragments` of the frames were not the last of their datagrams
    uint64_t faults, discarded; // N-PDUs given up because a segment was missing
    char first_fault[160];
    struct receiver_class of_class[CLASS_COUNT];
};

// What rte_hash takes for them.
uint64_t receiver_memory_octets(const struct receiver_limits *limits);

// 0 or a negative errno.
int receiver_setup(struct receiver *receiver, const struct receiver_limits *limits);
void receiver_release(struct receiver *receiver);

// An NS-VC of an NSE: where its frames come to. -EEXIST when the endpoint has one already.
struct receiver_endpoint {
    struct ipv6_address address; // IPv4 as ::ffff:a.b.c.d
    uint32_t port;               // 32 bits, for rte_jhash reads whole words
};
int receiver_add_endpoint(struct receiver *receiver, const struct receiver_endpoint *endpoint,
                          uint32_t nse);

// A TLLI means something within its NSE only. -EEXIST when there is one already.
struct receiver_key {
    uint32_t nse;
    uint32_t tlli;
    uint32_t nsapi;
};

int receiver_add_context(struct receiver *receiver, const struct receiver_key *key,
                         uint8_t traffic_class);

// What comes for this MS must be enciphered; the key's NSAPI is 0. -EEXIST when it has a key
// already.
int receiver_add_cipher(struct receiver *receiver, const struct receiver_key *key, uint8_t gea,
                        struct octets kc, uint32_t iov_ui);

// A line_deliver_fn.
void receiver_frame(void *self, const uint8_t *frame, uint32_t octets, uint64_t now_ns);

// N-PDUs of which some segments have come and some have not.
uint32_t receiver_partial(const struct receiver *receiver);

#endif
