// Learned motion matching without a library: Algorithm 1 with eq. 3.3-3.15 of Szkaradek 2024, to port line by line.
// Y up, Z forward, metres, seconds; quaternions are w x y z, local to the parent; joint 0 is the root on the ground.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
using Row = std::vector<double>;
using Quat = std::array<double, 4>;
using Vec = std::array<double, 3>;

struct Matrix {
    int rows = 0, cols = 0;
    std::vector<float> values;
    const float* operator[](int row) const { return values.data() + size_t(row) * cols; }
};

static Matrix read(FILE* file) {  // three int32 (rows, columns, bytes a value), then float32 or uint8
    int head[3] = {0, 0, 4};
    bool whole = fread(head, 4, 3, file) == 3;
    Matrix m{head[0], head[1], std::vector<float>(size_t(head[0]) * head[1])};
    if (head[2] == 4) whole &= fread(m.values.data(), 4, m.values.size(), file) == m.values.size();
    else for (float& value : m.values) value = float(fgetc(file));  // a port keeps the codebook in bytes
    if (!whole) { puts("the file is cut off"); exit(2); }
    return m;
}

struct Network {  // y = layers(x) + skip(last columns of x)
    std::vector<Matrix> weights, biases;
    Matrix skip;
    void read_from(FILE* file, int layers) {
        for (int k = 0; k < layers; k++) { weights.push_back(read(file)); biases.push_back(read(file)); }
        if (layers) skip = read(file);
    }
    std::vector<float> run(const std::vector<float>& input) const {
        std::vector<float> x = input;
        for (size_t k = 0; k < weights.size(); k++) {
            std::vector<float> y(biases[k][0], biases[k][0] + biases[k].cols);
            for (int i = 0; i < weights[k].rows; i++)
                for (int o = 0; o < weights[k].cols; o++) y[o] += x[i] * weights[k][i][o];
            if (k + 1 < weights.size())
                for (float& v : y) v = std::max(v, 0.0f);
            x = y;
        }
        for (int i = 0; i < skip.rows; i++)
            for (int o = 0; o < skip.cols; o++) x[o] += input[input.size() - skip.rows + i] * skip[i][o];
        return x;
    }
};

static Quat multiply(Quat a, Quat b) {
    return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}
static Quat inverse(Quat q) { return {q[0], -q[1], -q[2], -q[3]}; }
static Vec rotate(Quat q, Vec v) {
    Quat r = multiply(multiply(q, {0, v[0], v[1], v[2]}), inverse(q));
    return {r[1], r[2], r[3]};
}
static Vec to_vector(Quat q) {  // QuatToScaledAngleAxis, along the shorter arc
    double sign = q[0] < 0 ? -1 : 1, size = std::sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double scale = sign * (size > 0 ? 2 * std::atan2(size, sign * q[0]) / size : 2);
    return {q[1] * scale, q[2] * scale, q[3] * scale};
}
static Quat to_quaternion(Vec v) {  // ScaledAngleAxisToQuat
    double angle = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double scale = angle > 0 ? std::sin(angle / 2) / angle : 0.5;
    return {std::cos(angle / 2), v[0] * scale, v[1] * scale, v[2] * scale};
}
static Quat from_axes(const float* p) {  // the x and y axes of a joint, not yet orthogonal
    Vec a{p[0], p[1], p[2]}, b{p[3], p[4], p[5]};
    double size = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (double& v : a) v /= size;
    double along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (int k = 0; k < 3; k++) b[k] -= along * a[k];
    size = std::sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    for (double& v : b) v /= size;
    Vec c{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    double x = b[2] - c[1], y = c[0] - a[2], z = a[1] - b[0], xy = a[1] + b[0], xz = a[2] + c[0], yz = b[2] + c[1];
    Quat rows[4] = {{1 + a[0] + b[1] + c[2], x, y, z}, {x, 1 + a[0] - b[1] - c[2], xy, xz},
                    {y, xy, 1 - a[0] + b[1] - c[2], yz}, {z, xz, yz, 1 - a[0] - b[1] + c[2]}};
    int best = 0;  // the largest component first, so that small ones lose nothing
    for (int k = 1; k < 4; k++) if (rows[k][k] > rows[best][best]) best = k;
    Quat q = rows[best];
    double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (double& v : q) v /= length;
    return q;
}

struct Frame {
    std::vector<float> xz;     // features x (physical units) and latents z
    std::vector<Quat> turns;   // y: local rotations
    Row values;                // y: places of moving joints, then root velocity x, z in its own axes and turn rate
    std::vector<float> contacts, contact_left;
};

struct Character {
    // model.bin, in its order
    Matrix numbers, moving, rest, columns, center, cost_weights, limits, projector_center, book, book_scale, book_costs;
    Network decompressor, stepper, projector;
    int D, Z, J, M, K, stride, longest;
    float correction;
    double dt, search_time = 0.1, force_time = 0.1, force_cost = 1, stay_bias = 0.2, decay_time = 0.1;
    // what evolves
    Frame now, next;
    std::vector<Quat> offset_r, shown_r;
    std::vector<Vec> offset_a;
    Row offset_x, offset_v, shown_x, asked;
    int entry_now = -1, run = 0;             // of the codebook, where a run began; frames since then
    double since = 0, root[3] = {0, 0, 0};  // s since the search; x and z in m and yaw in rad
    bool jumped = false;

    explicit Character(const std::string& path) {
        FILE* file = fopen(path.c_str(), "rb");
        if (!file) { printf("no file %s\n", path.c_str()); exit(2); }
        for (Matrix* m : {&numbers, &moving, &rest, &columns, &center, &cost_weights, &limits, &projector_center, &book,
                          &book_scale, &book_costs}) *m = read(file);
        const float* n = numbers[0];
        dt = 1 / n[0], D = n[1], Z = n[2], J = n[3], M = n[4], K = n[5], stride = n[7], correction = n[8], longest = n[9];
        Network* networks[3] = {&decompressor, &stepper, &projector};
        for (int k = 0; k < 3; k++) networks[k]->read_from(file, n[10 + k]);
        fclose(file);
        if (projector.weights.empty()) entry_now = n[6];
        now = decode(entry(n[6])), next = decode(follow(now.xz, entry_now, 0));
        offset_r.assign(J, {1, 0, 0, 0}), offset_a.assign(J, {0, 0, 0});
        offset_x.assign(3 * M + 3, 0), offset_v = offset_x, shown_r = now.turns, shown_x = now.values;
        for (int t = 0; t < columns.cols; t++) asked.push_back(now.xz[columns[0][t]]);
    }

    std::vector<float> entry(int e) const {  // features and latents of a row of the codebook
        std::vector<float> xz(D + Z);
        for (int c = 0; c < D + Z; c++) xz[c] = book_scale[0][c] + book_scale[1][c] * book[e][c];
        return xz;
    }
    std::vector<float> centered(std::vector<float> xz) const {
        for (int c = 0; c < D; c++) xz[c] -= center[0][c];
        return xz;
    }
    std::vector<float> step_frame(const std::vector<float>& xz) const {  // Stepper
        std::vector<float> out = stepper.run(centered(xz));
        for (int c = 0; c < D + Z; c++) out[c] = std::min(std::max(xz[c] + out[c], limits[0][c]), limits[1][c]);
        return out;
    }
    // the stepper, drawn towards the clip that an entry began `run` frames ago: errors fade instead of adding up
    std::vector<float> follow(const std::vector<float>& xz, int e, int frames) const {
        std::vector<float> after = step_frame(xz);
        int before = e + (frames + 1) / stride;
        if (e < 0 || before >= book_costs[e][2]) return after;
        float share = float((frames + 1) % stride) / stride;
        std::vector<float> a = entry(before), b = entry(before + 1);
        for (int c = 0; c < D + Z; c++) after[c] += correction * (a[c] * (1 - share) + b[c] * share - after[c]);
        return after;
    }
    Frame decode(const std::vector<float>& xz) const {  // Decompressor
        std::vector<float> p = decompressor.run(centered(xz));
        Frame frame{xz, {{1, 0, 0, 0}}, {}, {}, {}};
        for (int j = 1; j < J; j++) frame.turns.push_back(from_axes(&p[6 * (j - 1)]));
        auto rest_of = p.begin() + 6 * (J - 1);
        frame.values.assign(rest_of, rest_of + 3 * M + 3);
        frame.contacts.assign(rest_of + 3 * M + 3, rest_of + 3 * M + 3 + K);
        frame.contact_left.assign(rest_of + 3 * M + 3 + K, p.end());
        return frame;
    }
    double cost(const std::vector<float>& x, const std::vector<float>& query) const {  // of features, never of latents
        double sum = 0;
        for (int c = 0; c < D; c++) sum += cost_weights[0][c] * (x[c] - query[c]) * (x[c] - query[c]);
        return sum;
    }
    std::vector<float> project(const std::vector<float>& query, double& best, int& found) const {  // Projector
        if (!projector.weights.empty()) {
            std::vector<float> xz = projector.run(centered(query));
            for (int c = 0; c < D + Z; c++) xz[c] += projector_center[0][c];
            best = cost(xz, query), found = -1;
            return xz;
        }
        best = 1e300;  // the nearest entry of the codebook
        for (int e = 0; e < book.rows; e++) {
            double own = cost(entry(e), query) * book_costs[e][0];
            if (own < best) best = own, found = e;
        }
        return entry(found);
    }

    void step(const float* trajectory) {  // desired trajectory features in the root's axes: Algorithm 1
        std::vector<float> query(now.xz.begin(), now.xz.begin() + D);
        double change = 0;
        for (int t = 0; t < columns.cols; t++) {  // UpdateFeatures
            int c = columns[0][t];
            query[c] = trajectory[t];
            change += cost_weights[0][c] * (trajectory[t] - asked[t]) * (trajectory[t] - asked[t]);
        }
        bool ended = run >= (entry_now < 0 ? longest : book_costs[entry_now][1]);
        bool forced = change > force_cost && since + dt / 2 >= force_time;
        jumped = false;
        if (since + dt / 2 >= search_time || forced || ended) {
            double best;
            int found;
            std::vector<float> xz = project(query, best, found);
            if (ended || best < cost(now.xz, query) - stay_bias) {  // isTransition
                Frame to = decode(xz), after = decode(follow(xz, found, 0));
                transition(to, after);
                now = to, next = after, entry_now = found, run = 0, jumped = true;
            }
            since = 0, asked.assign(trajectory, trajectory + columns.cols);
        }
        since += dt, run++;
        double x = shown_x[3 * M], z = shown_x[3 * M + 1], sine = std::sin(root[2]), cosine = std::cos(root[2]);
        root[0] += (cosine * x + sine * z) * dt, root[1] += (cosine * z - sine * x) * dt;
        root[2] += shown_x[3 * M + 2] * dt;
        now = next, next = decode(follow(now.xz, entry_now, run));  // Stepper, Decompressor
        update();
    }

    Vec spin(const Frame& a, const Frame& b, int j) const {  // rad/s from one frame to the next
        Vec v = to_vector(multiply(b.turns[j], inverse(a.turns[j])));
        return {v[0] / dt, v[1] / dt, v[2] / dt};
    }
    void transition(const Frame& to, const Frame& after) {  // InertialiserTransition
        for (size_t k = 0; k < offset_x.size(); k++) {  // 3.3, of places and of velocities
            offset_x[k] = now.values[k] + offset_x[k] - to.values[k];
            offset_v[k] = (next.values[k] - now.values[k]) / dt + offset_v[k] - (after.values[k] - to.values[k]) / dt;
        }
        for (int j = 0; j < J; j++) {
            Vec a = rotate(offset_r[j], spin(now, next, j));
            offset_r[j] = multiply(multiply(offset_r[j], now.turns[j]), inverse(to.turns[j]));  // 3.4
            Vec b = rotate(offset_r[j], spin(to, after, j));  // 3.3 with the turns of 3.15, so that no velocity jumps
            for (int k = 0; k < 3; k++) offset_a[j][k] += a[k] - b[k];
        }
    }
    void update() {  // InertialiserUpdate
        double lambda = std::log(100.0) / decay_time, e = std::exp(-lambda * dt);
        for (size_t k = 0; k < offset_x.size(); k++) {
            double j1 = offset_v[k] + lambda * offset_x[k];      // 3.5
            offset_x[k] = e * (offset_x[k] + dt * j1);           // 3.6
            offset_v[k] = e * (offset_v[k] - dt * lambda * j1);  // 3.7
            shown_x[k] = now.values[k] + offset_x[k];            // 3.12; 3.13 is implied by the next frame
        }
        for (int j = 0; j < J; j++) {
            Vec j0 = to_vector(offset_r[j]);  // 3.8
            for (int k = 0; k < 3; k++) {
                double j1 = offset_a[j][k] + lambda * j0[k];               // 3.9
                j0[k] = e * (j0[k] + dt * j1);                             // 3.10
                offset_a[j][k] = e * (offset_a[j][k] - dt * lambda * j1);  // 3.11
            }
            offset_r[j] = to_quaternion(j0);
            shown_r[j] = multiply(offset_r[j], now.turns[j]);  // 3.14, on the side of 3.4
        }
    }
};
