package bpe

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/preprocess/text/internal/pattern"
)

// matchFinder calls yield with the parts of a text in order: matches, and the text between them. No part is empty.
type matchFinder func(text string, yield func(part string, match bool))

// buildFinder builds a finder for the pattern of a part, which is a regular expression or a string.
func (p *fileParser) buildFinder(what string, v filePart) matchFinder {
	switch {
	case v.Pattern.Regex != nil:
		compiled, err := pattern.Compile(*v.Pattern.Regex)
		if err != nil {
			p.addFault("%s: %v", what, err)
			break
		}
		return compiled.Each
	case v.Pattern.String != nil && *v.Pattern.String != "":
		return newStringFinder(*v.Pattern.String)
	default:
		p.addFault("a %s without a pattern of kind Regex or String", what)
	}
	return func(string, func(string, bool)) {}
}

// newStringFinder returns a finder of a string.
func newStringFinder(wanted string) matchFinder {
	return func(text string, yield func(string, bool)) {
		for text != "" {
			at := strings.Index(text, wanted)
			switch {
			case at < 0:
				yield(text, false)
				return
			case at > 0:
				yield(text[:at], false)
			}
			yield(wanted, true)
			text = text[at+len(wanted):]
		}
	}
}

// newCharacterFinder returns a finder of single characters for which is returns true.
func newCharacterFinder(is func(rune) bool) matchFinder {
	return func(text string, yield func(string, bool)) {
		done := 0
		for i, r := range text {
			if !is(r) {
				continue
			}
			if done < i {
				yield(text[done:i], false)
			}
			done = i + utf8.RuneLen(r)
			yield(text[i:done], true)
		}
		if done < len(text) {
			yield(text[done:], false)
		}
	}
}

func isPunctuation(r rune) bool {
	return unicode.IsPunct(r) || r < utf8.RuneSelf && unicode.IsSymbol(r)
}

func (p *fileParser) splitPattern(v filePart) pieceSplitter {
	each := p.buildFinder("Split pre-tokenizer", v)
	if v.Invert {
		plain := each
		each = func(text string, yield func(string, bool)) {
			plain(text, func(part string, match bool) { yield(part, !match) })
		}
	}
	return p.buildSplitter(each, v.Behavior)
}

// buildSplitter returns the splitter for a behavior, which determines how matches and the text between them become
// pieces.
func (p *fileParser) buildSplitter(each matchFinder, behavior string) pieceSplitter {
	switch behavior {
	case "Isolated":
		return newIsolatedSplitter(each)
	case "Removed":
		return func(text string, _ bool, yield func(string)) {
			each(text, func(part string, match bool) {
				if !match {
					yield(part)
				}
			})
		}
	case "Contiguous":
		return newJoinedSplitter(each, func(before, match bool) bool { return before == match })
	case "MergedWithPrevious":
		return newJoinedSplitter(each, func(before, match bool) bool { return match && !before })
	case "MergedWithNext":
		return newJoinedSplitter(each, func(before, match bool) bool { return before && !match })
	}
	p.addFault("a Split pre-tokenizer of behavior %q, want Isolated, Removed, Contiguous, MergedWithPrevious or "+
		"MergedWithNext", behavior)
	return yieldWholeText
}

// newIsolatedSplitter returns a splitter that makes a piece of each match and of each text between matches.
func newIsolatedSplitter(each matchFinder) pieceSplitter {
	return func(text string, _ bool, yield func(string)) {
		each(text, func(part string, _ bool) { yield(part) })
	}
}

// newJoinedSplitter returns a splitter that joins adjacent parts for which shouldJoin returns true.
func newJoinedSplitter(each matchFinder, shouldJoin func(before, match bool) bool) pieceSplitter {
	return func(text string, _ bool, yield func(string)) {
		start, end, before := 0, 0, false
		each(text, func(part string, match bool) {
			if end > start && !shouldJoin(before, match) {
				yield(text[start:end])
				start = end
			}
			end += len(part)
			before = match
		})
		if end > start {
			yield(text[start:end])
		}
	}
}
