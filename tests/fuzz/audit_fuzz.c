// The auditor under any packets: an input is a row of packets, each two octets of length, one of
// what is cut off, one of time, then Ethernet's octets from the IP header on. The report is written
// each time; every packet has one verdict.
#include <string.h>

#include "lab/captures/audit/audit.h"
#include "lab/captures/read/capture_file.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/memory_file.h"

#define LINK_RAW 101

static void put32(FILE *out, uint32_t value)
{
    fwrite(&value, sizeof value, 1, out);
}

static void put_file(FILE *out, const uint8_t *data, size_t size)
{
    uint64_t time_ms = 1000;
    put32(out, 0xa1b2c3d4);
    put32(out, 4 << 16 | 2);
    put32(out, 0);
    put32(out, 0);
    put32(out, 65535);
    put32(out, LINK_RAW);
    while (size > 4) {
        uint32_t n = (uint32_t)(data[0] << 8 | data[1]) % 2048;
        n = n > size - 4 ? (uint32_t)(size - 4) : n;
        uint32_t cut = data[2] < 128 ? 0 : data[2] - 128u;
        cut = cut > n ? n : cut;
        if (data[3] < 250)
            time_ms += data[3];
        else if (time_ms > 2000) // a clock that goes back by more than a second
            time_ms -= 2000;
        put32(out, (uint32_t)(time_ms / 1000));
        put32(out, (uint32_t)(time_ms % 1000) * 1000);
        put32(out, n - cut);
        put32(out, n);
        fwrite(data + 4, n - cut, 1, out);
        data += 4 + n;
        size -= 4 + n;
    }
}

static void report(struct audit *audit)
{
    static FILE *nowhere;
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    CHECK(nowhere != NULL);
    audit_text(audit, nowhere);
    audit_json(audit, nowhere);
    for (uint32_t table = 0; audit_csv_name(table); table++)
        audit_csv(audit, table, nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[256], *octets = NULL;
    size_t n;
    struct audit_options options = {.tolerance_ns = 0, .th_ns = 5000000000, .port = 0};
    FILE *file = open_memstream(&octets, &n);
    CHECK(file != NULL);
    put_file(file, data, size);
    fclose(file);
    const char *path = memory_file(octets, n);
    free(octets);
    struct audit *audit = audit_create(&options);
    CHECK(audit_read(audit, AUDIT_LEARN, path, path, error) == 0);
    CHECK(audit_read(audit, AUDIT_JUDGE, path, path, error) == 0);
    audit_finish(audit);
    report(audit);
    audit_destroy(audit);
    return 0;
}
