package llm

import (
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/prompts"
	"github.com/plumbline-ml/plumbline/internal/synthetic/articles"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// datasetKind identifies an official data set.
type datasetKind uint8

const (
	news     datasetKind = iota // articles and summaries of CNN/DailyMail
	orca                        // questions of OpenOrca
	contexts                    // long-context tasks
	mixed                       // OpenOrca, GSM8K and MBXP
)

func kindOf(model string) (datasetKind, prompts.PromptFormat) {
	switch {
	case strings.HasPrefix(model, "llama2"):
		return orca, prompts.OpenOrca()
	case strings.HasPrefix(model, "llama3.1-405b"):
		return contexts, prompts.LongContext()
	case strings.HasPrefix(model, "mixtral"):
		return mixed, prompts.Mixture()
	case strings.HasSuffix(model, "-edge"):
		return news, prompts.CNNDailyMailEdge()
	}
	return news, prompts.CNNDailyMail()
}

// textSet is a data set. Synthetic texts are scored by ROUGE for every model.
type textSet struct {
	kind  datasetKind
	items []prompts.PromptSample
}

// openTexts opens the samples of a request: the model's data set, or the synthetic one.
func openTexts(r *manifest.Request) textSet {
	if r.Dataset == "" {
		return writeArticles(r.SampleCount(articles.EvalCount, "samples"))
	}
	k, format := kindOf(r.Model.Name)
	items, err := format.Open(r.Dataset, prompts.ReadOptions{
		Count: r.Count, LabelsOnly: r.Scoring, PromptsOnly: !r.Scoring && !r.Verifying,
	})
	if err != nil {
		r.AddFault(sdk.Data(err))
		return textSet{}
	}
	r.SampleCount(len(items), "samples")
	return textSet{k, items}
}

// instruction is the instruction for synthetic articles, used by templates with {instruction}.
const instruction = "Summarize the following news article:"

// writeArticles generates the first count samples of the synthetic data set.
func writeArticles(count int) textSet {
	set := articles.Eval()
	all := textSet{kind: news, items: make([]prompts.PromptSample, count)}
	for i := range all.items {
		a := set.At(i)
		all.items[i] = prompts.PromptSample{Instruction: instruction, Input: a.Text, Output: a.Summary}
	}
	return all
}
