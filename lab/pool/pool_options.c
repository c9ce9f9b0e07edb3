// See pool.h: protocol configuration options (24.008 10.5.6.3), of which a GGSN answers those of
// PPP as PPP would (29.061 11.2.1), in the one round that there is: the addresses of name servers
// and of the MS, the MTU, and any password. What it does not know it leaves out.
#include "lab/pool/pool_parts.h"

#include "dataplane/wire/bytes.h"

#define PPP         0x80 // the octet in front of all
#define HEAD_OCTETS 3    // of a container: protocol, length

enum protocol {
    PROTOCOL_DNS = 0x000d,
    PROTOCOL_MTU = 0x0010,
    PROTOCOL_IPCP = 0x8021,
    PROTOCOL_PAP = 0xc023,
    PROTOCOL_CHAP = 0xc223
};

#define MTU_OCTETS 1500

struct out {
    uint8_t *b;
    uint32_t n, room;
};

// A container that does not fit is left out.
static void put(struct out *out, enum protocol protocol, const uint8_t *content, uint32_t n)
{
    if (n > UINT8_MAX || out->room - out->n < HEAD_OCTETS + n)
        return;
    put_be16(out->b + out->n, (uint16_t)protocol);
    out->b[out->n + 2] = (uint8_t)n;
    memcpy(out->b + out->n + HEAD_OCTETS, content, n);
    out->n += HEAD_OCTETS + n;
}

// ---- PPP's packets: code, identifier, length of all, content ----

#define PACKET_OCTETS 4

enum code { CODE_REQUEST = 1, CODE_ACK, CODE_NAK, CODE_REJECT };
#define PAP_REQUEST   1
#define PAP_ACK       2
#define CHAP_RESPONSE 2
#define CHAP_SUCCESS  3

static bool is_packet(struct octets content, uint8_t code)
{
    return content.n >= PACKET_OCTETS && content.at[0] == code &&
           get_be16(content.at + 2) >= PACKET_OCTETS && get_be16(content.at + 2) <= content.n;
}

static void put_packet(struct out *out, enum protocol protocol, uint8_t code, uint8_t id,
                       const uint8_t *content, uint32_t n)
{
    uint8_t packet[UINT8_MAX] = {code, id, 0, (uint8_t)(PACKET_OCTETS + n)};
    if (n > sizeof packet - PACKET_OCTETS)
        return;
    memcpy(packet + PACKET_OCTETS, content, n);
    put(out, protocol, packet, PACKET_OCTETS + n);
}

// ---- IPCP (RFC 1332, RFC 1877): options, each a type, the octets of all of it, a value ----

#define IP_ADDRESS     3
#define DNS_FIRST      129
#define DNS_SECOND     131
#define ADDRESS_OCTETS 6 // of such an option

// The address that an MS is to use for an option; 0: it is none of ours.
static uint32_t address_for(const struct pool_config *config, uint32_t own, const uint8_t *option)
{
    if (option[1] != ADDRESS_OCTETS)
        return 0;
    return option[0] == IP_ADDRESS   ? own
           : option[0] == DNS_FIRST  ? config->dns[0]
           : option[0] == DNS_SECOND ? config->dns[1]
                                     : 0;
}

struct option_list {
    uint8_t b[UINT8_MAX];
    uint32_t n;
};

static void list_add(struct option_list *list, const uint8_t *option, uint32_t address)
{
    memcpy(list->b + list->n, option, option[1]);
    if (address)
        put_be32(list->b + list->n + 2, address);
    list->n += option[1];
}

// A NAK has the right addresses, and an ACK those that were right; only what has neither is
// rejected, as there is no second round in which the rest could be asked for.
static void answer_ipcp(const struct pool_config *config, uint32_t own, struct octets content,
                        struct out *out)
{
    struct option_list wrong = {.n = 0}, strange = {.n = 0};
    if (!is_packet(content, CODE_REQUEST))
        return;
    const uint8_t *options = content.at + PACKET_OCTETS;
    uint32_t n = get_be16(content.at + 2) - PACKET_OCTETS, at = 0;
    while (n - at >= 2 && options[at + 1] >= 2 && options[at + 1] <= n - at) {
        const uint8_t *option = options + at;
        uint32_t address = address_for(config, own, option);
        if (!address)
            list_add(&strange, option, 0);
        else if (get_be32(option + 2) != address)
            list_add(&wrong, option, address);
        at += option[1];
    }
    if (at < n)
        return; // it is malformed
    uint8_t id = content.at[1];
    if (wrong.n)
        put_packet(out, PROTOCOL_IPCP, CODE_NAK, id, wrong.b, wrong.n);
    else if (strange.n)
        put_packet(out, PROTOCOL_IPCP, CODE_REJECT, id, strange.b, strange.n);
    else
        put_packet(out, PROTOCOL_IPCP, CODE_ACK, id, options, n);
}

// ---- All ----

static void answer_dns(const struct pool_config *config, struct out *out)
{
    for (uint32_t i = 0; i < 2; i++) {
        uint8_t address[4];
        put_be32(address, config->dns[i]);
        if (config->dns[i])
            put(out, PROTOCOL_DNS, address, sizeof address);
    }
}

static void answer(const struct pool_config *config, uint32_t own, enum protocol protocol,
                   struct octets content, struct out *out)
{
    if (protocol == PROTOCOL_IPCP)
        answer_ipcp(config, own, content, out);
    else if (protocol == PROTOCOL_DNS)
        answer_dns(config, out);
    else if (protocol == PROTOCOL_MTU)
        put(out, PROTOCOL_MTU, (const uint8_t[]){MTU_OCTETS >> 8, MTU_OCTETS & 0xff}, 2);
    else if (protocol == PROTOCOL_PAP && is_packet(content, PAP_REQUEST)) // and no message
        put_packet(out, PROTOCOL_PAP, PAP_ACK, content.at[1], (const uint8_t[]){0}, 1);
    else if (protocol == PROTOCOL_CHAP && is_packet(content, CHAP_RESPONSE))
        put_packet(out, PROTOCOL_CHAP, CHAP_SUCCESS, content.at[1], content.at, 0);
}

uint32_t pool_options(const struct pool_config *config, uint32_t address, struct octets asked,
                      uint8_t *b, uint32_t room)
{
    struct out out = {b, 1, room};
    if (asked.n == 0 || room == 0 || asked.at[0] != PPP)
        return 0;
    b[0] = PPP;
    for (uint32_t at = 1; asked.n - at >= HEAD_OCTETS;) {
        struct octets content = {asked.at + at + HEAD_OCTETS, asked.at[at + 2]};
        if (content.n > asked.n - at - HEAD_OCTETS)
            break;
        answer(config, address, get_be16(asked.at + at), content, &out);
        at += HEAD_OCTETS + content.n;
    }
    return out.n > 1 ? out.n : 0;
}
