"""The recipe: one TOML file that says which motion goes into a database, how it is cleaned and how it is matched."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from kinematch.database.feature_database import TAIL, Normalisation, Weights
from kinematch.database.features import AXES, KINDS, LARGEST_WEIGHT, Feature
from kinematch.database.recipe_errors import recipe_error, toml_error
from kinematch.database.schema import FeatureSchema, default_features
from kinematch.errors import FileError, KinematchError, unknown
from kinematch.files.reading import opened
from kinematch.files.toml import parse_toml
from kinematch.files.units_and_axes import unit_in_metres
from kinematch.motion.actions import EVENT_KINDS, Action, Event
from kinematch.motion.retarget.settings import Correction, Hands

# generous bounds, so that a typing error is reported and does not overflow
Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]
Weight = Annotated[float, Field(ge=0, le=LARGEST_WEIGHT, allow_inf_nan=False)]
Factor = Annotated[float, Field(ge=1 / LARGEST_WEIGHT, le=LARGEST_WEIGHT, allow_inf_nan=False)]
FrameRate = Annotated[float, Field(ge=1, le=1000, allow_inf_nan=False)]
Height = Annotated[float, Field(ge=-10_000, le=10_000, allow_inf_nan=False)]
LegLength = Annotated[float, Field(ge=0.001, le=1000, allow_inf_nan=False)]
Stretch = Annotated[list[Seconds], Field(min_length=2, max_length=2)]
Limits = Annotated[list[Positive], Field(min_length=2, max_length=2)]
Pair = Annotated[list[str], Field(min_length=2, max_length=2)]
Axis = Literal["X", "Y", "Z", "-X", "-Y", "-Z"]
Floor = Literal["auto", "keep"]
RootMethod = Literal["hips", "spine"]
Ground = Literal["flat", "stances"]
LARGEST_RECIPE = 10_000_000  # bytes, room for the names of a hundred thousand files


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)


class Range(_Table):
    """`[[source.range]]`: tags and marks of a range of time, in seconds of the file as it was recorded."""

    files: str = Field("*", description="glob of the file names that it applies to")
    start: Seconds = Field(0.0, alias="from", description="start of the range, in seconds of the file")
    stop: Positive | None = Field(None, alias="to", description="end of the range; the end of the file if omitted")
    tags: list[str] = Field([], description="tags of these frames")
    no_entry: bool = Field(False, description="a search never jumps into the range; playback may run into it")
    no_exit: bool = Field(False, description="once playback is in the range, it continues to the end of it")
    cost_factor: Factor = Field(1.0, description="multiplies the cost of jumping here: above 1 avoids, below 1 prefers")
    loop: bool = Field(False, description="a stand: jumps go to a clip that plays the range to and fro for ever")

    @model_validator(mode="after")
    def _forward(self) -> "Range":
        if self.stop is not None and self.stop <= self.start:
            raise ValueError(f"`to` ({self.stop:g}) must come after `from` ({self.start:g})")
        return self


class EventEntry(_Table):
    """`events`: the moments of an action, in order."""

    kind: Literal[EVENT_KINDS] = Field(description="what happens")  # type: ignore[valid-type]
    at: Seconds = Field(description="when, in seconds of the file")
    joint: str = Field("", description="a joint or a role, whose place is the contact point; the root if omitted")
    below: Annotated[float, Field(ge=-2, le=2, allow_inf_nan=False)] = Field(
        0.0, description="m from that joint down to the contact point"
    )


class ActionEntry(_Table):
    """`[[source.action]]`: a stretch that is asked for by name, in seconds of the file as it was recorded."""

    name: str = Field(min_length=1, description="what it is asked for by; also a tag of its frames")
    files: str = Field("*", description="glob of the file names that it applies to")
    entry: Stretch = Field(description="the range `[from, to]` in which it may be entered")
    exit: Positive = Field(description="its end, from where a search goes on")
    events: list[EventEntry] = Field([], description="its moments, in order: see below")
    target: str = Field("", description="the kind of the event that meets the target of a request; none if omitted")

    @model_validator(mode="after")
    def _whole(self) -> "ActionEntry":
        try:
            self.to_action()
        except KinematchError as error:
            raise ValueError(str(error)) from None
        return self

    def to_action(self) -> Action:
        events = tuple(Event(one.kind, one.at, one.joint, one.below) for one in self.events)
        return Action(self.name, (self.entry[0], self.entry[1]), self.exit, events, self.target)


class Source(_Table):
    """`[[source]]`: files that share a rig and the same fixes."""

    files: list[str] = Field([], description="globs of motion files, relative to the recipe; `**` goes into folders")
    exclude: list[str] = Field([], description="globs of paths or of bare file names to leave out of `files`")
    builtin: Literal["locomotion", "actions"] | None = Field(
        None, description="built-in motion instead of files: locomotion, or the actions"
    )
    seed: int = Field(0, ge=0, description="seed of the built-in motion")
    clips: list[str] = Field([], description="names or globs of the clips to use if a file has several; all when empty")
    tags: list[str] = Field([], description="tags of all frames of the source")
    loop: bool = Field(False, description="the last frame meets the first: playback and trajectories wrap")
    retarget: bool = Field(False, description="retarget the motion to the database's skeleton, by roles")
    retarget_without: list[Correction] = Field([], description="corrections to leave out when retargeting")
    retarget_hands: Hands = Field(
        "free", description="hands when retargeting: follow the arms, touch, or keep positions"
    )
    unit: float | str | None = Field(None, description='the file\'s unit: "cm", "m", "inch" ... or metres per unit')
    up: Axis | None = Field(None, description="the file's up axis; inferred if omitted")
    facing: Axis | None = Field(None, description="the file's facing axis in its T-pose; inferred if omitted")
    roles: dict[str, str] = Field({}, description='joints by humanoid role, if detection fails; "" means none')
    tpose: str | None = Field(None, description="a file whose first frame is the T-pose of these files")
    scale_to_leg_length: LegLength | None = Field(None, description="scale the rig to this leg length in metres")
    trim: Stretch | None = Field(None, description="keep only this range `[from, to]` of each file, in seconds")
    split: list[Positive] = Field([], description="times at which to cut a file into several clips")
    drop: list[Stretch] = Field([], description="ranges `[from, to]` to remove; the rest becomes several clips")
    in_place: bool = Field(False, description="recorded on the spot: take the root's motion from the planted feet")
    floor: Floor | Height | None = Field(
        None, description="as in `[cleaning]`, for this source, or the floor's height in m"
    )
    ground: Ground | None = Field(None, description="as in `[cleaning]`, for this source")
    root: RootMethod | None = Field(None, description="as in `[cleaning]`, for this source")
    root_joint: str | None = Field(None, description="the joint that carries the body, if no joint has the role `hips`")
    contact_joints: list[str] = Field([], description="joints that touch the ground; the toes when empty")
    mirror: bool | None = Field(None, description="as in `[cleaning]`, for this source")
    mirror_pairs: list[Pair] = Field([], description="joints to exchange when mirroring, if they have no roles")
    range: list[Range] = Field([], description="ranges with tags or marks of their own")
    action: list[ActionEntry] = Field([], description="stretches that are asked for by name")

    @field_validator("unit")
    @classmethod
    def _unit(cls, unit: float | str | None) -> float | str | None:
        try:
            if unit is not None:
                unit_in_metres(unit)
            return unit
        except KinematchError as error:
            raise ValueError(str(error)) from None

    @model_validator(mode="after")
    def _something(self) -> "Source":
        if bool(self.files) == bool(self.builtin):
            raise ValueError("give either `files` or `builtin`")
        if self.trim and self.trim[1] <= self.trim[0]:
            raise ValueError(f"`trim` {self.trim} must be [from, to] with from before to")
        wrong = [stretch for stretch in self.drop if stretch[1] <= stretch[0]]
        if wrong:
            raise ValueError(f"`drop` {wrong[0]} must be [from, to] with from before to")
        return self


class Cleaning(_Table):
    """`[cleaning]`: what is done to every clip."""

    frame_rate: FrameRate = Field(60.0, description="frames per second of the database")
    mirror: bool = Field(False, description="add a copy of each clip with left and right exchanged")
    mirror_tags: list[Pair] = Field([["left", "right"]], description="tags to exchange in mirrored copies")
    floor: Floor = Field(
        "auto", description='"auto" finds the floor of each clip and puts it at height 0; "keep" does not'
    )
    ground: Ground = Field(
        "flat",
        description='"flat" keeps the root on the floor; "stances" gives it the height of what the feet stand on',
    )
    root: RootMethod = Field(
        "spine", description="ground root below the upper spine, or below the hips; both face like the hips"
    )
    root_position_window: Seconds = Field(0.5167, description="smoothing of the root's path, in seconds")
    root_direction_window: Seconds = Field(1.0167, description="smoothing of the root's facing, in seconds")
    contact_speed: Limits = Field(
        [0.3, 0.6], description="m/s: a foot slower than the first is planted, until it is faster than the second"
    )
    contact_height: Limits = Field(
        [0.07, 0.1], description="m above its resting height: planted below the first, until it is above the second"
    )
    contact_radius: Seconds = Field(0.1, description="radius of the median filter over contacts, in seconds")

    @field_validator("contact_speed", "contact_height")
    @classmethod
    def _rising(cls, limits: list[float]) -> list[float]:
        if limits[0] > limits[1]:
            raise ValueError(f"{limits}: the first must not be larger than the second")
        return limits


class FeatureEntry(_Table):
    """`[[feature]]`: one block of the feature vector, in order. Without any: the 27 numbers of the papers."""

    kind: str = Field(description=f"{', '.join(KINDS)}, or one you registered")
    joint: str = Field("", description="a joint or a role; trajectories have none")
    times: list[float] = Field([], description="seconds from now, negative for the past; trajectories only")
    dimensions: Literal[2, 3] | None = Field(None, description="2 leaves the height out; trajectories 2, others 3")
    axis: str = Field("forward", description="of a direction: forward, up or left side of the joint in its T-pose")
    weight: Weight = Field(1.0, description="multiplies the squared distance")
    name: str = Field("", description="used by weights and reports; joint and kind if omitted")

    @field_validator("kind")
    @classmethod
    def _known(cls, kind: str) -> str:
        if kind not in KINDS:
            raise ValueError(f"{unknown('feature kind', kind, KINDS)} (`build --features FILE` brings your own)")
        return kind

    @field_validator("axis")
    @classmethod
    def _axis(cls, axis: str) -> str:
        if axis not in AXES:
            raise ValueError(unknown("axis", axis, AXES))
        return axis

    @model_validator(mode="after")
    def _whole(self) -> "FeatureEntry":
        try:
            self.feature()
        except KinematchError as error:
            raise ValueError(str(error)) from None
        return self

    def feature(self) -> Feature:
        flat = 2 if KINDS[self.kind].group == "trajectory" else 3
        return Feature(
            self.kind,
            self.joint,
            tuple(self.times),
            dimensions=self.dimensions or flat,
            axis=self.axis,
            weight=self.weight,
            name=self.name,
        )


class Matching(_Table):
    """`[matching]`: how features are compared."""

    normalisation: Normalisation = Field(
        "block", description="one deviation for each feature, for each column, or no normalisation"
    )
    responsiveness: Weight = Field(1.0, description="weight of all trajectory features")
    quality: Weight = Field(1.0, description="weight of all pose features")
    filter: str = Field(
        "", description="tags that frames must satisfy when a command names no filter, such as `walk & !crouch`"
    )
    tail: Seconds = Field(TAIL, description="seconds before the end of a clip that a search never jumps to")


class Recipe(_Table):
    """The top of the file: what to write, and the tables below."""

    output: str = Field("", description="the database to write, relative to the recipe; the recipe's name if omitted")
    skeleton: str = Field(
        "", description="a file whose skeleton all clips must match or be retargeted to; default: the first clip's"
    )
    minutes: Positive | None = Field(None, description="keep the whole clips that cover most in so many minutes")
    source: list[Source] = Field(min_length=1, description="one `[[source]]` for each group of files")
    cleaning: Cleaning = Field(Cleaning.model_validate({}), description="the table `[cleaning]`")
    feature: list[FeatureEntry] = Field([], description="one `[[feature]]` for each block; the 27 numbers when empty")
    matching: Matching = Field(Matching.model_validate({}), description="the table `[matching]`")

    def feature_schema(self) -> FeatureSchema:
        return FeatureSchema(tuple(entry.feature() for entry in self.feature) or default_features())

    def weights(self) -> Weights:
        return Weights(responsiveness=self.matching.responsiveness, quality=self.matching.quality)


def read_recipe(path: str | Path) -> Recipe:
    """Read and check a recipe; errors name the line, key and value."""
    return parse_recipe(read_recipe_text(path), path)


def read_recipe_text(path: str | Path) -> str:
    """Read the text of a recipe without parsing it."""
    with opened(path, "a recipe") as (file, size):
        if size > LARGEST_RECIPE:
            raise FileError(path, f"is no recipe: {size} bytes long")
        data = file.read(size)
    try:
        text = data.decode("utf-8-sig")  # some editors begin UTF-8 text with a mark
    except UnicodeDecodeError:
        raise FileError(path, "is not UTF-8 text; save it as UTF-8") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_recipe(text: str, path: str | Path = "recipe.toml") -> Recipe:
    try:
        values = parse_toml(text)
    except (ValueError, RecursionError) as error:
        raise toml_error(path, text, error) from None
    try:
        recipe = Recipe.model_validate(values)
        recipe.feature_schema()
    except ValidationError as error:
        raise recipe_error(path, text, error, Recipe) from None
    except KinematchError as error:
        raise FileError(path, f"feature: {error}") from None
    return recipe
