package frames

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestQuestions(t *testing.T) {
	const text = "\ufeff\tPrompt\tAnswer\twikipedia_link_1\twikipedia_link_11+\tx\r\n" +
		"0\t\"Q \"\"a\"\"\tb\r\nc?\" d\tAnn \"B\"\tu1\tu2\t\r\n\r\n1\tP?\tNA\t\tNone\ty\r"
	all, err := ParseQuestions("t", []byte(text))
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	if q := all[0]; q.Prompt != "Q \"a\"\tb\r\nc? d" || q.Answer != `Ann "B"` ||
		!slices.Equal(q.Links, []string{"u1", "u2"}) {
		t.Errorf("%+v", q)
	}
	if q := all[1]; q.Row != 1 || q.Prompt != "P?" || q.Answer != "nan" || q.Links != nil {
		t.Errorf("%+v", q)
	}
}

// TestNumbers: the wanted texts are those that pandas 3.1 gave.
func TestNumbers(t *testing.T) {
	for answers, want := range map[string]string{
		"1998,012": "1998,12", "1998,": "1998.0,nan", "1.50,2": "1.5,2.0", "1,x": "1,x", "NA,": "nan,nan",
	} {
		text := "Prompt\tAnswer\n"
		for a := range strings.SplitSeq(answers, ",") {
			text += "Q\t" + a + "\n"
		}
		all, err := ParseQuestions("t", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := all[0].Answer + "," + all[1].Answer; got != want {
			t.Errorf("%s: %s, want %s", answers, got, want)
		}
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string][]string{
		"":                             {"it is empty"},
		"a\tb\n1\t2\n":                 {"no column Prompt", "no column Answer"},
		"Prompt\tAnswer\n":             {"no row"},
		"Prompt\tAnswer\na\n\na\tb\tc": {"line 2: 1 fields, want the 2", "line 4: 3 fields"},
		"Prompt\tAnswer\nNA\tb\n":      {"line 2: no Prompt"},
		"Prompt\tAnswer\n\"a\tb\n":     {"line 2: a double quote is opened"},
		"\xff":                         {"not UTF-8"},
	} {
		_, err := ParseQuestions("t.tsv", []byte(text))
		if !errors.Is(err, ErrDataset) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v, want %q", text, err, part)
			}
		}
	}
	if _, err := OpenQuestions(t.TempDir()); !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), QuestionsFile) {
		t.Error(err)
	}
}

func TestPages(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"b.html": "b", "Z.html": "z", "a.b.html": "a", "c.htm": "", "d.HTML": "", "e.txt": "",
		MappingFile: `{"a.b": "https://x/AB", "b.html": "no"}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "f.html"), 0o700); err != nil {
		t.Fatal(err)
	}
	p, err := OpenPages(dir)
	if err != nil || !slices.Equal(p.names, []string{"Z.html", "a.b.html", "b.html"}) || p.Unmapped() != 2 ||
		!slices.Equal(p.Skipped, []string{"c.htm", "d.HTML"}) {
		t.Fatalf("%+v, %v", p, err)
	}
	page, err := p.Page(1)
	if err != nil || page.Name != "a.b.html" || page.URL != "https://x/AB" || string(page.HTML) != "a" {
		t.Errorf("%+v, %v", page, err)
	}
	if err := os.Remove(filepath.Join(dir, "b.html")); err != nil {
		t.Fatal(err)
	}
	if page, err := p.Page(2); !errors.Is(err, ErrDataset) || page.Name != "b.html" {
		t.Errorf("%+v, %v", page, err)
	}
	if err := os.WriteFile(filepath.Join(dir, MappingFile), []byte("[]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenPages(dir); !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), MappingFile) {
		t.Error(err)
	}
	if _, err := OpenPages(t.TempDir()); !errors.Is(err, ErrDataset) {
		t.Error(err)
	}
}

func FuzzParseQuestions(f *testing.F) {
	f.Add([]byte("Prompt\tAnswer\twikipedia_link_1\n\"a\"\"\tb\"\t5\tu\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := ParseQuestions("t", text)
		if err == nil == (len(all) == 0) {
			t.Fatal(len(all), err)
		}
	})
}
