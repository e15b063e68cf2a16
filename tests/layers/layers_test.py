"""Each wrong arrow is found, in a graph written here and in the real one with one additional arrow."""

import sys
import unittest

from tests.layers import layers

GRAPH = sys.argv.pop(1)


def graph(*edges):
    return "\n".join('  "//%s:a" -> "//%s:b"' % edge for edge in edges)


def wrong(*edges):
    return layers.wrong_arrows(layers.arrows_of(graph(*edges)), struck_off={})


class LayersTest(unittest.TestCase):
    def test_arrows_that_must_not_be(self):
        for user, used in [
                ("core/intel/select", "core/sim/eu"), ("core/intel/emit", "core/sim/eu"),
                ("core/mid", "core/intel/isa"), ("core/mid", "core/lir"), ("core/mir", "core/mid"),
                ("core/lir/ra", "core/intel/lir"), ("core/lir", "core/mir"),
                ("core/driver", "core/oracle"), ("core/mid", "core/oracle"), ("client", "tests/exec"),
                ("core/sim/eu", "core/intel/select"), ("core/sim/eu", "core/intel/emit"),
                ("core/driver", "core/intel/select"), ("core/base", "proto"), ("core/out", "server"),
                ("core/intel/isa", "core/intel/lir"), ("server/cache", "client"),
                ("client", "server/cache"), ("server/worker", "server/net"),
                ("client/run", "core/sim/eu"), ("client/commands", "core/intel/isa"), ("server/worker", "core/sim/eu"),
                ("core/driver", "core/sim/eu"), ("core/sim/eu", "core/intel/pipeline"), ("core/sim/eu", "core/target"),
                ("core/sim/scene", "core/target")]:
            with self.subTest(user=user, used=used):
                found = wrong((user, used))
                self.assertEqual(len(found), 1, found)
                self.assertIn("%s -> %s" % (user, used), found[0])

    def test_arrows_that_may_be(self):
        self.assertEqual(wrong(("core/lir/ra", "core/lir"), ("core/mid", "core/mir"),
                               ("server/cache", "server/files"), ("core/sim/eu", "core/intel/isa"),
                               ("core/intel/pipeline", "core/sim/eu"), ("server", "deploy/bazel")), [])

    def test_a_new_folder_is_given_a_room(self):
        self.assertIn("in no room", wrong(("core/intel/new", "core/base"))[0])

    def test_what_is_gone_is_struck_off(self):
        arrows = layers.arrows_of(graph(("server", "proto")))
        self.assertIn("strike it off", layers.wrong_arrows(arrows, {("client", "server/key"): "why"})[0])
        arrows = layers.arrows_of(graph(("client", "server/key")))
        self.assertEqual(layers.wrong_arrows(arrows, {("client", "server/key"): "why"}), [])

    def test_nothing_is_not_a_graph(self):
        with self.assertRaises(ValueError):
            layers.arrows_of("digraph mygraph {\n}\n")

    def test_every_room_is_one_of_the_table(self):
        for user, allowed in layers.ALLOWED.items():
            self.assertLessEqual(allowed, set(layers.ALLOWED), user)
            self.assertNotIn(user, layers.reach(layers.ALLOWED, user), "a circle")

    def test_picture_leaves_out_what_a_longer_way_replaces(self):
        arrows = layers.arrows_of(graph(("core/front", "core/mir"), ("core/mir", "core/base"),
                                        ("core/front", "core/base")))
        self.assertEqual([line.split() for line in layers.ascii_picture(arrows).splitlines()],
                         [["2", "core/front", "->", "core/mir"], ["1", "core/mir", "->", "core/base"],
                          ["0", "core/base", "->", "-"]])
        self.assertNotIn('"core/front" -> "core/base"', layers.dot_picture(arrows))

    def test_this_build(self):
        with open(GRAPH, encoding="utf-8") as file:
            text = file.read()
        arrows = layers.arrows_of(text)
        self.assertEqual(layers.wrong_arrows(arrows), [])
        self.assertIn(("core/driver", "core/intel/pipeline"), arrows)
        for edge in [("core/intel/select", "core/sim/eu"), ("core/mid", "core/intel/isa"),
                     ("core/lir", "core/intel/lir"), ("core/driver", "core/oracle")]:
            more = layers.arrows_of(text + "\n" + graph(edge))
            self.assertEqual(len(layers.wrong_arrows(more)), 1, edge)


if __name__ == "__main__":
    unittest.main()
