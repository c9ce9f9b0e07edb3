// See window.h. IP and TCP are read by wire's decoders, which keep to the packet's end. A SYN takes
// a place, a SYN-ACK completes the flow if it answers that SYN, and nothing else changes a record:
// so of a flow that stands, a stranger's SYN can at most have us leave it alone.
#include "dataplane/window/window.h"

#include <string.h>

#include "dataplane/base/mix.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/tcp.h"

#define IPV4_PROTOCOL_AT 9
#define FLAGS_AT         13 // in TCP's header
#define WINDOW_AT        14
#define CHECKSUM_AT      16

// ---- The segment ----

enum found { FOUND_TCP, FOUND_OTHER, FOUND_FRAGMENT, FOUND_MALFORMED };

struct segment {
    struct octets octets;
    uint64_t addresses; // their hash, the MS's first whoever sent it
    struct tcp tcp;
};

static uint64_t ipv6_half(const struct ipv6_address *address, uint32_t at)
{
    return (uint64_t)get_be32(address->octet + at) << 32 | get_be32(address->octet + at + 4);
}

static enum found find_ipv4(const struct window *w, bool up, const uint8_t *b, uint32_t n,
                            struct segment *s)
{
    struct ipv4 ip;
    if (ipv4_decode(&ip, b, n) < 0)
        return FOUND_MALFORMED;
    if (ip.more_fragments || ip.fragment_offset)
        return FOUND_FRAGMENT;
    uint32_t ms = up ? ip.source : ip.destination, host = up ? ip.destination : ip.source;
    s->octets = ip.payload;
    s->addresses = mix(((uint64_t)ms << 32 | host) ^ w->key[0], w->key[1]);
    return ip.protocol == IPV4_PROTOCOL_TCP ? FOUND_TCP : FOUND_OTHER;
}

static enum found find_ipv6(const struct window *w, bool up, const uint8_t *b, uint32_t n,
                            struct segment *s)
{
    struct ipv6 ip;
    if (ipv6_decode(&ip, b, n) < 0)
        return FOUND_MALFORMED;
    if (ip.has_fragment)
        return FOUND_FRAGMENT;
    const struct ipv6_address *ms = up ? &ip.source : &ip.destination;
    const struct ipv6_address *host = up ? &ip.destination : &ip.source;
    s->octets = ip.payload;
    s->addresses = mix(ipv6_half(ms, 0) ^ w->key[0], ipv6_half(ms, 8) ^ w->key[1]);
    s->addresses = mix(ipv6_half(host, 0) ^ s->addresses, ipv6_half(host, 8) ^ w->key[2]);
    return ip.next_header == IPV4_PROTOCOL_TCP ? FOUND_TCP : FOUND_OTHER;
}

static enum found find(const struct window *w, bool up, const uint8_t *b, uint32_t n,
                       struct segment *s)
{
    enum found found = FOUND_OTHER;
    if (n > 0 && b[0] >> 4 == 4)
        found = find_ipv4(w, up, b, n, s);
    else if (n > 0 && b[0] >> 4 == 6)
        found = find_ipv6(w, up, b, n, s);
    if (found == FOUND_TCP && tcp_decode(&s->tcp, s->octets.at, s->octets.n) < 0)
        return FOUND_MALFORMED;
    return found;
}

// ---- The flows of a context ----

static uint64_t name_of(const struct window *w, bool up, const struct segment *s)
{
    uint16_t ms = up ? s->tcp.source_port : s->tcp.destination_port;
    uint16_t host = up ? s->tcp.destination_port : s->tcp.source_port;
    return mix(s->addresses ^ w->key[2], ((uint64_t)ms << 16 | host) ^ w->key[0]);
}

// The flow of that name, which becomes the first; NULL: unknown.
static struct window_flow *flow_of(struct window *w, uint32_t context, uint64_t name)
{
    struct window_flow *flows = w->flows[context];
    for (uint32_t i = 0; i < WINDOW_FLOWS && flows[i].state != WINDOW_FREE; i++) {
        struct window_flow flow = flows[i];
        if (flow.name != name)
            continue;
        memmove(flows + 1, flows, i * sizeof flow);
        flows[0] = flow;
        return flows;
    }
    return NULL;
}

// The first place, which was that of the flow unused for longest, or free.
static struct window_flow *flow_new(struct window *w, uint32_t context)
{
    struct window_flow *flows = w->flows[context];
    w->stats->window_flows++;
    w->stats->window_evicted += flows[WINDOW_FLOWS - 1].state != WINDOW_FREE;
    memmove(flows + 1, flows, (WINDOW_FLOWS - 1) * sizeof flows[0]);
    return flows;
}

// What a SYN of that end says.
static void say(struct window_flow *f, bool up, const struct tcp *tcp)
{
    if (!up) {
        f->host_scales = tcp->has_window_scale;
        return;
    }
    f->ms_scales = tcp->has_window_scale;
    f->scale = tcp->window_scale;
    f->mss = tcp->has_mss_octets ? tcp->mss_octets : WINDOW_MSS;
}

// Whether the end has said that before.
static bool said(const struct window_flow *f, bool up, const struct tcp *tcp)
{
    struct window_flow other = *f;
    say(&other, up, tcp);
    return other.ms_scales == f->ms_scales && other.host_scales == f->host_scales &&
           other.scale == f->scale && other.mss == f->mss;
}

// A SYN with the number of the one before is sent again, or comes twice; any other is of a new
// connection.
static void take_syn(struct window *w, uint32_t context, uint64_t name, bool up,
                     const struct tcp *tcp)
{
    struct window_flow *f = flow_of(w, context, name);
    bool same_end = f && (f->state == (up ? WINDOW_MS_BEGAN : WINDOW_HOST_BEGAN) ||
                          f->state == (up ? WINDOW_WHOLE_MS : WINDOW_WHOLE_HOST));
    uint32_t answer = tcp->sequence + 1;
    if (f && f->answer == answer && (same_end || f->state == WINDOW_DOUBTFUL)) {
        if (!said(f, up, tcp))
            f->state = WINDOW_DOUBTFUL;
        return;
    }
    if (!f)
        f = flow_new(w, context);
    *f = (struct window_flow){
        .name = name, .answer = answer, .state = up ? WINDOW_MS_BEGAN : WINDOW_HOST_BEGAN};
    say(f, up, tcp);
}

static void take_syn_ack(struct window *w, uint32_t context, uint64_t name, bool up,
                         const struct tcp *tcp)
{
    struct window_flow *f = flow_of(w, context, name);
    if (!f || f->answer != tcp->acknowledgement)
        return;
    if (f->state == (up ? WINDOW_HOST_BEGAN : WINDOW_MS_BEGAN)) {
        say(f, up, tcp);
        f->state = up ? WINDOW_WHOLE_HOST : WINDOW_WHOLE_MS;
    } else if (f->state == (up ? WINDOW_WHOLE_HOST : WINDOW_WHOLE_MS) && !said(f, up, tcp)) {
        f->state = WINDOW_DOUBTFUL;
    }
}

static void take(struct window *w, uint32_t context, bool up, const struct segment *s)
{
    uint8_t flags = s->tcp.flags & (TCP_SYN | TCP_FIN | TCP_RST | TCP_ACK);
    if (flags == TCP_SYN)
        take_syn(w, context, name_of(w, up, s), up, &s->tcp);
    else if (flags == (TCP_SYN | TCP_ACK))
        take_syn_ack(w, context, name_of(w, up, s), up, &s->tcp);
}

void window_forget(struct window *w, uint32_t context)
{
    for (uint32_t i = 0; i < WINDOW_FLOWS; i++)
        w->flows[context][i].state = WINDOW_FREE;
}

// ---- The ways ----

// False: it is of IPv4 and no SYN. Nearly all are, and need not be decoded.
static bool may_be_syn(const uint8_t *b, uint32_t n)
{
    if (n < IPV4_OCTETS || b[0] >> 4 != 4)
        return true;
    uint32_t flags_at = (b[0] & 15) * 4u + FLAGS_AT;
    return b[IPV4_PROTOCOL_AT] == IPV4_PROTOCOL_TCP && flags_at < n && (b[flags_at] & TCP_SYN);
}

void window_down(struct window *w, uint32_t context, const uint8_t *b, uint32_t n)
{
    struct segment s;
    if (may_be_syn(b, n) && find(w, false, b, n, &s) == FOUND_TCP)
        take(w, context, false, &s);
}

static bool is_whole(const struct window_flow *f)
{
    return f->state == WINDOW_WHOLE_MS || f->state == WINDOW_WHOLE_HOST;
}

bool window_up(struct window *w, uint32_t context, uint8_t *b, uint32_t n, struct window_ack *ack)
{
    struct segment s;
    enum found found = find(w, true, b, n, &s);
    w->stats->window_other += found == FOUND_OTHER;
    w->stats->window_fragments += found == FOUND_FRAGMENT;
    w->stats->window_malformed += found == FOUND_MALFORMED;
    if (found != FOUND_TCP)
        return false;
    if ((s.tcp.flags & (TCP_SYN | TCP_FIN | TCP_RST | TCP_ACK)) != TCP_ACK) {
        w->stats->window_ends++;
        take(w, context, true, &s);
        return false;
    }
    const struct window_flow *f = flow_of(w, context, name_of(w, true, &s));
    if (!f || !is_whole(f)) {
        w->stats->window_unseen++;
        return false;
    }
    uint32_t mss = f->mss > WINDOW_MSS_LEAST ? f->mss : WINDOW_MSS_LEAST;
    *ack = (struct window_ack){.tcp = b + (s.octets.at - b),
                               .least_octets = WINDOW_SEGMENTS * mss,
                               .scale = f->ms_scales && f->host_scales ? f->scale : 0};
    return true;
}

// RFC 1624, equation 3.
static void put_window(uint8_t *tcp, uint16_t window)
{
    uint32_t sum = (uint16_t)~get_be16(tcp + CHECKSUM_AT) +
                   (uint32_t)(uint16_t)~get_be16(tcp + WINDOW_AT) + window;
    put_be16(tcp + WINDOW_AT, window);
    put_be16(tcp + CHECKSUM_AT, ipv4_fold(sum));
}

// Rounded up to the scale's unit, so that two segments stay two.
void window_lower(struct window *w, const struct window_ack *ack, uint64_t octets)
{
    uint64_t limit = octets > ack->least_octets ? octets : ack->least_octets;
    uint64_t most = (limit + (1u << ack->scale) - 1) >> ack->scale;
    bool lowered = get_be16(ack->tcp + WINDOW_AT) > most;
    w->stats->window_lowered += lowered;
    w->stats->window_enough += !lowered;
    if (lowered)
        put_window(ack->tcp, (uint16_t)most);
}
