"""The notebook of the guide: its cells run, and each plot shows what the tables hold."""

import ast
import json
import os
import unittest
from unittest import mock

from house import BAKERY, COMPLETE, LOSSY, ROOT, TALK, lines, needs


@needs("pandas", "pyarrow", "matplotlib")
class Notebook(unittest.TestCase):
    def test_the_cells_run_and_plot(self):
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        notebook = json.loads((ROOT / "docs/notebooks/first-look.ipynb").read_text())
        cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        found, plots = {}, []
        with mock.patch.dict(os.environ, EXAMPLES=str(ROOT / "examples")):
            for number, cell in enumerate(cells):
                exec(compile(ast.parse(cell), f"cell {number}", "exec"), found)
                plots.append(len(plt.get_fignums()))
        self.addCleanup(plt.close, "all")
        self.assertEqual(plots, [0, 1, 2, 3, 4])

        lost = lines("gaps", [LOSSY], {})
        events = sum(int(row["events"]) for row in lost)
        titles = [plt.figure(number).axes[0].get_title() for number in plt.get_fignums()]
        self.assertEqual(titles[0], f"{events:,} events lost in {len(lost)} gaps")
        states = {row["attribute"] for row in lines("states", [TALK], {})}
        self.assertTrue(all(f"scenarios/process_fsm/{thread}/state" in states for thread in found["busiest"].index))
        words = {row["word"] for row in lines("loops", [COMPLETE], {}) if row["period"] != "0"}
        self.assertTrue(0 < len(found["often"]) <= 8 and words.issuperset(found["often"].index))
        hottest = max(int(row["count"]) for row in lines("blocks", [BAKERY], {}))
        self.assertEqual(found["blocks"]["count"].iloc[0], hottest)


if __name__ == "__main__":
    unittest.main()
