import json

import sample_repository  # first: it says where the tools are
import notebooks
from errors import DocsError

TEXT = """# Chapter 1

Words <!-- value ch01 x time -->12 us<!-- /value --> and [a link](main.cu#there), [one](../docs/a.md).

```
./tutorial run ch01          every stage
./tutorial run ch01 --n 4    few
```

![A picture](figures/one.svg)

## `slow`: the first

<!-- excerpt main.cu slow_kernel -->
```cpp
slow();
```
<!-- end excerpt -->

## Results

Last words.
"""


class Notebooks(sample_repository.RepositoryTest):
    def cells_of(self, text):
        folder = self.root / "ch01_bubble"
        (folder / "exercises").mkdir(parents=True, exist_ok=True)
        (folder / "README.md").write_text(text, encoding="utf-8")
        exercise = notebooks._blank
        notebooks._blank = lambda name, root: f"%%blank {name}\nreturn 0;"
        (folder / "exercises" / "ex1_first.cu").write_text("", encoding="utf-8")
        try:
            whole = json.loads(notebooks.chapter_notebook(folder, self.root))
        finally:
            notebooks._blank = exercise
        self.assertEqual((whole["nbformat"], whole["nbformat_minor"]), (4, 5))
        self.assertEqual(len({cell["id"] for cell in whole["cells"]}), len(whole["cells"]))
        return [(cell["cell_type"], "".join(cell["source"])) for cell in whole["cells"]]

    def test_commands_pictures_and_stages_become_cells(self):
        cells = self.cells_of(TEXT)
        code = [source for kind, source in cells if kind == "code"]
        self.assertIn("from lesson import", code[0])
        self.assertEqual(code[1], 'tutorial("run ch01")  # every stage\n# tutorial("run ch01 --n 4")  # few')
        self.assertEqual(code[2], 'figure("ch01_bubble/figures/one.svg")')
        self.assertEqual(code[3], 'tutorial("run ch01 --stage slow")')
        self.assertRegex(code[4], r'^explain\("ch01 --stage slow --n \d+"\)$')
        self.assertEqual(code[5:], ["%%blank ch01/ex1\nreturn 0;", 'check("ch01/ex1")', 'beside(run("ch01"))'])

    def test_the_text_is_whole_without_markers_and_its_links_lead_from_the_notebook(self):
        words = "\n".join(source for kind, source in self.cells_of(TEXT) if kind == "markdown")
        self.assertNotIn("<!--", words)
        self.assertIn("Words 12 us and [a link](../../ch01_bubble/main.cu#there), [one](../a.md).", words)
        self.assertIn("```cpp\nslow();\n```", words)
        self.assertIn("Last words.", words)

    def test_the_same_text_gives_the_same_notebook_without_outputs(self):
        self.assertEqual(self.cells_of(TEXT), self.cells_of(TEXT))
        whole = json.loads(notebooks.start_notebook("# A\n\n```python\nbegin\n```\n\n```python\n1 + 1\n```\n"))
        code = [cell for cell in whole["cells"] if cell["cell_type"] == "code"]
        self.assertEqual([cell["outputs"] for cell in code], [[], []])
        self.assertEqual(code[1]["source"], ["1 + 1"])
        self.assertIn("from lesson import", "".join(code[0]["source"]))

    def test_an_exercise_that_is_not_there_is_said(self):
        with self.assertRaises(DocsError):
            notebooks.start_notebook("```python\nblank ch99/ex1\n```\n", self.root)
