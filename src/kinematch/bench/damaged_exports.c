/* Give the loader of libkinematch damaged files: bytes changed at random, cut off, exchanged; half of them with a right
 * checksum again, so that the numbers themselves are looked at. Usage: damaged_exports FILE COUNT SEED. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "kinematch.h"

enum { CHECKSUM = 3, FILE_HEAD = 16, ARRAY_COUNT = 4, PATCH_COUNT = 5, ARRAY_WORDS = 24, PATCH_WORDS = 5 };
/* words of a table row and a patch that say what a number is, not where anything lies */
enum { STEP = 17, SPREAD = 18, IS_STATE = 19, PATCH_TARGET = 2, PATCH_FIXED = 3, PATCH_EACH = 4 };

static uint64_t state;
static uint64_t draw(uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 20) % below;
}

static void sign(uint64_t *words, size_t count) {
    uint64_t total = 0;
    for (size_t i = 0; i < count - CHECKSUM - 1; i++) {
        uint64_t mixed = (words[CHECKSUM + 1 + i] + i * 0xD1B54A32D192ED03u) * 0x9E3779B97F4A7C15u;
        total += mixed ^ (mixed >> 29);
    }
    words[CHECKSUM] = total >> 1;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    FILE *file = fopen(argv[1], "rb");
    if (!file) return 2;
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file), page = 4096, room = (size + 2 * page) / page * page;
    rewind(file);
    char *whole = malloc(size);
    if (!whole || fread(whole, 1, size, file) != size) return 2;
    fclose(file);
    /* files end where the next page may not be touched */
    char *memory = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + room, page, PROT_NONE)) return 2;
    state = strtoull(argv[3], NULL, 10) * 2 + 1;
    long refused = 0, played = 0;
    const int64_t *head = (const int64_t *)whole;
    const size_t table = (size_t)(ARRAY_WORDS * head[ARRAY_COUNT]), patches = (size_t)(PATCH_WORDS * head[PATCH_COUNT]);
    for (long k = 0; k < atol(argv[2]); k++) {
        size_t own = size;
        const uint64_t kind = draw(8);
        if (kind == 0) own = draw(size + 1); /* cut off */
        char *data = memory + room - own;
        memcpy(data, whole, own);
        if (kind >= 1 && kind <= 3)
            for (uint64_t n = 1 + draw(4); n; n--) data[draw(own)] ^= (char)(1 + draw(255));
        if (kind >= 4 && own % 8 == 0) { /* a number of head, table or patches, under a right checksum */
            uint64_t *words = (uint64_t *)data;
            static const uint64_t odd[] = {0, 1, 7, ~0ull, 1ull << 31, 1ull << 40, 1ull << 62, 1ull << 63};
            for (uint64_t n = 1 + draw(2); n; n--) {
                size_t word = draw(FILE_HEAD + table + patches);
                const size_t in_table = word - FILE_HEAD, in_patch = word - FILE_HEAD - table;
                const size_t column = in_table % ARRAY_WORDS, part = in_patch % PATCH_WORDS;
                if (word >= FILE_HEAD && word < FILE_HEAD + table && column >= STEP && column <= IS_STATE) continue;
                if (word >= FILE_HEAD + table && part >= PATCH_TARGET) continue; /* numbers of the step itself */
                words[word] = draw(2) ? odd[draw(8)] : words[word] ^ 1ull << draw(64);
            }
            sign(words, own / 8);
        }
        int32_t error = 0;
        kinematch_characters *characters = kinematch_load(data, (ptrdiff_t)own, (ptrdiff_t)(1 + draw(3)), &error);
        if (!characters) {
            if (error >= 0) return 1;
            refused++;
            continue;
        }
        kinematch_array found;
        kinematch_find(characters, "pose.global_positions", &found);
        kinematch_find(characters, "no such array", &found);
        if (memcmp(data, whole, size) == 0 && own == size) {
            if (kinematch_command(characters, 0, 0, 0, 1.2, 0, 0, 1, 0, 0) || kinematch_step(characters, 0.05) < 0) return 1;
            played++;
        }
        if (kinematch_free(characters)) return 1;
    }
    free(whole);
    printf("{\"refused\": %ld, \"played\": %ld}\n", refused, played);
    return 0;
}
