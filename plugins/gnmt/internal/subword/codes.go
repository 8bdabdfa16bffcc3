package subword

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Merges contains the merges of a codes file. It is immutable.
type Merges struct {
	ranks       map[symbolPair]int
	separateEnd bool // the end of a word is a separate symbol (version 0.1)
}

// symbolPair is a pair of adjacent symbols.
type symbolPair struct{ left, right string }

// wordEnd marks the end of a word.
const wordEnd = "</w>"

const (
	versionMark = "#version:"
	blanks      = "\r\n "
)

// ParseCodes parses a codes file. It starts with an optional line "#version: 0.1" or 0.2; the default is 0.1. Each
// further line is a pair, in the order of merging. If a pair occurs twice, the first occurrence counts. The error lists
// every invalid line.
func ParseCodes(data []byte) (*Merges, error) {
	text := strings.TrimRight(string(bytes.TrimPrefix(data, []byte("\ufeff"))), "\n")
	lines := strings.Split(text, "\n")
	c := &Merges{ranks: make(map[symbolPair]int, len(lines)), separateEnd: true}
	var faults []error
	first := 0
	if strings.HasPrefix(lines[0], versionMark) {
		first = 1
		faults = append(faults, c.setVersion(lines[0]))
	}
	for i, line := range lines[first:] {
		if err := c.addLine(line, i); err != nil {
			faults = append(faults, fmt.Errorf("line %d: %w", first+i+1, err))
		}
	}
	if err := joinFaults(faults); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCodes, err)
	}
	return c, nil
}

func (c *Merges) setVersion(line string) error {
	switch version := strings.TrimSpace(strings.TrimPrefix(line, versionMark)); version {
	case "0.1":
	case "0.2":
		c.separateEnd = false
	default:
		return fmt.Errorf("line 1: version %q, want 0.1 or 0.2", version)
	}
	return nil
}

func (c *Merges) addLine(line string, rank int) error {
	symbols := strings.Split(strings.Trim(line, blanks), " ")
	switch {
	case !utf8.ValidString(line):
		return errors.New("it is not UTF-8")
	case len(symbols) != 2 || symbols[0] == "" || symbols[1] == "":
		return fmt.Errorf("%s: want two symbols with a space between them", strconv.Quote(line))
	}
	p := symbolPair{symbols[0], symbols[1]}
	if _, twice := c.ranks[p]; !twice {
		c.ranks[p] = rank
	}
	return nil
}

// maxFaults limits the number of faults in an error.
const maxFaults = 20

// joinFaults joins the faults, up to maxFaults of them.
func joinFaults(faults []error) error {
	kept := slices.DeleteFunc(faults, func(err error) bool { return err == nil })
	if more := len(kept) - maxFaults; more > 0 {
		kept = append(kept[:maxFaults], fmt.Errorf("and %d more", more))
	}
	return errors.Join(kept...)
}
