// Package tokentext contains the common parts of several tokenizers. It finds special tokens such as "<s>" in a text
// before a tokenizer splits the rest, and cleans up decoded text.
//
// In scope: tokens and a text. Out of scope: the rest of the text (the tokenizer).
package tokentext

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is a token that is matched in text before all other processing, and is never split.
type Token struct {
	ID      int32
	Content string
	Special bool // omitted by Decode
	// SingleWord requires that no word character precedes or follows the token.
	SingleWord bool
	// LStrip and RStrip include the white space before and after the token in the match.
	LStrip, RStrip bool
	// Normalized matches the token in normalized text instead of the unchanged text.
	Normalized bool
}

// TokenFinder finds tokens in a text. It is read-only and may be used from many goroutines.
type TokenFinder struct {
	byFirst     [256][]Pattern // by first byte, longest patterns first
	hasPatterns bool
}

// Pattern is a token with the text that matches it.
type Pattern struct {
	Text  string
	Token Token
}

// NewTokenFinder returns a finder of patterns. It ignores empty ones.
func NewTokenFinder(patterns []Pattern) *TokenFinder {
	f := &TokenFinder{}
	for _, p := range patterns {
		if p.Text != "" {
			f.byFirst[p.Text[0]] = append(f.byFirst[p.Text[0]], p)
			f.hasPatterns = true
		}
	}
	for _, list := range f.byFirst {
		slices.SortStableFunc(list, func(a, b Pattern) int { return cmp.Compare(len(b.Text), len(a.Text)) })
	}
	return f
}

// Split calls text with each part of s that is not an added token, and token with each token, in order. first reports
// whether the part is at the start of s.
func (f *TokenFinder) Split(s string, text func(part string, first bool), token func(id int32)) {
	done := 0
	for at := 0; f.hasPatterns && at < len(s); {
		p, ok := f.matchAt(s, at)
		if !ok {
			at++
			continue
		}
		start, end := at, at+len(p.Text)
		at = end
		if p.Token.SingleWord && (endsWithWord(s[:start]) || startsWithWord(s[end:])) {
			continue
		}
		if p.Token.LStrip {
			start = max(done, len(strings.TrimRightFunc(s[:start], unicode.IsSpace)))
		}
		if p.Token.RStrip {
			end = len(s) - len(strings.TrimLeftFunc(s[end:], unicode.IsSpace))
			at = end
		}
		if done < start {
			text(s[done:start], done == 0)
		}
		token(p.Token.ID)
		done = end
	}
	if done < len(s) {
		text(s[done:], done == 0)
	}
}

func (f *TokenFinder) matchAt(s string, at int) (Pattern, bool) {
	for _, p := range f.byFirst[s[at]] {
		if strings.HasPrefix(s[at:], p.Text) {
			return p, true
		}
	}
	return Pattern{}, false
}

func endsWithWord(s string) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	return size > 0 && isWordCharacter(r)
}

func startsWithWord(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size > 0 && isWordCharacter(r)
}

// isWordCharacter is \w in Rust's regular expressions: the word characters of Unicode Technical Standard 18, annex C.
func isWordCharacter(r rune) bool {
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc,
		unicode.Join_Control)
}
