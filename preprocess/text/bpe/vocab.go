package bpe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/preprocess/text/internal/tokentext"
)

// VocabOptions contains settings that vocab.json and merges.txt lack. The zero value is for GPT-2.
type VocabOptions struct {
	ConfigOptions
	Unknown     string       // token for unknown characters; "": <|endoftext|>
	Added       []AddedToken // if an ID is negative, the vocabulary's ID is used
	PrefixSpace bool         // add_prefix_space: prepend a blank to each text
	Begin       string       // token that Encode prepends; "": none

	spacedTokens []string // special tokens that texts surround with blanks if their IDs are after the vocabulary's
}

const endOfText = "<|endoftext|>"

// ParseVocab parses GPT-2's vocab.json, a map from byte-level tokens to IDs, and merges.txt, which contains two tokens
// per line. The first line may be a comment, "#version: ...". The tokenizer equals that of transformers in Python.
// Without Added, the only special token is <|endoftext|>. The error lists all faults.
func ParseVocab(vocab, merges []byte, o VocabOptions) (*Tokenizer, error) {
	o.Unknown = cmp.Or(o.Unknown, endOfText)
	if o.Added == nil {
		o.Added = []AddedToken{{ID: noID, Content: endOfText, Special: true}}
	}
	d := modelDefinition{byteLevel: true, unknown: o.Unknown, allowMissingUnknown: true}
	if err := json.Unmarshal(vocab, &d.vocab); err != nil {
		return nil, fmt.Errorf("%w: vocab.json: %w", ErrFile, err)
	}
	t := &Tokenizer{
		normalize: keepText, splitPieces: newGPT2Splitter(), decode: decodeSlow,
		normalizedFinder: tokentext.NewTokenFinder(nil),
		cleanUp:          o.CleanUp,
	}
	var faults []string
	d.merges, faults = parseMerges(string(merges))
	model, wrong := newMergeModel(d)
	t.model = model
	faults = append(faults, wrong...)
	faults = append(faults, t.addTokens(d.vocab, o)...)
	if len(faults) > 0 {
		return nil, fmt.Errorf("%w: vocab.json and merges.txt: %w", ErrFile, faultList(faults))
	}
	if o.PrefixSpace {
		t.prefix = " "
	}
	return t, nil
}

func parseMerges(text string) (merges [][2]string, faults []string) {
	number, wrong := 0, 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || number == 1 && strings.HasPrefix(line, "#version") {
			continue
		}
		left, right, ok := strings.Cut(line, " ")
		if !ok || left == "" || right == "" || strings.Contains(right, " ") {
			if wrong++; wrong <= maxShownFaults {
				faults = append(faults, fmt.Sprintf("line %d of merges.txt: %.40q, want two tokens with a blank between them",
					number, line))
			}
			continue
		}
		merges = append(merges, [2]string{left, right})
	}
	if more := wrong - maxShownFaults; more > 0 {
		faults = append(faults, fmt.Sprintf("so it is with %d more lines", more))
	}
	return merges, faults
}

func (t *Tokenizer) addTokens(vocab map[string]int32, o VocabOptions) (faults []string) {
	extra := make([]AddedToken, 0, len(o.Added))
	patterns := make([]tokentext.Pattern, 0, len(o.Added))
	for _, a := range o.Added {
		if a.ID < 0 {
			id, ok := vocab[a.Content]
			if !ok {
				faults = append(faults, fmt.Sprintf("the token %.40q is not in the vocabulary", a.Content))
				continue
			}
			a.ID = id
		}
		extra = append(extra, a)
		patterns = append(patterns, tokentext.Pattern{Text: a.Content, Token: a})
		if a.Content == o.Begin {
			t.prefixIDs = []int32{a.ID}
		}
	}
	if o.Begin != "" && len(t.prefixIDs) == 0 {
		faults = append(faults, fmt.Sprintf("the first token, %.40q, is not among those added", o.Begin))
	}
	tokens, wrong := listEntries(vocab, extra)
	t.setTokens(tokens)
	for _, a := range extra {
		if int(a.ID) >= len(vocab) && int(a.ID) < len(tokens) && slices.Contains(o.spacedTokens, a.Content) {
			tokens[a.ID].spaced = true
		}
	}
	t.rawFinder = tokentext.NewTokenFinder(patterns)
	return append(faults, wrong...)
}
