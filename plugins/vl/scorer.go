package vl

import (
	accuracy "github.com/plumbline-ml/plumbline/accuracy/products"
	"github.com/plumbline-ml/plumbline/datasets/products"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// Names of the metrics.
const (
	categoryF1Metric   = "category_f1"
	brandMetric        = "brand"
	secondHandF1Metric = "second_hand_f1"
)

// productScorer reports the results of the official programs, and those of a trivial model for comparison.
type productScorer struct {
	*accuracy.AnswerScorer
	form          requestForm
	trivialResult accuracy.AnswerResult
}

func newProductScorer(truths []products.ProductTruth, f requestForm) *productScorer {
	all := make([]accuracy.Product, len(truths))
	for i, t := range truths {
		all[i] = accuracy.Product{Category: t.Category, Brand: t.Brand, SecondHand: t.SecondHand, Offered: t.Offered}
	}
	return &productScorer{accuracy.New(all, f.scoringForm()), f, scoreTrivialModel(truths, all, f)}
}

// scoreTrivialModel scores a trivial model that ignores its input. It answers with the first offered category, no
// brand, and not second-hand.
func scoreTrivialModel(truths []products.ProductTruth, all []accuracy.Product, f requestForm) accuracy.AnswerResult {
	s := accuracy.New(all, f.scoringForm())
	for i, t := range truths {
		first := ""
		if len(t.Offered) > 0 {
			first = t.Offered[0]
		}
		text, err := answerJSON(first, "", false)
		if err == nil {
			err = s.Add(i, []byte(text))
		}
		if err != nil {
			return accuracy.AnswerResult{}
		}
	}
	r, err := s.Result()
	if err != nil {
		return accuracy.AnswerResult{}
	}
	return r
}

// Add scores an answer. If a product has several answers, all of them count, as in the official programs.
func (s *productScorer) Add(sample uint64, answer []byte) error {
	return s.AnswerScorer.Add(int(int64(sample)), answer)
}

func (s *productScorer) scoreProducts(r accuracy.AnswerResult, c scoring.Counts) (sdk.Score, error) {
	score := sdk.Score{
		OfficialText: r.Text(),
		Metrics: []sdk.Metric{
			{Name: categoryF1Metric, Value: r.CategoryF1}, {Name: brandMetric, Unit: "%", Value: 100 * r.Brand},
			{Name: secondHandF1Metric, Value: r.SecondHandF1},
		},
	}
	var n sdk.Notes
	n.AddMissing(c.Missing(), c.All, "products", "the metrics are those")
	n.AddCount(c.Repeated(), "%d entries are of products that had one already, and count as well, as in the "+
		"official programs")
	n.AddCount(r.Unparsable,
		"%d answers are not the JSON object asked for, and count as wrong; for second_hand_f1 they are "+
			"drawn, as the official program draws them with its seed on four cores or more")
	random := s.RandomScores()
	n.Add("the official program's random answers, drawn with its seed 12345 on four cores or more, have category_f1 "+
		"%.4f, brand %.2f %% (of the brands in the order of their letters, where its own is another in each run) and "+
		"second_hand_f1 %.4f", random.CategoryF1, 100*random.Brand, random.SecondHandF1)
	n.Add("a model that looks at nothing, and answers each product's first category and no brand, has category_f1 %.4f "+
		"and brand %.2f %%", s.trivialResult.CategoryF1, 100*s.trivialResult.Brand)
	if s.form == endpointsForm {
		n.Add("the endpoints harness scores categories alone: brand and second_hand_f1 are by the program before it")
	}
	score.Notes = n
	return score, nil
}
