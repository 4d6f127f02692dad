// Exact search with two levels of bounding boxes in time order (Holden et al. 2020), the strongest simple competitor: rows are
// padded to a constant number of columns and nothing exits early, so that the compiler vectorises every loop.
//
// Rows that are no targets are infinite, and boxes hold targets only, so the search tests neither.

#include <chrono>
#include <cmath>
#include <cstdint>

constexpr int COLUMNS = 32, SMALL = 16, LARGE = 64;  // columns of a row, frames of a box

struct Data {
    int64_t frames;
    const float *values, *stays;  // (frames, COLUMNS) weighted; infinite where not a target, or where it may not play on
    const float *small, *large;   // (boxes, 2, COLUMNS), lows and highs
    const int32_t *first, *last;  // (frames,) which frames are ignored while one plays
};

// Sums in any order, so that they are vectorised: exact but for the last bits of costs that are almost equal.
static inline float frame_cost(const float *row, const float *query) {
    float total = 0;
    for (int d = 0; d < COLUMNS; d++) {
        const float gap = query[d] - row[d];
        total += gap * gap;
    }
    return total;
}

static inline float larger(float a, float b) { return a > b ? a : b; }

static inline float box_cost(const float *box, const float *query) {
    float total = 0;
    for (int d = 0; d < COLUMNS; d++) {
        const float gap = larger(larger(box[d] - query[d], query[d] - box[COLUMNS + d]), 0.0f);
        total += gap * gap;
    }
    return total;
}

static int32_t search(const Data &data, const float *query, int32_t current, float *cost) {
    const bool plays = current >= 0;
    const int64_t first = plays ? data.first[current] : 0, last = plays ? data.last[current] : 0;
    float bound = plays ? frame_cost(data.stays + COLUMNS * int64_t(current), query) : INFINITY;
    int32_t best = bound < INFINITY ? current : -1;
    for (int64_t a = 0; a * LARGE < data.frames; a++) {
        if (box_cost(data.large + 2 * COLUMNS * a, query) >= bound) continue;
        for (int64_t b = a * (LARGE / SMALL); b < (a + 1) * (LARGE / SMALL) && b * SMALL < data.frames; b++) {
            if (box_cost(data.small + 2 * COLUMNS * b, query) >= bound) continue;
            for (int64_t i = b * SMALL; i < (b + 1) * SMALL && i < data.frames; i++) {
                const float found = frame_cost(data.values + COLUMNS * i, query);
                if (found < bound && !(first <= i && i < last)) bound = found, best = int32_t(i);
            }
        }
    }
    *cost = bound;
    return best;
}

extern "C" {

int64_t read_clock() {  // ns
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Write to every cache line of a block, which pushes everything else out of the caches.
int64_t flush_caches(int64_t address, int64_t size) {
    volatile char *block = reinterpret_cast<volatile char *>(address);
    for (int64_t i = 0; i < size; i += 64) block[i] = char(block[i] + 1);
    return size;
}

void time_searches(const Data *data, const float *queries, const int32_t *currents, int64_t count, int64_t block,
                   int64_t size, int32_t *frames, float *costs, int64_t *times) {
    for (int64_t n = 0; n < count; n++) {
        flush_caches(block, size);
        const int64_t began = read_clock();
        frames[n] = search(*data, queries + COLUMNS * n, currents[n], costs + n);
        times[n] = read_clock() - began;
    }
}
}
