package npy

import (
	"fmt"
	"strconv"
	"strings"
)

// parser reads the few Python literals of a header.
type parser struct{ rest string }

// accept passes over white space and a token, if it comes next.
func (p *parser) accept(token string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.rest, " \t\r\n"), token)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *parser) expect(token string) error {
	if !p.accept(token) {
		return fmt.Errorf("%.20q, want %q", p.rest, token)
	}
	return nil
}

// quoted reads a string without escapes.
func (p *parser) quoted() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if p.accept(quote) {
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

func (p *parser) field(h *Header, key string) (err error) {
	if err := p.expect(":"); err != nil {
		return err
	}
	switch key {
	case "descr":
		h.DType, err = p.quoted()
	case "fortran_order":
		if h.Fortran = p.accept("True"); !h.Fortran {
			err = p.expect("False")
		}
	case "shape":
		h.Shape, err = p.tuple()
	default:
		err = fmt.Errorf("an unknown key, want descr, fortran_order or shape")
	}
	return err
}

// tuple reads whole numbers of at least 0.
func (p *parser) tuple() ([]int, error) {
	shape := []int{}
	if err := p.expect("("); err != nil {
		return nil, err
	}
	for !p.accept(")") {
		n, err := p.number()
		if err != nil {
			return nil, err
		}
		if shape = append(shape, n); !p.accept(",") {
			return shape, p.expect(")")
		}
	}
	return shape, nil
}

func (p *parser) number() (int, error) {
	text := strings.TrimLeft(p.rest, " ")
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end <= 0 {
		return 0, fmt.Errorf("%.20q, want a number", text)
	}
	n, err := strconv.Atoi(text[:end])
	if err != nil {
		return 0, err
	}
	p.rest = strings.TrimPrefix(text[end:], "L") // of Python 2
	return n, nil
}
