"""Everything of this package: the unit tests, and the conformance suite over both engines."""

import subprocess
import sys
from pathlib import Path

here = Path(__file__).parent
steps = [["-m", "unittest", "discover", "--start-directory", str(here)], [str(here / "suite.py")], [str(here / "suite_sqlite.py")]]
failed = [step for step in steps if subprocess.run([sys.executable, *step], cwd=here.parent).returncode != 0]
print(f"{len(steps) - len(failed)} passed, {len(failed)} failed")
sys.exit(bool(failed))
