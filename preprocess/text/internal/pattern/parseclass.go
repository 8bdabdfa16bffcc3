package pattern

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// class reads what follows an opening [, to its end.
func (p *parser) class() (set, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	negative := p.take("^")
	s, err := p.members()
	for err == nil && p.take("&&") {
		var other set
		other, err = p.members()
		s = s.intersect(other)
	}
	if err == nil && !p.take("]") {
		err = errors.New("a [ without its ]")
	}
	if err != nil {
		return nil, err
	}
	if p.anyCase {
		if len(s) > 0 && s[len(s)-1].hi >= utf8.RuneSelf {
			return nil, errors.New("characters beyond ASCII in any case")
		}
		s = s.anyCase()
	}
	return negate(s, negative), nil
}

// members reads the characters of a class up to its end or &&.
func (p *parser) members() (set, error) {
	var parts []set
	for first := true; ; first = false {
		switch {
		case p.rest == "", p.rest[0] == ']' && !first, strings.HasPrefix(p.rest, "&&"):
			return union(parts...), nil
		case strings.HasPrefix(p.rest, "[:"):
			return nil, fmt.Errorf("the class %.12q", p.rest)
		}
		s, err := p.member()
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
}

// member reads a class within a class, a character, or a range of them.
func (p *parser) member() (set, error) {
	if p.take("[") {
		return p.class()
	}
	s, err := p.one()
	if err != nil || !strings.HasPrefix(p.rest, "-") || strings.HasPrefix(p.rest, "-]") {
		return s, err
	}
	p.next()
	last, err := p.one()
	if err != nil {
		return nil, err
	}
	if !isSingle(s) || !isSingle(last) || s[0].lo > last[0].lo {
		return nil, errors.New("a range that does not go from one character to a later one")
	}
	return set{{s[0].lo, last[0].lo}}, nil
}

func isSingle(s set) bool { return len(s) == 1 && s[0].lo == s[0].hi }

func (p *parser) one() (set, error) {
	if p.take(`\`) {
		return p.escape()
	}
	if p.rest == "" {
		return nil, errors.New("a [ without its ]")
	}
	return single(p.next()), nil
}

// escape reads what follows a backslash.
func (p *parser) escape() (set, error) {
	if p.rest == "" {
		return nil, errors.New(`a \ at the end`)
	}
	c := p.next()
	if s, ok := shorthand(c); ok {
		return s, nil
	}
	if r, ok := map[rune]rune{'n': '\n', 'r': '\r', 't': '\t', 'f': '\f', 'v': '\v', 'a': '\a', 'e': 0x1b}[c]; ok {
		return single(r), nil
	}
	switch {
	case c == 'p' || c == 'P':
		return p.named(c == 'P')
	case c == 'u':
		return p.code(4)
	case c == 'x' && strings.HasPrefix(p.rest, "{"):
		inside, after, _ := strings.Cut(p.rest[1:], "}")
		p.rest = after
		return codePoint(inside)
	case c == 'x':
		return p.code(2)
	case c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c)):
		return nil, fmt.Errorf(`the escape \%c`, c)
	}
	return single(c), nil
}

// named reads the name of a property.
func (p *parser) named(negative bool) (set, error) {
	name := p.rest[:min(1, len(p.rest))]
	if p.take("{") {
		var closed bool
		if name, p.rest, closed = strings.Cut(p.rest, "}"); !closed {
			return nil, errors.New("a { without its }")
		}
	} else {
		p.rest = p.rest[len(name):]
	}
	s, err := property(name)
	return negate(s, negative), err
}

func (p *parser) code(digits int) (set, error) {
	if len(p.rest) < digits {
		return nil, errors.New("a character's number that is cut")
	}
	text := p.rest[:digits]
	p.rest = p.rest[digits:]
	if digits == 2 && text > "7f" { // a byte
		return nil, fmt.Errorf(`the byte \x%s`, text)
	}
	return codePoint(text)
}

func codePoint(text string) (set, error) {
	n, err := strconv.ParseUint(text, 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return nil, fmt.Errorf("the character number %.12q", text)
	}
	return single(rune(n)), nil
}
