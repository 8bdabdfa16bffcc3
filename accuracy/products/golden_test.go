package products

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// answerCase is an answer with the results of the official classes and scorers.
type answerCase struct {
	Name, Answer string
	AnswerHex    *string `json:"answer_hex"`
	Category     string  `json:"truth_category"`
	Brand        string  `json:"truth_brand"`
	SecondHand   bool    `json:"truth_is_secondhand"`
	Fields       *struct {
		Category   string
		Brand      string
		SecondHand bool `json:"is_secondhand"`
	}
	V60IPT     [3]int  `json:"v60_ipt"`
	V61IPT     [3]int  `json:"v61_ipt"`
	V60F1      float64 `json:"v60_f1"`
	V61F1      float64 `json:"v61_f1"`
	BrandMatch int     `json:"brand_match"`
}

func TestGoldenAnswers(t *testing.T) {
	golden.Each(t, "agentic/vl/answers.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[answerCase](t, path) {
			c.check(t)
		}
	})
}

func (c answerCase) check(t *testing.T) {
	t.Helper()
	text := []byte(c.Answer)
	if c.AnswerHex != nil {
		var err error
		if text, err = hex.DecodeString(*c.AnswerHex); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := Parse(string(text))
	if (err == nil) != (c.Fields != nil) || err == nil && answer != ProductAnswer(*c.Fields) {
		t.Errorf("%s: %q gives %+v, %v; want %+v", c.Name, text, answer, err, c.Fields)
	}
	truth := Product{Category: c.Category, Brand: c.Brand, SecondHand: c.SecondHand}
	for form, want := range map[RuleForm]struct {
		ipt [3]int
		f1  float64
	}{LoadGen: {c.V60IPT, c.V60F1}, Endpoints: {c.V61IPT, c.V61F1}} {
		s := New([]Product{truth}, form)
		if err := s.Add(0, text); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		if got := [3]int{s.levels.shared, s.levels.given, s.levels.wanted}; got != want.ipt ||
			s.correctBrands != c.BrandMatch {
			t.Errorf("%s: %v levels and %d brands, want %v, %d", c.Name, got, s.correctBrands, want.ipt, c.BrandMatch)
		}
		if r, err := s.Result(); err != nil || r.CategoryF1 != want.f1 {
			t.Errorf("%s: F1 %v, %v; want %v", c.Name, r.CategoryF1, err, want.f1)
		}
	}
}

// logCase is an accuracy log with the results of both official scorers.
type logCase struct {
	Name string
	Data []struct {
		Offered    []string `json:"potential_product_categories"`
		Category   *string  `json:"ground_truth_category"`
		Brand      string   `json:"ground_truth_brand"`
		SecondHand bool     `json:"ground_truth_is_secondhand"`
	}
	Log []struct {
		Index int `json:"qsl_idx"`
		Data  string
	}
	V60 struct {
		Text       string  `json:"accuracy_txt"`
		F1         float64 `json:"category_f1"`
		Brand      float64
		SecondHand float64 `json:"is_secondhand"`
		Exception  string
	}
	V61 *struct{ Score float64 }
}

func TestGoldenLogs(t *testing.T) {
	golden.Each(t, "agentic/vl/logs.jsonl", func(t *testing.T, path string) {
		for _, c := range golden.ReadLines[logCase](t, path) {
			c.check(t)
		}
	})
}

func (c logCase) check(t *testing.T) {
	t.Helper()
	var all []Product
	for _, d := range c.Data {
		p := Product{Brand: d.Brand, SecondHand: d.SecondHand, Offered: d.Offered}
		if d.Category != nil {
			p.Category = *d.Category
		}
		all = append(all, p)
	}
	got, err := c.result(New(all, LoadGen))
	if (err != nil) != (c.V60.Text == "") {
		t.Errorf("%s: %v, want %q", c.Name, err, c.V60.Exception)
		return
	}
	if err == nil {
		if got.CategoryF1 != c.V60.F1 || got.Brand != c.V60.Brand || !strings.Contains(c.V60.Text, got.Text()+"\n") {
			t.Errorf("%s: %+v, %s; want %+v", c.Name, got, got.Text(), c.V60)
		}
		if got.SecondHandF1 != c.V60.SecondHand {
			t.Errorf("%s: second-hand %v, want %v", c.Name, got.SecondHandF1, c.V60.SecondHand)
		}
	}
	if c.V61 == nil {
		return
	}
	if got, err = c.result(New(all, Endpoints)); err != nil || got.CategoryF1 != c.V61.Score {
		t.Errorf("%s: endpoints %v, %v; want %v", c.Name, got.CategoryF1, err, c.V61.Score)
	}
}

func (c logCase) result(s *AnswerScorer) (AnswerResult, error) {
	for _, e := range c.Log {
		payload, err := hex.DecodeString(strings.Join(strings.Fields(e.Data), ""))
		if err != nil {
			return AnswerResult{}, err
		}
		if err := s.Add(e.Index, payload); err != nil {
			return AnswerResult{}, err
		}
	}
	return s.Result()
}
