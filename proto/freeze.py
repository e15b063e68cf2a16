#!/usr/bin/python3
"""Holds the .proto files of kiln.v1 to the promise that they only grow.

  freeze.py            ends with 1, and a line for each, if anything that is frozen is gone or was changed, or
                       something new is not frozen yet
  freeze.py --write    freezes what is new; changes nothing if anything that is frozen is gone or was changed

Run at the top of the clone: it reads proto/kiln/v1/*.proto with protoc, and the FileDescriptorSet in its text form,
proto/kiln.v1.txtpb. Frozen are: messages, enumerations and services with the file that has them (C++ and Python
include by file); fields with name (which JSON has, too), number, type, repetition, presence and oneof; values of
enumerations with number; methods with their messages and streams; files with syntax, package and the options that name
generated code's packages; reserved numbers and names. Fields in another order, and comments, are no change.
"""

import glob
import os
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2, text_format

ROOT = 'proto'
PACKAGE = 'kiln/v1'
FROZEN = 'proto/kiln.v1.txtpb'

Field = descriptor_pb2.FieldDescriptorProto


def read_protos(root=ROOT, package=PACKAGE):
    """The FileDescriptorSet of the package's files, each after those that it imports."""
    files = sorted(os.path.relpath(path, root) for path in glob.glob(os.path.join(root, package, '*.proto')))
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(['protoc', '-I' + root, '--include_imports', '--descriptor_set_out=' + out.name, *files],
                       check=True)
        return descriptor_pb2.FileDescriptorSet.FromString(out.read())


def read_frozen(path=FROZEN):
    with open(path, encoding='utf-8') as file:
        return text_format.Parse(file.read(), descriptor_pb2.FileDescriptorSet())


def type_of(field):
    kind = Field.Type.Name(field.type)[len('TYPE_'):].lower()
    return '%s %s' % (kind, field.type_name.lstrip('.')) if field.type_name else kind


def json_name(name):
    """The name in JSON that protoc gives a field without one of its own; programs' descriptors leave it out."""
    first, *others = name.split('_')
    return first + ''.join(word[:1].upper() + word[1:] for word in others)


def facts_of_reserved(name, described):
    """`end` of a message's range is the number after its last, that of an enumeration's its last."""
    after = 0 if isinstance(described, descriptor_pb2.EnumDescriptorProto) else 1
    for reserved in described.reserved_range:
        for number in range(reserved.start, reserved.end + 1 - after):
            yield '%s, reserved number %d' % (name, number), 'reserved'
    for word in described.reserved_name:
        yield '%s, reserved name %s' % (name, word), 'reserved'


def facts_of_enum(prefix, enum, file):
    name = prefix + enum.name
    yield 'enum ' + name, 'in %s' % file
    for value in enum.value:
        yield 'value %s.%s' % (name, value.name), 'number %d' % value.number
    yield from facts_of_reserved('enum ' + name, enum)


def facts_of_message(prefix, message, file):
    name = prefix + message.name
    yield 'message ' + name, 'in %s' % file
    for field in message.field:
        parts = ['number %d' % field.number, Field.Label.Name(field.label)[len('LABEL_'):].lower(), type_of(field),
                 'JSON name ' + (field.json_name or json_name(field.name))]
        if field.proto3_optional:
            parts.append('with presence')
        elif field.HasField('oneof_index'):
            parts.append('of oneof ' + message.oneof_decl[field.oneof_index].name)
        yield 'field %s.%s' % (name, field.name), ', '.join(parts)
    for nested in message.nested_type:
        yield from facts_of_message(name + '.', nested, file)
    for enum in message.enum_type:
        yield from facts_of_enum(name + '.', enum, file)
    yield from facts_of_reserved('message ' + name, message)


def facts_of(described):
    """{what is frozen: its description} of a FileDescriptorSet."""
    facts = {}
    for file in described.file:
        prefix = file.package + '.'
        facts['file ' + file.name] = 'syntax %s, package %s' % (file.syntax, file.package)
        for option, value in file.options.ListFields():
            facts['file %s, option %s' % (file.name, option.name)] = str(value)
        for message in file.message_type:
            facts.update(facts_of_message(prefix, message, file.name))
        for enum in file.enum_type:
            facts.update(facts_of_enum(prefix, enum, file.name))
        for service in file.service:
            facts['service ' + prefix + service.name] = 'in %s' % file.name
            for method in service.method:
                facts['method %s%s.%s' % (prefix, service.name, method.name)] = '%s%s -> %s%s' % (
                    'stream ' if method.client_streaming else '', method.input_type.lstrip('.'),
                    'stream ' if method.server_streaming else '', method.output_type.lstrip('.'))
    return facts


def compare(frozen, now):
    """(lines about what clients of before would miss, lines about what is new)."""
    frozen, now = facts_of(frozen), facts_of(now)
    broken = ['%s is gone; it was: %s' % (what, frozen[what]) for what in sorted(frozen.keys() - now.keys())]
    broken += ['%s is %s; it was: %s' % (what, now[what], frozen[what])
               for what in sorted(frozen.keys() & now.keys()) if frozen[what] != now[what]]
    return broken, ['%s is new: %s' % (what, now[what]) for what in sorted(now.keys() - frozen.keys())]


def check(frozen_path, now, write):
    """Prints the differences. Returns the exit code."""
    broken, new = compare(read_frozen(frozen_path), now)
    for line in broken:
        print('breaks clients: ' + line)
    if broken:
        print('kiln.v1 only grows: bring these back, and add something new beside them instead')
        return 1
    if write:
        with open(frozen_path, 'w', encoding='utf-8') as file:
            file.write(text_format.MessageToString(now))
        print('%d new' % len(new))
        return 0
    for line in new:
        print('not frozen: ' + line)
    if new:
        print('if clients may rely on these from now on: proto/freeze.py --write')
    return 1 if new else 0


def main():
    return check(FROZEN, read_protos(), '--write' in sys.argv[1:])


if __name__ == '__main__':
    sys.exit(main())
