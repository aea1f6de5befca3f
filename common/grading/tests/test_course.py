"""What exercises are worth, who is in the class, and what a teacher gets."""

import csv
import datetime
import os
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import support  # puts the tool's folder on the path
from grading.check.attempt import Verdict
from grading.course import course, reports, roster
from grading.course import grade as grade_module
from grading.course.classroom import Classroom, Grade, Verdicts
from grading.course.submission import Student
from grading.files import exercise as exercises
from grading.grading_error import GradingError
from grading.process import limited_process

SOLVED, COSTLY, WRONG = Verdict("", ""), Verdict("count", "many"), Verdict("answer", "no")


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = support.scratch(self)
        self.every = exercises.find()

    def file(self, text: str, name: str = "course.csv") -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def exercise(self, name: str):
        return next(exercise for exercise in self.every if exercise.id == name)


class Rules(Folder):
    def read(self, text: str) -> course.Course:
        return course.read(self.file(text), self.every)

    def test_the_most_special_row_counts(self):
        rules = self.read("exercise,points\nch03,2\nch03/ex7,5.5\n*,0\n")
        points = [rules.rule(self.exercise(name)).points for name in ("ch03/ex1", "ch03/ex7", "ch01/ex1")]
        self.assertEqual(points, [2, 5.5, 0])
        one = self.read("exercise;points\nch03/ex7;3\n")
        self.assertEqual([exercise.id for exercise in one.chosen(self.every)], ["ch03/ex7"])
        self.assertEqual(course.Course().chosen(self.every), self.every)

    def test_points_for_parts_and_late_work(self):
        rules = self.read(
            "exercise,points,due,late,partial\n"
            "ch03,10,2026-03-01,10% a day,50\nch01,4,2026-03-01 12:00,not accepted,\n"
        )
        rule = rules.rule(self.exercise("ch03/ex1"))
        self.assertEqual([rule.score(v, 0) for v in (SOLVED, COSTLY, WRONG)], [10, 5, 0])
        self.assertEqual([rule.score(SOLVED, days) for days in (1, 3, 10, 40)], [9, 7, 0, 0])
        at = datetime.datetime
        days = [rule.days_late(at(2026, 3, day, hour), False) for day, hour in ((1, 23), (2, 0), (2, 23), (3, 1))]
        self.assertEqual(days, [0, 1, 1, 2])
        self.assertEqual((rule.days_late(None, False), rule.days_late(None, True)), (0, 1))
        noon = rules.rule(self.exercise("ch01/ex1"))
        self.assertEqual(noon.days_late(at(2026, 3, 1, 12), False), 0)
        self.assertEqual(noon.score(SOLVED, noon.days_late(at(2026, 3, 1, 12, 1), False)), 0)

    def test_every_mistake_has_its_line(self):
        wrong = (
            "exercise,points,due,late,partial\nch09,1,,,\nch01,-1,,,\nch02,1,tomorrow,,\nch03,1,,10% a day,\n"
            "ch04,1,2026-02-30,,\nch05,x,2026-03-01,perhaps,200\nch06,1,,,,7\nch06,1,,,\n"
        )
        with self.assertRaises(GradingError) as caught:
            self.read(wrong)
        said = str(caught.exception).splitlines()
        self.assertEqual(
            [line.partition(": ")[0] for line in said],
            [f"course.csv:{n}" for n in (2, 3, 4, 5, 6, 7, 7, 7, 8, 9)],
        )
        for words in (
            "'ch09'",
            "points: '-1'",
            "due: 'tomorrow'",
            "late: it needs",
            "late: 'perhaps'",
            "'ch06' already has a row",
        ):
            self.assertIn(words, str(caught.exception))
        for text, words in (
            ("", "is empty"),
            ("exercise\n", "no exercise in it"),
            ("points\n1\n", "'exercise' is missing"),
            ("exercise,colour\nch01,red\n", "no column 'colour'"),
        ):
            with self.assertRaisesRegex(GradingError, words):
                self.read(text)
        with self.assertRaisesRegex(GradingError, "cannot be read: No such file"):
            course.read(self.folder / "none.csv", self.every)
        (self.folder / "bytes.csv").write_bytes(b"\xff\xfe\x00")
        with self.assertRaisesRegex(GradingError, "not UTF-8"):
            course.read(self.folder / "bytes.csv", self.every)

    def test_moments(self):
        at = datetime.datetime
        self.assertEqual(course.moment("2026-03-01", end_of_day=True), at(2026, 3, 1, 23, 59, 59))
        self.assertEqual(course.moment("2026-03-01T18:00"), at(2026, 3, 1, 18))
        utc = at(2026, 3, 1, 17, tzinfo=datetime.timezone.utc).astimezone().replace(tzinfo=None)
        self.assertEqual(course.moment("2026-03-01T17:00:00Z"), utc)
        for text in ("", "1.3.2026", "2026-13-01", "2026-03-01 25:00", "now", "9999-99-99"):
            self.assertIsNone(course.moment(text), text)


class Rosters(Folder):
    def names(self, text: str, *found: Student) -> list[tuple[str, str]]:
        made = roster.with_roster(list(found), self.file(text, "roster.csv"))
        return [(student.name, student.number) for student in made]

    def test_moodles_grading_worksheet(self):
        text = "Identifier,Full name,Email address,Grade\nParticipant 12,Anna Berg,a@x.org,\n"
        text += "Participant 13,Anna Berg,b@x.org,\n"
        with self.subTest("by the number of the participant"):
            found = Student("Anna Berg", self.folder, number="12")
            self.assertEqual(self.names(text, found), [("Anna Berg", "12"), ("Anna Berg (2)", "")])
        text = text.replace("13,Anna Berg", "13,Zoë May")
        found = [Student("Zoe May", self.folder, number="13"), Student("nobody", self.folder)]
        self.assertEqual(self.names(text, *found), [("Anna Berg", ""), ("Zoë May", "13"), ("nobody", "")])

    def test_canvass_gradebook(self):
        text = (
            "Student,ID,SIS User ID,SIS Login ID,Section,Old (1)\n    Points Possible,,,,,10\n"
            '"Berg, Anna",1001,s1,anna@x.org,A,\n"May, Ben",1002,s2,ben@x.org,A,\n'
        )
        found = [Student("berganna", self.folder), Student("somebody", self.folder, number="1002")]
        self.assertEqual(self.names(text, *found), [("Berg, Anna", ""), ("May, Ben", "1002")])

    def test_names_that_two_have_are_nobodys(self):
        text = "email,name\na@x.org,Kim\nb@x.org,Kim Lee\nc@x.org,kim lee\n"
        self.assertEqual([name for name, _ in self.names(text, Student("KimLee", self.folder))][-1], "KimLee")

    def test_times(self):
        students = [Student("Anna Berg", None), Student("Ben", None, row=(("email", "ben@x.org"),))]
        times = roster.handed_in(
            self.file("student,exercise,handed in\nanna berg,ch03/ex1,2026-03-01 10:00\nben@x.org,,2026-03-02\n"),
            students,
        )
        self.assertEqual(set(times), {("Anna Berg", "ch03/ex1"), ("Ben", "")})
        with self.assertRaises(GradingError) as caught:
            roster.handed_in(self.file("student,handed in\nBen,soon\nEve,2026-03-01\n"), students)
        self.assertEqual(len(str(caught.exception).splitlines()), 2)
        with self.assertRaisesRegex(GradingError, "needs two columns"):
            roster.handed_in(self.file("a,b\n"), students)

    def test_times_of_two_of_one_name(self):
        students = [Student("Anna Berg", None, number="12"), Student("Anna Berg (2)", None, number="13")]
        for name in ("Anna Berg", "anna berg"):
            with self.assertRaises(GradingError) as caught:
                roster.handed_in(self.file(f"student,handed in\n{name},2026-03-01 10:00\n"), students)
            self.assertEqual(
                str(caught.exception),
                f"course.csv:2: '{name}' may be Anna Berg or Anna Berg (2): name them by number or address",
            )
        times = roster.handed_in(self.file("student,handed in\n12,2026-03-01\nAnna Berg (2),2026-03-02\n"), students)
        self.assertEqual({name: time.day for (name, _), time in times.items()}, {"Anna Berg": 1, "Anna Berg (2)": 2})
        with self.assertRaisesRegex(GradingError, "^course.csv:3: '12' has a time in line 2 already$"):
            roster.handed_in(self.file("student,handed in\n12,2026-03-01\n12,2026-03-02\n"), students)

    def test_times_of_moodles_worksheet(self):
        at = datetime.datetime(2026, 3, 3, 18, 5)
        for text in (
            "Tuesday, 3 March 2026, 6:05 PM",
            "Tuesday, March 3, 2026, 6:05 PM",
            "Tuesday, 3 March 2026, 18:05",
            "Dienstag, 3. M\u00e4rz 2026, 18:05",
            "Tuesday, 3 March 2026, 6:05\u202fPM",
        ):
            self.assertEqual(roster.worksheet_moment(text), at, text)
        for text in ("", "-", "mardi 3 mars 2026, 18:05", "Tuesday, 31 February 2026, 6:05 PM", "2026-03-03"):
            self.assertIsNone(roster.worksheet_moment(text), text)
        midnight, noon = (roster.worksheet_moment(f"Monday, 1 June 2026, 12:00 {half}") for half in ("AM", "PM"))
        self.assertEqual((midnight.hour, noon.hour), (0, 12))
        for title in ("Last modified (submission)", "Zuletzt ge\u00e4ndert (Abgabe)"):
            row = (("Identifier", "Participant 12"), (title, "Tuesday, 3 March 2026, 6:05 PM"))
            students = [Student("Anna", None, row=row), Student("Ben", None, row=((title, "-"),)), Student("Eve", None)]
            self.assertEqual(roster.times_of_worksheet(students), {("Anna", ""): at})

    def test_a_line_for_deadlines_without_times(self):
        rules = course.read(self.file("exercise,due\nch03,2026-03-01\nch01,\n"), self.every)
        late = Student("Ben", None, is_late=True)
        grades = [
            Grade(Student(name, None), self.exercise(exercise), verdict)
            for name, exercise, verdict in (
                ("Anna", "ch03/ex1", SOLVED),
                ("Cleo", "ch03/ex1", WRONG),
                ("Dan", "ch01/ex1", SOLVED),
                ("Eve", "ch03/ex1", Verdict("not_begun", "")),
            )
        ] + [Grade(late, self.exercise("ch03/ex2"), SOLVED)]
        at = datetime.datetime(2026, 3, 1)
        said = grade_module.without_times(rules, {}, grades)
        self.assertIn("for 2 of 3 students (Anna; Cleo) it is not known", said)
        self.assertIn("for 1 of 3", grade_module.without_times(rules, {("Cleo", ""): at}, grades))
        known = {("Cleo", ""): at, ("Anna", "ch03/ex1"): at}
        self.assertEqual(grade_module.without_times(rules, known, grades), "")
        self.assertEqual(grade_module.without_times(course.Course(), {}, grades), "")

    def test_tables_as_spreadsheets_write_them(self):
        anna = Student("Anna Berg", self.folder)
        german = "ID;Vollst\u00e4ndiger Name;E-Mail-Adresse\r\nTeilnehmer/in12;Anna Berg;a@x.org\r\n"
        for data in (
            b"\xef\xbb\xbf" + german.encode(),
            german.encode(),
            german.replace(";", "\t").encode("utf-16"),
            b"sep=;\r\n" + german.encode(),
            "Vorname,Nachname\nAnna,Berg\n".encode(),
            'name,note\n"Anna Berg","late, ill"\n'.encode(),
        ):
            path = self.folder / "roster.csv"
            path.write_bytes(data)
            made = roster.with_roster([anna], path)
            self.assertEqual([(s.name, s.folder) for s in made], [("Anna Berg", self.folder)], data)
        for data, said in (
            (german.encode("latin-1"), "not UTF-8 text: save it as 'CSV UTF-8'"),
            (b"PK\x03\x04more", "is a spreadsheet: save it as 'CSV UTF-8'"),
            (b"\xd0\xcf\x11\xe0more", "is a spreadsheet"),
            (b"Nom,Cours\nAnna Berg,A\n", r"none of its columns \(nom, cours\) names the students"),
        ):
            (self.folder / "roster.csv").write_bytes(data)
            with self.assertRaisesRegex(GradingError, said) as caught:
                roster.with_roster([anna], self.folder / "roster.csv")
            self.assertNotIn("\n", str(caught.exception))
        rules = course.read(self.file("exercise;points\nch03;0,5\n"), self.every)
        self.assertEqual(rules.rule(self.exercise("ch03/ex1")).points, 0.5)

    def test_names_with_commas(self):
        """Moodle's and Canvas's "Berg, Anna" is one cell, and the same student as the folder "Anna Berg"."""
        made = roster.with_roster(
            [Student("Anna Berg", self.folder), Student("Berg, Ben", self.folder)],
            self.file('student,id\n"Berg, Anna",1\n"Berg, Ben",2\n', "roster.csv"),
        )
        self.assertEqual([(s.name, s.folder is None) for s in made], [("Berg, Anna", False), ("Berg, Ben", False)])


class Gradebooks(Folder):
    def table(self, form: str, students: list[Student], grades: list[Grade]) -> list[list[str]]:
        chosen = [self.exercise("ch03/ex1"), self.exercise("ch03/ex2")]
        path = self.folder / "book.csv"

        def score(grade):
            return reports.Score(2.5 if grade.verdict.solved else 0.0, 2.5)

        reports.write_gradebook(path, grades, chosen, students, score, form)
        self.assertTrue(reports.is_ours(path))
        return list(csv.reader(path.read_text(encoding="utf-8").splitlines()))

    def test_forms(self):
        row = (("Identifier", "Participant 12"), ("Full name", "=Anna"), ("Grade", ""))
        anna, ben = Student("Anna", self.folder, row=row), Student("Ben", None)
        grades = [
            Grade(student, self.exercise(name), verdict)
            for student, name, verdict in (
                (anna, "ch03/ex1", SOLVED),
                (anna, "ch03/ex2", WRONG),
                (ben, "ch03/ex1", WRONG),
                (ben, "ch03/ex2", WRONG),
            )
        ]
        self.assertEqual(
            self.table("plain", [anna, ben], grades),
            [
                ["student", "points", "of", "solved", "tried", "days late", "remark", "ch03/ex1", "ch03/ex2"],
                ["Anna", "2.5", "5", "1", "2", "0", "", "2.5", "0"],
                ["Ben", "0", "5", "0", "2", "0", "", "0", "0"],
            ],
        )
        self.assertEqual(
            self.table("moodle", [anna, ben], grades),
            [
                ["Identifier", "Full name", "Grade", "Tutorial points", "ch03/ex1", "ch03/ex2"],
                ["Participant 12", "'=Anna", "2.5", "2.5", "2.5", "0"],
                ["Ben", "", "0", "0", "0", "0"],
            ],
        )
        row = (("Student", "Berg, Anna"), ("ID", "1"), ("Section", "A"), ("Old (1)", "3"))
        anna = Student("Berg, Anna", self.folder, row=row)
        self.assertEqual(
            self.table("canvas", [anna], [Grade(anna, self.exercise("ch03/ex1"), SOLVED)]),
            [
                ["Student", "ID", "Section", "Tutorial points", "ch03/ex1", "ch03/ex2"],
                ["    Points Possible", "", "", "2.5", "2.5", "0"],
                ["Berg, Anna", "1", "A", "2.5", "2.5", ""],
            ],
        )

    def test_moodles_feedback_comments(self):
        for grade, comments, own in (
            ("Grade", "Feedback comments", "Well done!<br>Tutorial points: 9 of 9"),
            ("Bewertung", "Feedback als Kommentar", "Well done!"),
        ):
            row = (("Identifier", "Participant 12"), (grade, ""), (comments, own))
            anna = Student("Anna", self.folder, row=row)
            grades = [
                Grade(anna, self.exercise("ch03/ex1"), SOLVED),
                Grade(anna, self.exercise("ch03/ex2"), Verdict("answer", "items[3] < 1 & more\nitems")),
            ]
            cells = dict(zip(*self.table("moodle", [anna], grades)))
            self.assertEqual(cells[grade], "2.5")
            said = cells[comments].split("<br>")
            self.assertEqual(said[:2], ["Well done!", "Tutorial points: 2.5 of 5"])
            self.assertEqual(said[4:], ["    items[3] &lt; 1 &amp; more", "    items"])

    def test_what_could_not_be_read_is_told_once(self):
        anna = Student("Anna", None, (), trouble="work.zip cannot be unpacked: no zip")
        chosen = [self.exercise("ch03/ex1"), self.exercise("ch03/ex2"), self.exercise("ch03/ex3")]
        limits = limited_process.Limits(seconds=1)
        room = Classroom([], {}, limits, self.folder, Verdicts(self.folder / "none"), 1)
        grades = list(room.grade([anna], chosen))
        self.assertEqual([grade.verdict.reason for grade in grades], ["unreadable", "missing", "missing"])
        self.assertFalse(any(grade.was_attempted for grade in grades))
        self.assertIn("ch03/ex1", grades[2].line)
        self.assertNotIn("unreadable", reports.summary(grades, chosen))
        lines = reports.feedback(grades, lambda _: reports.Score(0.0, 1.0))
        self.assertEqual(sum("work.zip" in line for line in lines), 1, lines)
        self.assertEqual(lines[-1], "Not handed in: ch03/ex1, ch03/ex2, ch03/ex3")

    def test_another_file_for_the_exercise_is_named(self):
        grade = Grade(Student("Anna", None), self.exercise("ch03/ex1"), WRONG, beside=("ch03/ex1 (1).cu",))
        words = "not graded, because it is another file for this exercise: ch03/ex1 (1).cu"
        self.assertEqual(grade.line, f"no; {words}")
        self.assertIn(f"    {words}", reports.feedback([grade], lambda _: reports.Score(0.0, 1.0)))

    def test_a_pipe_stays_a_pipe_and_a_link_a_link(self):
        anna = Student("Anna", self.folder)
        grades = [Grade(anna, self.exercise("ch03/ex1"), SOLVED)]

        def write(path: Path) -> None:
            reports.write_gradebook(
                path, grades, [grades[0].exercise], [anna], lambda _: reports.Score(1.0, 1.0), "plain"
            )

        pipe, link = self.folder / "pipe", self.folder / "link.csv"
        os.mkfifo(pipe)
        with ThreadPoolExecutor(1) as beside:
            read = beside.submit(pipe.read_text)
            write(pipe)
            self.assertIn("Anna", read.result(timeout=60))
        self.assertTrue(pipe.is_fifo())
        link.symlink_to(self.folder / "target.csv")
        write(link)
        self.assertTrue(link.is_symlink())
        self.assertIn("Anna", (self.folder / "target.csv").read_text())

    def test_a_text_for_each_student(self):
        names = ("Anna B.", "../Anna B", "anna b", "\u5b89\u5a1c", "...")
        verdict = Verdict("answer", "items[3] is 1, expected 2\n\x1b[31mred\nand more")
        grades = [
            Grade(Student(name, self.folder), self.exercise(exercise), what)
            for name in names
            for exercise, what in (("ch03/ex2", verdict), ("ch03/ex1", SOLVED))
        ]
        folder = self.folder / "feedback"
        reports.write_feedback(folder, grades, lambda grade: reports.Score(2.0 * grade.verdict.solved, 2.0, 1))
        files = sorted(path.name for path in folder.iterdir())
        self.assertEqual(len(files), len(names), "each has a file, whatever the name")
        self.assertEqual(len({name.casefold() for name in files}), len(names))
        text = next(p for p in folder.iterdir() if p.read_text().startswith("Anna B.\n")).read_text(encoding="utf-8")
        self.assertIn("\nTutorial points: 2 of 4\n", text)
        self.assertIn(
            "ch03/ex1  Add while loading, segment by segment: solved; 2 of 2 points, 1 day late\nch03/ex2  ", text
        )
        self.assertIn(": answer; 0 of 2 points, 1 day late\n    items[3] is 1, expected 2\n", text)
        self.assertIn("     [31mred\n    and more\n", text)

    def test_a_sign_alone_is_no_formula(self):
        """Moodle writes it for submissions that were never graded, and reads it back."""
        row = (("Identifier", "Participant 12"), ("Last modified (grade)", "-"), ("Note", "-1+2"))
        anna = Student("Anna", self.folder, row=row)
        grades = [Grade(anna, self.exercise("ch03/ex1"), SOLVED)]
        self.assertEqual(self.table("moodle", [anna], grades)[1][1:3], ["-", "'-1+2"])

    def test_tables_that_a_platform_would_refuse(self):
        """Their importers require: Canvas Student, ID … Section, Moodle's worksheet three columns by name."""

        def student(*titles: str) -> list[Student]:
            return [Student("Anna", None, row=tuple((title, "x") for title in titles))]

        for form, titles in (
            ("canvas", ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Old (1)")),
            ("canvas", ("LastName", "FirstName", "ID", "Section")),
            ("moodle", ("Identifier", "Full name", "Grade", "Last modified (grade)")),
            ("moodle", ("Email address",)),
            ("moodle", ("ID", "Bewertung", "Zuletzt ge\u00e4ndert (Bewertung)")),
            ("plain", ("name",)),
        ):
            reports.require_roster_of(form, student(*titles), "class.csv")
        for form, titles, said in (
            ("canvas", ("Student", "ID"), "Canvas rejects a gradebook"),
            ("canvas", ("name", "email"), "Canvas rejects a gradebook"),
            ("moodle", ("Identifier", "Vollst\u00e4ndiger Name", "Bewertung"), "Moodle rejects a grading worksheet"),
            ("moodle", ("Name", "Feedback als Kommentar"), "Moodle rejects a grading worksheet"),
        ):
            with self.assertRaisesRegex(GradingError, f"^class.csv: {said}"):
                reports.require_roster_of(form, student(*titles), "class.csv")


if __name__ == "__main__":
    unittest.main()
