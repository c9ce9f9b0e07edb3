// What comes out of a port must be what a host may send: to somebody, from us, with the tag of the
// port's VLAN and no other, no longer than the MTU, with lengths that agree and good checksums,
// down to GTP-U on Gn and to the LLC frame on Gb. Decoders of dataplane/wire look at it from the
// other side; a piece of a packet ends at its IP header, for what it is a piece of was framed like
// all else.
#include <string.h>

#include "dataplane/wire/arp.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/icmpv6.h"
#include "tests/fuzz/path.h"

static void check_gtpu(const uint8_t *b, uint32_t n)
{
    struct gtpu message;
    struct gtpu_error_indication error;
    CHECK(gtpu_decode(&message, b, n) == (int)n);
    CHECK(message.type == GTPU_G_PDU || message.type == GTPU_ECHO_RESPONSE ||
          message.type == GTPU_ERROR_INDICATION);
    CHECK(message.type != GTPU_G_PDU || message.payload.n > 0);
    if (message.type == GTPU_ERROR_INDICATION)
        CHECK(gtpu_error_indication_decode(&error, message.payload.at, message.payload.n) >= 0);
}

static void check_llc(const struct octets *llc)
{
    struct llc_ui ui;
    struct sndcp_unitdata segment;
    CHECK(llc_ui_decode(&ui, llc->at, llc->n) >= 0 && ui.protect_all && ui.cr);
    CHECK(state_lle_of_sapi(ui.sapi) >= 0 && ui.info.n <= LLC_N201_U_MAX);
    if (ui.enciphered)
        return;
    CHECK(sndcp_unitdata_decode(&segment, ui.info.at, ui.info.n) >= 0);
    CHECK(segment.data.n > 0 && segment.dcomp == 0 && segment.pcomp == 0);
}

static void check_ns(const uint8_t *b, uint32_t n)
{
    struct ns_unitdata unitdata;
    struct bssgp_dl_unitdata pdu;
    CHECK(n > 0);
    if (b[0] != NS_UNITDATA_TYPE)
        return; // control's
    CHECK(ns_unitdata_decode(&unitdata, b, n) == (int)n);
    CHECK(unitdata.bvci >= 2 &&
          bssgp_dl_unitdata_decode(&pdu, unitdata.sdu.at, unitdata.sdu.n) >= 0);
    if (pdu.qos.user_data)
        check_llc(&pdu.llc_pdu);
    else // control's, whatever it is
        CHECK(pdu.llc_pdu.n > 0 && pdu.llc_pdu.n <= COMMAND_LLC_OCTETS_MAX);
}

static void check_udp(enum stats_side side, const struct udp *udp)
{
    bool gtpc = side == STATS_GN && udp->source_port == GTPC_PORT; // control's, whatever it is
    CHECK(udp->source_port == path_port(side, 0) || gtpc);
    CHECK(udp->payload.n > 0);
    if (gtpc)
        CHECK(udp->checksum != 0);
    else if (side == STATS_GN)
        check_gtpu(udp->payload.at, udp->payload.n);
    else
        check_ns(udp->payload.at, udp->payload.n);
}

static void check_ipv4(enum stats_side side, const uint8_t *b, uint32_t n)
{
    struct ipv4 ip;
    struct udp udp;
    struct icmp_echo echo;
    struct ipv6_address us = path_address(side, false, 0);
    CHECK(ipv4_decode(&ip, b, n) == (int)n && n <= path_mtu_octets(side));
    CHECK(ip.source == address_ipv4(&us) && ip.destination >> 28 != 15 && ip.ttl > 0);
    if (ip.more_fragments || ip.fragment_offset) {
        CHECK(!ip.more_fragments || ip.payload.n % 8 == 0);
        return;
    }
    if (ip.protocol == IPV4_PROTOCOL_ICMP) {
        CHECK(icmp_echo_decode(&echo, ip.payload.at, ip.payload.n) >= 0 && echo.reply);
        return;
    }
    CHECK(ip.protocol == IPV4_PROTOCOL_UDP);
    CHECK(udp_decode(&udp, ip.payload.at, ip.payload.n) == (int)ip.payload.n);
    uint32_t sum = ipv4_sum(IPV4_PROTOCOL_UDP + ip.payload.n, b + 12, 8);
    CHECK(udp.checksum == 0 || ipv4_fold(ipv4_sum(sum, ip.payload.at, ip.payload.n)) == 0);
    check_udp(side, &udp);
}

static void check_icmpv6(const struct ipv6 *ip)
{
    struct icmpv6_echo echo;
    struct icmpv6_neighbour_solicitation asked;
    struct icmpv6_neighbour_advertisement said;
    const uint8_t *b = ip->payload.at;
    uint32_t n = ip->payload.n;
    CHECK(icmpv6_check_checksum(b, n, &ip->source, &ip->destination) == 0);
    bool is_echo = icmpv6_echo_decode(&echo, b, n) >= 0;
    CHECK(!is_echo || echo.reply);
    CHECK(is_echo || ip->hop_limit == 255);
    CHECK(is_echo || icmpv6_neighbour_solicitation_decode(&asked, b, n) >= 0 ||
          icmpv6_neighbour_advertisement_decode(&said, b, n) >= 0);
}

static void check_ipv6(enum stats_side side, const uint8_t *b, uint32_t n)
{
    struct ipv6 ip;
    struct udp udp;
    struct ipv6_address us = path_address(side, true, 0);
    CHECK(ipv6_decode(&ip, b, n) == (int)n && n <= path_mtu_octets(side));
    CHECK(address_same(&ip.source, &us) && !address_is_none(&ip.destination));
    if (ip.has_fragment) {
        CHECK(!ip.fragment.more_fragments || ip.payload.n % 8 == 0);
        return;
    }
    if (ip.next_header == IPV6_NEXT_ICMPV6) {
        check_icmpv6(&ip);
        return;
    }
    CHECK(ip.next_header == IPV6_NEXT_UDP);
    CHECK(udp_decode(&udp, ip.payload.at, ip.payload.n) == (int)ip.payload.n);
    CHECK(udp_check_checksum_ipv6(ip.payload.at, ip.payload.n, &ip.source, &ip.destination) == 0);
    check_udp(side, &udp);
}

static void check_arp(enum stats_side side, const uint8_t *b, uint32_t n)
{
    struct arp arp;
    struct ipv6_address us = path_address(side, false, 0);
    struct mac mac = path_mac(side, 0);
    CHECK(arp_decode(&arp, b, n) >= 0);
    CHECK(arp.sender_address == address_ipv4(&us));
    CHECK(memcmp(&arp.sender_mac, &mac, sizeof mac) == 0);
}

void path_check_frame(enum stats_side side, const uint8_t *b, uint32_t n)
{
    static const uint8_t none[6];
    struct mac us = path_mac(side, 0);
    CHECK(n >= ETHER_OCTETS && memcmp(b + 6, &us, sizeof us) == 0);
    CHECK(memcmp(b, none, sizeof none) != 0);
    if (path_vlan(side)) {
        CHECK(n >= ETHER_OCTETS + ETHER_TAG_OCTETS && get_be16(b + 12) == ETHER_TYPE_VLAN);
        CHECK(get_be16(b + 14) == path_vlan(side));
        b += ETHER_TAG_OCTETS, n -= ETHER_TAG_OCTETS;
    }
    uint16_t type = get_be16(b + 12);
    b += ETHER_OCTETS, n -= ETHER_OCTETS;
    if (type == ETHER_TYPE_IPV4)
        check_ipv4(side, b, n);
    else if (type == ETHER_TYPE_IPV6)
        check_ipv6(side, b, n);
    else {
        CHECK(type == ETHER_TYPE_ARP);
        check_arp(side, b, n);
    }
}
