#!/usr/bin/python3
"""sluice gi on captures with wrong checksums: what was corrupt on the line is left out; what the other end acknowledges
was not corrupt."""


from gi_capture import HOST, USER, Talk, gtp, merged, pcap, udp
from gi_report import begun, figures, footer, frames_of_some, read, saved
from harness import case, main, right, same, sluice


def wrong_ip(packet):
    return packet[:10] + bytes((packet[10] ^ 1,)) + packet[11:]


def wrong_tcp(packet):
    return packet[:36] + bytes((packet[36] ^ 1,)) + packet[37:]


def changed(frames, change, of=lambda packet: True):
    return [(time, change(packet) if of(packet) else packet) for time, packet in frames]


def is_up(packet):
    return packet[12] == 10


def sums(report):
    counts = report["counts"]
    return counts["ip_checksum"], counts["tcp_checksum"], counts["sums_taken"]


# --- Taken ----------------------------------------------------------------------------------------


@case("the card writes the checksums of the host that captures, be it the user's or the other one: all is read, and it is said")
def offload():
    frames = frames_of_some()
    wanted = figures(read(pcap(frames)))
    for of in (is_up, lambda packet: not is_up(packet), lambda packet: True):
        n = sum(of(packet) for _, packet in frames)
        report = read(pcap(changed(frames, wrong_tcp, of)))
        same((figures(report), sums(report)), (wanted, (0, 0, n)), "figures and counts")
    counts, _ = footer(pcap(changed(frames, wrong_tcp, is_up)))
    same([n for text, n in counts.items() if text.startswith("packets with a wrong checksum that were taken")], [5], "the footer")


@case("a file with other addresses, whose IPv4 checksums are as they were: all is read, in a tunnel too, with its other protocols")
def rewritten():
    frames = [*frames_of_some(), (3.6, udp((USER, 53), (HOST, 53), bytes(20)))]
    wanted = read(pcap(frames))
    report = read(pcap(changed(frames, wrong_ip)))
    same((figures(report), sums(report)), (figures(wanted), (0, 0, 11)), "figures and counts")
    report = read(pcap(changed(frames, lambda packet: wrong_ip(gtp(packet, 7)))))
    same((figures(report), sums(report), report["counts"]["tunnelled"]), (figures(wanted), (0, 0, 11), 11), "around a tunnel")
    report = read(pcap(changed(frames, lambda packet: gtp(wrong_ip(packet), 7))))
    same((figures(report), sums(report)), (figures(wanted), (0, 0, 11)), "in a tunnel")
    report = read(pcap(changed(frames, lambda packet: wrong_ip(wrong_tcp(packet)) if packet[9] == 6 else wrong_ip(packet))))
    same((figures(report), sums(report)), (figures(wanted), (0, 0, 11)), "of both")


@case("an ACK that comes behind more than 1024 frames: what had left by then is left out, and the rest is taken")
def late_evidence():
    others = [(0.01 + i / 1e5, udp(("10.0.1.1", 53), (HOST, 53), bytes(20))) for i in range(2000)]
    report = read(pcap(merged_with(changed(begun().data(1, 1).ack(1.5, 1001).frames, wrong_tcp, is_up), others)))
    same(sums(report), (0, 1, 2), "the SYN, and two ACKs")
    same(report["flows"][0]["outcome"], "no-syn", "outcome")


def merged_with(frames, others):
    return sorted([*frames, *others], key=lambda frame: frame[0])


# --- Left out -------------------------------------------------------------------------------------


@case("what was corrupt, is sent again right and then acknowledged: left out; so is what nobody acknowledges")
def corrupt():
    for change, kind in ((wrong_tcp, 1), (wrong_ip, 0)):
        one = (1, 0, 0) if kind == 0 else (0, 1, 0)
        talk = begun().data(1, 1).data(1.01, 1001).data(1.02, 2001).ack(1.6, 1001).ack(2, 1001).data(3, 1001).ack(3.5, 3001)
        frames = talk.frames
        frames[4] = (frames[4][0], change(frames[4][1]))
        report = read(pcap(frames))
        same((sums(report), report["flows"][0]["down_packets"], report["flows"][0]["down_lost_internet"]), (one, 4, 1), "sent again")
        frames = begun().data(1, 1).ack(1.5, 1001).data(2, 1001).frames
        frames[-1] = (frames[-1][0], change(frames[-1][1]))
        report = read(pcap(frames))
        same((sums(report), report["flows"][0]["down_packets"]), (one, 2), "not acknowledged")
        frames = begun().data(1, 1).ack(1.5, 1001).frames
        frames[-1] = (frames[-1][0], change(frames[-1][1]))
        same(sums(read(pcap(frames))), one, "an ACK, which nothing acknowledges")
        report = read(pcap(frames), options=("--take-bad-checksums",))
        same((sums(report), report["flows"][0]["up_packets"]), ((0, 0, 0), 3), "taken, as it was asked for")


@case("an ACK of another connection, or one of what was before, is no word for it")
def other_acks():
    frames = begun().data(1, 1).data(1.1, 1001).frames
    frames[-1] = (frames[-1][0], wrong_tcp(frames[-1][1]))
    before = begun().data(1, 1).data(1.1, 1001).ack(1.6, 1001).frames[-1:]
    other = Talk(user=("10.0.0.2", 40000)).setup(0, 0.1, 0.4).ack(1.7, 2001).frames
    for more in (before, other, [*before, *other]):
        same(sums(read(pcap(merged_with(frames, more)))), (0, 1, 0), "left out")
    after = begun().data(1, 1).data(1.1, 1001).ack(1.6, 2001).frames[-1:]
    same(sums(read(pcap(merged_with(frames, after)))), (0, 0, 1), "taken")


@case("other segments of the same end, right ones or wrong ones, are no repetition and do not hide what waits for its ACK")
def others_between():
    for change in (wrong_tcp, lambda packet: packet):
        talk = begun().data(1, 1).data(1.1, 1001).data(1.2, 2001).ack(1.6, 1001)
        talk.frames[3] = (1, wrong_tcp(talk.frames[3][1]))
        talk.frames[4:6] = [(time, change(packet)) for time, packet in talk.frames[4:6]]
        same(sums(read(pcap(talk.frames))), (0, 0, 3 if change is wrong_tcp else 1), "taken")


@case("more that was sent again than was acknowledged without: left out, also if a good copy was not captured")
def mostly_corrupt():
    talks, wrong = [], 0
    for i in range(9):
        talk = Talk(user=(f"10.0.3.{i}", 40000)).setup(i, 0.1, 0.4).data(i + 1, 1)
        talk.frames[-1] = (talk.frames[-1][0], wrong_tcp(talk.frames[-1][1]))
        wrong += 1
        if i % 3:
            talk.data(i + 2, 1)
        talks.append(talk.ack(i + 2.6, 1001))
    same(sums(read(pcap(merged(*talks)))), (0, wrong, 0), "left out")


@case("more flows at once with wrong checksums than are kept waiting, half of which are sent again: the same figures each time")
def more_than_wait():
    talks = []
    for i in range(2000):
        talk = Talk(user=(f"10.0.{i % 3}.{i % 7 + 1}", 20000 + i)).data(i / 100, 1)
        talk.frames[0] = (talk.frames[0][0], wrong_tcp(talk.frames[0][1]))
        talks.append(talk.data(i / 100 + 4, 1) if i % 2 else talk.ack(i / 100 + 4, 1001))
    found = [sums(read(pcap(merged(*talks)))) for _ in range(3)]
    same(found[1:], [found[0]] * 2, "counts of the same capture again")


@case("one direction alone, all of it with wrong checksums: status 1, and what to do")
def no_word():
    for change, text in ((wrong_tcp, "tcp_checksum"), (wrong_ip, "ip_checksum")):
        frames = [frame for frame in changed(frames_of_some(), change) if is_up(frame[1])]
        done = sluice("gi", saved(pcap(frames)))
        right(done.returncode == 1 and "--take-bad-checksums" in done.stderr.splitlines()[-1], done.stderr)
        report = read(pcap(frames), options=("--take-bad-checksums",))
        same((len(report["flows"]), report["counts"][text]), (1, 0), "taken, as it was asked for")


main()
