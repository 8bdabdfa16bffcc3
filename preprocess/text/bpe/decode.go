package bpe

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// tokenDecoder joins the tokens of ids, all of which must exist.
type tokenDecoder func(t *Tokenizer, ids []int32) string

// decodeBytes joins byte-level tokens.
func decodeBytes(t *Tokenizer, ids []int32) string {
	var b []byte
	for _, id := range ids {
		b = append(b, t.tokens[id].bytes...)
	}
	return pystr.Decode(b)
}

// decodeSlow joins byte-level tokens like the Python tokenizers. Blanks surround added tokens that are not special, and
// special tokens without a named role.
func decodeSlow(t *Tokenizer, ids []int32) string {
	var parts []string
	for len(ids) > 0 {
		if e := t.tokens[ids[0]]; e.spaced {
			parts = append(parts, e.text)
			ids = ids[1:]
			continue
		}
		n := 0
		for n < len(ids) && !t.tokens[ids[n]].spaced {
			n++
		}
		if text := decodeBytes(t, ids[:n]); text != "" || n == len(ids) {
			parts = append(parts, text)
		}
		ids = ids[n:]
	}
	return strings.Join(parts, " ")
}

// decodeStep transforms a list of tokens during decoding.
type decodeStep func(tokens []string) []string

// newStepDecoder returns a decoder that applies steps and joins the tokens with a separator.
func newStepDecoder(steps []decodeStep, separator string) tokenDecoder {
	return func(t *Tokenizer, ids []int32) string {
		tokens := make([]string, len(ids))
		for i, id := range ids {
			tokens[i] = t.tokens[id].text
		}
		for _, s := range steps {
			tokens = s(tokens)
		}
		return strings.Join(tokens, separator)
	}
}

func fuseTokens(tokens []string) []string { return []string{strings.Join(tokens, "")} }

func newReplaceStep(pattern, content string) decodeStep {
	return func(tokens []string) []string {
		for i, token := range tokens {
			tokens[i] = strings.ReplaceAll(token, pattern, content)
		}
		return tokens
	}
}

// newStripStep returns a step that removes content up to start times from the start of each token and up to stop times
// from its end.
func newStripStep(content string, start, stop int) decodeStep {
	return func(tokens []string) []string {
		for i := range tokens {
			for n := 0; n < start && strings.HasPrefix(tokens[i], content); n++ {
				tokens[i] = tokens[i][len(content):]
			}
			for n := 0; n < stop && strings.HasSuffix(tokens[i], content); n++ {
				tokens[i] = tokens[i][:len(tokens[i])-len(content)]
			}
		}
		return tokens
	}
}

// newBlankStep returns a step that converts the character for a blank to a blank. If prefixed is set, it removes the
// character from the start of the first token.
func newBlankStep(replacement string, prefixed bool) decodeStep {
	return func(tokens []string) []string {
		for i := range tokens {
			with := " "
			if i == 0 && prefixed {
				with = ""
			}
			tokens[i] = strings.ReplaceAll(tokens[i], replacement, with)
		}
		return tokens
	}
}

// joinBytes converts runs of tokens <0x00> to <0xFF> to text. If a run is not UTF-8, each of its tokens becomes U+FFFD.
func joinBytes(tokens []string) []string {
	joined := make([]string, 0, len(tokens))
	var run []byte
	flush := func() {
		if len(run) == 0 {
			return
		}
		if utf8.Valid(run) {
			joined = append(joined, string(run))
		} else {
			joined = append(joined, strings.Repeat(string(utf8.RuneError), len(run)))
		}
		run = run[:0]
	}
	for _, token := range tokens {
		if b, ok := parseByteToken(token); ok {
			run = append(run, b)
			continue
		}
		flush()
		joined = append(joined, token)
	}
	flush()
	return joined
}

// parseByteToken parses a token <0x00> to <0xFF>.
func parseByteToken(token string) (b byte, ok bool) {
	if len(token) != 6 || token[:3] != "<0x" || token[5] != '>' {
		return 0, false
	}
	v, err := strconv.ParseUint(token[3:5], 16, 8)
	return byte(v), err == nil
}
