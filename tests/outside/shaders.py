"""SPIR-V of a test's shaders: assembled or translated once, kept in a folder."""

import hashlib
import os
import re
import subprocess

STAGE = {'vertex': 'vert', 'fragment': 'frag', 'compute': 'comp', 'geometry': 'geom',
         'tessellation_control': 'tesc', 'tessellation_evaluation': 'tese'}
VALIDATES_AS = {'spv1.0': 'vulkan1.0', 'spv1.3': 'vulkan1.1', 'spv1.4': 'vulkan1.1spv1.4', 'spv1.5': 'vulkan1.2',
                'spv1.6': 'vulkan1.3'}
PASSTHROUGH = '#version 450\nlayout(location=0) in vec4 position;\nvoid main(){ gl_Position = position; }\n'
# The fragment shader of a pipeline without one: depth and stencil are still written.
EMPTY = dict(form='GLSL', stage='fragment', env=None, text='#version 450\nvoid main(){}\n')


def tool(command):
    """Returns exit code and output."""
    r = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
    return r.returncode, r.stdout.decode(errors='replace')


class Maker:
    def __init__(self, folder):
        self.folder = os.path.join(folder, 'spv')
        os.makedirs(self.folder, exist_ok=True)

    def make(self, shader, passes=()):
        """Returns the path of the module and None, or None and the error. `passes`: of spirv-opt."""
        form, text = shader['form'], shader['text']
        if form == 'PASSTHROUGH':
            form, text = 'GLSL', PASSTHROUGH
        if form == 'OPENCL-C':
            return None, 'form ' + form
        key = hashlib.sha256(repr((form, shader['stage'], shader['env'], text, list(passes))).encode()).hexdigest()[:20]
        out = '%s/%s.%s.spv' % (self.folder, key, STAGE.get(shader['stage'], shader['stage']))
        if os.path.exists(out):
            return out, None
        if os.path.exists(out + '.err'):
            with open(out + '.err', encoding='utf-8') as f:
                return None, f.read()
        code, log = self.translate(form, text, shader, out)
        if code == 0 and passes:
            code, log = tool(['spirv-opt', *passes, out, '-o', out])
            log = 'spirv-opt: ' + log
        if code == 0:
            return out, None
        with open(out + '.err', 'w', encoding='utf-8') as f:
            f.write(log[:600])
        if os.path.exists(out):
            os.remove(out)
        return None, log[:600]

    def translate(self, form, text, shader, out):
        if form in ('GLSL', 'HLSL'):
            return self.from_glsl(text, shader, out, ['-D', '-e', 'main'] if form == 'HLSL' else [])
        if form == 'SPIRV-ASM':
            return self.from_assembly(text, shader, out)
        if form == 'SPIRV-HEX':
            words = re.findall(r'0x[0-9a-fA-F]+|[0-9a-fA-F]+', text)
            whole = all(len(w.replace('0x', '')) == 8 for w in words)
            data = b''.join(int(w, 16).to_bytes(4, 'little') for w in words) if whole else bytes(int(w, 16) for w in words)
        elif form == 'SPIRV-BIN':
            data = text
        else:
            return 1, 'form ' + form
        with open(out, 'wb') as f:
            f.write(data)
        return 0, ''

    @staticmethod
    def from_glsl(text, shader, out, flags):
        stage = STAGE.get(shader['stage'], shader['stage'])
        source = out[:-len('.spv')] + '.glsl'
        with open(source, 'w', encoding='utf-8') as f:
            f.write(text)
        given = shader['env'] and shader['env'].replace('spv', 'spirv')
        log = ''
        for env in [given] if given else ['vulkan1.0', 'spirv1.3', 'spirv1.5', 'spirv1.6']:
            code, said = tool(['glslangValidator', '--quiet', '-S', stage, '-V', *flags, '--target-env', env, '-o', out,
                               source])
            if code == 0:
                return 0, ''
            log = log or said
        return 1, 'glslang: ' + ' '.join(log.split('\n')[:3])

    @staticmethod
    def from_assembly(text, shader, out):
        source = out + 'asm'
        with open(source, 'w', encoding='utf-8') as f:
            f.write(text)
        envs = [shader['env']] if shader['env'] else list(VALIDATES_AS)
        code, log = 1, ''
        for env in envs:
            code, said = tool(['spirv-as', '--target-env', env, '-o', out, source])
            log = log or 'spirv-as: ' + said
            if code != 0:
                continue
            valid = len(envs) == 1 or env == 'spv1.6' or tool(['spirv-val', '--target-env', VALIDATES_AS[env], out])[0] == 0
            if valid:
                return 0, ''
        return code, log
