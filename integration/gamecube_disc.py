"""Makes a disc of a GameCube whose program reads 32 KiB at each of some places, one after the other, and then loops.
Dolphin starts it like a game: from the disc's apploader. This disc has nothing else."""
import struct

from game import noise

MIB = 1 << 20
READ_BYTES = 32 << 10
BEGIN = 0x81200000  # where an apploader lies in memory
INIT, MAIN, CLOSE, GAME, PLACES = (BEGIN + at for at in (0x40, 0x48, 0x60, 0x80, 0x100))
BLR = 0x4E800020  # return
DRIVE = 0xCC006000  # registers of the drive's interface


def load(register, value):
    """lis register, upper half; ori register, register, lower half"""
    return [0x3C000000 | register << 21 | value >> 16, 0x60000000 | register << 21 | register << 16 | value & 0xFFFF]


def apploader(places):
    """Returns an apploader. Its entry stores the addresses of three functions at r3, r4 and r5: one that begins, one
    that returns 0 once everything is loaded, and one that returns the game's entry point."""
    parts = {
        BEGIN: [*load(6, INIT), 0x90C30000, *load(6, MAIN), 0x90C40000, *load(6, CLOSE), 0x90C50000, BLR],
        INIT: [BLR],
        MAIN: [0x38600000, BLR],
        CLOSE: [*load(3, GAME), BLR],
        GAME: [*load(10, PLACES), *load(11, len(places)), 0x7D6903A6, *load(4, DRIVE), *load(6, 0xA8000000), *load(7, READ_BYTES),
               *load(8, 0x00400000),
               0x80AA0000,                                      # next: lwz r5, 0(r10)
               0x90C40008, 0x90A4000C, 0x90E40010,              # stw: the command, the place, how many bytes
               0x91040014, 0x90E40018,                          # stw: where to in memory, how many bytes
               0x39200003, 0x9124001C,                          # li r9, 3; stw r9, 28(r4): begin
               0x8124001C, 0x71290001, 0x4082FFF8,              # lwz; andi. r9, r9, 1; bne: until it is done
               0x394A0004, 0x4200FFD0, 0x48000000],             # addi r10, r10, 4; bdnz next; b here
    }
    code = bytearray(PLACES - BEGIN)
    for at, words in parts.items():
        struct.pack_into(f">{len(words)}I", code, at - BEGIN, *words)
    return bytes(code) + struct.pack(f">{len(places)}I", *(place // 4 for place in places))


def disc(disc_bytes, places):
    """Holds noise from its second MiB on."""
    made = bytearray(disc_bytes)
    for number in range(1, disc_bytes // MIB):
        made[number * MIB:(number + 1) * MIB] = noise(number, MIB)
    made[:0x440] = b"GTST01".ljust(0x1C, b"\0") + bytes.fromhex("C2339F3D") + b"made up".ljust(0x420, b"\0")
    struct.pack_into(">III", made, 0x420, 0x10000, 0x20000, 0x20)
    program = apploader(places)
    made[0x2440:0x2460] = b"2026/11/29".ljust(16, b"\0") + struct.pack(">IIII", BEGIN, len(program), 0, 0)
    made[0x2460:0x2460 + len(program)] = program
    return bytes(made)
