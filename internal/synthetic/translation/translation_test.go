package translation

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

var update = flag.Bool("update", false, "rewrite testdata/pairs.sha256")

func sets() map[string]Set { return map[string]Set{"train": Train(), "eval": Eval()} }

// TestPairsNeverChange holds pairs against those of the embedded model's training: a change here means that the model
// must be trained again.
func TestPairsNeverChange(t *testing.T) {
	var b strings.Builder
	for _, name := range []string{"train", "eval"} {
		set := sets()[name]
		for i := 0; i < set.Len(); i += set.Len() / 20 {
			p := set.At(i)
			fmt.Fprintf(&b, "%s %d %x\n", name, i, sha256.Sum256([]byte(p.Source+"\n"+p.Target)))
		}
	}
	path := filepath.Join("testdata", "pairs.sha256")
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
		t.Errorf("the pairs are not those of %s:\n%s", path, b.String())
	}
}

func TestPairDependsOnSeedAndIndexAlone(t *testing.T) {
	small, large := Set{draw.NewSampleSet(9, 50)}, Set{draw.NewSampleSet(9, 5000)}
	if small.At(7) != large.At(7) {
		t.Error("pair 7 of 50 and of 5000 differ")
	}
	if small.At(7) == small.At(8) || small.At(7) == (Set{draw.NewSampleSet(10, 50)}).At(7) {
		t.Error("pairs of another index or seed are equal")
	}
}

func TestPairsAreSentences(t *testing.T) {
	for name, set := range sets() {
		for i := range set.Len() {
			p := set.At(i)
			for _, text := range []string{p.Source, p.Target} {
				if n := len(strings.Split(text, " ")); n < 4 || n > 50 || strings.Contains(text, "  ") {
					t.Errorf("%s %d: %q", name, i, text)
				}
			}
			if p.Source[len(p.Source)-1] != p.Target[len(p.Target)-1] {
				t.Errorf("%s %d: %+v end otherwise", name, i, p)
			}
		}
	}
}

// TestEvalIsNotTrained holds the sets apart.
func TestEvalIsNotTrained(t *testing.T) {
	trained := map[string]bool{}
	for i := range TrainCount {
		trained[Train().At(i).Source] = true
	}
	for i := range EvalCount {
		if p := Eval().At(i); trained[p.Source] {
			t.Errorf("pair %d, %q, is trained on", i, p.Source)
		}
	}
}

// TestGrammar writes clauses of a lexicon of one word each.
func TestGrammar(t *testing.T) {
	n := noun{source: "dog", target: []string{"Hund"}, gender: 0, plural: "e"}
	big := &adjective{"big", [3]string{"gross", "weit", "hoch"}}
	one := phrase{noun: &n, word: "Hund", article: definite, adjective: big}
	many := phrase{noun: &n, word: "Hund", plural: true, number: 47, article: none}
	see := &verb{"see", [2]string{"seh", "schau"}, "an"}
	c := &clause{
		subject: one, object: many, verb: see, negated: true, adverb: adverb{"now", []string{"nun"}}, adverbFirst: true,
		preposition: &preposition{"with", "bei", dative}, place: many,
	}
	w := &writer{}
	w.writeMainClause(c)
	c.adverbFirst, c.past = false, true
	w.writeSubordinate(c)
	source, target := strings.Join(w.source, " "), strings.Join(w.target, " ")
	wantSource := "now , the big dog does not see 47 dogs with 47 dogs " +
		"the big dog did not see 47 dogs with 47 dogs now"
	wantTarget := "nun schaut der grosse Hund 7und40 Hunde nicht bei 7und40 Hunden an " +
		"der grosse Hund 7und40 Hunde nun nicht bei 7und40 Hunden anschaute"
	if source != wantSource || target != wantTarget {
		t.Errorf("%q, %q", source, target)
	}
}

func BenchmarkPair(b *testing.B) {
	set := Eval()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		set.At(i % set.Len())
	}
}
