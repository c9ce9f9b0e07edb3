// The GGSN of the lab: IP packets of the hosts become G-PDUs to the SGSN, G-PDUs of the SGSN become
// IP packets. Echo requests are answered (29.281 7.2); other messages are counted. GTP-C makes
// contexts with addresses of GGSN_POOL.
#ifndef SLUICE_LAB_GGSN_GGSN_H
#define SLUICE_LAB_GGSN_GGSN_H

#include "lab/line/ends.h"
#include "lab/pool/pool.h"

#define GGSN_POOL      0x0a400000u // 10.64.0.0/15
#define GGSN_POOL_BITS 15

// A G-PDU's content; teid: of the tunnel's end at the GGSN.
typedef void ggsn_up_fn(void *self, uint32_t teid, struct octets npdu, uint64_t now_ns);

struct ggsn {
    struct ends ends;
    struct ends_host host; // its own address
    ggsn_up_fn *up;
    void *self;
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

// Frees what it has.
void ggsn_release(struct ggsn *ggsn);

// An ends_datagram_fn.
void ggsn_datagram(void *self, const struct ends_datagram *datagram, uint64_t now_ns);

#endif
