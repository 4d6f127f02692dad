// Plays vectors.bin with lmm.h and prints the largest differences: g++ -O2 -std=c++17 check.cpp -o check && ./check .
#include "lmm.h"

static void compare(double& most, double a, double b) { most = std::max(most, std::abs(a - b)); }

int main(int count, char** arguments) {
    std::string folder = count > 1 ? arguments[1] : ".";
    Character character(folder + "/model.bin");
    FILE* file = fopen((folder + "/vectors.bin").c_str(), "rb");
    if (!file) { puts("no file vectors.bin"); return 2; }
    Matrix frames = read(file), poses = read(file), stepped = read(file), projected = read(file);
    Matrix trajectories = read(file), rotations = read(file), values = read(file);
    Matrix contacts = read(file), roots = read(file), jumps = read(file);
    double networks = 0, motion = 0;
    for (int n = 0; n < frames.rows; n++) {
        std::vector<float> xz(frames[n], frames[n] + frames.cols), x(frames[n], frames[n] + character.D);
        std::vector<float> pose = character.decompressor.run(character.centered(xz)), after = character.step_frame(xz);
        for (int c = 0; c < poses.cols; c++) compare(networks, pose[c], poses[n][c]);
        for (int c = 0; c < stepped.cols; c++) compare(networks, after[c], stepped[n][c]);
        double best;
        int found;
        if (projected.rows) after = character.project(x, best, found);
        for (int c = 0; c < (projected.rows ? projected.cols : 0); c++)
            compare(networks, after[c], projected[n][c]);
    }
    for (int n = 0; n < trajectories.rows; n++) {
        character.step(trajectories[n]);
        if (character.jumped != (jumps[n][0] != 0)) { printf("frame %d: another decision to jump\n", n); return 1; }
        for (int j = 0; j < character.J; j++) {
            double plus = 0, minus = 0;  // q and -q are one rotation
            for (int k = 0; k < 4; k++) {
                compare(plus, character.shown_r[j][k], rotations[n][4 * j + k]);
                compare(minus, character.shown_r[j][k], -rotations[n][4 * j + k]);
            }
            motion = std::max(motion, std::min(plus, minus));
        }
        for (int c = 0; c < values.cols; c++) compare(motion, character.shown_x[c], values[n][c]);
        for (int c = 0; c < contacts.cols; c++) compare(motion, character.now.contacts[c], contacts[n][c]);
        for (int c = 0; c < 3; c++) compare(motion, character.root[c], roots[n][c]);
    }
    printf("networks %.2e motion %.2e\n", networks, motion);
    return networks < 1e-4 && motion < 1e-3 ? 0 : 1;
}
