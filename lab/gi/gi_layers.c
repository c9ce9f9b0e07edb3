// See gi_layers.h. Ethernet with any number of VLAN tags (802.1Q, 802.1ad), raw IP, Linux cooked
// captures of both versions (the device "any"), and BSD's loopback. Left out: PPP, PPPoE, MPLS,
// 802.3 with LLC: such frames count as link_other.
#include "lab/gi/gi_layers.h"

#include <pcap/pcap.h>
#include <stddef.h>

#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ether.h"

#ifndef DLT_LINUX_SLL2
#define DLT_LINUX_SLL2 276
#endif
#define DLT_RAW_OPENBSD 14
#define TYPE_8021AD     0x88a8
#define TYPE_QINQ       0x9100

// Where a link type has the EtherType, and how long its header is.
static const struct link {
    int link;
    uint8_t type_at, octets;
    bool no_type; // the version of IP is in its first octet
} links[] = {
    {DLT_EN10MB, 12, 14, false}, {DLT_LINUX_SLL, 14, 16, false}, {DLT_LINUX_SLL2, 0, 20, false},
    {DLT_RAW, 0, 0, true},       {DLT_RAW_OPENBSD, 0, 0, true},  {DLT_IPV4, 0, 0, true},
    {DLT_IPV6, 0, 0, true},      {DLT_NULL, 0, 4, true},         {DLT_LOOP, 0, 4, true}};

static const struct link *find(int link)
{
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        if (links[i].link == link)
            return &links[i];
    return NULL;
}

bool gi_layers_known(int link)
{
    return find(link) != NULL;
}

static bool is_tag(uint16_t type)
{
    return type == ETHER_TYPE_VLAN || type == TYPE_8021AD || type == TYPE_QINQ;
}

enum gi_count gi_layers_ip(const struct gi_frame *frame, struct gi_view *ip)
{
    const struct link *link = find(frame->link);
    // A corrupt header may say that more was captured than there was.
    uint32_t length = frame->length > frame->captured ? frame->length : frame->captured;
    struct gi_view view = {frame->octets, frame->captured, length};
    if (!link)
        return GI_COUNT_link_other;
    if (view.captured < link->octets)
        return GI_COUNT_cut;
    *ip = gi_view_behind(view, link->octets);
    if (link->no_type)
        return GI_COUNT_segments;
    uint16_t type = get_be16(view.at + link->type_at);
    while (is_tag(type)) {
        if (ip->captured < ETHER_TAG_OCTETS)
            return GI_COUNT_cut;
        type = get_be16(ip->at + 2);
        *ip = gi_view_behind(*ip, ETHER_TAG_OCTETS);
    }
    return type == ETHER_TYPE_IPV4 || type == ETHER_TYPE_IPV6 ? GI_COUNT_segments
                                                              : GI_COUNT_link_other;
}
