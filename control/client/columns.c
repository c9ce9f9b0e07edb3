// See columns.h.
#include "control/client/columns.h"

static const struct table_column ports[] = {
    {"port", "port", TABLE_TEXT, 4},
    {"link", "link", TABLE_TEXT, 4},
    {"frames in", "rx_packets", TABLE_COUNT, 11},
    {"octets in", "rx_octets", TABLE_OCTETS, 14},
    {"frames out", "tx_packets", TABLE_COUNT, 11},
    {"octets out", "tx_octets", TABLE_OCTETS, 14},
    {"to control", "control_packets", TABLE_COUNT, 10},
    {"dropped", "dropped", TABLE_COUNT, 8},
};
static const struct table_column classes[] = {
    {"class", "class", TABLE_TEXT, 14},           {"N-PDUs in", "in_packets", TABLE_COUNT, 10},
    {"octets in", "in_octets", TABLE_OCTETS, 14}, {"out", "out_packets", TABLE_COUNT, 10},
    {"queued", "queued_npdus", TABLE_COUNT, 7},   {"octets", "queued_octets", TABLE_OCTETS, 11},
    {"marked", "marks", TABLE_COUNT, 8},          {"dropped", "dropped", TABLE_COUNT, 9},
};
static const struct table_column nses[] = {
    {"NSEI", "nsei", TABLE_NUMBER, 6},
    {"state", "state", TABLE_STATE, 10},
    {"cells", "cells", TABLE_COUNT, 6},
    {"R", "rate_bit_per_s", TABLE_RATE, 12},
    {"B x 8 / R", "delay_ns", TABLE_TIME, 9},
    {"queued", "queued_npdus", TABLE_COUNT, 7},
    {"sent", "down_octets", TABLE_OCTETS, 14},
    {"heard", "up_octets", TABLE_OCTETS, 14},
    {"dropped", "dropped_npdus", TABLE_COUNT, 9},
    {"discarded", "discarded_frames", TABLE_COUNT, 9},
};
static const struct table_column nsvcs[] = {
    {"NSEI", "nsei", TABLE_NUMBER, 6},
    {"NSVCI", "nsvci", TABLE_NUMBER, 6},
    {"state", "state", TABLE_TEXT, 20},
};
static const struct table_column cells[] = {
    {"cell", "", TABLE_CELL, 11},
    {"state", "state", TABLE_STATE, 12},
    {"MSs", "mss", TABLE_COUNT, 6},
    {"R", "rate_bit_per_s", TABLE_RATE, 13},
    {"Bmax", "bucket_octets", TABLE_OCTETS, 9},
    {"B x 8 / R", "delay_ns", TABLE_TIME, 9},
    {"waits", "sojourn_ns", TABLE_TIME, 9},
    {"queued", "queued_npdus", TABLE_COUNT, 6},
    {"sent", "down_octets", TABLE_OCTETS, 13},
    {"marked", "marks", TABLE_COUNT, 7},
    {"dropped", "dropped_npdus", TABLE_COUNT, 7},
    {"discarded", "discarded_frames", TABLE_COUNT, 9},
};
static const struct table_column mss[] = {
    {"IMSI", "imsi", TABLE_TEXT, 15},
    {"TLLI", "tlli", TABLE_TLLI, 8},
    {"state", "state", TABLE_STATE, 12},
    {"R", "rate_bit_per_s", TABLE_RATE, 13},
    {"B x 8 / R", "delay_ns", TABLE_TIME, 9},
    {"waits", "sojourn_ns", TABLE_TIME, 9},
    {"queued", "queued_npdus", TABLE_COUNT, 6},
    {"sent", "down_octets", TABLE_OCTETS, 13},
    {"marked", "marks", TABLE_COUNT, 7},
    {"dropped", "dropped_npdus", TABLE_COUNT, 7},
    {"discarded", "discarded_frames", TABLE_COUNT, 9},
};
static const struct table_column flows[] = {
    {"packet flow", "class", TABLE_TEXT, 14},   {"R", "rate_bit_per_s", TABLE_RATE, 12},
    {"B x 8 / R", "delay_ns", TABLE_TIME, 9},   {"waits", "sojourn_ns", TABLE_TIME, 9},
    {"queued", "queued_npdus", TABLE_COUNT, 7}, {"octets", "queued_octets", TABLE_OCTETS, 7},
};
// Eighty columns, with the rank in front.
static const struct table_column top_cells[] = {
    {"cell", "", TABLE_CELL, 11},
    {"state", "state", TABLE_STATE, 12},
    {"R bit/s", "rate_bit_per_s", TABLE_BARE, 7},
    {"sends", "sends_bit_per_s", TABLE_BARE, 7},
    {"B x 8/R", "delay_ns", TABLE_TIME, 8},
    {"waits", "sojourn_ns", TABLE_TIME, 8},
    {"queued", "queued_npdus", TABLE_COUNT, 6},
};
static const struct table_column top_mss[] = {
    {"IMSI", "imsi", TABLE_TEXT, 15},
    {"state", "state", TABLE_STATE, 12},
    {"R bit/s", "rate_bit_per_s", TABLE_BARE, 7},
    {"sends", "sends_bit_per_s", TABLE_BARE, 7},
    {"B x 8/R", "delay_ns", TABLE_TIME, 8},
    {"waits", "sojourn_ns", TABLE_TIME, 8},
    {"queued", "queued_npdus", TABLE_COUNT, 6},
};
const struct table_columns columns_ports = {ports, sizeof ports / sizeof ports[0]};
const struct table_columns columns_classes = {classes, sizeof classes / sizeof classes[0]};
const struct table_columns columns_nses = {nses, sizeof nses / sizeof nses[0]};
const struct table_columns columns_nsvcs = {nsvcs, sizeof nsvcs / sizeof nsvcs[0]};
const struct table_columns columns_cells = {cells, sizeof cells / sizeof cells[0]};
const struct table_columns columns_mss = {mss, sizeof mss / sizeof mss[0]};
const struct table_columns columns_flows = {flows, sizeof flows / sizeof flows[0]};
const struct table_columns columns_top_cells = {top_cells, sizeof top_cells / sizeof top_cells[0]};
const struct table_columns columns_top_mss = {top_mss, sizeof top_mss / sizeof top_mss[0]};
