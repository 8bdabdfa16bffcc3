package bert

import (
	"fmt"
	"strings"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/squad"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// exhibits are the questions whose answers are least like those that are accepted. A question may have several
// features, so that only the whole log has its answer.
func (s *scorer) exhibits(r accuracy.Result) []sdk.Exhibit {
	examples := s.set.examples
	f1 := func(i int) float64 {
		_, f := accuracy.Compare(r.Predictions[examples[i].ID], examples[i].Answers)
		return f
	}
	var all []sdk.Exhibit
	for _, i := range exhibit.Worst(len(examples), s.mostExhibits, func(i int) float64 { return 1 - f1(i) }) {
		e := examples[i]
		all = append(all, sdk.Exhibit{
			Caption: fmt.Sprintf("question %s: F1 %.0f %%", e.ID, 100*f1(i)),
			Text: exhibit.Texts("PASSAGE", passage(e), "QUESTION", s.set.asked[i],
				"ACCEPTED", strings.Join(e.Answers, "\n"), "ANSWER", r.Predictions[e.ID]),
		})
	}
	return all
}

// passage is what a question is about; empty where it has no token.
func passage(e accuracy.Example) string {
	if len(e.Features) == 0 {
		return ""
	}
	return strings.Join(e.Features[0].Passage().Words(), " ")
}
