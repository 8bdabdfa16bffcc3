package rouge

import (
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/accuracy/internal/porter"
)

// wordNumbers assigns numbers to words. Words with the same stem have the same number.
type wordNumbers struct {
	stem   bool
	words  map[string]int32 // by the lower-case word of the text
	stems  map[string]int32
	buffer []byte
}

func newWordNumbers(stem bool) wordNumbers {
	return wordNumbers{stem: stem, words: map[string]int32{}, stems: map[string]int32{}}
}

// textSentences contains the words of a text, sentence by sentence.
type textSentences struct {
	tokens []int32
	ends   []int // the end of each line in tokens; lines without words are omitted
}

// eachSentence calls f with the words of each sentence.
func (s textSentences) eachSentence(f func(tokens []int32)) {
	start := 0
	for _, end := range s.ends {
		f(s.tokens[start:end])
		start = end
	}
}

func (s *textSentences) endLine() {
	if n := len(s.tokens); n > 0 && (len(s.ends) == 0 || s.ends[len(s.ends)-1] < n) {
		s.ends = append(s.ends, n)
	}
}

// tokenize splits a text into words. It reuses the memory of dst.
func (v *wordNumbers) tokenize(dst textSentences, text string) textSentences {
	dst.tokens, dst.ends = dst.tokens[:0], dst.ends[:0]
	word := v.buffer[:0]
	for i := 0; i < len(text); {
		letter, size := lowerLetter(text[i:])
		if letter != 0 {
			word = append(word, letter)
		}
		if separates := letter == 0 || size == len(dottedI); separates && len(word) > 0 {
			dst.tokens = append(dst.tokens, v.numberOf(word))
			word = word[:0]
		}
		if text[i] == '\n' {
			dst.endLine()
		}
		i += size
	}
	if len(word) > 0 {
		dst.tokens = append(dst.tokens, v.numberOf(word))
	}
	dst.endLine()
	v.buffer = word
	return dst
}

// Two non-ASCII letters have a lower case that begins with one of a to z, as in Python's str.lower.
const (
	dottedI = "\u0130" // becomes "i" and a combining dot, which is not a letter and ends the word
	kelvin  = "\u212a" // becomes "k"
)

// lowerLetter returns the first letter of text in lower case, or 0 if it separates words. size is the letter's length
// in bytes.
func lowerLetter(text string) (letter byte, size int) {
	switch c := text[0]; {
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		return c, 1
	case 'A' <= c && c <= 'Z':
		return c + ('a' - 'A'), 1
	case c < utf8.RuneSelf:
		return 0, 1
	}
	_, size = utf8.DecodeRuneInString(text)
	switch text[:size] {
	case dottedI:
		return 'i', size
	case kelvin:
		return 'k', size
	}
	return 0, size
}

// minStemmed is the minimum length of words that are stemmed.
const minStemmed = 4

func (v *wordNumbers) numberOf(word []byte) int32 {
	if n, ok := v.words[string(word)]; ok {
		return n
	}
	stem := string(word)
	if v.stem && len(word) >= minStemmed {
		stem = porter.Stem(stem)
	}
	n, ok := v.stems[stem]
	if !ok {
		n = int32(len(v.stems))
		v.stems[stem] = n
	}
	v.words[string(word)] = n
	return n
}
