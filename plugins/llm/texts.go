package llm

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/longcontext"
	"github.com/plumbline-ml/plumbline/accuracy/mixture"
	"github.com/plumbline-ml/plumbline/datasets/cnndm"
	longdata "github.com/plumbline-ml/plumbline/datasets/longcontext"
	mixdata "github.com/plumbline-ml/plumbline/datasets/mixture"
	"github.com/plumbline-ml/plumbline/datasets/openorca"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/articles"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// kind is which official data set a model has.
type kind uint8

const (
	news     kind = iota // articles and summaries of CNN/DailyMail
	orca                 // questions of OpenOrca
	contexts             // tasks with long contexts
	mixed                // OpenOrca, GSM8K and MBXP
)

func kindOf(model string) kind {
	switch {
	case strings.HasPrefix(model, "llama2"):
		return orca
	case strings.HasPrefix(model, "llama3.1-405b"):
		return contexts
	case strings.HasPrefix(model, "mixtral"):
		return mixed
	}
	return news
}

// text is one sample of a data set.
type text struct {
	system      string
	instruction string
	input       string
	whole       bool    // input is the whole prompt: the template does not apply
	tokens      []int32 // of the whole prompt; nil: not tokenised
	reference   string
	metric      longcontext.Metric // of contexts
	task        mixture.Task       // of mixed
	id          string             // of mixed
}

// texts are a data set. synthetic ones are scored by ROUGE, whatever the model.
type texts struct {
	kind  kind
	items []text
}

// openTexts opens the samples of a request: the model's data set, or the synthetic one.
func openTexts(r *manifest.Request) texts {
	if r.Dataset == "" {
		return writeArticles(r.First(articles.EvalCount, "samples"))
	}
	all, err := readTexts(r.Model.Name, r.Dataset, wanted{r.Count, r.Scoring, !r.Scoring && !r.Verifying})
	if err != nil {
		r.Fault(sdk.Data(err))
		return texts{}
	}
	r.First(len(all.items), "samples")
	return all
}

// instruction is what the synthetic articles' prompts ask for, in templates that have a place for it.
const instruction = "Summarize the following news article:"

// writeArticles writes the first count samples of the synthetic data set.
func writeArticles(count int) texts {
	set := articles.Eval()
	all := texts{kind: news, items: make([]text, count)}
	for i := range all.items {
		a := set.At(i)
		all.items[i] = text{instruction: instruction, input: a.Text, reference: a.Summary}
	}
	return all
}

// wanted says what is read of a data set: the first count samples, all for 0; of them the references alone, to score,
// or references where there are some, to run.
type wanted struct {
	count                       int
	referencesOnly, promptsOnly bool
}

func readTexts(model, path string, w wanted) (texts, error) {
	switch kindOf(model) {
	case orca:
		return readOrca(path, openorca.Options{Count: w.count, LabelsOnly: w.referencesOnly, PromptsOnly: w.promptsOnly})
	case contexts:
		return readContexts(path, longdata.Options{Count: w.count, LabelsOnly: w.referencesOnly, PromptsOnly: w.promptsOnly})
	case mixed:
		return readMixture(path, mixdata.Options{Count: w.count, LabelsOnly: w.referencesOnly, PromptsOnly: w.promptsOnly})
	}
	return readNews(path, cnndm.Options{
		Count: w.count, LabelsOnly: w.referencesOnly, PromptsOnly: w.promptsOnly, Edge: strings.HasSuffix(model, "-edge"),
	})
}

func readNews(path string, o cnndm.Options) (texts, error) {
	set, err := cnndm.Open(path, o)
	if err != nil {
		return texts{}, err
	}
	all := texts{kind: news, items: make([]text, set.Len())}
	for i := range all.items {
		a := set.Article(i)
		all.items[i] = text{instruction: a.Instruction, input: a.Input, tokens: a.Tokens, reference: a.Output}
	}
	return all, nil
}

func readOrca(path string, o openorca.Options) (texts, error) {
	set, err := openorca.Open(path, o)
	if err != nil {
		return texts{}, err
	}
	all := texts{kind: orca, items: make([]text, set.Len())}
	for i := range all.items {
		q := set.Question(i)
		t := text{system: q.System, input: q.Question, tokens: q.Tokens, reference: q.Output}
		if q.Prompt != "" {
			t.input, t.whole = q.Prompt, true
		}
		all.items[i] = t
	}
	return all, nil
}

func readContexts(path string, o longdata.Options) (texts, error) {
	set, err := longdata.Open(path, o)
	if err != nil {
		return texts{}, err
	}
	all := texts{kind: contexts, items: make([]text, set.Len())}
	for i := range all.items {
		t := set.Task(i)
		all.items[i] = text{input: t.Input, whole: true, tokens: t.Tokens, reference: t.Output}
		if o.PromptsOnly {
			continue
		}
		if all.items[i].metric, err = longcontext.ParseMetric(t.Metric); err != nil {
			return texts{}, fmt.Errorf("task %d: %w", i, err)
		}
	}
	return all, nil
}

func readMixture(path string, o mixdata.Options) (texts, error) {
	set, err := mixdata.Open(path, o)
	if err != nil {
		return texts{}, err
	}
	all := texts{kind: mixed, items: make([]text, set.Len())}
	for i := range all.items {
		s := set.Sample(i)
		all.items[i] = text{input: s.Input, whole: true, tokens: s.Tokens, reference: s.Output, id: s.ID}
		if o.PromptsOnly {
			continue
		}
		if all.items[i].task, err = mixture.ParseTask(s.Source); err != nil {
			return texts{}, fmt.Errorf("sample %d: %w", i, err)
		}
	}
	return all, nil
}
