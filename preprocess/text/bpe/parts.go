package bpe

import (
	"cmp"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/plumbline-ml/plumbline/preprocess/text/internal/pattern"
)

// filePart is a normalizer, pre-tokenizer, decoder or post-processor of a tokenizer.json. It contains the fields of all
// kinds of parts.
type filePart struct {
	Type          string
	Normalizers   []json.RawMessage
	PreTokenizers []json.RawMessage `json:"pretokenizers"`
	Decoders      []json.RawMessage
	Processors    []json.RawMessage
	Prepend       string
	Pattern       struct{ String, Regex *string }
	Content       string
	Behavior      string
	Invert        bool
	Start, Stop   int
	PrefixSpace   *bool  `json:"add_prefix_space"`
	UseRegex      *bool  `json:"use_regex"`
	PrependScheme string `json:"prepend_scheme"`
	Replacement   string
	Split         *bool
	// IndividualDigits, for Digits, makes each digit a piece instead of each number.
	IndividualDigits bool `json:"individual_digits"`
	Single           []templateItem
	SpecialTokens    map[string]struct{ IDs []int32 } `json:"special_tokens"`
}

func isNull(data json.RawMessage) bool { return len(data) == 0 || string(data) == "null" }

// readPart decodes a part. what is its kind, for faults.
func (p *fileParser) readPart(what string, data json.RawMessage) (filePart, bool) {
	var v filePart
	if err := json.Unmarshal(data, &v); err != nil {
		p.addFault("%s: %v", what, err)
		return v, false
	}
	return v, true
}

func isTrue(v *bool) bool { return v == nil || *v }

func keepText(text string) string { return text }

func (p *fileParser) buildNormalizer(data json.RawMessage) func(string) string {
	if isNull(data) {
		return keepText
	}
	v, ok := p.readPart("normalizer", data)
	if !ok {
		return keepText
	}
	switch v.Type {
	case "Sequence":
		return p.buildNormalizers(v.Normalizers)
	case "Prepend":
		return func(text string) string {
			if text == "" {
				return ""
			}
			return v.Prepend + text
		}
	case "Replace":
		return p.newReplacer(v)
	case "NFC":
		return norm.NFC.String
	case "NFD":
		return norm.NFD.String
	case "NFKC":
		return norm.NFKC.String
	case "NFKD":
		return norm.NFKD.String
	default:
		p.addFault("normalizer %q, want Sequence, Prepend, Replace, NFC, NFD, NFKC or NFKD", v.Type)
	}
	return keepText
}

// newReplacer returns the function of a Replace normalizer.
func (p *fileParser) newReplacer(v filePart) func(string) string {
	each := p.buildFinder("Replace normalizer", v)
	return func(text string) string {
		var b strings.Builder
		each(text, func(part string, match bool) {
			if match {
				part = v.Content
			}
			b.WriteString(part)
		})
		return b.String()
	}
}

func (p *fileParser) buildNormalizers(list []json.RawMessage) func(string) string {
	steps := make([]func(string) string, len(list))
	for i, part := range list {
		steps[i] = p.buildNormalizer(part)
	}
	return func(text string) string {
		for _, s := range steps {
			text = s(text)
		}
		return text
	}
}

func yieldWholeText(text string, _ bool, yield func(string)) { yield(text) }

func (p *fileParser) buildPreTokenizer(data json.RawMessage) pieceSplitter {
	if isNull(data) {
		return yieldWholeText
	}
	v, ok := p.readPart("pre_tokenizer", data)
	if !ok {
		return yieldWholeText
	}
	if p.byteLevel {
		p.addFault("pre-tokenizer %q after ByteLevel, want it before", v.Type)
	}
	switch v.Type {
	case "Sequence":
		split := pieceSplitter(yieldWholeText)
		for _, next := range v.PreTokenizers {
			split = newChainedSplitter(split, p.buildPreTokenizer(next))
		}
		return split
	case "ByteLevel":
		p.byteLevel = true
		return newByteLevelSplitter(isTrue(v.PrefixSpace), isTrue(v.UseRegex))
	case "Split":
		return p.splitPattern(v)
	case "Digits":
		behavior := "Contiguous"
		if v.IndividualDigits {
			behavior = "Isolated"
		}
		return p.buildSplitter(newCharacterFinder(unicode.IsNumber), behavior)
	case "Punctuation":
		return p.buildSplitter(newCharacterFinder(isPunctuation), cmp.Or(v.Behavior, "Isolated"))
	case "Metaspace":
		return p.buildMetaspace(v)
	}
	p.addFault("pre-tokenizer %q, want Sequence, ByteLevel, Split, Digits, Punctuation or Metaspace", v.Type)
	return yieldWholeText
}

// newChainedSplitter returns a splitter that applies second to the pieces of first.
func newChainedSplitter(first, second pieceSplitter) pieceSplitter {
	return func(text string, leads bool, yield func(string)) {
		first(text, leads, func(piece string) {
			second(piece, leads, yield)
			leads = false
		})
	}
}

// gpt2Pattern is GPT-2's expression, which is the default of ByteLevel.
const gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

// newGPT2Splitter returns a splitter that splits like GPT-2.
func newGPT2Splitter() pieceSplitter {
	p, err := pattern.Compile(gpt2Pattern)
	if err != nil {
		panic(err) // impossible for a constant
	}
	return newIsolatedSplitter(p.Each)
}

func newByteLevelSplitter(prefix, useRegex bool) pieceSplitter {
	split := pieceSplitter(yieldWholeText)
	if useRegex {
		split = newGPT2Splitter()
	}
	return func(text string, leads bool, yield func(string)) {
		if prefix && !strings.HasPrefix(text, " ") {
			text = " " + text
		}
		split(text, leads, yield)
	}
}

// buildMetaspace builds a Metaspace pre-tokenizer. It replaces blanks, inserts a replacement at the start of the text,
// and splits before each replacement. Old files contain add_prefix_space instead of prepend_scheme.
func (p *fileParser) buildMetaspace(v filePart) pieceSplitter {
	if v.Replacement != string(metaspace) {
		p.addFault("a Metaspace pre-tokenizer with the replacement %.10q, want %q", v.Replacement, metaspace)
	}
	scheme := p.prependScheme(v)
	return func(text string, first bool, yield func(string)) {
		text = strings.ReplaceAll(text, " ", v.Replacement)
		if (scheme == "always" || scheme == "first" && first) && !strings.HasPrefix(text, v.Replacement) {
			text = v.Replacement + text
		}
		for isTrue(v.Split) {
			_, size := utf8.DecodeRuneInString(text)
			end := strings.Index(text[size:], v.Replacement)
			if end < 0 {
				break
			}
			yield(text[:size+end])
			text = text[size+end:]
		}
		yield(text)
	}
}

func (p *fileParser) prependScheme(v filePart) string {
	switch v.PrependScheme {
	case "always", "first", "never":
		return v.PrependScheme
	case "":
		if isTrue(v.PrefixSpace) {
			return "always"
		}
		return "never"
	}
	p.addFault("the prepend_scheme %q of Metaspace, want always, first or never", v.PrependScheme)
	return "never"
}
