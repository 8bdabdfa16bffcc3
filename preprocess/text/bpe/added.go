package bpe

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Added is a token that is found in text before anything else, and is not taken apart.
type Added struct {
	ID      int32
	Content string
	Special bool // left out by Decode
	// SingleWord finds the token between other than word characters only.
	SingleWord bool
	// LStrip and RStrip take the white space before and after the token along.
	LStrip, RStrip bool
	// Normalized finds the token in normalized text, else it is found in the text as it is.
	Normalized bool
}

// finder looks for added tokens.
type finder struct {
	byFirst [256][]pattern // the longest first
	any     bool
}

type pattern struct {
	text  string
	token Added
}

func newFinder(patterns []pattern) *finder {
	f := &finder{}
	for _, p := range patterns {
		if p.text != "" {
			f.byFirst[p.text[0]] = append(f.byFirst[p.text[0]], p)
			f.any = true
		}
	}
	for _, list := range f.byFirst {
		slices.SortStableFunc(list, func(a, b pattern) int { return cmp.Compare(len(b.text), len(a.text)) })
	}
	return f
}

// split calls text with each part of s that is no added token, and token with each that is, in their order. first tells
// whether a part starts where s does.
func (f *finder) split(s string, text func(part string, first bool), token func(id int32)) {
	done := 0
	for at := 0; f.any && at < len(s); {
		p, ok := f.match(s, at)
		if !ok {
			at++
			continue
		}
		start, end := at, at+len(p.text)
		at = end
		if p.token.SingleWord && (endsWithWord(s[:start]) || startsWithWord(s[end:])) {
			continue
		}
		if p.token.LStrip {
			start = max(done, len(strings.TrimRightFunc(s[:start], unicode.IsSpace)))
		}
		if p.token.RStrip {
			end = len(s) - len(strings.TrimLeftFunc(s[end:], unicode.IsSpace))
			at = end
		}
		if done < start {
			text(s[done:start], done == 0)
		}
		token(p.token.ID)
		done = end
	}
	if done < len(s) {
		text(s[done:], done == 0)
	}
}

func (f *finder) match(s string, at int) (pattern, bool) {
	for _, p := range f.byFirst[s[at]] {
		if strings.HasPrefix(s[at:], p.text) {
			return p, true
		}
	}
	return pattern{}, false
}

func endsWithWord(s string) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	return size > 0 && isWord(r)
}

func startsWithWord(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size > 0 && isWord(r)
}

// isWord is \w of Rust's regular expressions: the word characters of Unicode Technical Standard 18, annex C.
func isWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc, unicode.Join_Control)
}
