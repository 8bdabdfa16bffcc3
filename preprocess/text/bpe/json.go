package bpe

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/preprocess/text/internal/tokentext"
)

// tokenizerFile is the content of a tokenizer.json.
type tokenizerFile struct {
	AddedTokens   []addedToken    `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Decoder       json.RawMessage `json:"decoder"`
	Model         json.RawMessage `json:"model"`
}

type addedToken struct {
	ID         int32
	Content    string
	Special    bool
	SingleWord bool `json:"single_word"`
	LStrip     bool
	RStrip     bool
	Normalized bool
}

type modelFile struct {
	Type         string
	Vocab        map[string]int32
	Merges       mergeList
	Unknown      *string  `json:"unk_token"`
	Prefix       *string  `json:"continuing_subword_prefix"`
	Suffix       *string  `json:"end_of_word_suffix"`
	Dropout      *float64 `json:"dropout"`
	FuseUnknown  bool     `json:"fuse_unk"`
	ByteFallback bool     `json:"byte_fallback"`
	IgnoreMerges bool     `json:"ignore_merges"`
}

// mergeList is a list of pairs, each written as ["a", "b"] or as "a b".
type mergeList [][2]string

func (l *mergeList) UnmarshalJSON(data []byte) error {
	var pairs [][2]string
	var lines []string
	if json.Unmarshal(data, &lines) != nil {
		if err := json.Unmarshal(data, &pairs); err != nil {
			return fmt.Errorf("merges: want a list of \"a b\" or of [\"a\", \"b\"]: %w", err)
		}
		*l = pairs
		return nil
	}
	pairs = make([][2]string, len(lines))
	for i, line := range lines {
		left, right, ok := strings.Cut(line, " ")
		if !ok || strings.Contains(right, " ") {
			return fmt.Errorf("merge %d: %.40q, want two tokens with a blank between them", i+1, line)
		}
		pairs[i] = [2]string{left, right}
	}
	*l = pairs
	return nil
}

// ConfigOptions contains settings of a tokenizer_config.json that the tokenizer's own files lack.
type ConfigOptions struct {
	CleanUp bool // clean_up_tokenization_spaces: Decode removes blanks before punctuation and contractions
}

// ParseJSON parses a tokenizer.json. The error lists all faults.
func ParseJSON(data []byte, o ConfigOptions) (*Tokenizer, error) {
	var f tokenizerFile
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%w: tokenizer.json: %w", ErrFile, err)
	}
	p := fileParser{}
	t := p.buildTokenizer(f)
	if len(p.faults) > 0 {
		return nil, fmt.Errorf("%w: tokenizer.json: %w", ErrFile, faultList(p.faults))
	}
	t.cleanUp = o.CleanUp
	return t, nil
}

func faultList(faults []string) error { return errors.New(strings.Join(faults, "; ")) }

// fileParser collects the faults of a file.
type fileParser struct {
	faults    []string
	byteLevel bool // a pre-tokenizer or decoder requires byte-level tokens
}

func (p *fileParser) addFault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

func (p *fileParser) buildTokenizer(f tokenizerFile) *Tokenizer {
	t := &Tokenizer{
		normalize:   p.buildNormalizer(f.Normalizer),
		splitPieces: p.buildPreTokenizer(f.PreTokenizer),
		decode:      p.buildDecoder(f.Decoder),
	}
	m := p.readModel(f.Model)
	t.model = p.buildModel(m)
	p.addTokens(t, f.AddedTokens, m.Vocab)
	p.buildPostProcessor(t, f.PostProcessor)
	return t
}

func (p *fileParser) readModel(data json.RawMessage) (m modelFile) {
	var kind struct{ Type string }
	err := json.Unmarshal(data, &kind)
	switch {
	case len(data) == 0:
		p.addFault("no model")
	case err != nil:
		p.addFault("model: %v", err)
	case kind.Type != "" && kind.Type != "BPE": // old files lack the type
		p.addFault("model %q, want BPE", kind.Type)
	default:
		if err := json.Unmarshal(data, &m); err != nil {
			p.addFault("model: %v", err)
		}
	}
	return m
}

func (p *fileParser) buildModel(m modelFile) *mergeModel {
	if m.Prefix != nil && *m.Prefix != "" || m.Suffix != nil && *m.Suffix != "" {
		p.addFault("a model with continuing_subword_prefix or end_of_word_suffix, want one without")
	}
	if m.Dropout != nil && *m.Dropout != 0 {
		p.addFault("a model with dropout %v, whose tokens are random, want none", *m.Dropout)
	}
	d := modelDefinition{
		vocab: m.Vocab, merges: m.Merges, byteLevel: p.byteLevel, byteFallback: m.ByteFallback, fuseUnknown: m.FuseUnknown,
		ignoreMerges: m.IgnoreMerges,
	}
	if m.Unknown != nil {
		d.unknown = *m.Unknown
	}
	built, faults := newMergeModel(d)
	p.faults = append(p.faults, faults...)
	return built
}

// addTokens lists the tokens by ID and builds the finders of added tokens.
func (p *fileParser) addTokens(t *Tokenizer, list []addedToken, vocab map[string]int32) {
	extra := make([]AddedToken, len(list))
	for i, a := range list {
		extra[i] = AddedToken(a)
	}
	tokens, faults := listEntries(vocab, extra)
	p.faults = append(p.faults, faults...)
	t.setTokens(tokens)
	var asIs, normal []tokentext.Pattern
	for _, a := range extra {
		if a.Normalized {
			normal = append(normal, tokentext.Pattern{Text: t.normalize(a.Content), Token: a})
		} else {
			asIs = append(asIs, tokentext.Pattern{Text: a.Content, Token: a})
		}
	}
	t.rawFinder, t.normalizedFinder = tokentext.NewTokenFinder(asIs), tokentext.NewTokenFinder(normal)
}
