package bpe

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner returns the length of the first piece of a text that is not empty: at least 1.
type scanner func(text string) int

// The patterns that tokenizers name. Their scanners match the same pieces: RE2, which Go has, lacks the lookahead.
const (
	patternGPT2 = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	// patternLlama is that of Llama 3; Qwen's has \p{N} in the place of \p{N}{1,3}.
	patternLlama = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	patternQwen  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

// scannerOf returns the scanner of a pattern, or nil for one that is not known.
func scannerOf(pattern string) scanner {
	switch pattern {
	case patternGPT2:
		return scanGPT2
	case patternLlama:
		return func(text string) int { return scanLlama(text, 3) }
	case patternQwen:
		return func(text string) int { return scanLlama(text, 1) }
	}
	return nil
}

// class is what the patterns ask about a character.
type class uint8

const (
	other class = iota
	letter
	number
	space
)

// classOf returns the class and the length in bytes of the first character of a text, and 0 for an empty one.
func classOf(text string) (class, int) {
	if text == "" {
		return other, 0
	}
	switch c := text[0]; {
	case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		return letter, 1
	case '0' <= c && c <= '9':
		return number, 1
	case c == ' ' || '\t' <= c && c <= '\r':
		return space, 1
	case c < utf8.RuneSelf:
		return other, 1
	}
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case unicode.IsLetter(r):
		return letter, size
	case unicode.IsNumber(r):
		return number, size
	case unicode.IsSpace(r):
		return space, size
	}
	return other, size
}

// run is the length of the characters of a class that a text starts with.
func run(text string, c class) int {
	n := 0
	for {
		next, size := classOf(text[n:])
		if size == 0 || next != c {
			return n
		}
		n += size
	}
}

func scanGPT2(text string) int {
	if n := contraction(text); n > 0 {
		return n
	}
	start := 0
	if text[0] == ' ' && len(text) > 1 {
		start = 1
	}
	if c, size := classOf(text[start:]); c != space {
		return start + size + run(text[start+size:], c)
	}
	return spaces(text)
}

// contraction is the length of "'s", "'t", "'re", "'ve", "'m", "'ll" or "'d" at the start of a text, or 0.
func contraction(text string) int {
	if text[0] != '\'' || len(text) < 2 {
		return 0
	}
	switch text[1] {
	case 's', 't', 'm', 'd':
		return 2
	}
	if len(text) > 2 {
		switch text[1:3] {
		case "re", "ve", "ll":
			return 3
		}
	}
	return 0
}

// spaces is the length of the white space that a text starts with, without its last character where something else follows:
// that one belongs to the next piece, unless it is alone.
func spaces(text string) int {
	n := run(text, space)
	if n == len(text) {
		return n
	}
	if _, last := utf8.DecodeLastRuneInString(text[:n]); last < n {
		return n - last
	}
	return n
}

// scanLlama has pieces of at most digits numbers.
func scanLlama(text string, digits int) int {
	if n := contractionAnyCase(text); n > 0 {
		return n
	}
	c, size := classOf(text)
	switch {
	case c == letter:
		return size + run(text[size:], letter)
	case c != number && text[0] != '\r' && text[0] != '\n':
		if n := run(text[size:], letter); n > 0 {
			return size + n
		}
	case c == number:
		return numbers(text, digits)
	}
	if n := signs(text); n > 0 {
		return n
	}
	blank := text[:run(text, space)]
	if end := strings.LastIndexAny(blank, "\r\n"); end >= 0 {
		return end + 1
	}
	return spaces(text)
}

// contractionAnyCase is contraction without regard to case, for which the long "ſ" is an "s" too.
func contractionAnyCase(text string) int {
	const longS = "'ſ"
	if text[0] != '\'' {
		return 0
	}
	if strings.HasPrefix(text, longS) {
		return len(longS)
	}
	var lower [3]byte
	n := copy(lower[:], text)
	for i, c := range lower[:n] {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + ('a' - 'A')
		}
	}
	return contraction(string(lower[:n]))
}

func numbers(text string, most int) int {
	n := 0
	for range most {
		c, size := classOf(text[n:])
		if size == 0 || c != number {
			break
		}
		n += size
	}
	return n
}

// signs is the length of a blank, if there is one, the signs after it and the line ends after those, or 0 without a sign.
func signs(text string) int {
	start := 0
	if text[0] == ' ' {
		start = 1
	}
	n := run(text[start:], other)
	if n == 0 {
		return 0
	}
	n += start
	for n < len(text) && (text[n] == '\r' || text[n] == '\n') {
		n++
	}
	return n
}
