package mllog

import (
	"bytes"
	"fmt"
	"math"
)

// The fields of an entry, as bits of what was seen.
const (
	seenSeqID = 1 << iota
	seenIndex
	seenData
	seenTokenData
	seenTokenCount
)

// requiredFields are those of the first bits.
var requiredFields = [...]string{"seq_id", "qsl_idx", "data"}

// parseAccuracy parses what stands between an entry's braces. Payloads are decoded in place. It returns how far it
// came, and what is wrong there or "".
func parseAccuracy(body []byte) (e AccuracyEntry, used int, fault string) {
	p := entryParser{body: body}
	e.TokenCount = -1
	seen := 0
	for p.fault == "" {
		p.space()
		name := p.text()
		p.space()
		p.want(':')
		p.space()
		field := p.field(&e, name)
		if seen&field != 0 {
			p.fail("the field %s occurs twice", name)
		}
		seen |= field
		p.space()
		if p.at == len(body) {
			break
		}
		p.want(',')
	}
	for i, name := range requiredFields {
		if seen&(1<<i) == 0 {
			p.fail("the entry lacks %s", name)
		}
	}
	return e, p.at, p.fault
}

// entryParser walks through an entry; after a fault it stands still.
type entryParser struct {
	body  []byte
	at    int
	fault string
}

func (p *entryParser) fail(format string, args ...any) {
	if p.fault == "" {
		p.fault = fmt.Sprintf(format, args...)
	}
}

func (p *entryParser) space() {
	for p.at < len(p.body) {
		if c := p.body[p.at]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return
		}
		p.at++
	}
}

func (p *entryParser) want(c byte) {
	if p.at < len(p.body) && p.body[p.at] == c {
		p.at++
		return
	}
	p.fail("want %q, found %s", c, shown(p.body[p.at:]))
}

// text returns what stands between two quotes.
func (p *entryParser) text() []byte {
	p.want('"')
	if p.fault != "" {
		return nil
	}
	n := bytes.IndexByte(p.body[p.at:], '"')
	if n < 0 {
		p.fail("a string without its closing quote")
		return nil
	}
	s := p.body[p.at : p.at+n]
	p.at += n + 1
	return s
}

// field parses the value of the named field into e.
func (p *entryParser) field(e *AccuracyEntry, name []byte) (bit int) {
	if p.fault != "" {
		return 0
	}
	switch string(name) {
	case "seq_id":
		e.SeqID = p.number()
		return seenSeqID
	case "qsl_idx":
		e.QSLIndex = p.number()
		return seenIndex
	case "data":
		e.Data = p.payload()
		return seenData
	case "token_data":
		e.TokenData = p.payload()
		return seenTokenData
	case "token_count":
		e.TokenCount = p.count()
		return seenTokenCount
	}
	p.fail("unknown field %s, want seq_id, qsl_idx, data, token_data or token_count", shown(name))
	return 0
}

func (p *entryParser) number() uint64 {
	start, n := p.at, uint64(0)
	for ; p.at < len(p.body) && p.body[p.at]-'0' <= 9; p.at++ {
		d := uint64(p.body[p.at] - '0')
		if n > (math.MaxUint64-d)/10 {
			p.fail("a number beyond 64 bits")
			return 0
		}
		n = n*10 + d
	}
	if p.at == start {
		p.fail("want a number, found %s", shown(p.body[p.at:]))
	}
	return n
}

func (p *entryParser) count() int64 {
	negative := p.at < len(p.body) && p.body[p.at] == '-'
	if negative {
		p.at++
	}
	n := p.number()
	if n > math.MaxInt64 {
		p.fail("token_count %d is beyond 63 bits", n)
		return 0
	}
	if negative {
		return -int64(n)
	}
	return int64(n)
}

// payload decodes the hexadecimal string at p.at in place.
func (p *entryParser) payload() []byte {
	start := p.at
	text := p.text()
	if p.fault != "" {
		return nil
	}
	if len(text)%2 != 0 {
		p.at = start
		p.fail("a payload of an odd number of digits")
		return nil
	}
	n, ok := decodeHex(text)
	if !ok {
		p.at = start + 1 + n
		p.fail("want a hexadecimal digit, found %q", p.body[p.at])
		return nil
	}
	return text[:n:n]
}

// notHex marks a byte that is no hexadecimal digit.
const notHex = 0xFF

var hexValues = func() (t [256]byte) {
	for i := range t {
		t[i] = notHex
	}
	for i := range 16 {
		t["0123456789ABCDEF"[i]] = byte(i)
		t["0123456789abcdef"[i]] = byte(i)
	}
	return t
}()

// decodeHex decodes an even number of digits into the front of text. It returns the number of bytes, or where the
// first wrong digit stands.
func decodeHex(text []byte) (n int, ok bool) {
	for i := 0; i+1 < len(text); i += 2 {
		high, low := hexValues[text[i]], hexValues[text[i+1]]
		if high|low > 15 {
			if high != notHex {
				i++
			}
			return i, false
		}
		text[i/2] = high<<4 | low
	}
	return len(text) / 2, true
}
