// The replay of a capture: each gap and size is the file's; and files that are wrong are refused by
// name.
#include "lab/hosts/app_replay.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/lab/hosts/path.h"

static struct app_replay_config config;
static char name[32]; // of a file in memory
static int fd;
static uint8_t file[300000];
static uint32_t octets;
static const struct link_config fast = {.latency_ns = 10 * MS_IN_NS};

static void put(const void *b, uint32_t n)
{
    memcpy(file + octets, b, n);
    octets += n;
}

static void put32(uint32_t value)
{
    put(&value, 4);
}

// A pcap header in this machine's order: with nanoseconds or microseconds.
static void begin_file(uint32_t magic, uint32_t link_type)
{
    octets = 0;
    put32(magic);
    put32(0x00040002);
    put32(0);
    put32(0);
    put32(65535);
    put32(link_type);
}

#define NANO  0xa1b23c4d
#define MICRO 0xa1b2c3d4

static void put_record(uint64_t t_ns, uint32_t fraction_ns, const void *b, uint32_t n, uint32_t len)
{
    put32((uint32_t)(t_ns / S_IN_NS));
    put32((uint32_t)(t_ns % S_IN_NS) / fraction_ns);
    put32(n);
    put32(len);
    put(b, n);
}

// An Ethernet frame with an IPv4 packet of that size, of which `n` octets were kept.
static void put_frame(uint64_t t_ns, uint32_t ip_octets, uint32_t n)
{
    uint8_t b[2000] = {
        [12] = 8, [14] = 0x45, [16] = (uint8_t)(ip_octets >> 8), [17] = (uint8_t)ip_octets};
    uint32_t len = 14 + ip_octets < 60 ? 60 : 14 + ip_octets; // with Ethernet's padding
    put_record(t_ns, 1, b, n ? n : len, len);
}

static void write_file(void)
{
    assert_int_equal(ftruncate(fd, 0), 0);
    assert_int_equal(pwrite(fd, file, octets, 0), octets);
}

static int make(void **state)
{
    (void)state;
    path_setup(&fast, &fast);
    path_standard(&app_replay_config_record, &config);
    config.file = (struct octets){(const uint8_t *)name, (uint32_t)strlen(name)};
    return 0;
}

static const uint64_t times_ns[] = {
    0, 1, 1000, 1000, 5 * S_IN_NS + 123456789, 5 * S_IN_NS + 123456790};
static const uint32_t sizes[] = {40, 1500, 32, 576, 100, 1499};

static void make_six(void)
{
    begin_file(NANO, 1);
    for (int i = 0; i < 6; i++)
        put_frame(1700000000 * S_IN_NS + times_ns[i], sizes[i], i == 1 ? 40 : 0);
    write_file();
}

static void expect_six(enum flow_end from, uint32_t first, uint64_t begin_ns)
{
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(path.sent[from][first + i].at_ns, begin_ns + times_ns[i]);
        assert_int_equal(path.sent[from][first + i].octets, sizes[i]);
    }
}

static void test_gaps_and_sizes(void **state)
{
    (void)state;
    make_six();
    config.start_ns = 3 * S_IN_NS + 7;
    struct app *app = path_app("replay", &config, 0);
    path_run_to(100 * S_IN_NS);
    assert_int_equal(path.n[FLOW_HOST], 6);
    expect_six(FLOW_HOST, 0, 3 * S_IN_NS + 7);
    assert_int_equal(app->figures.arrived[FLOW_MS].packets, 6);
}

// A pause of the mean gap between two times: 5.12 s / 5.
static void test_three_times_up(void **state)
{
    (void)state;
    make_six();
    config.times = 3;
    config.way = APP_UP;
    config.ect = 1;
    path_app("replay", &config, 0);
    path_run_to(100 * S_IN_NS);
    assert_int_equal(path.n[FLOW_MS], 18);
    uint64_t round_ns = times_ns[5] + times_ns[5] / 5;
    for (uint32_t i = 0; i < 3; i++)
        expect_six(FLOW_MS, 6 * i, i * round_ns);
    assert_int_equal(path.sent[FLOW_MS][0].tos, 2);
}

static void test_for_ever_until_the_stop(void **state)
{
    (void)state;
    begin_file(NANO, 1);
    put_frame(5, 40, 0);
    write_file();
    config.times = 0;
    config.stop_ns = 10 * S_IN_NS;
    path_app("replay", &config, 0);
    path_run_to(100 * S_IN_NS);
    assert_int_equal(path.n[FLOW_HOST], 10); // one packet: one a second
}

static void test_all_at_one_time(void **state)
{
    (void)state;
    begin_file(NANO, 1);
    put_frame(5, 40, 0);
    put_frame(5, 50, 0);
    write_file();
    config.times = 3;
    path_app("replay", &config, 0);
    path_run_to(100 * S_IN_NS);
    assert_int_equal(path.n[FLOW_HOST], 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(path.sent[FLOW_HOST][i].at_ns, i / 2 * S_IN_NS);
}

// The file is read once for all.
static void test_many_share_a_file(void **state)
{
    (void)state;
    make_six();
    for (uint32_t i = 0; i < 100; i++)
        path_app("replay", &config, i);
    assert_non_null(path.world.replay_files);
    assert_null(path.world.replay_files->next);
    path_run_to(100 * S_IN_NS);
    assert_int_equal(path.n[FLOW_HOST], 600);
}

static struct replay_file *read_file(void)
{
    char error[APP_ERROR_ROOM] = "";
    write_file();
    struct replay_file *read = app_replay_read(name, error);
    if (!read)
        fail_msg("%s", error);
    return read;
}

static void test_microseconds_and_raw_ip(void **state)
{
    uint8_t v4[40] = {0x45, 0, 0, 40}, v6[60] = {0x60, 0, 0, 0, 0, 20};
    (void)state;
    begin_file(MICRO, 101); // LINKTYPE_RAW
    put_record(1 * S_IN_NS + 5000, 1000, v4, 40, 40);
    put_record(1 * S_IN_NS + 12000, 1000, v6, 60, 60);
    struct replay_file *read = read_file();
    assert_int_equal(read->packets, 2);
    assert_int_equal(read->packet[0].octets, 40);
    assert_int_equal(read->packet[1].octets, 60);
    assert_int_equal(read->packet[1].at_ns, 7000);
    app_replay_free(read);
}

// What is no IP is left out, what has no size for a datagram gets the nearest, and a time that
// goes back is that of the packet before.
static void test_what_is_counted(void **state)
{
    uint8_t arp[60] = {[12] = 8, [13] = 6};
    (void)state;
    begin_file(NANO, 1);
    put_frame(1000, 20, 0);
    put_record(2000, 1, arp, 60, 60);
    put_frame(500, 1600, 0);
    put_frame(3000, 100, 20); // too little was kept to know what it was
    put_frame(4000, 28, 0);
    struct replay_file *read = read_file();
    assert_int_equal(read->packets, 3);
    assert_int_equal(read->left_out, 2);
    assert_int_equal(read->resized, 3);
    assert_int_equal(read->early, 0);
    assert_int_equal(read->packet[0].octets, 32);
    assert_int_equal(read->packet[1].octets, 1500);
    assert_int_equal(read->packet[1].at_ns, 0);
    assert_int_equal(read->packet[2].at_ns, 3000);
    app_replay_free(read);
    begin_file(NANO, 1);
    put_frame(1000, 100, 0);
    put_frame(9000, 100, 0);
    put_frame(4000, 100, 0);
    read = read_file();
    assert_int_equal(read->early, 1);
    assert_int_equal(read->packet[2].at_ns, 8000);
    app_replay_free(read);
}

// An IP length that the record contradicts is not believed.
static void test_a_length_that_lies(void **state)
{
    uint8_t b[60] = {[12] = 8, [14] = 0x45, [16] = 0xff, [17] = 0xff};
    (void)state;
    begin_file(NANO, 1);
    put_record(0, 1, b, 60, 60);
    b[16] = b[17] = 0;
    put_record(0, 1, b, 60, 60);
    struct replay_file *read = read_file();
    assert_int_equal(read->packet[0].octets, 46);
    assert_int_equal(read->packet[1].octets, 46);
    app_replay_free(read);
}

// Nothing is known of a packet that is longer in the file than on the line.
static void test_more_octets_than_there_were(void **state)
{
    uint8_t b[60] = {[12] = 8, [14] = 0x45, [17] = 46};
    (void)state;
    begin_file(NANO, 1);
    put_record(0, 1, b, 60, 59);
    put_record(0, 1, b, 60, 3);
    put_record(0, 1, b, 60, 60);
    struct replay_file *read = read_file();
    assert_int_equal(read->packets, 1);
    assert_int_equal(read->left_out, 2);
    app_replay_free(read);
}

// ---- Other captures than pcap of Ethernet ----

static void put_block(uint32_t type, const void *body, uint32_t n)
{
    put32(type);
    put32(12 + n);
    put(body, n);
    put32(12 + n);
}

static void put_section(void)
{
    const uint32_t section[] = {0x1a2b3c4d, 1, 0xffffffff, 0xffffffff};
    octets = 0;
    put_block(0x0a0d0d0a, section, sizeof section);
}

// With stamps of 10^-digits s.
static void put_interface(uint32_t link_type, uint8_t digits)
{
    const uint32_t interface[] = {link_type, 0, 1 << 16 | 9, digits, 0};
    put_block(1, interface, sizeof interface);
}

static void put_enhanced(uint32_t interface, uint64_t stamp, const void *b, uint32_t n)
{
    uint32_t block[5 + 500] = {interface, (uint32_t)(stamp >> 32), (uint32_t)stamp, n, n};
    memcpy(block + 5, b, n);
    put_block(6, block, 20 + (n + 3) / 4 * 4);
}

static const uint8_t v4_of_60[60] = {0x45, 0, 0, 60};
static const uint8_t v6_of_50[50] = {0x60, 0, 0, 0, 0, 10};

// Interfaces of several link types and units of time, one of which is not read; a VLAN's tag.
static void make_pcapng(void)
{
    uint8_t tagged[78] = {[12] = 0x81, 0, 0, 7, 8, 0, 0x45, 0, 0, 60};
    put_section();
    put_interface(1, 9);
    put_interface(101, 6);
    put_interface(1147, 6);
    put_enhanced(1, 1000000, v4_of_60, 60);
    put_block(0x0bad, tagged, 32);
    put_enhanced(0, 1000000123, tagged, 78);
    put_enhanced(2, 1000001, v4_of_60, 60);
    put_enhanced(1, 1000002, v6_of_50, 50);
}

static void expect_pcapng(struct replay_file *read)
{
    assert_int_equal(read->packets, 3);
    assert_int_equal(read->left_out, 1);
    assert_int_equal(read->packet[0].octets, 60);
    assert_int_equal(read->packet[1].octets, 60);
    assert_int_equal(read->packet[1].at_ns, 123);
    assert_int_equal(read->packet[2].octets, 50);
    assert_int_equal(read->packet[2].at_ns, 2000);
    app_replay_free(read);
}

static void test_pcapng(void **state)
{
    (void)state;
    make_pcapng();
    expect_pcapng(read_file());
}

// Segmented by the device, behind the capture: the length is the frame's.
static void test_length_of_none(void **state)
{
    static const uint8_t v4[80] = {0x45}, v6[90] = {0x60};
    (void)state;
    put_section();
    put_interface(101, 6);
    put_enhanced(0, 1000000, v4, sizeof v4);
    put_enhanced(0, 1000001, v6, sizeof v6);
    struct replay_file *read = read_file();
    assert_int_equal(read->packets, 2);
    assert_int_equal(read->packet[0].octets, sizeof v4);
    assert_int_equal(read->packet[1].octets, sizeof v6);
    app_replay_free(read);
}

static void compress_file(void)
{
    static uint8_t plain[sizeof file];
    z_stream z = {.next_in = plain, .avail_in = octets, .next_out = file, .avail_out = sizeof file};
    memcpy(plain, file, octets);
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    octets = (uint32_t)z.total_out;
    deflateEnd(&z);
}

static void test_compressed(void **state)
{
    (void)state;
    make_pcapng();
    compress_file();
    expect_pcapng(read_file());
}

static void expect_refused(const char *why)
{
    write_file();
    path_expect_refused("replay", &config, why);
}

// The file, the frame, and what the reader says of it.
static void test_damage(void **state)
{
    uint8_t simple[64] = {60, [4] = 0x45, [7] = 60};
    char all[200];
    (void)state;
    make_six();
    octets -= 10;
    snprintf(all, sizeof all,
             "replay: %s, frame 6: truncated: 1519 octets are left of a packet's 1529", name);
    expect_refused(all);
    make_pcapng();
    octets -= 4;
    expect_refused(", frame 4: truncated: 80 octets are left of a block's 84");
    make_pcapng();
    compress_file();
    octets -= 20;
    expect_refused(": truncated: the end of the gzip stream is missing");
    put_section();
    put_enhanced(0, 0, v4_of_60, 60);
    expect_refused(", frame 1: a packet of interface 0, which nothing describes");
    put_section();
    put_interface(101, 6);
    put_block(3, simple, sizeof simple); // has no stamp
    expect_refused(", frame 1: its time is missing or out of range");
    octets = 0;
    expect_refused("no capture: it is empty");
    begin_file(0x12345678, 1);
    expect_refused("no capture: it begins with 78563412");
}

static void test_wrong_files(void **state)
{
    (void)state;
    begin_file(NANO, 1);
    expect_refused("no IP packets");
    begin_file(NANO, 113 + 1000);
    expect_refused("link type");
    begin_file(NANO, 1);
    put_frame(0, 100, 0);
    put_frame(2000000 * S_IN_NS, 100, 0);
    expect_refused("longer than 1000000 s");
    begin_file(NANO, 1);
    put_frame(0, 100, 0);
    file[28 + 3] = 0xff; // the fraction of a second
    expect_refused(", frame 1: its time is missing or out of range");
    config.file = (struct octets){(const uint8_t *)"/dev/null", 9};
    path_expect_refused("replay", &config, "replay: /dev/null: not a regular file");
    config.file = (struct octets){(const uint8_t *)"/nowhere/at/all", 15};
    path_expect_refused("replay", &config, "replay: /nowhere/at/all: No such file");
    config.file.n = 0;
    path_expect_refused("replay", &config, "a name of 1 to 4095 octets");
}

// ---- Files of packets ----

static void write_rows(const char *text)
{
    octets = (uint32_t)strlen(text);
    memcpy(file, text, octets);
    write_file();
}

// Each flow begins at its own times behind the start, in flows of their own.
static void test_flows_of_a_file(void **state)
{
    (void)state;
    write_rows(
        "flow,time_ns,octets\n1,2000000000,100\n1,2000000000,1500\n# a remark\n1,9000000001,32\n"
        "2,1000000000,200\n3,0,40\n");
    config.start_ns = 3 * S_IN_NS;
    for (config.flow = 1; config.flow <= 3; config.flow++)
        path_app("replay", &config, 0);
    path_run_to(100 * S_IN_NS);
    static const struct {
        uint64_t at_ns;
        uint32_t octets;
    } all[] = {{3000000000, 40},
               {4000000000, 200},
               {5000000000, 100},
               {5000000000, 1500},
               {12000000001, 32}};
    assert_int_equal(path.n[FLOW_HOST], 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(path.sent[FLOW_HOST][i].at_ns, all[i].at_ns);
        assert_int_equal(path.sent[FLOW_HOST][i].octets, all[i].octets);
    }
    assert_null(path.world.replay_files->next);
}

static void test_wrong_rows(void **state)
{
#define WRONG(rows, why)                               \
    write_rows("flow,time_ns,octets\n1,5,100\n" rows); \
    path_expect_refused("replay", &config, "line 3: " why)
    (void)state;
    config.flow = 1;
    WRONG("3,5,100\n", "flow");
    WRONG("0,5,100\n", "flow");
    WRONG("x,5,100\n", "flow");
    WRONG("\xff\n", "flow");
    WRONG("1,4,100\n", "time_ns");
    WRONG("1,1000000000000001,100\n", "time_ns");
    WRONG("1,99999999999999999999999999,100\n", "time_ns");
    WRONG("1,5,31\n", "octets");
    WRONG("1,5,1501\n", "octets");
    WRONG("1,5\n", "octets");
    WRONG("1,5,100,1\n", "more columns");
    write_rows("flow,time_ns,octets\n2,5,100\n");
    path_expect_refused("replay", &config, "line 2: flow");
    write_rows("flow,time_ns,octets\n");
    path_expect_refused("replay", &config, "no packets");
    write_rows("1,5,100\n");
    path_expect_refused("replay", &config, "head");
    write_rows("flow,time_ns,octets\n1,5,100\n");
    config.flow = 2;
    path_expect_refused("replay", &config, "no flow 2; there are 1");
#undef WRONG
}

// Random octets in a good file: it is read or refused, and what was read is within its bounds.
static void test_random_changes(void **state)
{
    struct rng rng;
    uint32_t taken = 0;
    (void)state;
    rng_seed(&rng, 4, 4);
    for (uint32_t i = 0; i < 3000; i++) {
        char error[APP_ERROR_ROOM] = "";
        begin_file(NANO, 1);
        for (uint32_t k = 0; k < 5; k++)
            put_frame(k * S_IN_NS, 40 + 10 * k, 0);
        for (uint64_t changes = rng_below(&rng, 5); changes > 0; changes--)
            file[rng_below(&rng, octets)] = (uint8_t)rng_below(&rng, 256);
        octets -= (uint32_t)(rng_below(&rng, 4) ? 0 : rng_below(&rng, octets));
        write_file();
        struct replay_file *read = app_replay_read(name, error);
        assert_true(read || strlen(error) > 0);
        for (uint32_t k = 0; read && k < read->packets; k++) {
            assert_in_range(read->packet[k].octets, 32, 1500);
            assert_true(k == 0 || read->packet[k].at_ns >= read->packet[k - 1].at_ns);
        }
        taken += read != NULL;
        app_replay_free(read);
    }
    assert_in_range(taken, 300, 2700);
}

static int make_file(void **state)
{
    (void)state;
    fd = memfd_create("replay", 0);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return fd < 0 ? -1 : 0;
}

static int close_file(void **state)
{
    (void)state;
    return close(fd);
}

#define REPLAY_TEST(name) cmocka_unit_test_setup_teardown(name, make, path_release)

int main(void)
{
    const struct CMUnitTest tests[] = {
        REPLAY_TEST(test_gaps_and_sizes),
        REPLAY_TEST(test_three_times_up),
        REPLAY_TEST(test_for_ever_until_the_stop),
        REPLAY_TEST(test_many_share_a_file),
        REPLAY_TEST(test_microseconds_and_raw_ip),
        REPLAY_TEST(test_what_is_counted),
        REPLAY_TEST(test_a_length_that_lies),
        REPLAY_TEST(test_more_octets_than_there_were),
        REPLAY_TEST(test_all_at_one_time),
        REPLAY_TEST(test_pcapng),
        REPLAY_TEST(test_length_of_none),
        REPLAY_TEST(test_compressed),
        REPLAY_TEST(test_damage),
        REPLAY_TEST(test_wrong_files),
        REPLAY_TEST(test_random_changes),
        REPLAY_TEST(test_flows_of_a_file),
        REPLAY_TEST(test_wrong_rows),
    };
    return cmocka_run_group_tests_name("lab/hosts/app_replay", tests, make_file, close_file);
}
