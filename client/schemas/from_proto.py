"""JSON Schemas of protobuf messages in their JSON form, as kiln writes and reads them.

  from_proto.py FOLDER            writes the schemas of MADE into FOLDER
  from_proto.py FOLDER --check    ends with 1, and a line for each, if one there is not what would be written

Run at the top of the clone: it reads proto/kiln/v1/*.proto with protoc. Names of fields are those of the .proto files.
64-bit integers are strings, as protobuf's JSON has them; bytes are base64.
"""

import json
import os
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2

Field = descriptor_pb2.FieldDescriptorProto
DIALECT = 'https://json-schema.org/draft/2020-12/schema'

# File -> (title, messages of which it may be one, whether it is printed alone: then all keys that protobuf always
# prints are there. In what is read, null stands for a key that is not there).
MADE = {
    'launch.schema.json': (
        'A launch record: NAME.launch.json of `kiln compile -o`, and what `kiln run --launch` reads. '
        'Its keys: tests/peer/README.md', ['LaunchRecord'], False),
    'state.schema.json': ('Pipeline state: the file of --state. Its keys: proto/kiln/v1/compile.proto', ['PipelineState'], False),
    'targets.schema.json': ('What `kiln targets --json` prints. Its keys: proto/kiln/v1/compile.proto', ['Capabilities'], True),
    'quarantine.schema.json': (
        'What `kiln quarantine --json` prints: list, show and clear. Its keys: proto/kiln/v1/admin.proto',
        ['QuarantineList', 'QuarantineEntry', 'ClearQuarantineResponse'], True),
}

# Schemas that are written by hand and have these messages among their definitions, under "$defs".
EMBEDDED = {'manifest.schema.json': ['PipelineState'], 'result.schema.json': ['PipelineState']}

SCALARS = {
    Field.TYPE_BOOL: {'type': 'boolean'},
    Field.TYPE_STRING: {'type': 'string'},
    Field.TYPE_BYTES: {'type': 'string', 'contentEncoding': 'base64'},
    Field.TYPE_FLOAT: {'type': ['number', 'string']},     # "NaN", "Infinity"
    Field.TYPE_DOUBLE: {'type': ['number', 'string']},
}
for kind in (Field.TYPE_UINT32, Field.TYPE_FIXED32):
    SCALARS[kind] = {'type': 'integer', 'minimum': 0, 'maximum': 2**32 - 1}
for kind in (Field.TYPE_INT32, Field.TYPE_SINT32, Field.TYPE_SFIXED32):
    SCALARS[kind] = {'type': 'integer', 'minimum': -2**31, 'maximum': 2**31 - 1}
for kind in (Field.TYPE_UINT64, Field.TYPE_FIXED64):
    SCALARS[kind] = {'type': 'string', 'pattern': '^[0-9]+$'}
for kind in (Field.TYPE_INT64, Field.TYPE_SINT64, Field.TYPE_SFIXED64):
    SCALARS[kind] = {'type': 'string', 'pattern': '^-?[0-9]+$'}


def read_types():
    """{full name: message or enumeration} of the public .proto files."""
    files = sorted('kiln/v1/' + name for name in os.listdir('proto/kiln/v1'))
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(['protoc', '-Iproto', '--descriptor_set_out=' + out.name, '--include_imports', *files], check=True)
        described = descriptor_pb2.FileDescriptorSet.FromString(out.read())
    types = {}

    def add(prefix, message):
        types[prefix + message.name] = message
        for nested in message.nested_type:
            add(prefix + message.name + '.', nested)
        for nested in message.enum_type:
            types[prefix + message.name + '.' + nested.name] = nested

    for file in described.file:
        for message in file.message_type:
            add('.' + file.package + '.', message)
        for kind in file.enum_type:
            types['.' + file.package + '.' + kind.name] = kind
    return types


class Schema:
    """Definitions of the messages that some message has, each once."""

    def __init__(self, types, all_printed):
        self.types, self.all_printed, self.definitions = types, all_printed, {}

    def reference(self, full_name):
        name = full_name.split('.', 3)[-1]   # without ".kiln.v1."
        if name not in self.definitions:
            self.definitions[name] = None    # a message may have itself
            self.definitions[name] = self.definition(self.types[full_name])
        return {'$ref': '#/$defs/' + name}

    def definition(self, described):
        if isinstance(described, descriptor_pb2.EnumDescriptorProto):
            return {'enum': [value.name for value in described.value]}
        values = {field.name: self.value(field) for field in described.field}
        if not self.all_printed:
            values = {name: {'anyOf': [value, {'type': 'null'}]} for name, value in values.items()}
        definition = {'type': 'object', 'properties': values, 'additionalProperties': False}
        if self.all_printed:
            required = [field.name for field in described.field if self.always_printed(field)]
            if required:
                definition['required'] = required
        return definition

    @staticmethod
    def always_printed(field):
        repeated = field.label == Field.LABEL_REPEATED
        return repeated or field.type != Field.TYPE_MESSAGE and not field.HasField('oneof_index')

    def single(self, field):
        if field.type in (Field.TYPE_MESSAGE, Field.TYPE_ENUM):
            return self.reference(field.type_name)
        return SCALARS[field.type]

    def value(self, field):
        if field.label != Field.LABEL_REPEATED:
            return self.single(field)
        message = self.types.get(field.type_name)
        if field.type == Field.TYPE_MESSAGE and message.options.map_entry:
            return {'type': 'object', 'additionalProperties': self.single(message.field[1])}
        return {'type': 'array', 'items': self.single(field)}


def laid_out(value, indent=0):
    """JSON in which an object or list is on one line where it fits."""
    line = json.dumps(value)
    if indent + len(line) <= 110 or not isinstance(value, (dict, list)):
        return line
    inner = ' ' * (indent + 2)
    if isinstance(value, dict):
        parts = ['%s%s: %s' % (inner, json.dumps(key), laid_out(part, indent + 2)) for key, part in value.items()]
        return '{\n' + ',\n'.join(parts) + '\n' + ' ' * indent + '}'
    return '[\n' + ',\n'.join(inner + laid_out(part, indent + 2) for part in value) + '\n' + ' ' * indent + ']'


def schema_text(types, title, messages, all_printed):
    schema = Schema(types, all_printed)
    roots = [schema.reference('.kiln.v1.' + message) for message in messages]
    whole = {'$schema': DIALECT, 'title': title,
             **(roots[0] if len(roots) == 1 else {'anyOf': roots}),
             '$defs': dict(sorted(schema.definitions.items()))}
    return laid_out(whole) + '\n'


def with_embedded(text, types, messages):
    """The text of a schema with the definitions of messages; unchanged if it has them."""
    schema, whole = Schema(types, False), json.loads(text)
    for message in messages:
        schema.reference('.kiln.v1.' + message)
    definitions = whole.setdefault('$defs', {})
    if all(definitions.get(name) == definition for name, definition in schema.definitions.items()):
        return text
    definitions.update(sorted(schema.definitions.items()))
    return laid_out(whole) + '\n'


def main():
    folder, check = sys.argv[1], '--check' in sys.argv[2:]
    types, stale = read_types(), 0
    texts = {name: schema_text(types, *made) for name, made in MADE.items()}
    for name, messages in EMBEDDED.items():
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            texts[name] = with_embedded(file.read(), types, messages)
    for name, text in texts.items():
        path = os.path.join(folder, name)
        if not check:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            continue
        with open(path, encoding='utf-8') as file:
            if file.read() != text:
                print('%s is not what proto/kiln/v1 says: client/schemas/from_proto.py client/schemas writes it' % path)
                stale += 1
    return 1 if stale else 0


if __name__ == '__main__':
    sys.exit(main())
