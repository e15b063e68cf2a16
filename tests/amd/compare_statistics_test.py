"""Tests the arithmetic of compare_statistics.py, which needs Mesa for the rest."""

import unittest

import compare_statistics as compare


def record(stage, wave, vgprs_field, shared=0, local_size=(1, 1, 1), inputs=0):
    return {'stage': stage, 'dispatch_width': wave, 'shared_bytes': shared,
            'compute': {'local_size': list(local_size)},
            'amd': {'rsrc1': 0x40000000 | vgprs_field, 'fragment': {'spi_ps_input_cntl': [0] * inputs}}}


class CompareStatistics(unittest.TestCase):
    def test_spearman(self):
        self.assertAlmostEqual(compare.spearman([(1, 10), (2, 20), (3, 30)]), 1)
        self.assertAlmostEqual(compare.spearman([(1, 30), (2, 20), (3, 10)]), -1)
        self.assertIsNone(compare.spearman([(1, 1), (2, 2)]))
        self.assertIsNone(compare.spearman([(1, 1), (1, 2), (1, 3)]))

    def test_subgroups_per_simd(self):
        # Registers: 9 units of 8 are 72, rounded up to 80; 9 units of 4 are 36, rounded up to 40.
        self.assertEqual(compare.subgroups_per_simd(record('vertex', 32, 8)), 12)
        self.assertEqual(compare.subgroups_per_simd(record('vertex', 64, 8)), 24)
        self.assertEqual(compare.subgroups_per_simd(record('vertex', 64, 0, shared=65536)), 32)
        # LDS: of a fragment's inputs; of a group of four waves.
        self.assertEqual(compare.subgroups_per_simd(record('fragment', 64, 0, inputs=100)), 14)
        self.assertEqual(compare.subgroups_per_simd(record('compute', 32, 0, shared=16384, local_size=(128, 1, 1))), 8)
        self.assertEqual(compare.subgroups_per_simd(record('compute', 32, 0, shared=16384, local_size=(8, 4, 1))), 2)

    def test_utilisation(self):
        self.assertEqual(compare.utilisation(record('compute', 64, 0, local_size=(8, 2, 1)), 64), 0.25)
        self.assertEqual(compare.utilisation(record('fragment', 64, 0), 64), 1)


if __name__ == '__main__':
    unittest.main()
