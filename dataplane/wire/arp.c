// See arp.h.
#include "dataplane/wire/arp.h"

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ether.h"

#define HARDWARE_ETHERNET 1

int arp_decode(struct arp *packet, const uint8_t *b, uint32_t n)
{
    if (n < ARP_OCTETS)
        return wire_fault(WIRE_TRUNCATED, n);
    if (get_be16(b) != HARDWARE_ETHERNET)
        return wire_fault(WIRE_TYPE, 0);
    if (get_be16(b + 2) != ETHER_TYPE_IPV4)
        return wire_fault(WIRE_TYPE, 2);
    if (b[4] != 6)
        return wire_fault(WIRE_LENGTH, 4);
    if (b[5] != 4)
        return wire_fault(WIRE_LENGTH, 5);
    packet->operation = get_be16(b + 6);
    if (packet->operation != ARP_REQUEST && packet->operation != ARP_REPLY)
        return wire_fault(WIRE_TYPE, 6);
    memcpy(packet->sender_mac.octet, b + 8, 6);
    packet->sender_address = get_be32(b + 14);
    memcpy(packet->target_mac.octet, b + 18, 6);
    packet->target_address = get_be32(b + 24);
    return ARP_OCTETS;
}

int arp_encode(const struct arp *packet, uint8_t *b, uint32_t room)
{
    if (packet->operation != ARP_REQUEST && packet->operation != ARP_REPLY)
        return wire_fault(WIRE_RANGE, 6);
    if (room < ARP_OCTETS)
        return wire_fault(WIRE_NO_ROOM, room);
    put_be16(b, HARDWARE_ETHERNET);
    put_be16(b + 2, ETHER_TYPE_IPV4);
    b[4] = 6;
    b[5] = 4;
    put_be16(b + 6, packet->operation);
    memcpy(b + 8, packet->sender_mac.octet, 6);
    put_be32(b + 14, packet->sender_address);
    memcpy(b + 18, packet->target_mac.octet, 6);
    put_be32(b + 24, packet->target_address);
    return ARP_OCTETS;
}
