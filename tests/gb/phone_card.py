"""The card of a GPRS phone, and its ciphers, for phone.py. Milenage, GEA3 and GEA4 are libosmogsm's; what a card makes
of them is written from TS 33.102 and 31.102.

    card = Card(k, opc, kind="usim")       or "sim", which knows neither AUTN nor RES of eight octets
    card.answer(rand, autn)                Answer(res, kc, kc128), or Refusal(cause, auts)
    card.seen                              SEQ of the last vector that it took, by index; a larger one is newer
    encipher(gea, key, frame, iov_ui, direction, oc)     a UI frame with its key stream
    given(iov_ui, sapi, nu, oc)                          INPUT
"""

import collections
import ctypes
import ctypes.util
import hashlib
import hmac

Answer = collections.namedtuple("Answer", "res kc kc128")
Refusal = collections.namedtuple("Refusal", "cause auts")
MAC_FAILURE, SYNCH_FAILURE = 20, 21
INDEX_BITS = 5
DELTA = 2**28  # 33.102 annex C.2.1: a SEQ so far ahead is refused, too
OSMOGSM = ctypes.CDLL(ctypes.util.find_library("osmogsm"))


def xor(one, other):
    return bytes(a ^ b for a, b in zip(one, other))


class Card:
    def __init__(self, k, opc, kind="usim", seq=0):
        self.k, self.opc, self.kind = bytes(k), bytes(opc), kind
        self.seen = dict.fromkeys(range(2**INDEX_BITS), seq)

    def keys(self, rand):
        """RES, CK, IK, AK, AK*."""
        room = [ctypes.create_string_buffer(octets) for octets in (8, 16, 16, 6, 6)]
        OSMOGSM.milenage_f2345(self.opc, self.k, rand, *room)
        return [one.raw for one in room]

    def mac(self, rand, sqn, amf):
        """MAC-A, MAC-S."""
        room = [ctypes.create_string_buffer(8) for _ in range(2)]
        OSMOGSM.milenage_f1(self.opc, self.k, rand, sqn, amf, *room)
        return [one.raw for one in room]

    def answer(self, rand, autn):
        res, ck, ik, ak, ak_star = self.keys(rand)
        kc = xor(xor(ck[:8], ck[8:]), xor(ik[:8], ik[8:]))
        if self.kind == "sim" or autn is None:
            return Answer(xor(res[:4], res[4:]), kc, None)
        sqn = xor(autn[:6], ak)
        if self.mac(rand, sqn, autn[6:8])[0] != autn[8:]:
            return Refusal(MAC_FAILURE, None)
        number = int.from_bytes(sqn, "big")
        seq, index = number >> INDEX_BITS, number % 2**INDEX_BITS
        if seq <= self.seen[index] or seq - self.seen[index] > DELTA:
            highest = max(seq << INDEX_BITS | index for index, seq in self.seen.items()).to_bytes(6, "big")
            return Refusal(SYNCH_FAILURE, xor(highest, ak_star) + self.mac(rand, highest, b"\0\0")[1])
        self.seen[index] = seq
        return Answer(res, kc, hmac.new(ck + ik, b"\x32", hashlib.sha256).digest()[:16])


def given(iov_ui, sapi, nu, oc):
    """INPUT of a UI frame."""
    return OSMOGSM.gprs_cipher_gen_input_ui(ctypes.c_uint32(iov_ui), ctypes.c_uint8(sapi), ctypes.c_uint32(nu),
                                            ctypes.c_uint32(oc)) & 0xFFFFFFFF


def encipher(gea, key, frame, iov_ui, direction, oc):
    sapi, nu = frame[0] & 15, (frame[1] & 7) << 6 | frame[2] >> 2
    stream = ctypes.create_string_buffer(len(frame) - 3)
    failed = OSMOGSM.gprs_cipher_run(stream, ctypes.c_uint16(len(stream)), gea, key,
                                     ctypes.c_uint32(given(iov_ui, sapi, nu, oc)), direction)
    if failed:
        raise RuntimeError(f"libosmogsm has no GEA{gea}")
    return frame[:3] + xor(frame[3:], stream.raw)
