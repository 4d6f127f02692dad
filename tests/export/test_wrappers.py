"""C, C++ and C# drive the library from its headers alone, and get the poses that Python gets from it."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import kinematch.bench
from kinematch.export.folders import write_native
from kinematch.export.link import find_host

C = (Path(kinematch.bench.__file__).parent / "exported_walk.c").read_text()
CPP = r"""
#include <cstdio>
#include "kinematch.hpp"

int main() {
    auto own = kinematch::Characters::open("character.dat");
    try {
        own.command({0, 0, 1.2}, {0, 0, 1}, 5);
        return 1;
    } catch (const kinematch::Error &error) {
        if (error.code != KINEMATCH_NO_CHARACTER) return 2;
    }
    auto start = own.save();
    const float hill[] = {0, 0.5f, 0, 0.5f};
    own.stand(hill, 2, 2, 1.0);
    own.step(0.1);
    own.step(1.0 / 60, [](double x, double) { return 0.1 * x; });
    own.stand_level();
    for (int round = 0; round < 2; round++) {
        own.restore(start);
        for (int i = 0; i < 60; i++) {
            own.command({0, 0, 1.2}, {0, 0, 1});
            own.step(1.0 / 60);
        }
    }
    auto pose = own.array<float>("pose.global_positions");
    std::fwrite(pose.data, 4, pose.shape[1] * 3, stdout);
}
"""
CS = r"""
using System;
using System.IO;

static class Program
{
    static int Main()
    {
        using (Kinematch own = new Kinematch(File.ReadAllBytes("character.dat")))
        {
            try { own.Command(new double[] { double.NaN, 0, 0 }); return 1; }
            catch (KinematchException error) { if (error.Code != -12) return 2; }
            byte[] start = own.Save();
            own.Step(0.5);
            own.Stand(new float[] { 0, 0, 0, 0 }, 2, 2, 1);
            own.Step(0.1);
            own.StandLevel();
            own.Restore(start);
            for (int i = 0; i < 60; i++)
            {
                own.Command(new double[] { 0, 0, 1.2 }, new double[] { 0, 0, 1 });
                own.Step(1.0 / 60);
            }
            float[] values = new float[own.Measure("pose.global_positions")];
            own.ReadPositions(values);
            byte[] bytes = new byte[4 * values.Length];
            Buffer.BlockCopy(values, 0, bytes, 0, bytes.Length);
            using (Stream output = Console.OpenStandardOutput()) output.Write(bytes, 0, bytes.Length);
            return 0;
        }
    }
}
"""


@pytest.fixture(scope="module")
def folder(compiled, walker_data, tmp_path_factory) -> Path:
    compiled(find_host())
    path = tmp_path_factory.mktemp("native") / "walker"
    write_native(walker_data, path)
    return path


@pytest.fixture(scope="module")
def expected(play, walker_data) -> np.ndarray:
    return play(walker_data, np.repeat([[0, 0, 1.2]], 60, axis=0))[1][-1].ravel()


def run(*command: str | Path, cwd: Path) -> np.ndarray:
    done = subprocess.run(command, cwd=cwd, capture_output=True, timeout=120, env={"LD_LIBRARY_PATH": str(cwd)})
    assert done.returncode == 0, done.stdout + done.stderr
    return np.frombuffer(done.stdout, np.float32)


def build(*command: str, cwd: Path) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("linked", ["libkinematch.so", "libkinematch.a"])
def test_a_program_in_c_plays_a_character(folder, expected, tmp_path, linked):
    (tmp_path / "main.c").write_text(C)
    warnings = ("-Wall", "-Wextra", "-Werror", "-std=c99")
    build("cc", *warnings, "-I", str(folder), str(tmp_path / "main.c"), str(folder / linked), "-o",
          str(tmp_path / "main"), cwd=tmp_path)  # fmt: skip
    assert np.array_equal(run(tmp_path / "main", cwd=folder), expected)


def test_a_program_in_cpp_plays_a_character_and_goes_back(folder, expected, tmp_path):
    (tmp_path / "main.cpp").write_text(CPP)
    build("c++", "-Wall", "-Wextra", "-Werror", "-std=c++17", "-I", str(folder), str(tmp_path / "main.cpp"),
          str(folder / "libkinematch.so"), "-o", str(tmp_path / "main"), cwd=tmp_path)  # fmt: skip
    assert np.array_equal(run(tmp_path / "main", cwd=folder), expected)


@pytest.mark.skipif(shutil.which("mcs") is None, reason="no compiler of C# (mono-mcs)")
def test_a_program_in_csharp_plays_a_character(folder, expected, tmp_path):
    (tmp_path / "Main.cs").write_text(CS)
    build("mcs", f"-out:{tmp_path / 'main.exe'}", str(tmp_path / "Main.cs"), str(folder / "Kinematch.cs"), cwd=tmp_path)
    assert np.array_equal(run("/usr/bin/mono", tmp_path / "main.exe", cwd=folder), expected)
