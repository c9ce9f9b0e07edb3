// The GGSN of the lab: IP packets of the hosts become G-PDUs to the SGSN, G-PDUs of the SGSN become
// IP packets. Echo requests are answered (29.281 7.2); other messages are counted. GTP-C makes
// contexts with addresses of GGSN_POOL.
#ifndef SLUICE_LAB_GGSN_GGSN_H
#define SLUICE_LAB_GGSN_GGSN_H

#include "lab/line/ends.h"
#include "lab/pool/pool.h"

#define GGSN_POOL      0x0a400000u // 10.64.0.0/15
#define GGSN_POOL_BITS 15

// The kept address of that place.
static inline uint32_t ggsn_kept_address(uint32_t place)
{
    return pool_kept_address(&(struct pool_config){.network = GGSN_POOL}, place);
}

// A G-PDU's content; teid: of the tunnel's end at the GGSN.
typedef void ggsn_up_fn(void *self, uint32_t teid, struct octets npdu, uint64_t now_ns);

struct ggsn {
    struct ends ends;
    struct ends_host host; // its own address
    ggsn_up_fn *up;
    void *self;
    // Addresses of GGSN_POOL by subscription, as those of struct pool_config.
    uint32_t kept;
    uint32_t (*kept_place)(void *self, uint64_t imsi, uint8_t nsapi);
    // The caller has filled in the fields above.
    uint64_t down_npdus, down_octets, up_npdus, up_octets;
    uint64_t echoes, error_indications;
    struct pool *pool; // NULL: no GTP-C has come
    uint64_t faults;   // datagrams that are no GTP-U message that a GGSN expects
    char first_fault[160];
};

// Sends an IP packet into the tunnel with the SGSN's TEID; queue: of its worker; `tag` as for
// line_send.
bool ggsn_down(struct ggsn *ggsn, uint32_t teid, uint32_t queue, struct octets npdu, uint64_t tag,
               uint64_t now_ns);

// The context of an address of GGSN_POOL, or of a TEID of the GGSN's; NULL: none.
const struct pool_context *ggsn_of_address(const struct ggsn *ggsn, uint32_t address);
const struct pool_context *ggsn_of_teid(const struct ggsn *ggsn, uint32_t teid);

// Tells the SGSN that there is no context of a TEID (29.281 7.3.1).
void ggsn_indicate(struct ggsn *ggsn, uint32_t teid, uint64_t now_ns);

// Frees what it has.
void ggsn_release(struct ggsn *ggsn);

// An ends_datagram_fn.
void ggsn_datagram(void *self, const struct ends_datagram *datagram, uint64_t now_ns);

#endif
