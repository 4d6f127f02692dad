/* Kinematch: characters that play motion as they are commanded, by motion matching.
 *
 * Metres, seconds and radians; right-handed, +Y up, +Z forward; quaternions are w, x, y, z.
 * No function keeps state outside of the handle, so threads may step different handles at once.
 * Functions return 0 or more, or an error below zero, whose text kinematch_error_text returns.
 */
#ifndef KINEMATCH_H
#define KINEMATCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Characters that are stepped together; one character is a crowd of one. */
typedef struct kinematch_characters kinematch_characters;

/* An array of the pose, the orders, the settings or the state, in the memory of the handle: valid until it is freed. */
typedef struct {
    void *data;
#if UINTPTR_MAX == 0xffffffff
    int32_t padding;
#endif
    int64_t kind;     /* a KINEMATCH_... below */
    int64_t rank;     /* axes */
    int64_t shape[5]; /* numbers along each; 1 beyond the last axis */
} kinematch_array;

enum { KINEMATCH_BOOL, KINEMATCH_INT8, KINEMATCH_UINT8, KINEMATCH_UINT16, KINEMATCH_INT32, KINEMATCH_INT64,
       KINEMATCH_FLOAT, KINEMATCH_DOUBLE };

/* ERRORS */

/* Load `count` characters from the bytes of a data file, which are copied. NULL where it fails; then *error, unless that
 * is NULL, is what went wrong. */
kinematch_characters *kinematch_load(const void *data, ptrdiff_t size, ptrdiff_t count, int32_t *error);

/* Give everything back. NULL is allowed. */
ptrdiff_t kinematch_free(kinematch_characters *characters);

/* What character n is to do from the next step on: a velocity in m/s and a direction to face along the ground of the
 * world (zeros keep the present one), and the numbers of a filter and a source in the lists of kinematch_about. */
ptrdiff_t kinematch_command(kinematch_characters *characters, ptrdiff_t n, double velocity_x, double velocity_y,
                            double velocity_z, double facing_x, double facing_y, double facing_z, ptrdiff_t filter,
                            ptrdiff_t source);

/* Move all characters on by dt seconds. Returns how many were reset, since their state was not finite. */
ptrdiff_t kinematch_step(kinematch_characters *characters, double dt);

/* What the characters stand on from the next step on: level ground, or a grid of heights in metres, heights[column *
 * rows + row] at x + cell * column and z + cell * row, bilinear between; beyond its edges it goes on level, or it repeats.
 * The heights stay yours and must live as long as they are stood on. */
enum { KINEMATCH_LEVEL, KINEMATCH_GRID, KINEMATCH_ASKED };
ptrdiff_t kinematch_ground(kinematch_characters *characters, ptrdiff_t kind, const float *heights, ptrdiff_t columns,
                           ptrdiff_t rows, double cell, double x, double z, ptrdiff_t repeats);

/* Ground that only you know (KINEMATCH_ASKED): in place of kinematch_step call kinematch_begin, read where the ground is
 * asked for from the array "instance.ground.points" (characters, 1 + legs, 2: x and z under the root and each toe), write
 * "work.heights" (characters, 1 + legs) and "work.normals" (characters, legs, 3), and call kinematch_finish. Steps
 * should be 0.02 s at most. */
ptrdiff_t kinematch_begin(kinematch_characters *characters, double dt);
ptrdiff_t kinematch_finish(kinematch_characters *characters);

/* Ask character n for an action from the next step on, by its number in the list "actions" of kinematch_about; -1 asks for
 * none. x, y, z and yaw are where its event is to be, `when` in how many seconds; NAN leaves them open. An action that
 * lasts goes on while it is asked for. "pose.acting" says what plays (-1 for nothing), "pose.refusals" why not. */
ptrdiff_t kinematch_act(kinematch_characters *characters, ptrdiff_t n, ptrdiff_t action, double x, double y, double z,
                        double yaw, double when);

/* Move character n and its body to a place, at rest; its clip goes on. */
ptrdiff_t kinematch_teleport(kinematch_characters *characters, ptrdiff_t n, double x, double y, double z, double yaw);

/* An array by its name, such as "pose.global_positions" (characters, joints, 3). */
ptrdiff_t kinematch_find(const kinematch_characters *characters, const char *name, kinematch_array *found);

/* How many characters there are. */
ptrdiff_t kinematch_count(const kinematch_characters *characters);

/* The description of the data file, in JSON: joints, parents, filters, sources, settings. */
const char *kinematch_about(const kinematch_characters *characters);

/* Everything that evolves, as bytes: their number; writing them; and going back to them, bit for bit. */
ptrdiff_t kinematch_state_size(const kinematch_characters *characters);
ptrdiff_t kinematch_save(const kinematch_characters *characters, void *bytes, ptrdiff_t size);
ptrdiff_t kinematch_restore(kinematch_characters *characters, const void *bytes, ptrdiff_t size);

/* A sentence for an error. */
const char *kinematch_error_text(ptrdiff_t error);

#ifdef __cplusplus
}
#endif
#endif
