// The files of rows that the lab reads, under any octets: a reason that is printable or names the
// file, or rows within their bounds and in their order. The first octet says which file it is.
#include <string.h>

#include "lab/bss/bss_trace.h"
#include "lab/hosts/app_dialogue.h"
#include "lab/hosts/app_replay.h"
#include "lab/radio/config.h"
#include "lab/radio/walk.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/memory_file.h"

static void expect_flows(const struct replay_file *file)
{
    CHECK(file->flows > 0 && file->begin[1] == 0 && file->begin[file->flows + 1] == file->packets);
    for (uint32_t flow = 1; flow <= file->flows; flow++) {
        CHECK(file->begin[flow] < file->begin[flow + 1]);
        for (uint32_t i = file->begin[flow]; i < file->begin[flow + 1]; i++) {
            CHECK(file->packet[i].octets >= FLOW_DATAGRAM_LEAST);
            CHECK(file->packet[i].octets <= APP_OCTETS_MOST);
            CHECK(i == file->begin[flow] || file->packet[i - 1].at_ns <= file->packet[i].at_ns);
        }
    }
}

static void expect_trace(const struct bss_trace *trace)
{
    CHECK(trace->rows > 0);
    for (uint32_t i = 0; i < trace->rows; i++) {
        size_t digits = strlen(trace->row[i].imsi.text);
        CHECK(digits == 0 || (digits >= 6 && digits <= 15));
        CHECK(i == 0 || trace->row[i - 1].at_ns <= trace->row[i].at_ns);
    }
}

static void expect_dialogue(const struct dialogue_file *file)
{
    CHECK(file->users > 0 && file->begin[file->users + 1] == file->rows);
    for (uint32_t user = 1; user <= file->users; user++)
        for (uint32_t i = file->begin[user]; i < file->begin[user + 1]; i++)
            CHECK(file->row[i].user == user);
}

static void expect_walk(const struct radio_walk *walk)
{
    CHECK(walk->rows > 0);
    for (uint32_t i = 0; i < walk->rows; i++) {
        const struct radio_walk_row *row = &walk->row[i];
        CHECK(row->coding > RADIO_CODING_RATE && row->coding < RADIO_CODINGS);
        CHECK((row->coding < RADIO_CODING_MCS1) == (walk->row[0].coding < RADIO_CODING_MCS1));
        CHECK(row->bler_ppm < 1000000);
        CHECK(i == 0 || walk->row[i - 1].at_ns < row->at_ns);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[BSS_TRACE_ERROR_ROOM] = "";
    if (size == 0)
        return 0;
    const char *name = memory_file(data + 1, size - 1);
    if (data[0] % 4 == 0) {
        struct replay_file *file = app_replay_read_flows(name, error);
        CHECK(file ? !error[0] : strncmp(error, "replay: ", 8) == 0);
        if (file)
            expect_flows(file);
        app_replay_free(file);
    } else if (data[0] % 4 == 1) {
        struct bss_trace *trace = bss_trace_read(name, error);
        CHECK(trace ? !error[0] : strncmp(error, "trace: ", 7) == 0);
        if (trace)
            expect_trace(trace);
        bss_trace_free(trace);
    } else if (data[0] % 4 == 2) {
        struct radio_walk *walk = radio_walk_read(name, error);
        CHECK(walk ? !error[0] : strncmp(error, "trace: ", 7) == 0);
        if (walk)
            expect_walk(walk);
        radio_walk_free(walk);
    } else {
        struct dialogue_file *file = app_dialogue_read(name, error);
        CHECK(file ? !error[0] : strncmp(error, "dialogue: ", 10) == 0);
        if (file)
            expect_dialogue(file);
        app_dialogue_free(file);
    }
    return 0;
}
