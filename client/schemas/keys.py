"""Holds the keys of the JSON that kiln writes and reads to the promise that none is renamed or taken away.

  keys.py            ends with 1, and a line for each, if a key of keys.txt is gone or was changed, or a key is not
                     in keys.txt yet
  keys.py --write    adds the new ones to keys.txt; changes nothing if one there is gone or was changed

Run at the top of the clone. A line of keys.txt is a schema's name, a key's path ("variants[].name"; "{}" stands for
any key of a map) and the types of its values, with "always" if it is in each object of its kind. In JSON that kiln
writes a key stays, always there if it was, and gets no further types; in JSON that kiln reads a key stays, not
required if it was not, and loses no types.
"""

import glob
import json
import os
import sys

FOLDER = 'client/schemas'
LIST = 'client/schemas/keys.txt'

WRITTEN = ('result', 'batch', 'report', 'run', 'disasm', 'analyze', 'health', 'targets', 'quarantine', 'launch',
           'precompile', 'trace')
READ = ('job', 'manifest', 'state', 'launch', 'budget')

TYPES = {str: 'string', bool: 'boolean', int: 'integer', float: 'number', type(None): 'null'}


class Keys:
    """{path: (types, always)} of a schema."""

    def __init__(self, schema):
        self.whole, self.types, self.always, self.open = schema, {}, {}, []
        self.visit('', schema)

    def visit(self, path, schema):
        """Adds the types and keys of a value at `path`."""
        if '$ref' in schema:
            name = schema['$ref']
            if name in self.open:    # a value that may hold one of its own kind: its keys are there already
                return
            self.open.append(name)
            part = self.whole
            for step in name.split('/')[1:]:
                part = part[step]
            self.visit(path, part)
            self.open.pop()
        types = self.types.setdefault(path, set())
        if 'type' in schema:
            types.update([schema['type']] if isinstance(schema['type'], str) else schema['type'])
        types.update(TYPES[type(value)] for value in schema.get('enum', []))
        if 'const' in schema:
            types.add(TYPES[type(schema['const'])])
        for word in ('anyOf', 'oneOf', 'allOf'):
            for part in schema.get(word, []):
                self.visit(path, part)
        if isinstance(schema.get('items'), dict):
            self.visit(path + '[]', schema['items'])
        for part in [schema.get('additionalProperties'), *schema.get('patternProperties', {}).values()]:
            if isinstance(part, dict):
                self.visit(path + '{}', part)
        required = schema.get('required', [])
        for key, part in schema.get('properties', {}).items():
            inner = (path + '.' + key).lstrip('.')
            self.always[inner] = self.always.get(inner, True) and key in required
            if isinstance(part, dict):
                self.visit(inner, part)


def keys_of(schemas):
    """{(schema's name, path): (types, always)}."""
    found = {}
    for name, schema in schemas.items():
        keys = Keys(schema)
        for path, types in keys.types.items():
            if path:
                found[name, path] = (frozenset(types), keys.always.get(path, False))
    return found


def line_of(key, fact):
    types, always = fact
    return '%s %s: %s%s' % (*key, ' or '.join(sorted(types)) or 'any', ', always' if always else '')


def read_list(lines):
    found = {}
    for line in lines:
        name, _, rest = line.rstrip('\n').partition(' ')
        path, _, rest = rest.rpartition(': ')
        words, comma, _ = rest.partition(',')
        found[name, path] = (frozenset() if words == 'any' else frozenset(words.split(' or ')), bool(comma))
    return found


def parent(key):
    name, path = key
    end = max(path.rfind('.'), path.rfind('{}'))
    return name, path[:max(end, 0)]


def compare(frozen, now):
    """(lines about what breaks users, lines about what is new)."""
    broken = ['%s is gone' % line_of(key, frozen[key]) for key in sorted(frozen.keys() - now.keys())]
    for key in sorted(frozen.keys() & now.keys()):
        (was, was_always), (types, always) = frozen[key], now[key]
        written, read = key[0] in WRITTEN, key[0] in READ
        if (written and (types - was if was else set()) or read and (not was and types or was - types)
                or written and was_always and not always or read and always and not was_always):
            broken.append('%s; it was: %s' % (line_of(key, now[key]), line_of(key, frozen[key])))
    new = sorted(now.keys() - frozen.keys())
    older = {name for name, _ in frozen}
    for key in new:
        had = parent(key) in frozen or parent(key)[1] == '' and key[0] in older
        if now[key][1] and key[0] in READ and had:
            broken.append('%s is new, and files of before do not have it' % line_of(key, now[key]))
    return broken, ['%s is new' % line_of(key, now[key]) for key in new]


def read_schemas(folder=FOLDER):
    schemas = {}
    for path in sorted(glob.glob(os.path.join(folder, '*.schema.json'))):
        with open(path, encoding='utf-8') as file:
            schemas[os.path.basename(path).split('.')[0]] = json.load(file)
    return schemas


def check(list_path, now, write):
    """Prints the differences. Returns the exit code."""
    with open(list_path, encoding='utf-8') as file:
        broken, new = compare(read_list(file), now)
    for line in broken:
        print('breaks users: ' + line)
    if broken:
        return 1
    if write:
        with open(list_path, 'w', encoding='utf-8') as file:
            file.writelines(line_of(key, now[key]) + '\n' for key in sorted(now))
        print('%d new' % len(new))
        return 0
    for line in new:
        print('not in the list: ' + line)
    if new:
        print('if users may rely on these from now on: client/schemas/keys.py --write')
    return 1 if new else 0


def main():
    return check(LIST, keys_of(read_schemas()), '--write' in sys.argv[1:])


if __name__ == '__main__':
    sys.exit(main())
