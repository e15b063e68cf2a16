"""keys.py tells each kind of change, and keys.txt has today's keys. Run by keys_test.sh."""

import contextlib
import copy
import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, 'client/schemas')
import keys  # noqa: E402

# `result` is written, `manifest` read, `launch` both.
SCHEMA = {
    'type': 'object',
    'properties': {
        'file': {'type': 'string'},
        'parts': {'type': 'array', 'items': {'$ref': '#/$defs/part'}},
        'figures': {'type': 'object', 'additionalProperties': {'type': 'integer'}},
        'kind': {'anyOf': [{'enum': ['a', 'b']}, {'type': 'null'}]},
    },
    'required': ['file'],
    'additionalProperties': False,
    '$defs': {'part': {'type': 'object', 'required': ['name'], 'properties': {
        'name': {'type': 'string'}, 'parts': {'type': 'array', 'items': {'$ref': '#/$defs/part'}}}}},
}


class Keys(unittest.TestCase):

    def compare(self, name, change):
        now = copy.deepcopy(SCHEMA)
        change(now)
        return keys.compare(keys.keys_of({name: SCHEMA}), keys.keys_of({name: now}))

    def test_paths_and_types(self):
        lines = [keys.line_of(*item) for item in sorted(keys.keys_of({'result': SCHEMA}).items())]
        self.assertEqual(lines, [
            'result figures: object', 'result figures{}: integer', 'result file: string, always',
            'result kind: null or string', 'result parts: array', 'result parts[]: object',
            'result parts[].name: string, always', 'result parts[].parts: array'])
        self.assertEqual(keys.read_list(lines), keys.keys_of({'result': SCHEMA}))

    def test_a_key_that_is_gone_breaks(self):
        for name in ('result', 'manifest', 'launch'):
            broken, new = self.compare(name, lambda s: s['$defs']['part']['properties'].pop('name'))
            self.assertEqual((broken, new), (['%s parts[].name: string, always is gone' % name], []))

    def test_a_renamed_key_breaks(self):
        def rename(schema):
            schema['properties']['path'] = schema['properties'].pop('figures')
        broken, new = self.compare('result', rename)
        self.assertEqual([line.split(':')[0] for line in broken], ['result figures', 'result figures{}'])
        self.assertEqual(len(new), 2)

    def test_types_widen_where_they_are_read_and_narrow_where_they_are_written(self):
        def widen(schema):
            schema['properties']['file']['type'] = ['string', 'integer']

        def narrow(schema):
            schema['properties']['kind'] = {'type': 'string'}
        for name, change, breaks in (('result', widen, True), ('manifest', widen, False), ('launch', widen, True),
                                     ('result', narrow, False), ('manifest', narrow, True), ('launch', narrow, True)):
            with self.subTest(name=name, change=change.__name__):
                broken, new = self.compare(name, change)
                self.assertEqual((bool(broken), new), (breaks, []), broken)

    def test_always_stays_where_it_is_written_and_does_not_come_where_it_is_read(self):
        def drop(schema):
            schema['required'] = []

        def demand(schema):
            schema['required'] = ['file', 'kind']
        for name, change, breaks in (('result', drop, True), ('manifest', drop, False), ('launch', drop, True),
                                     ('result', demand, False), ('manifest', demand, True)):
            with self.subTest(name=name, change=change.__name__):
                broken, new = self.compare(name, change)
                self.assertEqual((bool(broken), new), (breaks, []), broken)

    def test_new_keys_are_told_and_must_not_be_demanded_of_files_of_before(self):
        def add(schema):
            schema['properties']['note'] = {'type': 'string'}
            schema['required'] = ['file', 'note']

        def add_object(schema):
            schema['properties']['note'] = {'type': 'object', 'required': ['text'],
                                            'properties': {'text': {'type': 'string'}}}
        self.assertEqual(self.compare('result', add), ([], ['result note: string, always is new']))
        broken, _ = self.compare('manifest', add)
        self.assertEqual(broken, ['manifest note: string, always is new, and files of before do not have it'])
        self.assertEqual(self.compare('manifest', add_object)[0], [])    # `text` is in new objects only

    def test_write_adds_and_does_not_remove(self):
        now, more = keys.keys_of({'result': SCHEMA}), copy.deepcopy(SCHEMA)
        more['properties']['note'] = {'type': 'string'}
        more = keys.keys_of({'result': more})
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            path = os.path.join(folder, 'keys.txt')
            with open(path, 'w', encoding='utf-8'):
                pass
            self.assertEqual([keys.check(path, now, write) for write in (False, True, False)], [1, 0, 0])
            self.assertEqual([keys.check(path, more, write) for write in (False, True, False)], [1, 0, 0])
            self.assertEqual([keys.check(path, now, write) for write in (False, True, False)], [1, 1, 1])
            self.assertEqual(keys.check(path, more, False), 0)

    def test_the_list_is_todays(self):
        self.assertEqual({name for name, _ in keys.keys_of(keys.read_schemas())}, {*keys.WRITTEN, *keys.READ})
        with contextlib.redirect_stdout(io.StringIO()) as out:
            code = keys.check(keys.LIST, keys.keys_of(keys.read_schemas()), False)
        self.assertEqual((code, out.getvalue()), (0, ''))


if __name__ == '__main__':
    unittest.main()
