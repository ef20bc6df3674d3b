"""Where machine code is kept, when it is found again, and when it is not: each claim asks a new process."""

from __future__ import annotations

import os
import shutil
import stat
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.kernels.tiny_package import CALLEE, KERNELS, TinyPackage, make_tiny_package
from watchword.kernels.cache import files, folders

pytestmark = pytest.mark.slow


@pytest.fixture
def package(tmp_path: Path) -> TinyPackage:
    return make_tiny_package(tmp_path / "package")


@pytest.fixture(scope="module")
def warm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    package = make_tiny_package(tmp_path_factory.mktemp("warm") / "package")
    assert package.run().compiled == KERNELS
    return package.root


@pytest.fixture
def warm(warm_folder: Path, tmp_path: Path) -> TinyPackage:
    """A copy with compiled kernels, at another place and with other times."""
    shutil.copytree(warm_folder, tmp_path / "copied", copy_function=shutil.copyfile)
    return TinyPackage(tmp_path / "copied")


def lines_about(log: list[str], words: str) -> list[str]:
    return [line for line in log if words in line]


class TestEdits:
    """Stale machine code gives wrong answers."""

    def test_an_edited_kernel_gives_the_new_answer(self, warm: TinyPackage) -> None:
        caller = warm.kernels / "caller.py"
        caller.write_text(caller.read_text().replace(", 2)", ", 3)"))
        assert (said := warm.run()).answer == 43 and said.compiled == KERNELS - 1  # `step` did not change

    def test_a_kernel_is_compiled_again_when_what_it_calls_is_edited(self, warm: TinyPackage) -> None:
        times = (warm.kernels / "callee.py").stat()
        (warm.kernels / "callee.py").write_text(CALLEE.replace("number + by", "number - by"))
        os.utime(warm.kernels / "callee.py", ns=(times.st_atime_ns, times.st_mtime_ns))
        assert (said := warm.run()).answer == 38 and said.compiled == KERNELS

    def test_an_edit_that_is_taken_back_compiles_nothing(self, warm: TinyPackage) -> None:
        (warm.kernels / "callee.py").write_text(CALLEE.replace("number + by", "number - by"))
        assert warm.run().answer == 38
        (warm.kernels / "callee.py").write_text(CALLEE)
        assert (said := warm.run()).answer == 42 and said.compiled == 0

    def test_an_edit_elsewhere_compiles_nothing(self, warm: TinyPackage) -> None:
        (warm.kernels / "other.py").write_text("from watchword.kernels.callee import step\n")
        assert (said := warm.run()).answer == 42 and said.compiled == 0


class TestMoves:
    """What was compiled stays so, wherever it is copied to on machines of one kind."""

    def test_a_copy_compiles_nothing(self, warm: TinyPackage) -> None:
        assert (said := warm.run()).answer == 42 and said.compiled == 0 and said.log == []

    def test_an_archive_compiles_nothing(self, warm: TinyPackage, tmp_path: Path) -> None:
        with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as archive:
            archive.add(warm.root, "unpacked")
        with tarfile.open(tmp_path / "all.tar.gz") as archive:
            archive.extractall(tmp_path, filter="data")
        assert TinyPackage(tmp_path / "unpacked").run().compiled == 0

    @pytest.mark.parametrize("variable", ["NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES", "NUMBA_BOUNDSCHECK"])
    def test_another_processor_and_bounds_checks_compile_their_own(self, warm: TinyPackage, variable: str) -> None:
        values = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "-avx2", "NUMBA_BOUNDSCHECK": "1"}
        warm.variables[variable] = values[variable]
        before = warm.run()
        assert before.answer == 42 and before.compiled == KERNELS
        assert warm.run().compiled == 0
        warm.variables.clear()
        assert warm.run().compiled == 0


class TestShipped:
    """A wheel may have kernels for processors of a kind that nearly every machine is of."""

    @pytest.fixture
    def shipped(self, package: TinyPackage) -> TinyPackage:
        package.variables = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}
        assert package.run().compiled == KERNELS
        shutil.move(package.beside, package.kernels / "shipped")
        package.variables = {}
        return package

    def test_kernels_of_a_wheel_are_used(self, shipped: TinyPackage) -> None:
        assert (said := shipped.run()).answer == 42 and said.compiled == 0 and said.log == []

    def test_a_processor_without_the_features_compiles(self, shipped: TinyPackage) -> None:
        shipped.first = (
            "import llvmlite.binding as ll\nfound = ll.get_host_cpu_features()\nfound['avx2'] = False\n"
            "ll.get_host_cpu_features = lambda: found"
        )
        assert (said := shipped.run()).answer == 42 and said.compiled == KERNELS

    def test_kernels_of_other_sources_are_not_used(self, shipped: TinyPackage) -> None:
        (shipped.kernels / "callee.py").write_text(CALLEE.replace("number + by", "number - by"))
        assert (said := shipped.run()).answer == 38 and said.compiled == KERNELS

    def test_what_is_missing_is_compiled_where_nothing_can_be_kept(self, shipped: TinyPackage) -> None:
        (shipped.kernels / "callee.py").write_text(CALLEE.replace("number + by", "number - by"))
        shutil.rmtree(shipped.kernels / "__pycache__")
        (shipped.kernels / "__pycache__").touch()
        shutil.move(shipped.kernels / "shipped", shipped.root / "away")
        (shipped.kernels / "shipped").symlink_to("/proc/self")  # a folder in which not even root can make one
        shipped.variables = {"HOME": "/dev/null"}
        shipped.first = "import tempfile; tempfile.tempdir = '/dev/null/none'"
        assert (said := shipped.run()).answer == 38 and said.compiled == KERNELS


class TestPlaces:
    """Code is kept where that is possible and safe."""

    def test_kernels_are_kept_beside_the_package_for_all_to_read(self, package: TinyPackage) -> None:
        assert Path(package.run().folder) == package.beside
        assert stat.S_IMODE(package.beside.stat().st_mode) == 0o755

    def test_a_package_that_cannot_be_written_to_uses_the_cache_of_its_user(self, package: TinyPackage) -> None:
        (package.kernels / "__pycache__").touch()  # no folder can be made below a file, not even by root
        said = package.run()
        assert said.answer == 42 and Path(said.folder) == package.root / "home" / ".cache" / "watchword" / "kernels"
        assert stat.S_IMODE(Path(said.folder).stat().st_mode) == 0o700
        assert package.run().compiled == 0

    def test_a_home_that_cannot_be_written_to_either_leaves_a_private_temporary_folder(
        self, package: TinyPackage, tmp_path: Path
    ) -> None:
        (package.kernels / "__pycache__").touch()
        package.variables = {"HOME": "/dev/null", "TMPDIR": str(tmp_path)}
        said = package.run()
        assert said.answer == 42 and Path(said.folder) == tmp_path / f"watchword-kernels-{os.getuid()}"
        assert stat.S_IMODE(Path(said.folder).stat().st_mode) == 0o700
        assert package.run().compiled == 0

    def test_without_any_folder_each_process_compiles_and_says_why(self, package: TinyPackage) -> None:
        (package.kernels / "__pycache__").touch()
        package.variables = {"HOME": "/dev/null"}
        package.first = "import tempfile; tempfile.tempdir = '/dev/null/none'"
        for _ in range(2):
            said = package.run()
            assert said.answer == 42 and said.compiled == KERNELS and said.folder == "None"
            assert len(said.log) == 1 and "WATCHWORD_CACHE names one" in said.log[0]

    def test_a_disk_that_is_full_costs_a_line_and_no_answer(self, package: TinyPackage) -> None:
        package.first = "import os\ndef full(*_): raise OSError(28, 'No space left')\nos.replace = os.rename = full"
        said = package.run()
        assert said.answer == 42
        assert len(lines_about(said.log, "compiled kernels cannot be kept: [Errno 28] No space left")) == 1

    def test_a_folder_is_chosen_by_a_variable(self, warm: TinyPackage, tmp_path: Path) -> None:
        warm.variables["WATCHWORD_CACHE"] = str(tmp_path / "chosen")
        said = warm.run()
        assert said.compiled == 0 and Path(said.folder) == tmp_path / "chosen" / "kernels"
        assert stat.S_IMODE(Path(said.folder).stat().st_mode) == 0o700

    def test_kernels_in_a_chosen_folder_are_found(self, warm: TinyPackage, tmp_path: Path) -> None:
        shutil.move(warm.beside, tmp_path / "shipped" / "kernels")
        warm.variables["WATCHWORD_CACHE"] = str(tmp_path / "shipped")
        assert warm.run().compiled == 0

    def test_kernels_in_a_folder_that_others_can_write_to_are_not_loaded(self, warm: TinyPackage) -> None:
        warm.beside.chmod(0o777)
        said = warm.run()
        assert said.answer == 42 and said.compiled == KERNELS and Path(said.folder) != warm.beside
        assert len(said.log) == 1 and f"chmod go-w {warm.beside}" in said.log[0]

    def test_a_chosen_folder_of_somebody_else_is_refused(self, warm: TinyPackage, tmp_path: Path) -> None:
        chosen = tmp_path / "theirs"
        chosen.mkdir(mode=0o755)
        if os.getuid() == 0:
            os.chown(chosen, 12345, -1)
        else:  # we are somebody else than the owner
            warm.first = "import os; me = os.getuid(); os.getuid = lambda: me + 1"
        warm.variables["WATCHWORD_CACHE"] = str(chosen)
        said = warm.run()
        assert said.answer == 42 and chosen not in Path(said.folder).parents
        assert len(lines_about(said.log, f"{chosen} are not used: it belongs to user")) == 1
        assert list(chosen.iterdir()) == []


DAMAGES = {
    "truncated": lambda found: found[: len(found) // 2],
    "empty": lambda found: b"",
    "zeros": lambda found: bytes(len(found)),
    "flipped": lambda found: (
        found[: len(found) // 2] + bytes([found[len(found) // 2] ^ 1]) + found[len(found) // 2 + 1 :]
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", ["index", "code"])
def test_damaged_files_are_compiled_again_and_one_line_says_so(warm: TinyPackage, kind: str, damage: str) -> None:
    found = list(warm.beside.rglob(f"*.{kind}"))
    assert len(found) == KERNELS
    for file in found:
        file.write_bytes(DAMAGES[damage](file.read_bytes()))
    said = warm.run()
    assert said.answer == 42 and said.compiled == KERNELS
    assert len(said.log) == 1 and "is damaged: its kernel is compiled again" in said.log[0]
    again = warm.run()
    assert again.answer == 42 and again.compiled == 0 and again.log == []


def kernel_files(folder: Path) -> files.KernelFiles:
    import pickle

    return files.KernelFiles("packed.match-31.py311", (folder,), folder, pickle.dumps)


def test_two_processes_that_write_at_once_never_swap_their_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both read the index before either writes it; with numbered files both would write the same one."""
    folder = tmp_path / "kernels.sets.packed-0123456789abcdef"
    one, other = kernel_files(folder), kernel_files(folder)
    write = files._write

    def interrupted(path: Path, content: bytes) -> None:
        monkeypatch.setattr(files, "_write", write)
        other.save("(int64)", "code for int64")
        write(path, content)

    monkeypatch.setattr(files, "_write", interrupted)
    one.save("(int32)", "code for int32")
    assert one.load("(int32)") == "code for int32"
    assert other.load("(int64)") in (None, "code for int64")


def test_old_folders_of_a_file_and_of_other_versions_go(tmp_path: Path) -> None:
    for version in range(folders.KEPT + 2):
        folders.make_folder(tmp_path / f"watchword-0.{version}" / "kernels.ids-0")
        os.utime(tmp_path / f"watchword-0.{version}", (version, version))
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"watchword-0.{n}" for n in range(2, folders.KEPT + 2)]
    machine = tmp_path / "watchword-0.5"
    folders.make_folder(machine / "kernels.growing-0")
    for state in range(1, folders.KEPT + 3):
        folders.make_folder(machine / f"kernels.ids-{state}")
        os.utime(machine / f"kernels.ids-{state}", (state, state))
    left: list[Any] = sorted(path.name for path in machine.iterdir())
    assert "kernels.growing-0" in left and len(left) == folders.KEPT + 1 and f"kernels.ids-{folders.KEPT + 2}" in left
