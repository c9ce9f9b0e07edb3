"""What a lab's traffic, its verdict and its page have in common."""

WARM_S = 40  # of the download, before the figures: sluice learns the radio's rate in 25 s
RATE_A_PDCH = 1500  # octets/s at CS-2
PDU_OCTETS = 1411  # a full N-PDU of 1400 octets with SNDCP and LLC
