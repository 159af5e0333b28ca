from __future__ import annotations

import os
import tempfile
import unittest

import agwp

TLS_SERVER = os.environ.get("AGWP_TLS_SERVER", "")
CA_FILE = os.environ.get("AGWP_TLS_CA", "")


class CaFileTest(unittest.TestCase):
    @unittest.skipUnless(TLS_SERVER, "AGWP_TLS_SERVER names no server")
    def test_a_ca_file_says_whom_to_trust(self) -> None:
        with agwp.Client(TLS_SERVER, ca_file=CA_FILE) as trusting, agwp.Client(TLS_SERVER, tries_max=1) as other:
            self.assertEqual([], trusting.list_queues().queues)
            with self.assertRaisesRegex(agwp.NoAnswer, "certificate"):
                other.list_queues()

    def test_a_ca_file_without_certificates_is_refused_by_name(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            empty = os.path.join(folder, "empty.pem")
            open(empty, "w").close()
            for name in (empty, os.path.join(folder, "none.pem")):
                with self.subTest(name), self.assertRaisesRegex(ValueError, os.path.basename(name)):
                    agwp.Client("https://127.0.0.1:1", ca_file=name)
