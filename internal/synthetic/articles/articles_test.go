package articles

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

var update = flag.Bool("update", false, "rewrite testdata/articles.sha256")

func sets() map[string]Set {
	return map[string]Set{"train": Train(), "calibration": Calibration(), "eval": Eval()}
}

// TestArticlesNeverChange holds the text of articles against that of the embedded model's training: a change here means
// that the model must be trained again.
func TestArticlesNeverChange(t *testing.T) {
	var b strings.Builder
	for _, name := range []string{"train", "calibration", "eval"} {
		set := sets()[name]
		for i := 0; i < set.Len(); i += set.Len() / 20 {
			a := set.At(i)
			fmt.Fprintf(&b, "%s %d %x\n", name, i, sha256.Sum256([]byte(a.Text+"\n"+a.Summary)))
		}
	}
	path := filepath.Join("testdata", "articles.sha256")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wantLines := strings.Split(string(want), "\n")
	for i, line := range strings.Split(b.String(), "\n") {
		if i >= len(wantLines) || line != wantLines[i] {
			t.Errorf("article %q is not that of %s line %d", line, path, i+1)
		}
	}
}

func TestArticleDependsOnSeedAndIndexAlone(t *testing.T) {
	small, large := Set{draw.NewSampleSet(9, 50)}, Set{draw.NewSampleSet(9, 5000)}
	if small.At(7) != large.At(7) {
		t.Error("article 7 of 50 and of 5000 differ")
	}
	if small.At(7) == small.At(8) || small.At(7) == (Set{draw.NewSampleSet(10, 50)}).At(7) {
		t.Error("articles of another index or seed are equal")
	}
}

func TestArticlesAreFilledIn(t *testing.T) {
	for name, set := range sets() {
		for i := range 200 {
			a := set.At(i)
			if strings.ContainsAny(a.Text+a.Summary, "{}\n") || strings.Contains(a.Text+a.Summary, "  ") ||
				!utf8.ValidString(a.Text) {
				t.Errorf("%s %d: %q, %q", name, i, a.Text, a.Summary)
			}
			if n := len(strings.Fields(a.Text)); n < 35 || n > 130 {
				t.Errorf("%s %d has %d words", name, i, n)
			}
		}
	}
}

// words returns those of a text, without signs.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" .,“”", r) })
}

// TestFactsAreInTheArticle holds every value of each story's blanks to be told in its facts, and none of them in the
// sentences about other things.
func TestFactsAreInTheArticle(t *testing.T) {
	for i, s := range stories() {
		for _, blank := range blanksOf(s.summary) {
			name := blank
			if name == "last" {
				name = "who"
			}
			told := slices.ContainsFunc(s.facts, func(wordings []string) bool { return allHave(wordings, name) })
			if !told {
				t.Errorf("story %d: {%s} of the summary is not in each wording of a fact", i, name)
			}
		}
	}
	for _, sentence := range slices.Concat(leads(), asides()) {
		for _, blank := range blanksOf(sentence) {
			if !slices.Contains([]string{"other", "town", "when", "k", "j"}, blank) {
				t.Errorf("%q tells {%s}, which is a fact", sentence, blank)
			}
		}
	}
}

func allHave(wordings []string, blank string) bool {
	return !slices.ContainsFunc(wordings, func(w string) bool { return !strings.Contains(w, "{"+blank+"}") })
}

func blanksOf(text string) []string {
	var names []string
	for _, part := range strings.Split(text, "{")[1:] {
		name, _, _ := strings.Cut(part, "}")
		names = append(names, name)
	}
	return names
}

// TestValuesDiffer holds the event's names, places, days and numbers to differ from those of other sentences.
func TestValuesDiffer(t *testing.T) {
	for i := range 500 {
		b := drawBlanks([]string{"thing"}, random(uint64(i)))
		for _, pair := range [][2]string{{"who", "other"}, {"where", "town"}, {"day", "when"}, {"n", "m"}, {"n", "k"},
			{"m", "j"}, {"k", "j"}} {
			if b[pair[0]] == b[pair[1]] || b[pair[0]] == "" {
				t.Errorf("draw %d: %s and %s are %q and %q", i, pair[0], pair[1], b[pair[0]], b[pair[1]])
			}
		}
		if !strings.HasSuffix(b["who"], " "+b["last"]) {
			t.Errorf("draw %d: %q is not the last name of %q", i, b["last"], b["who"])
		}
	}
}

func TestAllStoriesAndLeadsOccur(t *testing.T) {
	starts := map[string]int{}
	for i := range 2000 {
		a := Train().At(i)
		starts[words(a.Text)[0]]++
	}
	if len(starts) != len(leads()) {
		t.Errorf("first words %v, want %d leads", starts, len(leads()))
	}
	for word, n := range starts {
		if n < 150 {
			t.Errorf("%q starts %d of 2000 articles", word, n)
		}
	}
}

func BenchmarkArticle(b *testing.B) {
	set := Eval()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		set.At(i % set.Len())
	}
}
