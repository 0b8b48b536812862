"""A program on the installed library records for a fleet; its upload is read by independent code, as
schemas/fleet-upload.md says."""
import struct
import subprocess

import pytest
import xxhash

import skl_reader
from programs import build_c_program
from test_same_pid import at_once, needs_numbers


@pytest.fixture(scope="module")
def uploader(install_prefix, tmp_path_factory):
    return build_c_program("upload", tmp_path_factory.mktemp("uploader"), install_prefix)


def numbers(payload):
    value, shift = 0, 0
    for byte in payload:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value, shift = 0, 0
    assert shift == 0, "a number that isn't whole"


class Upload:
    def __init__(self, data):
        magic, self.version, header_bytes, self.places, self.build, self.scenarios, self.day, self.client, zero, checksum = \
            struct.unpack_from("<8sHHIQII16sQQ", data)
        assert (magic, self.version, header_bytes, zero) == (b"SKLFLEET", 1, 64, 0)
        assert xxhash.xxh3_64(data[:56]).intdigest() == checksum
        self.runs, self.drives, at, block = {}, [], 64, 0
        while at < len(data):
            length, kind, checksum = struct.unpack_from("<III", data, at)
            payload = data[at + 12:at + 12 + length]
            assert length == len(payload) <= 4096
            assert xxhash.xxh3_64(payload, seed=kind << 32 | block).intdigest() & 0xFFFFFFFF == checksum
            at, block = at + 12 + length, block + 1
            if kind == 1:
                self.add_reads(*numbers(payload))
            else:
                assert kind == 2
                self.drives.append(list(numbers(payload)))

    def add_reads(self, scenario, run, rank, *codes):
        assets = self.runs.setdefault((scenario, run), [])
        assert rank == len(assets)
        expected = 0
        for code in codes:
            assets.append(expected + (code >> 1 if code % 2 == 0 else -(code + 1 >> 1)))
            expected = assets[-1] + 1


def places_of(packs):
    """Returns the paths by number, as the format counts: all packs one after the other."""
    read = skl_reader.PackSet(packs)
    return [path for pack in read.packs for path in pack.paths]


def test_an_upload_names_by_number_what_was_read_first(uploader, made, tmp_path):
    wanted = list(reversed(made.game.MENU))[:3]
    upload = tmp_path / "day.up"
    subprocess.run([uploader, made.packs, upload, "menu", *wanted], check=True, timeout=60)
    data = upload.read_bytes()
    read = Upload(data)
    places = places_of(made.packs)
    assert read.places == len(places)
    assert (read.day, read.client) == (20_000, bytes([7] * 16))
    (assets,) = read.runs.values()
    assert [places[number] for number in assets[:3]] == wanted
    assert {places[number] for number in assets} == set(made.game.MENU)
    assert len(assets) == len(set(assets))
    (drive,) = read.drives
    assert len(drive) == 5 and drive[4] > 0
    for path in [*places, str(made.packs), str(tmp_path)]:
        assert path.encode() not in data


def test_without_a_scenario_of_the_set_nothing_is_recorded(uploader, made, tmp_path):
    upload = tmp_path / "day.up"
    done = subprocess.run([uploader, made.packs, upload, "no such scenario", *made.game.MENU[:2]], timeout=60,
                          capture_output=True, text=True)
    assert done.returncode == 1 and "no such scenario" in done.stderr, "of the sweep alone"
    assert not Upload(upload.read_bytes()).runs


def test_a_full_disk_is_told_and_costs_no_read(uploader, made):
    done = subprocess.run([uploader, made.packs, "/dev/full", "menu", *made.game.MENU], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "/dev/full" in done.stderr and "No space left on device" in done.stderr


@needs_numbers
def test_processes_of_one_number_record_side_by_side(uploader, made, tmp_path):
    """Uploads go into one folder, like a share that several machines send to."""
    files = [tmp_path / f"{number}.up" for number in range(8)]
    ends = at_once([[uploader, made.packs, file, "menu"] for file in files])
    assert [code for _, code in ends] == [0] * len(files), ends
    for file in files:
        (assets,) = Upload(file.read_bytes()).runs.values()
        assert len(assets) == len(made.game.MENU)
    assert sorted(tmp_path.iterdir()) == files  # nothing beside them
