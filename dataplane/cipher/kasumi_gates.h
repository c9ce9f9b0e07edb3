// The S-boxes of KASUMI as gates: the boolean equations of TS 35.202 clause 4.5 without their
// constants, so y = S(x) xor S(0), reduced by a search to few gates of at most three inputs. The
// including file defines V, a vector of bits; INLINE; and GATE(expression, table, a, b, c), which
// is the expression, or AVX-512's ternary logic instruction with the truth table over a, b, c,
// where a is the operand that the instruction overwrites.
// tests/dataplane/cipher/kasumi_gates_test.c checks both S-boxes against the published equations on
// every input.
#ifndef SLUICE_CIPHER_KASUMI_GATES_H
#define SLUICE_CIPHER_KASUMI_GATES_H

INLINE void gates_s7(const V x[7], V y[7])
{
    V t0 = GATE(~(x[1] & x[5]) & x[3], 0x4c, x[1], x[3], x[5]);
    V t1 = x[3] & x[5];
    V t2 = GATE((x[0] & x[4]) ^ t1, 0x78, t1, x[0], x[4]);
    V t3 = GATE((t0 ^ t2) & x[1], 0x28, t0, t2, x[1]);
    V t4 = GATE((~x[2] & x[5]) ^ t3, 0xd2, t3, x[2], x[5]);
    V t5 = GATE((x[4] & ~t1) ^ t4, 0xd2, t4, t1, x[4]);
    V t6 = GATE((x[6] ^ x[5]) & x[1], 0x48, x[6], x[1], x[5]);
    V t7 = GATE((~x[0] & x[6]) ^ t6, 0xd2, t6, x[0], x[6]);
    V t8 = GATE((x[2] & x[6]) ^ x[4], 0x6c, x[2], x[4], x[6]);
    V t9 = GATE((x[2] & t8) ^ t7, 0x78, t7, t8, x[2]);
    V t10 = x[3] & x[6];
    V t11 = GATE((x[5] & t8) ^ t10, 0x6c, t8, t10, x[5]);
    V t12 = GATE((~x[5] & x[2]) ^ t11, 0xd2, t11, x[5], x[2]);
    V t13 = GATE((x[6] & ~t12) ^ t9, 0xd2, t9, t12, x[6]);
    y[0] = GATE((~t13 & x[6]) ^ t5, 0xd2, t5, t13, x[6]);
    V t14 = x[0] & x[3];
    V t15 = GATE((x[1] & x[2]) ^ t14, 0x78, t14, x[1], x[2]);
    V t16 = GATE((x[5] & ~t15) ^ t13, 0xd2, t13, t15, x[5]);
    V t17 = GATE((x[1] ^ t8) & x[0], 0x48, t8, x[0], x[1]);
    y[1] = GATE(t16 ^ t7 ^ t17, 0x96, t16, t17, t7);
    V t18 = GATE((x[6] & ~t8) ^ t7, 0xc6, t8, t7, x[6]);
    V t19 = x[0] & x[5];
    V t20 = GATE((x[1] & x[4]) ^ t19, 0x78, t19, x[1], x[4]);
    V t21 = GATE((x[2] & x[3]) ^ t20, 0x78, t20, x[2], x[3]);
    V t22 = GATE((x[2] & t21) ^ t18, 0x78, t18, t21, x[2]);
    V t23 = GATE((~x[4] & t14) ^ t22, 0xb4, t22, t14, x[4]);
    V t24 = GATE((x[1] & x[6]) ^ t19, 0x78, t19, x[1], x[6]);
    y[2] = GATE((x[0] | t24) ^ t23, 0x1e, t23, t24, x[0]);
    V t25 = GATE((t21 & x[5]) ^ t8, 0x78, t8, t21, x[5]);
    V t26 = GATE((x[0] & x[2]) ^ t10, 0x78, t10, x[0], x[2]);
    V t27 = GATE((x[1] & ~t26) ^ t25, 0xd2, t25, t26, x[1]);
    V t28 = GATE((x[1] & t20) ^ t27, 0x78, t27, t20, x[1]);
    y[3] = GATE((~x[3] & x[4]) ^ t28, 0xd2, t28, x[3], x[4]);
    V t29 = GATE((x[5] ^ t14) & x[6], 0x28, t14, x[5], x[6]);
    V t30 = GATE(t26 ^ t3 ^ t0, 0x96, t3, t0, t26);
    V t31 = GATE((x[4] & t21) ^ t30, 0x78, t30, t21, x[4]);
    y[4] = GATE(t29 ^ t31 ^ t24, 0x96, t29, t31, t24);
    V t32 = GATE((x[3] ^ x[6]) & t15, 0x48, x[3], t15, x[6]);
    V t33 = GATE((~x[4] & t26) ^ t32, 0xb4, t32, t26, x[4]);
    y[5] = GATE(t33 ^ t12 ^ t24, 0x96, t33, t12, t24);
    V t34 = GATE((t15 ^ t7) & x[1], 0x28, t15, t7, x[1]);
    V t35 = t34 ^ t2;
    y[6] = GATE((x[6] & ~t21) ^ t35, 0xd2, t35, t21, x[6]);
}

INLINE void gates_s9(const V x[9], V y[9])
{
    V t0 = x[1] ^ x[4];
    V t1 = GATE(x[1] ^ x[5] ^ x[7], 0x96, x[1], x[5], x[7]);
    V t2 = t0 ^ t1;
    V t3 = x[2] ^ x[3];
    V t4 = GATE((x[8] & t2) ^ t3, 0x6c, t2, t3, x[8]);
    V t5 = GATE((x[5] & x[6]) ^ t4, 0x78, t4, x[5], x[6]);
    V t6 = GATE((x[2] & ~t1) ^ t5, 0xd2, t5, t1, x[2]);
    V t7 = x[0] ^ x[1];
    V t8 = x[2] ^ x[7];
    y[0] = GATE((t7 & t8) ^ t6, 0x78, t6, t7, t8);
    V t9 = GATE((t0 & t7) ^ x[6], 0x6a, t0, t7, x[6]);
    V t10 = GATE(x[7] ^ x[8] ^ t7, 0x96, t7, x[7], x[8]);
    V t11 = GATE(x[3] ^ t1 ^ t10, 0x96, t1, t10, x[3]);
    V t12 = GATE((x[5] & ~t11) ^ t9, 0xd2, t9, t11, x[5]);
    V t13 = GATE(x[1] ^ x[2] ^ x[3], 0x96, x[1], x[2], x[3]);
    V t14 = GATE((x[7] & t13) ^ t12, 0x78, t12, t13, x[7]);
    y[1] = GATE((x[3] & t8) ^ t14, 0x78, t14, t8, x[3]);
    V t15 = GATE((t1 ^ t13) & x[6], 0x28, t1, t13, x[6]);
    V t16 = GATE((x[7] & t2) ^ t15, 0x78, t15, t2, x[7]);
    V t17 = GATE((t11 & x[0]) ^ t16, 0x78, t16, t11, x[0]);
    V t18 = GATE((x[3] & x[4]) ^ t10, 0x78, t10, x[3], x[4]);
    y[2] = t17 ^ t18;
    V t19 = GATE((x[1] ^ x[6]) & x[3], 0x48, x[1], x[3], x[6]);
    V t20 = GATE((x[8] & ~t10) ^ t19, 0xc6, t10, t19, x[8]);
    V t21 = GATE((~x[2] & t0) ^ t20, 0x9c, t0, t20, x[2]);
    V t22 = GATE((~x[4] & x[7]) ^ t21, 0xd2, t21, x[4], x[7]);
    V t23 = x[3] ^ t7;
    V t24 = GATE(~(x[3] ^ x[6]) & t23, 0x90, t23, x[3], x[6]);
    y[3] = GATE(t22 ^ t24 ^ t2, 0x96, t22, t24, t2);
    V t25 = GATE((x[0] & t1) ^ t19, 0x78, t19, x[0], t1);
    V t26 = GATE((x[6] & x[7]) ^ x[4], 0x78, x[4], x[6], x[7]);
    V t27 = x[8] & t13;
    y[4] = GATE(t25 ^ t26 ^ t27, 0x96, t25, t26, t27);
    V t28 = GATE((x[6] & t10) ^ t4, 0x78, t4, t10, x[6]);
    V t29 = GATE((x[8] ^ t1) & x[4], 0x48, t1, x[4], x[8]);
    V t30 = GATE((x[3] & ~x[7]) ^ t29, 0xb4, t29, x[3], x[7]);
    y[5] = t28 ^ t30;
    V t31 = GATE((x[2] ^ t0) & x[5], 0x28, t0, x[2], x[5]);
    V t32 = GATE((x[3] & t13) ^ t31, 0x78, t31, x[3], t13);
    V t33 = GATE((~x[6] & t2) ^ t32, 0xb4, t32, t2, x[6]);
    V t34 = GATE(t33 ^ t26 ^ t20, 0x96, t33, t26, t20);
    y[6] = GATE((~x[8] & t11) ^ t34, 0xb4, t34, t11, x[8]);
    V t35 = GATE((x[5] & ~t2) ^ x[8], 0xc6, t2, x[8], x[5]);
    V t36 = GATE((~x[6] & t3) ^ t35, 0xb4, t35, t3, x[6]);
    V t37 = GATE((x[2] & x[7]) ^ t36, 0x78, t36, x[7], x[2]);
    y[7] = GATE((~t23 & t13) ^ t37, 0xd2, t37, t23, t13);
    V t38 = GATE((~x[2] & x[5]) ^ t27, 0xd2, t27, x[2], x[5]);
    V t39 = GATE((t11 ^ t3) | x[1], 0xbe, t11, t3, x[1]);
    V t40 = GATE(t38 ^ t39 ^ t18, 0x96, t38, t39, t18);
    y[8] = GATE((x[6] & t0) ^ t40, 0x78, t40, t0, x[6]);
}

#endif
