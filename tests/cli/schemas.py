"""The JSON Schemas of client/schemas, and which of them a run of the command has to obey."""

import glob
import json
import os

import jsonschema

FOLDER = 'client/schemas'
# The schema of what `kiln COMMAND --json` prints, a document each; the others print lines.
DOCUMENTS = ('report', 'run', 'disasm', 'analyze', 'health', 'targets', 'quarantine', 'precompile',
             'trace')
MAX_LINES = 400   # of one file


def load():
    """{name: schema}."""
    schemas = {}
    for path in sorted(glob.glob(os.path.join(FOLDER, '*.schema.json'))):
        with open(path, encoding='utf-8') as file:
            schemas[os.path.basename(path)[:-len('.schema.json')]] = json.load(file)
    return schemas


SCHEMAS = load()
VALIDATORS = {name: jsonschema.Draft202012Validator(schema) for name, schema in SCHEMAS.items()}


def faults(name, value):
    """Returns as texts what the schema `name` finds wrong with a value."""
    return ['%s.schema.json: %s: %s' % (name, '/'.join(map(str, error.absolute_path)), error.message[:400])
            for error in VALIDATORS[name].iter_errors(value)]


def faults_of_lines(name, text):
    found = []
    for line in [line for line in text.splitlines() if line.strip()][:MAX_LINES]:
        found += faults(name, json.loads(line))
    return found


def value_of(flag, arguments):
    """The value of --flag=VALUE; None where it is not given."""
    return next((a.partition('=')[2] for a in arguments if a.startswith('--%s=' % flag)), None)


class Run:
    """One run of the command: what it read and wrote."""

    def __init__(self, arguments, folder, code, stdin, stdout, stderr):
        self.arguments, self.folder, self.code = arguments, folder, code
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr

    def text_of(self, name):
        """A file's text as the command sees it; None: there is none, or no regular one."""
        if name == '-':
            return self.stdin.decode()
        path = os.path.join(self.folder, name or '')
        if not name or not os.path.isfile(path):
            return None
        with open(path, encoding='utf-8') as file:
            return file.read()

    def faults(self):
        if not self.arguments or self.code not in (0, 1, 3, 4):
            return []
        return self.written() + self.read()

    def written(self):
        command, out, found = self.arguments[0], self.stdout.decode(errors='replace'), []
        if '--json' in self.arguments and out and '--help' not in self.arguments:
            if command in DOCUMENTS:
                found += faults(command, json.loads(out))
            elif command == 'compile':
                found += faults_of_lines('result', out)
        if command == 'batch' and '--list-items' in self.arguments:
            found += faults_of_lines('manifest', out) if '--json' in self.arguments else []
        elif command == 'batch':
            lines = value_of('jsonl', self.arguments)
            if '--json' in self.arguments and lines != '-':
                found += faults('batch', json.loads(out))
            if lines == '-':
                found += faults_of_lines('result', out)
            elif lines:
                found += faults_of_lines('result', self.text_of(lines) or '')
        if command == 'report' and value_of('json', self.arguments):
            found += faults('report', json.loads(self.text_of(value_of('json', self.arguments))))
        return found + self.launch_records()

    def launch_records(self):
        if self.arguments[0] not in ('compile', 'batch') or '-o' not in self.arguments:
            return []
        folder = os.path.join(self.folder, self.arguments[self.arguments.index('-o') + 1])
        found = []
        for path in glob.glob(os.path.join(folder, '**', '*.launch.json'), recursive=True)[:MAX_LINES]:
            with open(path, encoding='utf-8') as file:
                found += faults('launch', json.load(file))
        return found

    def read(self):
        """Checks that input which the command took obeys its schema, too."""
        found = []
        for flag, name in (('buffers', 'job'), ('state', 'state'), ('launch', 'launch')):
            text = self.text_of(value_of(flag, self.arguments)) if self.code == 0 else None
            value = json.loads(text) if text else None
            # Launch records of version 1 are still taken; the schema is that of version 2.
            if text and not (flag == 'launch' and value.get('record_version', 1) == 1):
                found += faults(name, value)
        budget = self.text_of(value_of('budget', self.arguments)) if self.code in (0, 1) else None
        if budget:
            found += faults('budget', json.loads(budget))
        manifest = self.text_of(value_of('manifest', self.arguments))
        # Keys of the corpus' own are taken without --strict; the schema is that with it.
        if manifest and 'unknown here and ignored' not in self.stderr:
            found += faults_of_lines('manifest', manifest)
        return found
