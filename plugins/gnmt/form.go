package gnmt

import (
	"github.com/plumbline-ml/plumbline/plugins/gnmt/internal/subword"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// modelForm is a family of models: the ids of a sentence, how they are searched, and the text of an answer.
type modelForm interface {
	// ids are those of a sentence; none: its translation is empty.
	ids(sentence string) ([]int32, error)
	prompt(ids []int32) backend.Prompt
	// options are those of the search, without its bounds.
	options() generate.GeneratorOptions
	text(ids []int32) (string, error)
	// size is how many tokens an answer can be of.
	size() int
	// inform adds what the result should say of the form.
	inform(info *sdk.WorkloadInfo)
}

// openForm reads the vocabularies of the model: Marian's, where its files lie with the model or in the folder that the
// user names, else GNMT's.
func openForm(r *manifest.Request, s searchSettings) (modelForm, error) {
	if dir := marianFolder(r, s.Vocabulary); dir != "" {
		return openMarian(r, s, dir)
	}
	if s.Plain {
		r.AddFault(sdk.Usage(errPlain))
	}
	v, err := openVocabularies(r, s.Vocabulary)
	return &referenceForm{v, s}, err
}

// referenceForm is GNMT in the reference's form: sentences are pieces of words, a space apart.
type referenceForm struct {
	vocabulary vocabularyPair
	settings   searchSettings
}

func (f *referenceForm) ids(sentence string) ([]int32, error) {
	return f.vocabulary.source.IDs(sentence), nil
}
func (f *referenceForm) text(ids []int32) (string, error) { return f.vocabulary.target.Text(ids), nil }
func (f *referenceForm) size() int                        { return f.vocabulary.target.Len() }
func (f *referenceForm) inform(*sdk.WorkloadInfo)         {}

// prompt allows twice as many steps as the source has tokens.
func (f *referenceForm) prompt(ids []int32) backend.Prompt {
	return backend.Prompt{
		Tokens: ids, MaxNewTokens: 2 * len(ids), EOS: []int32{subword.End}, PadToken: subword.End,
		Beams: f.settings.Beams, LengthPenalty: f.settings.Penalty,
	}
}

func (f *referenceForm) options() generate.GeneratorOptions {
	return generate.GeneratorOptions{Start: []int32{subword.Start}, Beams: f.settings.Rule}
}
