package npy

import (
	"fmt"
	"strconv"
	"strings"
)

// headerParser parses the Python literals in a header.
type headerParser struct{ rest string }

// acceptToken skips white space and then the token, and reports whether the token was there.
func (p *headerParser) acceptToken(token string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.rest, " \t\r\n"), token)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *headerParser) expectToken(token string) error {
	if !p.acceptToken(token) {
		return fmt.Errorf("%.20q, want %q", p.rest, token)
	}
	return nil
}

// parseQuoted parses a string without escapes.
func (p *headerParser) parseQuoted() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if p.acceptToken(quote) {
			text, rest, ok := strings.Cut(p.rest, quote)
			if !ok {
				return "", fmt.Errorf("%.20q, want a closing %s", p.rest, quote)
			}
			p.rest = rest
			return text, nil
		}
	}
	return "", fmt.Errorf("%.20q, want a string", p.rest)
}

func (p *headerParser) parseField(h *Header, key string) (err error) {
	if err := p.expectToken(":"); err != nil {
		return err
	}
	switch key {
	case "descr":
		h.DType, err = p.parseQuoted()
	case "fortran_order":
		if h.Fortran = p.acceptToken("True"); !h.Fortran {
			err = p.expectToken("False")
		}
	case "shape":
		h.Shape, err = p.parseTuple()
	default:
		err = fmt.Errorf("an unknown key, want descr, fortran_order or shape")
	}
	return err
}

// parseTuple parses a tuple of whole numbers of at least 0.
func (p *headerParser) parseTuple() ([]int, error) {
	shape := []int{}
	if err := p.expectToken("("); err != nil {
		return nil, err
	}
	for !p.acceptToken(")") {
		n, err := p.parseNumber()
		if err != nil {
			return nil, err
		}
		if shape = append(shape, n); !p.acceptToken(",") {
			return shape, p.expectToken(")")
		}
	}
	return shape, nil
}

func (p *headerParser) parseNumber() (int, error) {
	text := strings.TrimLeft(p.rest, " ")
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end <= 0 {
		return 0, fmt.Errorf("%.20q, want a number", text)
	}
	n, err := strconv.Atoi(text[:end])
	if err != nil {
		return 0, err
	}
	p.rest = strings.TrimPrefix(text[end:], "L") // suffix of integers in Python 2
	return n, nil
}
