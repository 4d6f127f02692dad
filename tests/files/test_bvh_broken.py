"""Broken BVH files: each gives one FileError that names the file, the line and what was expected."""

import os
import resource

import pytest

from kinematch.errors import FileError
from kinematch.files import bvh_hierarchy, read_clips
from kinematch.files.bvh import read_bvh
from kinematch.files.bvh_hierarchy import LINE_END

GOOD = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Head
  {
    OFFSET 0 12 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 3 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.0333333
0 90 0 1 2 3 4 5 6
1 90 0 1 2 3 4 5 6
2 90 0 1 2 3 4 5 6
"""
TURNS = "CHANNELS 3 Zrotation Yrotation Xrotation\n"
ALL = "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation"
ROW = "2 90 0 1 2 3 4 5 6"

# (what is changed, into what, the line of the error, what its message must say)
BROKEN = {
    "cut in a line of values": (ROW + "\n", "2 90 0 1", 21, "ends within frame 3 of 3: 4 values, expected 9"),
    "cut between lines": (ROW + "\n", "", 17, "'Frames: 3', but 2 lines of values follow"),
    "cut after the hierarchy": (GOOD[GOOD.index("MOTION") :], "", 15, "the file ends, expected MOTION"),
    "cut within the hierarchy": (GOOD[GOOD.index("    End Site") :], "", 9, "the file ends, expected OFFSET"),
    "too many values in a line": ("1 90 0", "1 90 0 7", 20, "10 values in frame 2, expected 9"),
    "too few values in a line": ("1 90 0", "1 90", 20, "8 values in frame 2, expected 9"),
    "too many lines": (ROW, f"{ROW}\n{ROW}", 17, "'Frames: 3', but 4 lines of values follow"),
    "NaN": ("1 90 0", "1 nan 0", 20, "'nan' in frame 2, expected a finite number"),
    "infinity": ("1 90 0", "1 -inf 0", 20, "'-inf' in frame 2, expected a finite number"),
    "Windows NaN": ("1 90 0", "1 -1.#IND 0", 20, "'-1.#IND' in frame 2"),
    "decimal commas": ("1 90 0", "1 90,5 0", 20, "'90,5' in frame 2, expected a finite number"),
    "overflow": ("1 90 0", "1 1e999 0", 20, "'1e999' in frame 2"),
    "too large for float32": ("1 90 0", "1 1e30 0", 20, "'1e30' in frame 2"),
    "words among values": ("1 90 0", "1 ninety 0", 20, "'ninety' in frame 2"),
    "unknown keyword": ("JOINT Head", "BONE Head", 6, "found 'BONE', expected OFFSET, CHANNELS, JOINT"),
    "unknown keyword at the top": ("ROOT", "TWIG", 2, "found 'TWIG', expected ROOT"),
    "unknown channel": ("3 Zrotation", "3 Wrotation", 9, "found 'Wrotation', expected channel 1 of 3"),
    "fewer channels than announced": ("3 Zrotation ", "3 ", 10, "found 'End', expected channel 3 of 3"),
    "more channels than announced": ("CHANNELS 3 Zrot", "CHANNELS 2 Zrot", 9, "found 'Xrotation', expected OFFSET"),
    "channel count is no number": ("CHANNELS 3", "CHANNELS three", 9, "found 'three', expected the number of CHANNELS"),
    "channel twice": ("3 Zrotation Yrotation", "3 Zrotation Zrotation", 9, "channel Zrotation twice"),
    "position twice": ("Xposition Yposition", "Xposition Xposition", 5, "channel Xposition twice"),
    "no offset": ("    OFFSET 0 12 0\n", "", 13, "joint 'Head' (line 6) ends without OFFSET"),
    "offset twice": ("    OFFSET 0 12 0\n", "OFFSET 0 12 0\nOFFSET 0 12 0\n", 9, "a second OFFSET for joint 'Head'"),
    "no channels": (TURNS, "\n", 14, "joint 'Head' (line 6) ends without CHANNELS"),
    "short offset": ("OFFSET 0 12 0", "OFFSET 0 12", 9, "found 'CHANNELS', expected three numbers after OFFSET"),
    "offset NaN": ("OFFSET 0 12 0", "OFFSET 0 nan 0", 8, "found 'nan', expected three numbers after OFFSET"),
    "no name": ("JOINT Head", "JOINT", 6, "expected a name after JOINT"),
    "missing brace": ("  {\n    OFFSET 0 12", "    OFFSET 0 12", 7, "found 'OFFSET', expected '{' after JOINT 'Head'"),
    "unclosed block": ("}\nMOTION", "MOTION", 15, "MOTION before the block of joint 'Hips' is closed"),
    "too many closed": ("}\nMOTION", "}\n}\nMOTION", 16, "found '}', expected MOTION"),
    "missing MOTION": ("MOTION\n", "", 16, "found 'Frames:', expected MOTION"),
    "missing Frames": ("Frames: 3\n", "", 17, "found 'Frame', expected 'Frames:' after MOTION"),
    "missing Frame Time": ("Frame Time: 0.0333333\n", "", 18, "found '0', expected 'Frame Time:'"),
    "no joints": (GOOD[GOOD.index("ROOT") : GOOD.index("MOTION")], "", 2, "MOTION before any joint, expected ROOT"),
    "two roots": ("MOTION", "ROOT Other\n{\n}\nMOTION", 16, "a second ROOT 'Other'"),
    "joint outside": ("MOTION", "JOINT Other\n{\n}\nMOTION", 16, "JOINT 'Other' outside of any joint"),
    "frames negative": ("Frames: 3", "Frames: -3", 17, "'Frames: -3', expected a whole number"),
    "frames zero": ("Frames: 3", "Frames: 0", 17, "'Frames: 0', expected a whole number"),
    "frames no number": ("Frames: 3", "Frames: many", 17, "'Frames: many', expected a whole number"),
    "frames broken": ("Frames: 3", "Frames: 2.5", 17, "'Frames: 2.5', expected a whole number"),
    "frames absurd": ("Frames: 3", "Frames: 99999999999", 17, "'Frames: 99999999999', but 3 lines"),
    "frames more absurd": ("Frames: 3", "Frames: " + "9" * 5000, 17, "expected a whole number"),
    "frame time zero": ("0.0333333", "0", 18, "'Frame Time: 0', expected seconds between"),
    "frame time negative": ("0.0333333", "-0.03", 18, "'Frame Time: -0.03', expected seconds between"),
    "frame time NaN": ("0.0333333", "nan", 18, "found 'nan', expected the seconds a frame"),
    "frame time tiny": ("0.0333333", "1e-300", 18, "expected seconds between"),
    "frame time with a comma": ("0.0333333", "0,0333333", 18, "found '0,0333333', expected the seconds a frame"),
    "end site without offset": ("      OFFSET 0 3 0\n", "", 12, "found '}', expected 'OFFSET' in the End Site"),
    "end without site": ("End Site", "End", 11, "found '{', expected 'SITE' after End"),
    "no channels on the root": (ALL, "CHANNELS 0", 19, "9 values in frame 1, expected 3"),
    "bytes among the text": ("JOINT Head", "\0\1\2\3", 6, "expected OFFSET, CHANNELS, JOINT"),
}  # fmt: skip


def error_of(path, read=read_bvh) -> FileError:
    with pytest.raises(FileError) as caught:
        read(path)
    assert caught.value.path == path
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    assert len(caught.value.message) < 300
    return caught.value


def test_the_file_that_is_broken_below_is_good(tmp_path):
    (tmp_path / "good.bvh").write_text(GOOD)
    assert read_bvh(tmp_path / "good.bvh").frame_count == 3


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_file_gives_its_line_and_what_was_expected(tmp_path, what):
    old, new, line, message = BROKEN[what]
    assert GOOD.count(old) >= 1
    path = tmp_path / "broken.bvh"
    path.write_text(GOOD.replace(old, new, 1))
    error = error_of(path)
    assert message in error.message
    assert error.line == line


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_lines_are_counted_alike_whatever_ends_them(tmp_path, newline):
    path = tmp_path / "broken.bvh"
    path.write_bytes(GOOD.replace("1 90 0", "1 nan 0").replace("\n", newline).encode())
    assert error_of(path).line == 20


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.bvh", b"", "the file is empty"),
        ("blank.bvh", b" \n\n", "starts with blanks, expected 'HIERARCHY'"),
        ("binary.bvh", bytes(range(256)) * 9, "starts with binary data, expected 'HIERARCHY'"),
        ("prose.bvh", b"Dear diary, today", "starts with 'Dear', expected 'HIERARCHY'"),
        ("wide.bvh", "HIERARCHY\n".encode("utf-16"), "UTF-16"),
        ("film.fbx", b"Kaydara FBX Binary  \0", "FBX"),
        ("fbx.bvh", b"Kaydara FBX Binary  \0", "FBX"),
        ("motion.c3d", b"\x02\x50", "unknown kind of file '.c3d'; these can: .bvh .glb"),
        ("motion", b"hello", "unknown kind of file ''; these can: .bvh .glb"),
        ("archive.bvh", b"PK\x03\x04 and so on", "a zip archive"),
    ],
)
def test_what_is_no_bvh_is_told_apart_by_its_first_bytes(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    assert message in error_of(tmp_path / name, read_clips).message


def test_what_cannot_be_opened_is_said_so(tmp_path):
    assert error_of(tmp_path / "none.bvh").message == "no such file"
    assert "is a folder" in error_of(tmp_path).message
    os.mkfifo(tmp_path / "pipe.bvh")
    assert "is not a regular file" in error_of(tmp_path / "pipe.bvh").message
    (tmp_path / "loop.bvh").symlink_to(tmp_path / "loop.bvh")
    assert "cannot be read" in error_of(tmp_path / "loop.bvh").message
    (tmp_path / "secret.bvh").write_text(GOOD)
    (tmp_path / "secret.bvh").chmod(0)
    if not os.access(tmp_path / "secret.bvh", os.R_OK):  # the superuser may read everything
        assert "cannot be read: Permission denied" in error_of(tmp_path / "secret.bvh").message


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("", "binary data"),
        ("HIERARCHY\n", "found '\\x00"),
        (GOOD[: GOOD.index("MOTION")], "found '\\x00"),
        (GOOD[: GOOD.index("0 90 0 1")], "'Frames: 3' of 9 values each cannot fill the"),
    ],
)
def test_a_gigabyte_of_garbage_is_refused_without_being_held(tmp_path, start, message):
    path = tmp_path / "huge.bvh"
    path.write_text(start)
    os.truncate(path, 1 << 30)  # a hole of zeros that takes no space on the disk
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    error = error_of(path, read_clips)
    assert message in error.message
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB


def test_frames_that_are_claimed_but_missing_are_counted_without_allocating_them(tmp_path):
    path = tmp_path / "claim.bvh"
    path.write_text(GOOD.replace("Frames: 3", "Frames: 3000000"))
    os.truncate(path, 1 << 26)
    assert "'Frames: 3000000', but 3 lines of values follow" in error_of(path).message


def test_a_word_without_end_is_cut_in_the_message(tmp_path):
    path = tmp_path / "long.bvh"
    path.write_text("HIERARCHY\n" + "x" * 5_000_000)
    assert "found 'xxxx" in error_of(path).message


def test_a_byte_order_mark_is_skipped(tmp_path):
    (tmp_path / "marked.bvh").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert read_clips(tmp_path / "marked.bvh")[0].frame_count == 3


def test_a_file_is_read_as_what_it_is_whatever_its_suffix(tmp_path):
    (tmp_path / "motion.txt").write_text(GOOD)
    assert read_clips(tmp_path / "motion.txt")[0].source.format == "bvh"


def test_joints_without_channels_cannot_fill_memory(tmp_path):
    joints = "".join(f"JOINT j{k} {{ OFFSET 0 1 0 CHANNELS 0 }}\n" for k in range(4000))
    path = tmp_path / "idle.bvh"
    path.write_text(
        f"HIERARCHY\nROOT a {{ OFFSET 0 0 0 CHANNELS 1 Xrotation\n{joints}}}\nMOTION\nFrames: 90000\nFrame Time: 1\n"
        + "0\n" * 90000
    )
    assert "would fill memory" in error_of(path).message


def test_too_many_joints_are_refused(tmp_path):
    path = tmp_path / "crowd.bvh"
    path.write_text("HIERARCHY\nROOT a {\n" + "JOINT b {\n" * 100_000)
    assert "more than 4096 joints" in error_of(path).message


@pytest.mark.parametrize(("name", "start"), [("x.bvh", b"HIERARCHY"), ("x.glb", b"glTF"), ("x.gltf", b"{")])
def test_files_that_no_memory_could_hold_are_refused_unread(tmp_path, name, start):
    with open(tmp_path / name, "wb") as file:
        file.write(start)
        file.truncate(1 << 40)
    with pytest.raises(FileError, match=r"is 1099\.5 GB long, expected at most 4\.3 GB"):
        read_clips(tmp_path / name)


def test_joints_of_one_name_are_noted_with_their_lines_in_one_pass(tmp_path, monkeypatch):
    joint = "JOINT a\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Yrotation Xrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n"
    head, _, _ = GOOD.partition("  JOINT Head")
    path = tmp_path / "alike.bvh"
    path.write_text(f"{head}{joint * 300}}}\nMOTION\nFrames: 1\nFrame Time: 0.1\n{'0 ' * 906}\n")
    looked = 0

    class Counting:
        def findall(self, data, start, stop):
            nonlocal looked
            looked += stop - start
            return LINE_END.findall(data, start, stop)

    monkeypatch.setattr(bvh_hierarchy, "LINE_END", Counting())
    clip = read_bvh(path)
    assert clip.skeleton.names[-1] == "a_300"
    assert f"line {5 + 299 * 9 + 1}: a second joint 'a', read as 'a_300'" in clip.source.notes
    assert looked < 3 * path.stat().st_size
