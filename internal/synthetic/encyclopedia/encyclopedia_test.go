package encyclopedia

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/worlds.sha256")

// TestWorldsNeverChange holds worlds against those of the embedded models' training: a change here means that the
// models must be trained again.
func TestWorldsNeverChange(t *testing.T) {
	var b strings.Builder
	for _, s := range []struct {
		name string
		set  Set
	}{{"train", Train()}, {"calibration", Calibration()}, {"unseen", Unseen()}, {"eval", Evaluation()}} {
		files, err := s.set.World(s.set.Len() - 1).Files()
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		for _, f := range files {
			fmt.Fprintf(h, "%s\x00%s\x00", f.Name, f.Content)
		}
		fmt.Fprintf(h, "%q", s.set.World(0).Lookups())
		fmt.Fprintf(&b, "%s %d %x\n", s.name, len(files), h.Sum(nil))
	}
	path := filepath.Join("testdata", "worlds.sha256")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the worlds are not those of %s:\n%s", path, b.String())
	}
}

// TestTextsSayWhatIsTrue reads the facts of every page back from its text.
func TestTextsSayWhatIsTrue(t *testing.T) {
	for _, w := range []*World{Eval(), Train().World(3)} {
		texts := map[string]string{}
		for _, p := range w.Pages() {
			texts[p.Title] = p.Text
		}
		for _, e := range w.entities {
			var want []Fact
			for _, f := range e.facts {
				want = append(want, Fact{e.name, f.relation.phrase, f.value})
			}
			got := Facts(texts[e.name])
			for _, f := range got {
				if !slices.Contains(want, f) {
					t.Errorf("%s: read %+v, which is not so, of\n%s", e.name, f, texts[e.name])
				}
			}
			for _, f := range want {
				if !slices.Contains(got, f) {
					t.Errorf("%s: did not read %+v of\n%s", e.name, f, texts[e.name])
				}
			}
		}
	}
}

// TestQuestionsNeedTwoPages: the page that a question names leads to the other, and neither is enough.
func TestQuestionsNeedTwoPages(t *testing.T) {
	for _, w := range []*World{Eval(), Train().World(7), Unseen().World(2)} {
		pages := map[string]Page{}
		for _, p := range w.Pages() {
			pages[p.URL] = p
		}
		questions := w.Questions()
		if len(questions) != QuestionCount {
			t.Errorf("%d questions, want %d", len(questions), QuestionCount)
		}
		described := 0
		for _, q := range questions {
			first, second := pages[q.URLs[0]], pages[q.URLs[1]]
			name, steps, ok := Understand(q.Prompt)
			if told := Described(name); told != nil {
				described++
				for _, f := range told {
					if f.Subject = first.Title; !slices.Contains(Facts(first.Text), f) {
						t.Errorf("%q: %+v is not on the page of %s", q.Prompt, f, first.Title)
					}
				}
				if name = first.Title; len(told) != 2 || strings.Contains(q.Prompt, first.Title) {
					t.Errorf("%q describes %s by %+v", q.Prompt, first.Title, told)
				}
			}
			if !ok || name != first.Title {
				t.Errorf("%q is about %q (%v), want %q", q.Prompt, name, ok, first.Title)
				continue
			}
			if !slices.Contains(Facts(first.Text), Fact{name, steps[0], second.Title}) ||
				!slices.Contains(Facts(second.Text), Fact{second.Title, steps[1], q.Answer}) {
				t.Errorf("%q (%s, %s): the pages do not lead to %q:\n%s\n%s", q.Prompt, steps[0], steps[1], q.Answer,
					first.Text, second.Text)
			}
			if strings.Contains(second.Text, first.Title) {
				t.Errorf("%q: the page of %s names %s", q.Prompt, second.Title, first.Title)
			}
			if slices.Contains(Facts(first.Text), Fact{second.Title, steps[1], q.Answer}) {
				t.Errorf("%q: the first page has the answer", q.Prompt)
			}
		}
		if described < QuestionCount/5 || described > QuestionCount/4 {
			t.Errorf("%d questions describe their page", described)
		}
	}
}

func TestUnderstandOnlyWhatIsAsked(t *testing.T) {
	for _, q := range []string{"", "Why?", "Who was the mother of Bram Ostman?", "Who was the mother of the mayor?"} {
		if name, steps, ok := Understand(q); ok {
			t.Errorf("%q is understood as %q, %q", q, name, steps)
		}
	}
	if facts := Facts("The mother of nobody is not told here. Aldburg"); facts != nil {
		t.Errorf("facts %+v of a text that has none", facts)
	}
}

// TestPages: pages have 3 to 15 sentences, one in ten more; what is around an article is not in its text.
func TestPages(t *testing.T) {
	var longer int
	w := Eval()
	pages := w.Pages()
	byName := func(a, b Page) int { return strings.Compare(a.Name, b.Name) }
	if len(pages) != PageCount || !slices.IsSortedFunc(pages, byName) {
		t.Errorf("%d pages, or not in order", len(pages))
	}
	for _, p := range pages {
		n := strings.Count(p.Text, ".")
		if n > 15 {
			longer++
			n = 15
		}
		if n < 3 || !strings.HasPrefix(strings.TrimPrefix(p.Text, "The "), p.Title) {
			t.Errorf("%s has %d sentences: %s", p.Title, n, p.Text)
		}
		for _, around := range []string{"made up", "other meaning", "Pages like", "[", "edit"} {
			if strings.Contains(p.Text, around) {
				t.Errorf("%s has %q in its text: %s", p.Title, around, p.Text)
			}
		}
		if strings.Count(string(p.HTML), "<p>") != strings.Count(string(p.HTML), "</p>") ||
			strings.Count(string(p.HTML), "<a ") < 8 {
			t.Errorf("%s: %s", p.Title, p.HTML)
		}
	}
	if longer < PageCount/20 || longer > PageCount/5 {
		t.Errorf("%d of %d pages are long", longer, PageCount)
	}
}

// TestWorldsShareNoPages: no page of the evaluation has the text of one that is trained on.
func TestWorldsShareNoPages(t *testing.T) {
	trained := map[string]bool{}
	for i := range Train().Len() {
		for _, p := range Train().World(i).Pages() {
			trained[p.Text] = true
		}
	}
	for _, p := range Eval().Pages() {
		if trained[p.Text] {
			t.Errorf("%s was trained on", p.Title)
		}
	}
}

func TestEveryPageIsLookedFor(t *testing.T) {
	looked := map[string]int{}
	for _, l := range Eval().Lookups() {
		looked[l.Title]++
		if strings.Contains(l.Text, "$") || l.Text == "" {
			t.Errorf("%+v", l)
		}
	}
	for _, p := range Eval().Pages() {
		if looked[p.Title] < 3 {
			t.Errorf("%d texts look for %s", looked[p.Title], p.Title)
		}
	}
}
