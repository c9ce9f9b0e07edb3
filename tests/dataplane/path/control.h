// What the tests of control beside the data share: a world of one cell, and PDUs with a number.
#ifndef SLUICE_TESTS_DATAPLANE_PATH_CONTROL_H
#define SLUICE_TESTS_DATAPLANE_PATH_CONTROL_H

#include <string.h>

#include "tests/dataplane/path/path.h"
#include "tests/dataplane/path/cipher.h"
#include "tests/dataplane/random.h"

static inline void open_one_cell(uint32_t gb_tx_frames)
{
    struct dp_config c = path_config(1);
    random_begin();
    c.gb.tx_frames = gb_tx_frames;
    path_open(&c);
    path_ciphers_begin();
    path_one_cell(false, false);
    p.any_segments = true;
}

// A PDU on the signalling BVC that nobody understands: its number in three octets.
static inline void pdu_put(uint8_t pdu[8], uint32_t number)
{
    memcpy(pdu, "\0\0\0\0\x7f", 5);
    for (int i = 0; i < 3; i++)
        pdu[5 + i] = (uint8_t)(number >> (16 - 8 * i));
}

#endif
