-- expect: 154_nsvcs_most_listed.lua:6: nse[1].nsvcs_most: found 5, allowed with dynamic = true or ns = "sns" only
run { name = "mistake", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "alive", nsvcs_most = 5,
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
