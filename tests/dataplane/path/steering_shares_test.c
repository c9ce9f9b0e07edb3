// 16 workers with 100 000 contexts, a frame for each, by each way of steering: the largest share of
// frames that a worker has to work on is at most 1.05 times the mean, and so is the largest share
// that comes to a queue, except without any steering, where all come to one.
#include <stdio.h>

#include "dataplane/state/teid.h"
#include "tests/dataplane/eal_fixture.h"
#include "tests/dataplane/port/port_fixture.h"
#include "tests/dataplane/port/rule_nic.h"
#include "tests/dataplane/random.h"

#define WORKERS  16u
#define CONTEXTS 100000u
#define PLACES   (CONTEXTS / WORKERS * 5 / 4) // of a worker: a quarter more than its share

static struct port_device device;

static void open_by(enum port_steering way)
{
    const char *why = "";
    struct port_config config = {
        .name = "gn",
        .device = "net_null0",
        .queues = WORKERS,
        .rx_frames = 64,
        .tx_frames = 64,
        .buffers = 127,
        .neighbours = 16,
        .steering = way,
        .teid_worker_bits = teid_bits_of(WORKERS),
        .addresses = {.n = WORKERS},
        .host = {.mac = our_mac, .ipv4 = OUR_IPV4, .udp_port = OUR_PORT, .mtu_octets = 1500}};
    for (uint32_t w = 0; w < WORKERS; w++)
        config.addresses.of[w].ipv4 = OUR_IPV4 + w;
    rule_nic = (struct rule_nic){.knows_addresses = true,
                                 .knows_gtpu = true,
                                 .knows_fragments = true,
                                 .rules_most = RULE_NIC_RULES,
                                 .hashes_teids = true,
                                 .tells_key = true,
                                 .entries = 512};
    for (uint32_t i = 0; i < RULE_NIC_KEY; i++)
        rule_nic.key[i] = (uint8_t)random_in(0, 255);
    for (uint32_t i = 0; i < rule_nic.entries; i++)
        rule_nic.table[i] = (uint16_t)(i % WORKERS);
    if (port_device_open(&device, &config, &why) != 0)
        fail_msg("%s", why);
}

// The queue of a G-PDU to the address of that worker.
static uint32_t queue_of(uint32_t worker, uint32_t teid)
{
    uint8_t b[FRAME_OCTETS_MAX], gpdu[28] = {0x30, 255, 0, 20};
    put_be32(gpdu + 4, teid);
    uint32_t n = frame_udp_ipv4(b, gpdu, sizeof gpdu);
    put_be32(b + 30, OUR_IPV4 + worker);
    int queue = rule_nic_queue(b, n);
    return queue < 0 ? 0 : (uint32_t)queue;
}

static double largest_over_mean(const uint32_t share[WORKERS])
{
    uint32_t largest = 0, sum = 0;
    for (uint32_t w = 0; w < WORKERS; w++) {
        largest = share[w] > largest ? share[w] : largest;
        sum += share[w];
    }
    assert_int_equal(sum, CONTEXTS);
    return (double)largest * WORKERS / sum;
}

static void shares_are_even(void **state)
{
    struct teid_bits bits = teid_bits(WORKERS, PLACES);
    (void)state;
    random_begin();
    for (enum port_steering way = PORT_STEERING_ADDRESS; way <= PORT_STEERING_STRAYS; way++) {
        uint32_t of_queue[WORKERS] = {0}, of_worker[WORKERS] = {0}, crossed = 0;
        open_by(way);
        const struct port_hash *hash = device.hash.entries ? &device.hash : NULL;
        for (uint32_t i = 0; i < CONTEXTS; i++) {
            uint32_t worker = i % WORKERS;
            uint32_t first = teid_make(bits, worker, 0, i / WORKERS);
            uint32_t teid = state_teid_after(bits, 7, 0, first, hash);
            // and for most places it is not the first context
            for (uint32_t turn = 1; turn <= i % 3; turn++)
                teid = state_teid_after(bits, 7, turn, teid, hash);
            uint32_t queue = queue_of(worker, teid);
            of_queue[queue]++;
            of_worker[teid_worker(bits, teid)]++;
            crossed += queue != worker;
        }
        double rx = largest_over_mean(of_queue), work = largest_over_mean(of_worker);
        print_message("# %s: largest share over mean %.3f at the queues, %.3f at the workers; %u "
                      "of %u handed on\n",
                      port_steering_names[way], rx, work, crossed, CONTEXTS);
        assert_true(work <= 1.05);
        if (way == PORT_STEERING_STRAYS) {
            assert_true(rx == WORKERS);
        } else {
            assert_true(rx <= 1.05);
            assert_int_equal(crossed, 0);
        }
        port_device_close(&device);
    }
}

// How many of 10 000 contexts are handed on, where as few bits are random as can be. Whatever the
// hash, each has a TEID of its worker and place.
static uint32_t handed_on(const struct port_hash *hash)
{
    struct teid_bits bits = teid_bits(WORKERS, TEID_INDEX_COUNT);
    uint32_t crossed = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t worker = i % WORKERS, first = teid_make(bits, worker, 0, i * 400);
        uint32_t teid = state_teid_after(bits, 7, 0, first, hash);
        assert_int_equal(teid_worker(bits, teid), worker);
        assert_int_equal(teid_index(bits, teid), i * 400);
        assert_int_not_equal(teid_random(bits, teid), 0);
        crossed += port_hash_queue(hash, teid) != worker;
    }
    return crossed;
}

// Toeplitz is linear: the windows of the key at the 6 random bits reach all queues or not, and most
// keys' do.
static void few_random_bits_mostly_suffice(void **state)
{
    uint32_t keys_without = 0;
    (void)state;
    random_begin();
    for (uint32_t keys = 0; keys < 40; keys++) {
        open_by(PORT_STEERING_RSS);
        keys_without += handed_on(&device.hash) == 0;
        port_device_close(&device);
    }
    print_message("# %u of 40 keys: none is handed on\n", keys_without);
    assert_in_range(keys_without, 18, 40); // 31 are expected, with a deviation of 2.6
}

static void a_hash_that_cannot_be_met_ends(void **state)
{
    struct port_hash hash = {.entries = 64};
    (void)state;
    assert_int_equal(handed_on(&hash), 10000 - 10000 / WORKERS); // all to queue 0
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_even),
        cmocka_unit_test(few_random_bits_mostly_suffice),
        cmocka_unit_test(a_hash_that_cannot_be_met_ends),
    };
    return cmocka_run_group_tests(tests, eal_fixture_setup, eal_fixture_teardown);
}
