package llm

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/datasets/prompts"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// textGallery shows texts whose words differ most from those of the reference.
type textGallery struct {
	samples   []prompts.PromptSample
	dtype     accuracy.DType
	tokenizer textTokenizer // nil: payloads are texts
}

func (g textGallery) answerText(e mllog.AccuracyEntry) (string, error) {
	if g.tokenizer == nil {
		return string(e.Data), nil
	}
	ids, err := generation.AppendIDs(nil, g.dtype, e.Data)
	if err != nil {
		return "", err
	}
	return g.tokenizer.Decode(ids)
}

func (g textGallery) rateAnswer(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
	item := g.samples[e.QSLIndex]
	answer, err := g.answerText(e)
	if err != nil {
		return 0, nil
	}
	badness = exhibit.TextDistance(item.Output, answer)
	return badness, func() (sdk.Exhibit, error) {
		return sdk.Exhibit{
			Caption: fmt.Sprintf("sample %d: %.0f %% of the words are alike", e.QSLIndex, 100*(1-badness)),
			Text:    exhibit.Paragraphs("INPUT", item.Input, "REFERENCE", item.Output, "ANSWER", answer),
		}, nil
	}
}
