-- expect: 155_cells_most_room.lua:5: room.bvcs: found 30, allowed no less than the file has, 31
run { name = "mistake", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
room { bvcs = 30 }
nse {
    nsei = 1, cells = "any", cells_most = 30,
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
