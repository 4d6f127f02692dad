/* One second of walking with libkinematch and character.dat; writes the global positions of all joints to the output. */
#include <stdio.h>
#include <stdlib.h>
#include "kinematch.h"
#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

int main(void) {
    FILE *file = fopen("character.dat", "rb");
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *bytes = malloc(size);
    if (fread(bytes, 1, size, file) != (size_t)size) return 1;
    int32_t error = 0;
    if (kinematch_load(bytes, size - 8, 1, &error) || error != KINEMATCH_CUT_SHORT) return 2;
    kinematch_characters *own = kinematch_load(bytes, size, 1, &error);
    free(bytes);
    if (!own) { puts(kinematch_error_text(error)); return 3; }
    for (int i = 0; i < 60; i++)
        if (kinematch_command(own, 0, 0, 0, 1.2, 0, 0, 1, 0, 0) < 0 || kinematch_step(own, 1.0 / 60) < 0) return 4;
    kinematch_array pose;
    if (kinematch_find(own, "pose.global_positions", &pose) < 0 || pose.kind != KINEMATCH_FLOAT) return 5;
#ifdef _WIN32
    _setmode(_fileno(stdout), _O_BINARY);
#endif
    fwrite(pose.data, 4, pose.shape[0] * pose.shape[1] * pose.shape[2], stdout);
    if (kinematch_free(own) < 0) return 6;
    return 0;
}
