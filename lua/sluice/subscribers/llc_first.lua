-- What holds between an MS and us before either has said XID (TS 44.064 table 9).
local llc_first = {
    user_sapis = { 3, 5, 9, 11 },
    N201_U_OCTETS = 500, -- of each of these
}

-- N201-U and IOV-UI that an MS of this record begins with. Where nothing is started by us, the
-- configuration says what has been agreed; else it says what we want, and the defaults hold.
function llc_first.values(nse_cfg, ms)
    if nse_cfg.ns == "manual" then
        return ms.n201_u_octets, ms.iov_ui
    end
    return math.min(ms.n201_u_octets, llc_first.N201_U_OCTETS), 0
end

return llc_first
