package clip

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/preprocess/text/internal/merge"
)

// wordEnd marks a symbol at the end of a piece.
const wordEnd = "</w>"

// maxMerges is the number of lines of merges.txt that are used: the entries of CLIP's vocabulary in addition to bytes
// and special tokens.
const maxMerges = 49152 - 256 - 2

// maxShownFaults is the number of faults of one kind that an error lists.
const maxShownFaults = 5

func parseVocab(vocab []byte) (map[string]int32, error) {
	var ids map[string]int32
	if err := json.Unmarshal(vocab, &ids); err != nil {
		return nil, fmt.Errorf("%w: vocab.json: %w", ErrFile, err)
	}
	for token, id := range ids {
		if id < 0 {
			return nil, fmt.Errorf("%w: vocab.json: token %.40q has the id %d, want 0 or more", ErrFile, token, id)
		}
	}
	return ids, nil
}

// parseMerges parses the rules of merges.txt, in the order of their ranks.
func parseMerges(text string, ids map[string]int32) (pairs []merge.MergeRule, faults []string) {
	number, rank, wrong := 0, int32(0), 0
	fault := func(format string, args ...any) {
		if wrong++; wrong <= maxShownFaults {
			faults = append(faults, fmt.Sprintf("line %d of merges.txt: ", number)+fmt.Sprintf(format, args...))
		}
	}
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if number == 1 || line == "" || rank == maxMerges {
			continue
		}
		left, right, ok := strings.Cut(line, " ")
		if !ok || left == "" || right == "" || strings.Contains(right, " ") {
			fault("%.40q, want two tokens with a blank between them", line)
			continue
		}
		l, okLeft := ids[left]
		r, okRight := ids[right]
		joined, okJoined := ids[left+right]
		if !okLeft || !okRight || !okJoined {
			fault("%.40q has tokens that are not in the vocabulary", line)
		}
		pairs = append(pairs, merge.MergeRule{Left: l, Right: r, Symbol: joined, Rank: rank})
		rank++
	}
	if more := wrong - maxShownFaults; more > 0 {
		faults = append(faults, fmt.Sprintf("so it is with %d more lines", more))
	}
	return pairs, faults
}

// setByteIDs sets the IDs of the characters that represent bytes. Bytes that are visible characters in Latin-1
// represent themselves; the others are represented, in order, by the characters from U+0100 on. Characters that the
// vocabulary lacks get the end token's ID.
func (t *Tokenizer) setByteIDs(ids map[string]int32) {
	find := func(token string) int32 {
		if id, ok := ids[token]; ok {
			return id
		}
		return t.end
	}
	hidden := rune(0x100)
	for b := range t.byteIDs {
		r := rune(b)
		if !('!' <= b && b <= '~' || 0xa1 <= b && b <= 0xac || 0xae <= b) {
			r = hidden
			hidden++
		}
		t.byteIDs[b], t.endByteIDs[b] = find(string(r)), find(string(r)+wordEnd)
	}
}

// tokenizerConfig contains the fields of tokenizer_config.json that affect IDs.
type tokenizerConfig struct {
	Class   string                 `json:"tokenizer_class"`
	Length  *float64               `json:"model_max_length"`
	Start   configToken            `json:"bos_token"`
	End     configToken            `json:"eos_token"`
	Unknown configToken            `json:"unk_token"`
	Pad     configToken            `json:"pad_token"`
	Added   map[string]configToken `json:"added_tokens_decoder"`
}

// configToken is a token in tokenizer_config.json, written as a text or an object.
type configToken string

func (c *configToken) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = configToken(text)
		return nil
	}
	var object struct{ Content string }
	if err := json.Unmarshal(data, &object); err != nil {
		return fmt.Errorf("%.40s, want a token: a text, or an object with its content", data)
	}
	*c = configToken(object.Content)
	return nil
}

// maxContext limits the number of IDs of a text; files without a length contain 1e30.
const maxContext = 1 << 16

// ParseConfig parses tokenizer_config.json, which belongs to a generator's vocabulary. It returns the padding and the
// length. The error lists all settings with which IDs would differ from Parse's.
func ParseConfig(data []byte) (TokenizerOptions, error) {
	var c tokenizerConfig
	if err := json.Unmarshal(data, &c); err != nil {
		return TokenizerOptions{}, fmt.Errorf("%w: tokenizer_config.json: %w", ErrFile, err)
	}
	var faults []string
	refuse := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	refuse(c.Class == "" || c.Class == "CLIPTokenizer", "tokenizer_class %q, want CLIPTokenizer", c.Class)
	refuse(c.Start == "" || c.Start == startToken, "bos_token %q, want %s", c.Start, startToken)
	refuse(c.End == "" || c.End == endToken, "eos_token %q, want %s", c.End, endToken)
	refuse(c.Unknown == "" || c.Unknown == endToken, "unk_token %q, want %s", c.Unknown, endToken)
	for id, a := range c.Added {
		known := slices.Contains([]configToken{startToken, endToken, c.Pad}, a)
		refuse(known, "added token %.40q (id %.20s), which the base model does not have", a, id)
	}
	o := TokenizerOptions{Pad: string(c.Pad), Context: Context}
	if c.Length != nil {
		fits := *c.Length >= 2 && *c.Length <= maxContext && *c.Length == float64(int(*c.Length))
		if refuse(fits, "model_max_length %v, want a whole number of 2 to %d", *c.Length, maxContext); fits {
			o.Context = int(*c.Length)
		}
	}
	if len(faults) > 0 {
		slices.Sort(faults)
		return TokenizerOptions{}, fmt.Errorf("%w: tokenizer_config.json: %s", ErrFile, strings.Join(faults, "; "))
	}
	return o, nil
}
