package squad

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// TestGoldenSquad opens the scorers' cases and finds every question.
func TestGoldenSquad(t *testing.T) {
	golden.Each(t, "scorers/squad/*/dev-v1.1.json", func(t *testing.T, path string) {
		var want struct {
			Examples int `json:"n_examples"`
		}
		golden.ReadJSON(t, filepath.Join(filepath.Dir(path), "expected.json"), &want)
		s, err := Open(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		questions := 0
		for _, p := range s.Paragraphs() {
			questions += len(p.Questions)
		}
		if questions != want.Examples {
			t.Errorf("%d questions, want %d", questions, want.Examples)
		}
	})
}

// file is a data set of one passage.
func file(context, qas string) string {
	return fmt.Sprintf(`{"version": "1.1", "data": [{"title": "t", "paragraphs": [{"context": %q, "qas": [%s]}]}]}`,
		context, qas)
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, FileName)
	text := file("Über Köln.",
		`{"id": "a", "question": "Wo?", "answers": [{"text": "Köln", "answer_start": 5}], "is_impossible": false}`)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []Paragraph{{"t", "Über Köln.", []Question{{"a", "Wo?", []AcceptedAnswer{{"Köln", 5}}}}}}
	for _, p := range []string{dir, path} {
		s, err := Open(p)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s.Paragraphs(), want) || len(s.Remarks()) != 0 {
			t.Errorf("%s: %+v, remarks %q", p, s.Paragraphs(), s.Remarks())
		}
	}
	if texts := want[0].Questions[0].AnswerTexts(); len(texts) != 1 || texts[0] != "Köln" {
		t.Errorf("texts %q", texts)
	}
	for _, p := range []string{t.TempDir(), filepath.Join(dir, "none.json")} {
		if _, err := Open(p); !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, ErrDataset) ||
			!strings.Contains(err.Error(), FileName) {
			t.Errorf("%s: %v", p, err)
		}
	}
}

func TestParseListsEveryFault(t *testing.T) {
	const good = `{"id": "a", "question": "q", "answers": []}`
	cases := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{"no JSON"}},
		{"truncated", file("c", good)[:80], []string{"no JSON", "truncated"}},
		{"not UTF-8", "{\"data\": \"\xff\"}", []string{"byte 10 is not UTF-8"}},
		{"a list", "[]", []string{"it is a array, want an object"}},
		{"null", "null", []string{"it is null"}},
		{"no data", `{"version": "1.1"}`, []string{`it has no "data"`}},
		{"no question", `{"data": []}`, []string{"it has no question"}},
		{
			"several", `{"data": [{}, {"paragraphs": [{"qas": []}, {"context": 7, "qas": []}, {"context": "c"}]}, 5]}`,
			[]string{`data[0]: it has no "paragraphs"`, `paragraphs[0]: it has no "context"`,
				`"context" is a number, want string`, `paragraphs[2]: it has no "qas"`, "data[2]: it is a number"},
		},
		{
			"questions",
			file("c", good+`, {"id": "a", "question": "q", "answers": []}, {}, {"id": 1}, {"id": "b", "question": "q", `+
				`"answers": [{}]}, null`),
			[]string{`qas[1]: its id is that of an earlier question: "a"`, `qas[2]: it has no "id"`,
				`qas[2]: it has no "question"`, `qas[2]: it has no "answers"`, `qas[3]: "id" is a number`,
				`it has no "answers[0].text"`, "qas[5]: it is null"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseFile([]byte(c.text), "f.json")
			var faults *FaultError
			if !errors.As(err, &faults) || !errors.Is(err, ErrDataset) {
				t.Fatalf("error %v, want one of faults", err)
			}
			for _, part := range append(c.want, "f.json") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q, want it to hold %q", err, part)
				}
			}
		})
	}
}

func TestRemarks(t *testing.T) {
	qas := `{"id": "a", "question": " ", "answers": []},
		{"id": "b", "question": "q", "answers": [{"text": "öl", "answer_start": 1}, {"text": "öl", "answer_start": 2},
			{"text": "öl"}, {"text": "x", "answer_start": 900}, {"text": "", "answer_start": 0}]}`
	s, err := ParseFile([]byte(file("löl", qas)), "")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`1 questions without text (first: question "a")`,
		`1 questions without an accepted answer, which score 0 (first: question "a")`,
		`1 accepted answers without text (first: question "b")`,
		`1 accepted answers that their passage does not have (first: question "b")`,
		`2 accepted answers that are not at their answer_start (first: question "b")`,
	}
	if !reflect.DeepEqual(s.Remarks(), want) {
		t.Errorf("got %q", s.Remarks())
	}
	if s, err = ParseFile([]byte(file("", qas)), ""); err != nil || len(s.Remarks()) != 5 ||
		!strings.Contains(s.Remarks()[0], "2 questions about an empty passage") {
		t.Errorf("%v, %v", s, err)
	}
}

// FuzzParse checks that a set that is accepted survives being written and read again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(file("The Köln of it", `{"id": "a", "question": "q", "answers": [{"text": "Köln", "answer_start": 4}]}`)))
	f.Add(
		[]byte(`{"data": [{"paragraphs": [{"context": "\ud800 <b>", "qas": [{"id": "", "question": "", "answers": []}]}]}]}`))
	f.Add([]byte(`{"data": [null, {"title": 5}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ParseFile(text, "f")
		if err != nil {
			if !errors.Is(err, ErrDataset) {
				t.Fatal(err)
			}
			return
		}
		var b bytes.Buffer
		if err := WriteFile(&b, s.Paragraphs()); err != nil {
			t.Fatal(err)
		}
		again, err := ParseFile(b.Bytes(), "f")
		if err != nil {
			t.Fatalf("%v of %s", err, b.Bytes())
		}
		if !reflect.DeepEqual(again.Paragraphs(), s.Paragraphs()) || !reflect.DeepEqual(again.Remarks(), s.Remarks()) {
			t.Fatalf("%+v, want %+v", again, s)
		}
		for _, p := range again.Paragraphs() {
			if !utf8.ValidString(p.Context) {
				t.Fatalf("context %q", p.Context)
			}
		}
	})
}

// BenchmarkParse reads a set as large as SQuAD's development set: 2,067 passages, 10,335 questions
// with three answers each.
func BenchmarkParse(b *testing.B) {
	context := strings.Repeat("The ending in Paris was seen by many people. ", 18)
	var paragraphs []Paragraph
	for i := range 2067 {
		p := Paragraph{Title: fmt.Sprint(i / 43), Context: context}
		for j := range 5 {
			answer := AcceptedAnswer{"Paris", 14}
			p.Questions = append(p.Questions, Question{fmt.Sprint(i, "-", j), "Where was the ending seen by many people?",
				[]AcceptedAnswer{answer, answer, answer}})
		}
		paragraphs = append(paragraphs, p)
	}
	var text bytes.Buffer
	if err := WriteFile(&text, paragraphs); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseFile(text.Bytes(), ""); err != nil {
			b.Fatal(err)
		}
	}
}
