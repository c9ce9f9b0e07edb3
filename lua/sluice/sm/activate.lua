-- ACTIVATE PDP CONTEXT by the MS (TS 24.008 6.1.3.1): the context goes into the dataplane, the GGSN is asked, and the
-- phone gets an ACCEPT or a REJECT. The phone repeats its request, and the GGSN is asked by gtpc/, so nothing here has a
-- timer.
--
-- A request with the NSAPI or the TI of another context ends that one without a message (6.1.3.1.5, 8.3.2). The same
-- request again, octet for octet, gets the same ACCEPT again, and no other answer while the GGSN is asked.
local addresses = require "sluice.base.addresses"
local apn = require "sluice.sm.apn"
local causes = require "sluice.sm.causes"
local classes = require "classes"
local contexts = require "sluice.sm.contexts"
local count = require "count"
local features = require "sluice.bssgp.features"
local frames = require "sluice.gmm.frames"
local gtpc = require "sluice.gtpc.contexts"
local log = require "log"
local paths = require "sluice.gtpc.path"
local pdps = require "sluice.subscribers.contexts"
local place = require "sluice.gmm.place"
local policy = require "sluice.policy.hooks"
local procedure = require "sluice.phones.procedure"
local qos = require "sluice.sm.qos"
local refusals = require "sluice.phones.refusals"
local subscribers = require "sluice.subscribers.registry"

local activate = {}

local SM = causes.sm
local IETF, IPV4, IPV4V6 = 1, 33, 141
local NSAPI_LEAST, SAPI_DEFAULT = 5, 3
local IS_SAPI = { [3] = true, [5] = true, [9] = true, [11] = true }
local APN_OF_PHONE, APN_OF_NETWORK = 1, 2 -- selection mode: not verified, from the MS or from us

-- ---- Refusals ----

-- One line of the log and a REJECT.
local function refuse(phone, ti, cause, advice, options)
    count.add "contexts_refused"
    refusals.note(phone.imsi, causes.text("ACTIVATE REJECT", cause), cause, advice)
    contexts.send(phone, "sm_activate_reject", { ti = contexts.other_ti(ti), cause = cause, options = options })
    return "refused"
end

-- What cannot be served, whatever the configuration says: the cause and what to do about it.
local function fault_of(pdu)
    local address = pdu.address
    if pdu.nsapi < NSAPI_LEAST or pdu.sapi ~= 0 and not IS_SAPI[pdu.sapi] then
        return SM.mandatory, ("the phone asks for NSAPI %d on SAPI %d, which the specifications reserve"):format(
            pdu.nsapi, pdu.sapi)
    elseif address.organisation ~= IETF or address.type ~= IPV4 and address.type ~= IPV4V6 then
        return SM.type, ("the phone asks for a context of type %s; Sluice has IPv4 only; set the phone's APN to IPv4")
            :format(address.organisation ~= IETF and "PPP" or address.type == 87 and "IPv6" or address.type)
    end
end

-- ---- What the phone gets ----

-- A packet flow of its own for each class, if phone and BSS know packet flows (24.008 10.5.5.12, 48.018 11.3.45).
local FIRST_PFI = 8 -- those below mean something by themselves

local place_of_class = {}
for i, name in ipairs(classes) do
    place_of_class[name] = i - 1
end

local function pfi_of(phone, class)
    local second = (phone.net_capability or ""):byte(2) or 0
    local has = second & 0x80 ~= 0 and phone.nse.features & features.bit.pfc ~= 0
    return has and FIRST_PFI + place_of_class[class] or nil
end

-- ---- The GGSN's answer ----

local activation -- the procedure, below

local function failed(run, fault)
    local phone, context, path = run.phone, run.context, run.path
    local cause, advice = SM.network_failure, fault.why
    if fault.cause then
        cause, advice = causes.of_ggsn(fault.cause)
    end
    procedure.finish(run)
    contexts.drop(phone, context)
    return refuse(phone, context.ti, cause, ("GGSN %s (%s): %s"):format(path.name, path.shown, advice
        or "no answer to GTP-C on UDP 2123; check that it runs, the route to it and its firewall"), fault.options)
end

local function accept(run, tunnel)
    local phone, context = run.phone, run.context
    local address = addresses.ipv4_text(string.unpack(">I4", tunnel.address.address))
    pdps.set_tunnel(subscribers.of(phone.ms_id), context.nsapi, tunnel.data.ggsn_id, tunnel.teid_data, address)
    context.state, context.address, context.ggsn_teid = "active", address, tunnel.teid_data
    procedure.finish(run)
    count.add "contexts_made"
    log.debug(("IMSI %s: NSAPI %d has address %s of APN %s"):format(phone.imsi, context.nsapi, address, context.apn))
    context.accept = contexts.send(phone, "sm_activate_accept", {
        ti = contexts.other_ti(context.ti), sapi = context.sapi,
        qos = qos.for_phone(tunnel.qos, context.class, context.asked), priority = qos.radio_priority(context.class),
        address = tunnel.address, options = tunnel.options, pfi = context.pfi,
        cause = run.asked_for_both and SM.ipv4_only or nil,
    })
end

activation = {
    name = "ACTIVATE PDP CONTEXT",
    states = {
        ask = { got = { created = accept, refused = failed } },
    },
    stopped = function(run)
        contexts.drop(run.phone, run.context)
    end,
}

-- ---- Begin ----

-- path: to the GGSN.
local function begin(phone, pdu, octets, which, path, class)
    local nsapi, sapi = pdu.nsapi, pdu.sapi ~= 0 and pdu.sapi or SAPI_DEFAULT
    local context = {
        nsapi = nsapi, ti = pdu.ti, sapi = sapi, class = class, apn = which.name, ggsn = path.name,
        pfi = pfi_of(phone, class), state = "activating", request = octets, asked = pdu.qos,
    }
    local teid = pdps.add(subscribers.of(phone.ms_id), context)
    if not teid then
        return refuse(phone, pdu.ti, SM.resources, "no place for a context more: raise room.pdps, or room.worker_pdps")
    end
    context.teid, context.in_dataplane, phone.contexts[nsapi] = teid, true, context
    local run = procedure.begin(activation, phone, contexts.place(nsapi), octets)
    run.context, run.path, run.asked_for_both = context, path, pdu.address.type == IPV4V6
    procedure.enter(run, "ask")
    context.tunnel = gtpc.create({
        path = path, imsi = phone.imsi, nsapi = nsapi, teid = teid, area = place.area(phone.bvc),
        selection = pdu.apn and APN_OF_PHONE or APN_OF_NETWORK, apn = apn.octets(which.name), options = pdu.options,
        address = { organisation = IETF, type = IPV4, address = pdu.address.type == IPV4 and pdu.address.address or "" },
        qos = qos.for_ggsn(class),
    }, function(tunnel, fault)
        procedure.got(run, fault and "refused" or "created", fault or tunnel)
    end)
    return "handled"
end

local function end_others(phone, pdu)
    local of_ti = contexts.of_ti(phone, pdu.ti)
    for _, context in ipairs { phone.contexts[pdu.nsapi] or of_ti, of_ti } do -- which may be one
        contexts.drop(phone, context)
    end
end

-- A request that can be read.
local function take_new(phone, pdu, octets)
    local cause, advice = fault_of(pdu)
    if cause then
        return refuse(phone, pdu.ti, cause, advice)
    end
    local which, missing = apn.of(pdu.apn)
    if not which then
        return refuse(phone, pdu.ti, SM.apn, missing)
    end
    local class = qos.class(pdu.qos, phone.class, which.class)
    local refused
    refused, class = policy.context { imsi = phone.imsi, apn = which.name, nsapi = pdu.nsapi, class = class }
    if refused then
        return refuse(phone, pdu.ti, refused, "the policy's script has refused it")
    end
    local path = paths.named(which.ggsn)
    if path.state == "down" then
        return refuse(phone, pdu.ti, SM.network_failure, ("GGSN %s (%s) answers no GTP-C on UDP 2123; check that it"
            .. " runs, the route to it and its firewall"):format(path.name, path.shown))
    end
    return begin(phone, pdu, octets, which, path, class)
end

function activate.take(phone, pdu, octets)
    local same = contexts.of_ti(phone, pdu.ti)
    if same and same.request == octets and same.state ~= "deactivating" then
        local run = procedure.of(phone, contexts.place(same.nsapi))
        if not (run and procedure.again(run, octets)) and same.accept then
            frames.send(phone, same.accept)
        end
        return "handled"
    end
    end_others(phone, pdu)
    return take_new(phone, pdu, octets)
end

return activate
