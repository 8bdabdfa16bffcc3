package bpe

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/preprocess/text/internal/pattern"
)

// matches calls yield with the parts of a text in their order: matches of something, and what lies
// between them. None is empty.
type matches func(text string, yield func(part string, match bool))

// matches reads the pattern of a part: a regular expression or a string.
func (p *parser) matches(what string, v part) matches {
	switch {
	case v.Pattern.Regex != nil:
		compiled, err := pattern.Compile(*v.Pattern.Regex)
		if err != nil {
			p.fault("%s: %v", what, err)
			break
		}
		return compiled.Each
	case v.Pattern.String != nil && *v.Pattern.String != "":
		return occurrences(*v.Pattern.String)
	default:
		p.fault("a %s without a pattern of kind Regex or String", what)
	}
	return func(string, func(string, bool)) {}
}

// occurrences finds a string.
func occurrences(wanted string) matches {
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

// characters finds each character of a kind.
func characters(is func(rune) bool) matches {
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

func (p *parser) splitPattern(v part) splitter {
	each := p.matches("Split pre-tokenizer", v)
	if v.Invert {
		plain := each
		each = func(text string, yield func(string, bool)) {
			plain(text, func(part string, match bool) { yield(part, !match) })
		}
	}
	return p.behave(each, v.Behavior)
}

// behave makes pieces of matches and what lies between them.
func (p *parser) behave(each matches, behavior string) splitter {
	switch behavior {
	case "Isolated":
		return isolated(each)
	case "Removed":
		return func(text string, _ bool, yield func(string)) {
			each(text, func(part string, match bool) {
				if !match {
					yield(part)
				}
			})
		}
	case "Contiguous":
		return joined(each, func(before, match bool) bool { return before == match })
	case "MergedWithPrevious":
		return joined(each, func(before, match bool) bool { return match && !before })
	case "MergedWithNext":
		return joined(each, func(before, match bool) bool { return before && !match })
	}
	p.fault("a Split pre-tokenizer of behavior %q, want Isolated, Removed, Contiguous, MergedWithPrevious or "+
		"MergedWithNext", behavior)
	return whole
}

// isolated makes each match a piece, and each part between two.
func isolated(each matches) splitter {
	return func(text string, _ bool, yield func(string)) {
		each(text, func(part string, _ bool) { yield(part) })
	}
}

// joined makes one piece of neighbours that belong together.
func joined(each matches, together func(before, match bool) bool) splitter {
	return func(text string, _ bool, yield func(string)) {
		start, end, before := 0, 0, false
		each(text, func(part string, match bool) {
			if end > start && !together(before, match) {
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
