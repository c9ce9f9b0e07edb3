// See gi_reader.h. libpcap checks the lengths in a file against bounds of its own; what it refuses
// ends the file, and the frames before it count.
#include "lab/gi/gi_reader.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <string.h>

#include "dataplane/base/units.h"

#define BUFFER_OCTETS (1 << 20)

bool gi_reader_open(struct gi_reader *reader, const char *path)
{
    char why[PCAP_ERRBUF_SIZE] = "";
    *reader = (struct gi_reader){0};
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");
    if (!file) {
        snprintf(reader->fault, sizeof reader->fault, "%s", strerror(errno));
        return false;
    }
    setvbuf(file, NULL, _IOFBF, BUFFER_OCTETS);
    reader->pcap = pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why);
    if (!reader->pcap) {
        snprintf(reader->fault, sizeof reader->fault, "%s", why);
        if (file != stdin)
            fclose(file);
        return false;
    }
    reader->file = file;
    reader->link = pcap_datalink(reader->pcap);
    return true;
}

bool gi_reader_next(struct gi_reader *reader, struct gi_frame *frame)
{
    struct pcap_pkthdr *header;
    const u_char *octets;
    int got = pcap_next_ex(reader->pcap, &header, &octets);
    if (got == 1) {
        // tv_usec holds nanoseconds. A corrupt header may have any number there.
        *frame = (struct gi_frame){.time_ns = (uint64_t)header->ts.tv_sec * S_IN_NS +
                                              (uint64_t)header->ts.tv_usec % S_IN_NS,
                                   .octets = octets,
                                   .captured = header->caplen,
                                   .length = header->len,
                                   .link = reader->link};
        return true;
    }
    if (got == PCAP_ERROR)
        snprintf(reader->fault, sizeof reader->fault, "%s", pcap_geterr(reader->pcap));
    return false;
}

void gi_reader_close(struct gi_reader *reader)
{
    if (reader->pcap)
        pcap_close(reader->pcap);
    reader->pcap = NULL;
}
