// S9 where many cells are ready at once: no call walks all of them. The scheduler is compiled here
// with a call at each basic block, as in s9_cost_test.c, so its work is counted exactly. A pipe
// that has a CIR but is not full costs what one without costs; a pipe that becomes full, that gets
// or loses its CIR, and a class that gets another weight leave all ready cells where they are: what
// there is to do for each is done a few at a time in later calls.
#include "tests/dataplane/sched/s9.h"
#include "tests/dataplane/sched/check.h"

#define OCTETS       500
#define FEW          16u
#define MANY         4096u
#define WORST_SET    200  // a command, by what it counted
#define WORST_TAKE   1500 // a call that may send one PDU; 905 where tags are put right
#define SLACK        10   // blocks a packet; a bucket's own are 4
#define LEVEL_BLOCKS 50   // of a heap; 35, and 41 as it is compiled for ASan

struct load {
    struct sched *s;
    void *memory;
    uint32_t cells;
    uint64_t now_ns, packets;
};

static const struct bucket_terms no_cir = {BUCKET_UNLIMITED, 0};
static const struct bucket_terms roomy = {BUCKET_RATE_MAX, UINT32_MAX};
static const struct bucket_terms narrow = {1000000, 1000000}; // 12.5 MB/s, 80 ms

static struct sched_config config_of(uint32_t cells)
{
    struct sched_config c = s9_config(cells, cells, (struct sched_limit){4 * cells, 1ULL << 38});
    c.coarse = true;
    return c;
}

static void put(struct load *l, uint32_t ms)
{
    struct pdu pdu = {.buffer = l, .octets = OCTETS};
    assert_int_equal(sched_put(l->s, ms, 0, &pdu, l->now_ns), DROP_NONE);
}

// Every cell is ready: its one MS has three N-PDUs, and nothing but the pipe limits.
static struct load *load_open(uint32_t cells, struct bucket_terms cir)
{
    struct sched_config c = config_of(cells);
    struct load *l = calloc(1, sizeof *l);
    l->s = s9_setup(&c, &l->memory);
    l->cells = cells;
    l->now_ns = 1;
    assert_int_equal(sched_nse_add(l->s, 0, cir, 1), 0);
    for (uint32_t i = 0; i < cells; i++) {
        enum traffic_class class = 1 + i % (CLASS_COUNT - 1);
        assert_int_equal(sched_bvc_add(l->s, i, 0, 1), 0);
        assert_int_equal(sched_bvc_set(l->s, i, no_cir, no_cir, 1), 0);
        assert_int_equal(sched_ms_add(l->s, i, i, 1520, 1), 0);
        assert_int_equal(sched_pfc_add(l->s, i, 0, class), 0);
    }
    for (uint32_t i = 0; i < 3 * cells; i++)
        put(l, i % cells);
    return l;
}

static void load_close(struct load *l)
{
    const struct sched_drop *drops;
    assert_int_equal(sched_dropped(l->s, &drops), 0);
    assert_int_equal(sched_queued(l->s).packets, 3 * l->cells);
    assert_null(sched_check(l->s));
    free(l->memory);
    free(l);
}

// So many PDUs, one a call and another put for it; returns the blocks of all calls, and the worst.
static uint64_t run(struct load *l, uint64_t packets, uint64_t *worst)
{
    uint64_t sum = 0;
    *worst = 0;
    while (packets) {
        struct sched_grant grant;
        uint64_t before = blocks;
        uint32_t n = sched_take(l->s, &grant, 1, l->now_ns);
        uint64_t next_ns = sched_next_ns(l->s, l->now_ns), cost = blocks - before;
        sum += cost;
        *worst = cost > *worst ? cost : *worst;
        packets -= n;
        if (n)
            put(l, grant.ms);
        l->now_ns = next_ns > l->now_ns ? next_ns : l->now_ns;
    }
    return sum;
}

// A narrow pipe is full by the time that it is measured, whatever number of cells it has.
static double blocks_a_packet(uint32_t cells, struct bucket_terms cir)
{
    struct load *l = load_open(cells, cir);
    uint64_t worst;
    run(l, 2 * MANY, &worst);
    double cost = (double)run(l, 4 * MANY, &worst) / (4 * MANY);
    load_close(l);
    return cost;
}

static void a_cir_that_never_refuses_costs_nothing(void **state)
{
    double none = blocks_a_packet(FEW, no_cir), roomy_few = blocks_a_packet(FEW, roomy);
    double many = blocks_a_packet(MANY, no_cir), roomy_many = blocks_a_packet(MANY, roomy);
    (void)state;
    print_message("# blocks a packet: no CIR %.1f and %.1f, roomy %.1f and %.1f\n", none, many,
                  roomy_few, roomy_many);
    assert_true(roomy_few < none + SLACK && roomy_many < many + SLACK && many < none + SLACK);
}

// It was full, and has room again: when its bucket has run empty it costs what it did.
static void a_pipe_with_room_again_costs_nothing(void **state)
{
    double none = blocks_a_packet(MANY, no_cir);
    struct load *l = load_open(MANY, narrow);
    uint64_t worst;
    (void)state;
    run(l, 4 * MANY, &worst);
    assert_int_equal(sched_nse_set(l->s, 0, roomy, l->now_ns), 0);
    l->now_ns += S_IN_NS;
    run(l, 2 * MANY, &worst);
    double again = (double)run(l, 2 * MANY, &worst) / (2 * MANY);
    print_message("# blocks a packet: no CIR %.1f, room again %.1f\n", none, again);
    assert_true(again < none + SLACK);
    load_close(l);
}

// Six levels in place of two.
static void a_full_pipe_costs_log_n(void **state)
{
    double few = blocks_a_packet(FEW, narrow), many = blocks_a_packet(MANY, narrow);
    (void)state;
    print_message("# blocks a packet: %.1f and %.1f\n", few, many);
    assert_true(many < few + 4 * LEVEL_BLOCKS);
}

// What a command, and the worst call after it, cost.
struct price {
    uint64_t set, take;
};

static void expect_bounded(struct price price, const char *what)
{
    print_message("# %s: %llu blocks, then %llu at worst\n", what, (unsigned long long)price.set,
                  (unsigned long long)price.take);
    assert_true(price.set <= WORST_SET);
    assert_true(price.take <= WORST_TAKE);
}

static void set_cir(struct load *l, struct bucket_terms cir, const char *what)
{
    struct price price;
    uint64_t before = blocks;
    assert_int_equal(sched_nse_set(l->s, 0, cir, l->now_ns), 0);
    price.set = blocks - before;
    run(l, 3 * l->cells, &price.take);
    expect_bounded(price, what);
}

static void a_pipe_that_gets_and_loses_its_cir(void **state)
{
    struct load *l = load_open(MANY, no_cir);
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        set_cir(l, narrow, "a CIR that limits");
        set_cir(l, roomy, "one that does not");
        set_cir(l, narrow, "one that does");
        set_cir(l, no_cir, "none");
    }
    load_close(l);
}

// The first bucket, 80 ms, goes by turns; then it refuses. Who comes after a pause finds it empty.
static void a_pipe_that_fills_and_runs_empty(void **state)
{
    struct load *l = load_open(MANY, narrow);
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct price price = {0};
        run(l, 3 * l->cells, &price.take);
        expect_bounded(price, "a pipe that fills");
        l->now_ns += S_IN_NS;
    }
    load_close(l);
}

static void weigh(struct load *l, enum traffic_class class, uint32_t weight, const char *what)
{
    struct sched_config c = config_of(l->cells);
    struct sched_class values = c.of_class[class];
    struct price price;
    uint64_t before = blocks;
    values.weight = weight;
    assert_int_equal(sched_class_set(l->s, class, &values), 0);
    price.set = blocks - before;
    run(l, 2 * l->cells, &price.take);
    expect_bounded(price, what);
}

static void a_class_s_new_weight(void **state)
{
    struct load *l = load_open(MANY, narrow);
    uint64_t worst;
    (void)state;
    run(l, 4 * l->cells, &worst);
    weigh(l, CLASS_BACKGROUND, 10000, "a larger weight");
    weigh(l, CLASS_BACKGROUND, 1, "a smaller one");
    weigh(l, CLASS_STREAMING, 7, "another class's");
    load_close(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cir_that_never_refuses_costs_nothing),
        cmocka_unit_test(a_pipe_with_room_again_costs_nothing),
        cmocka_unit_test(a_full_pipe_costs_log_n),
        cmocka_unit_test(a_pipe_that_gets_and_loses_its_cir),
        cmocka_unit_test(a_pipe_that_fills_and_runs_empty),
        cmocka_unit_test(a_class_s_new_weight),
    };
    return cmocka_run_group_tests_name("s9_ready", tests, NULL, NULL);
}
