"""freeze.py tells each kind of change, and the frozen form is that of today's files. Run by freeze_test.sh."""

import contextlib
import io
import os
import tempfile
import unittest

from google.protobuf import descriptor_pb2, text_format

import freeze

PROTO = """
syntax = "proto3";
package kiln.v1;
option go_package = "kiln/v1;kilnv1";
message Request {
  reserved 9;
  string name = 1;
  repeated uint32 widths = 2;
  oneof source { bytes spirv = 3; string text = 4; }
  optional bool wide = 5;
  Kind kind = 6;
  map<string, Part> parts = 7;
  enum Kind { NONE = 0; SOME = 1; }
  message Part { float weight = 1; }
}
message Response { string text = 1; }
service Compiler {
  rpc Compile(Request) returns (Response);
  rpc Stream(stream Request) returns (stream Response);
}
"""

# Text of PROTO, its replacement, and a part of a line that must be told.
BREAKING = [
    ('  string name = 1;\n', '', 'field kiln.v1.Request.name is gone'),
    ('name = 1', 'title = 1', 'field kiln.v1.Request.name is gone'),
    ('name = 1', 'name = 8', 'field kiln.v1.Request.name is number 8'),
    ('string name', 'bytes name', 'field kiln.v1.Request.name is number 1, optional, bytes'),
    ('string name', 'repeated string name', 'field kiln.v1.Request.name is number 1, repeated'),
    ('uint32 widths', 'sint32 widths', 'field kiln.v1.Request.widths is number 2, repeated, sint32'),
    ('repeated uint32 widths', 'uint32 widths', 'field kiln.v1.Request.widths is number 2, optional'),
    ('string name = 1', 'string name = 1 [json_name = "title"]', 'JSON name title'),
    ('string name = 1;', 'oneof other { string name = 1; }', 'of oneof other'),
    ('oneof source { bytes spirv = 3; string text = 4; }', 'bytes spirv = 3; string text = 4;',
     'field kiln.v1.Request.spirv'),
    ('oneof source', 'oneof origin', 'of oneof origin'),
    ('optional bool', 'bool', 'field kiln.v1.Request.wide'),
    ('string name = 1', 'optional string name = 1', 'with presence'),
    ('Kind kind = 6', 'Part kind = 6', 'message kiln.v1.Request.Part'),
    ('NONE = 0; SOME = 1', 'NONE = 0', 'value kiln.v1.Request.Kind.SOME is gone'),
    ('SOME = 1', 'SOME = 2', 'value kiln.v1.Request.Kind.SOME is number 2'),
    ('SOME = 1', 'FEW = 1', 'value kiln.v1.Request.Kind.SOME is gone'),
    ('Part> parts', 'string> parts', 'field kiln.v1.Request.PartsEntry.value'),
    ('float weight', 'double weight', 'field kiln.v1.Request.Part.weight is number 1, optional, double'),
    ('reserved 9;', 'reserved 10;', 'message kiln.v1.Request, reserved number 9 is gone'),
    ('  rpc Compile(Request) returns (Response);\n', '', 'method kiln.v1.Compiler.Compile is gone'),
    ('rpc Compile(Request)', 'rpc Compile(stream Request)', 'method kiln.v1.Compiler.Compile is stream'),
    ('returns (stream Response)', 'returns (Response)', 'method kiln.v1.Compiler.Stream is'),
    ('Compile(Request) returns (Response)', 'Compile(Request) returns (Request)', 'method kiln.v1.Compiler.Compile is'),
    ('package kiln.v1;', 'package kiln.v2;', 'message kiln.v1.Request is gone'),
    ('"kiln/v1;kilnv1"', '"kiln/v1;v1"', 'option go_package is kiln/v1;v1'),
    ('option go_package = "kiln/v1;kilnv1";\n', '', 'option go_package is gone'),
]
ADDING = [
    ('  string name = 1;\n', '  string name = 1;\n  string note = 10;\n', 'field kiln.v1.Request.note is new'),
    ('string text = 4;', 'string text = 4; string hlsl = 10;', 'field kiln.v1.Request.hlsl is new'),
    ('SOME = 1;', 'SOME = 1; FEW = 2;', 'value kiln.v1.Request.Kind.FEW is new'),
    ('service Compiler {', 'service Compiler {\n  rpc Trace(Request) returns (Response);',
     'method kiln.v1.Compiler.Trace is new'),
    ('message Response', 'message Trace {}\nmessage Response', 'message kiln.v1.Trace is new'),
    ('reserved 9;', 'reserved 9, 11;', 'message kiln.v1.Request, reserved number 11 is new'),
]


def describe(text):
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, 'kiln/v1'))
        with open(os.path.join(folder, 'kiln/v1/a.proto'), 'w', encoding='utf-8') as file:
            file.write(text)
        return freeze.read_protos(folder)


class Freeze(unittest.TestCase):

    def changed(self, old, new):
        self.assertEqual(PROTO.count(old), 1, old)
        return describe(PROTO.replace(old, new))

    def test_the_same_is_no_change(self):
        self.assertEqual(freeze.compare(describe(PROTO), describe(PROTO)), ([], []))

    def test_order_and_comments_are_no_change(self):
        lines = ['  string name = 1;\n', '  repeated uint32 widths = 2;\n']
        self.assertIn(''.join(lines), PROTO)
        moved = PROTO.replace(''.join(lines), '  // Later.\n' + lines[1] + lines[0])
        self.assertEqual(freeze.compare(describe(PROTO), describe(moved)), ([], []))

    def test_each_breaking_change_is_told(self):
        for old, new, told in BREAKING:
            with self.subTest(old=old, new=new):
                broken, _ = freeze.compare(describe(PROTO), self.changed(old, new))
                self.assertTrue(any(told in line for line in broken), broken)

    def test_additions_break_nothing_and_are_told(self):
        for old, new, told in ADDING:
            with self.subTest(new=new):
                broken, added = freeze.compare(describe(PROTO), self.changed(old, new))
                self.assertEqual(broken, [])
                self.assertTrue(any(told in line for line in added), added)

    def test_names_in_json(self):
        for file in freeze.read_protos().file:
            for message in file.message_type:
                for field in message.field:
                    self.assertEqual(freeze.json_name(field.name), field.json_name)

    def check(self, path, now, write):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            return freeze.check(path, now, write), out.getvalue()

    def test_additions_are_frozen_by_write_and_breaks_are_not(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'frozen.txtpb')
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text_format.MessageToString(describe(PROTO)))
            more = self.changed(*ADDING[0][:2])
            code, out = self.check(path, more, False)
            self.assertEqual(code, 1)
            self.assertIn('not frozen: field kiln.v1.Request.note is new', out)
            self.assertEqual(self.check(path, more, True), (0, '1 new\n'))
            self.assertEqual(self.check(path, more, False), (0, ''))
            for write in (False, True):    # the field that was just added is gone again
                code, out = self.check(path, describe(PROTO), write)
                self.assertEqual(code, 1)
                self.assertIn('breaks clients: field kiln.v1.Request.note is gone', out)
            self.assertEqual(self.check(path, more, False), (0, ''))

    def test_the_frozen_form_is_todays(self):
        code, out = self.check(freeze.FROZEN, freeze.read_protos(), False)
        self.assertEqual((code, out), (0, ''))

    def test_kiln_v1_has_all_of_v1alpha(self):
        """Clients built from kiln.v1alpha are answered with kiln.v1's messages."""
        text = text_format.MessageToString(freeze.read_frozen('proto/kiln.v1alpha.txtpb'))
        renamed = text.replace('kiln.v1alpha', 'kiln.v1')
        for name in ('admin', 'compile', 'compiler', 'launch_record'):
            renamed = renamed.replace('"proto/%s.proto"' % name, '"kiln/v1/%s.proto"' % name)
        old = text_format.Parse(renamed, descriptor_pb2.FileDescriptorSet())
        self.assertGreater(len(freeze.facts_of(old)), 500)
        self.assertEqual(freeze.compare(old, freeze.read_protos())[0], [])


if __name__ == '__main__':
    unittest.main()
