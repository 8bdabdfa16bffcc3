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
	newsData        datasetKind = iota // articles and summaries of CNN/DailyMail
	orcaData                           // questions of OpenOrca
	longContextData                    // long-context tasks
	mixedData                          // OpenOrca, GSM8K and MBXP
)

func modelDataset(model string) (datasetKind, prompts.PromptFormat) {
	switch {
	case strings.HasPrefix(model, "llama2"):
		return orcaData, prompts.OpenOrca()
	case strings.HasPrefix(model, "llama3.1-405b"):
		return longContextData, prompts.LongContext()
	case strings.HasPrefix(model, "mixtral"):
		return mixedData, prompts.Mixture()
	case strings.HasSuffix(model, "-edge"):
		return newsData, prompts.CNNDailyMailEdge()
	}
	return newsData, prompts.CNNDailyMail()
}

// textSet is a data set. Synthetic texts are scored by ROUGE for every model.
type textSet struct {
	kind  datasetKind
	items []prompts.PromptSample
}

// openTexts opens the samples of a request: the model's data set, or the synthetic one.
func openTexts(r *manifest.Request) textSet {
	if r.Dataset == "" {
		return generateArticles(r.SampleCount(articles.EvalCount, "samples"))
	}
	k, format := modelDataset(r.Model.Name)
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

// summaryInstruction is the instruction for synthetic articles, used by templates with {instruction}.
const summaryInstruction = "Summarize the following news article:"

// generateArticles generates the first count samples of the synthetic data set.
func generateArticles(count int) textSet {
	set := articles.Eval()
	all := textSet{kind: newsData, items: make([]prompts.PromptSample, count)}
	for i := range all.items {
		a := set.At(i)
		all.items[i] = prompts.PromptSample{Instruction: summaryInstruction, Input: a.Text, Output: a.Summary}
	}
	return all
}
