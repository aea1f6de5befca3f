"""How long pages are."""

import sample_repository
import volume

TEXT = """# A title of five words

One two <!-- value x -->12 us<!-- /value --> [three four](a/b.md#c) `five` – six.

| a table | of words |
| --- | --- |

![a picture](a.svg)

```cpp
int a;
int b;
```

```text
1
2
3
```
"""


class Volume(sample_repository.RepositoryTest):
    def check(self, text):
        self.write("ch01_bubble/README.md", text)
        return volume.check(self.root / "ch01_bubble", self.root)

    def test_words_of_prose(self):
        self.assertEqual(volume.prose_words(TEXT), 5 + 8)

    def test_listings_are_code_and_not_output(self):
        self.assertEqual(volume.listings(TEXT), [(10, 2)])

    def test_the_limits_of_a_first_page(self):
        self.assertEqual(self.check("word " * volume.MAX_WORDS + "\n"), [])
        self.assertRegex(
            self.check("word " * (volume.MAX_WORDS + 1))[0], "README.md: 3501 words of prose; at most 3500"
        )
        self.assertEqual(self.check("\n" * volume.MAX_LINES), [])
        self.assertRegex(self.check("\n" * (volume.MAX_LINES + 1))[0], "README.md: 701 lines; at most 700")
        code = "```cpp\n" + "x\n" * volume.MAX_LISTING + "```\n"
        self.assertEqual(self.check(code), [])
        self.assertRegex(self.check("\n" + code.replace("x\n", "x\n\n"))[0], "README.md:2: a listing of 60 lines")

    def test_other_pages_are_as_long_as_they_need(self):
        self.write("ch01_bubble/fastest.md", "word " * (2 * volume.MAX_WORDS))
        self.assertEqual(self.check(TEXT), [])

    def test_the_table(self):
        path = self.write("ch01_bubble/README.md", TEXT)
        rows = volume.table([path], self.root).split("\n")
        self.assertEqual(rows[1].split(), ["13", "19", "2", "ch01_bubble/README.md"])
        self.assertEqual(rows[-1].split(), ["13", "19", "1", "pages"])
