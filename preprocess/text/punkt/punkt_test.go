package punkt

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// parameters are those of the golden cases, made for the purpose.
const parameters = "testdata/golden/scorers/rouge_strings/a/punkt_tab_english"

func open(t testing.TB, dir string) *Splitter {
	t.Helper()
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	p, err := Parse(ParameterFiles{
		Abbreviations: read("abbrev_types.txt"), Collocations: read("collocations.tab"),
		Starters: read("sent_starters.txt"), Orthography: read("ortho_context.tab"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return NewSplitter(p)
}

// TestNLTK compares with what nltk gave for random texts: testdata/make_cases.py. PUNKT_CASES names a
// larger file of the kind.
func TestNLTK(t *testing.T) {
	path := os.Getenv("PUNKT_CASES")
	if path == "" {
		path = filepath.Join("testdata", "cases.json")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Text      string
		Sentences []string
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	s := open(t, parameters)
	wrong := 0
	for _, c := range cases {
		if got := s.Split(c.Text); !slices.Equal(got, c.Sentences) {
			if wrong++; wrong < 10 {
				t.Errorf("%q:\n got %q\nwant %q", c.Text, got, c.Sentences)
			}
		}
	}
	if wrong > 0 || len(cases) == 0 {
		t.Errorf("%d of %d wrong", wrong, len(cases))
	}
}

// TestGoldenSentences splits the texts of the ROUGE cases.
func TestGoldenSentences(t *testing.T) {
	golden.Each(t, "scorers/rouge_strings/*/expected.json", func(t *testing.T, path string) {
		var file struct {
			Rows []struct {
				RefRaw  string `json:"ref_raw"`
				PredRaw string `json:"pred_raw"`
				Ref     string
				Pred    string
			}
		}
		golden.ReadJSON(t, path, &file)
		if len(file.Rows) == 0 {
			t.Fatal("no rows")
		}
		s := open(t, filepath.Join(filepath.Dir(path), "punkt_tab_english"))
		for i, r := range file.Rows {
			for _, pair := range [][2]string{{r.RefRaw, r.Ref}, {r.PredRaw, r.Pred}} {
				if got := strings.Join(s.Split(pystr.Trim(pair[0])), "\n"); got != pair[1] {
					t.Errorf("row %d: %q: %q, want %q", i, pair[0], got, pair[1])
				}
			}
		}
	})
}

func TestEnglish(t *testing.T) {
	got := NewSplitter(English()).Split(
		`Dr. Jones paid 3.5 million. "It was the U.S. who asked," he said (on Jan. 5). Was it? Yes.`)
	want := []string{"Dr. Jones paid 3.5 million.", `"It was the U.S. who asked," he said (on Jan. 5).`, "Was it?", "Yes."}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParseFaults(t *testing.T) {
	_, err := Parse(ParameterFiles{
		Collocations: []byte("a\tb\nc\n"),
		Orthography:  []byte("x\t14\ny\t3\nz\tmany\nv\t1\t2\n"),
	})
	if !errors.Is(err, ErrFile) {
		t.Fatal(err)
	}
	for _, part := range []string{"collocations.tab line 2", "ortho_context.tab line 2: \"3\"",
		"line 3: \"many\"", "line 4"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

// indexCharacters is strings.Index that finds whole characters: a bad byte may stand within one, too.
func indexCharacters(text, part string) int {
	starts := map[int]bool{len(text): true}
	for i := range text {
		starts[i] = true
	}
	for i := range text {
		if starts[i+len(part)] && strings.HasPrefix(text[i:], part) {
			return i
		}
	}
	return -1
}

// FuzzSplit checks that sentences are parts of the text, in order, with nothing but white space between them.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"", " ", ".", "A. B. C.", "He said (so.) Then... no?!\n\"Yes.\" -- U.S. 5. x",
		"a.\xff b", ". . . --\u00a0.", "?\u2000\x80", "!\u00a0\xc2"} {
		f.Add(seed)
	}
	s := open(f, parameters)
	f.Fuzz(func(t *testing.T, text string) {
		rest := text
		for _, sentence := range s.Split(text) {
			at := indexCharacters(rest, sentence)
			if at < 0 || pystr.Trim(rest[:at]) != "" || sentence == "" {
				t.Fatalf("%q: %q in %q", text, sentence, rest)
			}
			rest = rest[at+len(sentence):]
		}
		if pystr.Trim(rest) != "" {
			t.Fatalf("%q: %q is lost", text, rest)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("a.b\nc"), []byte("a\tb\n"), []byte("the"), []byte("the\t46\n"))
	f.Fuzz(func(t *testing.T, abbreviations, collocations, starters, orthography []byte) {
		p, err := Parse(ParameterFiles{abbreviations, collocations, starters, orthography})
		if err != nil && !errors.Is(err, ErrFile) {
			t.Fatal(err)
		}
		NewSplitter(p).Split("The end. Of it.")
	})
}

func BenchmarkSplit(b *testing.B) {
	s := open(b, parameters)
	text := strings.Repeat("Dr. Jones of the U.S. paid 3.5 percent near the royal company. He said so. ", 5)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s.Split(text)
	}
}
