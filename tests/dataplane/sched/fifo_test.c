// The FIFO: order, both limits, and random operations against a plain array, also where its running
// indices wrap.
#include "dataplane/sched/fifo.h"

#include <string.h>

#include "tests/dataplane/random.h"

static struct fifo made(uint32_t packets_max, uint64_t octets_max)
{
    struct fifo fifo;
    assert_int_equal(fifo_setup(&fifo, packets_max, octets_max), 0);
    return fifo;
}

static bool put(struct fifo *fifo, uint32_t tag, uint16_t octets)
{
    struct pdu pdu = {.context = tag, .octets = octets, .arrived_ns = ~(uint64_t)tag};
    return fifo_put(fifo, &pdu);
}

static void test_empty(void **state)
{
    struct fifo fifo = made(4, 100);
    (void)state;
    assert_null(fifo_head(&fifo));
    assert_null(fifo_peek(&fifo, 0));
    assert_int_equal(fifo_packets(&fifo), 0);
    assert_int_equal(fifo.octets, 0);
    fifo_release(&fifo);
}

static void test_first_in_first_out(void **state)
{
    struct fifo fifo = made(4, 100);
    (void)state;
    for (uint32_t tag = 1; tag <= 3; tag++)
        assert_true(put(&fifo, tag, (uint16_t)(10 * tag)));
    assert_int_equal(fifo_packets(&fifo), 3);
    assert_int_equal(fifo.octets, 60);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(fifo_peek(&fifo, i)->context, i + 1);
    assert_null(fifo_peek(&fifo, 3));
    for (uint32_t tag = 1; tag <= 3; tag++) {
        assert_int_equal(fifo_head(&fifo)->context, tag);
        assert_int_equal(fifo_head(&fifo)->octets, 10 * tag);
        assert_true(fifo_head(&fifo)->arrived_ns == ~(uint64_t)tag);
        fifo_pop(&fifo);
    }
    assert_null(fifo_head(&fifo));
    assert_int_equal(fifo.octets, 0);
    fifo_release(&fifo);
}

// The limit is what was asked for, not the power of two that holds it.
static void test_limit_in_packets(void **state)
{
    (void)state;
    for (uint32_t most = 1; most <= 33; most++) {
        struct fifo fifo = made(most, UINT64_MAX);
        for (uint32_t i = 0; i < most; i++)
            assert_true(put(&fifo, i, 1));
        assert_false(put(&fifo, 99, 1));
        fifo_pop(&fifo);
        assert_true(put(&fifo, 100, 1));
        assert_false(put(&fifo, 101, 1));
        assert_int_equal(fifo_packets(&fifo), most);
        fifo_release(&fifo);
    }
}

static void test_limit_in_octets(void **state)
{
    struct fifo fifo = made(100, 100);
    (void)state;
    assert_true(put(&fifo, 1, 60));
    assert_false(put(&fifo, 2, 41));
    assert_int_equal(fifo_packets(&fifo), 1);
    assert_int_equal(fifo.octets, 60);
    assert_true(put(&fifo, 3, 40));
    assert_false(put(&fifo, 4, 1));
    assert_true(put(&fifo, 5, 0));
    fifo_pop(&fifo);
    assert_int_equal(fifo.octets, 40);
    assert_true(put(&fifo, 6, 60));
    fifo_release(&fifo);
}

static void test_a_queue_of_nothing(void **state)
{
    struct fifo fifo = made(0, 100);
    (void)state;
    assert_false(put(&fifo, 1, 1));
    fifo_release(&fifo);
    fifo = made(1, 0);
    assert_false(put(&fifo, 1, 1));
    fifo_release(&fifo);
}

struct model {
    uint32_t tag[64];
    uint16_t octets[64];
    uint32_t n;
    uint64_t sum;
};

static void put_both(struct fifo *fifo, struct model *model, uint32_t tag, uint16_t octets)
{
    bool fits = model->n < fifo->packets_max && model->sum + octets <= fifo->octets_max;
    assert_int_equal(put(fifo, tag, octets), fits);
    if (!fits)
        return;
    model->tag[model->n] = tag;
    model->octets[model->n++] = octets;
    model->sum += octets;
}

static void pop_both(struct fifo *fifo, struct model *model)
{
    if (model->n == 0)
        return;
    fifo_pop(fifo);
    model->sum -= model->octets[0];
    model->n--;
    memmove(model->tag, model->tag + 1, model->n * sizeof model->tag[0]);
    memmove(model->octets, model->octets + 1, model->n * sizeof model->octets[0]);
}

static void expect_same(const struct fifo *fifo, const struct model *model)
{
    assert_int_equal(fifo_packets(fifo), model->n);
    assert_true(fifo->octets == model->sum);
    for (uint32_t i = 0; i < model->n; i++)
        assert_int_equal(fifo_peek(fifo, i)->context, model->tag[i]);
    assert_null(fifo_peek(fifo, model->n));
    if (model->n == 0)
        assert_null(fifo_head(fifo));
}

static void expect_model(uint32_t packets_max, uint64_t octets_max, uint32_t start)
{
    struct fifo fifo = made(packets_max, octets_max);
    struct model model = {.n = 0};
    fifo.head = fifo.tail = start;
    for (uint32_t i = 0; i < 20000; i++) {
        // Runs of puts and of pops, so that it fills and empties.
        if (random_next() % 8 < (i / 64 % 2 ? 6 : 2))
            put_both(&fifo, &model, i, (uint16_t)(random_next() % 1500));
        else
            pop_both(&fifo, &model);
        expect_same(&fifo, &model);
    }
    fifo_release(&fifo);
}

static void test_random_operations_against_a_model(void **state)
{
    (void)state;
    random_begin();
    expect_model(1, UINT64_MAX, 0);
    expect_model(7, UINT64_MAX, 0);
    expect_model(64, UINT64_MAX, 0);
    expect_model(64, 5000, 0);
    expect_model(33, 20000, 0);
}

static void test_indices_wrap(void **state)
{
    (void)state;
    random_begin();
    expect_model(64, UINT64_MAX, UINT32_MAX - 100);
    expect_model(33, 20000, UINT32_MAX);
    expect_model(1, UINT64_MAX, UINT32_MAX - 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_first_in_first_out),
        cmocka_unit_test(test_limit_in_packets),
        cmocka_unit_test(test_limit_in_octets),
        cmocka_unit_test(test_a_queue_of_nothing),
        cmocka_unit_test(test_random_operations_against_a_model),
        cmocka_unit_test(test_indices_wrap),
    };
    return cmocka_run_group_tests_name("sched/fifo", tests, NULL, NULL);
}
