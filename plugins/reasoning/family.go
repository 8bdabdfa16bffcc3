package reasoning

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/reasoning"
	"github.com/plumbline-ml/plumbline/datasets/prompts"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/preprocess/text/bpe"
	"github.com/plumbline-ml/plumbline/sdk"
)

// modelFamily is which of the two models a benchmark is of, with its rules.
type modelFamily uint8

const (
	deepSeek modelFamily = iota
	gptOSS
)

func familyOf(model string) modelFamily {
	if strings.HasPrefix(model, "gpt-oss") {
		return gptOSS
	}
	return deepSeek
}

// officialScript is the official script that scores the family.
func (f modelFamily) officialScript() reasoning.Script {
	if f == gptOSS {
		return reasoning.GPTOSS120B
	}
	return reasoning.DeepSeekR1
}

// datasetFormat returns the layout of the data set of the family that a use needs.
func (f modelFamily) datasetFormat(use string) prompts.PromptFormat {
	switch {
	case f == deepSeek:
		return prompts.DeepSeekR1()
	case use == sdk.UseAccuracy:
		return prompts.GPTOSSAccuracy()
	case use == complianceTest:
		return prompts.GPTOSSCompliance()
	}
	return prompts.GPTOSS()
}

// complianceTest is the test that has a data set of its own.
const complianceTest = "TEST07"

// markers are the special tokens of harmony without which an answer has no final section.
var markers = []string{"<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|return|>"}

// checkTokenizer wants harmony's markers to be tokens, where the family's answers are in that form.
func (f modelFamily) checkTokenizer(t language.TextTokenizer) error {
	if f != gptOSS {
		return nil
	}
	missing := lists.Filter(markers, func(marker string) bool { return len(t.EncodePlain(nil, marker)) != 1 })
	if len(missing) == 0 {
		return nil
	}
	return sdk.Data(fmt.Errorf("parameter tokenizer: it has no tokens for harmony's %s, so that all answers would be "+
		"graded as plain text: give the tokenizer of gpt-oss", strings.Join(missing, ", ")))
}

// payloadDecoder returns the function that makes payloads text: DeepSeek-R1's without special tokens, gpt-oss' with
// harmony's. Ids that the tokenizer does not have vanish.
func (f modelFamily) payloadDecoder(t language.TextTokenizer) (func(ids []int32) (string, error), error) {
	if err := f.checkTokenizer(t); err != nil {
		return nil, err
	}
	own, ok := t.(*bpe.Tokenizer)
	if !ok {
		return nil, sdk.Data(errors.New("parameter tokenizer: answers are decoded as byte-level BPE: give the model's " +
			"tokenizer.json"))
	}
	decode := own.Decode
	if f == gptOSS {
		decode = own.DecodeAll
	}
	return func(ids []int32) (string, error) {
		return decode(slices.DeleteFunc(slices.Clone(ids), func(id int32) bool { return !own.Has(id) }))
	}, nil
}
