package bpe

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
)

// ReadVocab is like ParseVocab for the files of a folder in transformers' layout. In addition to vocab.json and
// merges.txt, it reads added tokens, such as an end token that the vocabulary lacks. They come from
// added_tokens_decoder in tokenizer_config.json, or otherwise from added_tokens.json with special_tokens_map.json. read
// returns the content of a file in the folder, or an error that wraps fs.ErrNotExist. o.Added and o.Unknown are
// replaced by values from the files. The error lists all faults.
func ReadVocab(read func(name string) ([]byte, error), o VocabOptions) (*Tokenizer, error) {
	vocab, errVocab := read("vocab.json")
	merges, errMerges := read("merges.txt")
	var config, names specialTokens
	var files struct {
		Decoder map[string]fileToken `json:"added_tokens_decoder"`
	}
	var ids map[string]int32
	if err := errors.Join(errVocab, errMerges,
		readOptionalJSON(read, "tokenizer_config.json", &config, &files),
		readOptionalJSON(read, "special_tokens_map.json", &names),
		readOptionalJSON(read, "added_tokens.json", &ids)); err != nil {
		return nil, err
	}
	special := specialTokens{Begin: fileToken{Content: endOfText}, End: fileToken{Content: endOfText},
		Unknown: fileToken{Content: endOfText}}
	special.overrideFrom(config)
	if files.Decoder == nil {
		special.overrideFrom(names)
	}
	var err error
	o.Unknown = special.Unknown.Content
	if o.Added, err = collectAddedTokens(files.Decoder, ids, special.listUnique()); err != nil {
		return nil, err
	}
	for _, f := range special.More {
		o.spacedTokens = append(o.spacedTokens, f.Content)
	}
	return ParseVocab(vocab, merges, o)
}

// readOptionalJSON reads a JSON file, if it exists, into all values.
func readOptionalJSON(read func(string) ([]byte, error), name string, values ...any) error {
	data, err := read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, v := range values {
		if err := json.Unmarshal(data, v); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrFile, name, err)
		}
	}
	return nil
}

// fileToken is a token in a file, written as a text or an object.
type fileToken struct {
	Content    string
	SingleWord bool `json:"single_word"`
	LStrip     bool
	RStrip     bool
}

func (f *fileToken) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &f.Content) == nil {
		return nil
	}
	type plain fileToken
	if err := json.Unmarshal(data, (*plain)(f)); err != nil {
		return fmt.Errorf("%.40s, want a token: a text, or an object with its content", data)
	}
	return nil
}

// specialTokens contains the tokens with a role in a file.
type specialTokens struct {
	Begin   fileToken   `json:"bos_token"`
	End     fileToken   `json:"eos_token"`
	Unknown fileToken   `json:"unk_token"`
	Between fileToken   `json:"sep_token"`
	Pad     fileToken   `json:"pad_token"`
	Class   fileToken   `json:"cls_token"`
	Mask    fileToken   `json:"mask_token"`
	More    []fileToken `json:"additional_special_tokens"`
}

// singleTokens returns the fields that contain a single token, in the order in which transformers adds them.
func (s *specialTokens) singleTokens() []*fileToken {
	return []*fileToken{&s.Begin, &s.End, &s.Unknown, &s.Between, &s.Pad, &s.Class, &s.Mask}
}

// overrideFrom overrides tokens with those of another file.
func (s *specialTokens) overrideFrom(other specialTokens) {
	from := other.singleTokens()
	for i, to := range s.singleTokens() {
		if from[i].Content != "" {
			*to = *from[i]
		}
	}
	s.More = append(s.More, other.More...)
}

// listUnique returns the tokens without duplicates.
func (s *specialTokens) listUnique() (list []fileToken) {
	for _, f := range s.singleTokens() {
		list = append(list, *f)
	}
	var all []fileToken
	for _, f := range append(list, s.More...) {
		same := func(a fileToken) bool { return a.Content == f.Content }
		if f.Content != "" && !slices.ContainsFunc(all, same) {
			all = append(all, f)
		}
	}
	return all
}

// collectAddedTokens returns the tokens of added_tokens_decoder by ID or, without it, those of added_tokens.json by
// text, with the properties from special. In addition, it returns the special tokens that neither file contains; their
// IDs are in the vocabulary.
func collectAddedTokens(decoder map[string]fileToken, ids map[string]int32, special []fileToken) (all []AddedToken,
	err error) {
	seen := map[string]bool{}
	named := func(content string) (fileToken, bool) {
		i := slices.IndexFunc(special, func(f fileToken) bool { return f.Content == content })
		if i < 0 {
			return fileToken{Content: content}, false
		}
		return special[i], true
	}
	add := func(f fileToken, id int32) {
		seen[f.Content] = true
		_, isSpecial := named(f.Content)
		all = append(all, AddedToken{
			ID: id, Content: f.Content, SingleWord: f.SingleWord, LStrip: f.LStrip, RStrip: f.RStrip, Special: isSpecial,
		})
	}
	var faults []error
	for _, key := range slices.Sorted(maps.Keys(decoder)) {
		id, err := strconv.ParseInt(key, 10, 32)
		if err != nil || id < 0 {
			faults = append(faults, fmt.Errorf("%w: tokenizer_config.json: added_tokens_decoder has the id %.40q", ErrFile,
				key))
			continue
		}
		add(decoder[key], int32(id))
	}
	if decoder == nil {
		for _, content := range slices.Sorted(maps.Keys(ids)) {
			if ids[content] < 0 {
				faults = append(faults, fmt.Errorf("%w: added_tokens.json: token %.40q has the id %d", ErrFile, content,
					ids[content]))
				continue
			}
			f, _ := named(content)
			add(f, ids[content])
		}
	}
	for _, f := range special {
		if !seen[f.Content] {
			add(f, noID)
		}
	}
	return all, errors.Join(faults...)
}
