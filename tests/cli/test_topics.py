"""Topics from the command line: imported, listed, misspelt."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_cli import done, fails
from watchword.home import Home

TREE = "child,parent\nnational,politics\nlocal,politics\nlocal,region\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return Home.make(tmp_path / "home").path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "topics.csv"
    path.write_text(TREE)
    return path


def rows(text: str) -> list[list[str]]:
    return [line.split(maxsplit=1) for line in text.splitlines() if line.strip() and "─" not in line][1:]


def test_import_and_list(home: Path, file: Path) -> None:
    assert "no topics" in done("topics", "list", "--home", home).stdout
    assert "4 topics of categories: 4 new, 0 moved, 0 gone" in done("topics", "import", file, "--home", home).stderr
    listed = rows(done("topics", "list", "--home", home).stdout)
    assert sorted(row[0] for row in listed) == ["local", "national", "politics", "region"]
    assert [row[1].strip() for row in listed if row[0] == "local"] == ["politics, region"]
    below = rows(done("topics", "list", "politics", "--home", home).stdout)
    assert sorted(row[0] for row in below) == ["local", "national", "politics"]
    file.write_text("child,parent\nlocal,region\nschools,local\n")
    assert "3 topics of categories: 1 new, 1 moved, 2 gone" in done("topics", "import", file, "--home", home).stderr
    done("topics", "import", file, "--attribute", "section", "--home", home)
    assert rows(done("topics", "list", "--attribute", "section", "--home", home).stdout)


def test_what_is_wrong_changes_nothing(home: Path, file: Path, tmp_path: Path) -> None:
    done("topics", "import", file, "--home", home)
    bad = tmp_path / "bad.csv"
    bad.write_text("child,parent\na,b\nb,c\nc,a\nd,a\n")
    fails("topics", "import", bad, "--home", home, says=["bad.csv", "cycle: a below b below c below a"])
    bad.write_text("child,parent\na,b\na,b\n")
    fails("topics", "import", bad, "--home", home, says=["bad.csv: row 2", "first in row 1"])
    fails("topics", "import", file, "--max-topics", 2, "--home", home, says=["more than 2 rows", "--max-topics"])
    fails("topics", "list", "politcs", "--home", home, says=["no topic 'politcs'; similar: politics"])
    assert len(rows(done("topics", "list", "--home", home).stdout)) == 4


def test_a_subscription_to_an_unknown_topic_is_taken_and_noted(home: Path, file: Path) -> None:
    subscribe = ["subscribe", "ada", "--language", "predicates", "--home", home]
    assert done(*subscribe, "categories KIND OF 'politcs'").stderr == ""  # without a tree nothing is unknown
    done("topics", "import", file, "--home", home)
    said = done(*subscribe, "categories KIND OF 'politcs' AND NOT categories KIND OF 'politics/x'").stderr
    assert "no topic 'politcs' is known yet; similar: politics" in said and "politics/x" not in said
    assert done(*subscribe, "section KIND OF 'politcs'").stderr == ""
