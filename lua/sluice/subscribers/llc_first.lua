-- The LLC parameters of an MS before any XID (TS 44.064 table 9).
local llc_first = {
    user_sapis = { 3, 5, 9, 11 },
    N201_U_OCTETS = 500, -- default of each of these SAPIs
}

-- The first N201-U and IOV-UI of an MS. A phone that has attached may have got an IOV-UI before it was an MS. With ns = "manual" no XID is sent, so the file's values are in
-- force; else the defaults are in force, and XID proposes the file's values.
function llc_first.values(nse_cfg, ms)
    if nse_cfg.ns == "manual" then
        return ms.n201_u_octets, ms.iov_ui
    end
    return math.min(ms.n201_u_octets, llc_first.N201_U_OCTETS), ms.iov_ui_in_force or 0
end

return llc_first
