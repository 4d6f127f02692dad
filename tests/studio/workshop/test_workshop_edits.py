"""Edits that panels make of a recipe: files brought in and left out, fixes pasted, one file set apart from others."""

import shutil
import tomllib

import numpy as np
import pytest

from kinematch.errors import KinematchError
from kinematch.files import write_clip
from kinematch.math import quaternion
from kinematch.motion.clip import Clip
from kinematch.motion.skeleton import skeleton
from kinematch.studio.workshop import edits
from kinematch.studio.workshop import messages as m
from kinematch.studio.workshop.project import Project, check, save
from kinematch.studio.workshop.reports import Reports, file_reports
from kinematch.synth import motions, perform


@pytest.fixture(scope="session")
def walks(tmp_path_factory):
    """Three short clips of the built-in walker as BVH files."""
    folder = tmp_path_factory.mktemp("walks")
    chosen = [motion for motion in motions() if motion.name in ("walk_1.35", "run_3.6", "idle")] or motions()[:3]
    for k, motion in enumerate(chosen):
        clip = perform(motion, seed=[0, k]).clip
        write_clip(folder / f"{'abc'[k]}.bvh", clip.frames(0, min(clip.frame_count, 180)))
    return folder


@pytest.fixture
def project(walks, tmp_path):
    for path in walks.iterdir():
        shutil.copy(path, tmp_path)
    return Project(tmp_path / "recipe.toml")


@pytest.fixture(scope="session")
def reports():
    return Reports()


def file_report(project, reports, name):
    return file_reports(project, reports, [name])[0]


def files_of(project, text):
    return [(file.path, file.source) for file in check(project, text).files]


def test_the_first_files_make_a_whole_recipe_and_later_ones_a_source_of_their_own(project, reports):
    text = edits.take(project, reports, "", ["a.bvh", "b.bvh"])
    assert [path for path, _ in files_of(project, text)] == ["a.bvh", "b.bvh"]
    assert "kinematch init" in text
    assert "[cleaning]" in text
    more = edits.take(project, reports, text, ["c.bvh"])
    assert sorted(path for path, _ in files_of(project, more)) == ["a.bvh", "b.bvh", "c.bvh"]
    assert not tomllib.loads(more)["source"][-1].get("retarget")  # the same rig needs none
    assert edits.take(project, reports, more, ["c.bvh"]) == more


def test_a_file_of_another_rig_is_retargeted(project, reports, data):
    shutil.copy(data / "cmu" / "02_01.bvh", project.folder)
    text = edits.take(project, reports, "", ["a.bvh"])
    text = edits.take(project, reports, text, ["02_01.bvh"])
    source = tomllib.loads(text)["source"][-1]
    assert source["files"] == ["02_01.bvh"]
    assert source["retarget"] is True
    assert source["drop"]  # the T-pose in front, as the doctor prescribes


def test_a_file_told_apart_takes_along_what_was_said_of_it(project):
    text = """\
[[source]]
files = ["*.bvh"]   # all
tags = ["walk"]

[[source.range]]
files = "b.bvh"
from = 0.5
tags = ["turn"]

[[source.range]]
tags = ["all"]
"""
    edited = edits.set_for_files(project, text, ["b.bvh"], values={"trim": [0.2, 2.0]}, whole=False)
    first, second = tomllib.loads(edited)["source"]
    assert first["exclude"] == ["b.bvh"]
    assert [one["tags"] for one in first["range"]] == [["all"]]
    assert second["files"] == ["b.bvh"]
    assert second["tags"] == ["walk"]
    assert second["trim"] == [0.2, 2.0]
    assert [one["tags"] for one in second["range"]] == [["turn"], ["all"]]
    assert "# all" in edited
    assert not check(project, edited).problems
    again = edits.set_for_files(project, edited, ["b.bvh"], values={"trim": None}, whole=False)
    assert "trim" not in tomllib.loads(again)["source"][1]


def test_the_doctors_lines_are_joined_with_what_is_there(project):
    text = '[[source]]\nfiles = ["a.bvh"]\ndrop = [[1.0, 1.5]]\n'
    edited = edits.paste(project, text, "a.bvh", lines="drop = [[0.0, 0.1]]", whole=False)
    assert tomllib.loads(edited)["source"][0]["drop"] == [[0.0, 0.1], [1.0, 1.5]]
    assert edits.paste(project, edited, "a.bvh", lines="drop = [[0.0, 0.1]]", whole=False) == edited
    with pytest.raises(KinematchError, match="cannot be detected"):
        edits.paste(project, text, "a.bvh", lines='roles = { hips = "?" }', whole=False)


def test_a_file_left_out_is_struck_from_its_list_or_excluded(project):
    listed = '[[source]]\nfiles = ["a.bvh", "b.bvh"]\n'
    assert tomllib.loads(edits.leave_out(project, listed, "b.bvh"))["source"][0]["files"] == ["a.bvh"]
    globbed = '[[source]]\nfiles = ["*.bvh"]\n'
    assert tomllib.loads(edits.leave_out(project, globbed, "b.bvh"))["source"][0]["exclude"] == ["b.bvh"]
    with pytest.raises(KinematchError, match="only file"):
        edits.leave_out(project, '[[source]]\nfiles = ["a.bvh"]\n', "a.bvh")


def test_features_spelt_out_are_the_features_there_were(project):
    text = '[[source]]\nfiles = ["a.bvh"]\n'
    before, after = check(project, text), check(project, edits.spell_features(text))
    assert [(one.kind, one.joint, one.width) for one in before.features] == [
        (one.kind, one.joint, one.width) for one in after.features
    ]
    assert len(after.recipe["feature"]) == 7


def test_edits_follow_one_another(project, reports):
    text = '[[source]]\nfiles = ["a.bvh"]\n'
    done = edits.edited(
        project,
        reports,
        text,
        [
            m.SetValue(at=["cleaning", "mirror"], value=True),
            m.AddTable(at=["source", 0, "range"], values={"from": 0.5, "tags": ["x"]}),
            m.SetValue(at=["cleaning", "mirror"], value=None),
            m.SetForFiles(files=["a.bvh"], values={"loop": True}),
        ],
    )
    assert tomllib.loads(done) == {
        "source": [{"files": ["a.bvh"], "loop": True, "range": [{"from": 0.5, "tags": ["x"]}]}],
        "cleaning": {},
    }


def test_a_page_cannot_lead_the_recipe_out_of_its_folder(project):
    inside = '[[source]]\nfiles = ["a.bvh"]\n'
    assert save(project, inside).saved
    for text in (
        f'output = "../x.kinematch"\n{inside}',
        '[[source]]\nfiles = ["/etc/*.bvh"]\n',
        '[[source]]\nfiles = ["sub/../../a.bvh"]\n',
        f'skeleton = "/etc/passwd"\n{inside}',
    ):
        with pytest.raises(KinematchError, match="not in the project's folder"):
            save(project, text)
    assert project.text() == inside
    project.recipe_path.write_text(f'output = "../x.kinematch"\n{inside}')  # its owner may
    assert save(project, project.text() + "# more\n").saved


def test_a_text_with_mistakes_is_told_by_line_and_not_written(project):
    assert save(project, '[[source]]\nfiles = ["a.bvh"]\n').saved
    before = project.text()
    told = save(project, '[[source]]\nfiles = ["a.bvh"]\ntgas = ["x"]\n\n[cleaning]\nframe_rate = -1\n')
    assert [(one.line, one.message.split(":")[0]) for one in told.problems] == [
        (3, "source[0].tgas"),
        (6, "cleaning.frame_rate"),
    ]
    assert project.text() == before
    assert save(project, '[[source]]\nfiles = ["nothing*.bvh"]\n').problems[0].line == 2


def test_the_report_says_which_fixes_are_in_the_recipe(project, reports, data):
    shutil.copy(data / "cmu" / "02_01.bvh", project.folder)
    save(project, '[[source]]\nfiles = ["02_01.bvh"]\n')
    finding = next(one for one in file_report(project, reports, "02_01.bvh").findings if "drop" in one.fix)
    assert finding.state == "open"
    save(project, edits.paste(project, project.text(), "02_01.bvh", lines=finding.fix, whole=False))
    finding = next(one for one in file_report(project, reports, "02_01.bvh").findings if "drop" in one.fix)
    assert finding.state == "applied"


def test_skeletons_that_differ_are_told_with_the_difference(project, reports, data):
    shutil.copy(data / "cmu" / "02_01.bvh", project.folder)
    save(project, '[[source]]\nfiles = ["a.bvh", "02_01.bvh"]\n')
    other = file_report(project, reports, "02_01.bvh")
    assert "joints missing" in other.difference
    assert other.difference_from == "a.bvh"
    assert not file_report(project, reports, "a.bvh").difference
    mended = edits.set_for_files(project, project.text(), ["02_01.bvh"], values={"retarget": True}, whole=False)
    assert save(project, mended).saved
    assert not file_report(project, reports, "02_01.bvh").difference


def test_a_rig_with_unknown_joints_comes_in_so_that_they_can_be_named(project, reports, humanoid):
    whole = humanoid()
    kept = [j for j, name in enumerate(whole.names) if name not in ("LeftArm", "LeftForeArm", "LeftHand")]
    names = [whole.names[j] for j in kept]
    parents = [names.index(whole.names[whole.parents[j]]) if whole.parents[j] >= 0 else -1 for j in kept]
    rig = skeleton(names, parents, whole.offsets[kept])
    rotations = np.tile(quaternion.IDENTITY, (60, len(kept), 1)).astype(np.float32)
    write_clip(project.folder / "one_armed.bvh", Clip(rig, np.tile(rig.offsets, (60, 1, 1)), rotations, 60.0))
    text = edits.take(project, reports, "", ["one_armed.bvh"])
    assert [path for path, _ in files_of(project, text)] == ["one_armed.bvh"]
    assert save(project, text).saved
    report = file_report(project, reports, "one_armed.bvh")
    assert not report.buildable
    assert "left_hand" in report.missing_roles
    both = edits.take(project, reports, "", ["a.bvh", "one_armed.bvh"])
    assert [path for path, _ in files_of(project, both)] == ["a.bvh", "one_armed.bvh"]


def test_files_set_apart_together_share_their_new_source(project):
    text = '[[source]]\nfiles = ["*.bvh"]\n'
    edited = edits.set_for_files(project, text, ["b.bvh", "c.bvh"], values={"retarget": True}, whole=False)
    first, second = tomllib.loads(edited)["source"]
    assert first["exclude"] == second["files"] == ["b.bvh", "c.bvh"]
    assert second["retarget"]
    assert not check(project, edited).problems


def relabel(project, reports, text, was=None, now=None, file="b.bvh"):
    return edits.edited(project, reports, text, [m.SetLabel(file=file, was=was, now=now)])


def test_a_label_is_added_changed_and_removed_as_a_range_or_a_drop(project, reports):
    text = '[[source]]\nfiles = ["*.bvh"]\ntags = ["walk"]\n'
    low, idle = (
        m.TimeRange(start=0.5, stop=1.5, tags=["low", "lying"]),
        m.TimeRange(start=0.25, stop=1.0, tags=["idle"]),
    )
    out = m.TimeRange(start=0.5, stop=1.5)
    tagged = relabel(project, reports, text, now=low)
    assert tomllib.loads(tagged)["source"][0]["range"] == [
        {"files": "b.bvh", "from": 0.5, "to": 1.5, "tags": ["low", "lying"]}
    ]
    changed = tomllib.loads(relabel(project, reports, tagged, low, idle))["source"][0]["range"]
    assert changed == [{"files": "b.bvh", "from": 0.25, "to": 1.0, "tags": ["idle"]}]
    assert tomllib.loads(relabel(project, reports, tagged, low)) == tomllib.loads(text) | {"matching": {}}
    # what is dropped is dropped of this file alone
    dropped = relabel(project, reports, tagged, low, out)
    first, own = tomllib.loads(dropped)["source"]
    assert "range" not in first
    assert (own["files"], own["drop"], own["tags"]) == (["b.bvh"], [[0.5, 1.5]], ["walk"])
    longer = relabel(project, reports, dropped, None, m.TimeRange(start=1.0, stop=2.0))
    assert tomllib.loads(longer)["source"][1]["drop"] == [[0.5, 2.0]]
    back = tomllib.loads(relabel(project, reports, dropped, out, low))["source"][1]
    assert "drop" not in back
    assert back["range"] == [{"from": 0.5, "to": 1.5, "tags": ["low", "lying"]}]  # its only file needs no name
    for text in (tagged, dropped, longer):
        assert not check(project, text).problems


def test_the_filter_of_init_follows_the_labels_and_a_users_own_stays(project, reports):
    text = '[[source]]\nfiles = ["*.bvh"]\n'
    jump = m.TimeRange(start=0.5, stop=1.5, tags=["jumping"])
    tagged = relabel(project, reports, text, now=jump)
    assert tomllib.loads(tagged)["matching"]["filter"] == "!jumping"
    assert not tomllib.loads(relabel(project, reports, tagged, jump))["matching"]  # it would name a tag that is gone
    own = edits.edited(project, reports, tagged, [m.SetValue(at=["matching", "filter"], value="jumping")])
    assert tomllib.loads(relabel(project, reports, own, jump))["matching"]["filter"] == "jumping"


def test_a_label_that_is_not_there_or_ends_before_it_starts_is_refused(project, reports):
    text = '[[source]]\nfiles = ["*.bvh"]\n'
    for was, now in (
        (m.TimeRange(start=0.5, stop=1.5, tags=["idle"]), None),
        (m.TimeRange(start=0.5, stop=1.5), None),
        (None, m.TimeRange(start=1.5, stop=0.5, tags=["idle"])),
        (None, m.TimeRange(start=-1.0, stop=0.5, tags=["idle"])),
        (None, m.TimeRange(start=1.0)),
    ):
        with pytest.raises(KinematchError):
            relabel(project, reports, text, was, now)
