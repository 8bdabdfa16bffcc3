package questions

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/squad"
	"github.com/plumbline-ml/plumbline/internal/draw"
)

// TestAnswersAreWhereTheySay reads the sets with the checks of the published one.
func TestAnswersAreWhereTheySay(t *testing.T) {
	for name, set := range map[string]Set{"eval": Eval(), "calibration": Calibration(),
		"train": {draw.NewSampleSet(Train().Seed, 300)}} {
		var b strings.Builder
		if err := squad.WriteFile(&b, set.Paragraphs(0, set.Len())); err != nil {
			t.Fatal(err)
		}
		s, err := squad.ParseFile([]byte(b.String()), name)
		if err != nil {
			t.Fatal(err)
		}
		questions := 0
		for _, p := range s.Paragraphs() {
			questions += len(p.Questions)
		}
		if len(s.Remarks()) != 0 || questions != PerPassage*set.Len() {
			t.Errorf("%s: %d questions, remarks %q", name, questions, s.Remarks())
		}
	}
}

// TestSetsStayTheSame holds the sets to what the embedded model was trained, quantised and measured on.
func TestSetsStayTheSame(t *testing.T) {
	cases := []struct {
		set  Set
		want string
	}{
		{Eval(), "879b314a4bc4d89e8547674ca579e9d8bc6054b4ddb2589d26a881c508a7c0ed"},
		{Calibration(), "6a98a770d2da9daf3110b7485c703664ef0533e2029b311d9ef97c0bae47bc99"},
		{Set{draw.NewSampleSet(Train().Seed, 500)}, "a087b498c4d94690e87f67535c87ef205465b0ced6ed398adc0ba49c9d3e59f6"},
	}
	for _, c := range cases {
		h := sha256.New()
		for i := range c.set.Len() {
			_, _ = fmt.Fprintf(h, "%+v\n", c.set.Paragraph(i))
		}
		if got := hex.EncodeToString(h.Sum(nil)); got != c.want {
			t.Errorf("%d passages of seed %x: sha256 %s, want %s: a change here needs a new training", c.set.Len(),
				c.set.Seed, got, c.want)
		}
	}
}

// TestQuestionsHaveOneAnswer finds no two questions of a passage that read the same and differ in their answers.
func TestQuestionsHaveOneAnswer(t *testing.T) {
	set := Set{draw.NewSampleSet(Train().Seed, 2000)}
	for i := range set.Len() {
		p := set.Paragraph(i)
		answers := map[string]string{}
		for _, q := range p.Questions {
			if was, ok := answers[q.Text]; ok && was != q.Answers[0].Text {
				t.Errorf("passage %d: %q has the answers %q and %q in %q", i, q.Text, was, q.Answers[0].Text, p.Context)
			}
			answers[q.Text] = q.Answers[0].Text
		}
	}
}

func TestSentences(t *testing.T) {
	long := 0
	set := Eval()
	for i := range set.Len() {
		p := set.Paragraph(i)
		if strings.Contains(p.Context, "$") || strings.Contains(p.Context, "  ") || !strings.HasSuffix(p.Context, ".") {
			t.Errorf("passage %d: %q", i, p.Context)
		}
		for _, q := range p.Questions {
			if strings.Contains(q.Text, "$") || !strings.HasSuffix(q.Text, "?") {
				t.Errorf("question %s: %q", q.ID, q.Text)
			}
		}
		if len(strings.Fields(p.Context)) > 250 {
			long++
		}
	}
	if long < set.Len()/50 || long > set.Len()/15 {
		t.Errorf("%d of %d passages are long, want about %d %%", long, set.Len(), longPercent)
	}
}

// TestSetsAreApart compares the passages of the evaluation with those of the training.
func TestSetsAreApart(t *testing.T) {
	eval := map[string]bool{}
	for _, p := range Eval().Paragraphs(0, EvalCount) {
		eval[p.Context] = true
	}
	if len(eval) != EvalCount {
		t.Errorf("%d different passages of %d", len(eval), EvalCount)
	}
	for _, set := range []Set{Calibration(), {draw.NewSampleSet(Train().Seed, 2000)}} {
		for i := range set.Len() {
			if eval[set.Paragraph(i).Context] {
				t.Errorf("passage %d of seed %x is evaluated on", i, set.Seed)
			}
		}
	}
}

func BenchmarkParagraph(b *testing.B) {
	set := Train()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		set.Paragraph(i % set.Len())
	}
}
