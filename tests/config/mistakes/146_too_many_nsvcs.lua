-- expect: 146_too_many_nsvcs.lua:24: nse[1].nsvc[17].nsvci: found 17 NS-VCs up to here, allowed at most 16 in an NSE
run { name = "mistake", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    -- All at one BSS.
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_port = 23001, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 2, peer = "198.51.100.2", peer_port = 23002, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 3, peer = "198.51.100.2", peer_port = 23003, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 4, peer = "198.51.100.2", peer_port = 23004, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 5, peer = "198.51.100.2", peer_port = 23005, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 6, peer = "198.51.100.2", peer_port = 23006, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 7, peer = "198.51.100.2", peer_port = 23007, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 8, peer = "198.51.100.2", peer_port = 23008, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 9, peer = "198.51.100.2", peer_port = 23009, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 10, peer = "198.51.100.2", peer_port = 23010, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 11, peer = "198.51.100.2", peer_port = 23011, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 12, peer = "198.51.100.2", peer_port = 23012, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 13, peer = "198.51.100.2", peer_port = 23013, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 14, peer = "198.51.100.2", peer_port = 23014, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 15, peer = "198.51.100.2", peer_port = 23015, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 16, peer = "198.51.100.2", peer_port = 23016, peer_mac = "02:00:00:00:00:03" },
    nsvc { nsvci = 17, peer = "198.51.100.2", peer_port = 23017, peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
