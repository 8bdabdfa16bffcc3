package mllog

import (
	"bytes"
	"math"
	"math/bits"
	"strings"
)

// Bits that record which fields of an entry were read.
const (
	seenSeqID = 1 << iota
	seenIndex
	seenData
	seenTokenData
	seenTokenCount
)

// fieldNames lists the names of the fields in the order of their bits.
var fieldNames = [...]string{"seq_id", "qsl_idx", "data", "token_data", "token_count"}

// requiredFields is the number of fields that an entry must have, from the first on.
const requiredFields = 3

// Maximum sizes in an entry. The largest payloads are volumes of 3d-unet with 100 million voxels of a byte each.
const (
	maxPayload = 256 << 20 // in bytes, each of two digits
	maxName    = 4 << 10   // in bytes, with the closing quotation mark
)

// parseEntry parses the entry whose opening brace is at a.at. It decodes payloads while reading and never holds their
// digits.
func (a *AccuracyReader) parseEntry() (AccuracyEntry, error) {
	a.entryStart = a.logOffset()
	a.at++
	e := AccuracyEntry{TokenCount: -1}
	for seen := 0; ; {
		field, err := a.parseMember(&e, seen)
		if err != nil {
			return e, err
		}
		seen |= field
		c, err := a.skipToToken()
		switch {
		case err != nil:
			return e, err
		case c == '}':
			return e, a.completeEntry(seen)
		case c != ',':
			return e, a.entryError("want %q, found %s", ',', a.restOfEntry())
		}
		a.at++
	}
}

// completeEntry ends an entry at its closing brace.
func (a *AccuracyReader) completeEntry(seen int) error {
	for i, name := range fieldNames[:requiredFields] {
		if seen&(1<<i) == 0 {
			return a.entryError("the entry lacks %s", name)
		}
	}
	a.at++
	a.entryStart, a.state = noEntry, afterEntry
	return nil
}

// parseMember parses a name and its value into e, and returns the field's bit.
func (a *AccuracyReader) parseMember(e *AccuracyEntry, seen int) (bit int, err error) {
	if bit, err = a.parseName(); err != nil {
		return 0, err
	}
	if seen&bit != 0 {
		return 0, a.entryError("the field %s occurs twice", fieldNames[bits.TrailingZeros(uint(bit))])
	}
	switch c, err := a.skipToToken(); {
	case err != nil:
		return 0, err
	case c != ':':
		return 0, a.entryError("want %q, found %s", ':', a.restOfEntry())
	}
	a.at++
	if _, err := a.skipToToken(); err != nil {
		return 0, err
	}
	switch bit {
	case seenSeqID:
		e.SeqID, err = a.parseNumber()
	case seenIndex:
		e.QSLIndex, err = a.parseNumber()
	case seenData:
		e.Data, err = a.parsePayload(&a.data)
	case seenTokenData:
		e.TokenData, err = a.parsePayload(&a.tokenData)
	case seenTokenCount:
		e.TokenCount, err = a.parseSigned()
	}
	return bit, err
}

// expectQuote reads a quotation mark or returns an error.
func (a *AccuracyReader) expectQuote() error {
	c, err := a.skipToToken()
	if err == nil && c != '"' {
		err = a.entryError("want %q, found %s", '"', a.restOfEntry())
	}
	if err == nil {
		a.at++
	}
	return err
}

// parseName parses the name of a field and returns its bit.
func (a *AccuracyReader) parseName() (bit int, err error) {
	if err := a.expectQuote(); err != nil {
		return 0, err
	}
	n := bytes.IndexByte(a.buf[a.at:], '"')
	for n < 0 {
		if bytes.IndexByte(a.buf[a.at:], '}') >= 0 || len(a.buf)-a.at > maxName {
			return 0, a.entryError("a string without its closing quote")
		}
		if err := a.readMore(); err != nil {
			return 0, err
		}
		n = bytes.IndexByte(a.buf[a.at:], '"')
	}
	name := a.buf[a.at : a.at+n]
	for i, known := range fieldNames {
		if string(name) == known {
			a.at += n + 1
			return 1 << i, nil
		}
	}
	if bytes.Contains(name, shortenedMark) {
		return 0, a.errShortened()
	}
	return 0, a.entryError("unknown field %s, want %s", quoteText(name), strings.Join(fieldNames[:], ", "))
}

// parseNumber parses a number of at least one digit.
func (a *AccuracyReader) parseNumber() (n uint64, err error) {
	for digits := 0; ; digits++ {
		if a.at == len(a.buf) {
			if _, err := a.peekByte(); err != nil {
				return 0, err
			}
		}
		d := uint64(a.buf[a.at] - '0')
		switch {
		case d > 9 && digits == 0:
			return 0, a.entryError("want a number, found %s", a.restOfEntry())
		case d > 9:
			return n, nil
		case n > (math.MaxUint64-d)/10:
			return 0, a.entryError("a number beyond 64 bits")
		}
		n = n*10 + d
		a.at++
	}
}

// parseSigned parses a number that may be negative.
func (a *AccuracyReader) parseSigned() (int64, error) {
	c, err := a.peekByte()
	if err != nil {
		return 0, err
	}
	negative := c == '-'
	if negative {
		a.at++
	}
	n, err := a.parseNumber()
	switch {
	case err != nil:
		return 0, err
	case n > math.MaxInt64:
		return 0, a.entryError("token_count %d is beyond 63 bits", n)
	case negative:
		return -int64(n), nil
	}
	return int64(n), nil
}

// parsePayload decodes a string of hexadecimal digits into memory, and extends memory if necessary.
func (a *AccuracyReader) parsePayload(memory *[]byte) ([]byte, error) {
	if err := a.expectQuote(); err != nil {
		return nil, err
	}
	start := a.logOffset() - 1
	if *memory == nil {
		*memory = []byte{}
	}
	*memory = (*memory)[:0]
	for {
		text := a.buf[a.at:]
		n := bytes.IndexByte(text, '"')
		closed := n >= 0
		if !closed {
			n = len(text)
		}
		var ok bool
		*memory, ok = appendDecoded(*memory, text[:n&^1])
		if !ok {
			a.at += badDigit(text)
			return nil, a.notDigit()
		}
		if len(*memory) > maxPayload {
			return nil, a.faultAt(start, "a payload of more than %d bytes, the most that an entry may have", maxPayload)
		}
		a.at += n &^ 1
		switch {
		case closed && n%2 != 0 && hexValues[a.buf[a.at]] == notHex:
			return nil, a.notDigit()
		case closed && n%2 != 0:
			return nil, a.faultAt(start, "a payload of an odd number of digits")
		case closed:
			a.at++
			return *memory, nil
		}
		if err := a.readMore(); err != nil {
			return nil, err
		}
	}
}

func (a *AccuracyReader) notDigit() error {
	if a.buf[a.at] == '}' { // end of the entry
		return a.entryError("a string without its closing quote")
	}
	return a.entryError("want a hexadecimal digit, found %q", a.buf[a.at])
}
