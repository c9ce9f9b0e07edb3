// See capture_file.h.
#include "lab/capture/capture_file.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"

#define SECONDS_MAX 10000000000LL // the year 2286; ns since 1970 fit 64 bits until then

#define CAPTURE_COUNT(name, help) #name,
const char *const capture_count_names[] = {
#include "lab/capture/capture_counts.def"
};
#undef CAPTURE_COUNT
#define CAPTURE_COUNT(name, help) help,
const char *const capture_count_helps[] = {
#include "lab/capture/capture_counts.def"
};
#undef CAPTURE_COUNT

struct capture_file {
    pcap_t *pcap;
    int link;
    uint64_t packets, time_ns;
    char damage[PCAP_ERRBUF_SIZE];
    uint8_t octets[CAPTURE_ROOM];
};

struct capture_file *capture_file_open(const char *path, char error[256])
{
    char why[PCAP_ERRBUF_SIZE] = "";
    struct capture_file *file = calloc(1, sizeof *file);
    if (!file) {
        snprintf(error, 256, "not enough memory");
        return NULL;
    }
    file->pcap = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, why);
    if (!file->pcap) {
        snprintf(error, 256, "%.255s", why);
        free(file);
        return NULL;
    }
    file->link = pcap_datalink(file->pcap);
    return file;
}

// With nanosecond precision tv_usec holds ns.
static uint64_t stamp(struct capture_file *file, const struct pcap_pkthdr *header, uint64_t *counts)
{
    if (header->ts.tv_sec < 0 || header->ts.tv_sec > SECONDS_MAX || header->ts.tv_usec < 0 ||
        (uint64_t)header->ts.tv_usec >= S_IN_NS)
        counts[CAPTURE_stamp_impossible]++;
    else
        file->time_ns = (uint64_t)header->ts.tv_sec * S_IN_NS + (uint64_t)header->ts.tv_usec;
    return file->time_ns;
}

bool capture_file_next(struct capture_file *file, struct capture_packet *packet,
                       uint64_t counts[CAPTURE_COUNTS])
{
    struct pcap_pkthdr *header;
    const u_char *octets;
    int verdict = pcap_next_ex(file->pcap, &header, &octets);
    if (verdict != 1) {
        if (verdict == PCAP_ERROR)
            snprintf(file->damage, sizeof file->damage, "%s", pcap_geterr(file->pcap));
        return false;
    }
    uint32_t captured = header->caplen, length = header->len;
    if (captured > length || length > CAPTURE_OCTETS_MAX) {
        counts[CAPTURE_length_impossible]++;
        length = length > CAPTURE_OCTETS_MAX ? CAPTURE_OCTETS_MAX : length;
        captured = captured > length ? length : captured;
    }
    counts[CAPTURE_cut] += captured < length;
    memcpy(file->octets, octets, captured);
    memset(file->octets + captured, 0, length - captured);
    *packet = (struct capture_packet){
        ++file->packets, stamp(file, header, counts), file->link, file->octets, captured, length};
    return true;
}

const char *capture_file_damage(const struct capture_file *file)
{
    return file->damage[0] ? file->damage : NULL;
}

void capture_file_close(struct capture_file *file)
{
    pcap_close(file->pcap);
    free(file);
}
