// Kinematch for C++: handles that free themselves, and errors as exceptions. See kinematch.h.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinematch.h"

namespace kinematch {

class Error : public std::runtime_error {
public:
    explicit Error(ptrdiff_t number) : std::runtime_error(kinematch_error_text(number)), code(number) {}
    ptrdiff_t code;
};

inline ptrdiff_t check(ptrdiff_t result) {
    if (result < 0) throw Error(result);
    return result;
}

// A view of an array in the memory of its characters.
template <typename T>
struct View {
    T *data = nullptr;
    std::vector<int64_t> shape;
};

class Characters {
public:
    explicit Characters(const std::vector<char> &bytes, ptrdiff_t count = 1) {
        int32_t error = 0;
        own_.reset(kinematch_load(bytes.data(), static_cast<ptrdiff_t>(bytes.size()), count, &error));
        if (!own_) throw Error(error);
    }

    static Characters open(const std::string &path, ptrdiff_t count = 1) {
        std::ifstream file(path, std::ios::binary);
        if (!file) throw std::runtime_error(path + ": cannot be read");
        return Characters(std::vector<char>(std::istreambuf_iterator<char>(file), {}), count);
    }

    void command(const std::array<double, 3> &velocity, const std::array<double, 3> &facing = {}, ptrdiff_t n = 0,
                 ptrdiff_t filter = 0, ptrdiff_t source = 0) {
        check(kinematch_command(own_.get(), n, velocity[0], velocity[1], velocity[2], facing[0], facing[1], facing[2],
                                filter, source));
    }

    ptrdiff_t step(double dt) { return check(kinematch_step(own_.get(), dt)); }

    // A grid of heights in metres, which must live as long as it is stood on; see kinematch.h.
    void stand(const float *heights, ptrdiff_t columns, ptrdiff_t rows, double cell, double x = 0, double z = 0,
               bool repeats = false) {
        check(kinematch_ground(own_.get(), KINEMATCH_GRID, heights, columns, rows, cell, x, z, repeats));
    }

    void stand_level() { check(kinematch_ground(own_.get(), KINEMATCH_LEVEL, nullptr, 0, 0, 1, 0, 0, 0)); }

    // A step on ground that only you know: `find(x, z)` returns a height in metres.
    template <typename Find>
    void step(double dt, Find &&find) {
        check(kinematch_ground(own_.get(), KINEMATCH_ASKED, nullptr, 0, 0, 1, 0, 0, 0));
        check(kinematch_begin(own_.get(), dt));
        auto points = array<double>("instance.ground.points");
        auto heights = array<double>("work.heights"), normals = array<double>("work.normals");
        const int64_t each = points.shape[1];
        const double reach = 0.01;
        for (int64_t k = 0; k < points.shape[0] * each; k++) {
            const double x = points.data[2 * k], z = points.data[2 * k + 1];
            heights.data[k] = find(x, z);
            if (k % each == 0) continue;
            double *normal = normals.data + 3 * (k - k / each - 1);
            const double along_x = (find(x + reach, z) - find(x - reach, z)) / (2 * reach);
            const double along_z = (find(x, z + reach) - find(x, z - reach)) / (2 * reach);
            const double length = std::sqrt(along_x * along_x + along_z * along_z + 1);
            normal[0] = -along_x / length, normal[1] = 1 / length, normal[2] = -along_z / length;
        }
        check(kinematch_finish(own_.get()));
    }

    // An action by its number in the list "actions" of about(), or -1 for none; NAN leaves a place or heading open.
    void act(ptrdiff_t action, const std::array<double, 3> &target = {NAN, NAN, NAN}, double yaw = NAN, ptrdiff_t n = 0,
             double when = NAN) {
        check(kinematch_act(own_.get(), n, action, target[0], target[1], target[2], yaw, when));
    }

    void teleport(const std::array<double, 3> &place, double yaw, ptrdiff_t n = 0) {
        check(kinematch_teleport(own_.get(), n, place[0], place[1], place[2], yaw));
    }

    template <typename T>
    View<T> array(const char *name) const {
        kinematch_array found{};
        check(kinematch_find(own_.get(), name, &found));
        return {static_cast<T *>(found.data), std::vector<int64_t>(found.shape, found.shape + found.rank)};
    }

    std::vector<char> save() const {
        std::vector<char> bytes(static_cast<size_t>(check(kinematch_state_size(own_.get()))));
        check(kinematch_save(own_.get(), bytes.data(), static_cast<ptrdiff_t>(bytes.size())));
        return bytes;
    }

    void restore(const std::vector<char> &bytes) {
        check(kinematch_restore(own_.get(), bytes.data(), static_cast<ptrdiff_t>(bytes.size())));
    }

    std::string about() const { return kinematch_about(own_.get()); }
    kinematch_characters *get() const { return own_.get(); }

private:
    struct Free {
        void operator()(kinematch_characters *characters) const { kinematch_free(characters); }
    };
    std::unique_ptr<kinematch_characters, Free> own_;
};

}  // namespace kinematch
