// The auditor under any packets: an input is a row of packets, each two octets of link and length,
// one of what is cut off, one of time, then the octets of the frame. A report, which takes longer
// than all else, is written of one input in 64: any octet that does not matter otherwise decides.
// Files of packets are capture_fuzz's.
#include <pcap/dlt.h>
#include <string.h>

#include "control/captures/pages.h"
#include "dataplane/base/units.h"
#include "lab/captures/audit/audit.h"
#include "lab/captures/audit/audit_traffic.h"
#include "lab/captures/read/capture_file.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/drawn.h"

// In a buffer that ends with it.
static void take(struct audit *audit, const uint8_t *octets, uint32_t captured, uint32_t n,
                 int link, uint64_t number, uint64_t time_ms)
{
    uint8_t *copy = malloc(captured ? captured : 1);
    CHECK(copy);
    if (captured)
        memcpy(copy, octets, captured);
    audit_take(audit,
               &(struct capture_packet){number, time_ms * MS_IN_NS, link, copy, captured, n});
    free(copy);
}

static void read_all(struct audit *audit, enum audit_phase phase, const uint8_t *data, size_t size)
{
    static const int links[] = {DLT_RAW, DLT_FRELAY_WITH_DIR, DLT_FRELAY, DLT_EN10MB};
    uint64_t time_ms = 1000, number = 0;
    audit_begin(audit, phase);
    while (size > 4) {
        uint32_t n = (uint32_t)(data[0] << 8 | data[1]) % 2048;
        n = n > size - 4 ? (uint32_t)(size - 4) : n;
        uint32_t cut = data[2] < 128 ? 0 : data[2] - 128u;
        cut = cut > n ? n : cut;
        if (data[3] < 250)
            time_ms += data[3];
        else if (time_ms > 2000) // a clock that goes back by more than a second
            time_ms -= 2000;
        take(audit, data + 4, n - cut, n, links[data[0] >> 3 & 3], ++number, time_ms);
        data += 4 + n;
        size -= 4 + n;
    }
}

static void write_page(const struct audit *audit)
{
    static char name[] = "x.pcap";
    char *const files[] = {name};
    char *page = NULL;
    size_t octets;
    FILE *out = open_memstream(&page, &octets);
    CHECK(out);
    audit_page(out, audit, files, 1);
    fclose(out);
    expect_page(page, octets);
    free(page);
}

static void report(struct audit *audit)
{
    static FILE *nowhere;
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    CHECK(nowhere != NULL);
    audit_text(audit, nowhere);
    audit_json(audit, nowhere);
    for (int i = 0; i < AUDIT_TABLES; i++)
        table_csv(audit_tables[i], audit, nowhere);
    write_page(audit);
}

static bool is_reported(const uint8_t *data, size_t size)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += data[i];
    return sum % 64 == 0;
}

// What a scenario is written of: numbers of what there is, in their order.
static void expect_traffic(const struct audit_traffic *t)
{
    uint64_t packets = 0;
    for (uint32_t i = 0; i < t->streams; i++) {
        CHECK(t->stream[i].user >= 1 && t->stream[i].user <= t->users);
        packets += t->stream[i].packets;
    }
    CHECK(packets == t->packets);
    for (uint32_t i = 0; i < t->packets; i++) {
        const struct audit_traffic_packet *p = &t->packet[i];
        CHECK(p->stream >= 1 && p->stream <= t->streams);
        CHECK(i == 0 || p->stream > p[-1].stream ||
              (p->stream == p[-1].stream && p->time_ns >= p[-1].time_ns));
    }
    for (uint32_t i = 0; i < t->places; i++) {
        CHECK(t->place[i].user >= 1 && t->place[i].user <= t->users);
        CHECK(t->place[i].cell >= 1 && t->place[i].cell <= t->cells);
    }
    for (uint32_t i = 0; i < t->values; i++) {
        CHECK(t->value[i].user <= t->users);
        CHECK(t->value[i].cell >= 1 && t->value[i].cell <= t->cells);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct audit_options options = {
        .tolerance_ns = 0, .th_ns = 5000000000, .copies = 64, .traffic = true};
    struct audit *audit = audit_create(&options);
    read_all(audit, AUDIT_LEARN, data, size);
    read_all(audit, AUDIT_JUDGE, data, size);
    audit_finish(audit);
    expect_traffic(audit_traffic(audit));
    if (is_reported(data, size))
        report(audit);
    audit_destroy(audit);
    return 0;
}
