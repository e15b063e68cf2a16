"""The page of kiln trace in headless Chromium: what it shows, and what keys, pointer and fields do."""

import html
import json
import os
import re
import subprocess
import tempfile
import unittest

import browser
import png

KILN = os.path.abspath('client/kiln')
SHADER = os.path.abspath('tests/shaders/black_scholes.comp')
# Appended to a copy of a page: does things and leaves what happened in the document.
TRIES = r'''<script>
const seen = {};
const press = key => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
const at = () => document.querySelector('.rows li.at')?.id || '';
const inView = () => [+document.body.style.getPropertyValue('--o'), +document.body.style.getPropertyValue('--s')];
const shown = () => document.querySelectorAll('.rows li:not([hidden])').length;
const why = document.getElementById('why');
seen.whole = inView();
seen.rows = shown();
press('ArrowDown'); press('ArrowDown'); seen.second = at();
press('ArrowUp'); seen.first = at();
press('n'); seen.wait = at(); seen.why = why.textContent;
seen.producers = [...document.querySelectorAll('.rows li.from')].map(row => row.id);
press('Enter'); seen.producer = at();
seen.users = [...document.querySelectorAll('.rows li.to')].map(row => row.id);
press('+'); seen.zoomed = inView();
press('ArrowRight'); seen.panned = inView();
press('0'); seen.all = inView();
press('End'); seen.last = at();
press('Home'); seen.home = at();
press('Escape'); seen.none = at(); seen.empty = why.textContent;
const over = (id, type, pointerType) =>
  document.querySelector('#' + id + ' code').dispatchEvent(new PointerEvent(type, {pointerType, bubbles: true}));
over('i2', 'pointerover', 'mouse'); seen.hovered = at();
over('i1', 'pointerover', 'touch'); seen.touched = at();
over('i1', 'click', 'touch'); seen.tapped = at();
over('i2', 'pointerover', 'mouse'); seen.pinned = at();
over('i1', 'click', 'mouse'); over('i2', 'pointerover', 'mouse'); seen.loose = at();
document.getElementById('from').value = seen.whole[1] / 2 | 0;
document.getElementById('from').dispatchEvent(new Event('change'));
seen.cut = inView(); seen.left = shown();
seen.wider = document.documentElement.scrollWidth > document.documentElement.clientWidth;
const out = document.createElement('pre');
out.id = 'seen';
out.textContent = JSON.stringify(seen);
document.body.append(out);
</script>'''


def colour(text):
    """(red, green, blue) of "#rrggbb"."""
    return tuple(int(text[i:i + 2], 16) for i in (1, 3, 5))


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(dir=os.environ.get('TEST_TMPDIR'))
        cls.pages, cls.traces = {}, {}
        for target in ('tgl', 'gfx1030'):
            cls.pages[target] = os.path.join(cls.folder, target + '.html')
            done = subprocess.run([KILN, 'trace', '--local', '--target=' + target, '--json',
                                   '--html=' + cls.pages[target], SHADER], capture_output=True, check=True)
            cls.traces[target] = json.loads(done.stdout)

    @classmethod
    def text(cls, target):
        with open(cls.pages[target], encoding='utf-8') as file:
            return file.read()

    def copy(self, target, more):
        """The path of a copy of a page with more at its end."""
        path = os.path.join(self.folder, target + '_copy.html')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(self.text(target).replace('</body>', more + '</body>'))
        return path

    def test_it_shows_the_timeline(self):
        for target, trace in self.traces.items():
            wait = next(i for i in trace['instructions'] if any('producer' in w for w in i['waits']))
            dom = browser.dom(self.pages[target] + '#i%d' % wait['index'], self.folder)
            self.assertIn('<title>black_scholes.comp</title>', dom)
            rows = re.findall(r'<li id="i(\d+)" data-a="(\d+)" data-b="(\d+)"', dom)
            self.assertEqual([tuple(map(int, row)) for row in rows],
                             [(i['index'], i['turn'], i['next']) for i in trace['instructions']])
            codes = [html.unescape(re.sub('<[^>]*>', '', code)) for code in re.findall('<code>(.*?)</code>', dom)]
            self.assertEqual([code.split(': ', 1)[-1] if i.get('label') else code
                              for code, i in zip(codes, trace['instructions'])],
                             [i['text'] for i in trace['instructions']])
            causes = re.search(r'<table id="causes">.*?</table>', dom, re.S).group()
            self.assertEqual(re.findall(r'</td><td>(\d+)</td>', causes), [str(c['cycles']) for c in trace['causes']])
            self.assertEqual(sum(c['cycles'] for c in trace['causes']), trace['cycles'])
            # The script ran: ticks, and the row that the address names is explained.
            ticks = [int(tick) for tick in re.findall(r'<b style="--a: ?\d+;?">(\d+)</b>', dom)]
            self.assertGreater(len(ticks), 3)
            self.assertEqual(ticks, [n * ticks[1] for n in range(len(ticks))])
            self.assertLess(trace['cycles'] - ticks[-1], 2 * ticks[1])
            why = re.search(r'<aside id="why"[^>]*>(.*?)</aside>', dom, re.S).group(1)
            self.assertIn('Waits %d cycle' % wait['waits'][0]['cycles'], why)
            self.assertIn('by %d: ' % wait['waits'][0]['producer'], why)

    def test_it_needs_no_other_file(self):
        for target in self.pages:
            self.assertIsNone(re.search(r'https?:|//[a-z]|src=|@import|url\(|<link', self.text(target)))

    def tried(self, target):
        dom = browser.dom(self.copy(target, TRIES), self.folder)
        return json.loads(html.unescape(re.search(r'<pre id="seen">(.*?)</pre>', dom, re.S).group(1)))

    def test_keys_pointer_and_fields(self):
        for target, trace in self.traces.items():
            seen, every = self.tried(target), trace['instructions']
            self.assertEqual(seen['whole'], [0, trace['cycles']])
            self.assertEqual(seen['rows'], len(every))
            self.assertEqual((seen['second'], seen['first']), ('i1', 'i0'))
            wait = next(i for i in every[1:] if i['waits'])
            producers = {'i%d' % w['producer'] for w in wait['waits'] if 'producer' in w}
            self.assertEqual(seen['wait'], 'i%d' % wait['index'])
            self.assertIn('Waits %d cycle' % wait['waits'][0]['cycles'], seen['why'])
            self.assertEqual(set(seen['producers']), producers)
            self.assertIn(seen['producer'], producers)
            self.assertIn(seen['wait'], seen['users'])
            self.assertLess(abs(seen['zoomed'][1] - trace['cycles'] / 2), 1)
            self.assertGreater(seen['panned'][0], seen['zoomed'][0])
            self.assertEqual(seen['all'], seen['whole'])
            self.assertEqual((seen['last'], seen['home']), ('i%d' % every[-1]['index'], 'i0'))
            self.assertEqual((seen['none'], seen['empty']), ('', ''))
            # The mouse explains what it is over, a tap what it hits; that stays until it is let go.
            self.assertEqual([seen[key] for key in ('hovered', 'touched', 'tapped', 'pinned', 'loose')],
                             ['i2', 'i2', 'i1', 'i1', 'i2'])
            half = trace['cycles'] // 2
            self.assertEqual(seen['cut'], [half, trace['cycles'] - half])
            self.assertEqual(seen['left'], sum(i['next'] > half for i in every))

    def picture(self, name, width, height, dark=False):
        path = os.path.join(os.environ.get('KEEP', self.folder), name + '.png')
        browser.screenshot(self.pages['gfx1030'], self.folder, path, width, height, dark)
        return png.read(path)

    def test_light_dark_and_narrow_pictures(self):
        light, dark = (dict(re.findall(r'--(\w+):(#\w{6})', scheme))
                       for scheme in re.findall(r':root\{(.*?)\}', self.text('gfx1030'), re.S))
        for name, scheme, size in (('light', light, (1300, 900)), ('dark', dark, (1300, 900)),
                                   ('narrow', light, (500, 900))):
            colours = {key: colour(value) for key, value in scheme.items()}
            width, height, counts = self.picture(name, *size, dark=name == 'dark')
            self.assertEqual((width, height), size)
            self.assertGreater(counts.get(colours['bg'], 0), width * height / 4, name)
            for key in ('k0', 'k1', 'issue'):
                self.assertGreater(counts.get(colours[key], 0), 30, (name, key))

    def test_nothing_is_wider_than_a_narrow_screen(self):
        copy = self.copy('tgl', '''<script>const out = document.createElement('pre'); out.id = 'seen';
            out.textContent = document.documentElement.scrollWidth + ' ' + innerWidth;
            document.body.append(out);</script>''')
        dom = browser.run(copy, self.folder, '--dump-dom', '--window-size=500,900')
        content, screen = map(int, re.search(r'<pre id="seen">(\d+) (\d+)</pre>', dom).groups())
        self.assertLessEqual(screen, 500)
        self.assertLessEqual(content, screen)


def skip(why):
    """Reports that nothing was tried (tests/README.md)."""
    print('skipped: ' + why)
    if 'XML_OUTPUT_FILE' in os.environ:
        with open(os.environ['XML_OUTPUT_FILE'], 'w', encoding='utf-8') as file:
            file.write('<testsuites><testsuite name="page_test"><testcase name="page_test"><skipped message="%s"/>'
                       '</testcase></testsuite></testsuites>' % why)


if __name__ == '__main__':
    if browser.CHROMIUM:
        unittest.main(verbosity=2)
    else:
        skip('chromium is not installed (deploy/packages/test.txt)')
