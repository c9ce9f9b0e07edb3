// Hostile octets from the SGSN: each PDU that a BSS takes, cut anywhere and with any octet changed,
// in any state. Nothing breaks, the books balance, a cut PDU is a fault, and so is what makes no
// sense.
#include "tests/lab/bss/peer.h"

#define RAI_IE  "1b86 62f224 1234 56"
#define ABQP_IE "3a8c 0b921f53964040748010 1000"

// Mandatory elements alone, so that no cut is a shorter good PDU.
static const char *const pdus[] = {
    "02 00 81 01 01 82 0007 04 82 0065",
    "03 01 82 0007 04 82 0065",
    "04 00 81 01 01 82 0007",
    "05 01 82 0007",
    "08 00 81 03",
    "0f 01 04820065 0588 c6336401 59d8 01 01",
    "10 04820065",
    "13 04820065",
    BVCI_2 "00 c0000001 000030 1682ffff 0e84 43c0012b",
    BVCI_2 "02 " TLLI_IE "1382aabb",
    BVCI_0 "06 0d88 0910100000000010 028100 1883000031",
    BVCI_0 "07 0d88 0910100000000010 0a820000 028100",
    BVCI_2 "09 " TLLI_IE "1e8101 1a8102",
    BVCI_0 "0c " TLLI_IE RAI_IE "1d8105",
    BVCI_0 "0d " TLLI_IE RAI_IE,
    BVCI_0 "0f " TLLI_IE RAI_IE,
    BVCI_0 "10 " TLLI_IE RAI_IE,
    BVCI_0 "21 04820002",
    BVCI_0 "22 04820002 078108",
    BVCI_0 "23 04820002",
    BVCI_0 "25 04820002",
    BVCI_2 "27 1e8101",
    BVCI_2 "29 " TLLI_IE "1e8101",
    BVCI_0 "2a " TLLI_IE "04820002",
    BVCI_2 "2e " TLLI_IE "1e8101",
    BVCI_0 "41 078105",
    BVCI_2 "51 " TLLI_IE "288108 2981e0 " ABQP_IE,
    BVCI_2 "55 " TLLI_IE "288108 2981e0 " ABQP_IE,
    BVCI_2 "56 " TLLI_IE "288108",
};
#define PDUS (sizeof pdus / sizeof pdus[0])

static void begin(enum bss_ns_mode ns)
{
    configure(ns);
    w.config.pfc = w.config.cbl = w.config.pfc_fc = w.config.gigabit = true;
    w.cell_config.rate_bit_per_s = 8000;
    w.cell_config.flow_ms = BSS_FLOW_MS_FIXED;
    w.cell_config.flow_pfc = true;
    make(1, 1);
    if (ns == BSS_NS_RESET)
        bring_up(BVCI_0 "23 04 82 0000 3b 81 ff 69 81 ff");
    else
        bss_start(w.bss, now());
    enter(w.cell, TLLI);
}

static void give(const uint8_t *b, uint32_t n)
{
    uint8_t *exact = malloc(n ? n : 1);
    memcpy(exact, b, n);
    bss_input_tagged(w.bss, 0, exact, n, TAG_IN, now());
    free(exact);
    books();
    forget_sent();
    w.losses = w.deliveries = 0;
}

static bool is_sns(const uint8_t *b)
{
    return b[0] >= 0x0c;
}

static void test_each_is_good_as_it_stands(void **state)
{
    (void)state;
    for (size_t i = 0; i < PDUS; i++) {
        uint8_t b[PDU_MAX];
        begin(BSS_NS_RESET);
        uint32_t n = from_hex(pdus[i], b);
        if (!is_sns(b)) {
            give(b, n);
            no_fault();
        }
        end_world(NULL);
    }
}

static void test_each_is_a_fault_if_cut(void **state)
{
    (void)state;
    begin(BSS_NS_RESET);
    for (size_t i = 0; i < PDUS; i++) {
        uint8_t b[PDU_MAX];
        uint32_t n = from_hex(pdus[i], b);
        for (uint32_t cut = 0; cut < n; cut++) {
            uint64_t before = faults();
            give(b, cut);
            if (faults() != before + 1)
                fail_msg("%s cut to %u octets: no fault", pdus[i], cut);
        }
    }
}

// Each octet of each PDU with values of its own, others around it; time goes on meanwhile.
static void in_mode(enum bss_ns_mode ns)
{
    begin(ns);
    for (uint32_t turn = 0; turn < 40000; turn++) {
        uint8_t b[PDU_MAX];
        uint32_t n = from_hex(pdus[random_in(0, PDUS - 1)], b);
        for (uint64_t changes = random_in(0, 3); changes; changes--)
            b[random_in(0, n - 1)] = (uint8_t)random_next();
        if (random_in(0, 7) == 3)
            n = (uint32_t)random_in(0, n);
        if (random_in(0, 7) == 3)
            for (uint64_t more = random_in(1, 20); more; more--)
                b[n++] = (uint8_t)random_next();
        give(b, n);
        if (random_in(0, 20) == 0)
            run(random_in(0, 3000) * MS);
        forget_sent();
    }
    assert_true(faults() > 1000);
}

static void test_changed_octets(void **state)
{
    (void)state;
    random_begin();
    for (enum bss_ns_mode ns = BSS_NS_MANUAL; ns <= BSS_NS_SNS; ns++) {
        in_mode(ns);
        end_world(NULL);
    }
}

static void test_nonsense_that_decodes(void **state)
{
    (void)state;
    static const char *const nonsense[] = {
        BVCI_2 "27 1e8101 00",                           // an element without a length behind it
        BVCI_0 "22 04820044 078108",                     // BVC-RESET of an unknown BVC
        BVCI_0 "23 04820044",                            // its acknowledgement
        BVCI_0 "21 04820044",                            // of BVC-BLOCK
        BVCI_0 "2a " TLLI_IE "04820044",                 // FLUSH-LL
        BVCI_2 "51 " TLLI_IE "288108 2981e0 3a83ffffff", // a profile of R97
        "0f 01 04820065 0588 c6336401 59d8 01 01",       // SNS, which this NSE has not
        "06 00",                                         // octets behind NS-UNBLOCK
    };
    begin(BSS_NS_RESET);
    for (size_t i = 0; i < sizeof nonsense / sizeof nonsense[0]; i++) {
        uint64_t before = faults();
        in(nonsense[i]);
        if (faults() != before + 1)
            fail_msg("%s: %u faults", nonsense[i], (uint32_t)(faults() - before));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_each_is_good_as_it_stands),
        TEST(test_each_is_a_fault_if_cut),
        TEST(test_changed_octets),
        TEST(test_nonsense_that_decodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
