#!/usr/bin/python3
"""context() of the policy's script, for phones: it may refuse a context or lower its class, and nothing else; whatever it
does wrong costs nothing but a line, and the phone gets what it would have without it."""

from session_world import IMSI, Session, subscribed
from world import MS, S, case, main, new_folder, right, same

APNS = 'apn { name = "internet", default = true } apn { name = "video", class = "streaming" }'
TRAFFIC_CLASS = {1: "conversational", 2: "streaming", 3: "interactive", 4: "background"}  # 24.008 10.5.6.5, octet 6


def session(script):
    path = new_folder() / "policy.lua"
    path.write_text(script)
    more = f'policy {{ script = "{path}" }} {subscribed("interactive-1")}'
    return Session(more=more, apn=APNS, features=1)


def asks(s, phone, nsapi=5, **request):
    """Its context, or the cause with which it is refused."""
    phone.refused.clear()
    s.do(phone, phone.activate, nsapi=nsapi, **request)
    s.run(MS)
    return phone.contexts.get(nsapi) or phone.refused[-1][2]


def counted(s):
    return s.world.counted("hook_faults", "hook_cuts", "contexts_refused")


@case("it sees IMSI, APN, NSAPI and the class that the phone would get")
def event():
    with session('function context(e) log(table.concat({ e.imsi, e.apn, e.nsapi, e.class }, " ")) end') as s:
        phone = s.phone()
        asks(s, phone)
        asks(s, phone, 6, apn="VIDEO")
        right(s.lines(f"policy: {IMSI} internet 5 interactive-1"), s.world.log())
        right(s.lines(f"policy: {IMSI} video 6 streaming"), s.world.log())
        same(counted(s), (0, 0, 0), "faults, cuts, refused")
        s.left(2)


@case("a lower class is the context's everywhere: for the GGSN, the phone, its packet flow and its queue; its own is its own")
def lower():
    with session('function context(e) return { class = e.nsapi == 5 and "background" or e.class } end') as s:
        phone = s.phone()
        for nsapi, apn, klass, pfi in ((5, "internet", "background", 14), (6, "video", "streaming", 10)):
            context = asks(s, phone, nsapi, apn=apn)
            qos = s.ggsn.contexts[IMSI, nsapi].qos
            same(TRAFFIC_CLASS[qos[1 + 3] >> 5], klass, "what the GGSN is asked for, behind the priority")
            same(context.pfi, bytes([pfi]), "PFI")
            right(f"NSAPI {nsapi}: APN {apn}, address {context.address}, class {klass}," in s.world.ctl(f"phone {IMSI}")[1],
                  s.world.ctl(f"phone {IMSI}"))
        same(counted(s), (0, 0, 0), "faults, cuts, refused")
        s.left(2)


@case("a refusal: REJECT with its cause, one line that names the script, and the GGSN is not asked; a class beside it is nothing")
def refused():
    with session('function context(e) if e.apn == "video" then return { refuse = 33, class = "background" } end end') as s:
        phone = s.phone()
        same(asks(s, phone, apn="video"), 33, "the cause")
        same((s.ggsn.contexts, phone.contexts), ({}, {}), "contexts")
        right(s.lines("ACTIVATE REJECT 33 (service option not subscribed)", "policy"), s.world.log())
        same(counted(s), (0, 0, 1), "faults, cuts, refused")
        right(not isinstance(asks(s, phone), int), "another APN is not refused")
        s.left(1)
    for cause in 8, 111:  # the first and the last of 24.008 table 10.5.157
        with session(f"function context(e) return {{ refuse = {cause} }} end") as s:
            same(asks(s, s.phone()), cause, "the cause")
            same(counted(s), (0, 0, 1), "faults, cuts, refused")


@case("nothing may be raised or made up: a fault with its line, and what the phone would have without the script")
def wrong():
    for given in ('{ class = "conversational" }', '{ class = "signalling" }', '{ class = "none" }', "{ class = 6 }",
                  "{ class = {} }", "{ class = false }", "{ refuse = 7 }", "{ refuse = 112 }", "{ refuse = 26.5 }",
                  '{ refuse = "x" }', "{ refuse = true }", "{ refuse = -1, class = 'background' }"):
        with session(f"function context(e) return {given} end") as s:
            phone = s.phone()
            context = asks(s, phone, apn="video")
            right(not isinstance(context, int), f"{given}: refused with {context}")
            right("class streaming," in s.world.ctl(f"phone {IMSI}")[1], f"{given}: {s.world.ctl(f'phone {IMSI}')}")
            same(counted(s), (1, 0, 0), f"{given}: faults, cuts, refused")
            right(s.lines("policy.lua:1:", "context()"), f"{given}: {s.world.log()[-500:]}")
            s.left(1)
    for given, klass in (("nil", "streaming"), ("true", "streaming"), ('"background"', "streaming"), ("{}", "streaming"),
                         ('{ apn = "internet", cipher = "none" }', "streaming")):
        with session(f"function context(e) e.class, e.apn = 'background', 'internet' return {given} end") as s:
            phone = s.phone()
            asks(s, phone, apn="video")
            right("APN video," in s.world.ctl(f"phone {IMSI}")[1] and f"class {klass}," in s.world.ctl(f"phone {IMSI}")[1],
                  f"{given}: {s.world.ctl(f'phone {IMSI}')}")
            same(counted(s), (0, 0, 0), f"{given}: faults, cuts, refused")


@case("a script that fails or does not end: each phone gets its context, and the calls are counted")
def fails():
    for script, faults, cuts in (("error 'no'", 1, 0), ("while true do end", 0, 1), ("return nil + 1", 1, 0)):
        with session(f"function context(e) {script} end") as s:
            phone = s.phone()
            right(not isinstance(asks(s, phone), int), f"{script}: refused")
            same(counted(s), (faults, cuts, 0), f"{script}: faults, cuts, refused")
            s.do(phone, phone.detach)
            s.run(S)
            s.left()


main()
