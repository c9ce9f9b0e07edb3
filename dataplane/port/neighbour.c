// See neighbour.h. A place is a key's position in the hash table. When the first neighbour may be
// due, a round of questions goes over all places, a bounded number a call; a neighbour is asked at
// most once a round.
#include <rte_hash.h>

#include "dataplane/port/port_parts.h"
#include "dataplane/wire/arp.h"
#include "dataplane/wire/icmpv6.h"

#define PLACES_A_CALL    256u
#define QUESTIONS_A_CALL 16u

static bool on_link_ipv4(const struct port_host *host, uint32_t address)
{
    uint64_t host_bits = (uint64_t)UINT32_MAX >> host->ipv4_prefix;
    return ((address ^ host->ipv4) & ~host_bits & UINT32_MAX) == 0;
}

static bool is_in(const struct ipv6_address *address, const struct ipv6_address *net,
                  uint32_t prefix)
{
    uint32_t whole = prefix / 8u, bits = prefix % 8u;
    return memcmp(address, net, whole) == 0 &&
           (bits == 0 || (address->octet[whole] ^ net->octet[whole]) >> (8 - bits) == 0);
}

bool port_expects(const struct port *port, const struct ipv6_address *from)
{
    for (uint32_t i = 0; i < port->expected.n; i++)
        if (is_in(from, &port->expected.net[i].address, port->expected.net[i].prefix))
            return true;
    return false;
}

static bool on_link_ipv6(const struct port_host *host, const struct ipv6_address *address)
{
    bool link_local = address->octet[0] == 0xfe && (address->octet[1] & 0xc0) == 0x80;
    return link_local || is_in(address, &host->ipv6, host->ipv6_prefix);
}

static struct ipv6_address next_hop(const struct port_host *host,
                                    const struct ipv6_address *towards)
{
    if (address_is_ipv4(towards))
        return host->ipv4_gateway && !on_link_ipv4(host, address_ipv4(towards))
                   ? address_of_ipv4(host->ipv4_gateway)
                   : *towards;
    return !address_is_none(&host->ipv6_gateway) && !on_link_ipv6(host, towards)
               ? host->ipv6_gateway
               : *towards;
}

static void be_due(struct port *port, uint64_t when_ns)
{
    struct neighbours *neighbours = port->neighbours;
    if (when_ns < port->due_ns)
        port->due_ns = when_ns;
    if (when_ns < neighbours->due_ns)
        neighbours->due_ns = when_ns;
    if (when_ns < neighbours->after_ns)
        neighbours->after_ns = when_ns;
}

// The next question to that neighbour is the first one after its answer.
static void is_heard(struct neighbours *neighbours, struct neighbour *neighbour)
{
    neighbours->changes += neighbour->questions > NEIGHBOUR_SILENT;
    neighbour->questions = 0;
}

static void is_asked(struct neighbours *neighbours, struct neighbour *neighbour)
{
    if (neighbour->questions <= NEIGHBOUR_SILENT && ++neighbour->questions > NEIGHBOUR_SILENT)
        neighbours->changes++;
}

uint32_t port_neighbour_use(struct port *port, const struct ipv6_address *towards,
                            const struct mac *given, uint64_t now_ns)
{
    struct neighbours *neighbours = port->neighbours;
    struct ipv6_address address = next_hop(&port->host, towards);
    uint32_t place = (uint32_t)rte_hash_add_key(neighbours->by_address, &address);
    struct neighbour *neighbour = &neighbours->of[place];
    if (neighbour->users++ == 0) {
        *neighbour = (struct neighbour){.users = 1, .address = address, .ask_ns = now_ns};
        be_due(port, now_ns);
    }
    neighbours->changes +=
        neighbour->questions > NEIGHBOUR_SILENT; // a new user learns the silence, too
    if (given) {
        is_heard(neighbours, neighbour);
        neighbour->mac = *given;
        neighbour->known = true;
        neighbour->givers++;
    }
    return place;
}

void port_neighbour_unuse(struct port *port, uint32_t place, bool gave)
{
    struct neighbour *neighbour = &port->neighbours->of[place];
    neighbour->givers -= gave;
    if (--neighbour->users == 0) {
        rte_hash_del_key(port->neighbours->by_address, &neighbour->address);
        *neighbour = (struct neighbour){0};
    } else if (gave) { // the address is asked for from now on, unless another user gives it
        neighbour->ask_ns = 0;
        be_due(port, 0);
    }
}

void port_neighbour_peer(struct port *port, const struct ipv6_address *address, int more)
{
    struct neighbours *neighbours = port->neighbours;
    uint32_t *count = &neighbours->peers_at[(uint32_t)rte_hash_add_key(neighbours->peers, address)];
    *count += (uint32_t)more;
    if (*count == 0)
        rte_hash_del_key(neighbours->peers, address);
}

enum port_neighbour_sender port_neighbour_sender(const struct port *port,
                                                 const struct ipv6_address *source,
                                                 const uint8_t *mac)
{
    const struct neighbours *neighbours = port->neighbours;
    if (rte_hash_lookup(neighbours->peers, source) < 0)
        return port_expects(port, source) ? NEIGHBOUR_PEER : NEIGHBOUR_STRANGER;
    struct ipv6_address hop = next_hop(&port->host, source);
    int place = rte_hash_lookup(neighbours->by_address, &hop);
    if (place < 0 || !neighbours->of[place].known ||
        memcmp(&neighbours->of[place].mac, mac, sizeof(struct mac)) == 0)
        return NEIGHBOUR_PEER;
    return address_same(&hop, source) ? NEIGHBOUR_FORGED : NEIGHBOUR_STRANGER;
}

static bool is_doubtful(const struct neighbour *neighbour, const struct mac *mac)
{
    return neighbour->known && neighbour->unanswered < NEIGHBOUR_PROBES &&
           memcmp(&neighbour->mac, mac, sizeof *mac) != 0;
}

// However many claims arrive, questions keep their least interval.
static void look_again(struct port *port, struct neighbour *neighbour, uint64_t now_ns)
{
    uint64_t when_ns = neighbour->asked_ns + NEIGHBOUR_PROBE_NS;
    if (when_ns < now_ns)
        when_ns = now_ns;
    if (when_ns >= neighbour->ask_ns)
        return;
    neighbour->ask_ns = when_ns;
    be_due(port, when_ns);
}

bool port_neighbour_learn(struct port *port, const struct ipv6_address *address,
                          const struct mac *mac, uint64_t now_ns)
{
    int place = rte_hash_lookup(port->neighbours->by_address, address);
    if (place < 0 || !mac_is_unicast(mac->octet))
        return false;
    struct neighbour *neighbour = &port->neighbours->of[place];
    if (neighbour->givers > 0)
        return true;
    if (is_doubtful(neighbour, mac)) {
        look_again(port, neighbour, now_ns);
        return true;
    }
    is_heard(port->neighbours, neighbour);
    neighbour->mac = *mac;
    neighbour->known = true;
    neighbour->unanswered = 0;
    neighbour->ask_ns = now_ns + NEIGHBOUR_REFRESH_NS;
    return true;
}

// `mac` NULL: broadcast.
static void ask_ipv4(struct port *port, uint32_t address, const struct mac *mac)
{
    static const struct mac everybody = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
    struct rte_mbuf *m = port_answer_alloc(port, ETHER_OCTETS + ARP_OCTETS);
    if (!m)
        return;
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    port_answer_put_ether(port, (mac ? mac : &everybody)->octet, ETHER_TYPE_ARP, b);
    struct arp question = {.operation = ARP_REQUEST,
                           .sender_mac = port->host.mac,
                           .sender_address = port->host.ipv4,
                           .target_address = address};
    arp_encode(&question, b + ETHER_OCTETS, ARP_OCTETS);
    port_answer(port, m);
}

static void ask_ipv6(struct port *port, const struct ipv6_address *address, const struct mac *mac)
{
    const uint32_t octets = ICMPV6_NEIGHBOUR_OCTETS + ICMPV6_OPTION_OCTETS;
    struct ipv6_address to = mac ? *address : port_host_solicited_node(address);
    struct mac group_mac = {{0x33, 0x33}}; // RFC 2464 7
    memcpy(group_mac.octet + 2, to.octet + 12, 4);
    struct rte_mbuf *m = port_answer_alloc(port, ETHER_OCTETS + IPV6_OCTETS + octets);
    if (!m)
        return;
    uint8_t *b = rte_pktmbuf_mtod(m, uint8_t *);
    port_answer_put_ether(port, (mac ? mac : &group_mac)->octet, ETHER_TYPE_IPV6, b);
    b += ETHER_OCTETS;
    port_answer_put_ipv6(&port->host.ipv6, &to, IPV6_NEXT_ICMPV6, ND_HOP_LIMIT, octets, b);
    struct icmpv6_neighbour_solicitation question = {
        .target = *address, .has_source_mac = true, .source_mac = port->host.mac};
    icmpv6_neighbour_solicitation_encode(&question, b + IPV6_OCTETS, octets);
    icmpv6_put_checksum(b + IPV6_OCTETS, octets, &port->host.ipv6, &to);
    port_answer(port, m);
}

static void question(struct port *port, struct neighbour *neighbour, uint64_t now_ns)
{
    bool to_him = neighbour->known && neighbour->unanswered < NEIGHBOUR_PROBES;
    const struct mac *mac = to_him ? &neighbour->mac : NULL;
    neighbour->unanswered += to_him;
    is_asked(port->neighbours, neighbour);
    neighbour->asked_ns = now_ns;
    neighbour->ask_ns = now_ns + (to_him ? NEIGHBOUR_PROBE_NS : NEIGHBOUR_ASK_NS);
    if (address_is_ipv4(&neighbour->address))
        ask_ipv4(port, address_ipv4(&neighbour->address), mac);
    else
        ask_ipv6(port, &neighbour->address, mac);
}

// Sends a question if it is due; true if it did.
static bool ask(struct port *port, struct neighbour *neighbour, uint64_t now_ns)
{
    struct neighbours *neighbours = port->neighbours;
    if (neighbour->users == 0 || neighbour->givers > 0)
        return false;
    bool due = neighbour->ask_ns <= now_ns;
    if (due)
        question(port, neighbour, now_ns);
    if (neighbour->ask_ns < neighbours->after_ns)
        neighbours->after_ns = neighbour->ask_ns;
    return due;
}

uint64_t port_neighbours_ask(struct port *port, uint64_t now_ns)
{
    struct neighbours *neighbours = port->neighbours;
    if (now_ns < neighbours->due_ns)
        return neighbours->due_ns;
    if (neighbours->next == 0)
        neighbours->after_ns = TIME_NEVER;
    uint32_t questions = 0, places = 0;
    while (neighbours->next < neighbours->room && places++ < PLACES_A_CALL &&
           questions < QUESTIONS_A_CALL)
        questions += ask(port, &neighbours->of[neighbours->next++], now_ns);
    if (neighbours->next == neighbours->room) {
        neighbours->next = 0;
        neighbours->due_ns = neighbours->after_ns;
    }
    return neighbours->due_ns;
}
