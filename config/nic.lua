-- A real network: two ports of a NIC, such as an X710's or two i225, GTP-U to and from a GGSN on
-- one, NS over UDP to and from a BSS on the other. Copy this file and change what is yours.
--
-- Before the first run, as root, once after each boot:
--     lspci -D | grep Ethernet                            the PCI addresses
--     modprobe vfio-pci                                   needs the IOMMU on; without one, in a VM:
--     echo 1 > /sys/module/vfio/parameters/enable_unsafe_noiommu_mode
--     dpdk-devbind.py --bind=vfio-pci 0000:01:00.0 0000:01:00.1
--                                   from the package dpdk; Linux does not see the ports any more
--     echo 512 > /proc/sys/vm/nr_hugepages                1 GiB; `sluice check` says how much a run
--                                   needs (memory_octets), and a NIC's DMA wants huge pages
-- Then:
--     sluice check config/nic.lua                         every default filled in, or what is wrong
--     sluice run config/nic.lua --out out/nic             until Ctrl-C, or SIGTERM
-- The GGSN has to know the TEIDs that we gave: out/nic/contexts.json has them, by IMSI and NSAPI,
-- from the moment that `up:` is printed. They depend on this file alone and not on the run.
run {
    name = "nic",
    clock = "real",             -- no lab { } and no end: there is a network, and it is not ours
    workers = 1,                -- each has a queue of both ports and whole NSEs; one carries Mpps
    cores = { 0, 1 },           -- control on 0, the worker on 1: better not two halves of one core
    -- user = "sluice",         -- whom it becomes once its ports are open, one that can read this
                                -- file; else who called sudo, else the package's sluice
    idle = "spin",              -- polls all the time, at 100 % of its core; "sleep" for a laboratory
}

-- Towards the GGSN. A port is a host: it answers ARP, neighbour discovery, ping and GTP echo.
gn {
    device = "0000:01:00.0",    -- its PCI address; or without vfio-pci net_af_packet0,iface=eth1,
                                -- whose MTU is 1500 at most
    address = "192.0.2.1",      -- ours for GTP-U, UDP port 2152
    prefix = 24,                -- what of it is the link's
    gateway = "192.0.2.254",    -- the router to all else; leave it out if the GGSN is on the link
    mtu = "1536 octets",        -- a packet of 1500 with GTP-U around it goes in one piece; if the
                                -- link carries no more than 1500, say so: it comes in fragments
    rx_frames = 4096,           -- descriptors of each queue: what may come while a worker is busy
}

-- Towards the BSS.
gb {
    device = "0000:01:00.1",
    address = "198.51.100.1",   -- what the BSS has for its SGSN
    port = 23000,               -- and its UDP port; no Ethernet address is needed, it is asked for
}

ggsn { name = "ggsn1", address = "192.0.2.2" }   -- where uplink packets go

nse {
    nsei = 101,                 -- as the BSS has it
    ns = "reset",               -- a real BSS: NS-VCs by NS-RESET, cells by BVC-RESET (the default)
    flow_control = "wait",      -- and nothing to a cell before its first FLOW-CONTROL-BVC: the BSS
                                -- says its rates, so none stand here. "open", for a BSS that never
                                -- says them: then rate and bucket of bvc { } hold until it does
    -- As many NS-VCs as the BSS has endpoints, and no more: the MSs are shared out among them, by
    -- weight. A second one: nsvc { nsvci = 102, peer = "198.51.100.3", peer_port = 23000, weight = 1 },
    nsvc { nsvci = 101, peer = "198.51.100.2", peer_port = 23000 },
    bvc {
        bvci = 2,                                -- the cell, as the BSS has it
        ms {
            imsi = "001010000000001", count = 100,   -- IMSI, TLLI, address and TEIDs count up
            n201_u = "1434 octets",                  -- the largest that an MTU of 1500 carries whole
            pdp {
                nsapi = 5, class = "background",
                address = "10.0.0.1",                -- the first MS's
                ggsn = "ggsn1",
                ggsn_teid = 0x00001000,              -- its tunnel at the GGSN, for the uplink
            },
        },
    },
}
