#!/usr/bin/python3
"""The messages of GMM, SM (24.008) and GTPv1-C (29.060) as pycrate reads them, a second opinion on every one.

    pycrate.py [SEED [COUNT]]       COUNT samples of each message (100) with this seed (0)

e2e/wire_samples.lua makes structs and their octets. pycrate must decode the octets, encode what it found to the same
octets, and have our value of each field where PLACES says that the field is: a pattern for pycrate's name of the
element. A field without a word here fails. LIMITS has what pycrate cannot do, with the octets that it gets instead; a
row that pycrate no longer needs fails. pycrate is a package of PyPI and no part of Sluice's needs:

    pip install --target DIR pycrate && PYTHONPATH=DIR ./run soak pycrate
"""

import collections
import contextlib
import io
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))
os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))

from harness import same, sluice  # noqa: E402
from wire_frames import UPLINK  # noqa: E402

try:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        from pycrate_mobile.NAS import parse_NAS_MO, parse_NAS_MT
        from pycrate_mobile.TS29060_GTP import parse_GTP_GGSN, parse_GTP_SGSN
except ModuleNotFoundError as absent:
    sys.exit(f"pycrate is not installed ({absent}): pip install --target DIR pycrate && "
             "PYTHONPATH=DIR ./run soak pycrate")

Limit = collections.namedtuple("Limit", "why without names there instead")


def without_address(octets, pdu):
    """Without the element 128, and with the length of what is left."""
    element = b"\x80" + (2 + len(pdu["address"]["address"]) // 2).to_bytes(2, "big") + bytes(
        [0xF0 | pdu["address"]["organisation"], pdu["address"]["type"]]) + bytes.fromhex(pdu["address"]["address"])
    left = octets.replace(element, b"", 1)
    return left[:2] + (len(left) - 8).to_bytes(2, "big") + left[4:]


LIMITS = (
    Limit("no identity: it writes the filler as 0", (), ("gmm_attach_request", "gmm_identity_response"),
          lambda pdu: not pdu["identity"], lambda octets, _: octets.replace(b"\x01\xf0", b"\x01\x00", 1)),
    Limit("it leaves out the last element, tag B-, network features", ("network_features",),
          ("gmm_attach_accept", "gmm_update_accept"),
          lambda pdu: "network_features" in pdu, lambda octets, _: octets[:-1]),
    Limit("an UPDATE has either a GGSN's address of the MS or an SGSN's elements; samples have both",
          ("address.",), ("gtpc_update_request",), lambda pdu: "address" in pdu, without_address),
    Limit("it has the halves of octet 3 the wrong way round: the element that 9.4.15 lists first is in bits 4 to 1",
          (), ("gmm_update_accept",), lambda pdu: pdu["force_standby"] != pdu["result"],
          lambda octets, _: octets[:2] + bytes([octets[2] >> 4 | octets[2] << 4 & 255]) + octets[3:]),
)

# Where pycrate has a field, by its name in a flat struct; a record's fields have its name in front.
PLACES = {
    "address.address": r"\.Addr", "address.organisation": r"\.TypeOrg", "algorithm": "CiphAlgo.V",
    "address.type": r"(PDPAddr.PDPAddr|EndUserAddr.Data)\.Type", "apn": "APN.(APN|Data)",
    "area.lac": r"\.RAI.(RAI|Data).LAC", "area.rac": r"\.RAI.(RAI|Data).RAC", "area.plmn": r"\.RAI.(RAI|Data).PLMN",
    "attach_type": "AttachType.AttachType", "autn": "AUTN.AUTN", "auts": "AUTS.V",
    "cause": "(GMMCause.GMMCause|SMCause.SMCause|Cause.Data)", "charging_id": "ChargingID.Data", "cksn": "CKSN.V",
    "control_address": "(Signalling|ControlPlane).Data", "data_address": "UserTraffic.Data",
    "daylight_saving": "DLSavingTime.Value", "detach_type": "DetachType.DetachTypeM[OT]", "drx": "DRXParam.DRXParam",
    "equivalent_plmns": "PLMNList", "force_standby": "ForceStdby.V", "full_name": "NetFullName.NetworkName",
    "identity.imsi": r"\.ID", "identity.imei": r"\.ID", "identity.imeisv": r"\.ID", "identity.tmsi": "MSIdent.ID.TMSI",
    "imeisv": "(IMEI.Data|IMEISV.ID)", "imeisv_request": "IMEISVReq.V", "imsi": "IMSI.Data", "linked_ti": "LinkedTI.TI",
    "location": "ULI.Data", "msisdn": "MSISDN.Data.Num.E164",
    "net_capability": "MSNetCap.ms_network_capability_value_part",
    "npdu_numbers": "RcvNPDUNumList.V", "nsapi": "NSAPI.(NSAPI.Value|Data.Val)", "old_area.lac": "OldRAI.RAI.LAC",
    "old_area.rac": "OldRAI.RAI.RAC", "old_area.plmn": "OldRAI.RAI.PLMN", "old_signature": "PTMSISign.V",
    "options": "(ProtConfig.ProtConfig|PCO.Data)", "p_tmsi": "PTMSI.ID.TMSI", "pdp_status": "PDPCtxtStat.PDPCtxtStat",
    "pfi": "PacketFlowId.Value", "priority": "RadioPriority(.RadioPriority.Value|.V)",
    "priority_sms": "RadioPrioritySMS.V", "priority_tom8": "RadioPriorityTOM8.V", "qos": "(QoS.QoS|QoSProfile.Data)",
    "ra_capability": "MSRACap.ms_ra_capability_value_part", "rand": "RAND.V", "rat": "RATType.Data",
    "ready_timer_s": "READYTimer.GPRSTimer", "recovery": "Recovery.Data", "reference": "ACRef.V",
    "reorder": "ReorderingRequired.Data.Val", "res": "RES.V", "res_rest": "RESExt.V", "sapi": "LLC_SAPI.Value",
    "result": "(AttachResult.AttachResult|UpdateResult.UpdateResult)", "selection": "SelectionMode.Data.Val",
    "sequence": "GTPHdrOpt.SeqNum", "short_name": "NetShortName.NetworkName", "signature": "PTMSISign.V",
    "t3302_s": "T3302.GPRSTimer", "t3312_s": "PeriodicRAUpdateTimer.GPRSTimer", "t3346_s": "T3346.GPRSTimer",
    "tear_down": "TearDownInd.Value|TeardownInd.Data.Val", "teid": "GTPHdr.TEID", "teid_control": "TEIDCP.Data",
    "teid_data": "TEIDDataI.Data", "tft": "TFT.(TFT|Data)", "ti": "SMHeader.TIPD", "time": "TimeZoneTime",
    "time_zone": "LocalTimeZone.*", "tmsi_status": "TMSIStatus.Flag", "type": "IDType.V",
    "update_type": "UpdateType.UpdateType",
}


def read(name, octets):
    """pycrate's message, or None."""
    parsers = (parse_NAS_MO,) if name in UPLINK or name.endswith("_up") else (parse_NAS_MT,)
    if name.startswith("gtpc_"):
        parsers = parse_GTP_SGSN, parse_GTP_GGSN
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for parse in parsers:
            message, error = parse(octets)
            if not error:
                return message
    return None


def readings(element, path=""):
    """(path, what it may be: a number; octets in hex or digits), of an element and those in it."""
    if element.get_trans():
        return
    path += "." + element._name
    found, octets = {element.to_bytes().hex()}, element.to_bytes()
    if 0 < element.get_bl() <= 64:
        found.add(element.to_uint())
    if element._name == "GPRSTimer":
        unit = element["Unit"].get_val()
        found = {0xFFFFFFFF if unit == 7 else (2, 60, 360)[unit] * element["Value"].get_val()}
    elif element._name == "TIPD":
        found = {octets[0] >> 4}
    elif path.endswith("PDPCtxtStat.PDPCtxtStat"):
        found = {int.from_bytes(octets, "little")}
    elif hasattr(element, "decode"):
        word = element.decode()
        found |= set(map(str, word)) if isinstance(word, tuple) else {str(word)}
    yield path, found
    parts = [element.get_alt()] if hasattr(element, "get_alt") else getattr(element, "_content", [])
    for part in parts if isinstance(parts, list) else []:
        yield from readings(part, path)


def flat(pdu, front=""):
    for name, value in pdu.items():
        if isinstance(value, dict):
            if "mcc" in value:
                mnc, value = f"{value['mnc']:0{value['mnc_digits']}}", dict(value)
                value["plmn"] = f"{value.pop('mcc'):03}{mnc}"
                del value["mnc"], value["mnc_digits"]
            yield from flat(value, f"{front}{name}.")
        else:
            yield front + name, value


def fault_of(name, octets, pdu, limits):
    """A sentence, or None; `limits` are the rows that apply."""
    for limit in limits:
        octets = limit.instead(octets, pdu)
    message = read(name, octets)
    if message is None or message.to_bytes() != octets:
        return f"{octets.hex()}: pycrate makes of it {message and message.to_bytes().hex()}"
    found = list(readings(message))
    for field, value in flat(pdu):
        if any(field.startswith(limit.without) for limit in limits):
            continue
        if field not in PLACES:
            return f"{field}: no word here of where pycrate has it; add it to PLACES"
        places = [words for path, words in found if re.search(f"{PLACES[field]}$", path)]
        if not any(value in words for words in places):
            return f"{octets.hex()}: {field} is {value}; pycrate has {places}"
    return None


def main():
    seed, count = (int(word) for word in (sys.argv[1:] + ["0", "100"][len(sys.argv) - 1:]))
    done = sluice("lua", ROOT / "tests/e2e/wire_samples.lua", count, seed)
    same((done.returncode, done.stderr), (0, ""), "wire_samples.lua: exit status and stderr")
    samples, needed, whole, beyond = collections.defaultdict(list), collections.defaultdict(list), 0, 0
    for name, octets, pdu in (line.split("\t") for line in done.stdout.splitlines()):
        if name.startswith(("gmm_", "sm_", "gtpc_")):
            samples[name].append((bytes.fromhex(octets), json.loads(pdu)))
    verdicts = []

    def say(text, faults):
        verdicts.append(not faults)
        print(f"{'not ok' if faults else 'ok'} {len(verdicts)} - {text}" + "".join(f"\n    {f}" for f in faults[:3]))

    for name, of_name in samples.items():
        faults = []
        for octets, pdu in of_name:
            limits = [limit for limit in LIMITS if name in limit.names and limit.there(pdu)]
            fault = fault_of(name, octets, pdu, limits)
            faults += [fault] * bool(fault)
            whole += not limits and not fault
            beyond += bool(limits) and not fault
            for limit in limits:
                others = [other for other in limits if other is not limit]
                needed[limit.why].append(fault_of(name, octets, pdu, others) is not None)
        say(f"{name}: {len(of_name) - len(faults)} of {len(of_name)} samples", faults)
    for limit in LIMITS:
        tried = needed[limit.why]
        say(f"{limit.why}: {len(tried)} samples",
            [] if tried and all(tried) else [f"{tried.count(False)} of {len(tried)} pass without this row"])
    total = sum(map(len, samples.values()))
    print(f"seed {seed}: {total} samples of {len(samples)} messages; {whole} equal, {beyond} but for LIMITS")
    print(f"{sum(verdicts)} passed, {verdicts.count(False)} failed")
    return 0 if all(verdicts) and samples else 1


if __name__ == "__main__":
    sys.exit(main())
