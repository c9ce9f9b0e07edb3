// See capture.h.
#include "lab/line/capture.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataplane/base/units.h"

#define SNAP_OCTETS 65535

struct capture {
    pcap_t *pcap;
    pcap_dumper_t *dumper;
    int fault; // the errno of the first write that failed
};

struct capture *capture_open(FILE *out, enum capture_kind kind, char error[256])
{
    struct capture *capture = calloc(1, sizeof *capture);
    snprintf(error, 256, "%s", strerror(ENOMEM));
    if (capture)
        capture->pcap = pcap_open_dead_with_tstamp_precision(
            kind == CAPTURE_IP ? DLT_RAW : DLT_EN10MB, SNAP_OCTETS, PCAP_TSTAMP_PRECISION_NANO);
    if (!capture || !capture->pcap) {
        fclose(out);
        free(capture);
        return NULL;
    }
    capture->dumper = pcap_dump_fopen(capture->pcap, out);
    if (capture->dumper)
        return capture;
    snprintf(error, 256, "%s", pcap_geterr(capture->pcap)); // libpcap has closed the file
    pcap_close(capture->pcap);
    free(capture);
    return NULL;
}

void capture_frame(struct capture *capture, uint64_t t_ns, const uint8_t *frame, uint32_t octets)
{
    // With the nanosecond magic tv_usec holds nanoseconds.
    struct pcap_pkthdr header = {
        .ts = {(time_t)(t_ns / S_IN_NS), (suseconds_t)(t_ns % S_IN_NS)},
        .caplen = octets,
        .len = octets,
    };
    pcap_dump((u_char *)capture->dumper, &header, frame);
    if (!capture->fault && ferror(pcap_dump_file(capture->dumper)))
        capture->fault = errno;
}

void capture_flush(struct capture *capture)
{
    if (pcap_dump_flush(capture->dumper) != 0 && !capture->fault)
        capture->fault = errno;
}

int capture_close(struct capture *capture)
{
    capture_flush(capture);
    int fault = capture->fault;
    pcap_dump_close(capture->dumper);
    pcap_close(capture->pcap);
    free(capture);
    return -fault;
}
