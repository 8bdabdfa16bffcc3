package bfcl

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// errSyntax means that Python cannot parse the text.
var errSyntax = errors.New("no Python")

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenName
	tokenNumber
	tokenString
	tokenOperator
)

// pyToken is a Python token. Tokens of numbers and strings have a value.
type pyToken struct {
	kind        tokenKind
	text        string
	value       any    // int64, *big.Int, float64, string
	unsupported string // kind of a constant that JSON cannot represent: bytes or a complex number
	raw         bool   // an f-string, whose value is unknown
}

// operators contains Python's operators. An operator precedes its own prefixes.
var operators = []string{
	"...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", ":=", "->",
	"+", "-", "*", "/", "%", "@", "&", "|", "^", "~", "<", ">", "(", ")", "[", "]", "{", "}", ",", ":", ".", "=",
}

// maxTokens limits the length of expressions. It is far above the length of models' calls.
const maxTokens = 1 << 14

// tokenize splits an expression into tokens. Newlines count as blanks because the expression is within brackets.
func tokenize(text string) (all []pyToken, err error) {
	for len(all) < maxTokens {
		text = strings.TrimLeft(text, " \t\f\r\n")
		switch {
		case text == "":
			return append(all, pyToken{kind: tokenEnd}), nil
		case strings.HasPrefix(text, "\\\n"):
			text = text[2:]
			continue
		case text[0] == '#':
			i := strings.IndexByte(text, '\n')
			if i < 0 {
				return nil, errSyntax // a comment would contain the closing brackets
			}
			text = text[i:]
			continue
		}
		t, n, err := readToken(text)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
		text = text[n:]
	}
	return nil, errSyntax
}

func readToken(text string) (t pyToken, n int, err error) {
	c := text[0]
	if i := stringStart(text); i >= 0 {
		return readString(text, i)
	}
	if '0' <= c && c <= '9' || c == '.' && len(text) > 1 && '0' <= text[1] && text[1] <= '9' {
		return readNumber(text)
	}
	if n = nameEnd(text); n > 0 {
		return pyToken{kind: tokenName, text: text[:n]}, n, nil
	}
	for _, op := range operators {
		if strings.HasPrefix(text, op) {
			return pyToken{kind: tokenOperator, text: op}, len(op), nil
		}
	}
	return pyToken{}, 0, errSyntax
}

// nameEnd returns the length of the identifier at the beginning of text; 0: none.
func nameEnd(text string) int {
	for i, r := range text {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !pystr.IsWord(r)) {
			return i
		}
	}
	return len(text)
}

// stringStart returns the position of the opening quote if a string literal, perhaps with a prefix, begins text;
// otherwise -1.
func stringStart(text string) int {
	for i := range min(3, len(text)) {
		switch c := text[i] | 0x20; {
		case text[i] == '"' || text[i] == '\'':
			return i
		case c != 'r' && c != 'b' && c != 'u' && c != 'f':
			return -1
		}
	}
	return -1
}

// readString reads a string literal with its opening quote at position quote.
func readString(text string, quote int) (t pyToken, n int, err error) {
	prefix := strings.ToLower(text[:quote])
	switch prefix {
	case "", "u", "r", "b", "f", "br", "rb", "fr", "rf":
	default:
		return t, 0, errSyntax
	}
	mark := text[quote : quote+1]
	if strings.HasPrefix(text[quote:], strings.Repeat(mark, 3)) {
		mark = strings.Repeat(mark, 3)
	}
	start := quote + len(mark)
	for n = start; !strings.HasPrefix(text[n:], mark); n++ {
		if n >= len(text) || text[n] == '\n' && len(mark) == 1 {
			return t, 0, errSyntax
		}
		if text[n] == '\\' {
			if n++; n >= len(text) {
				return t, 0, errSyntax
			}
		}
	}
	inner, end := text[start:n], n+len(mark)
	t = pyToken{kind: tokenString, text: text[:end]}
	switch {
	case strings.Contains(prefix, "f"):
		t.raw = true
		return t, end, nil
	case strings.Contains(prefix, "b"):
		t.unsupported = "bytes"
	}
	if !strings.Contains(prefix, "r") {
		if inner, err = unescapeString(inner, t.unsupported != ""); err != nil {
			return t, 0, err
		}
	}
	t.value = inner
	return t, end, nil
}

// escapes contains the characters that follow a backslash in escape sequences of one character.
var escapes = map[byte]string{
	'\\': "\\", '\'': "'", '"': "\"", 'a': "\a", 'b': "\b", 'f': "\f", 'n': "\n", 'r': "\r", 't': "\t", 'v': "\v",
	'\n': "",
}

// unescapeString returns the value of a string literal. Unknown escapes stay unchanged, as in Python.
func unescapeString(text string, inBytes bool) (string, error) {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, `\`)
		out.WriteString(before)
		if !found {
			return out.String(), nil
		}
		c := rest[0] // not empty: a backslash at the end would have escaped the closing quote
		if s, ok := escapes[c]; ok {
			out.WriteString(s)
			text = rest[1:]
			continue
		}
		skip, digits, base := characterDigits(rest, inBytes)
		if digits == 0 {
			out.WriteString(`\`)
			text = rest
			continue
		}
		if len(rest) < skip+digits {
			return "", errSyntax
		}
		v, err := strconv.ParseUint(rest[skip:skip+digits], base, 32)
		if err != nil || v > unicode.MaxRune {
			return "", errSyntax
		}
		out.WriteString(encodeRune(rune(v)))
		text = rest[skip+digits:]
	}
}

// characterDigits returns the form of a character number after a backslash: the characters to skip, the number of
// digits (0: not a number) and the base.
func characterDigits(rest string, inBytes bool) (skip, digits, base int) {
	switch c := rest[0]; {
	case '0' <= c && c <= '7':
		for digits < 3 && digits < len(rest) && '0' <= rest[digits] && rest[digits] <= '7' {
			digits++
		}
		return 0, digits, 8
	case c == 'x':
		return 1, 2, 16
	case c == 'u' && !inBytes:
		return 1, 4, 16
	case c == 'U' && !inBytes:
		return 1, 8, 16
	}
	return 0, 0, 0
}

// encodeRune returns the UTF-8 encoding of a character. A lone surrogate becomes three bytes that are not valid UTF-8.
func encodeRune(r rune) string {
	if 0xd800 <= r && r < 0xe000 {
		return string([]byte{0xe0 | byte(r>>12), 0x80 | byte(r>>6)&0x3f, 0x80 | byte(r)&0x3f})
	}
	return string(r)
}

// readNumber reads a number.
func readNumber(text string) (t pyToken, n int, err error) {
	base := map[string]int{"0x": 16, "0o": 8, "0b": 2}[strings.ToLower(text[:min(2, len(text))])]
	n = numberEnd(text, base)
	if r, _ := utf8.DecodeRuneInString(text[n:]); n < len(text) && r >= utf8.RuneSelf && pystr.IsWord(r) {
		return t, 0, errSyntax
	}
	number := text[:n]
	t = pyToken{kind: tokenNumber, text: number}
	if !underscoresFit(number, base) {
		return t, 0, errSyntax
	}
	plain := strings.ReplaceAll(number, "_", "")
	if last := plain[len(plain)-1] | 0x20; base == 0 && last == 'j' {
		t.unsupported, plain = "a complex number", plain[:len(plain)-1]
	}
	if base != 0 || t.unsupported == "" && !strings.ContainsAny(plain, ".eE") {
		t.value, err = parseInteger(plain, base)
		return t, n, err
	}
	f, err := strconv.ParseFloat(plain, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return t, 0, errSyntax
	}
	t.value = f
	return t, n, nil
}

// numberEnd returns the length of the number at the beginning of text. base is 0 if the number has no base prefix.
func numberEnd(text string, base int) (n int) {
	for n < len(text) {
		c := text[n]
		sign := base == 0 && (c == '+' || c == '-') && text[n-1]|0x20 == 'e'
		if c != '.' && c != '_' && !isAlnum(c) && !sign {
			break
		}
		n++
	}
	return n
}

// parseInteger returns the value of an integer literal. If base is not 0, a prefix of two characters names it. A
// literal without a prefix may begin with 0 only if its value is 0.
func parseInteger(digits string, base int) (any, error) {
	if base != 0 {
		v, ok := new(big.Int).SetString(digits[2:], base)
		if !ok {
			return nil, errSyntax
		}
		return narrowInt(v), nil
	}
	v, err := pyvalue.Int(digits)
	if err != nil || len(digits) > 1 && digits[0] == '0' && v.Sign() != 0 {
		return nil, errSyntax
	}
	return narrowInt(v), nil
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// underscoresFit reports whether each underscore is between two digits or follows a base prefix.
func underscoresFit(number string, base int) bool {
	digit := func(i int) bool { return i >= 0 && i < len(number) && number[i] != '.' && isAlnum(number[i]) }
	for i := range number {
		if number[i] != '_' {
			continue
		}
		if !digit(i-1) || !digit(i+1) || base == 0 && (number[i-1] > '9' || number[i+1] > '9') {
			return false
		}
	}
	return true
}

// narrowInt returns n as an int64 if it fits.
func narrowInt(n *big.Int) any {
	if n.IsInt64() {
		return n.Int64()
	}
	return n
}
