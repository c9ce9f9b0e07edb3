// The gateway between a socket pair, which stands for the device, and a GTP-U socket on loopback:
// typed octets both ways, and a reason for each packet that ends.
#include "lab/live/gateway/gateway.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

// Addresses of loopback that no other process has, for their port is GTP-U's.
#define SGSN (0x7f000000 | (uint32_t)getpid() << 2 | 1)
#define GGSN (0x7f000000 | (uint32_t)getpid() << 2 | 2)

static struct gateway gateway;
static int linux_end, sgsn;
static uint8_t b[2048];

static int begin(void **state)
{
    int pair[2];
    struct sockaddr_in own = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(SGSN), .sin_port = htons(2152)};
    static const struct gateway_context contexts[] = {{0x0a000002, 0xbb}, {0x0a000001, 0xaa}};
    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, pair), 0);
    gateway = (struct gateway){.address = GGSN, .sgsn = SGSN, .tun = pair[0]};
    linux_end = pair[1];
    sgsn = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(sgsn, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 10},
               sizeof(struct timeval));
    assert_int_equal(bind(sgsn, (struct sockaddr *)&own, sizeof own), 0);
    assert_int_equal(gateway_open(&gateway), 0);
    gateway_set(&gateway, contexts, 2);
    return 0;
}

static int end(void **state)
{
    (void)state;
    const char *wrong = gateway_wrong(&gateway);
    gateway_close(&gateway);
    close(gateway.tun);
    close(linux_end);
    close(sgsn);
    return wrong != NULL;
}

static uint64_t count(enum gateway_count which)
{
    return gateway.count[which];
}

// An IPv4 packet between the Internet and an MS, as far as a gateway reads it.
static const uint8_t down[] = {0x45, 0, 0,    24, 0,  0, 0, 0, 64, 17, 0, 0,
                               203,  0, 0x71, 9,  10, 0, 0, 1, 1,  2,  3, 4};
static const uint8_t up[] = {0x45, 0, 0, 24, 0,   0, 0,    0, 64, 17, 0, 0,
                             10,   0, 0, 2,  203, 0, 0x71, 9, 5,  6,  7, 8};

static void test_a_packet_goes_down_in_its_tunnel(void **state)
{
    static const uint8_t head[] = {0x30, 0xff, 0, 24, 0, 0, 0, 0xaa};
    (void)state;
    assert_int_equal(send(linux_end, down, sizeof down, 0), sizeof down);
    assert_int_equal(gateway_turn(&gateway, 10000), 0);
    assert_int_equal(recv(sgsn, b, sizeof b, 0), sizeof head + sizeof down);
    assert_memory_equal(b, head, sizeof head);
    assert_memory_equal(b + sizeof head, down, sizeof down);
    assert_int_equal(count(GATEWAY_COUNT_packets_sent), 1);
}

static void test_packets_to_nobody(void **state)
{
    uint8_t other[sizeof down];
    (void)state;
    memcpy(other, down, sizeof down);
    other[19] = 3;
    send(linux_end, other, sizeof other, 0);
    send(linux_end, other, 10, 0);
    other[0] = 0x60;
    other[19] = 1;
    send(linux_end, other, sizeof other, 0);
    assert_int_equal(gateway_turn(&gateway, 10000), 0);
    assert_int_equal(count(GATEWAY_COUNT_packets_stray), 3);
    assert_int_equal(recv(sgsn, b, sizeof b, MSG_DONTWAIT), -1);
}

static void from_sgsn(const uint8_t *head, uint32_t head_octets, const uint8_t *packet, uint32_t n)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(GGSN), .sin_port = htons(2152)};
    memcpy(b, head, head_octets);
    if (n)
        memcpy(b + head_octets, packet, n);
    assert_int_equal(sendto(sgsn, b, head_octets + n, 0, (struct sockaddr *)&to, sizeof to),
                     head_octets + n);
    assert_int_equal(gateway_turn(&gateway, 10000), 0);
}

static void test_a_packet_comes_up(void **state)
{
    static const uint8_t head[] = {0x32, 0xff, 0, 28, 0, 0, 0, 2, 0, 7, 0, 0}; // with a number
    (void)state;
    from_sgsn(head, sizeof head, up, sizeof up);
    assert_int_equal(recv(linux_end, b, sizeof b, 0), sizeof up);
    assert_memory_equal(b, up, sizeof up);
    assert_int_equal(count(GATEWAY_COUNT_messages_taken), 1);
}

static void test_messages_that_end_here(void **state)
{
    static const uint8_t echo[] = {0x32, 1, 0, 4, 0, 0, 0, 0, 0, 9, 0, 0};
    static const uint8_t answer[] = {0x32, 2, 0, 6, 0, 0, 0, 0, 0, 9, 0, 0, 14, 0};
    static const uint8_t error[] = {0x30, 26, 0, 0, 0, 0, 0, 0}, odd[] = {0x10, 0xff, 0, 0};
    static const uint8_t pdu[] = {0x30, 0xff, 0, 24, 0, 0, 0, 1};
    (void)state;
    from_sgsn(echo, sizeof echo, NULL, 0);
    assert_int_equal(recv(sgsn, b, sizeof b, 0), sizeof answer);
    assert_memory_equal(b, answer, sizeof answer);
    from_sgsn(error, sizeof error, NULL, 0);
    from_sgsn(odd, sizeof odd, NULL, 0);
    from_sgsn(pdu, sizeof pdu, down, sizeof down); // from the Internet's address
    assert_int_equal(count(GATEWAY_COUNT_messages_echo), 1);
    assert_int_equal(count(GATEWAY_COUNT_messages_other), 1);
    assert_int_equal(count(GATEWAY_COUNT_messages_odd), 1);
    assert_int_equal(count(GATEWAY_COUNT_messages_stray), 1);
    assert_int_equal(recv(linux_end, b, sizeof b, 0), -1);
}

static void test_other_contexts(void **state)
{
    static const struct gateway_context contexts[] = {{0x0a000001, 0x12345678}};
    (void)state;
    gateway_set(&gateway, contexts, 1);
    send(linux_end, down, sizeof down, 0);
    assert_int_equal(gateway_turn(&gateway, 10000), 0);
    assert_int_equal(recv(sgsn, b, sizeof b, 0), 8 + sizeof down);
    assert_memory_equal(b + 4, "\x12\x34\x56\x78", 4);
    gateway_set(&gateway, contexts, 0);
    send(linux_end, down, sizeof down, 0);
    assert_int_equal(gateway_turn(&gateway, 10000), 0);
    assert_int_equal(count(GATEWAY_COUNT_packets_stray), 1);
}

static void test_the_device_is_gone(void **state)
{
    (void)state;
    shutdown(linux_end, SHUT_RDWR);
    assert_true(gateway_turn(&gateway, 10000) < 0);
}

// ---- With a pool ----

static int control;

static int begin_pool(void **state)
{
    struct sockaddr_in own = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(SGSN), .sin_port = htons(2123)};
    begin(state);
    gateway_close(&gateway);
    gateway = (struct gateway){
        .address = GGSN,
        .sgsn = SGSN,
        .tun = gateway.tun,
        .pool = pool_create(&(struct pool_config){
            .address = GGSN, .sgsn = SGSN, .network = 0x0a000000, .bits = 29, .recovery = 1})};
    control = socket(AF_INET, SOCK_DGRAM, 0);
    setsockopt(control, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 10},
               sizeof(struct timeval));
    assert_int_equal(bind(control, (struct sockaddr *)&own, sizeof own), 0);
    return gateway_open(&gateway);
}

static int end_pool(void **state)
{
    int wrong = end(state);
    pool_destroy(gateway.pool);
    close(control);
    return wrong;
}

static void to_control(const uint8_t *message, uint32_t n)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(GGSN), .sin_port = htons(2123)};
    assert_int_equal(sendto(control, message, n, 0, (struct sockaddr *)&to, sizeof to), n);
    assert_int_equal(gateway_turn(&gateway, 10000), 0);
}

// CREATE of IMSI 262421023456789, NSAPI 5, by an SGSN whose G-PDUs have the TEID 0x12345678.
static void create_context(void)
{
    uint8_t message[] = {0x32, 16,   0,    59,   0,    0,    0,    0,    0,  1,    0,    0,    2,
                         0x62, 0x42, 0x12, 0x20, 0x43, 0x65, 0x87, 0xf9, 16, 0x12, 0x34, 0x56, 0x78,
                         17,   0,    0,    0,    9,    20,   5,    0x80, 0,  2,    0xf1, 0x21, 0x85,
                         0,    4,    0,    0,    0,    0,    0x85, 0,    4,  0,    0,    0,    0,
                         0x87, 0,    4,    2,    0x1b, 0x92, 0x1f, 0x97, 0,  1,    2};
    message[3] = sizeof message - 8;
    for (int i = 0; i < 4; i++)
        message[41 + i] = message[48 + i] = (uint8_t)(SGSN >> (24 - 8 * i));
    to_control(message, sizeof message);
    assert_int_equal(recv(control, b, sizeof b, 0), 63);
    assert_memory_equal(b, "\x32\x11\0\x37\0\0\0\x09\0\x01\0\0\x01\x80", 14);
    assert_memory_equal(b + 38, "\x0a\0\0\x02", 4);
}

static void test_a_context_of_the_pool(void **state)
{
    static const uint8_t head[] = {0x30, 0xff, 0, 24, 0x80, 0x10, 0, 2};
    static const struct gateway_context stale[] = {{0x0a000002, 0xbb}, {0x0a000001, 0xaa}};
    uint8_t to[sizeof down];
    (void)state;
    gateway_set(&gateway, stale, 2); // a file that lags behind
    memcpy(to, down, sizeof down);
    to[19] = 2;
    send(linux_end, to, sizeof to, 0);
    send(linux_end, down, sizeof down, 0);
    assert_int_equal(gateway_turn(&gateway, 10000), 0);
    assert_int_equal(count(GATEWAY_COUNT_packets_stray), 2);
    create_context();
    send(linux_end, to, sizeof to, 0);
    assert_int_equal(gateway_turn(&gateway, 10000), 0);
    assert_int_equal(recv(sgsn, b, sizeof b, 0), 8 + sizeof to);
    assert_memory_equal(b, "\x30\xff\0\x18\x12\x34\x56\x78", 8);
    assert_memory_equal(b + 8, to, sizeof to);
    from_sgsn(head, sizeof head, up, sizeof up);
    assert_int_equal(recv(linux_end, b, sizeof b, 0), sizeof up);
    assert_int_equal(count(GATEWAY_COUNT_messages_taken), 1);
}

// To a TEID of no context: the SGSN is told. In the tunnel of another address: nobody is.
static void test_tunnels_of_the_pool(void **state)
{
    static const uint8_t old[] = {0x30, 0xff, 0, 24, 0x80, 0x20, 0, 2};
    static const uint8_t own[] = {0x30, 0xff, 0, 24, 0x80, 0x10, 0, 2};
    uint8_t other[sizeof up];
    (void)state;
    create_context();
    from_sgsn(old, sizeof old, up, sizeof up);
    assert_int_equal(recv(sgsn, b, sizeof b, 0), 24);
    assert_memory_equal(b, "\x32\x1a\0\x10\0\0\0\0\0\0\0\0\x10\x80\x20\0\x02\x85\0\x04", 20);
    memcpy(other, up, sizeof up);
    other[15] = 3;
    from_sgsn(own, sizeof own, other, sizeof other);
    assert_int_equal(recv(sgsn, b, sizeof b, MSG_DONTWAIT), -1);
    assert_int_equal(recv(linux_end, b, sizeof b, 0), -1);
    assert_int_equal(count(GATEWAY_COUNT_messages_stray), 2);
}

static void test_addresses_beside_the_pool(void **state)
{
    static const struct gateway_context contexts[] = {{0x0a000008, 0xcc}};
    uint8_t to[sizeof down];
    (void)state;
    gateway_set(&gateway, contexts, 1);
    memcpy(to, down, sizeof down);
    to[19] = 8;
    send(linux_end, to, sizeof to, 0);
    assert_int_equal(gateway_turn(&gateway, 10000), 0);
    assert_int_equal(recv(sgsn, b, sizeof b, 0), 8 + sizeof to);
    assert_memory_equal(b + 4, "\0\0\0\xcc", 4);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, begin, end)
#define POOL(test) cmocka_unit_test_setup_teardown(test, begin_pool, end_pool)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(test_a_packet_goes_down_in_its_tunnel),
        EACH(test_packets_to_nobody),
        EACH(test_a_packet_comes_up),
        EACH(test_messages_that_end_here),
        EACH(test_other_contexts),
        EACH(test_the_device_is_gone),
        POOL(test_a_context_of_the_pool),
        POOL(test_tunnels_of_the_pool),
        POOL(test_addresses_beside_the_pool),
    };
    return cmocka_run_group_tests_name("lab/live/gateway/gateway", tests, NULL, NULL);
}
