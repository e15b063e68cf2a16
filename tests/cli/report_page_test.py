"""The page of `kiln report --html` in a real browser (headless Chromium): charts, colours, a phone's width.

Skipped where there is no Chromium. Argument: kiln. Run by report_page_test.sh. With PAGES_PICTURES=FOLDER screenshots
are left there.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

from tests.service import browser

KILN = sys.argv[1]
PICTURES = os.environ.get("PAGES_PICTURES")
SHADERS = 300


def line(number, instructions, spills, milliseconds):
    file = ("game/lighting/%d.frag.spv" if number % 3 else "tools/<%d>.spv") % number
    return {"file": file, "target": "tgl", "status": "ok", "cause": "ok", "entry": "main", "stage": "fragment",
            "compile_ms": milliseconds,
            "variants": [{"name": "SIMD16", "instructions": instructions, "cycles": 9 * instructions, "spills": spills, "loops": 0}]}


class ReportPageTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        if browser.chromium() is None:
            raise unittest.SkipTest("there is no chromium")
        cls.folder = tempfile.TemporaryDirectory()
        draw = random.Random(7)
        cls.changed = 0
        before, after = [], []
        for number in range(SHADERS):
            size, spills = int(draw.lognormvariate(5, 1.2)) + 10, draw.choice((0, 0, 0, 40))
            now = size if number % 3 == 0 else max(1, round(size * draw.normalvariate(0.97, 0.08)))
            cls.changed += now != size
            before.append(line(number, size, spills, draw.uniform(5, 9)))
            after.append(line(number, now, spills // 2, draw.uniform(5, 9)))
        paths = []
        for name, lines in (("before", before), ("after", after)):
            paths.append(os.path.join(cls.folder.name, name + ".jsonl"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.writelines(json.dumps(each) + "\n" for each in lines)
        cls.page = os.path.join(cls.folder.name, "report.html")
        subprocess.run([KILN, "report", "--html=" + cls.page, *paths], check=True, stdout=subprocess.DEVNULL)
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def open(self, **window):
        page = self.browser.open("file://" + self.page, **window)
        self.addCleanup(page.close)
        self.assertEqual(page.errors, [])
        self.assertLessEqual(page.overflow(), 0, "wider than the window")
        return page

    def test_charts_are_drawn_and_titled_by_name(self):
        page = self.open()
        self.assertEqual(page.value("document.title"), "before → after · kiln report")
        self.assertEqual(page.text("h1"), "before → after")
        self.assertNotIn(self.folder.name, page.value("document.documentElement.outerHTML"))
        count = lambda selector: page.value("document.querySelectorAll('%s').length" % selector)
        self.assertEqual(count("details[open]"), 1, "the first statistic that changed is open")
        self.assertEqual(count("details[open] circle"), self.changed)
        self.assertEqual(page.value("[...document.querySelectorAll('details[open] rect title')]"
                                    ".reduce((sum, each) => sum + Number(each.textContent.split(': ')[1]), 0)"), self.changed)
        inside = page.value("""[...document.querySelectorAll('details[open] circle, details[open] rect')].every(each => {
            const box = each.getBoundingClientRect(), chart = each.ownerSVGElement.getBoundingClientRect();
            return box.left >= chart.left && box.right <= chart.right + 1 && box.top >= chart.top - 1 && box.bottom <= chart.bottom; })""")
        self.assertTrue(inside, "each mark is within its chart")
        self.assertEqual(page.value("[...document.querySelectorAll('td')].filter(td => td.innerText === 'none: time, one run').length"), 1)

    def test_light_dark_and_narrow(self):
        for width, dark in ((1280, False), (1280, True), (400, False), (400, True)):
            page = self.open(width=width, dark=dark)
            colour = lambda selector, part: page.value("getComputedStyle(document.querySelector('%s')).%s" % (selector, part))
            self.assertEqual(colour("body", "backgroundColor"), "rgb(22, 21, 19)" if dark else "rgb(247, 246, 244)")
            self.assertNotEqual(colour("circle.helped", "fill"), colour("circle.hurt", "fill"))
            if PICTURES:
                page.screenshot(os.path.join(PICTURES, "report_%d_%s.png" % (width, "dark" if dark else "light")))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
