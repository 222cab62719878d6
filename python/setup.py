"""Builds the extension cardhouse._core against libcardhouse and libcardhouse-io; pyproject.toml says the rest.

Which library: that of the CMake build folder that CARDHOUSE_BUILD names, as archives, so that the wheel needs no file
beside it, or with CARDHOUSE_SHARED=1 as shared libraries; or else the checkout around this folder is built first; or
else, and with CARDHOUSE_INSTALLED=1, the installed one, by pkg-config.
"""
import os
import re
import shlex
import subprocess
from pathlib import Path

from setuptools import Extension, find_packages, setup

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent
LIMITED_API = "0x030B0000"  # CPython 3.11 and every later one


def pkg_config(*arguments: str, path: Path | None = None) -> list[str] | None:
    environment = dict(os.environ, **({"PKG_CONFIG_PATH": str(path)} if path else {}))
    try:
        done = subprocess.run(["pkg-config", *arguments, "cardhouse"], env=environment, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return shlex.split(done.stdout) if done.returncode == 0 else None


def build_checkout() -> Path:
    folder = CHECKOUT / "build"
    subprocess.run(["cmake", "-S", CHECKOUT, "-B", folder, "-DCH_NATIVE=ON"], check=True)
    subprocess.run(["cmake", "--build", folder, "--parallel", "--target", "libcardhouse_io"], check=True)
    return folder


def library() -> dict[str, list[str]]:
    """Where headers are and what is linked, as arguments of Extension."""
    folder = os.environ.get("CARDHOUSE_BUILD")
    in_tree = (CHECKOUT / "include/cardhouse/version.h").exists()
    if not folder and not os.environ.get("CARDHOUSE_INSTALLED") and in_tree:
        folder = str(build_checkout())
    if not folder:
        flags, links = pkg_config("--cflags"), pkg_config("--libs")
        if flags is None or links is None:
            raise SystemExit("libcardhouse is not found: install libcardhouse-dev, or set CARDHOUSE_BUILD")
        return {"extra_compile_args": flags, "extra_link_args": links}
    build = Path(folder).resolve()
    if os.environ.get("CARDHOUSE_SHARED"):
        return {"include_dirs": [str(CHECKOUT / "include")],
                "extra_link_args": [f"-L{build}", "-lcardhouse-io", "-lcardhouse", "-lm"]}
    links = pkg_config("--static", "--libs", path=build)
    if links is None:
        raise SystemExit(f"{build} is no build folder of Cardhouse, or pkg-config does not know hdf5, jansson and libpng")
    others = [link for link in links if not link.startswith("-lcardhouse") and not link.startswith(f"-L{build.parent}")]
    archives = [str(build / "libcardhouse-io.a"), str(build / "libcardhouse.a")]
    # What the archives hold stays inside: another extension may bring a Cardhouse of its own.
    return {"include_dirs": [str(CHECKOUT / "include")], "depends": archives,
            "extra_link_args": [*archives, "-Wl,--exclude-libs,ALL", *others]}


def version() -> str:
    header = CHECKOUT / "include/cardhouse/version.h"
    if not header.exists():
        return subprocess.run(["pkg-config", "--modversion", "cardhouse"], check=True, capture_output=True,
                              text=True).stdout.strip()
    numbers = re.findall(r"define CH_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header.read_text())
    return ".".join(numbers)


def extension() -> Extension:
    arguments = library()
    sanitizers = os.environ.get("CARDHOUSE_SANITIZE")
    flags = ["-std=gnu17", "-Wall", "-Wextra", "-Wshadow", "-fvisibility=hidden", *arguments.pop("extra_compile_args", [])]
    if os.environ.get("CARDHOUSE_STRICT"):
        flags.append("-Werror")
    if sanitizers:
        flags += [f"-fsanitize={sanitizers}", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]
        arguments["extra_link_args"] = [f"-fsanitize={sanitizers}", *arguments["extra_link_args"]]
    sources = sorted(str(path.relative_to(HERE)) for path in (HERE / "src").glob("*.c"))
    headers = sorted(str(path.relative_to(HERE)) for path in (HERE / "src").glob("*.h"))
    return Extension("cardhouse._core", sources, py_limited_api=True, define_macros=[("Py_LIMITED_API", LIMITED_API)],
                     extra_compile_args=flags, **{**arguments, "depends": headers + arguments.get("depends", [])})


os.chdir(HERE)
setup(version=version(), ext_modules=[extension()], packages=find_packages(include=["cardhouse*"]), zip_safe=False,
      package_data={"cardhouse": ["py.typed", "*.pyi"]}, options={"bdist_wheel": {"py_limited_api": "cp311"}})
