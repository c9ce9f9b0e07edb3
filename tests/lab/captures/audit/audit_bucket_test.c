// The auditor's bucket against 48.018 8.2.3.2 worked out on paper: 4000 octets, 8000 bit/s, that is
// one octet each ms.
#include "lab/captures/audit/audit_bucket.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dataplane/base/units.h"

#define BMAX     4000u
#define R        8000u
#define OCTET_NS MS_IN_NS
#define BEGIN_NS (5 * S_IN_NS)

static struct audit_bucket full_bucket(void)
{
    struct audit_bucket bucket = {0};
    audit_bucket_change(&bucket, BEGIN_NS, BMAX, R);
    audit_bucket_charge(&bucket, BMAX, false);
    return bucket;
}

static bool refused(struct audit_bucket *bucket, uint64_t now_ns, uint32_t octets)
{
    return audit_bucket_judge(bucket, now_ns, octets, 0).refused;
}

static void test_the_instant(void **state)
{
    (void)state;
    struct audit_bucket bucket = full_bucket();
    uint64_t due_ns = BEGIN_NS + 300 * OCTET_NS;
    struct audit_verdict early = audit_bucket_judge(&bucket, due_ns - 1, 300, 0);
    assert_true(early.refused);
    assert_int_equal(early.early_ns, 1);
    assert_false(refused(&bucket, due_ns, 300));
}

// The closed form of the earliest instant holds after any row of PDUs.
static void test_random_rows(void **state)
{
    (void)state;
    struct audit_bucket bucket = full_bucket();
    uint64_t now_ns = BEGIN_NS;
    srand(1);
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t octets = 1 + (uint32_t)rand() % 1500;
        now_ns += (uint64_t)rand() % (3 * S_IN_NS / 2);
        struct audit_verdict verdict = audit_bucket_judge(&bucket, now_ns, octets, 0);
        if (verdict.refused) {
            assert_true(refused(&bucket, now_ns + verdict.early_ns - 1, octets));
            now_ns += verdict.early_ns;
            assert_false(refused(&bucket, now_ns, octets));
        }
        audit_bucket_charge(&bucket, octets, false);
    }
}

static void test_larger_than_bmax(void **state)
{
    (void)state;
    struct audit_bucket bucket = {0};
    audit_bucket_change(&bucket, BEGIN_NS, 100, R);
    assert_false(refused(&bucket, BEGIN_NS, 500));
    audit_bucket_charge(&bucket, 500, false);
    assert_true(refused(&bucket, BEGIN_NS + 500 * OCTET_NS - 1, 500));
    assert_false(refused(&bucket, BEGIN_NS + 500 * OCTET_NS, 500));
}

static void test_changes(void **state)
{
    (void)state;
    struct audit_bucket bucket = full_bucket();
    // 1000 octets leak at the old R, then 2 octets each ms; of 3000, 2500 fit
    audit_bucket_change(&bucket, BEGIN_NS + 1000 * OCTET_NS, 2500, 2 * R);
    assert_true(refused(&bucket, BEGIN_NS + 1249 * OCTET_NS, 1));
    assert_false(refused(&bucket, BEGIN_NS + 1251 * OCTET_NS, 1));
    audit_bucket_change(&bucket, BEGIN_NS + 1251 * OCTET_NS, BMAX, 0);
    struct audit_verdict never = audit_bucket_judge(&bucket, BEGIN_NS + S_IN_NS * 3600, BMAX, 0);
    assert_true(never.refused);
    assert_true(never.early_ns == UINT64_MAX);
}

static void test_full_and_given_back(void **state)
{
    (void)state;
    struct audit_bucket bucket = {0};
    audit_bucket_change(&bucket, BEGIN_NS, BMAX, R);
    audit_bucket_full(&bucket, BEGIN_NS, 90, 0);
    assert_true(refused(&bucket, BEGIN_NS, 401));
    assert_false(refused(&bucket, BEGIN_NS, 400));
    audit_bucket_give_back(&bucket, BEGIN_NS, 100);
    assert_false(refused(&bucket, BEGIN_NS, 500));
    audit_bucket_full(&bucket, BEGIN_NS, 255, 100); // after Bmax has shrunk
    assert_true(refused(&bucket, BEGIN_NS, 1));
    audit_bucket_full(&bucket, BEGIN_NS, 90, 0); // the 100 octets came behind the ratio
    assert_false(refused(&bucket, BEGIN_NS, 500));
    assert_true(refused(&bucket, BEGIN_NS, 501));
}

// What is given back may count behind a PDU of the same instant, so it takes off what that put in.
static void test_given_back_late(void **state)
{
    (void)state;
    struct audit_bucket bucket = {0};
    audit_bucket_change(&bucket, BEGIN_NS, BMAX, R);
    audit_bucket_give_back(&bucket, BEGIN_NS, 500);
    assert_false(refused(&bucket, BEGIN_NS, BMAX));
    audit_bucket_charge(&bucket, BMAX, false);
    assert_false(refused(&bucket, BEGIN_NS, 500));
}

// More than is in the bucket: the rest counts for PDUs that come within the tolerance.
static void test_rest_of_what_is_given_back(void **state)
{
    (void)state;
    struct audit_bucket bucket = {0};
    audit_bucket_change(&bucket, BEGIN_NS, BMAX, R);
    audit_bucket_charge(&bucket, 500, false);
    audit_bucket_give_back(&bucket, BEGIN_NS, 800);
    assert_false(refused(&bucket, BEGIN_NS, BMAX));
    audit_bucket_charge(&bucket, BMAX, false);
    assert_true(refused(&bucket, BEGIN_NS, 301));
    assert_int_equal(bucket.given_back, 0);
    audit_bucket_give_back(&bucket, BEGIN_NS, 300);
    assert_false(refused(&bucket, BEGIN_NS, 600));
}

// New values within the tolerance do not take off what waits.
static void test_given_back_over_a_change(void **state)
{
    (void)state;
    struct audit_bucket bucket = {0};
    uint64_t soon_ns = BEGIN_NS + OCTET_NS / 10;
    audit_bucket_change(&bucket, BEGIN_NS, BMAX, R);
    audit_bucket_give_back(&bucket, BEGIN_NS, 500);
    audit_bucket_change(&bucket, soon_ns, BMAX, R);
    audit_bucket_charge(&bucket, BMAX, false);
    assert_false(audit_bucket_judge(&bucket, soon_ns, 500, OCTET_NS).refused);
}

static void test_leak(void **state)
{
    (void)state;
    struct audit_bucket bucket = full_bucket();
    audit_bucket_leak(&bucket, 2 * R, 100 * OCTET_NS);
    assert_true(refused(&bucket, BEGIN_NS, 201));
    assert_false(refused(&bucket, BEGIN_NS, 200));
    audit_bucket_leak(&bucket, R, 5000 * OCTET_NS); // not below 0
    audit_bucket_charge(&bucket, BMAX, false);
    assert_true(refused(&bucket, BEGIN_NS, 1));
}

static void test_refused_is_not_charged(void **state)
{
    (void)state;
    struct audit_bucket bucket = full_bucket();
    assert_true(refused(&bucket, BEGIN_NS, 1000));
    audit_bucket_charge(&bucket, 1000, true);
    assert_false(refused(&bucket, BEGIN_NS + 10 * OCTET_NS, 10));
    assert_true(bucket.held_most > BMAX + 999 && bucket.held_most < BMAX + 1001);
}

static void test_figures(void **state)
{
    (void)state;
    struct audit_bucket bucket = {0};
    audit_bucket_change(&bucket, BEGIN_NS, BMAX, R);
    audit_bucket_charge(&bucket, 1000, false);
    audit_bucket_settle(&bucket, BEGIN_NS + 2 * S_IN_NS, 0); // empty after one of two seconds
    assert_true(bucket.held_ns / bucket.covered_ns == 250);
    assert_true(bucket.room_ns / bucket.covered_ns == BMAX - 250);
    assert_true(bucket.busy_ns / bucket.covered_ns == 0.5);
    assert_true(bucket.offered_octets == 2000);
    audit_bucket_forget(&bucket, BEGIN_NS + 2 * S_IN_NS);
    audit_bucket_change(&bucket, BEGIN_NS + 9 * S_IN_NS, BMAX, R);
    assert_true(bucket.covered_ns == 2.0 * (double)S_IN_NS);
    audit_bucket_change(&bucket, BEGIN_NS + 9 * S_IN_NS, BMAX, 0);
    audit_bucket_settle(&bucket, BEGIN_NS + 10 * S_IN_NS, 0); // empty, at R = 0
    assert_true(bucket.busy_ns == (double)S_IN_NS);
}

// 500 octets each interval of 400 ms: 100 beyond R, 1000 in the first.
static void test_beyond_what_is_missing(void **state)
{
    (void)state;
    struct audit_bucket bucket = {0};
    uint64_t now_ns = BEGIN_NS;
    audit_bucket_change(&bucket, now_ns, 1000, R);
    audit_bucket_confirm(&bucket, now_ns);
    for (uint32_t i = 0; i <= 31; i++) {
        assert_false(audit_bucket_is_sure(&bucket));
        audit_bucket_charge(&bucket, i ? 500 : 100000, true); // of one interval Bmax counts
        now_ns += 400 * OCTET_NS;
        audit_bucket_confirm(&bucket, now_ns);
    }
    assert_true(audit_bucket_is_sure(&bucket));
    audit_bucket_give_back(&bucket, now_ns, 50); // counts twice
    audit_bucket_confirm(&bucket, now_ns);
    assert_false(audit_bucket_is_sure(&bucket));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_instant),
        cmocka_unit_test(test_random_rows),
        cmocka_unit_test(test_larger_than_bmax),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_full_and_given_back),
        cmocka_unit_test(test_given_back_late),
        cmocka_unit_test(test_rest_of_what_is_given_back),
        cmocka_unit_test(test_given_back_over_a_change),
        cmocka_unit_test(test_leak),
        cmocka_unit_test(test_refused_is_not_charged),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_beyond_what_is_missing),
    };
    return cmocka_run_group_tests_name("lab/captures/audit/audit_bucket", tests, NULL, NULL);
}
