// signalling.pcap among a run's results. Control switches the capture on and off; switched on
// again, it begins another file. Each PDU is a frame of its own, with the UDP and IP headers of the
// wire and Ethernet addresses of zero.
#include <errno.h>
#include <string.h>

#include "control/cli/commands.h"
#include "control/run/run.h"
#include "dataplane/wire/address.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/udp.h"

#define TTL          64
#define PDU_MOST     (UINT16_MAX - IPV4_OCTETS - UDP_OCTETS) // what one datagram of IPv4 carries
#define HEADERS_MOST (ETHER_OCTETS + IPV6_OCTETS + UDP_OCTETS)

static const char *open_file(void *self, char error[256])
{
    struct run *run = self;
    run->signalling = run_capture(run, "signalling.pcap", CAPTURE_ETHERNET, error);
    results_whole_path(&run->results, "signalling.pcap", run->signalling_path);
    return run->signalling ? run->signalling_path : NULL;
}

// put_ipv4 and put_ipv6 write the headers before the datagram of n octets at `udp`, and return the
// octets of the headers.
static uint32_t put_ipv4(const struct control_pdu *p, uint8_t *udp, uint32_t n)
{
    const struct ipv4 ip = {.ttl = TTL,
                            .protocol = IPV4_PROTOCOL_UDP,
                            .source = address_ipv4(&p->source),
                            .destination = address_ipv4(&p->destination)};
    udp_put_checksum(udp, n, ip.source, ip.destination);
    ipv4_put_header(&ip, n, udp - IPV4_OCTETS);
    put_be16(udp - IPV4_OCTETS - 2, ETHER_TYPE_IPV4);
    return ETHER_OCTETS + IPV4_OCTETS;
}

static uint32_t put_ipv6(const struct control_pdu *p, uint8_t *udp, uint32_t n)
{
    const struct ipv6 ip = {.next_header = IPV6_NEXT_UDP,
                            .hop_limit = TTL,
                            .source = p->source,
                            .destination = p->destination,
                            .payload = {udp, n}};
    udp_put_checksum_ipv6(udp, n, &p->source, &p->destination);
    ipv6_encode(&ip, udp - IPV6_OCTETS, IPV6_OCTETS + n);
    put_be16(udp - IPV6_OCTETS - 2, ETHER_TYPE_IPV6);
    return ETHER_OCTETS + IPV6_OCTETS;
}

static void put_pdu(void *self, uint64_t now_ns, const struct control_pdu *p)
{
    const struct run *run = self;
    static uint8_t room[HEADERS_MOST + PDU_MOST]; // too large for the stack; one thread uses it
    uint8_t *at = room + HEADERS_MOST - UDP_OCTETS;
    const struct udp udp = {.source_port = p->source_port,
                            .destination_port = p->destination_port,
                            .payload = {p->pdu.at, p->pdu.n < PDU_MOST ? p->pdu.n : PDU_MOST}};
    if (!run->signalling)
        return;
    memset(room, 0, HEADERS_MOST);
    uint32_t n = (uint32_t)udp_encode(&udp, at, UDP_OCTETS + PDU_MOST);
    bool is_ipv4 = address_is_ipv4(&p->source);
    uint32_t headers = is_ipv4 ? put_ipv4(p, at, n) : put_ipv6(p, at, n);
    capture_frame(run->signalling, now_ns, at - headers, headers + n);
}

static void close_file(void *self)
{
    run_signalling_end(self);
}

void run_signalling(struct run *run)
{
    run->control.capture = (struct control_capture){run, open_file, put_pdu, close_file};
}

void run_signalling_flush(const struct run *run)
{
    if (run->signalling)
        capture_flush(run->signalling);
}

int run_signalling_end(struct run *run)
{
    int fault = run->signalling ? capture_close(run->signalling) : 0;
    run->signalling = NULL;
    return fault ? run_failed(run->signalling_path, strerror(-fault)) : EXIT_DONE;
}
