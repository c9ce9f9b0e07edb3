// See capture_filter.h.
#include "lab/captures/read/capture_filter.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>

#define LINKS_MAX 8 // that differ; one more takes the place of the last

struct compiled {
    int link;
    struct bpf_program program;
};

struct capture_filter {
    const char *text;
    struct compiled compiled[LINKS_MAX];
    int count;
};

void capture_filter_destroy(struct capture_filter *filter)
{
    for (int i = 0; filter && i < filter->count; i++)
        pcap_freecode(&filter->compiled[i].program);
    free(filter);
}

// A file's numbers of two link types are not libpcap's own.
static int known_as(int link)
{
    return link == 14 || link == 101 ? DLT_RAW : link == 100 ? DLT_ATM_RFC1483 : link;
}

static bool compile(struct capture_filter *filter, int link, struct bpf_program *program,
                    char *error)
{
    pcap_t *dead = pcap_open_dead(known_as(link), CAPTURE_OCTETS_MAX);
    if (!dead)
        abort();
    bool good = pcap_compile(dead, program, filter->text, 1, PCAP_NETMASK_UNKNOWN) == 0;
    if (!good)
        snprintf(error, CAPTURE_TEXT, "the filter cannot be used: %s", pcap_geterr(dead));
    pcap_close(dead);
    return good;
}

static bool compiles(struct capture_filter *filter, int link, char *error)
{
    struct bpf_program program;
    bool good = compile(filter, link, &program, error);
    if (good)
        pcap_freecode(&program);
    return good;
}

struct capture_filter *capture_filter_create(const char *text, char error[CAPTURE_TEXT])
{
    struct capture_filter *filter = calloc(1, sizeof *filter);
    if (!filter)
        abort();
    filter->text = text;
    if (compiles(filter, DLT_RAW, error) || compiles(filter, DLT_EN10MB, error))
        return filter;
    free(filter);
    return NULL;
}

static const struct bpf_program *program_of(struct capture_filter *filter, int link, char *error)
{
    struct bpf_program program;
    for (int i = 0; i < filter->count; i++)
        if (filter->compiled[i].link == link)
            return &filter->compiled[i].program;
    if (!compile(filter, link, &program, error))
        return NULL;
    if (filter->count == LINKS_MAX)
        pcap_freecode(&filter->compiled[--filter->count].program);
    struct compiled *compiled = &filter->compiled[filter->count++];
    *compiled = (struct compiled){link, program};
    return &compiled->program;
}

int capture_filter_takes(struct capture_filter *filter, const struct capture_packet *packet,
                         char error[CAPTURE_TEXT])
{
    const struct bpf_program *program = program_of(filter, packet->link, error);
    if (!program)
        return -1;
    return bpf_filter(program->bf_insns, packet->octets, packet->length, packet->captured) != 0;
}
