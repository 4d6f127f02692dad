"""Options that several subcommands of `kinematch evaluate` share."""

from pathlib import Path
from typing import Annotated

from kinematch.cli.options import option

Settings = Annotated[Path | None, option("settings file (toml or json)")]
Filter = Annotated[
    str | None, option("tags that frames must satisfy, such as 'walk & !crouch'; default: the recipe's filter")
]
Seed = Annotated[int, option("random seed of what is scored")]
Rate = Annotated[float, option("steps per second")]
Quick = Annotated[bool, option("run each scenario once, at the slowest and the fastest gait")]
Users = Annotated[tuple[Path, ...], option("motion files of the users, or folders of them; default: random walks")]
Seconds = Annotated[float, option("maximum seconds per user")]
Figures = Annotated[Path | None, option("write all figures as JSON")]
Report = Annotated[Path | None, option("write a report (html)")]
