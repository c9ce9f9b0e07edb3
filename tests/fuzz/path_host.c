// What the host that a port is is asked: ARP, ICMP echo, and ICMPv6's echo, neighbour solicitation
// and advertisement, from neighbours and others, about us and others.
#include <string.h>

#include "dataplane/wire/arp.h"
#include "dataplane/wire/icmp.h"
#include "dataplane/wire/icmpv6.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/udp.h"
#include "tests/fuzz/path_draft.h"

enum { ICMP = 1, ICMPV6 = 58 };

static uint32_t any_place(void)
{
    static const uint8_t places[] = {1, 2, 3, 4, 5, 6, 9, 0, 30, 250};
    return INPUT_ONE_OF(places);
}

static struct path_endpoint endpoint(bool ipv6, uint32_t place)
{
    return (struct path_endpoint){path_address(draft.side, ipv6, place),
                                  path_mac(draft.side, place), path_port(draft.side, place)};
}

static void send_arp(void)
{
    draft.to = path_address(draft.side, false, 0);
    uint32_t choice = input_octet(), place = any_place();
    struct ipv6_address sender = path_address(draft.side, false, place),
                        target = path_address(draft.side, false, choice & 4 ? any_place() : 0);
    struct arp arp = {.operation = choice & 1 ? ARP_REPLY : ARP_REQUEST,
                      .sender_mac = path_mac(draft.side, place),
                      .sender_address = choice % 32 == 31 ? 0 : address_ipv4(&sender),
                      .target_mac = path_mac(draft.side, 0),
                      .target_address = address_ipv4(&target)};
    draft.from = endpoint(false, place);
    if (choice & 2)
        memset(&draft.to_mac, 0xff, sizeof draft.to_mac);
    draft_front(ARP_OCTETS);
    arp_encode(&arp, draft_at(), ARP_OCTETS);
    draft_fault(LAYER_UDP, false);
    frame_put_ether(ETHER_TYPE_ARP, TAG_OF_PORT);
    draft_behind(choice & 8 ? 18 : 0, 0);
    frame_give(0, 0);
}

// That a datagram of ours to one of the places did not reach it, with the beginning of that.
static void send_unreachable(void)
{
    enum { QUOTE_AT = 8, UNREACHABLE_OCTETS = QUOTE_AT + IPV4_OCTETS + UDP_OCTETS };
    uint32_t place = any_place(), choice = input_octet();
    struct ipv6_address ours = path_address(draft.side, false, 0),
                        theirs = path_address(draft.side, false, place);
    draft.to = ours;
    draft.from = endpoint(false, any_place());
    uint8_t *b = draft_front(UNREACHABLE_OCTETS), *quote = b + QUOTE_AT;
    memset(b, 0, UNREACHABLE_OCTETS);
    b[0] = 3;
    b[1] = choice % 5;
    quote[0] = 0x45;
    quote[9] = choice & 16 ? IPV4_PROTOCOL_UDP : (uint8_t)choice;
    put_be32(quote + 12, address_ipv4(&ours));
    put_be32(quote + 16, address_ipv4(&theirs));
    put_be16(quote + IPV4_OCTETS, path_port(draft.side, 0));
    put_be16(quote + IPV4_OCTETS + 2, path_port(draft.side, place));
    draft_fault(LAYER_UDP, false);
    if (draft_octets() >= 4) {
        put_be16(draft_at() + 2, 0);
        put_be16(draft_at() + 2, ipv4_fold(ipv4_sum(0, draft_at(), draft_octets())));
    }
    draft_fault(LAYER_UDP, true);
    frame_put_ip(ICMP, 64);
    frame_send_ip();
}

static void send_icmp(void)
{
    if (input_octet() % 4 == 0) {
        send_unreachable();
        return;
    }
    draft.to = path_address(draft.side, false, 0);
    uint32_t octets = input_word() % (input_octet() % 4 ? 64 : 2100);
    draft.from = endpoint(false, any_place());
    draft_behind(octets, 0x5a);
    uint8_t *b = draft_front(ICMP_ECHO_OCTETS);
    struct icmp_echo echo = {.reply = octets % 16 == 15,
                             .sequence = (uint16_t)octets,
                             .payload = {b + ICMP_ECHO_OCTETS, octets}};
    draft_fault(LAYER_UDP, false);
    if (!draft.faulty)
        icmp_echo_encode(&echo, b, draft_octets());
    draft_fault(LAYER_UDP, true);
    frame_put_ip(ICMP, 64);
    frame_send_ip();
}

static int put_solicitation(uint32_t choice, uint8_t *b)
{
    struct icmpv6_neighbour_solicitation m = {
        .target = path_address(draft.side, true, choice & 16 ? any_place() : 0),
        .has_source_mac = choice & 32,
        .source_mac = draft.from.mac};
    return icmpv6_neighbour_solicitation_encode(&m, b, 64);
}

static int put_advertisement(uint32_t choice, uint8_t *b)
{
    struct icmpv6_neighbour_advertisement m = {.solicited = choice & 16,
                                               .override = choice & 32,
                                               .target = draft.from.address,
                                               .has_target_mac = choice & 64,
                                               .target_mac = draft.from.mac};
    return icmpv6_neighbour_advertisement_encode(&m, b, 64);
}

static int put_echo(uint32_t choice, uint8_t *b)
{
    static const uint8_t data[2000];
    struct icmpv6_echo m = {.reply = choice & 16,
                            .payload = {data, choice & 32 ? input_word() % sizeof data : choice}};
    return icmpv6_echo_encode(&m, b, 2064);
}

static void send_icmpv6(void)
{
    draft.to = path_address(draft.side, true, 0);
    uint32_t choice = input_octet();
    draft.from = endpoint(true, any_place());
    if (choice >= 250)
        memset(&draft.from.address, 0, sizeof draft.from.address); // duplicate address detection
    if (choice & 4) {                                              // to a group
        draft.to =
            (struct ipv6_address){{0xff, 2, [11] = 1, [12] = 0xff, [13] = 0, [14] = 0, [15] = 1}};
        draft.to_mac = (struct mac){{0x33, 0x33, 0xff, 0, 0, 1}};
    }
    uint8_t *b = draft_front(2064);
    int n = choice % 4 == 0   ? put_echo(choice, b)
            : choice % 4 == 1 ? put_solicitation(choice, b)
                              : put_advertisement(choice, b);
    CHECK(n >= 4);
    draft.end = draft.first + (uint32_t)n;
    draft_fault(LAYER_UDP, false);
    if (draft_octets() >= 4)
        icmpv6_put_checksum(draft_at(), draft_octets(), &draft.from.address, &draft.to);
    draft_fault(LAYER_UDP, true);
    frame_put_ip(ICMPV6, choice % 64 == 33 ? 64 : 255);
    frame_send_ip();
}

void path_host(uint32_t what)
{
    if (what == 1)
        send_arp();
    else if (what == 2)
        send_icmp();
    else
        send_icmpv6();
}
