// What the tests of web pages share: an application, its links, and the objects and pages that it
// records.
#ifndef TESTS_LAB_HOSTS_PAGES_H
#define TESTS_LAB_HOSTS_PAGES_H

#include "lab/hosts/app_http.h"

#include "tests/lab/hosts/path.h"

static struct app_http_config config;
static struct app *app;
static struct {
    uint32_t objects, pages, objects_in_page;
    uint64_t octets_in_page;
    uint64_t begin_ns[1000], end_ns[1000], of_page[1000], page_octets[1000];
    uint64_t object_octets[1000]; // of the first
    uint64_t object_least_octets, object_most_octets;
} seen;

#define LATENCY_NS (40 * MS_IN_NS)
static const struct link_config ideal = {.latency_ns = LATENCY_NS};

// A page's octets are those of the objects since the last page.
static void record(void *self, const struct app *by, enum app_record what, uint64_t begin_ns,
                   uint64_t octets, uint64_t now_ns)
{
    (void)self, (void)by;
    if (what == APP_RECORD_object) {
        if (seen.objects < 1000)
            seen.object_octets[seen.objects] = octets;
        seen.objects++;
        seen.objects_in_page++;
        seen.octets_in_page += octets;
        if (octets < seen.object_least_octets)
            seen.object_least_octets = octets;
        if (octets > seen.object_most_octets)
            seen.object_most_octets = octets;
        return;
    }
    assert_int_equal(what, APP_RECORD_page);
    assert_int_equal(octets, seen.octets_in_page);
    seen.begin_ns[seen.pages] = begin_ns;
    seen.end_ns[seen.pages] = now_ns;
    seen.page_octets[seen.pages] = octets;
    seen.of_page[seen.pages++] = seen.objects_in_page;
    seen.objects_in_page = 0;
    seen.octets_in_page = 0;
}

static int make(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    seen.object_least_octets = UINT64_MAX;
    path_setup(&ideal, &ideal);
    path.world.owner = (struct app_owner){NULL, record};
    path_standard(&app_http_config_record, &config);
    config.pages = 2;
    return 0;
}

static void run(uint64_t until_ns)
{
    app = path_app("http", &config, 0);
    path_run_to(until_ns);
}

static uint64_t page_ns(uint32_t i)
{
    return seen.end_ns[i] - seen.begin_ns[i];
}

#define HTTP_TEST(name) cmocka_unit_test_setup_teardown(name, make, path_release)

#endif
