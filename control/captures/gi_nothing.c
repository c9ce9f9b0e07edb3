// See gi_nothing.h.
#include "control/captures/gi_nothing.h"

#include <inttypes.h>
#include <stdio.h>

#include "lab/captures/gi/gi_counts.h"

// Of the fate that most frames had.
static const char *const advice[GI_COUNTS] = {
    [GI_COUNT_other_protocols] =
        "capture where the users' TCP passes: at Gi, or at Gn with its GTP-U. Gb is for sluice "
        "audit",
    [GI_COUNT_fragments] = "capture on this side of what cuts the packets",
    [GI_COUNT_elsewhere] = "give --mobiles the prefixes of the users' addresses, or leave it out",
    [GI_COUNT_link_other] = "capture on an interface that carries IP",
    [GI_COUNT_wrapped] = "capture inside of what the footer names, where packets are in the clear",
    [GI_COUNT_gtp_other] = "capture the packets of users, too, at UDP port 2152",
    [GI_COUNT_cut] = "capture with a greater snap length: 128 octets are enough, 200 with GTP-U",
    [GI_COUNT_odd] = "see whether another program reads this capture as IP",
    [GI_COUNT_ip_checksum] = "give --take-bad-checksums, if the file was rewritten",
    [GI_COUNT_tcp_checksum] =
        "give --take-bad-checksums, if the card of the capturing host writes the checksums",
};

bool gi_nothing(const struct gi_counts *counts)
{
    int most = GI_COUNT_segments;
    if (counts->n[GI_COUNT_segments])
        return false;
    fprintf(stderr, "sluice gi: no TCP was read, so nothing was measured: %" PRIu64 " frames%s\n",
            counts->frames, counts->frames ? ", of which:" : "");
    for (int i = 0; i < GI_COUNTS; i++) {
        if (advice[i] && counts->n[i])
            fprintf(stderr, "%12" PRIu64 "  %s\n", counts->n[i], gi_count_texts[i].help);
        if (advice[i] && counts->n[i] > counts->n[most])
            most = i;
    }
    if (advice[most])
        fprintf(stderr, "sluice gi: %s\n", advice[most]);
    return true;
}
