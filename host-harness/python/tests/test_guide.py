"""The embedding guide's Python, run as one program as it stands there, and the example."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[3]


def run(code: list[str]) -> str:
    return subprocess.run([sys.executable, *code], cwd=ROOT / "host-harness/python", check=True, capture_output=True, text=True).stdout


class Guide(unittest.TestCase):
    def test_its_blocks_run(self) -> None:
        blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/embedding.md").read_text(), re.DOTALL)
        self.assertEqual(len(blocks), 3)
        printed = run(["-c", "\n".join(blocks)])
        self.assertIn("True ACTION_CONFIRMATION_REQUIRED 3", printed)
        self.assertIn('Delete all 3 records of "note"', printed)
        self.assertIn("2 RECORD_LOCKED", printed)

    def test_the_example_runs(self) -> None:
        self.assertIn("RECORD_LOCKED", run(["examples/notes.py"]))


if __name__ == "__main__":
    unittest.main()
