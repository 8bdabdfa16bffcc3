package punkt

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// Splitter splits text into sentences. It is read-only and safe for concurrent use.
type Splitter struct{ parameters Parameters }

// NewSplitter returns a splitter. It keeps p, which must not change afterwards.
func NewSplitter(p Parameters) *Splitter { return &Splitter{p} }

// Split returns the sentences of a text, without the white space between them. They are parts of text. If the text
// contains only white space, there are none.
func (s *Splitter) Split(text string) []string {
	var sentences []string
	shift := 0 // length that the previous sentence took from the start of this one
	ranges := s.sentenceSpans(text)
	for i, r := range ranges {
		r.start += shift
		shift = 0
		if i+1 < len(ranges) {
			next := ranges[i+1]
			signs, end := closingLength(next.cut(text))
			if shift = end; end > 0 {
				r.end = next.start + signs
			}
		}
		if sentence := r.cut(text); sentence != "" {
			sentences = append(sentences, sentence)
		}
	}
	return sentences
}

// textSpan is a part of a text: the bytes from start to end.
type textSpan struct{ start, end int }

func (s textSpan) cut(text string) string {
	if s.start >= s.end {
		return ""
	}
	return text[s.start:s.end]
}

// sentenceSpans returns the sentences before closing punctuation is moved to the sentence that it closes.
func (s *Splitter) sentenceSpans(text string) []textSpan {
	var all []textSpan
	last := 0
	findCandidates(text, func(c endCandidate) {
		if !s.separatesSentences(text[c.word:c.end]) {
			return
		}
		all = append(all, textSpan{last, c.sign + 1})
		last = c.sign + 1
		if c.next > 0 {
			last = c.next
		}
	})
	return append(all, textSpan{last, len(strings.TrimRightFunc(text, pystr.IsSpace))})
}

// closingLength returns the length of closing quotes and brackets at the start of text. They belong to the previous
// sentence if white space, a dash or the end follows. end includes the white space.
func closingLength(text string) (signs, end int) {
	rest := text
	for rest != "" {
		r, size := utf8.DecodeRuneInString(rest)
		if !strings.ContainsRune("\"')]}"+quotes, r) {
			break
		}
		rest = rest[size:]
		after := trimSpace(rest)
		if rest == "" || len(after) < len(rest) || strings.HasPrefix(rest, "--") {
			return len(text) - len(rest), len(text) - len(after)
		}
	}
	return 0, 0
}

// endCandidate is a punctuation mark that may end a sentence.
type endCandidate struct {
	sign int // position of the mark
	word int // start of the preceding word
	next int // start of the word after white space; 0: no white space follows
	end  int // end of that word, or of the punctuation mark that follows
}

// findCandidates finds the punctuation marks that may end a sentence. If a word has several, only the last one counts.
func findCandidates(text string, yield func(endCandidate)) {
	var before endCandidate // candidate that may be replaced by a later mark of the same word
	found := false
	for i := 0; i < len(text); i++ {
		if !endsSentence(text[i]) {
			continue
		}
		c := endCandidate{sign: i, word: before.word}
		if c.next, c.end = findFollowing(text, i+1); c.end == 0 {
			continue
		}
		if space := strings.LastIndexAny(text[before.sign:i], " \t\n\r\v\f"); space > 0 {
			c.word = before.sign + space + 1
		}
		if found && before.sign <= c.word {
			yield(before)
		}
		before, found = c, true
	}
	if found {
		yield(before)
	}
}

func endsSentence(c byte) bool { return c == '.' || c == '?' || c == '!' }

// findFollowing examines the text after a mark. If a punctuation mark that separates words follows, it returns the
// mark's end. If white space and a word follow, it returns the word's start next and its end. Otherwise, end is 0.
func findFollowing(text string, at int) (next, end int) {
	rest := text[at:]
	if r, size := utf8.DecodeRuneInString(rest); separatesWords(r) {
		return 0, at + size
	}
	word := trimSpace(rest)
	if word == "" || len(word) == len(rest) {
		return 0, 0
	}
	next = len(text) - len(word)
	if n := strings.IndexFunc(word, unicode.IsSpace); n >= 0 {
		return next, next + n
	}
	return next, len(text)
}

// separatesSentences reports whether a sentence ends within context, which consists of a word, a punctuation mark and
// the following text.
func (s *Splitter) separatesSentences(context string) bool {
	tokens := tokenize(context)
	for i := range tokens {
		s.classifyToken(&tokens[i])
	}
	for i := 1; i < len(tokens); i++ {
		if s.reconsiderPair(&tokens[i-1], &tokens[i]); tokens[i-1].endsSentence {
			return true
		}
	}
	return false
}

func trimSpace(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
