"""The compiled kernels, and NVIDIA's tools that read them."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import venv

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = ROOT / "build" / "cuda"


def nvcc() -> str | None:
    """Where CMakeLists.txt looks for it."""
    for place in (os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        if place and os.access(pathlib.Path(place) / "bin" / "nvcc", os.X_OK):
            return str(pathlib.Path(place) / "bin" / "nvcc")
    return shutil.which("nvcc")


def version_of(compiler: str) -> str:
    """ "13.0"."""
    said = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"release (\d+\.\d+)", said)
    if not found:
        raise ValueError(f"{compiler} --version names no release:\n{said}")
    return found.group(1)


def kernel_objects() -> list[pathlib.Path]:
    """Those of kernels/, built by the preset cuda where they are not up to date: who builds it before or after compiles them once."""
    run = {"cwd": ROOT, "check": True, "capture_output": True, "text": True}
    subprocess.run(["cmake", "--preset", "cuda"], **run)
    objects = []
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        if entry["file"].endswith(".cu"):
            words = shlex.split(entry["command"])
            objects.append(words[words.index("-o") + 1])
    if not objects:
        raise ValueError("the preset cuda compiles no .cu file")
    subprocess.run(["cmake", "--build", BUILD, "--target", *objects], **run)
    return [BUILD / name for name in objects]


class Tools:
    """cuobjdump, and nvdisasm, which it starts: the toolkit's, or those of PyPI in a venv. Raises CalledProcessError when pip has none."""

    def __init__(self, folder: pathlib.Path = BUILD / "tools"):
        if shutil.which("cuobjdump") and shutil.which("nvdisasm"):
            self._path = os.environ["PATH"]
            return
        requirements, mark = HERE / "requirements.txt", folder / "requirements.txt"
        if not mark.is_file() or mark.read_text() != requirements.read_text():
            venv.create(folder, clear=True, with_pip=True)
            pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--requirement", requirements]
            subprocess.run(pip, check=True, capture_output=True, text=True)
            mark.write_text(requirements.read_text())
        tool = next(folder.glob("lib/python3*/site-packages/nvidia/*/bin/cuobjdump"))
        self._path = f"{tool.parent}:{os.environ['PATH']}"

    def cuobjdump(self, option: str, file: pathlib.Path) -> str:
        env = {**os.environ, "PATH": self._path}
        return subprocess.run(["cuobjdump", option, file], capture_output=True, text=True, check=True, env=env).stdout
