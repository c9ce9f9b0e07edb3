// File transfers over TCP, one connection each, down or up. The control connection of FTP is left
// out; instead the client may send a request on the transfer's own.
#ifndef SLUICE_LAB_HOSTS_APP_FTP_H
#define SLUICE_LAB_HOSTS_APP_FTP_H

#include "lab/hosts/app.h"

#define APP_FTP_FIELDS(MUST, KEY, T)                                                               \
    APP_KEYS(KEY, T, "ftp")                                                                        \
    APP_WAY_KEY(KEY, T, "ftp")                                                                     \
    KEY(T, SIZE, file_octets, "ftp.size", "unlimited", 1, TCP_UNLIMITED - 1, 0,                    \
        "octets of each file")                                                                     \
    KEY(T, COUNT, files, "ftp.files", NULL, 0, 1000000, 1,                                         \
        "number of transfers, one after the other; 0: no end of them")                             \
    KEY(T, TIME, pause_ns, "ftp.pause", NULL, 0, APP_TIME_MOST, 1 * S_IN_NS,                       \
        "time from a transfer's last octet, or its failure, to the next connection")               \
    KEY(T, CHOICE, opener, "ftp.opener", "host ms", FLOW_HOST, FLOW_MS, FLOW_MS,                   \
        "the end that opens the connection: the host (active FTP), or the MS (passive)")           \
    KEY(T, SIZE, request_octets, "ftp.request", "none", 1, 1000000, 0,                             \
        "octets that the receiver sends first, upon which the file is sent; with none it is sent " \
        "once the connection is open")
FIELD_KEYS_STRUCT(app_ftp_config, APP_FTP_FIELDS);
extern const struct field_record app_ftp_config_record;

extern const struct app_kind app_ftp_kind;

#endif
