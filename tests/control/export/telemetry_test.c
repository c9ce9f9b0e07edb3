// /sluice/ctl: control is asked without the lock, so that other commands go on meanwhile; what is
// under the lock is locked and unlocked in turn.
#include "control/export/telemetry.h"

#include <pthread.h>
#include <rte_telemetry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static telemetry_cb on_ctl;
static int held;
static uint32_t asked;

int __wrap_rte_telemetry_register_cmd(const char *name, telemetry_cb answer, const char *help);
int __wrap_rte_telemetry_register_cmd(const char *name, telemetry_cb answer, const char *help)
{
    (void)help;
    on_ctl = strcmp(name, "/sluice/ctl") == 0 ? answer : on_ctl;
    return 0;
}

// DPDK frees a part of an answer when it has sent it.
int __wrap_rte_tel_data_add_dict_container(struct rte_tel_data *data, const char *name,
                                           struct rte_tel_data *part, int keep);
int __wrap_rte_tel_data_add_dict_container(struct rte_tel_data *data, const char *name,
                                           struct rte_tel_data *part, int keep)
{
    (void)data, (void)keep;
    assert_string_equal(name, "text");
    rte_tel_data_free(part);
    return 0;
}

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    assert_int_equal(held++, 0);
    return __real_pthread_mutex_lock(mutex);
}

int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    assert_int_equal(held--, 1);
    return __real_pthread_mutex_unlock(mutex);
}

int __wrap_control_request(struct control *control, const char *words, char *answer, size_t octets,
                           uint32_t most_ms);
int __wrap_control_request(struct control *control, const char *words, char *answer, size_t octets,
                           uint32_t most_ms)
{
    (void)control, (void)octets, (void)most_ms;
    assert_int_equal(held, 0);
    assert_string_equal(words, "bvc 7 20");
    strcpy(answer, "up");
    asked++;
    return 0;
}

static void ask(uint32_t times)
{
    struct rte_tel_data *data = rte_tel_data_alloc();
    assert_int_equal(on_ctl("/sluice/ctl", "bvc 7 20", data), 0);
    assert_int_equal(held, 0);
    assert_int_equal(asked, times);
    rte_tel_data_free(data);
}

static void control_is_asked_without_the_lock(void **state)
{
    static struct dp_config config = {.workers = 1};
    static int control;
    struct telemetry_source source = {.config = &config, .control = (struct control *)&control};
    (void)state;
    assert_int_equal(telemetry_start(&source), 0);
    ask(1);
    ask(2);
    telemetry_stop(); // nobody waits
    ask(2);           // nothing runs
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(control_is_asked_without_the_lock)};
    return cmocka_run_group_tests_name("control/export/telemetry", tests, NULL, NULL);
}
