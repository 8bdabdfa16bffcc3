package mathgrade

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// Limits of nested arguments and groups, so that the recursion ends no later than Python's.
const (
	maxNesting = 1000
	levelCost  = 4 // cost of a group or an argument
)

var (
	beforeText  = []string{`\tfrac`, `\frac`, `\dfrac`, `\frac`, `\frac`, ` \frac`}
	symbolTexts = []string{"√", "sqrt", "π", "pi", "∞", "inf", "∪", "U", "·", "*", "×", "*"}
)

// LatexText returns the plain text of LaTeX as the official grader computes it with pylatexenc 2.11. Fractions become
// a/b without parentheses, and roots sqrt(x) without an index. Unknown macros vanish. ok is false if the official
// grader continues with the LaTeX.
func LatexText(s string) (text string, ok bool) {
	p := &latexReader{s: replacePairs(s, beforeText)}
	text = p.readUntil(noMark, nil)
	if p.failed || p.broken {
		return "", false
	}
	return pystr.Trim(replacePairs(text, symbolTexts)), true
}

// latexReader reads LaTeX and writes text. It accepts any text: it adds missing braces at the end and ignores surplus
// ones.
type latexReader struct {
	s      string
	i      int
	depth  int
	failed bool // there is no text, unless the failing part is dropped
	broken bool // the text cannot be read at all
	// formulas is the number of formulas around the current position.
	formulas int
}

// readFormula returns the text up to the end of a formula.
func (p *latexReader) readFormula(end closingMark) string {
	p.formulas++
	defer func() { p.formulas-- }()
	return pystr.Trim(p.readUntil(end, nil))
}

// closingMark ends a part: it is a text, or \end{name}.
type closingMark struct {
	text        string
	environment string
}

var noMark closingMark

// closingBracket ends an optional argument. Within such an argument brackets form a group.
var closingBracket = closingMark{text: "]"}

// matrixCells contains the rows of a matrix.
type matrixCells struct {
	rows [][]string
	open bool // text is added to the last cell of the last row
}

func (c *matrixCells) writeText(text string) {
	if len(c.rows) == 0 {
		c.rows = append(c.rows, nil)
	}
	last := &c.rows[len(c.rows)-1]
	if !c.open {
		*last = append(*last, "")
		c.open = true
	}
	(*last)[len(*last)-1] += text
}

// readUntil returns the text up to end and skips end. In a matrix, & and \\ end cells and rows.
func (p *latexReader) readUntil(end closingMark, matrix *matrixCells) string {
	p.depth += levelCost
	defer func() { p.depth -= levelCost }()
	if p.depth > maxNesting {
		p.broken = true
	}
	var b strings.Builder
	for p.i < len(p.s) && !p.broken && !p.acceptEnd(end) {
		if matrix != nil && p.acceptSplit(matrix) {
			continue
		}
		stray := p.isStray()
		switch text := p.readNext(end); {
		case matrix == nil:
			b.WriteString(text)
		case !stray:
			matrix.writeText(text)
		}
	}
	return b.String()
}

// acceptEnd skips the end of a part and returns true if it is next.
func (p *latexReader) acceptEnd(end closingMark) bool {
	switch {
	case end.text != "" && strings.HasPrefix(p.s[p.i:], end.text):
		p.i += len(end.text)
		return true
	case end.environment != "":
		if name, next, ok := p.readEnvironment(`\end`); ok && name == end.environment {
			p.i = next
			return true
		}
	}
	return false
}

// isStray reports whether the next character has no text: a surplus brace or end, or a backslash at the end of the
// text.
func (p *latexReader) isStray() bool {
	_, _, end := p.readEnvironment(`\end`)
	return p.s[p.i] == '}' || end || p.s[p.i:] == `\`
}

// acceptSplit skips the end of a cell or a row and returns true if it is next.
func (p *latexReader) acceptSplit(matrix *matrixCells) bool {
	switch rest := p.s[p.i:]; {
	case rest[0] == '&':
		p.i++
		matrix.open = false
	case strings.HasPrefix(rest, `\\`):
		p.i += 2
		p.readArguments("*[")
		if len(matrix.rows) == 0 {
			matrix.rows = append(matrix.rows, nil)
		}
		matrix.rows, matrix.open = append(matrix.rows, nil), false
	default:
		return false
	}
	return true
}

// ligatures are sequences of characters that represent others.
var ligatures = []struct{ text, to string }{
	{"``", "“"}, {"''", "”"}, {"---", "—"}, {"--", "–"}, {"!`", "¡"}, {"?`", "¿"}, {"&", "   "}, {"~", "\u00a0"},
}

// readNext returns the text of the next group, macro, formula, environment or characters.
func (p *latexReader) readNext(end closingMark) string {
	switch rest := p.s[p.i:]; {
	case rest[0] == '\\':
		return p.readMacro()
	case rest[0] == '{':
		p.i++
		return p.readUntil(closingMark{text: "}"}, nil)
	case rest[0] == '[' && end == closingBracket:
		p.i++
		return p.readUntil(closingBracket, nil)
	case rest[0] == '}':
		p.i++
		return ""
	case strings.HasPrefix(rest, "$$"):
		p.i += 2
		return indentBlock(p.readFormula(closingMark{text: "$$"}))
	case rest[0] == '$':
		p.i++
		return p.readFormula(closingMark{text: "$"})
	case rest[0] == '%':
		p.skipComment()
		return ""
	}
	return p.readCharacters(end)
}

// skipComment skips a comment up to the end of the line.
func (p *latexReader) skipComment() {
	if n := strings.IndexByte(p.s[p.i:], '\n'); n >= 0 {
		p.i += n
	} else {
		p.i = len(p.s)
	}
}

// readCharacters reads a ligature, or characters up to the next one with a meaning.
func (p *latexReader) readCharacters(end closingMark) string {
	start := p.i
	for p.i < len(p.s) {
		rest := p.s[p.i:]
		if strings.IndexByte(`\{}$%`, rest[0]) >= 0 || end == closingBracket && (rest[0] == '[' || rest[0] == ']') {
			break
		}
		text, n := readCharacter(rest)
		if text != rest[:n] {
			if p.i > start {
				break
			}
			p.i += n
			return text
		}
		p.i += n
	}
	return p.plainText(p.s[start:p.i])
}

// plainText returns the text of plain characters. In a formula, white space alone has no text.
func (p *latexReader) plainText(s string) string {
	if p.formulas > 0 && pystr.Trim(s) == "" {
		return ""
	}
	return s
}

// readCharacter returns the text of one character or ligature, and its length in bytes.
func readCharacter(s string) (text string, n int) {
	for _, l := range ligatures {
		if strings.HasPrefix(s, l.text) {
			return l.to, len(l.text)
		}
	}
	_, n = utf8.DecodeRuneInString(s)
	return s[:n], n
}

// emptyLine ends the white space after a macro, and can be an argument.
const emptyLine = "\n\n"

// readName reads the name of a macro after its backslash. If the name consists of letters, it also reads the white
// space after it, up to an empty line.
func (p *latexReader) readName() (name, space string) {
	p.i++
	rest := p.s[p.i:]
	n := len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsLetter))
	if n == 0 {
		_, n = utf8.DecodeRuneInString(rest)
		p.i += n
		return rest[:n], ""
	}
	p.i += n
	behind := p.s[p.i:]
	space = behind[:len(behind)-len(strings.TrimLeftFunc(behind, unicode.IsSpace))]
	space, _, _ = strings.Cut(space, emptyLine)
	p.i += len(space)
	return rest[:n], space
}

// atPlain reports whether the next character represents itself.
func (p *latexReader) atPlain() bool {
	rest := p.s[p.i:]
	if rest == "" || strings.IndexByte(`\{}$%`, rest[0]) >= 0 {
		return false
	}
	text, n := readCharacter(rest)
	return text == rest[:n]
}

// readEnvironment reads a name in braces after \begin or \end, if both are next. It returns the position after them.
func (p *latexReader) readEnvironment(word string) (name string, next int, ok bool) {
	if !p.atMacro(word) {
		return "", 0, false
	}
	rest, ok := strings.CutPrefix(strings.TrimLeftFunc(p.s[p.i+len(word):], unicode.IsSpace), "{")
	name = rest[:len(rest)-len(strings.TrimLeftFunc(rest, isEnvironmentName))]
	behind, closed := strings.CutPrefix(rest[len(name):], "}")
	return name, len(p.s) - len(behind), ok && closed && name != ""
}

// atMacro reports whether a macro is next.
func (p *latexReader) atMacro(word string) bool {
	rest, ok := strings.CutPrefix(p.s[p.i:], word)
	r, _ := utf8.DecodeRuneInString(rest)
	return ok && !unicode.IsLetter(r)
}

func isEnvironmentName(r rune) bool { return pystr.IsWord(r) || strings.ContainsRune("* .-", r) }

// readMacro returns the text of a macro or an environment.
func (p *latexReader) readMacro() string {
	for _, word := range []string{`\begin`, `\end`} {
		if !p.atMacro(word) {
			continue
		}
		name, next, ok := p.readEnvironment(word)
		if !ok {
			p.i += len(word)
			return word
		}
		p.i = next
		if word == `\end` {
			return ""
		}
		return p.readInside(name)
	}
	name, space := p.readName()
	switch name {
	case "(", ")", "]":
		if name == "(" {
			return p.readFormula(closingMark{text: `\)`})
		}
		return ""
	case "[":
		return indentBlock(p.readFormula(closingMark{text: `\]`}))
	}
	if name == "verb" && p.skipVerbatim() {
		return ""
	}
	m, ok := macros[name]
	if !ok {
		return symbolText(name) + p.keptSpace(space)
	}
	start, failed := p.i, p.failed
	args, ok := p.readArguments(m.arguments)
	if m.dropped {
		p.failed = failed
	}
	if !ok {
		p.i = start
		return p.bareText(m) + p.keptSpace(space)
	}
	return m.text(args)
}

// keptSpace returns the white space after a macro without arguments that is kept: in a formula, before a plain
// character.
func (p *latexReader) keptSpace(space string) string {
	if p.formulas > 0 && p.atPlain() {
		return space
	}
	return ""
}

// skipVerbatim skips the contents of \verb, which have no text: a character other than white space, and all characters
// up to its next occurrence. Without a next occurrence it reads nothing and returns false. At the end of the text it
// marks the whole text as failed.
func (p *latexReader) skipVerbatim() (ok bool) {
	rest := p.s[p.i:]
	if rest == "" {
		p.broken = true
		return false
	}
	text := strings.TrimLeftFunc(rest, pyfloat.IsSpace)
	_, n := utf8.DecodeRuneInString(text)
	_, behind, ok := strings.Cut(text[n:], text[:n])
	if ok = ok && n > 0; ok {
		p.i = len(p.s) - len(behind)
	}
	return ok
}

// bareText returns the text of a macro without its arguments.
func (p *latexReader) bareText(m macroRule) string {
	if m.named {
		p.failed = true
		return ""
	}
	return m.bare
}

// readArguments reads the arguments of a macro: { for a required one, [ for an optional one, ? for whether an optional
// one is present ("[" or empty), * for an optional star. ok is false if a required argument is missing.
func (p *latexReader) readArguments(spec string) (args []string, ok bool) {
	for _, kind := range spec {
		rest := p.s[p.i:]
		switch {
		case kind == '{':
			arg, ok := p.readArgument()
			if !ok {
				return nil, false
			}
			args = append(args, arg)
		case kind == '*' && strings.HasPrefix(rest, "*"):
			p.i++
		case kind == '[' && strings.HasPrefix(rest, "["):
			p.i++
			args = append(args, p.readUntil(closingBracket, nil))
		case kind == '[':
			args = append(args, "")
		case kind == '?' && strings.HasPrefix(rest, "["):
			args = append(args, "[")
		case kind == '?':
			args = append(args, "")
		}
	}
	return args, true
}

// readArgument reads a group, a macro without arguments, or a character.
func (p *latexReader) readArgument() (text string, ok bool) {
	for {
		rest := strings.TrimLeftFunc(p.s[p.i:], unicode.IsSpace)
		space, _, empty := strings.Cut(p.s[p.i:len(p.s)-len(rest)], emptyLine)
		p.i += len(space)
		if empty { // an empty line is also an argument
			p.i += len(emptyLine)
			return p.plainText(emptyLine), true
		}
		if !strings.HasPrefix(p.s[p.i:], "%") {
			break
		}
		p.skipComment()
	}
	if p.i == len(p.s) {
		return "", false
	}
	switch p.s[p.i] {
	case '}':
		return "", true
	case '{':
		p.i++
		return p.readUntil(closingMark{text: "}"}, nil), true
	case '\\':
		if _, _, ok := p.readEnvironment(`\end`); ok {
			return "", true
		}
		name, _ := p.readName()
		if name == "" {
			return "", false
		}
		if m, ok := macros[name]; ok {
			return p.bareText(m), true
		}
		return symbolText(name), true
	}
	if strings.HasPrefix(p.s[p.i:], "$$") {
		p.i += 2
		return "$$", true
	}
	text, n := readCharacter(p.s[p.i:])
	p.i += n
	return text, true
}

// readInside returns the text of an environment after its beginning.
func (p *latexReader) readInside(name string) string {
	if spec, ok := environments[name]; ok {
		start := p.i
		if _, ok := p.readArguments(spec); !ok {
			p.i = start
		}
	}
	end := closingMark{environment: name}
	if _, behind, ok := strings.Cut(p.s[p.i:], `\end{verbatim}`); ok && name == "verbatim" {
		p.i = len(p.s) - len(behind)
		return ""
	}
	switch {
	case matrices[name]:
		var m matrixCells
		p.readUntil(end, &m)
		return p.formatMatrix(m)
	case equations[strings.TrimSuffix(name, "*")]:
		return indentBlock(p.readFormula(end))
	case name == "center" || name == "flushleft" || name == "flushright":
		return "\n" + p.readUntil(end, nil) + "\n"
	}
	return p.readUntil(end, nil)
}

// formatMatrix returns the rows of a matrix with cells of equal width.
func (p *latexReader) formatMatrix(m matrixCells) string {
	width := -1
	for _, row := range m.rows {
		for i := range row {
			row[i] = pystr.Trim(row[i])
			width = max(width, utf8.RuneCountInString(row[i]))
		}
	}
	if width < 0 {
		p.failed = true
		return ""
	}
	var rows []string
	for _, row := range m.rows {
		for i, cell := range row {
			row[i] = strings.Repeat(" ", width-utf8.RuneCountInString(cell)) + cell
		}
		rows = append(rows, strings.Join(row, " "))
	}
	return "[ " + strings.Join(rows, "; ") + " ]"
}

// indentBlock returns an indented block of separate lines.
func indentBlock(text string) string {
	return "\n    " + strings.ReplaceAll(text, "\n", "\n    ") + "\n"
}
