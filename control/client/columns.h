// The tables of `sluice stats` and `sluice top`: the members of a row that each shows.
#ifndef SLUICE_CONTROL_CLIENT_COLUMNS_H
#define SLUICE_CONTROL_CLIENT_COLUMNS_H

#include "control/client/table.h"

extern const struct table_columns columns_ports, columns_classes, columns_nses, columns_nsvcs,
    columns_cells, columns_mss, columns_flows, columns_top_cells, columns_top_mss;

#endif
