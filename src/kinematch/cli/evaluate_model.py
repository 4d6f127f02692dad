"""`kinematch evaluate character MODEL`: whether a learned model is good enough, by itself and against its database."""

from pathlib import Path
from typing import TYPE_CHECKING

from kinematch.errors import KinematchError

if TYPE_CHECKING:
    from kinematch.character.settings import Settings
    from kinematch.database.storage import Database
    from kinematch.learned.model import Model


def evaluate_model(
    path: Path, against: Path | None, settings: "Settings", filter: str | None, *, seed: int, rate: float, quick: bool,
    json: Path | None,
) -> int:  # fmt: skip
    """Scores, the verdict and, with the database at hand, the course; exit status 1 when the model fails."""
    from kinematch.cli.evaluate_text import print_rows, print_targets
    from kinematch.cli.screen import Screen, progress_bar, write_figures
    from kinematch.cli.train_learned import print_scores
    from kinematch.evaluate.evaluation import finite, make_assignment
    from kinematch.evaluate.learned import evaluate_model as run_evaluation
    from kinematch.learned.model_file import load_model
    from kinematch.learned.verdict import judge, score_stick

    model, screen, found = load_model(path), Screen(), None
    with progress_bar("measuring") as show:
        database = _find_database(model, against)
        if database is not None:
            tags = database.filter if filter is None else filter
            given = make_assignment(database, tags, seed=seed, rate=rate, quick=quick)
            found = run_evaluation(model, given, settings, progress=lambda what, done, total: show(done, total, what))
        show(0, None, "random stick")
        scores = dict(model.scores) | score_stick(model, seconds=20.0 if quick else 150.0, seed=seed)
    verdict = judge(scores, snaps=model.snaps)
    print_scores(screen, scores, verdict)
    failed = not verdict.accepted
    if found is not None:
        print_rows(screen, found.rows)
        print_targets(screen, found.targets)
        failed |= not all(target.met for target in found.targets)
    else:
        screen.say("its database is not at hand: --against DATABASE compares the model with exact matching")
    rows = {} if found is None else {name: finite(row) for name, row in found.rows.items()}
    write_figures(json, {"scores": scores, "course": rows, "verdict": verdict.grade})
    return 1 if failed else 0


def _find_database(model: "Model", against: Path | None) -> "Database | None":
    """The one that is named, or the built-in one if the model was trained on that."""
    from kinematch.database import storage
    from kinematch.database.built_in import open_built_in
    from kinematch.learned.scoring import check_same_body, find_digest

    wanted = dict(model.about.get("database", {})).get("digest")
    if against is not None:
        database = storage.load(against)
        check_same_body(model, database)
        if wanted is not None and find_digest(database) != wanted:
            raise KinematchError(
                f"{against.name} is not the database that the model was trained on, or was built again"
            )
        return database
    database = open_built_in()
    return database if find_digest(database) == wanted else None
