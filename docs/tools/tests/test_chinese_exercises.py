"""The exercises in Chinese: all of them are there, and no code or number of a task or a hint is lost."""

import re
import unittest

import sample_repository  # pylint: disable=unused-import
import exercise_texts
import translations
from grading.files import exercise as exercises
from repository import TRANSLATED

# In backticks; a name with a capital, an underscore, a dot, brackets; a number.
_CODE = re.compile(
    r"`+(?:cpp\b)?([^`]+)`+"
    r"|\b([a-z]+[A-Z]\w*|\w+_\w+|\w+\.[a-z]\w*|[a-z]\w*\[[^\]]*\]|\w+\(\))"
    r"|(?<![\w.])(\d[\d,.]*\d|\d)"
)
_HINT = re.compile(r"<details><summary>提示 (\d)</summary>\n\n(.+?)\n\n</details>", re.S)


def section(exercise):
    """The Chinese of an exercise, below its heading."""
    file = exercise.learner.with_name(f"README{TRANSLATED}")
    parts = re.split(r'^## <a id="(\w+)"></a>', file.read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(parts[1::2], parts[2::2])).get(exercise.name, "")


def plain(text):
    """Without line breaks, the marks of code, and commas in numbers."""
    return " ".join(re.sub(r"`|(?<=\d),(?=\d{3})", "", text).split())


def code_of(words):
    """The code and the numbers in a text."""
    return [next(filter(None, match.groups())).rstrip(".") for match in _CODE.finditer(words)]


class ChineseExercises(unittest.TestCase):
    def test_every_exercise_has_a_title_a_task_and_its_hints_in_chinese(self):
        self.assertGreater(len(exercises.find()), 50)
        for exercise in exercises.find():
            with self.subTest(exercise.id):
                text = section(exercise)
                self.assertRegex(text, rf"^\S+ {exercise.id.split('/ex')[1]}：\S")
                self.assertEqual(re.findall(r"^\*\*(\S+)\*\*：\S", text, re.M)[-3:], ["題目", "已知", "要求"])
                self.assertEqual("**學到**" in text, exercise.notes.kind != "fault", "what a fault teaches names it")
                self.assertEqual([number for number, _ in _HINT.findall(text)], ["1", "2"])
                self.assertIn(f"]({exercise.name}.cu)", text)
                name, anchor = exercise.notes.read.split("#")
                self.assertRegex(
                    text, rf"/{re.escape(name[:-3].replace('../', ''))}(\{TRANSLATED[:-3]})?\.md#{anchor}\)"
                )

    def test_code_and_numbers_of_a_task_and_of_its_hints_are_in_its_chinese(self):
        for exercise in exercises.find():
            old, _ = translations.stale(exercise.learner.with_name(f"README{TRANSLATED}"))
            if exercise.name in old:
                continue  # the book says so above it
            text = section(exercise)
            head = "\n".join(exercise_texts.head(exercise))
            parts = [(head.partition("Task:")[2].partition("Read:")[0], text.partition("<details>")[0])]
            parts += zip(exercise.notes.hints, (hint for _, hint in _HINT.findall(text)))
            for english, chinese in parts:
                for code in code_of(re.sub(r"^// ?", "", english, flags=re.M)):
                    with self.subTest(exercise.id, code=code):
                        self.assertRegex(plain(chinese), rf"(?<!\d){re.escape(plain(code))}(?!\d)")
