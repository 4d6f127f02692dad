// Answers the test vectors with kinematch.h: g++ -O2 -std=c++17 -ffp-contract=off check.cpp -o check && ./check .
#include "kinematch.h"

int main(int count, char** arguments) try {
    std::string folder = count > 1 ? arguments[1] : ".";
    kinematch::Database database(folder);
    auto path = [&](const char* name) { return folder + "/" + name + ".bin"; };
    auto floats = [&](const char* name, size_t n) { return kinematch::read<float>(path(name), n); };
    auto ints = [&](const char* name, size_t n) { return kinematch::read<int32_t>(path(name), n); };
    size_t N = database.sizes[7], P = database.sizes[8], D = database.D, H = database.H, J = database.J;
    auto playing = ints("query_poses", N), current = ints("query_current", N), filter = ints("query_filters", N);
    auto ignore = ints("query_ignore", N), frames = ints("found_frames", N), shown = ints("pose_frames", P);
    auto trajectories = floats("query_trajectories", N * H), bias = floats("query_stay_bias", N);
    auto queries = floats("queries", N * D), costs = floats("found_costs", N), placed = floats("pose_positions", 3 * P * J);
    std::vector<std::vector<uint8_t>> masks;
    for (auto& text : kinematch::read_lines(folder + "/filters.txt")) masks.push_back(database.mask(text));
    int wrong = 0;
    for (size_t n = 0; n < N; n++) {
        auto query = database.make_query(playing[n], trajectories.data() + n * H);
        for (size_t d = 0; d < D; d++) wrong += query[d] != queries[n * D + d];
        auto found = database.find(query, current[n], masks[filter[n]], bias[n], ignore[n]);
        if (found.frame == frames[n] && found.cost == costs[n]) continue;
        printf("query %zu: frame %d at cost %.9g, expected %d at %.9g\n", n, found.frame, found.cost, frames[n], costs[n]);
        wrong++;
    }
    double most = 0;
    for (size_t p = 0; p < P; p++) {
        auto joints = database.place(shown[p]);
        for (size_t k = 0; k < 3 * J; k++) most = std::fmax(most, std::fabs(joints[k / 3][k % 3] - placed[p * 3 * J + k]));
    }
    printf("%zu queries, %d differences; joints within %.1e\n", N, wrong, most);
    return wrong == 0 && most < 1e-3 ? 0 : 1;
} catch (const std::exception& error) {
    printf("%s\n", error.what());
    return 2;
}
