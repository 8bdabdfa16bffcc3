package pattern

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parseClass parses the part of a class after its opening [.
func (p *exprParser) parseClass() (runeSet, error) {
	if err := p.enterLevel(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	negative := p.acceptPrefix("^")
	s, err := p.parseMembers()
	for err == nil && p.acceptPrefix("&&") {
		var other runeSet
		other, err = p.parseMembers()
		s = s.intersect(other)
	}
	if err == nil && !p.acceptPrefix("]") {
		err = errors.New("a [ without its ]")
	}
	if err != nil {
		return nil, err
	}
	if p.ignoreCase {
		if len(s) > 0 && s[len(s)-1].hi >= utf8.RuneSelf {
			return nil, errors.New("characters beyond ASCII in any case")
		}
		s = s.foldASCII()
	}
	return negateSet(s, negative), nil
}

// parseMembers parses the characters of a class up to its end or &&.
func (p *exprParser) parseMembers() (runeSet, error) {
	var parts []runeSet
	for first := true; ; first = false {
		switch {
		case p.rest == "", p.rest[0] == ']' && !first, strings.HasPrefix(p.rest, "&&"):
			return uniteSets(parts...), nil
		case strings.HasPrefix(p.rest, "[:"):
			return nil, fmt.Errorf("the class %.12q", p.rest)
		}
		s, err := p.parseMember()
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
}

// parseMember parses a nested class, a character, or a range of characters.
func (p *exprParser) parseMember() (runeSet, error) {
	if p.acceptPrefix("[") {
		return p.parseClass()
	}
	s, err := p.parseSingle()
	if err != nil || !strings.HasPrefix(p.rest, "-") || strings.HasPrefix(p.rest, "-]") {
		return s, err
	}
	p.nextRune()
	last, err := p.parseSingle()
	if err != nil {
		return nil, err
	}
	if !isSingle(s) || !isSingle(last) || s[0].lo > last[0].lo {
		return nil, errors.New("a range that does not go from one character to a later one")
	}
	return runeSet{{s[0].lo, last[0].lo}}, nil
}

func isSingle(s runeSet) bool { return len(s) == 1 && s[0].lo == s[0].hi }

func (p *exprParser) parseSingle() (runeSet, error) {
	if p.acceptPrefix(`\`) {
		return p.parseEscape()
	}
	if p.rest == "" {
		return nil, errors.New("a [ without its ]")
	}
	return singleRune(p.nextRune()), nil
}

// parseEscape parses the part of an escape after its backslash.
func (p *exprParser) parseEscape() (runeSet, error) {
	if p.rest == "" {
		return nil, errors.New(`a \ at the end`)
	}
	c := p.nextRune()
	if s, ok := shorthandSet(c); ok {
		return s, nil
	}
	if r, ok := map[rune]rune{'n': '\n', 'r': '\r', 't': '\t', 'f': '\f', 'v': '\v', 'a': '\a', 'e': 0x1b}[c]; ok {
		return singleRune(r), nil
	}
	switch {
	case c == 'p' || c == 'P':
		return p.parseProperty(c == 'P')
	case c == 'u':
		return p.parseCodePoint(4)
	case c == 'x' && strings.HasPrefix(p.rest, "{"):
		inside, after, _ := strings.Cut(p.rest[1:], "}")
		p.rest = after
		return codePoint(inside)
	case c == 'x':
		return p.parseCodePoint(2)
	case c < utf8.RuneSelf && (unicode.IsLetter(c) || unicode.IsDigit(c)):
		return nil, fmt.Errorf(`the escape \%c`, c)
	}
	return singleRune(c), nil
}

// parseProperty parses the name of a property.
func (p *exprParser) parseProperty(negative bool) (runeSet, error) {
	name := p.rest[:min(1, len(p.rest))]
	if p.acceptPrefix("{") {
		var closed bool
		if name, p.rest, closed = strings.Cut(p.rest, "}"); !closed {
			return nil, errors.New("a { without its }")
		}
	} else {
		p.rest = p.rest[len(name):]
	}
	s, err := propertySet(name)
	return negateSet(s, negative), err
}

func (p *exprParser) parseCodePoint(digits int) (runeSet, error) {
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

func codePoint(text string) (runeSet, error) {
	n, err := strconv.ParseUint(text, 16, 32)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return nil, fmt.Errorf("the character number %.12q", text)
	}
	return singleRune(rune(n)), nil
}
