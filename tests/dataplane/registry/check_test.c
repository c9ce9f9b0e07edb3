// What is refused by what is there already: names and endpoints that are taken, families that the
// ports have not, places that are full or in use, sizes; and cells that are on their way out.
#include "tests/dataplane/path/path.h"

#include <errno.h>
#include <string.h>

#include "dataplane/base/units.h"
#include "dataplane/dataplane_parts.h"

static struct dp_config some_nses(void)
{
    struct dp_config c = path_small_config(16, 16);
    c.nses = 3;
    c.nsvcs = 20;
    c.bvcs = 4;
    return c;
}

// NSEs 0 and 1 with cells 0 and 1.
static void open_two(void)
{
    struct dp_config c = some_nses();
    path_open_small_config(&c);
    p.hold_frames = true;
    path_nse(1);
    path_nsvc(1, 1, false, 1);
    path_bvc(1, 1, 3);
}

static void a_bvci_is_given_once_in_an_nse(void **state)
{
    (void)state;
    open_two();
    TRY(-EEXIST, bvc, .bvc_id = 2, .nse_id = 0, .bvci = 2);
    TRY(-EEXIST, bvc, .bvc_id = 2, .nse_id = 1, .bvci = 3);
    DO(bvc, .bvc_id = 2, .nse_id = 0, .bvci = 3);
    DO(bvc, .bvc_id = 3, .nse_id = 1, .bvci = 2);
    path_close();
}

static void a_tlli_is_given_once_in_an_nse(void **state)
{
    (void)state;
    open_two();
    DO(bvc, .bvc_id = 2, .nse_id = 0, .bvci = 3);
    DO(ms, .ms_id = 0, .bvc_id = 0, .tlli = 7, .n201_u = 500);
    TRY(-EEXIST, ms, .ms_id = 1, .bvc_id = 0, .tlli = 7, .n201_u = 500);
    TRY(-EEXIST, ms, .ms_id = 1, .bvc_id = 2, .tlli = 7, .n201_u = 500);
    DO(ms, .ms_id = 1, .bvc_id = 1, .tlli = 7, .n201_u = 500);
    DO(ms, .ms_id = 2, .bvc_id = 2, .tlli = 8, .n201_u = 500);
    TRY(-EEXIST, ms_tlli, .ms_id = 2, .tlli = 7);
    TRY(-EEXIST, ms_tlli, .ms_id = 0, .tlli = 8);
    DO(ms_tlli, .ms_id = 0, .tlli = 7); // its own
    TRY(-EEXIST, ms_move, .ms_id = 0, .bvc_id = 1);
    TRY(-EEXIST, ms_move, .ms_id = 1, .bvc_id = 0);
    DO(ms_move, .ms_id = 0, .bvc_id = 2); // within its NSE
    DO(ms_tlli, .ms_id = 0, .tlli = 9);
    TRY(-EEXIST, ms_move, .ms_id = 1, .bvc_id = 0); // 7 is the old one of MS 0
    TRY(-EEXIST, ms, .ms_id = 3, .bvc_id = 0, .tlli = 7, .n201_u = 500);
    TRY(-EEXIST, ms_tlli, .ms_id = 2, .tlli = 7);
    DO(ms_tlli, .ms_id = 0, .tlli = 9);
    DO(ms_move, .ms_id = 1, .bvc_id = 0); // nobody has 7 there any more
    TRY(-EEXIST, ms_tlli, .ms_id = 0, .tlli = 7);
    DO(ms_tlli, .ms_id = 1, .tlli = 5);
    DO(ms_tlli, .ms_id = 1, .tlli = 7); // back to its old one
    TRY(-EEXIST, ms_tlli, .ms_id = 0, .tlli = 5);
    DO(ms, .ms_id = 3, .bvc_id = 1, .tlli = 7, .n201_u = 500); // nor here
    DO(ms_remove, 1);
    DO(ms_tlli, .ms_id = 0, .tlli = 7); // both names are free
    DO(ms_tlli, .ms_id = 0, .tlli = 5);
    TRY(-EEXIST, ms, .ms_id = 1, .bvc_id = 0, .tlli = 7, .n201_u = 500);
    DO(ms_remove, 3);
    DO(ms_move, .ms_id = 0, .bvc_id = 1); // to another NSE it takes one name along
    DO(ms, .ms_id = 1, .bvc_id = 1, .tlli = 7, .n201_u = 500);
    DO(ms, .ms_id = 3, .bvc_id = 0, .tlli = 7, .n201_u = 500);
    DO(ms_remove, 1);
    TRY(-ENOENT, ms_tlli, .ms_id = 1, .tlli = 100);
    TRY(-ERANGE, ms_tlli, .ms_id = PATH_MSS, .tlli = 100);
    path_close();
}

static void an_endpoint_is_one_nsvcs(void **state)
{
    struct command c = path_nsvc_command(0, 1, false, 1);
    (void)state;
    open_two();
    TRY(-ERANGE, nsvc, .nsvc_id = 20, .peer_port = 1);
    TRY(-ERANGE, nsvc, .nsvc_id = 2, .nse_id = 3, .peer_port = 1);
    TRY(-ENOENT, nsvc, .nsvc_id = 2, .nse_id = 2, .peer_port = 1);
    TRY(-ERANGE, nsvc, .nsvc_id = 2); // port 0
    path_command(&c, -EEXIST);        // its id
    c.nsvc.nsvc_id = 2;
    path_command(&c, -EEXIST); // its endpoint, though of another NSE
    c.nsvc.peer_port++;
    path_do(&c);
    c.nsvc.nsvc_id = 3;
    path_command(&c, -EEXIST);
    DO(nsvc_remove, 2);
    path_do(&c);
    TRY(-ENOENT, nsvc_remove, 2);
    TRY(-ENOENT, nsvc_weight, .nsvc_id = 2, .weight = 1);
    TRY(-ERANGE, nsvc_weight, .nsvc_id = 20, .weight = 1);
    path_close();
}

static void sixteen_nsvcs_are_an_nses(void **state)
{
    struct command c;
    (void)state;
    open_two(); // one each
    for (uint32_t id = 2; id < 17; id++) {
        c = path_nsvc_command(id, 0, false, 1);
        path_do(&c);
    }
    c = path_nsvc_command(17, 0, false, 1);
    path_command(&c, -ENOSPC);
    c.nsvc.nse_id = 1;
    path_do(&c);
    DO(nsvc_remove, 9);
    c = path_nsvc_command(9, 0, false, 1);
    path_do(&c);
    c = path_nsvc_command(18, 0, false, 1);
    path_command(&c, -ENOSPC);
    path_close();
}

static void a_peer_is_of_a_family_that_the_port_has(void **state)
{
    const struct ipv6_address v4 = address_of_ipv4(0x0a000009), v6 = {{0xfd, [15] = 9}};
    struct dp_config c = some_nses();
    (void)state;
    c.gn.address = 0;
    c.gb.address6 = (struct ipv6_address){{0}};
    path_open_small_config(&c);
    p.hold_frames = true;
    TRY(-EAFNOSUPPORT, ggsn, .address = v4);
    TRY(-EAFNOSUPPORT, nsvc, .nsvc_id = 1, .peer_address = v6, .peer_port = 1, .weight = 1);
    DO(ggsn, .address = v6);
    DO(nsvc, .nsvc_id = 1, .peer_address = v4, .peer_port = 1, .weight = 1);
    path_close();
}

static void a_peer_is_another_station(void **state)
{
    struct dp_config c = some_nses();
    const struct ipv6_address bad[] = {{{0}},
                                       {{0xff, 2, [15] = 1}},
                                       address_of_ipv4(0),
                                       address_of_ipv4(0xe0000001),
                                       address_of_ipv4(0xefffffff),
                                       address_of_ipv4(0xffffffff)};
    (void)state;
    path_open_small_config(&c);
    p.hold_frames = true;
    for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        TRY(-EADDRNOTAVAIL, ggsn, .address = bad[i]);
        TRY(-EADDRNOTAVAIL, nsvc, .nsvc_id = 1, .peer_address = bad[i], .peer_port = 1);
    }
    TRY(-EADDRNOTAVAIL, ggsn, .address = c.gn.address6);
    TRY(-EADDRNOTAVAIL, ggsn, .address = address_of_ipv4(c.gn.address));
    TRY(-EADDRNOTAVAIL, nsvc, .nsvc_id = 1, .peer_address = c.gb.address6, .peer_port = 1);
    TRY(-EADDRNOTAVAIL, nsvc, .nsvc_id = 1, .peer_address = address_of_ipv4(c.gb.address),
        .peer_port = 1);
    DO(ggsn, .ggsn_id = 0, .address = address_of_ipv4(0xdfffffff));
    DO(ggsn, .ggsn_id = 1, .address = c.gb.address6); // the other port's
    path_close();
}

static void a_ggsn_in_use_stays(void **state)
{
    struct ipv6_address v4 = address_of_ipv4(GGSN);
    (void)state;
    open_two();
    path_plain_ms(0, 0, 500);
    TRY(-ENOENT, pdp, .pdp_id = 1, .nsapi = 6, .sapi = 3, .has_ggsn_id = true, .ggsn_id = 1);
    TRY(-ERANGE, pdp, .pdp_id = 1, .nsapi = 6, .sapi = 3, .has_ggsn_id = true, .ggsn_id = 2);
    TRY(-ERANGE, ggsn, .ggsn_id = 2, .address = v4);
    DO(ggsn, .ggsn_id = 1, .address = v4);
    TRY(-EEXIST, ggsn, .ggsn_id = 1, .address = v4);
    DO(ggsn, .ggsn_id = 0, .address = v4); // two may be at one address
    for (uint32_t pdp = 1; pdp < 3; pdp++) {
        struct command c = {.op = COMMAND_pdp,
                            .pdp = {.pdp_id = pdp,
                                    .nsapi = (uint8_t)(5 + pdp),
                                    .sapi = 3,
                                    .has_ggsn_id = true,
                                    .ggsn_id = 1}};
        assert_true(dp_command(p.dp, &c) > 0);
    }
    DO(ggsn_remove, 0);
    TRY(-ENOENT, ggsn_remove, 0);
    TRY(-EBUSY, ggsn_remove, 1);
    DO(pdp_remove, 1);
    TRY(-EBUSY, ggsn_remove, 1);
    DO(pdp_remove, 2);
    DO(ggsn_remove, 1);
    TRY(-ERANGE, ggsn_remove, 2);
    path_close();
}

static void sizes(void **state)
{
    static uint8_t pdu[65537];
    static const uint8_t capability[48];
    (void)state;
    open_two();
    path_plain_ms(0, 0, 500);
    TRY(-ERANGE, send, 0, {pdu, 0});
    for (uint32_t n = 65507; n <= sizeof pdu; n++) // also more than 16 bits can tell
        TRY(-EMSGSIZE, send, 0, {pdu, n});
    TRY(-EMSGSIZE, send, 0, {pdu, 3000});
    TRY(-ENOENT, send, 5, {pdu, 1});
    TRY(-ERANGE, send, 20, {pdu, 1});
    TRY(0, send, 0, {pdu, 1500});
    // The largest of each together, 50, 10, 4 and 3 octets, have room.
    TRY(0, ms_options, .has_ra_capability = true, .ra_capability = {capability, 48},
        .has_imsi = true, .imsi = {"001010123456789"}, .has_drx = true, .has_priority = true);
    TRY(-EMSGSIZE, ms_options, .has_imsi = true, .imsi = {"1234"});
    TRY(-ENOENT, ms_options, .ms_id = 1);
    TRY(-ERANGE, ms_options, .ms_id = PATH_MSS);
    path_close();
}

// An IMSI of 15 digits is 10 octets, DRX parameters are 4. What is refused leaves what was there.
static void options_longer_than_the_room_are_refused(void **state)
{
    (void)state;
    for (uint32_t room = 9; room <= 10; room++) {
        struct dp_config c = path_small_config(16, 16);
        c.ms_options_octets = room;
        path_open_small_config(&c);
        path_plain_ms(0, 0, 500);
        TRY(0, ms_options, .has_imsi = true, .imsi = {"0010101234567"}); // 9 octets
        TRY(room < 10 ? -EMSGSIZE : 0, ms_options, .has_imsi = true, .imsi = {"001010123456789"});
        TRY(-EMSGSIZE, ms_options, .has_imsi = true, .imsi = {"00101"}, .has_drx = true,
            .has_priority = true);
        path_poll();
        assert_int_equal(p.worker->state.ms[0].options, room);
        path_close();
    }
}

static void without_room_there_is_only_nothing(void **state)
{
    struct dp_config c = path_small_config(16, 16);
    (void)state;
    c.ms_options_octets = 0;
    path_open_small_config(&c);
    path_plain_ms(0, 0, 500);
    TRY(-EMSGSIZE, ms_options, .has_priority = true);
    TRY(0, ms_options, .ms_id = 0);
    path_poll();
    assert_int_equal(p.worker->state.ms[0].options, 0);
    path_close();
}

static void an_lles_n201_u(void **state)
{
    (void)state;
    path_open_small(16, 16);
    path_plain_ms(0, 0, 500);
    TRY(-ERANGE, ms_n201_u, .sapi = 4, .n201_u = 500);
    TRY(-ERANGE, ms_n201_u, .sapi = 3, .n201_u = 139);
    TRY(-ERANGE, ms_n201_u, .sapi = 3, .n201_u = 1521);
    TRY(-ENOENT, ms_n201_u, .ms_id = 1, .sapi = 3, .n201_u = 500);
    TRY(0, ms_n201_u, .sapi = 11, .n201_u = 140);
    path_close();
}

static void an_nse_with_nsvcs_or_cells_stays(void **state)
{
    (void)state;
    open_two();
    TRY(-EBUSY, nse_remove, 1);
    DO(bvc_remove, 1);
    TRY(-EBUSY, nse_remove, 1);
    DO(nsvc_remove, 1);
    DO(nse_remove, 1);
    TRY(-ENOENT, nse_remove, 1);
    path_close();
}

// Until its worker has confirmed it, nothing of a cell that is removed is there, and nothing free.
static void a_cell_on_its_way_out(void **state)
{
    (void)state;
    open_two();
    path_plain_ms(0, 0, 500);
    DO(nsvc_remove, 1);
    TRY(0, bvc_remove, 1);
    TRY(-ENOENT, bvc_remove, 1);
    TRY(-ENOENT, bvc_bucket, .bvc_id = 1);
    TRY(-ENOENT, bvc_reset, 1);
    TRY(-ENOENT, ms, .ms_id = 1, .bvc_id = 1, .tlli = 1, .n201_u = 500);
    TRY(-ENOENT, ms_move, .ms_id = 0, .bvc_id = 1);
    TRY(-EAGAIN, bvc, .bvc_id = 1, .nse_id = 0, .bvci = 9);
    TRY(-EAGAIN, bvc, .bvc_id = 2, .nse_id = 1, .bvci = 3); // its BVCI
    TRY(-EAGAIN, nse_remove, 1);
    path_poll();
    TRY(0, bvc, .bvc_id = 2, .nse_id = 1, .bvci = 3);
    TRY(0, bvc, .bvc_id = 1, .nse_id = 0, .bvci = 9);
    TRY(0, bvc_remove, 2);
    path_poll();
    TRY(0, nse_remove, 1);
    path_poll();
    path_close();
}

// What the worker would refuse, control does.
static void a_classs_values_go_together(void **state)
{
    struct dp_config config = some_nses();
    (void)state;
    path_set_aqm(&config.classes.item[2], "codel");
    path_open_small_config(&config);
    struct command good = {.op = COMMAND_class_set,
                           .class_set = {.traffic_class = 2,
                                         .weight = 1,
                                         .packets = 1,
                                         .octets = COMMAND_OCTETS_LEAST,
                                         .lifetime_ns = 9,
                                         .bss_least_ns = 9,
                                         .bss_most_ns = 9}};
    for (int i = 0; i < 8; i++) {
        struct command c = good;
        c.class_set.traffic_class = i == 0 ? CLASS_COUNT : 2;
        c.class_set.weight = i == 1 ? 0 : i == 2 ? SCHED_WEIGHT_MAX + 1 : 1;
        c.class_set.packets = i != 3;
        c.class_set.octets = COMMAND_OCTETS_LEAST - (i == 4);
        c.class_set.lifetime_ns = i == 5 ? 8 : 9;
        c.class_set.bss_most_ns = i == 6 ? 8 : 9;
        path_command(&c, i == 7 ? 0 : -ERANGE);
    }
    path_do(&good);
    good.class_set.lifetime_ns = good.class_set.bss_most_ns = 0; // for ever; no such limit
    path_do(&good);
    struct command aqm = {
        .op = COMMAND_class_aqm,
        .class_aqm = {.traffic_class = 2, .params = config.classes.item[2].aqm_params}};
    for (int i = 0; i < 6; i++) {
        struct command c = aqm;
        struct dp_aqm_param *target = &c.class_aqm.params.item[0];
        c.class_aqm.params.n += (uint64_t)(i == 0) - (i == 1);
        target->unit = i == 2 ? AQM_LEVEL_PDUS + 1 : target->unit;
        target->value = i == 3 ? 1ULL << AQM_LEVEL_UNIT_SHIFT : i == 4 ? S_IN_NS : target->value;
        c.class_aqm.params.item[1].value = i == 5 ? 1 : c.class_aqm.params.item[1].value;
        path_command(&c, i < 2 ? -EINVAL : -ERANGE);
    }
    path_do(&aqm);
    TRY(-EINVAL, class_aqm, .traffic_class = 3, .params = {.n = UINT64_MAX});
    TRY(-ERANGE, class_aqm, .traffic_class = CLASS_COUNT);
    DO(class_aqm, .traffic_class = 3);
    path_close();
}

static void who_is_named_has_to_be_there(void **state)
{
    (void)state;
    open_two();
    DO(ms, .ms_id = 0, .bvc_id = 0, .tlli = 7, .n201_u = 500);
    TRY(-ENOENT, bvc_block, 2, true);
    TRY(-ERANGE, bvc_block, 4, true);
    TRY(-ENOENT, bvc_credit, 2, 1);
    TRY(-ERANGE, bvc_credit, 4, 1);
    TRY(-ENOENT, ms_credit, 1, 1);
    TRY(-ERANGE, ms_credit, PATH_MSS, 1);
    TRY(-ENOENT, pfc_credit, 0, 0, 1);
    TRY(-ENOENT, pfc_credit, 1, 0, 1);
    TRY(-ERANGE, pfc_credit, PATH_MSS, 0, 1);
    TRY(-ERANGE, pfc_credit, 0, SCHED_SLOTS, 1);
    TRY(-ENOENT, ms_freeze, .ms_id = 1, .has_until_heard = true, .until_heard = true);
    path_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bvci_is_given_once_in_an_nse),
        cmocka_unit_test(a_tlli_is_given_once_in_an_nse),
        cmocka_unit_test(an_endpoint_is_one_nsvcs),
        cmocka_unit_test(sixteen_nsvcs_are_an_nses),
        cmocka_unit_test(a_peer_is_of_a_family_that_the_port_has),
        cmocka_unit_test(a_peer_is_another_station),
        cmocka_unit_test(a_ggsn_in_use_stays),
        cmocka_unit_test(sizes),
        cmocka_unit_test(options_longer_than_the_room_are_refused),
        cmocka_unit_test(without_room_there_is_only_nothing),
        cmocka_unit_test(an_lles_n201_u),
        cmocka_unit_test(an_nse_with_nsvcs_or_cells_stays),
        cmocka_unit_test(a_cell_on_its_way_out),
        cmocka_unit_test(a_classs_values_go_together),
        cmocka_unit_test(who_is_named_has_to_be_there),
    };
    return cmocka_run_group_tests_name("check", tests, path_start_eal, NULL);
}
