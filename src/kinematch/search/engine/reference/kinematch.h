// A motion-matching database of Kinematch without a library: reads the flat files, searches them, places a pose.
// Y up, Z forward, X left, right-handed; metres, seconds; quaternions w x y z. Port it line by line; check.cpp tells
// whether the port is right. Compile with -ffp-contract=off where the processor fuses multiply and add (ARM), or the
// last bit of costs may differ.
#pragma once
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace kinematch {
using Vec = std::array<float, 3>;
using Quat = std::array<float, 4>;

template <class T> std::vector<T> read(const std::string& path, size_t count) {  // little-endian, as most processors
    std::vector<T> values(count);
    FILE* file = fopen(path.c_str(), "rb");
    if (!file) throw std::runtime_error("no file " + path);
    bool whole = fread(values.data(), sizeof(T), count, file) == count && fgetc(file) == EOF;
    fclose(file);
    if (!whole) throw std::runtime_error(path + ": another size than expected");
    return values;
}
inline std::vector<std::string> read_lines(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}
inline Quat multiply(const Quat& a, const Quat& b) {  // b first, then a
    return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}
inline Vec rotate(const Quat& q, const Vec& v) {
    Quat r = multiply(multiply(q, {0, v[0], v[1], v[2]}), {q[0], -q[1], -q[2], -q[3]});
    return {r[1], r[2], r[3]};
}
struct Match { int frame; float cost; };

struct Database {
    int F, J, D, C, K, T, H;  // frames, joints, feature columns, clips, contacts, tags, trajectory columns
    int tail;                 // frames before the end of what a filter admits that are not jumped to
    float frame_rate;
    std::vector<int32_t> sizes, parents, contact_joints, clip_starts, clip_stops;
    std::vector<float> offsets, positions, rotations, velocities, angular_velocities, loop_positions, loop_rotations;
    std::vector<float> features, feature_offset, feature_scale, feature_weights, cost_factor;
    std::vector<uint8_t> contacts, clip_loops, tags, no_exit, trajectory_columns, targets, ends;
    std::vector<std::string> joint_names, clip_names, tag_names;

    explicit Database(const std::string& folder) {
        auto path = [&](const char* name) { return folder + "/" + name + ".bin"; };
        auto floats = [&](const char* name, size_t count) { return read<float>(path(name), count); };
        auto ints = [&](const char* name, size_t count) { return read<int32_t>(path(name), count); };
        auto bytes = [&](const char* name, size_t count) { return read<uint8_t>(path(name), count); };
        sizes = ints("sizes", 11);
        if (sizes[0] != 2) throw std::runtime_error("files of another version");
        F = sizes[1], J = sizes[2], D = sizes[3], C = sizes[4], K = sizes[5], T = sizes[6], H = sizes[9], tail = sizes[10];
        size_t f = F, fj = f * J;
        frame_rate = floats("frame_rate", 1)[0];
        parents = ints("parents", J), offsets = floats("offsets", 3 * J);
        positions = floats("positions", 3 * fj), rotations = floats("rotations", 4 * fj);
        velocities = floats("velocities", 3 * fj), angular_velocities = floats("angular_velocities", 3 * fj);
        contacts = bytes("contacts", f * K), contact_joints = ints("contact_joints", K);
        clip_starts = ints("clip_starts", C), clip_stops = ints("clip_stops", C), clip_loops = bytes("clip_loops", C);
        loop_positions = floats("loop_positions", 3 * C), loop_rotations = floats("loop_rotations", 4 * C);
        tags = bytes("tags", f * T), no_exit = bytes("no_exit", f), targets = bytes("targets", f), ends = bytes("ends", f);
        features = floats("features", f * D), cost_factor = floats("cost_factor", f);
        feature_offset = floats("feature_offset", D), feature_scale = floats("feature_scale", D);
        feature_weights = floats("feature_weights", D), trajectory_columns = bytes("trajectory_columns", D);
        joint_names = read_lines(folder + "/joints.txt"), clip_names = read_lines(folder + "/clips.txt");
        tag_names = read_lines(folder + "/tags.txt");
        weigh(feature_weights);
    }
    // Cost = sum over columns of weight * (query - feature)^2: both are scaled by the roots of the weights beforehand.
    void weigh(const std::vector<float>& weights) {
        roots.resize(D), weighted.resize(features.size());
        for (int d = 0; d < D; d++) roots[d] = std::sqrt(weights[d]);
        for (size_t i = 0; i < features.size(); i++) weighted[i] = features[i] * roots[i % D];
    }
    // The pose columns of the frame that plays, and a trajectory in physical units (m), in the root's axes.
    std::vector<float> make_query(int playing, const float* trajectory) const {
        std::vector<float> query(features.begin() + size_t(playing) * D, features.begin() + size_t(playing + 1) * D);
        for (int d = 0; d < D; d++)
            if (trajectory_columns[d]) query[d] = (*trajectory++ - feature_offset[d]) / feature_scale[d];
        return query;
    }
    // What an expression such as "walk & !(crouch | idle)" admits: frames with bit 1 may be jumped to, those with bit 2
    // may go on playing. Neither holds near the end of an admitted stretch. Make each once and keep it.
    std::vector<uint8_t> mask(const std::string& text) const {
        size_t at = 0;
        auto skip = [&] { while (at < text.size() && isspace((unsigned char)text[at])) at++; };
        skip();
        if (at == text.size()) return std::vector<uint8_t>(F, 3);
        std::vector<uint8_t> found = either(text, at, skip);
        if (at < text.size()) throw std::runtime_error("filter: expected the end at " + text.substr(at));
        for (auto& one : found) one = one ? 3 : 0;
        for (int c = 0; c < C; c++)
            for (int i = clip_starts[c], first = i; i < clip_stops[c]; i++) {
                if (found[i] == 0) { first = i + 1; continue; }
                if (i + 1 == clip_stops[c] || found[i + 1] != 0) continue;
                int half = (i + 1 - first) / 2;  // short stretches stay in reach
                for (int k = 0; k < std::min(tail, half); k++) found[i - k] &= k < std::min(tail / 2, half) ? 0 : 2;
            }
        return found;
    }
    // The nearest frame: the one that plays now (or -1) wins ties; of the others, the first.
    Match find(const std::vector<float>& query, int current, const std::vector<uint8_t>& mask, float stay_bias = 0,
               int ignore = 20) const {
        const float infinite = std::numeric_limits<float>::infinity();
        std::vector<float> q(D);
        for (int d = 0; d < D; d++) q[d] = query[d] * roots[d];
        int first = 0, last = 0, clip = 0;  // frames [first, last) around the current one are no targets
        if (current >= 0) {
            while (clip_stops[clip] <= current) clip++;
            first = std::max(current - ignore, clip_starts[clip]), last = std::min(current + ignore + 1, clip_stops[clip]);
        }
        bool stays = current >= 0 && (mask[current] & 2) && !ends[current];
        float staying = stays ? cost(current, q, infinite) : infinite, bound = staying - stay_bias;
        int best = -1;
        for (int i = 0; i < F; i++) {
            if (!targets[i] || !(mask[i] & 1) || (first <= i && i < last)) continue;
            float c = cost(i, q, cost_factor[i] == 1 ? bound : infinite) * cost_factor[i];
            if (c < bound) best = i, bound = c;
        }
        if (best >= 0) return {best, bound};
        return {staying < infinite ? current : -1, staying};
    }
    // Joints of a frame in the space of its clip, joint 0 the root on the ground.
    std::vector<Vec> place(int frame) const {
        std::vector<Vec> at(J);
        std::vector<Quat> turn(J);
        for (int j = 0; j < J; j++) {
            const float *p = &positions[3 * (size_t(frame) * J + j)], *r = &rotations[4 * (size_t(frame) * J + j)];
            at[j] = {p[0], p[1], p[2]}, turn[j] = {r[0], r[1], r[2], r[3]};
            if (parents[j] < 0) continue;
            Vec local = rotate(turn[parents[j]], at[j]);
            for (int k = 0; k < 3; k++) at[j][k] = at[parents[j]][k] + local[k];
            turn[j] = multiply(turn[parents[j]], turn[j]);
        }
        return at;
    }

private:
    std::vector<float> roots, weighted;
    float cost(int frame, const std::vector<float>& q, float limit) const {
        const float* row = &weighted[size_t(frame) * D];
        float total = 0;
        for (int d = 0; d < D && total <= limit; d++) total += (q[d] - row[d]) * (q[d] - row[d]);
        return total;
    }
    template <class Skip> std::vector<uint8_t> either(const std::string& text, size_t& at, Skip skip) const {
        std::vector<uint8_t> found = both(text, at, skip);
        while (at < text.size() && text[at] == '|') {
            at++, skip();
            std::vector<uint8_t> other = both(text, at, skip);
            for (int i = 0; i < F; i++) found[i] |= other[i];
        }
        return found;
    }
    template <class Skip> std::vector<uint8_t> both(const std::string& text, size_t& at, Skip skip) const {
        std::vector<uint8_t> found = single(text, at, skip);
        while (at < text.size() && text[at] == '&') {
            at++, skip();
            std::vector<uint8_t> other = single(text, at, skip);
            for (int i = 0; i < F; i++) found[i] &= other[i];
        }
        return found;
    }
    template <class Skip> std::vector<uint8_t> single(const std::string& text, size_t& at, Skip skip) const {
        std::vector<uint8_t> found;
        if (at < text.size() && text[at] == '!') {
            at++, skip();
            found = single(text, at, skip);
            for (auto& one : found) one = !one;
            return found;
        }
        if (at < text.size() && text[at] == '(') {
            at++, skip();
            found = either(text, at, skip);
            if (at == text.size() || text[at++] != ')') throw std::runtime_error("filter: expected ')'");
        } else {
            size_t stop = text.find_first_of("&|!() \t", at);
            std::string name = text.substr(at, stop == std::string::npos ? stop : stop - at);
            at += name.size();
            int tag = 0;
            while (tag < T && tag_names[tag] != name) tag++;
            if (tag == T) throw std::runtime_error("filter: no tag '" + name + "'");
            for (int i = 0; i < F; i++) found.push_back(tags[size_t(i) * T + tag]);
        }
        skip();
        return found;
    }
};
}  // namespace kinematch
