"""The mutants themselves: that they are many, differ, and that the saved measurement is of them.

Running all of them is `nox -s mutants`; here one that must be noticed and one that can't be.
"""

import ast
import json

import pytest

from faultlab_docs import mutants
from faultlab_docs.mutations import Mutant
from faultlab_docs.mutations import mutants as mutate

EVERYONE = mutants.all_mutants()


def named(name: str) -> Mutant:
    (found,) = [mutant for mutant in EVERYONE if mutant.id == f"lab.py: {name}"]
    return found


def test_there_are_many_mutants_and_no_two_are_alike() -> None:
    assert len(EVERYONE) >= 150
    assert len({mutant.id for mutant in EVERYONE}) == len(EVERYONE)
    trees = {ast.dump(ast.parse(mutant.source)) for mutant in EVERYONE}
    assert len(trees) == len(EVERYONE)
    for module in mutants.MODULES:
        assert ast.dump(ast.parse(mutants.original(module))) not in trees
        assert sum(mutant.module == module for mutant in EVERYONE) >= 3


def test_a_mutant_differs_from_the_module_in_one_place() -> None:
    for mutant in EVERYONE:
        original = mutants.original(mutant.module).splitlines()
        changed = mutant.source.splitlines()
        assert original[: mutant.line - 1] == changed[: mutant.line - 1]
        assert original[mutant.line - 1] != changed[mutant.line - 1]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(a, b):\n    return a == b\n", {"return a != b", "pass"}),
        ("def f(a, b):\n    return a and not b\n", {"a or not b", "a and b", "pass"}),
        ("def f(a):\n    a += 1\n", {"a += 2", "pass"}),
        ("def f(a):\n    a.append('x')\n", {'a.append("xx")', "pass"}),
        ("def f(a):\n    if a:\n        raise ValueError\n", {"if not (a):", "RuntimeError"}),
        ("def f(a):\n    return deepcopy(a)\n", {"return a", "return dict(a)", "pass"}),
        ("def f(a):\n    return f'x{a}'\n", {"return \"x\" f'x{a}'", "pass"}),
        ("def f(a):\n    return 1 if a else None\n", {"1 if not (a)", "2 if a", 'else "x"'}),
        ("X = (lambda r: r['é'] in (0, True))\n", {"not in", "(1, True)", "False)", "r: True)"}),
        ("def f(a):\n    'words'\n    a: int\n", set()),
    ],
)
def test_each_kind_of_change_is_made(source: str, expected: set[str]) -> None:
    changed = [mutant.source for mutant in mutate(source)]
    for text in expected:
        assert any(text in one for one in changed), text
    assert bool(changed) == bool(expected)


def test_every_survivor_that_is_explained_is_a_mutant_and_has_a_reason() -> None:
    assert set(mutants.SURVIVORS) <= {mutant.id for mutant in EVERYONE}
    assert all(len(reason.split()) >= 8 for reason in mutants.SURVIVORS.values())


def test_the_saved_measurement_is_of_these_mutants() -> None:
    saved = json.loads(mutants.REPORT.read_text(encoding="utf-8"))
    assert saved["total"] == len(EVERYONE), "a model has changed: run `nox -s mutants`"
    assert saved["killed"] == saved["total"] - len(mutants.SURVIVORS)
    assert saved["command"] == mutants.COMMAND
    lines = {mutant.id: mutant.line for mutant in EVERYONE}
    assert saved["survivors"] == [
        {"mutant": name, "line": lines[name], "reason": reason}
        for name, reason in mutants.SURVIVORS.items()
    ]


def test_a_changed_status_is_noticed_and_an_unobservable_status_is_not() -> None:
    noticed = named('Lab._status_when_stopped: "needs_review" becomes "needs_reviewx"')
    unseen = named('Lab.run: "running" becomes "runningx"')
    results = list(mutants.run([noticed, unseen], every=True))
    kinds = {check.partition(":")[0] for check in results[0].red}
    assert {"saved run", "snippet", "page"} <= kinds
    assert results[1].red == []
    assert mutants.complaints(results) == []


def test_an_unexplained_survivor_and_an_explained_one_that_is_noticed_are_complaints() -> None:
    status = named('Lab._status_when_stopped: "needs_review" becomes "needs_reviewx"')
    unseen = named('Lab.run: "running" becomes "runningx"')
    survived, noticed = mutants.complaints(
        [
            mutants.Result(mutant=status, red=[]),
            mutants.Result(mutant=unseen, red=["page: docs/index.md"]),
        ]
    )
    assert survived.startswith(
        f"src/faultlab/lab.py:{status.line}: lab.py: Lab._status_when_stopped: "
    )
    assert "survives. Show it on a page, or explain it in SURVIVORS." in survived
    assert "is noticed by page: docs/index.md. Take it off SURVIVORS." in noticed


def test_the_report_counts_what_was_killed_and_by_which_kind_of_check(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    status = named('Lab._status_when_stopped: "needs_review" becomes "needs_reviewx"')
    unseen = named('Lab.run: "running" becomes "runningx"')
    report = mutants.report(
        [
            mutants.Result(mutant=status, red=["page: a", "page: b", "saved run: c"]),
            mutants.Result(mutant=unseen, red=[]),
        ]
    )
    assert report["date"] == "2026-01-01"
    assert (report["total"], report["killed"], report["killed_percent"]) == (2, 1, 50)
    assert report["noticed_first_by"] == {"page": 1, "saved run": 1}
    assert [survivor["mutant"] for survivor in report["survivors"]] == [unseen.id]


def test_list_names_every_mutant_and_only_refuses_a_number_that_is_none(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert mutants.main(["--list"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(EVERYONE)
    with pytest.raises(SystemExit) as caught:
        mutants.main(["--only", "100000"])
    assert caught.value.code == 2
    assert "They are numbered 1 to" in capsys.readouterr().err
