package gnmt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// marianSearch contains the settings of transformers' search with a Marian model. They come from generation_config.json
// if it exists, otherwise from config.json. Missing settings have transformers' defaults.
type marianSearch struct {
	Start       *int32    `json:"decoder_start_token_id"`
	Pad         *int32    `json:"pad_token_id"`
	End         tokenIDs  `json:"eos_token_id"`
	Forced      tokenIDs  `json:"forced_eos_token_id"` // last token of an answer of maximum length
	Bad         [][]int32 `json:"bad_words_ids"`
	Suppressed  []int32   `json:"suppress_tokens"`
	Beams       int       `json:"num_beams"`
	Penalty     float64   `json:"length_penalty"`
	Early       any       `json:"early_stopping"`
	Renormalize bool      `json:"renormalize_logits"`

	// Limits of lengths. The first two include the start token.
	MinLength int `json:"min_length"`
	MaxLength int `json:"max_length"`
	MinNew    int `json:"min_new_tokens"`
	MaxNew    int `json:"max_new_tokens"`

	Positions int `json:"-"` // positions of the encoder and of the decoder; 0: not in config.json
	stopEarly bool
}

// minTokens and maxTokens return the limits of an answer's length, including the end token.
func (s *marianSearch) minTokens() int { return max(s.MinNew, s.MinLength-1, 0) }

func (s *marianSearch) maxTokens() int {
	if s.MaxNew > 0 {
		return s.MaxNew
	}
	return s.MaxLength - 1
}

// tokenIDs is one ID or a list of IDs.
type tokenIDs []int32

// UnmarshalJSON reads a number, a list of numbers, or null.
func (t *tokenIDs) UnmarshalJSON(data []byte) error {
	var one int32
	if string(data) == "null" {
		return nil
	}
	if json.Unmarshal(data, &one) == nil {
		*t = tokenIDs{one}
		return nil
	}
	return json.Unmarshal(data, (*[]int32)(t))
}

// maxConfigBytes limits the size of a configuration file in bytes.
const maxConfigBytes = 1 << 20

// readMarianSearch reads the configurations in a folder.
func readMarianSearch(dir string) (marianSearch, error) {
	config, err := backend.ReadFile(filepath.Join(dir, marianConfig), maxConfigBytes)
	if err != nil {
		return marianSearch{}, err
	}
	generation, err := backend.ReadFile(filepath.Join(dir, marianGeneration), maxConfigBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return marianSearch{}, err
	}
	return parseMarianSearch(config, generation)
}

// parseMarianSearch parses config.json and, if it is not nil, generation_config.json.
func parseMarianSearch(config, generation []byte) (marianSearch, error) {
	var model struct {
		Type      string `json:"model_type"`
		Start     *int32 `json:"decoder_start_token_id"`
		Positions int    `json:"max_position_embeddings"`
	}
	if err := json.Unmarshal(config, &model); err != nil {
		return marianSearch{}, fmt.Errorf("%s: %w", marianConfig, err)
	}
	if model.Type != "" && model.Type != "marian" {
		return marianSearch{}, fmt.Errorf("%s: model_type %.40q, want marian", marianConfig, model.Type)
	}
	name, text := marianGeneration, generation
	if generation == nil {
		name, text = marianConfig, config
	}
	s := marianSearch{Start: model.Start, Positions: model.Positions, Beams: 1, Penalty: 1, MaxLength: 20}
	if err := errors.Join(json.Unmarshal(text, &s), s.parseEarlyStopping(), rejectOtherSearches(text)); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func (s *marianSearch) parseEarlyStopping() error {
	switch v := s.Early.(type) {
	case nil:
	case bool:
		s.stopEarly = v
	default:
		return fmt.Errorf("early_stopping = %v, want true or false", v)
	}
	return nil
}

// neutralSettings lists settings of unsupported searches, with the values, in addition to null, for which they have no
// effect.
var neutralSettings = map[string]any{
	"do_sample": false, "num_beam_groups": 1.0, "diversity_penalty": 0.0, "repetition_penalty": 1.0,
	"encoder_repetition_penalty": 1.0, "no_repeat_ngram_size": 0.0, "encoder_no_repeat_ngram_size": 0.0,
	"guidance_scale": 1.0, "forced_bos_token_id": nil, "begin_suppress_tokens": nil, "force_words_ids": nil,
	"exponential_decay_length_penalty": nil, "sequence_bias": nil, "constraints": nil, "penalty_alpha": nil,
	"stop_strings": nil, "watermarking_config": nil, "max_time": nil,
}

// rejectOtherSearches returns an error that lists settings with which transformers would use an unsupported search.
func rejectOtherSearches(text []byte) error {
	var given map[string]any
	if json.Unmarshal(text, &given) != nil {
		return nil // already reported
	}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(neutralSettings)) {
		if v := given[name]; v != nil && !equalScalars(v, neutralSettings[name]) {
			faults = append(faults, fmt.Errorf("%s = %.60v, which this search has not: want %v", name, v, neutralSettings[name]))
		}
	}
	return errors.Join(faults...)
}

// equalScalars reports whether a JSON value equals a neutral one. Lists are never equal.
func equalScalars(v, neutral any) bool {
	switch v.(type) {
	case bool, float64, string:
		return v == neutral
	}
	return false
}

// checkSettings checks that the settings agree with each other and with the number of tokens in the vocabulary. The
// error lists every fault.
func (s *marianSearch) checkSettings(vocabularySize int) error {
	var faults []error
	want := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	inside := func(name string, ids ...int32) {
		for _, id := range ids {
			want(id >= 0 && int(id) < vocabularySize, "%s = %d, want one of the %d of vocab.json", name, id, vocabularySize)
		}
	}
	want(s.Start != nil && s.Pad != nil && len(s.End) > 0,
		"the configuration has no decoder_start_token_id, pad_token_id or eos_token_id, want all three")
	for name, id := range map[string]*int32{"decoder_start_token_id": s.Start, "pad_token_id": s.Pad} {
		if id != nil {
			inside(name, *id)
		}
	}
	inside("eos_token_id", s.End...)
	inside("suppress_tokens", s.Suppressed...)
	for _, word := range s.Bad {
		want(len(word) == 1, "bad_words_ids has %v, want words of one token", word)
	}
	want(s.Forced == nil || slices.Equal(s.Forced, s.End), "forced_eos_token_id = %v, want eos_token_id, %v", s.Forced,
		s.End)
	want(s.Beams >= 1 && s.Beams <= maxBeams, "num_beams = %d, want 1 to %d", s.Beams, maxBeams)
	want(s.maxTokens() >= 1, "max_length = %d, want 2 or more", s.MaxLength)
	want(s.Positions == 0 || s.maxTokens() <= s.Positions, "answers of up to %d tokens, the decoder takes %d "+
		"(max_position_embeddings)", s.maxTokens(), s.Positions)
	return errors.Join(faults...)
}
