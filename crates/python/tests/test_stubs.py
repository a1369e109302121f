"""The stubs say what the module has, and the package is typed."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import resile

HERE = Path(__file__).parent
ROOT = HERE.parents[2]

pytestmark = pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")


def test_stubs_agree_with_the_compiled_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "resile._resile", "--ignore-disjoint-bases"],
        capture_output=True,
        text=True,
        cwd=HERE,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("checked", [["-p", "resile"], [str(HERE)]], ids=["package", "tests"])
def test_the_package_and_its_tests_are_typed(checked: list[str]) -> None:
    # The installed package goes by its name: by its path mypy takes the packages beside it for its own.
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", *checked],
        capture_output=True,
        text=True,
        cwd=HERE,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_public_is_documented() -> None:
    for name in resile.__all__:
        thing = getattr(resile, name)
        assert name == "__version__" or thing.__doc__, name
        for method in vars(thing) if isinstance(thing, type) else ():
            if not method.startswith("_") and callable(getattr(thing, method)):
                assert getattr(thing, method).__doc__, f"{name}.{method}"
