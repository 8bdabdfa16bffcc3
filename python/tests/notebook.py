"""python notebook.py FILE executes a notebook: each of its cells of code runs, and most show something."""

import sys
import tempfile

import nbclient
import nbformat

notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
with tempfile.TemporaryDirectory() as folder:
    nbclient.NotebookClient(notebook, timeout=None, resources={"metadata": {"path": folder}}).execute()
shown = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.outputs]
faults = [o for cell in shown for o in cell.outputs if o.output_type == "error" or o.get("name") == "stderr"]
print(f"{len(shown)} cells show something")
sys.exit(f"want three cells or more, and no errors: {faults}" if len(shown) < 3 or faults else 0)
