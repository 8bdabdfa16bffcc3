package gnmt

import (
	"github.com/plumbline-ml/plumbline/plugins/gnmt/internal/subword"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// modelForm is a family of models. It converts sentences to token IDs and answers to text, and defines the search.
type modelForm interface {
	// encode returns the token IDs of a sentence. If there are none, the translation is empty.
	encode(sentence string) ([]int32, error)
	makePrompt(ids []int32) backend.Prompt
	// generatorOptions returns the search's options without its memory limits.
	generatorOptions() generate.GeneratorOptions
	decode(ids []int32) (string, error)
	// vocabularySize returns the number of tokens in the target vocabulary.
	vocabularySize() int
	// addInfo adds notes about the form to the result.
	addInfo(info *sdk.WorkloadInfo)
}

// openForm reads the model's vocabularies. If Marian's files are in the folder of the model or in the folder that the
// user names, it returns Marian's form, otherwise GNMT's.
func openForm(r *manifest.Request, s searchSettings) (modelForm, error) {
	if dir := marianFolder(r, s.Vocabulary); dir != "" {
		return openMarian(r, s, dir)
	}
	if s.PlainText {
		r.AddFault(sdk.Usage(errPlainNeedsMarian))
	}
	v, err := openVocabularies(r, s.Vocabulary)
	return &referenceForm{v, s}, err
}

// referenceForm is GNMT in the reference's form. Sentences consist of word pieces separated by spaces.
type referenceForm struct {
	vocabulary vocabularyPair
	settings   searchSettings
}

func (f *referenceForm) encode(sentence string) ([]int32, error) {
	return f.vocabulary.source.IDs(sentence), nil
}
func (f *referenceForm) decode(ids []int32) (string, error) {
	return f.vocabulary.target.Text(ids), nil
}
func (f *referenceForm) vocabularySize() int       { return f.vocabulary.target.Len() }
func (f *referenceForm) addInfo(*sdk.WorkloadInfo) {}

// makePrompt limits the steps to twice the number of source tokens.
func (f *referenceForm) makePrompt(ids []int32) backend.Prompt {
	return backend.Prompt{
		Tokens: ids, MaxNewTokens: 2 * len(ids), EOS: []int32{subword.End}, PadToken: subword.End,
		Beams: f.settings.Beams, LengthPenalty: f.settings.Penalty,
	}
}

func (f *referenceForm) generatorOptions() generate.GeneratorOptions {
	return generate.GeneratorOptions{Start: []int32{subword.Start}, Beams: f.settings.StepRule}
}
