// See gateway.h.
#include "lab/live/gateway/gateway.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "lab/engine/need.h"

#define ROOM       65535
#define ROUND_MOST 64 // packets before the other side has its turn

#define ADD(gateway, name) ((gateway)->count[GATEWAY_COUNT_##name]++)

static const char *const names[] = {
#define COUNT(name, help) #name,
#include "lab/live/gateway/counts.def"
#undef COUNT
};

static struct sockaddr_in at(uint32_t address, uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(address), .sin_port = htons(port)};
}

// The socket, or -errno.
static int open_port(const struct gateway *gateway, uint16_t port)
{
    struct sockaddr_in own = at(gateway->address, port);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -errno;
    if (bind(fd, (struct sockaddr *)&own, sizeof own) == 0)
        return fd;
    int fault = -errno;
    close(fd);
    return fault;
}

int gateway_open(struct gateway *gateway)
{
    gateway->control = -1;
    gateway->socket = open_port(gateway, GTPU_PORT);
    if (gateway->socket < 0)
        return gateway->socket;
    if (!gateway->pool)
        return 0;
    gateway->control = open_port(gateway, GTPC_PORT);
    if (gateway->control >= 0)
        return 0;
    close(gateway->socket);
    return gateway->control;
}

void gateway_close(struct gateway *gateway)
{
    close(gateway->socket);
    if (gateway->control >= 0)
        close(gateway->control);
    free(gateway->context);
}

// ---- Contexts ----

static int by_address(const void *a, const void *b)
{
    const struct gateway_context *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

void gateway_set(struct gateway *gateway, const struct gateway_context *context, uint32_t contexts)
{
    gateway->contexts = contexts;
    gateway->context = need(realloc(gateway->context, (contexts + 1) * sizeof *context));
    memcpy(gateway->context, context, contexts * sizeof *context);
    qsort(gateway->context, contexts, sizeof *context, by_address);
}

// The IPv4 address at that octet of a packet; 0: none, as no context has it.
static uint32_t address_at(const uint8_t *packet, uint32_t octets, uint32_t at_octet)
{
    return octets < IPV4_OCTETS || packet[0] >> 4 != 4 ? 0 : get_be32(packet + at_octet);
}

static bool is_of_pool(const struct gateway *gateway, uint32_t address)
{
    return gateway->pool && pool_has(gateway->pool, address);
}

// One of the caller's; NULL: none.
static const struct gateway_context *context_of(const struct gateway *gateway, uint32_t address)
{
    struct gateway_context key = {.address = address};
    return address ? bsearch(&key, gateway->context, gateway->contexts, sizeof key, by_address)
                   : NULL;
}

#define SOURCE_AT      12
#define DESTINATION_AT 16

// ---- To the SGSN ----

static bool send_to(struct gateway *gateway, const struct sockaddr_in *to,
                    const struct gtpu *message, uint8_t *b)
{
    int n = gtpu_encode(message, b, ROOM);
    return n > 0 &&
           sendto(gateway->socket, b, (size_t)n, 0, (const struct sockaddr *)to, sizeof *to) == n;
}

// The SGSN's end of the tunnel to an address: its TEID, where it is; false: there is none.
static bool tunnel_to(const struct gateway *gateway, uint32_t address, uint32_t *teid,
                      struct sockaddr_in *to)
{
    if (is_of_pool(gateway, address)) {
        const struct pool_context *context = pool_of_address(gateway->pool, address);
        if (context) {
            *teid = context->data_teid;
            *to = at(context->data_address, GTPU_PORT);
        }
        return context != NULL;
    }
    const struct gateway_context *context = context_of(gateway, address);
    if (context) {
        *teid = context->teid;
        *to = at(gateway->sgsn, GTPU_PORT);
    }
    return context != NULL;
}

static void take_packet(struct gateway *gateway, const uint8_t *packet, uint32_t octets)
{
    static uint8_t b[ROOM];
    struct gtpu message = {.type = GTPU_G_PDU, .payload = {packet, octets}};
    struct sockaddr_in to;
    ADD(gateway, packets);
    if (!tunnel_to(gateway, address_at(packet, octets, DESTINATION_AT), &message.teid, &to))
        ADD(gateway, packets_stray);
    else if (send_to(gateway, &to, &message, b))
        ADD(gateway, packets_sent);
    else
        ADD(gateway, packets_refused);
}

// 0, or -errno of a device that failed.
static int read_tun(struct gateway *gateway)
{
    static uint8_t packet[ROOM];
    for (int i = 0; i < ROUND_MOST; i++) {
        ssize_t octets = read(gateway->tun, packet, sizeof packet);
        if (octets <= 0)
            return octets == 0 ? -EPIPE : errno == EAGAIN || errno == EINTR ? 0 : -errno;
        take_packet(gateway, packet, (uint32_t)octets);
    }
    return 0;
}

// ---- From the SGSN ----

static void answer_echo(struct gateway *gateway, const struct sockaddr_in *to,
                        const struct gtpu *request)
{
    uint8_t recovery[2], b[64];
    struct gtpu_echo_response response = {.restart_counter = 0};
    int n = gtpu_echo_response_encode(&response, recovery, sizeof recovery);
    struct gtpu message = {.type = GTPU_ECHO_RESPONSE,
                           .has_sequence = request->has_sequence,
                           .sequence = request->sequence,
                           .payload = {recovery, (uint32_t)n}};
    ADD(gateway, messages_echo);
    send_to(gateway, to, &message, b);
}

// A TEID that has ended, or is from before a restart: the SGSN is told.
static void answer_unknown(struct gateway *gateway, const struct sockaddr_in *to, uint32_t teid)
{
    uint8_t b[POOL_ANSWER_MAX];
    uint32_t n = pool_indication(gateway->pool, teid, b);
    sendto(gateway->socket, b, n, 0, (const struct sockaddr *)to, sizeof *to);
}

// Whether a packet is in a tunnel that it may use: of the pool in its own.
static bool may_come(struct gateway *gateway, const struct sockaddr_in *from, uint32_t teid,
                     uint32_t source)
{
    if (!is_of_pool(gateway, source))
        return context_of(gateway, source) != NULL;
    const struct pool_context *context = pool_of_teid(gateway->pool, teid);
    if (!context)
        answer_unknown(gateway, from, teid);
    return context && pool_address(gateway->pool, context) == source;
}

static void take_pdu(struct gateway *gateway, const struct sockaddr_in *from, uint32_t teid,
                     struct octets packet)
{
    if (!may_come(gateway, from, teid, address_at(packet.at, packet.n, SOURCE_AT)))
        ADD(gateway, messages_stray);
    else if (write(gateway->tun, packet.at, packet.n) == (ssize_t)packet.n)
        ADD(gateway, messages_taken);
    else
        ADD(gateway, messages_refused);
}

static void take_message(struct gateway *gateway, const struct sockaddr_in *from, const uint8_t *b,
                         uint32_t n)
{
    struct gtpu message;
    ADD(gateway, messages);
    if (gtpu_decode(&message, b, n) < 0)
        ADD(gateway, messages_odd);
    else if (message.type == GTPU_ECHO_REQUEST)
        answer_echo(gateway, from, &message);
    else if (message.type == GTPU_G_PDU)
        take_pdu(gateway, from, message.teid, message.payload);
    else
        ADD(gateway, messages_other);
}

static void read_socket(struct gateway *gateway)
{
    static uint8_t b[ROOM];
    struct sockaddr_in from;
    for (int i = 0; i < ROUND_MOST; i++) {
        socklen_t room = sizeof from;
        ssize_t n = recvfrom(gateway->socket, b, sizeof b, 0, (struct sockaddr *)&from, &room);
        if (n < 0) // none, or the SGSN's port is closed for now
            return;
        take_message(gateway, &from, b, (uint32_t)n);
    }
}

// ---- GTP-C ----

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void read_control(struct gateway *gateway)
{
    static uint8_t b[ROOM];
    uint8_t answer[POOL_ANSWER_MAX];
    struct sockaddr_in from;
    for (int i = 0; i < ROUND_MOST; i++) {
        socklen_t room = sizeof from;
        ssize_t n = recvfrom(gateway->control, b, sizeof b, 0, (struct sockaddr *)&from, &room);
        if (n < 0)
            return;
        uint32_t octets =
            pool_take(gateway->pool, ntohl(from.sin_addr.s_addr), ntohs(from.sin_port),
                      (struct octets){b, (uint32_t)n}, answer, clock_ns());
        if (octets)
            sendto(gateway->control, answer, octets, 0, (struct sockaddr *)&from, room);
    }
}

int gateway_turn(struct gateway *gateway, int wait_ms)
{
    struct pollfd fds[] = {{.fd = gateway->tun, .events = POLLIN},
                           {.fd = gateway->socket, .events = POLLIN},
                           {.fd = gateway->control, .events = POLLIN}};
    if (poll(fds, gateway->pool ? 3 : 2, wait_ms) <= 0)
        return 0;
    if (fds[2].revents)
        read_control(gateway);
    if (fds[1].revents)
        read_socket(gateway);
    return fds[0].revents ? read_tun(gateway) : 0;
}

int gateway_run(struct gateway *gateway)
{
    time_t second = 0;
    int fault = 0;
    while (!fault && !*gateway->ended) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec != second && gateway->each_second)
            gateway->each_second(gateway->self);
        second = now.tv_sec;
        fault = gateway_turn(gateway, 100);
    }
    return fault;
}

// ---- What it did ----

void gateway_put(const struct gateway *gateway, struct json *json)
{
    json_put(json, "contexts", gateway->contexts);
    for (uint32_t i = 0; i < GATEWAY_COUNTS; i++)
        json_put(json, names[i], gateway->count[i]);
    if (gateway->pool) {
        json_put_object(json, "gtpc");
        pool_put(gateway->pool, json);
        json_close(json);
    }
}

// The last of each kind are the fates of the first.
static bool adds_up(const uint64_t *count, enum gateway_count all, enum gateway_count last)
{
    uint64_t sum = 0;
    for (uint32_t i = all + 1; i <= last; i++)
        sum += count[i];
    return count[all] == sum;
}

const char *gateway_wrong(const struct gateway *gateway)
{
    const uint64_t *count = gateway->count;
    if (!adds_up(count, GATEWAY_COUNT_packets, GATEWAY_COUNT_packets_sent))
        return "packets";
    const char *wrong = gateway->pool ? pool_wrong(gateway->pool) : NULL;
    if (wrong)
        return wrong;
    return adds_up(count, GATEWAY_COUNT_messages, GATEWAY_COUNT_messages_taken) ? NULL : "messages";
}
