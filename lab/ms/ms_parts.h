// Shared by the files of the MS.
#ifndef SLUICE_LAB_MS_PARTS_H
#define SLUICE_LAB_MS_PARTS_H

#include "lab/ms/ms.h"

// The SAPIs of the LLEs.
static const uint8_t ms_user_sapis[MS_LLES] = {3, 5, 9, 11};

// The index of an LLE; MS_LLES: not a SAPI of user data.
static inline uint32_t ms_lle_of(uint8_t sapi)
{
    for (uint32_t i = 0; i < MS_LLES; i++)
        if (ms_user_sapis[i] == sapi)
            return i;
    return MS_LLES;
}

// NULL: not an NSAPI.
static inline struct ms_context *ms_context_of(struct ms *ms, uint8_t nsapi)
{
    bool is_nsapi = nsapi >= MS_NSAPI_FIRST && nsapi < MS_NSAPI_FIRST + MS_NSAPIS;
    return is_nsapi ? &ms->context[nsapi - MS_NSAPI_FIRST] : NULL;
}

static inline void ms_add(struct ms_amount *amount, uint32_t octets)
{
    amount->packets++;
    amount->octets += octets;
}

// Counts a fault; the text of the first one is kept.
void ms_fault(struct ms *ms, const char *layer, const char *what, uint32_t offset);

// ms_number.c: the number (N(U) + OC) that the N(U) of a received frame stands for. next: follows
// the highest one so far.
uint32_t ms_number_down(uint32_t next, uint32_t nu);

// Notes a received number; *late: a later one was received before. False: a duplicate, or too late.
bool ms_number_take(struct ms_lle *lle, uint32_t number, bool *late);

// XORs the key stream to information and FCS of a UI frame of the MS.
void ms_cipher_frame(const struct ms *ms, uint8_t sapi, uint32_t number,
                     enum cipher_direction direction, uint8_t *frame, uint32_t octets);
void ms_cipher_by(struct cipher_scratch *scratch, const uint8_t *key, uint32_t input,
                  enum cipher_direction direction, uint8_t *frame, uint32_t octets);

// The key as the cipher uses it. 0; -ENOTSUP or -EINVAL.
int ms_key_of(uint8_t gea, struct octets kc, uint8_t key[CIPHER_KEY_OCTETS]);

// ms_npdu.c: takes the information of a UI frame of `pdu_octets` octets.
void ms_segment_take(struct ms *ms, const struct ms_lle *lle, struct octets info,
                     uint32_t pdu_octets, uint64_t now_ns);
void ms_give_up(struct ms *ms, struct ms_context *context, enum ms_lost why, uint64_t now_ns);
void ms_npdus_release(struct ms_shared *shared); // frees the free lists

// ms_read.c: a UI frame in the clear, in shared->read, as the SGSN sent it, under the MS's key or
// one before; NULL: not a good one.
const uint8_t *ms_clear(const struct ms *ms, struct ms_stamp stamp, const uint8_t *llc,
                        uint32_t octets);
// Whether it is good under a key before.
bool ms_is_of_before(const struct ms *ms, struct ms_stamp stamp, const uint8_t *llc,
                     uint32_t octets);

// Counts an LLC PDU as refused, and as a fault.
void ms_refuse(struct ms *ms, enum ms_refused why, uint32_t pdu_octets, const char *layer,
               const char *what, uint32_t offset);

// ms_xid.c: counts and answers an XID command with a good FCS.
void ms_xid_take(struct ms *ms, struct octets frame, uint64_t now_ns);

// Numbers and parameters of all LLEs begin again.
void ms_llc_begin(struct ms *ms, uint16_t n201_u_octets);

#endif
