// A BTS with two MSs beside a PCU written here message by message: how it comes up, an MS that asks
// for an uplink TBF and sends, one that receives and answers when polled, silence, an MS that goes
// to another cell and comes back, and any octets on the socket. After each step the counts add up.
#include "lab/live/bts/bts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"
#include "tests/dataplane/random.h"
#include "tests/lab/live/bts/hex.h"

#define TLLI       0xc0000001
#define ADDRESS    0x0a000001
#define PHONE_IMSI "001010000000101"

static uint32_t link_db = 20;   // of all MSs
static struct bts *bts, *other; // the cell that the test works in, and its neighbour

// What the BTS sent since the last tick, by type.
static struct sent {
    uint8_t info[1007], up[8][54], burst, confirm[8];
    uint32_t infos, info_octets, readies, bursts, confirms, fn[8], up_octets[8], burst_fn;
    uint32_t link_cb[8]; // of the blocks in `up`, tenths of dB
    uint32_t packets, packet_octets;
    uint8_t packet[1600];
} out, other_out;

static uint32_t le32(const uint8_t *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool to_pcu(void *self, const uint8_t *b, uint32_t n)
{
    (void)self;
    assert_true(n <= 1007);
    switch (b[0]) {
    case 0x32:
        memcpy(out.info, b, n);
        out.info_octets = n;
        out.infos++;
        break;
    case 0x10:
        out.readies |= 1u << b[15];
        out.fn[b[15]] = le32(b + 8);
        break;
    case 0x02:
        out.up_octets[b[175]] = b[5];
        memcpy(out.up[b[175]], b + 6, 54);
        out.link_cb[b[175]] = b[182] | (uint32_t)b[183] << 8;
        break;
    case 0x22:
        out.bursts++;
        out.burst = b[5];
        out.burst_fn = le32(b + 9);
        break;
    default:
        out.confirms++;
        memcpy(out.confirm, b, sizeof out.confirm);
    }
    return true;
}

static bool to_ip(void *self, const uint8_t *packet, uint32_t octets)
{
    (void)self;
    out.packets++;
    out.packet_octets = octets;
    memcpy(out.packet, packet, octets);
    return true;
}

static void sound(void)
{
    const char *what = bts_wrong(bts);
    what = what ? what : bts_wrong(other);
    if (what)
        fail_msg("%s", what);
}

static void begin_with(uint32_t loss_ppm, uint32_t up_queue_s)
{
    struct bts_config config = {.cell = {.pdchs = 4, .coding = 2, .nsei = 101, .bvci = 103},
                                .loss_down_ppm = loss_ppm,
                                .loss_up_ppm = loss_ppm,
                                .up_queue_s = up_queue_s,
                                .seed = 1};
    struct bts_owner owner = {.to_pcu = to_pcu, .to_ip = to_ip};
    bts = bts_create(&config, &owner);
    other = bts_create(&config, &owner);
    for (uint32_t i = 0; i < 2; i++) {
        struct bts_ms ms = {.tlli = TLLI + i,
                            .link_db = link_db,
                            .address = ADDRESS + i,
                            .nsapi = 5,
                            .sapi = 3,
                            .terms = {.n201_u_octets = 500}};
        snprintf(ms.imsi, sizeof ms.imsi, "00101000000000%u", i + 1);
        assert_int_equal(bts_add_ms(bts, &ms), 0);
    }
    memset(&out, 0, sizeof out);
    memset(&other_out, 0, sizeof other_out);
}

static void begin(uint32_t loss_ppm)
{
    begin_with(loss_ppm, 0);
}

static void end(void)
{
    bts_disconnected(bts);
    bts_disconnected(other);
    sound();
    bts_destroy(bts);
    bts_destroy(other);
}

// The test works in the neighbour from now on.
static void go_over(void)
{
    struct bts *here = bts;
    struct sent sent = out;
    bts = other;
    out = other_out;
    other = here;
    other_out = sent;
}

// ---- The PCU ----

static void say(const char *text)
{
    uint8_t b[1006] = {0};
    hex(text, b);
    bts_take(bts, b, sizeof b);
    sound();
}

static void connect_pcu(void)
{
    bts_connected(bts);
    say("70000000 00 312e312e30");
    for (uint32_t slot = 4; slot < 8; slot++) {
        char text[32];
        snprintf(text, sizeof text, "40000000 01 00 %02x", slot);
        say(text);
    }
}

static void answer(uint32_t slot, const char *text)
{
    uint8_t b[1006] = {0};
    b[4] = 5;
    b[5] = (uint8_t)hex(text, b + 6);
    memcpy(b + 168, &out.fn[slot], 4);
    b[175] = (uint8_t)slot;
    bts_take(bts, b, sizeof b);
}

// A block's end: the PCU sends `text` on slot 6, and nothing on the others.
static void tick(const char *text)
{
    for (uint32_t slot = 4; slot < 8; slot++)
        if (out.readies >> slot & 1)
            answer(slot, slot == 6 ? text : "");
    out.readies = out.bursts = out.confirms = out.packets = 0;
    bts_tick(bts);
    sound();
}

static void ticks(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        tick("");
}

static void assert_reported(const char *member)
{
    char *text;
    size_t octets;
    struct json json;
    FILE *report = open_memstream(&text, &octets);
    assert_non_null(report);
    json_begin(&json, report);
    json_object(&json);
    bts_put(bts, &json);
    json_close(&json);
    json_end(&json);
    fclose(report);
    assert_non_null(strstr(text, member));
    free(text);
}

static void test_it_comes_up(void **state)
{
    static const uint8_t frame[] = {0, 4, 8, 13, 17, 21, 26, 30, 34, 39, 43, 47};
    (void)state;
    begin(0);
    bts_tick(bts); // no clock yet
    assert_int_equal(out.readies, 0);
    connect_pcu();
    assert_int_equal(out.infos, 1);
    assert_int_equal(out.info_octets, 1006);
    assert_int_equal(out.info[4], 10);
    for (uint32_t i = 1; i < 100; i++) {
        tick("");
        assert_int_equal(out.readies, 0xf0);
        assert_true(bts_waits(bts));
        assert_int_equal(out.fn[7], i / 12 * 52 + frame[i % 12]);
    }
    assert_int_equal(bts_counted(bts, BTS_COUNT_unanswered), 0);
    assert_int_equal(bts_counted(bts, BTS_COUNT_down_idle), 4 * 98);
    say("70000000 00 312e352e30"); // 1.5.0
    assert_int_equal(out.info_octets, 1007);
    assert_int_equal(out.info[4], 12);
    assert_reported("\"pcu\": \"1.5.0\"");
    end();
}

// ---- Up ----

static void send_packet(uint32_t octets)
{
    uint8_t packet[1500] = {0x45, [12] = 10, [15] = 1};
    for (uint32_t i = 20; i < octets; i++)
        packet[i] = (uint8_t)i;
    bts_send(bts, packet, octets);
}

// The MS gets TFI 2 and USF 3 on slot 6: 44.018 10.5.2.16 with CS-2.
static void assign_up(void)
{
    char text[128];
    uint32_t fn = out.burst_fn;
    snprintf(text, sizeof text,
             "00000000 02 17 2d063f100ee367 %02x %04x 0000 c886300b2b2b2b2b2b2b2b", out.burst,
             fn / 1326 % 32 << 11 | fn % 51 << 5 | fn % 26);
    say(text);
}

// 40 octets of IP, 4 of SNDCP, 3 and 3 of LLC: 26 in the first block, beside the TLLI, then 24. The
// first frame of the MS, whole, from an uplink TBF's begin to its end.
static void take_packet_up(void)
{
    struct llc_ui ui;
    struct sndcp_unitdata unit;
    uint8_t pdu[64];
    uint64_t before = bts_counted(bts, BTS_COUNT_pdus_up_sent);
    tick("47942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(out.up_octets[6], 0);
    tick("43942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b"); // USF 3
    tick("43942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(out.up_octets[6], 34);
    assert_int_equal(out.up[6][0], 1 << 2);
    assert_int_equal(out.up[6][1], 2 << 1 | 1);
    assert_int_equal(out.up[6][2], 0 << 1 | 1);
    assert_int_equal(out.up[6][3], 0xc0);
    memcpy(pdu, out.up[6] + 7, 26);
    tick("47942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(out.up[6][0], 0); // the last one
    assert_int_equal(out.up[6][2], 1 << 1);
    assert_int_equal(out.up[6][3], 24 << 2 | 1);
    memcpy(pdu + 26, out.up[6] + 8, 24);
    assert_int_equal(llc_ui_decode(&ui, pdu, 50), 50);
    assert_int_equal(ui.nu, 0);
    assert_true(sndcp_unitdata_decode(&unit, ui.info.at, ui.info.n) > 0);
    assert_int_equal(unit.data.n, 40);
    assert_int_equal(unit.data.at[39], 39);
    // PACKET UPLINK ACK/NACK: TFI 2, final, SSN 2, polled for 13 frames later.
    tick("4f2404608000000000000000f8000000214b2b2b2b2b2b");
    assert_int_equal(bts_counted(bts, BTS_COUNT_pdus_up_sent), before + 1);
    ticks(3);
    assert_int_equal(out.up_octets[6], 23);
    assert_int_equal(out.up[6][1], 0x07); // PACKET CONTROL ACKNOWLEDGEMENT
}

static void test_an_ms_sends(void **state)
{
    (void)state;
    begin(0);
    connect_pcu();
    send_packet(40);
    tick("");
    assert_int_equal(out.bursts, 1);
    assert_int_equal(out.burst & 0xfc, 0x78);
    out.burst ^= 1;
    assign_up(); // another MS's
    assert_int_equal(bts_counted(bts, BTS_COUNT_ccch_stray), 1);
    out.burst ^= 1;
    assign_up();
    assert_int_equal(bts_counted(bts, BTS_COUNT_ccch_up), 1);
    take_packet_up();
    end();
}

// 44.060 9.3.2.4: a packet that comes behind the TBF's last block is asked for in the answer to the
// last acknowledgement.
static void test_an_ms_asks_again(void **state)
{
    (void)state;
    begin(0);
    connect_pcu();
    send_packet(40);
    tick("");
    assign_up();
    tick("43942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b"); // USF 3
    tick("43942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    tick("47942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    send_packet(40);
    tick("4f2404608000000000000000f8000000214b2b2b2b2b2b");
    ticks(3);
    assert_int_equal(out.up_octets[6], 23);
    assert_memory_equal(out.up[6] + 1, "\x15\xc0\0\0\1", 5); // PACKET RESOURCE REQUEST, the TLLI
    assert_int_equal(bts_counted(bts, BTS_COUNT_polls_answered), 1);
    assert_int_equal(bts_counted(bts, BTS_COUNT_bursts), 1);
    end();
}

static void test_nobody_answers_an_access(void **state)
{
    (void)state;
    begin(0);
    connect_pcu();
    send_packet(40);
    ticks(500);
    uint64_t bursts = bts_counted(bts, BTS_COUNT_bursts);
    assert_true(bursts >= 500 / 77 && bursts <= 500 / 50 + 1);
    end();
}

// ---- Down ----

static void assign_down(void)
{
    uint64_t before = bts_counted(bts, BTS_COUNT_ccch_down);
    say("00000000 03 1a 303031 2d063f300ee3677d84351c00dc0000001800032b2b2b2b");
    assert_int_equal(out.confirms, 1);
    assert_int_equal(out.confirm[0], 0x01);
    assert_int_equal(bts_counted(bts, BTS_COUNT_ccch_down), before + 1);
    out.confirms = 0;
}

// osmo-pcu's blocks of a ping, without a poll but in the last one.
static void test_an_ms_receives(void **state)
{
    (void)state;
    begin(0);
    connect_pcu();
    tick("");
    assign_down();
    tick("07000143c00165000000450000540fa840004001e4f6cb0071090a00000108004500");
    tick("0700030f137600017e1b036b000000005d2002000000000010111213141516171800");
    tick("0700030f137600017e1b036b000000005d2002000000000010111213141516171800");
    tick("070005191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f3031323334353600");
    tick("0f00061137bca3532b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b00");
    assert_int_equal(out.packets, 1);
    assert_int_equal(out.packet_octets, 84);
    assert_int_equal(bts_counted(bts, BTS_COUNT_down_data_duplicate), 1);
    send_packet(40); // so that the answer asks for an uplink TBF
    ticks(3);
    // TFI 0, not final, SSN 4, four blocks, and a channel request.
    assert_int_equal(out.up_octets[6], 23);
    assert_int_equal(out.up[6][0], 0x40);
    assert_int_equal(out.up[6][1], 0x08);
    assert_int_equal(out.up[6][2], 0x00);
    assert_int_equal(out.up[6][3], 0x80);
    assert_int_equal(out.up[6][10], 0x01);
    assert_int_equal(out.up[6][11], 0xf1);
    assert_int_equal(bts_counted(bts, BTS_COUNT_bursts), 0);
    assert_int_equal(bts_counted(bts, BTS_COUNT_down_data_taken), 4);
    end();
}

// A fifth of the blocks of CS-2 is lost for each dB below 5 dB, none of CS-1.
static void test_a_link_loses_blocks(void **state)
{
    static const struct {
        uint32_t link_db, least, most; // of 2000 blocks
    } by[] = {{20, 0, 0}, {5, 0, 0}, {4, 340, 460}, {2, 1130, 1270}, {0, 2000, 2000}};
    (void)state;
    for (uint32_t i = 0; i < sizeof by / sizeof by[0]; i++) {
        link_db = by[i].link_db;
        begin(0);
        connect_pcu();
        tick("");
        for (uint32_t n = 0; n < 2000; n++) {
            if (n % 100 == 0)
                assign_down();
            tick("07000143c00165000000450000540fa840004001e4f6cb0071090a00000108004500");
        }
        assert_int_equal(bts_counted(bts, BTS_COUNT_down_data_stray), 0);
        assert_in_range(bts_counted(bts, BTS_COUNT_down_data_lost), by[i].least, by[i].most);
        end();
    }
    link_db = 20;
}

// The PCU hears of each block that an MS sends how good it was.
static void test_the_pcu_hears_of_the_link(void **state)
{
    (void)state;
    link_db = 7;
    begin(0);
    connect_pcu();
    send_packet(40);
    tick("");
    assign_up();
    tick("43942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b"); // USF 3
    assert_int_equal(out.link_cb[6], 0);                    // nothing came
    tick("");
    assert_int_equal(out.up_octets[6], 34);
    assert_int_equal(out.link_cb[6], 70);
    end();
    link_db = 20;
}

// The ping with another FCS.
static void test_a_frame_that_is_broken(void **state)
{
    (void)state;
    begin(0);
    connect_pcu();
    tick("");
    assign_down();
    tick("07000143c00165000000450000540fa840004001e4f6cb0071090a00000108004500");
    tick("0700030f137600017e1b036b000000005d2002000000000010111213141516171800");
    tick("070005191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f3031323334353600");
    tick("0f00061137bca3542b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b00");
    tick("");
    assert_int_equal(out.packets, 0);
    assert_reported("\"first_fault\": \"LLC PDU 1, for MS c0000001, LLC: ");
    end();
}

// 44.018 3.5.3.1.2: an MS that waits for the answer to its access gives it up for a downlink TBF,
// and asks there.
static void test_an_access_is_given_up(void **state)
{
    (void)state;
    begin(0);
    connect_pcu();
    send_packet(40);
    tick("");
    assert_int_equal(out.bursts, 1);
    assign_down();
    assign_up();
    assert_int_equal(bts_counted(bts, BTS_COUNT_ccch_up), 0);
    assert_int_equal(bts_counted(bts, BTS_COUNT_ccch_stray), 1);
    tick("0f000143c00165000000450000540fa840004001e4f6cb0071090a00000108004500");
    ticks(3);
    assert_int_equal(out.up[6][1], 0x08); // PACKET DOWNLINK ACK/NACK: one block, and a request
    assert_int_equal(out.up[6][11], 0x31);
    end();
}

// Blocks of another frame, of a slot that was not asked for, and a second one for the same turn.
static void test_blocks_that_nobody_asked_for(void **state)
{
    (void)state;
    begin(0);
    connect_pcu();
    bts_tick(bts);
    out.fn[6] += 4;
    answer(6, "47942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_true(bts_waits(bts));
    out.fn[6] -= 4;
    out.fn[3] = out.fn[6];
    answer(3, "");
    answer(6, "");
    answer(6, "");
    assert_int_equal(bts_counted(bts, BTS_COUNT_down_unasked), 3);
    bts_tick(bts);
    sound();
    assert_int_equal(bts_counted(bts, BTS_COUNT_down_idle), 1);
    assert_int_equal(bts_counted(bts, BTS_COUNT_unanswered), 3);
    end();
}

// A poll under TFI 0, and before its answer PACKET DOWNLINK ASSIGNMENT gives the TBF TFI 2: no
// answer under a TFI that may be another MS's, and the blocks go on.
static void test_a_poll_before_another_tfi(void **state)
{
    (void)state;
    begin(0);
    connect_pcu();
    tick("");
    assign_down();
    tick("0f000143c00165000000450000540fa840004001e4f6cb0071090a00000108004500");
    tick("47085800000020021e6cf10b2b2b2b2b2b2b2b2b2b2b2b");
    ticks(3);
    assert_int_equal(out.up_octets[6], 0);
    assert_int_equal(bts_counted(bts, BTS_COUNT_polls), 1);
    assert_int_equal(bts_counted(bts, BTS_COUNT_polls_gone), 1);
    tick("0704030f137600017e1b036b000000005d2002000000000010111213141516171800");
    tick("0704051137bca3532b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b00");
    tick("");
    assert_int_equal(bts_counted(bts, BTS_COUNT_down_data_taken), 3);
    assert_int_equal(bts_counted(bts, BTS_COUNT_tbfs_down), 1);
    end();
}

static void test_silence_ends_tbfs(void **state)
{
    (void)state;
    begin(0);
    connect_pcu();
    tick("");
    assign_down();
    send_packet(40);
    ticks(250);
    assert_int_equal(bts_counted(bts, BTS_COUNT_bursts), 0); // in packet transfer mode
    ticks(5);
    assert_int_equal(bts_counted(bts, BTS_COUNT_tbfs_down_silent), 1);
    assert_int_equal(bts_counted(bts, BTS_COUNT_bursts), 1);
    end();
}

// A PCU that is gone in the middle leaves nothing undone when the next one comes.
static void test_the_pcu_comes_again(void **state)
{
    (void)state;
    begin(0);
    for (uint32_t i = 0; i < 3; i++) {
        connect_pcu();
        send_packet(40);
        tick("");
        assert_int_equal(out.bursts, 1);
        assign_up();
        tick("4b942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
        bts_disconnected(bts);
        sound();
        assert_false(bts_runs(bts));
        bts_tick(bts);
        out.readies = 0;
    }
    assert_int_equal(bts_counted(bts, BTS_COUNT_connections), 3);
    assert_int_equal(bts_counted(bts, BTS_COUNT_pdus_up_sent), 0);
    end();
}

static void test_a_stray_packet(void **state)
{
    uint8_t ipv6[40] = {0x60};
    (void)state;
    begin(0);
    bts_send(bts, ipv6, sizeof ipv6);
    bts_send(bts, ipv6, 0);
    send_packet(5);
    assert_int_equal(bts_counted(bts, BTS_COUNT_packets_up_stray), 3);
    end();
}

static uint64_t refused(void)
{
    return bts_counted(bts, BTS_COUNT_packets_up_full);
}

// Before the first TBF one slot of CS-1 is reckoned with, 1000 octets a second; the TBF has one of
// CS-2, 1500 octets.
static void test_what_may_wait_in_a_modem(void **state)
{
    (void)state;
    begin_with(0, 1);
    send_packet(1500);
    send_packet(800);
    assert_int_equal(refused(), 0);
    send_packet(400);
    assert_int_equal(refused(), 1);
    send_packet(100); // a small one still has room
    assert_int_equal(refused(), 1);
    connect_pcu();
    tick("");
    assign_up();
    send_packet(400);
    assert_int_equal(refused(), 1);
    send_packet(400);
    assert_int_equal(refused(), 2);
    end();
    begin_with(0, 0);
    for (uint32_t i = 0; i < 130; i++)
        send_packet(500);
    assert_int_equal(refused(), 0);
    assert_in_range(bts_counted(bts, BTS_COUNT_pdus_up_full), 1, 10);
    end();
}

// ---- Another cell ----

static void both_come_up(void)
{
    connect_pcu();
    go_over();
    connect_pcu();
    go_over();
}

// Its ATTACH REQUEST again after 15 s (T3310), whatever each cell's clock says; no NULL frame of a
// phone that is off.
static void test_a_phone_keeps_its_time(void **state)
{
    struct phone_config config = {.imsi = PHONE_IMSI, .nsapi = 5, .sapi = 3};
    struct bts_ms ms = {
        .imsi = PHONE_IMSI, .link_db = link_db, .terms = {.n201_u_octets = 500}, .phone = &config};
    (void)state;
    begin(0);
    assert_int_equal(bts_add_ms(bts, &ms), 0);
    assert_true(bts_move(bts, other, PHONE_IMSI) && bts_move(other, bts, PHONE_IMSI));
    assert_int_equal(bts_counted(bts, BTS_COUNT_hellos), 0);
    both_come_up();
    tick(""); // it is switched on
    assert_int_equal(bts_counted(bts, BTS_COUNT_pdus_up), 1);
    ticks(300);
    go_over();
    ticks(40);
    assert_true(bts_move(other, bts, PHONE_IMSI));
    assert_int_equal(bts_counted(bts, BTS_COUNT_pdus_up_in), 1);
    ticks(449);
    assert_int_equal(bts_counted(bts, BTS_COUNT_pdus_up), 0);
    tick("");
    assert_int_equal(bts_counted(bts, BTS_COUNT_pdus_up), 1);
    go_over();
    end();
}

static void move(void)
{
    assert_true(bts_move(bts, other, "001010000000001"));
    assert_false(bts_sends(bts, (uint8_t[20]){0x45, [12] = 10, [15] = 1}, 20));
    assert_true(bts_sends(other, (uint8_t[20]){0x45, [12] = 10, [15] = 1}, 20));
    sound();
}

// Its LLC PDU is sent, but not acknowledged: what is on the air still arrives, then its USF is
// nobody's. The LLC PDU goes whole in the new cell, and tells the SGSN of the MS: no NULL frame.
static void test_an_ms_moves_that_sends(void **state)
{
    (void)state;
    begin(0);
    both_come_up();
    send_packet(40);
    tick("");
    assign_up();
    tick("43942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    tick("43942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    move();
    tick("43942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(out.up_octets[6], 34); // what was on the air
    tick("43942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    tick("4f2404608000000000000000f8000000214b2b2b2b2b2b"); // the acknowledgement of all
    ticks(4);
    assert_int_equal(out.up_octets[6], 0);
    assert_int_equal(bts_counted(bts, BTS_COUNT_up_data), 2);
    assert_int_equal(bts_counted(bts, BTS_COUNT_down_control_stray), 1);
    assert_int_equal(bts_counted(bts, BTS_COUNT_pdus_up_sent), 0);
    assert_int_equal(bts_counted(bts, BTS_COUNT_pdus_up_out), 1);
    go_over();
    tick("");
    assert_int_equal(out.bursts, 1);
    assign_up();
    take_packet_up();
    assert_int_equal(bts_counted(bts, BTS_COUNT_pdus_up_in), 1);
    assert_int_equal(bts_counted(bts, BTS_COUNT_pdus_up), 0);
    assert_int_equal(bts_counted(bts, BTS_COUNT_hellos), 0);
    end();
}

static void receive_packet(void)
{
    assign_down();
    tick("07000143c00165000000450000540fa840004001e4f6cb0071090a00000108004500");
    tick("0700030f137600017e1b036b000000005d2002000000000010111213141516171800");
    tick("070005191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f3031323334353600");
    tick("0700061137bca3532b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b00");
}

// Two blocks of four have come, and a poll is not answered yet: the answer is gone, the other
// blocks are for nobody, and the new cell has the LLC PDU from its begin. Back in the first cell
// the same LLC PDU is no news, for the MS has had its N(U).
static void test_an_ms_moves_that_receives(void **state)
{
    (void)state;
    begin(0);
    both_come_up();
    tick("");
    assign_down();
    tick("07000143c00165000000450000540fa840004001e4f6cb0071090a00000108004500");
    tick("0f00030f137600017e1b036b000000005d2002000000000010111213141516171800");
    move();
    assert_int_equal(bts_counted(bts, BTS_COUNT_pdus_cut), 1);
    assert_int_equal(bts_counted(bts, BTS_COUNT_polls_gone), 1);
    tick("070005191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f3031323334353600");
    assert_int_equal(bts_counted(bts, BTS_COUNT_down_data_stray), 1);
    ticks(2);
    assert_int_equal(out.up_octets[6], 0);
    go_over();
    tick("");
    receive_packet();
    assert_int_equal(out.packets, 1);
    assert_int_equal(out.packet_octets, 84);
    go_over();
    assert_true(bts_move(other, bts, "001010000000001"));
    receive_packet();
    assert_int_equal(out.packets, 0);
    assert_int_equal(bts_counted(bts, BTS_COUNT_pdus_down), 1);
    assert_int_equal(bts_counted(other, BTS_COUNT_packets_down), 1);
    end();
}

// An MS with nothing to send tells of itself by a NULL frame, once it can, and the answer to what
// it asked for in the old cell is for nobody.
static void test_an_ms_moves_that_waits(void **state)
{
    static const uint8_t null[] = {0x01, 0xe0};
    (void)state;
    begin(0);
    connect_pcu();
    assert_false(bts_move(bts, other, "001010000000003"));
    assert_false(bts_move(other, bts, "001010000000001"));
    move();
    assert_int_equal(bts_counted(other, BTS_COUNT_hellos), 1);
    assert_int_equal(bts_counted(other, BTS_COUNT_moves_in), 1);
    assert_int_equal(bts_counted(bts, BTS_COUNT_moves_out), 1);
    go_over(); // no PCU yet
    bts_tick(bts);
    assert_int_equal(out.bursts, 0);
    connect_pcu();
    tick("");
    assert_int_equal(out.bursts, 1);
    assert_true(bts_move(bts, other, "001010000000001"));
    assign_up();
    assert_int_equal(bts_counted(bts, BTS_COUNT_ccch_stray), 1);
    go_over();
    tick("");
    assert_int_equal(out.bursts, 1);
    assert_int_equal(bts_counted(bts, BTS_COUNT_hellos), 0); // the first one still waits
    assign_up();
    tick("43942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    tick("47942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(out.up_octets[6], 34);
    assert_memory_equal(out.up[6] + 8, null, sizeof null); // behind length indicator and TLLI
    end();
}

// 44.018 9.1.22: a page of the MS by its P-TMSI, of one that is elsewhere, and of an MS that has
// something to send anyhow.
static void test_a_page(void **state)
{
    (void)state;
    begin(0);
    both_come_up();
    say("00000000 03 1a 303031 2506210005f4c0000001 2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(out.confirms, 1);
    assert_int_equal(bts_counted(bts, BTS_COUNT_ccch_page), 1);
    say("00000000 03 1a 303031 2506210005f4c0000003 2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(bts_counted(bts, BTS_COUNT_ccch_stray), 1);
    say("00000000 03 1a 303031 2506210005f4c0000001 2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(bts_counted(bts, BTS_COUNT_hellos), 1);
    say("00000000 03 1a 303031 2506210008290000000000000010 2b2b2b2b2b2b2b2b2b"); // by IMSI
    assert_int_equal(bts_counted(bts, BTS_COUNT_ccch_odd), 1);
    tick("");
    assert_int_equal(out.bursts, 1);
    assign_up();
    tick("43942b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b"); // the NULL frame is on the air
    say("00000000 03 1a 303031 2506210005f4c0000001 2b2b2b2b2b2b2b2b2b2b2b2b2b");
    assert_int_equal(bts_counted(bts, BTS_COUNT_hellos), 2);
    end();
}

// A rejection is the cell's: 44.018 10.5.2.30 with 60 s for the access.
static void test_an_ms_moves_that_was_rejected(void **state)
{
    char text[128];
    (void)state;
    begin(0);
    both_come_up();
    send_packet(40);
    tick("");
    uint32_t fn = out.burst_fn, frame = fn / 1326 % 32 << 11 | fn % 51 << 5 | fn % 26;
    snprintf(text, sizeof text,
             "00000000 02 17 4d063a10 %02x%04x3c %02x%04x3c %02x%04x3c %02x%04x3c 2b2b2b",
             out.burst, frame, out.burst, frame, out.burst, frame, out.burst, frame);
    say(text);
    assert_int_equal(bts_counted(bts, BTS_COUNT_ccch_reject), 1);
    ticks(100);
    assert_int_equal(bts_counted(bts, BTS_COUNT_bursts), 1);
    move();
    go_over();
    tick("");
    assert_int_equal(out.bursts, 1);
    end();
}

// ---- Anything ----

// A message of the PCU that is good in some layers and anything in the others.
static void random_message(uint8_t *b, uint32_t *n)
{
    static const uint8_t type[] = {0x00, 0x00, 0x00, 0x00, 0x40, 0x70, 0x10};
    static const uint8_t sapi[] = {5, 5, 5, 2, 3, 8, 9, 1};
    static const uint8_t octets[] = {23, 34, 40, 54, 26, 45, 28, 0};
    random_fill(b, 1006);
    *n = random_next() % 8 ? 1006 : (uint32_t)random_in(0, 1006);
    b[0] = random_next() % 16 ? type[random_next() % sizeof type] : b[0];
    if (b[0] == 0x40) {
        b[4] = random_next() % 8 != 0;
        b[5] = 0;
        b[6] %= 8;
        return;
    }
    b[4] = random_next() % 16 ? sapi[random_next() % sizeof sapi] : b[4];
    b[5] = random_next() % 16 ? octets[random_next() % sizeof octets] : b[5];
    uint32_t at = 6 + (b[4] == 3 ? 3 : b[4] == 8 ? 21 : b[4] == 9 ? 4 : 0);
    if (b[4] != 5 && random_next() % 4) { // an assignment
        hex(random_next() % 2 ? "2d063f300ee3677d84351c00dc00000018"
                              : "2d063f100ee3677a046d0000c886300b",
            b + at);
        if (random_next() % 2)
            b[at + 7] = out.burst;
    }
    if (random_next() % 2)
        b[6] &= 0x7f; // no reserved payload
    uint32_t slot = random_next() % 8;
    b[174] = 0;
    b[175] = (uint8_t)slot;
    memcpy(b + 168, &out.fn[slot], 4);
}

static void random_event(void)
{
    static const char *const imsi[] = {"001010000000001", "001010000000002"};
    if (random_next() % 4 == 0)
        bts_tick(bts);
    if (random_next() % 16 == 0)
        send_packet((uint32_t)random_in(0, 600));
    if (random_next() % 64 == 0)
        bts_move(bts, other, imsi[random_next() % 2]);
    if (random_next() % 64 == 0)
        go_over();
    if (random_next() % 2000 == 0) {
        bts_disconnected(bts);
        connect_pcu();
    }
}

static void test_any_octets_on_the_socket(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t run = 0; run < 8; run++) {
        begin(run % 2 * 100000);
        both_come_up();
        for (uint32_t i = 0; i < 15000; i++) {
            uint8_t *b = malloc(1006);
            uint32_t n;
            random_message(b, &n);
            bts_take(bts, b, n);
            free(b);
            random_event();
            sound();
        }
        end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_comes_up),
        cmocka_unit_test(test_an_ms_sends),
        cmocka_unit_test(test_an_ms_asks_again),
        cmocka_unit_test(test_nobody_answers_an_access),
        cmocka_unit_test(test_an_ms_receives),
        cmocka_unit_test(test_a_link_loses_blocks),
        cmocka_unit_test(test_the_pcu_hears_of_the_link),
        cmocka_unit_test(test_a_frame_that_is_broken),
        cmocka_unit_test(test_an_access_is_given_up),
        cmocka_unit_test(test_blocks_that_nobody_asked_for),
        cmocka_unit_test(test_a_poll_before_another_tfi),
        cmocka_unit_test(test_silence_ends_tbfs),
        cmocka_unit_test(test_the_pcu_comes_again),
        cmocka_unit_test(test_a_stray_packet),
        cmocka_unit_test(test_what_may_wait_in_a_modem),
        cmocka_unit_test(test_a_phone_keeps_its_time),
        cmocka_unit_test(test_an_ms_moves_that_sends),
        cmocka_unit_test(test_an_ms_moves_that_receives),
        cmocka_unit_test(test_an_ms_moves_that_waits),
        cmocka_unit_test(test_an_ms_moves_that_was_rejected),
        cmocka_unit_test(test_a_page),
        cmocka_unit_test(test_any_octets_on_the_socket),
    };
    return cmocka_run_group_tests_name("lab/live/bts/bts", tests, NULL, NULL);
}
