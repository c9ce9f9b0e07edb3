// gi_floor HOW FILE: what reading a capture costs without looking at it, for bench/gi_file.py.
// pcap: libpcap, packet by packet. capture: lab/captures/read. read: the file in pieces of 256 kB.
// Prints a sum, so that nothing is left out.
#include <fcntl.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lab/captures/read/capture_file.h"

#define PIECE_OCTETS (256 << 10)

static unsigned long with_pcap(const char *path)
{
    char why[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const u_char *octets;
    unsigned long sum = 0;
    pcap_t *pcap = pcap_open_offline(path, why);
    while (pcap && pcap_next_ex(pcap, &header, &octets) == 1)
        sum += header->caplen;
    if (pcap)
        pcap_close(pcap);
    return sum;
}

static unsigned long with_capture(const char *path)
{
    struct capture_packet packets[32];
    uint64_t counts[CAPTURE_COUNTS] = {0};
    unsigned long sum = 0;
    char why[CAPTURE_TEXT];
    struct capture_file *file = capture_file_open(path, why);
    for (uint32_t n; file && (n = capture_file_read(file, packets, 32, counts));)
        for (uint32_t i = 0; i < n; i++)
            sum += packets[i].captured;
    if (file)
        capture_file_close(file);
    return sum;
}

static unsigned long with_read(const char *path)
{
    static unsigned char piece[PIECE_OCTETS];
    unsigned long sum = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    for (ssize_t n; fd >= 0 && (n = read(fd, piece, sizeof piece)) > 0;)
        sum += (unsigned long)n;
    close(fd);
    return sum;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    unsigned long sum = strcmp(argv[1], "pcap") == 0      ? with_pcap(argv[2])
                        : strcmp(argv[1], "capture") == 0 ? with_capture(argv[2])
                                                          : with_read(argv[2]);
    printf("%lu\n", sum);
    return sum == 0;
}
