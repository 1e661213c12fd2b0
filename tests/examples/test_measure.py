# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparisons of the end-to-end tests can fail: a profile that is a little wrong is refused."""
import io
import unittest
from contextlib import redirect_stdout

import measure


class Comparison(unittest.TestCase):
    def verdict(self, got, expected, samples):
        checks = measure.Checks()
        with redirect_stdout(io.StringIO()):
            checks.share(got, expected, samples, "share")
        return not checks.wrong

    def test_truth_is_accepted(self):
        self.assertTrue(self.verdict(0.4211, 8 / 19, 2600))

    def test_noise_is_accepted(self):
        self.assertTrue(self.verdict(0.4311, 8 / 19, 2600))

    def test_neighbour_share_is_refused(self):
        self.assertFalse(self.verdict(11 / 19, 8 / 19, 2600))  # helper given to its caller
        self.assertFalse(self.verdict(2 / 19, 1 / 19, 2600))

    def test_bound_shrinks_with_samples(self):
        self.assertLess(measure.bound(0.5, 10000), measure.bound(0.5, 1000))
        self.assertGreaterEqual(measure.bound(0.5, 10 ** 12), measure.SLACK)

    def test_no_check_is_a_failure(self):
        with redirect_stdout(io.StringIO()), self.assertRaises(SystemExit) as end:
            measure.Checks().finish()
        self.assertEqual(end.exception.code, 1)

    def test_wrong_is_a_failure(self):
        checks = measure.Checks()
        checks.equal(1, 2, "number")
        with redirect_stdout(io.StringIO()), self.assertRaises(SystemExit) as end:
            checks.finish()
        self.assertEqual(end.exception.code, 1)

    def test_report_is_parsed(self):
        rows = measure.parse_report('name,exclusive_s,line_begin\n"f(int, long)",0.25,7\n')
        self.assertEqual(rows, [{"name": "f(int, long)", "exclusive_s": 0.25, "line_begin": 7}])


if __name__ == "__main__":
    unittest.main()
