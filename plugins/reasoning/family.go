package reasoning

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy/reasoning"
	"github.com/plumbline-ml/plumbline/datasets/prompts"
	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/preprocess/text/bpe"
	"github.com/plumbline-ml/plumbline/sdk"
)

// modelFamily identifies one of the two models, whose rules differ.
type modelFamily uint8

const (
	deepSeek modelFamily = iota
	gptOSS
)

func modelFamilyOf(model string) modelFamily {
	if strings.HasPrefix(model, "gpt-oss") {
		return gptOSS
	}
	return deepSeek
}

// officialScript returns the official script that scores the family.
func (f modelFamily) officialScript() reasoning.Script {
	if f == gptOSS {
		return reasoning.GPTOSS120B
	}
	return reasoning.DeepSeekR1
}

// datasetFormat returns the layout of the family's data set for a use.
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

// complianceTest is the name of the test that has a separate data set.
const complianceTest = "TEST07"

// harmonyMarkers lists harmony's special tokens, without which an answer has no final section.
var harmonyMarkers = []string{"<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|return|>"}

// checkTokenizer requires harmony's markers to be tokens if the family's answers have that form.
func (f modelFamily) checkTokenizer(t language.TextTokenizer) error {
	if f != gptOSS {
		return nil
	}
	var missing []string
	for _, marker := range harmonyMarkers {
		if len(t.EncodePlain(nil, marker)) != 1 {
			missing = append(missing, marker)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return sdk.Data(fmt.Errorf("parameter tokenizer: it has no tokens for harmony's %s, so that all answers would be "+
		"graded as plain text: give the tokenizer of gpt-oss", strings.Join(missing, ", ")))
}

// payloadDecoder returns the function that decodes payloads to text. It omits special tokens for DeepSeek-R1, and keeps
// harmony's markers for gpt-oss. Unknown token IDs are dropped.
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
		return decode(slices.DeleteFunc(slices.Clone(ids), func(id int32) bool { return !own.HasToken(id) }))
	}, nil
}
