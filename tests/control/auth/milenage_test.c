// Milenage by the 20 sets of 3GPP TS 35.208 clause 4.3, typed. Its sets have no SRES, Kc or Kc128:
// those are Osmocom's in tests/gb/milenage.py. And where a processor has no AES instructions it
// says so.
#include "control/auth/milenage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// In hexadecimal digits, as the specification prints them.
static const struct set {
    const char *k, *opc, *rand, *sqn, *amf, *f1, *f1_star, *f2, *f3, *f4, *f5, *f5_star;
} sets[] = {
    {"465b5ce8b199b49faa5f0a2ee238a6bc", "cd63cb71954a9f4e48a5994e37a02baf",
     "23553cbe9637a89d218ae64dae47bf35", "ff9bb4d0b607", "b9b9", "4a9ffac354dfafb3",
     "01cfaf9ec4e871e9", "a54211d5e3ba50bf", "b40ba9a3c58b2a05bbf0d987b21bf8cb",
     "f769bcd751044604127672711c6d3441", "aa689c648370", "451e8beca43b"},
    {"465b5ce8b199b49faa5f0a2ee238a6bc", "cd63cb71954a9f4e48a5994e37a02baf",
     "23553cbe9637a89d218ae64dae47bf35", "ff9bb4d0b607", "b9b9", "4a9ffac354dfafb3",
     "01cfaf9ec4e871e9", "a54211d5e3ba50bf", "b40ba9a3c58b2a05bbf0d987b21bf8cb",
     "f769bcd751044604127672711c6d3441", "aa689c648370", "451e8beca43b"},
    {"fec86ba6eb707ed08905757b1bb44b8f", "1006020f0a478bf6b699f15c062e42b3",
     "9f7c8d021accf4db213ccff0c7f71a6a", "9d0277595ffc", "725c", "9cabc3e99baf7281",
     "95814ba2b3044324", "8011c48c0c214ed2", "5dbdbb2954e8f3cde665b046179a5098",
     "59a92d3b476a0443487055cf88b2307b", "33484dc2136b", "deacdd848cc6"},
    {"9e5944aea94b81165c82fbf9f32db751", "a64a507ae1a2a98bb88eb4210135dc87",
     "ce83dbc54ac0274a157c17f80d017bd6", "0b604a81eca8", "9e09", "74a58220cba84c49",
     "ac2cc74a96871837", "f365cd683cd92e96", "e203edb3971574f5a94b0d61b816345d",
     "0c4524adeac041c4dd830d20854fc46b", "f0b9c08ad02e", "6085a86c6f63"},
    {"4ab1deb05ca6ceb051fc98e77d026a84", "dcf07cbd51855290b92a07a9891e523e",
     "74b0cd6031a1c8339b2b6ce2b8c4a186", "e880a1b580b6", "9f07", "49e785dd12626ef2",
     "9e85790336bb3fa2", "5860fc1bce351e7e", "7657766b373d1c2138f307e3de9242f9",
     "1c42e960d89b8fa99f2744e0708ccb53", "31e11a609118", "fe2555e54aa9"},
    {"6c38a116ac280c454f59332ee35c8c4f", "3803ef5363b947c6aaa225e58fae3934",
     "ee6466bc96202c5a557abbeff8babf63", "414b98222181", "4464", "078adfb488241a57",
     "80246b8d0186bcf1", "16c8233f05a0ac28", "3f8c7587fe8e4b233af676aede30ba3b",
     "a7466cc1e6b2a1337d49d3b66e95d7b4", "45b0f69ab06c", "1f53cd2b1113"},
    {"2d609d4db0ac5bf0d2c0de267014de0d", "c35a0ab0bcbfc9252caff15f24efbde0",
     "194aa756013896b74b4a2a3b0af4539e", "6bf69438c2e4", "5f67", "bd07d3003b9e5cc3",
     "bcb6c2fcad152250", "8c25a16cd918a1df", "4cd0846020f8fa0731dd47cbdc6be411",
     "88ab80a415f15c73711254a1d388f696", "7e6455f34cf3", "dc6dd01e8f15"},
    {"a530a7fe428fad1082c45eddfce13884", "27953e49bc8af6dcc6e730eb80286be3",
     "3a4c2b3245c50eb5c71d08639395764d", "f63f5d768784", "b90e", "53761fbd679b0bad",
     "21adfd334a10e7ce", "a63241e1ffc3e5ab", "10f05bab75a99a5fbb98a9c287679c3b",
     "f9ec0865eb32f22369cade40c59c3a44", "88196c47986f", "c987a3d23115"},
    {"d9151cf04896e25830bf2e08267b8360", "c4c93effe8a08138c203d4c27ce4e3d9",
     "f761e5e93d603feb730e27556cb8a2ca", "47ee0199820a", "9113", "66cc4be44862af1f",
     "7a4b8d7a8753f246", "4a90b2171ac83a76", "71236b7129f9b22ab77ea7a54c96da22",
     "90527ebaa5588968db41727325a04d9e", "82a0f5287a71", "527dbf41f35f"},
    {"a0e2971b6822e8d354a18cc235624ecb", "82a26f22bba9e9488f949a10d98e9cc4",
     "08eff828b13fdb562722c65c7f30a9b2", "db5c066481e0", "716b", "9485fe24621cb9f6",
     "bce325ce03e2e9b9", "4bc2212d8624910a", "08cef6d004ec61471a3c3cda048137fa",
     "ed0318ca5deb9206272f6e8fa64ba411", "a2f858aa9e5d", "74e76fbbec38"},
    {"0da6f7ba86d5eac8a19cf563ac58642d", "0db1071f8767562ca43a0a64c41e8d08",
     "679ac4dbacd7d233ff9d6806f4149ce3", "6e2331d692ad", "224a", "2831d7ae9088e492",
     "9b2e16951135d523", "6fc30fee6d123523", "69b1cae7c7429d975e245cacb05a517c",
     "74f24e8c26df58e1b38d7dcd4f1b7fbd", "4c539a26e1fa", "07861e126928"},
    {"77b45843c88e58c10d202684515ed430", "d483afae562409a326b5bb0b20c4d762",
     "4c47eb3076dc55fe5106cb2034b8cd78", "fe1a8731005d", "ad25", "08332d7e9f484570",
     "ed41b734489d5207", "aefa357beac2a87a", "908c43f0569cb8f74bc971e706c36c5f",
     "c251df0d888dd9329bcf46655b226e40", "30ff25cdadf6", "e84ed0d4677e"},
    {"729b17729270dd87ccdf1bfe29b4e9bb", "228c2f2f06ac3268a9e616ee16db4ba1",
     "311c4c929744d675b720f3b7e9b1cbd0", "c85c4cf65916", "5bb2", "ff794fe2f827ebf8",
     "24fe4dc61e874b52", "98dbbd099b3b408d", "44c0f23c5493cfd241e48f197e1d1012",
     "0c9fb81613884c2535dd0eabf3b440d8", "5380d158cfe3", "87ac3b559fb6"},
    {"d32dd23e89dc662354ca12eb79dd32fa", "d22a4b4180a5325708a5ff70d9f67ec7",
     "cf7d0ab1d94306950bf12018fbd46887", "484107e56a43", "b5e6", "cf19d62b6a809866",
     "5d269537e45e2ce6", "af4a411e1139f2c2", "5af86b80edb70df5292cc1121cbad50c",
     "7f4d6ae7440e18789a8b75ad3f42f03a", "217af49272ad", "900e101c677e"},
    {"af7c65e1927221de591187a2c5987a53", "a4cf5c8155c08a7eff418e5443b98e55",
     "1f0f8578464fd59b64bed2d09436b57a", "3d627b01418d", "84f6", "c37cae7805642032",
     "68cd09a452d8db7c", "7bffa5c2f41fbc05", "3f8c3f3ccf7625bf77fc94bcfd22fd26",
     "abcbae8fd46115e9961a55d0da5f2078", "837fd7b74419", "56e97a6090b1"},
    {"5bd7ecd3d3127a41d12539bed4e7cf71", "76089d3c0ff3efdc6e36721d4fceb747",
     "59b75f14251c75031d0bcbac1c2c04c7", "a298ae8929dc", "d056", "c3f25cd94309107e",
     "b0c8ba343665afcc", "7e3f44c7591f6f45", "d42b2d615e49a03ac275a5aef97af892",
     "0b3f8d024fe6bfafaa982b8f82e319c2", "5be11495525d", "4d6a34a1e4eb"},
    {"6cd1c6ceb1e01e14f1b82316a90b7f3d", "a219dc37f1dc7d66738b5843c799f206",
     "f69b78f300a0568bce9f0cb93c4be4c9", "b4fce5feb059", "e4bb", "69a90869c268cb7b",
     "2e0fdcf9fd1cfa6a", "70f6bdb9ad21525f", "6edaf99e5bd9f85d5f36d91c1272fb4b",
     "d61c853c280dd9c46f297baec386de17", "1c408a858b3e", "aa4ae52daa30"},
    {"b73a90cbcf3afb622dba83c58a8415df", "df0c67868fa25f748b7044c6e7c245b8",
     "b120f1c1a0102a2f507dd543de68281f", "f1e8a523a36d", "471b", "ebd70341bcd415b0",
     "12359f5d82220c14", "479dd25c20792d63", "66195dbed0313274c5ca7766615fa25e",
     "66bec707eb2afc476d7408a8f2927b36", "aefdaa5ddd99", "12ec2b87fbb1"},
    {"5122250214c33e723a5dd523fc145fc0", "981d464c7c52eb6e5036234984ad0bcf",
     "81e92b6c0ee0e12ebceba8d92a99dfa5", "16f3b3f70fc2", "c3ab", "2a5c23d15ee351d5",
     "62dae3853f3af9d2", "28d7b0f2a2ec3de5", "5349fbe098649f948f5d2e973a81c00f",
     "9744871ad32bf9bbd1dd5ce54e3e2e5a", "ada15aeb7bb8", "d461bc15475d"},
    {"90dca4eda45b53cf0f12d7c9c3bc6a89", "cb9cccc4b9258e6dca4760379fb82581",
     "9fddc72092c6ad036b6e464789315b78", "20f813bd4141", "61df", "09db94eab4f8149e",
     "a29468aa9775b527", "a95100e2760952cd", "b5f2da03883b69f96bf52e029ed9ac45",
     "b4721368bc16ea67875c5598688bb0ef", "83cfd54db913", "4f2039392ddc"},
};

static void octets_of(const char *digits, uint8_t *octets, size_t n)
{
    assert_int_equal(strlen(digits), 2 * n);
    for (size_t i = 0; i < n; i++) {
        const char pair[] = {digits[2 * i], digits[2 * i + 1], 0};
        octets[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
}

static void expect(const uint8_t *found, const char *digits)
{
    uint8_t octets[MILENAGE_BLOCK_OCTETS];
    size_t n = strlen(digits) / 2;
    octets_of(digits, octets, n);
    assert_memory_equal(found, octets, n);
}

static void sets_of_ts_35_208(void **state)
{
    (void)state;
    if (!milenage_ready())
        skip();
    for (const struct set *s = sets; s < sets + sizeof sets / sizeof *sets; s++) {
        struct milenage_card card;
        struct milenage_mac mac;
        struct milenage_keys keys;
        uint8_t rand[MILENAGE_BLOCK_OCTETS], sqn[MILENAGE_SQN_OCTETS], amf[MILENAGE_AMF_OCTETS];
        octets_of(s->k, card.k, sizeof card.k);
        octets_of(s->opc, card.opc, sizeof card.opc);
        octets_of(s->rand, rand, sizeof rand);
        octets_of(s->sqn, sqn, sizeof sqn);
        octets_of(s->amf, amf, sizeof amf);
        milenage_mac(&card, rand, sqn, amf, &mac);
        milenage_keys(&card, rand, &keys);
        expect(mac.a, s->f1);
        expect(mac.s, s->f1_star);
        expect(keys.res, s->f2);
        expect(keys.ck, s->f3);
        expect(keys.ik, s->f4);
        expect(keys.ak, s->f5);
        expect(keys.ak_star, s->f5_star);
    }
}

static void there_are_twenty(void **state)
{
    (void)state;
    assert_int_equal(sizeof sets / sizeof *sets, 20);
}

static void it_needs_aes_and_says_so(void **state)
{
    (void)state;
    assert_int_equal(milenage_ready(), !!__builtin_cpu_supports("aes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_of_ts_35_208),
        cmocka_unit_test(there_are_twenty),
        cmocka_unit_test(it_needs_aes_and_says_so),
    };
    return cmocka_run_group_tests_name("auth/milenage", tests, NULL, NULL);
}
