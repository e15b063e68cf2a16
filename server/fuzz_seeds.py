#!/usr/bin/env python3
"""Writes the seeds of a fuzz target of server/: fuzz_seeds.py requests|frames|records FILE...

Each kind has as many seeds as its BUILD rule names files. They are valid inputs of each side; the first
bytes tell the target how to use the rest (see the head of each *_fuzz.cc).
"""
import struct
import sys


def varint(n):
    out = b''
    n &= (1 << 64) - 1
    while n >= 0x80:
        out += bytes([n & 0x7f | 0x80])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def bytes_(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def fixed64(field, n):
    return varint(field << 3 | 1) + struct.pack('<Q', n)


SPIRV = struct.pack('<5I', 0x07230203, 0x10300, 0, 1, 0)
OPTIONS = (bytes_(1, bytes([8, 16, 32])) + bytes_(2, 'cse') + number(3, 1) + number(4, 7) +
           number(5, 16) + number(6, 1) + number(7, 1))


def requests():
    constants = b''.join(
        bytes_(6, number(1, i) + value) for i, value in enumerate(
            [number(2, 1), number(3, 5), number(4, 9), number(6, 1 << 40), fixed64(9, 3)]))
    module = (bytes_(1, SPIRV) + bytes_(4, 'main') + bytes_(5, 'compute') + constants +
              bytes_(7, OPTIONS) + bytes_(8, 'tgl') + bytes_(9, number(1, 1) + number(3, 1)) +
              number(10, 1))
    glsl = bytes_(2, bytes_(1, '#version 450\nvoid main() {}\n') + bytes_(2, 'a.comp') +
                  bytes_(3, 'compute') + bytes_(4, bytes_(1, 'A') + bytes_(2, '1')) * 8 +
                  bytes_(5, bytes_(1, 'a.h') + bytes_(3, 'inc/a.h') + bytes_(4, '//')) * 8)
    digest = bytes_(3, number(1, 1) + bytes_(2, b'd' * 32)) + bytes_(8, 'tgl')
    unknown = bytes_(2, bytes_(15, 'x') * 64 + number(17, 1) * 64) + fixed64(18, 1)
    for message in (module, glsl + bytes_(8, 'tgl'), digest, unknown):
        yield b'\0' + message
        yield b'\x07' + number(1, 5) + bytes_(2, message) + number(3, 1)


ID = 0x1122334455667788
TARGETS = ['tgl', 'skl', 'hsw', 'gfx1030']


def frame(message):
    return struct.pack('<I', len(message)) + message


def result(target, status=1):
    variant = (bytes_(1, 'SIMD16') + number(2, 16) + bytes_(3, 'code') + bytes_(4, bytes_(1, 'tgl')) +
               bytes_(5, number(1, 9) + number(9, 144)) + bytes_(6, 'text'))
    return (bytes_(1, target) + number(2, status) + bytes_(3, 'ok' if status == 1 else 'invalid_spirv') +
            (variant and bytes_(9, variant) if status == 1 else b'') +
            bytes_(10, bytes_(1, 'cse') + bytes_(4, 'remark')) +
            bytes_(11, bytes_(1, 'cse') + number(3, 16) + number(5, 100)) + bytes_(12, 'none') +
            bytes_(15, number(2, 5) + number(3, 6)))


def answer(index, payload, last):
    return frame(number(1, ID) + (number(2, index) if index else b'') + payload +
                 (number(5, 1) if last else b''))


def frames():
    for count in range(1, 5):
        stream = b''.join(answer(i, bytes_(3, result(TARGETS[i], 1 + i % 3)), i == count - 1)
                          for i in range(count))
        yield bytes([count - 1]) + stream
        yield bytes([count - 1 | 0x50]) + stream + answer(0, bytes_(3, result('tgl')), True)
    translation = number(1, 1) + bytes_(3 - 1, 'ok') + bytes_(4, SPIRV) + number(5, 1)
    yield b'\x04' + answer(0, bytes_(4, translation), True)
    yield b'\x0c' + answer(0, bytes_(4, number(1, 7) + bytes_(2, 'cancelled')), True)
    compile_ = bytes_(3, bytes_(1, SPIRV) + bytes_(4, number(1, 3) + fixed64(2, 5)) +
                      bytes_(8, number(1, 3) + number(2, 2)) + bytes_(5, OPTIONS) + bytes_(6, 'tgl'))
    glsl = bytes_(2, bytes_(1, bytes_(1, 'void main() {}')))
    yield b'\x80' + b''.join(frame(number(1, i) + work) for i, work in
                             enumerate([compile_, glsl, bytes_(5, b'')]))


def records():
    translation = (number(2, 1) + bytes_(3, 'ok') + bytes_(14, b'd' * 32) + bytes_(15, number(1, 9)))
    yield b'\0KLR1'
    yield b'\x01' + b'\x05\x01\x03' + result('tgl')
    yield b'\x01' + b'\x80\xff\x06' + b'a' * 300
    yield b'\x02' + b'\x1f' + result('tgl')
    yield b'\x02' + b'\x05' + result('tgl', 3)
    yield b'\x03' + translation
    yield b'\x03' + number(2, 2) + bytes_(3, 'shader_too_large') + bytes_(4, 'why')
    yield b'\x04' + b'generation-000000000012'
    yield b'\x04' + b'generation-000000000012.repaired'
    yield b'\x04' + b'doomed-12-3'


def main():
    kinds = {'requests': requests, 'frames': frames, 'records': records}
    seeds = list(kinds[sys.argv[1]]())
    files = sys.argv[2:]
    if len(seeds) != len(files):
        sys.exit(f'{len(seeds)} seeds for {len(files)} files')
    for seed, file in zip(seeds, files):
        with open(file, 'wb') as out:
            out.write(seed)


main()
