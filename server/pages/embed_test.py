"""Tests embed.py: pages in their layout, one script, and what may not be embedded."""
import os
import unittest

from server.pages import embed

LAYOUT = "<title>{{title}}</title><body data-page=\"{{name}}\">{{body}}</body>"
SCRIPTS = {name: "// %s\n" % name for name in embed.SCRIPTS}


class EmbedTest(unittest.TestCase):

    def site(self, **more):
        files = {"layout.html": LAYOUT, "status.html": "<!-- Status -->\n<p>{{x}}\n", **SCRIPTS}
        files.update({name.replace("_", "."): text for name, text in more.items()})
        return {path: (kind, text) for path, kind, text in embed.site(files)}

    def test_a_page_is_put_into_the_layout(self):
        with self.assertRaises(KeyError):  # of the layout alone
            embed.page(LAYOUT + "{{other}}", "status.html", "<!-- Status -->\n")
        kind, text = self.site()["/"]
        self.assertEqual(kind, "text/html; charset=utf-8")
        self.assertEqual(text, "<title>Status</title><body data-page=\"status\"><p>{{x}}</body>")

    def test_paths_are_names_without_html(self):
        paths = self.site(log_html="<!-- Log -->\n", style_css="a {}", icon_svg="<svg/>")
        self.assertEqual(sorted(paths), ["/", "/icon.svg", "/kiln.js", "/log", "/style.css"])

    def test_scripts_are_one_in_order(self):
        text = self.site()["/kiln.js"][1]
        places = [text.index("// " + name) for name in embed.SCRIPTS]
        self.assertEqual(places, sorted(places))
        with self.assertRaisesRegex(ValueError, "not in SCRIPTS: other.js"):
            self.site(other_js="1;")

    def test_a_page_needs_a_title(self):
        with self.assertRaisesRegex(ValueError, "log.html: the first line"):
            self.site(log_html="<p>")

    def test_nothing_is_loaded_from_elsewhere(self):
        for text in ("a { background: url(https://example.org/x.png) }", "@import 'x.css';",
                     "a { background: url(//cdn.example.org/x) }"):
            with self.assertRaisesRegex(ValueError, "style.css refers to another host"):
                self.site(style_css=text)
        with self.assertRaisesRegex(ValueError, "log.js"):
            embed.site({"layout.html": LAYOUT, **SCRIPTS, "log.js": "import('./x.js')"})

    def test_a_text_cannot_end_its_literal(self):
        with self.assertRaises(ValueError):
            embed.literal("x)site\"y")

    def test_the_site_itself(self):
        folder = "server/pages/site"
        files = {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                files[name] = file.read()
        paths = {path: text for path, kind, text in embed.site(files)}
        self.assertLessEqual({"/", "/passes", "/shaders", "/log", "/kiln.js", "/style.css", "/icon.svg"}, set(paths))
        for path, text in paths.items():
            self.assertNotRegex(text, r"\sstyle=|\son\w+=\"|<style|innerHTML", path)  # refused by the policy, or unsafe
            self.assertLess(len(text), 64 << 10, path)


if __name__ == "__main__":
    unittest.main()
