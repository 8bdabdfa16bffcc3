package gnmt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/preprocess/text/sentencepiece"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// Names of a Marian model's files in addition to its networks.
const (
	marianSource, marianTarget, marianVocab = "source.spm", "target.spm", "vocab.json"
	marianConfig, marianGeneration          = "config.json", "generation_config.json"
)

var (
	errNeedsPlainText = errors.New("a Marian model translates plain text, and parameter text = pieces: give text=plain, " +
		"and the names of the data set's files with sources and references")
	errPlainNeedsMarian = errors.New("parameter text = plain is for Marian models, and there is none of its files with " +
		"the model (source.spm, target.spm, vocab.json, config.json): GNMT takes text that is split into pieces")
	errStepsWithMarian = errors.New("parameter max_steps is of GNMT's search; a Marian model has max_length in its " +
		"generation_config.json")
)

// marianForm is a translation model of the Marian family in the form of transformers and optimum. Sentences are plain
// text.
type marianForm struct {
	tokenizer *sentencepiece.Marian
	search    marianSearch
}

// marianFolder returns the folder of a Marian model's files: the folder that the user names, the encoder's folder, or
// its parent, because exports may have a folder of their own. It returns "" if no folder contains them.
func marianFolder(r *manifest.Request, named string) string {
	if named == embeddedVocabulary || named == "" && r.Files["encoder"].Path == "" {
		return ""
	}
	folder := named
	if named == "" {
		folder = filepath.Dir(r.Files["encoder"].Path)
	}
	for _, name := range []string{marianSource, marianTarget, marianVocab, marianConfig} {
		if fileExists(filepath.Join(folder, name)) {
			return folder
		}
	}
	if above := filepath.Dir(folder); named == "" && fileExists(filepath.Join(above, marianSource)) {
		return above
	}
	return ""
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// openMarian reads the files of a Marian model. The error lists all faults.
func openMarian(r *manifest.Request, s searchSettings, dir string) (*marianForm, error) {
	if !s.PlainText {
		r.AddFault(sdk.Usage(errNeedsPlainText))
	}
	if r.GivenValue("max_steps") != "" {
		r.AddFault(sdk.Usage(errStepsWithMarian))
	}
	search, errSearch := readMarianSearch(dir)
	if r.GivenValue("beams") != "" {
		search.Beams = s.Beams
	}
	if r.GivenValue("length_penalty") != "" {
		search.Penalty = s.Penalty
	}
	t, errTokens := readMarianTokenizer(dir)
	if err := errors.Join(errSearch, errTokens); err != nil {
		return nil, sdk.Data(fmt.Errorf("the Marian model in %s: %w", dir, err))
	}
	if err := search.checkSettings(t.Size()); err != nil {
		return nil, sdk.Data(fmt.Errorf("%s: %w", dir, err))
	}
	return &marianForm{t, search}, nil
}

func readMarianTokenizer(dir string) (*sentencepiece.Marian, error) {
	source, errSource := readPieces(filepath.Join(dir, marianSource))
	target, errTarget := readPieces(filepath.Join(dir, marianTarget))
	vocab, errVocab := backend.ReadFile(filepath.Join(dir, marianVocab), maxVocabularyBytes)
	var errApart error
	if fileExists(filepath.Join(dir, "target_vocab.json")) {
		errApart = errors.New("it has a vocabulary for each language (target_vocab.json), want one for both")
	}
	if err := errors.Join(errSource, errTarget, errVocab, errApart); err != nil {
		return nil, err
	}
	return sentencepiece.NewMarian(source, target, vocab)
}

func readPieces(path string) (*sentencepiece.Model, error) {
	data, err := backend.ReadFile(path, maxVocabularyBytes)
	if err != nil {
		return nil, err
	}
	m, err := sentencepiece.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// encode returns the token IDs of an untokenized sentence, with the end token.
func (m *marianForm) encode(sentence string) ([]int32, error) {
	ids := m.tokenizer.Encode(nil, sentence)
	if n := m.search.Positions; n > 0 && len(ids) > n {
		return nil, sdk.Data(fmt.Errorf("a sentence of %d tokens, the model takes %d (max_position_embeddings): %.80q",
			len(ids), n, sentence))
	}
	return ids, nil
}

func (m *marianForm) decode(ids []int32) (string, error) { return m.tokenizer.Decode(ids) }
func (m *marianForm) vocabularySize() int                { return m.tokenizer.Size() }

func (m *marianForm) makePrompt(ids []int32) backend.Prompt {
	s := &m.search
	return backend.Prompt{
		Tokens: ids, MinNewTokens: s.minTokens(), MaxNewTokens: s.maxTokens(), EOS: s.End, PadToken: *s.Pad, Beams: s.Beams,
		LengthPenalty: s.Penalty, EarlyStopping: s.stopEarly,
	}
}

func (m *marianForm) generatorOptions() generate.GeneratorOptions {
	s := &m.search
	never := slices.Clone(s.Suppressed)
	for _, word := range s.Bad {
		if !slices.Contains(s.End, word[0]) {
			never = append(never, word[0])
		}
	}
	return generate.GeneratorOptions{
		Start: []int32{*s.Start}, Beams: generate.HuggingFace, Never: never, ForceEnd: s.Forced != nil,
		Renormalize: s.Renormalize, Source: s.Positions, Answer: s.maxTokens(),
	}
}

func (m *marianForm) addInfo(info *sdk.WorkloadInfo) {
	if info.BackendInfo == nil {
		info.BackendInfo = map[string]string{}
	}
	s := &m.search
	info.BackendInfo["search"] = fmt.Sprintf("transformers' rule, beams %d, length penalty %v, at most %d tokens",
		s.Beams, s.Penalty, s.maxTokens())
	info.OpenReasons = append(info.OpenReasons, "a Marian model translates, with pieces and a search of its own")
}
