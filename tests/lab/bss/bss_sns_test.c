// The IP sub-network service against typed octets: SIZE, CONFIG of both sides, tests, restart.
#include "tests/lab/bss/peer.h"

#define SIZE       "12 04820065 0a01 070002 080002"
#define SIZE_ACK   "13 04820065"
#define ENDS       "0590 c6336402 59d8 01 01 c6336403 59d8 01 01" // 198.51.100.2 and .3, port 23000
#define CONFIG     "0f 01 04820065 " ENDS
#define THEIRS     "0f 01 04820065 0588 c6336401 59d8 01 01"
#define CONFIG_ACK "10 04820065"

static void test_size_config_config_alive(void **state)
{
    (void)state;
    configure(BSS_NS_SNS);
    make(2, 1);
    bss_start(w.bss, now());
    out(SIZE);
    in(SIZE_ACK);
    out(CONFIG);
    in(CONFIG_ACK);
    none();
    in(THEIRS);
    out(CONFIG_ACK);
    out("0a");
    assert_int_equal(w.sent[w.read].nsvc, 1);
    out("0a");
    none();
    in_on(1, "0b");
    out(BVCI_0 "22 04 82 0000 07 81 08");
    in_on(0, "0b");
    none();
    in(THEIRS); // repeated: ours was lost
    out(CONFIG_ACK);
    none();
    no_fault();
}

static void test_each_is_repeated_and_then_it_starts_anew(void **state)
{
    (void)state;
    configure(BSS_NS_SNS);
    w.config.retries = 1;
    make(2, 1);
    bss_start(w.bss, now());
    run(6 * S);
    out_at(0, SIZE);
    out_at(3 * S, SIZE);
    out_at(6 * S, SIZE);
    in(SIZE_ACK);
    run(6 * S);
    out_at(6 * S, CONFIG);
    out_at(9 * S, CONFIG);
    out_at(12 * S, SIZE);
    in(SIZE_ACK);
    out(CONFIG);
    in(CONFIG_ACK);
    run(6 * S); // the SGSN's SNS-CONFIG does not come
    out(SIZE);
}

static void test_when_all_nsvcs_are_dead_it_starts_anew(void **state)
{
    (void)state;
    configure(BSS_NS_SNS);
    w.config.alive_retries = 1;
    make(2, 1);
    bss_start(w.bss, now());
    in(SIZE_ACK);
    in(CONFIG_ACK);
    in(THEIRS);
    in_on(0, "0b");
    in_on(1, "0b");
    forget_sent();
    run_to(33 * S);
    in_on(1, "0b");
    run_to(36 * S); // NS-VC 0 is dead, 1 is not
    while (w.read < w.sends)
        assert_int_not_equal(out_any()->octets[0], 0x12);
    run_to(80 * S);
    bool anew = false;
    while (w.read < w.sends)
        anew |= out_any()->octets[0] == 0x12;
    assert_true(anew);
}

static void test_a_refusal_is_a_fault(void **state)
{
    (void)state;
    configure(BSS_NS_SNS);
    make(2, 1);
    bss_start(w.bss, now());
    in("13 04820065 008110"); // invalid number of NS-VCs
    assert_int_equal(faults(), 1);
    in("13 04820066"); // another NSE
    assert_int_equal(faults(), 2);
    in("0d 04820065 01 0588 c6336409 59d8 01 01"); // SNS-ADD
    assert_int_equal(faults(), 3);
    in("02 00 81 01 01 82 0007 04 82 0065"); // NS-RESET
    assert_int_equal(faults(), 4);
}

static void test_ipv6_endpoints(void **state)
{
    (void)state;
    configure(BSS_NS_SNS);
    make(1, 1);
    struct bss_nsvc_config six = {
        .nsvci = 9, .port = 23000, .signalling_weight = 2, .data_weight = 3};
    six.address.octet[0] = 0x20;
    six.address.octet[15] = 0x02;
    bss_add_nsvc(w.bss, &six);
    bss_start(w.bss, now());
    out("12 04820065 0a01 070002 080001 090001");
    in(SIZE_ACK);
    out("0f 01 04820065 0588 c6336402 59d8 01 01"
        "0694 20000000000000000000000000000002 59d8 02 03");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_size_config_config_alive),
        TEST(test_each_is_repeated_and_then_it_starts_anew),
        TEST(test_when_all_nsvcs_are_dead_it_starts_anew),
        TEST(test_a_refusal_is_a_fault),
        TEST(test_ipv6_endpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
