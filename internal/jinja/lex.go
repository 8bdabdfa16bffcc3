package jinja

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// tokenKind is the kind of a token.
type tokenKind int

const (
	tokEnd tokenKind = iota
	tokText
	tokPrint // {{
	tokPrintEnd
	tokBlock // {%
	tokBlockEnd
	tokName
	tokString
	tokInt
	tokFloat
	tokOperator
)

type token struct {
	kind  tokenKind
	text  string
	value any // of a number
	line  int
}

// lexer splits a template into tokens. It removes blanks around tags like Jinja with trim_blocks and lstrip_blocks.
type lexer struct {
	source      string
	pos         int
	line        int
	atLineStart bool // whether the text begins a line
	tokens      []token
}

func tokenize(source string) []token {
	l := &lexer{source: source, line: 1, atLineStart: true}
	for l.pos < len(source) {
		l.readText()
	}
	return append(l.tokens, token{kind: tokEnd, line: l.line})
}

func (l *lexer) fail(format string, args ...any) {
	defer func() {
		f := recover().(*templateError)
		f.line = l.line
		panic(f)
	}()
	failf(format, args...)
}

func (l *lexer) addToken(k tokenKind, text string) {
	l.tokens = append(l.tokens, token{kind: k, text: text, line: l.line})
}

// advance skips n bytes.
func (l *lexer) advance(n int) {
	l.line += strings.Count(l.source[l.pos:l.pos+n], "\n")
	l.pos += n
}

// nextTag returns the position of the next tag, or the length of the source.
func (l *lexer) nextTag() int {
	for i := l.pos; i+1 < len(l.source); i++ {
		if l.source[i] == '{' && strings.IndexByte("{%#", l.source[i+1]) >= 0 {
			return i
		}
	}
	return len(l.source)
}

// readText reads a text and the tag after it.
func (l *lexer) readText() {
	from := l.nextTag()
	text := l.source[l.pos:from]
	if from == len(l.source) {
		l.addToken(tokText, text)
		l.pos = from
		return
	}
	open, sign := l.source[from+1], byte(0)
	if from+2 < len(l.source) && (l.source[from+2] == '-' || l.source[from+2] == '+') {
		sign = l.source[from+2]
	}
	if text = l.trimText(text, sign, open); text != "" {
		l.addToken(tokText, text)
	}
	n := 2
	if sign != 0 {
		n = 3
	}
	l.advance(from - l.pos + n)
	l.atLineStart = false
	switch open {
	case '#':
		l.skipComment()
	case '{':
		l.readTag(tokPrint, tokPrintEnd, "}}")
	default:
		if !l.readRaw() {
			l.readTag(tokBlock, tokBlockEnd, "%}")
		}
	}
}

// trimText removes the blanks before a tag from the end of a text. With the sign "-" it removes all blanks. Without a
// sign it removes those on the tag's line, if there is only the tag.
func (l *lexer) trimText(text string, sign, open byte) string {
	switch {
	case sign == '-':
		return strings.TrimRightFunc(text, pyfloat.IsSpace)
	case sign == 0 && open != '{':
		i := strings.LastIndexByte(text, '\n') + 1
		if (i > 0 || l.atLineStart) && strings.TrimFunc(text[i:], pyfloat.IsSpace) == "" {
			return text[:i]
		}
	}
	return text
}

// takeTagEnd skips the end of a tag and reports whether there was one.
func (l *lexer) takeTagEnd(end string) bool {
	rest := l.source[l.pos:]
	switch {
	case strings.HasPrefix(rest, "-"+end):
		rest = rest[1+len(end):]
		blanks := len(rest) - len(strings.TrimLeftFunc(rest, pyfloat.IsSpace))
		l.advance(1 + len(end) + blanks)
	case strings.HasPrefix(rest, "+"+end) && end != "}}":
		l.advance(1 + len(end))
	case strings.HasPrefix(rest, end):
		n := len(end)
		if end != "}}" && strings.HasPrefix(rest[n:], "\n") {
			n++
		}
		l.advance(n)
	default:
		return false
	}
	l.atLineStart = l.source[l.pos-1] == '\n'
	return true
}

func (l *lexer) skipComment() {
	for l.pos < len(l.source) {
		if l.takeTagEnd("#}") {
			return
		}
		l.advance(1)
	}
	l.fail("a comment without its end, want #}")
}

// readRaw reads {% raw %}, whose contents are copied unchanged.
func (l *lexer) readRaw() bool {
	rest := strings.TrimLeftFunc(l.source[l.pos:], pyfloat.IsSpace)
	after, ok := strings.CutPrefix(rest, "raw")
	if trimmed := strings.TrimLeftFunc(after, pyfloat.IsSpace); !ok ||
		!strings.HasPrefix(strings.TrimLeft(trimmed, "+-"), "%}") {
		return false
	}
	l.fail("raw is not supported: write its text as texts in quotes")
	return true
}

// readTag reads the tokens of a tag.
func (l *lexer) readTag(open, end tokenKind, closing string) {
	l.addToken(open, "")
	var braces []byte
	for {
		l.skipBlanks()
		if l.pos >= len(l.source) {
			l.fail("a tag without its end, want %s", closing)
		}
		if len(braces) == 0 && l.takeTagEnd(closing) {
			l.addToken(end, "")
			return
		}
		braces = l.readToken(braces)
	}
}

func (l *lexer) skipBlanks() {
	rest := l.source[l.pos:]
	l.advance(len(rest) - len(strings.TrimLeftFunc(rest, pyfloat.IsSpace)))
}

// operators lists the operators of expressions, longest first.
var operators = []string{"//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}",
	">", "<", "=", ".", ":", "|", ",", ";"}

// readToken reads one token. braces contains the open braces.
func (l *lexer) readToken(braces []byte) []byte {
	c, _ := utf8.DecodeRuneInString(l.source[l.pos:])
	switch {
	case c == '\'' || c == '"':
		l.readQuoted(byte(c))
		return braces
	case c >= '0' && c <= '9':
		l.readNumber()
		return braces
	case c == '_' || unicode.IsLetter(c):
		n := strings.IndexFunc(l.source[l.pos:], func(r rune) bool {
			return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
		if n < 0 {
			n = len(l.source) - l.pos
		}
		l.addToken(tokName, l.source[l.pos:l.pos+n])
		l.advance(n)
		return braces
	}
	for _, o := range operators {
		if !strings.HasPrefix(l.source[l.pos:], o) {
			continue
		}
		l.addToken(tokOperator, o)
		l.advance(len(o))
		return l.balanceBraces(braces, o)
	}
	l.fail("unexpected %q", c)
	return nil
}

// balanceBraces updates the open braces for a brace o.
func (l *lexer) balanceBraces(braces []byte, o string) []byte {
	if i := strings.Index("([{", o); i >= 0 && len(o) == 1 {
		return append(braces, ")]}"[i])
	}
	if i := strings.Index(")]}", o); i >= 0 && len(o) == 1 {
		if len(braces) == 0 || braces[len(braces)-1] != o[0] {
			l.fail("unexpected %q", o)
		}
		return braces[:len(braces)-1]
	}
	return braces
}

// numeral matches a number: digits with underscores, a fraction, an exponent.
var numeral = regexp.MustCompile(`^[0-9_]+(\.[0-9][0-9_]*)?([eE][+-]?[0-9_]+)?`)

func (l *lexer) readNumber() {
	parts := numeral.FindStringSubmatch(l.source[l.pos:])
	end, float := l.pos+len(parts[0]), parts[1] != "" || parts[2] != ""
	text := strings.ReplaceAll(parts[0], "_", "")
	t := token{kind: tokInt, text: text, line: l.line}
	var err error
	if float {
		t.kind = tokFloat
		t.value, err = strconv.ParseFloat(text, 64)
	} else {
		t.value, err = strconv.ParseInt(text, 10, 64)
	}
	if err != nil {
		l.fail("%s is no number that can be used", text)
	}
	l.tokens = append(l.tokens, t)
	l.advance(end - l.pos)
}

func (l *lexer) readQuoted(quote byte) {
	line := l.line
	for i := l.pos + 1; i < len(l.source); i++ {
		switch l.source[i] {
		case '\\':
			i++
		case quote:
			text := l.unescape(l.source[l.pos+1 : i])
			l.advance(i + 1 - l.pos)
			l.tokens = append(l.tokens, token{kind: tokString, text: text, line: line})
			return
		}
	}
	l.fail("a text without its end, want %q", quote)
}

// simpleEscapes maps the letters of one-letter escapes to their characters.
var simpleEscapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': "\\", '\'': "'", '"': "\"", 'a': "\a",
	'b': "\b",
	'f': "\f", 'v': "\v", '\n': ""}

// unescape decodes the escapes of Python's strings.
func (l *lexer) unescape(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		i++
		if s, ok := simpleEscapes[text[i]]; ok {
			out.WriteString(s)
			continue
		}
		n := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[i]]
		if n > 0 && i+n < len(text) {
			if v, err := strconv.ParseUint(text[i+1:i+1+n], 16, 32); err == nil {
				out.WriteRune(rune(v))
				i += n
				continue
			}
		}
		if n > 0 || text[i] >= '0' && text[i] <= '7' || text[i] == 'N' {
			l.fail(`the escape \%c cannot be read`, text[i])
		}
		out.WriteString(text[i-1 : i+1])
	}
	return out.String()
}
