// All PDU structs at once, for code that treats every PDU alike (see struct wire_pdu).
#ifndef SLUICE_WIRE_PDUS_H
#define SLUICE_WIRE_PDUS_H

#include "dataplane/wire/abqp.h"
#include "dataplane/wire/arp.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gmm.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/icmpv6.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_u.h"
#include "dataplane/wire/llc_xid.h"
#include "dataplane/wire/ns.h"
#include "dataplane/wire/sm.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/wire/sndcp_xid.h"
#include "dataplane/wire/tcp.h"
#include "dataplane/wire/udp.h"

// Room for any of the structs.
union wire_any {
#define PDU(name, LIST, help) struct name name;
#include "dataplane/wire/pdus.def"
#undef PDU
#define TLV_PDU(group, name, NAME, pdu_type, help) struct name name;
#include "dataplane/wire/tlv.def"
#undef TLV_PDU
};

#endif
