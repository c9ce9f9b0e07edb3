// Headers in brief and in full: random frames, as packets and as records of a piece, held against
// gi_packet_read, which reads each of them in full; and which of them are between the same ends,
// held against the ends of those packets.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <pcap/pcap.h>

#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/tcp.h"
#include "lab/capture/capture_sum.h"
#include "lab/gi/gi_batch.h"
#include "lab/gi/gi_hash.h"

#define FRAME_OCTETS 200
#define HEAD_OCTETS  16 // of a record
#define NEAR         32 // frames
#define HOSTS        3

static struct gi_batch batch;
static struct gi_reader *reader;
static struct gi_ends ends[GI_ENDS_MOST]; // that the numbers stand for
static struct capture_packet frame[GI_FRAMES_MOST];
static uint8_t octets[GI_FRAMES_MOST][FRAME_OCTETS];
static uint8_t room[GI_FRAMES_MOST * (HEAD_OCTETS + FRAME_OCTETS)];
static uint64_t frames, briefs, sacks, wholes; // wholes: segments in full
static struct gi_packet packet[GI_FRAMES_MOST];
static enum gi_count fate[GI_FRAMES_MOST];

static uint32_t any(uint32_t below)
{
    return (uint32_t)rand() % below;
}

// ---- Frames ----

// Between one of so many pairs: some of them of one address, or of one port. Either of the two may
// send.
static void put_ends(struct ipv4 *ip, uint8_t *t, uint32_t pairs)
{
    uint32_t pair = any(pairs);
    uint32_t a = 0x0a000000 + pair / 8, b = pair % 8 == 7 ? a : 0xcb007100 + pair % HOSTS;
    uint16_t from = (uint16_t)(1000 + pair % 5), to = (uint16_t)(pair % 4 ? 80 : from);
    bool back = any(2);
    if (pair % 32 == 31) // all of it 0, as what a reader has of no ends
        a = b = from = to = 0;
    ip->source = back ? b : a;
    ip->destination = back ? a : b;
    put_be16(t, back ? to : from);
    put_be16(t + 2, back ? from : to);
}

// Timestamps, as all systems write them or not; SACK; anything.
static void put_options(uint8_t *b, uint32_t n)
{
    uint32_t what = any(8);
    put_be32(b, what == 0 ? 0x0204080a : what < 3 ? 0x0101050a : 0x0101080a);
    put_be32(b + 4, (uint32_t)rand());
    put_be32(b + 8, (uint32_t)rand());
    for (uint32_t i = 12; i < n; i++)
        b[i] = (uint8_t)any(any(2) ? 12 : 256);
}

static void put_segment(uint8_t *b, uint32_t *n, uint32_t pairs)
{
    uint8_t *t = b + IPV4_OCTETS;
    uint32_t options = any(3) ? 0 : any(4) ? 12 : 12 + 4 * any(8);
    uint32_t head = TCP_OCTETS + options, data = any(4) ? any(60) : 0;
    struct ipv4 ip = {.ttl = 64, .protocol = IPV4_PROTOCOL_TCP, .id = (uint16_t)any(65536)};
    memset(t, 0, head + data);
    put_ends(&ip, t, pairs);
    put_be32(t + 4, (uint32_t)rand());
    put_be32(t + 8, (uint32_t)rand());
    t[12] = (uint8_t)((any(40) ? head / 4 : any(16)) << 4); // or its length is wrong
    t[13] = any(10) ? (uint8_t)(TCP_ACK | (any(2) ? TCP_PSH : 0)) : (uint8_t)any(64);
    put_be16(t + 14, (uint16_t)any(65536));
    if (options)
        put_options(t + TCP_OCTETS, options);
    ipv4_put_header(&ip, head + data, b);
    tcp_put_checksum(t, head + data, ip.source, ip.destination);
    *n = IPV4_OCTETS + head + data;
}

// IPv6 without extension headers; its checksum is not judged, as the frame is cut.
static void put_segment6(uint8_t *b, uint32_t *n, uint32_t pairs)
{
    memset(b, 0, 40 + TCP_OCTETS);
    b[0] = 0x60;
    put_be16(b + 4, TCP_OCTETS + 1);
    b[6] = IPV4_PROTOCOL_TCP;
    put_be32(b + 20, any(pairs));
    put_be32(b + 36, any(HOSTS));
    put_be16(b + 42, 80);
    b[52] = TCP_OCTETS / 4 << 4;
    b[53] = TCP_ACK;
    *n = 40 + TCP_OCTETS;
}

static void make(uint32_t i, uint32_t pairs, int link)
{
    uint32_t n, lead = link == DLT_EN10MB ? ETHER_OCTETS : 0;
    uint8_t *b = octets[i] + lead;
    bool is_ipv4 = any(50);
    memset(octets[i], 0, lead);
    if (lead)
        put_be16(b - 2, any(60) == 0 ? 0x0806 : is_ipv4 ? ETHER_TYPE_IPV4 : 0x86dd);
    if (is_ipv4)
        put_segment(b, &n, pairs);
    else
        put_segment6(b, &n, pairs);
    n += lead;
    uint32_t whole = n + !is_ipv4;
    if (any(30) == 0)
        octets[i][any(n)] ^= (uint8_t)(1 << any(8));
    uint32_t captured = any(10) ? n : any(n + 1);
    frame[i] = (struct capture_packet){i + 1, 1000 * (uint64_t)i, link, octets[i], captured, whole};
}

// ---- Beside gi_packet_read ----

static void assert_same_end(const struct gi_end *a, const struct gi_end *b)
{
    assert_memory_equal(&a->address, &b->address, sizeof a->address);
    assert_int_equal(a->port, b->port);
}

static void assert_same(const struct gi_packet *a, const struct gi_packet *b)
{
    assert_int_equal(a->time_ns, b->time_ns);
    assert_same_end(&a->from, &b->from);
    assert_same_end(&a->to, &b->to);
    assert_int_equal(a->ip_octets, b->ip_octets);
    assert_int_equal(a->ip_id, b->ip_id);
    assert_int_equal(a->sequence, b->sequence);
    assert_int_equal(a->acknowledgement, b->acknowledgement);
    assert_int_equal(a->data_octets, b->data_octets);
    assert_int_equal(a->window, b->window);
    assert_int_equal(a->has_timestamps, b->has_timestamps);
    assert_int_equal(a->timestamp, b->timestamp);
    assert_int_equal(a->echo, b->echo);
    assert_int_equal(a->options_cut, b->options_cut);
    assert_int_equal(a->sack_permitted, b->sack_permitted);
    assert_int_equal(a->has_scale, b->has_scale);
    assert_int_equal(a->scale, b->scale);
    assert_int_equal(a->sack_blocks, b->sack_blocks);
    assert_memory_equal(a->sack, b->sack, sizeof a->sack);
}

static void assert_same_in_full(const struct gi_packet *a, const struct gi_packet *b)
{
    assert_same(a, b);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->teid, b->teid);
    sacks += b->sack_blocks > 0;
    wholes++;
}

static bool same_ends(const struct gi_packet *a, const struct gi_packet *b, bool *reversed)
{
    bool forward = memcmp(&a->from.address, &b->from.address, 16) == 0 &&
                   memcmp(&a->to.address, &b->to.address, 16) == 0 &&
                   a->from.port == b->from.port && a->to.port == b->to.port;
    bool back = memcmp(&a->from.address, &b->to.address, 16) == 0 &&
                memcmp(&a->to.address, &b->from.address, 16) == 0 && a->from.port == b->to.port &&
                a->to.port == b->from.port;
    *reversed = !forward;
    return forward || back;
}

// All of its headers is there and right, nothing in them is rare, and its link is that of the
// first.
static bool is_plain(uint32_t i)
{
    const uint8_t flags = TCP_SYN | TCP_FIN | TCP_RST | TCP_ACK;
    uint32_t lead = frame[i].link == DLT_EN10MB ? ETHER_OCTETS : 0;
    return fate[i] == GI_COUNT_segments && frame[i].link == frame[0].link &&
           octets[i][lead] == 0x45 && octets[i][lead + IPV4_OCTETS + 12] >> 4 == TCP_OCTETS / 4 &&
           (packet[i].flags & flags) == TCP_ACK;
}

static void check_ends(uint32_t i)
{
    static uint32_t first[GI_ENDS_MOST];
    const struct gi_brief *brief = &batch.brief[i];
    bool has_ends = fate[i] == GI_COUNT_segments || fate[i] == GI_COUNT_fragments, reversed;
    assert_int_equal(brief->ends != GI_ENDS_NONE, has_ends);
    if (i == 0)
        memset(first, 0, sizeof first);
    if (!has_ends)
        return;
    assert_in_range(brief->ends, 1, batch.ends_first + batch.ends_n - 1);
    if (!first[brief->ends])
        first[brief->ends] = i + 1;
    assert_true(same_ends(&packet[i], &packet[first[brief->ends] - 1], &reversed));
    assert_int_equal(brief->reversed ^ batch.brief[first[brief->ends] - 1].reversed, reversed);
    const struct gi_packet *p = &packet[i];
    assert_int_equal(ends[brief->ends].hash,
                     gi_hash_ends(gi_hash_address(&p->from.address),
                                  gi_hash_address(&p->to.address), p->from.port, p->to.port));
}

// Each frame that is far, in their order, and no other.
static void check_far(void)
{
    uint32_t fars = 0;
    for (uint32_t i = 0; i < batch.frames; i++) {
        bool near = false;
        for (uint32_t k = i; batch.brief[i].ends && k-- > 0 && i - k <= NEAR;)
            near |= batch.brief[k].ends == batch.brief[i].ends;
        if (!near)
            assert_int_equal(batch.far[fars++], i);
    }
    assert_int_equal(batch.fars, fars);
    assert_int_equal(batch.far[fars], GI_FAR_NONE);
}

static void add(uint32_t from, uint32_t to)
{
    gi_batch_add(&batch, frame + from, to - from, reader);
    memcpy(ends + batch.ends_first, batch.ends, batch.ends_n * sizeof ends[0]);
}

// The same as records of a piece.
static void add_records(uint32_t from, uint32_t to)
{
    static struct capture_records records;
    uint32_t at = 0;
    records.room = room;
    records.part_ns = 1;
    records.number = from + 1;
    records.link = frame[from].link;
    records.n = to - from;
    for (uint32_t i = from; i < to; i++) {
        uint32_t head[] = {0, (uint32_t)frame[i].time_ns, frame[i].captured, frame[i].length};
        memcpy(room + at, head, sizeof head);
        memcpy(room + at + sizeof head, frame[i].octets, frame[i].captured);
        records.at[i - from] = at + HEAD_OCTETS;
        at += HEAD_OCTETS + frame[i].captured;
    }
    gi_batch_add_records(&batch, &records, reader);
    memcpy(ends + batch.ends_first, batch.ends, batch.ends_n * sizeof ends[0]);
}

static void add_all(uint32_t n)
{
    if (any(2)) {
        add_records(0, n);
        return;
    }
    for (uint32_t i = 20; i < n; i += 50) // in the midst, of another link, and without its header
        if (i != n / 3)
            frame[i].link = frame[i].link == DLT_RAW ? DLT_EN10MB : DLT_RAW;
    add(0, n / 3);
    add(n / 3, n);
}

static void check(uint32_t n, uint32_t pairs)
{
    static const struct gi_packet_rules rules;
    struct gi_counts counts = {0};
    reader->counts = (struct gi_counts){0};
    gi_batch_begin(&batch, reader);
    int link = any(3) ? DLT_RAW : DLT_EN10MB;
    for (uint32_t i = 0; i < n; i++)
        make(i, pairs, link);
    add_all(n);
    assert_int_equal(batch.frames, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct gi_brief *brief = &batch.brief[i];
        struct gi_packet expanded;
        fate[i] = gi_packet_read(&packet[i], &frame[i], &rules, &counts);
        assert_int_equal(brief->time_ns, packet[i].time_ns);
        assert_int_equal(brief->data_octets != 0, packet[i].data_octets != 0);
        assert_false(is_plain(i) && brief->is_full);
        if (brief->is_full) {
            assert_int_equal(batch.full[brief->full].fate, fate[i]);
            if (fate[i] == GI_COUNT_segments)
                assert_same_in_full(&batch.full[brief->full].packet, &packet[i]);
        } else {
            assert_int_equal(fate[i], GI_COUNT_segments);
            gi_batch_expand(&batch, brief, &ends[brief->ends], &expanded);
            assert_same(&expanded, &packet[i]);
            briefs++;
        }
        check_ends(i);
    }
    check_far();
    frames += n;
    assert_memory_equal(&reader->counts, &counts, sizeof counts);
}

static void test_briefs_are_what_the_packets_are(void **state)
{
    (void)state;
    srand(1);
    for (uint32_t round = 0; round < 40; round++)
        check(1 + any(400), 1 + any(60));
    assert_true(briefs > frames / 2 && wholes > frames / 10 && sacks > frames / 50);
}

// Whole, and each of ends of its own: as many as there can be, and others each time.
static void fill_with_ends(uint32_t time)
{
    uint32_t n;
    for (uint32_t i = 0; i < GI_FRAMES_MOST; i++) {
        put_segment(octets[i], &n, 1);
        struct ipv4 ip = {.ttl = 64, .protocol = IPV4_PROTOCOL_TCP, .source = i ^ time << 16};
        ip.destination = ~ip.source;
        octets[i][IPV4_OCTETS + 12] = TCP_OCTETS / 4 << 4;
        ipv4_put_header(&ip, n - IPV4_OCTETS, octets[i]);
        frame[i] = (struct capture_packet){i + 1, i, DLT_RAW, octets[i], n, n};
    }
    reader->rules.take_bad_checksums = true;
    gi_batch_begin(&batch, reader);
    add(0, GI_FRAMES_MOST);
    reader->rules.take_bad_checksums = false;
    assert_int_equal(batch.ends_n, GI_FRAMES_MOST);
    for (uint32_t i = 0; i < GI_FRAMES_MOST; i++)
        assert_int_equal(batch.brief[i].ends, batch.ends_first + i);
}

static void test_more_ends_than_slots(void **state)
{
    (void)state;
    srand(2);
    fill_with_ends(0);
    check(GI_FRAMES_MOST, 100 * GI_FRAMES_MOST);
    check(GI_FRAMES_MOST, 3000);
}

// If there are few; those of IPv6 have one for each frame.
static void test_the_same_ends_have_one_number(void **state)
{
    (void)state;
    srand(3);
    bool reversed;
    check(600, 40);
    uint32_t numbers = 0, pairs = 0, pair[600];
    for (uint32_t i = 0; i < 600; i++) {
        if (batch.brief[i].ends == GI_ENDS_NONE || !address_is_ipv4(&packet[i].from.address))
            continue;
        uint32_t k = 0;
        while (k < pairs && !same_ends(&packet[i], &packet[pair[k]], &reversed))
            k++;
        if (k == pairs)
            pair[pairs++] = i;
        numbers = batch.brief[i].ends > numbers ? batch.brief[i].ends : numbers;
        assert_int_equal(batch.brief[i].ends, batch.brief[pair[k]].ends);
    }
    assert_true(pairs > 20 && numbers < 60);
}

// Those of addresses of IPv4, from batch to batch.
static void test_numbers_stay(void **state)
{
    (void)state;
    static struct gi_packet before[600];
    static uint16_t number[600];
    srand(4);
    check(600, 40);
    for (uint32_t i = 0; i < 600; i++) {
        before[i] = packet[i];
        number[i] = batch.brief[i].ends;
    }
    check(600, 40);
    uint32_t stayed = 0;
    bool reversed;
    for (uint32_t i = 0; i < 600; i++)
        for (uint32_t k = 0; k < 600; k++)
            if (number[k] && batch.brief[i].ends && address_is_ipv4(&packet[i].from.address) &&
                same_ends(&packet[i], &before[k], &reversed)) {
                assert_int_equal(batch.brief[i].ends, number[k]);
                stayed++;
            }
    assert_true(stayed > 600 && batch.ends_n < 60);
}

// They begin anew, and what is known of those before is of no more use.
static void test_numbers_are_forgotten(void **state)
{
    (void)state;
    srand(5);
    fill_with_ends(1);
    for (uint32_t time = 2; batch.ends_first != 1; time++) {
        assert_in_range(time, 2, 1 + (GI_ENDS_KEPT + GI_FRAMES_MOST - 1) / GI_FRAMES_MOST);
        assert_true(batch.ends_first < GI_ENDS_KEPT);
        fill_with_ends(time);
    }
    for (uint32_t round = 0; round < 20; round++)
        check(400, 60);
}

int main(void)
{
    gi_hash_begin();
    capture_sum_choose();
    reader = gi_reader_create(&(struct gi_packet_rules){0}, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_briefs_are_what_the_packets_are),
        cmocka_unit_test(test_more_ends_than_slots),
        cmocka_unit_test(test_the_same_ends_have_one_number),
        cmocka_unit_test(test_numbers_stay),
        cmocka_unit_test(test_numbers_are_forgotten),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(reader);
    return failed;
}
