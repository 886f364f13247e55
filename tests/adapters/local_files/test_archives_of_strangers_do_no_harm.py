"""Archives that a container made by hand: nothing of them leaves its folder, and what is refused leaves nothing behind."""

import io
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from corral.adapters.local_files.unpacking import LONGEST_NAME, StagedFiles, TarUnpacker
from corral.errors import PermanentError
from corral.ports.archives import Tally


def archive(*members: tarfile.TarInfo | tuple[tarfile.TarInfo, bytes]) -> bytes:
    """Returns an archive of members that are as wrong as one likes."""
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w", format=tarfile.PAX_FORMAT) as made:
        for one in members:
            member, data = one if isinstance(one, tuple) else (one, b"")
            if member.isreg():
                member.size = len(data)
            made.addfile(member, io.BytesIO(data))
    return kept.getvalue()


def file(name: str, data: bytes = b"x") -> tuple[tarfile.TarInfo, bytes]:
    return tarfile.TarInfo(name), data


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, target
    return member


def folder(name: str) -> tarfile.TarInfo:
    return special(name, tarfile.DIRTYPE)


def link(name: str, target: str) -> tarfile.TarInfo:
    return special(name, tarfile.SYMTYPE, target)


def unpacked(data: bytes, target: Path, stem: str = "out") -> StagedFiles:
    read: Callable[[int], bytes] = io.BytesIO(data).read
    return TarUnpacker().unpack(read, stem, str(target), lambda _: None)


def installed(data: bytes, target: Path, stem: str = "out") -> Tally:
    staged = unpacked(data, target, stem)
    staged.install()
    return staged.tally


def tree(path: Path) -> list[str]:
    return sorted(str(one.relative_to(path)) for one in path.rglob("*"))


def test_a_folder_comes_out_whole_under_its_new_name(tmp_path: Path) -> None:
    data = archive(
        folder("./out"), file("./out/a", b"12"), folder("./out/b"), file("./out/b/c", b"3"), link("out/l", "b/c")
    )
    tally = installed(data, tmp_path / "copy")
    assert (tally.files, tally.size, tally.left_out) == (3, 3, ())
    assert tree(tmp_path) == ["copy", "copy/a", "copy/b", "copy/b/c", "copy/l"]
    assert (tmp_path / "copy" / "l").read_bytes() == b"3"


def test_a_file_replaces_a_file_in_one_step(tmp_path: Path) -> None:
    target = tmp_path / "model"
    target.write_bytes(b"old")
    with target.open("rb") as held:
        installed(archive(file("./out", b"new")), target)
        assert held.read() == b"old"
    assert target.read_bytes() == b"new"


def test_two_folders_become_one(tmp_path: Path) -> None:
    target = tmp_path / "copy"
    (target / "b").mkdir(parents=True)
    (target / "kept").write_text("mine")
    (target / "a").write_text("old")
    installed(archive(folder("out"), file("out/a", b"new"), file("out/b/c")), target)
    assert tree(target) == ["a", "b", "b/c", "kept"]
    assert (target / "a").read_text() == "new"


def test_a_folder_takes_the_place_of_nothing_but_a_folder(tmp_path: Path) -> None:
    """Also not that of a link to one: what is behind it was not named."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "copy").symlink_to("elsewhere")
    with pytest.raises(PermanentError, match="it is there and is no folder"):
        installed(archive(folder("out"), file("out/a")), tmp_path / "copy")
    assert tree(tmp_path) == ["copy", "elsewhere"]


@pytest.mark.parametrize(
    ("members", "want"),
    {
        "absolute": ([link("out/l", "/etc/passwd")], "a link out of the copy, to /etc/passwd"),
        "above": ([link("out/l", "../../x")], "a link out of the copy, to ../../x"),
        "beside": ([link("out/l", "../x")], "a link out of the copy, to ../x"),
        "the copy itself": ([link("out", "x")], "a link out of the copy, to x"),
        "through a link that leads up": (
            [folder("out/a/b"), link("out/a/b/up", "../.."), link("out/l", "a/b/up/../x")],
            "a link out of the copy, to a/b/up/../x",
        ),
        "device": ([special("out/d", tarfile.CHRTYPE)], "neither a file, a folder nor a link"),
        "pipe": ([special("out/p", tarfile.FIFOTYPE)], "neither a file, a folder nor a link"),
        "long": ([file("out/" + "d/" * LONGEST_NAME)], f"more than {LONGEST_NAME} letters"),
    }.items(),
)
def test_what_cannot_be_taken_is_left_out_and_told(
    tmp_path: Path, members: str, want: tuple[list[tarfile.TarInfo], str]
) -> None:
    tally = installed(archive(folder("out"), *want[0], file("out/good")), tmp_path / "copy")
    assert [want[1] in one for one in tally.left_out] == [True], members
    found = [path for path in tmp_path.rglob("*") if not path.is_dir() and not path.is_symlink()]
    assert found == [tmp_path / "copy" / "good"] or members == "the copy itself"


@pytest.mark.parametrize(
    "data",
    [
        archive(file("../out")),
        archive(file("/out")),
        archive(file("out/../../x")),
        archive(file("other")),
        archive(file("outside")),
        archive(folder("out"), special("out/h", tarfile.LNKTYPE, "../x")),
    ],
)
def test_a_name_that_was_not_asked_for_ends_it(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(PermanentError, match="which was not asked for") as told:
        installed(data, tmp_path / "copy")
    assert told.value.code == "bad-archive"
    assert tree(tmp_path) == []


@pytest.mark.parametrize("name", ["..", "../x", "/x", "a/../../x"])
def test_the_content_of_a_folder_cannot_leave_it_either(tmp_path: Path, name: str) -> None:
    with pytest.raises(PermanentError, match="which was not asked for"):
        installed(archive(file(name)), tmp_path / "copy", stem=".")
    assert tree(tmp_path) == []


def test_files_go_through_a_link_only_to_where_it_may_lead(tmp_path: Path) -> None:
    data = archive(folder("out"), folder("out/real"), link("out/l", "real"), file("out/l/f"))
    installed(data, tmp_path / "copy")
    assert (tmp_path / "copy" / "real" / "f").exists()


def test_an_archive_that_breaks_off_leaves_nothing(tmp_path: Path) -> None:
    data = archive(folder("out"), file("out/a", b"x" * 100_000), file("out/b", b"y" * 100_000))
    for length in (0, 100, 5_000, 50_000, 150_000):
        with pytest.raises(PermanentError) as told:
            installed(data[:length], tmp_path / "copy")
        assert told.value.code == "broken-archive"
        assert tree(tmp_path) == []


def test_more_than_the_disk_holds_is_refused_before_it_is_written(tmp_path: Path) -> None:
    huge = tarfile.TarInfo("out")
    huge.size = 1 << 60
    with pytest.raises(PermanentError, match=f"needs at least {1 << 60} bytes") as told:
        installed(huge.tobuf(tarfile.PAX_FORMAT), tmp_path / "copy")
    assert told.value.code == "disk-full"
    assert tree(tmp_path) == []


def test_holes_are_refused(tmp_path: Path) -> None:
    """42 KB that become 4 GB; the tar that we ask to run makes none of these."""
    sparse = tarfile.TarInfo("out")
    sparse.type = tarfile.GNUTYPE_SPARSE
    block = bytearray(sparse.tobuf(tarfile.GNU_FORMAT))
    block[386:410] = b"%011o\0%011o\0" % (0, 0)
    block[483:495] = b"%011o\0" % (4 << 30)
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    with pytest.raises(PermanentError, match="has holes"):
        installed(bytes(block) + bytes(1024), tmp_path / "copy")
    assert tree(tmp_path) == []


def test_modes_are_kept_as_far_as_they_are_safe(tmp_path: Path) -> None:
    member, data = file("out")
    member.mode = 0o6777
    installed(archive((member, data)), tmp_path / "copy")
    assert os.stat(tmp_path / "copy").st_mode & 0o7777 == 0o755
