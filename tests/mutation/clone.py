"""A copy of the source tree in which faults are made and built, so that the tree itself is never touched."""

import contextlib
import hashlib
import os
import shutil
import subprocess

# What the tests are built from and read.
PARTS = ("CMakeLists.txt", "README.md", "kernels", "partition", "io", "host", "configs", "tests")


# Most of the time goes into compiling, and -O1 takes a third of the time of -O3. Nothing simulated depends on it: there
# is no floating point in it.
BUILD = ("-G", "Ninja", "-D", "CMAKE_BUILD_TYPE=RelWithDebInfo", "-D", "CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1")


class BuildError(Exception):
    """CMake or the compiler has failed; the text says how."""


def _files(root):
    """The paths of all files of the parts, relative to `root`; not those of this folder, of which nothing is built."""
    for part in PARTS:
        path = root / part
        for file in [path] if path.is_file() else path.rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts and root / "tests" / "mutation" not in file.parents:
                yield file.relative_to(root)


class Clone:
    """The copy, at `folder`/tree, and its build, inside it."""

    def __init__(self, source, folder, jobs):
        self.source = source
        self.tree = folder / "tree"
        self.build_folder = self.tree / "build" / "quick"
        self.jobs = jobs
        self.log = folder / "build.log"

    def refresh(self):
        """Makes the copy equal to the source, writing only what differs, so that little is built again."""
        wanted = set(_files(self.source))
        self.tree.mkdir(parents=True, exist_ok=True)
        for file in set(_files(self.tree)) - wanted:
            (self.tree / file).unlink()
        for file in wanted:
            content, copy = (self.source / file).read_bytes(), self.tree / file
            if copy.is_file() and copy.read_bytes() == content:
                continue
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)
            shutil.copymode(self.source / file, copy)

    def digest(self):
        """Of all that programs and tests are made of, and how."""
        digest = hashlib.sha256(repr(BUILD).encode())
        for file in sorted(file for file in _files(self.tree) if file.suffix != ".md"):
            digest.update(str(file).encode() + b"\0" + hashlib.sha256((self.tree / file).read_bytes()).digest())
        return digest.hexdigest()

    @contextlib.contextmanager
    def with_fault(self, fault):
        """The copy has the fault inside this context, and not afterwards."""
        path = self.tree / fault.file
        right = path.read_text()
        path.write_text(fault.changed(right))
        try:
            yield
        finally:
            path.write_text(right)

    def program(self, name):
        return self.build_folder / "bin" / name

    def build(self, *targets):
        """Builds `targets` as far as needed. Raises BuildError."""
        if not (self.build_folder / "build.ninja").is_file():
            self._call("cmake", "-S", self.tree, "-B", self.build_folder, *BUILD)
        self._call("ninja", "-C", self.build_folder, f"-j{self.jobs}", *targets)

    def _call(self, *command):
        environment = dict(os.environ, CCACHE_BASEDIR=str(self.tree), CCACHE_NOHASHDIR="1")
        done = subprocess.run(
            [str(word) for word in command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.log.write_text(done.stdout)
        if done.returncode != 0:
            errors = [line for line in done.stdout.splitlines() if "error" in line.lower()]
            raise BuildError("\n".join(errors[:8] or done.stdout.splitlines()[-8:]) + f"\nall of it: {self.log}")
