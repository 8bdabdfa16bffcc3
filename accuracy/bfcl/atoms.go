package bfcl

import (
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// parseAtom reads a name, a constant or an expression in brackets.
func (p *pyParser) parseAtom() expression {
	t := p.peekToken()
	switch {
	case t.kind == tokenNumber:
		return p.parseNumber()
	case t.kind == tokenString:
		return p.parseStrings()
	case p.acceptToken("("):
		return p.parseParenthesized()
	case p.acceptToken("["):
		return p.parseList()
	case p.acceptToken("{"):
		return p.parseBraces()
	case p.acceptToken("..."):
		return expression{text: "...", level: levelAtom, status: literal, unsupported: "an ellipsis"}
	}
	for text, v := range map[string]any{"True": true, "False": false, "None": nil} {
		if p.acceptToken(text) {
			return expression{text: text, level: levelAtom, status: literal, value: v}
		}
	}
	return expression{text: p.parseName(), level: levelAtom}
}

func (p *pyParser) parseNumber() expression {
	t := p.peekToken()
	p.tokens = p.tokens[1:]
	text := pyvalue.Repr(t.value)
	if f, ok := t.value.(float64); ok && math.IsInf(f, 0) {
		text = "1e309"
	}
	if t.unsupported != "" {
		text = strings.TrimSuffix(text, ".0") + "j"
	}
	return expression{text: text, level: levelAtom, status: literal, value: t.value, unsupported: t.unsupported,
		unsignedNumber: true}
}

// parseStrings reads adjacent string literals and concatenates them.
func (p *pyParser) parseStrings() expression {
	first := p.peekToken()
	e := expression{level: levelAtom, status: literal, unsupported: first.unsupported}
	joined, source := "", []string(nil)
	for p.peekToken().kind == tokenString {
		t := p.peekToken()
		p.tokens = p.tokens[1:]
		if t.unsupported != first.unsupported {
			return p.fail() // Python does not concatenate bytes and text
		}
		source = append(source, t.text)
		if t.raw {
			e.status = noLiteral
			continue
		}
		joined += t.value.(string)
	}
	e.value, e.text = joined, pyvalue.Repr(joined)
	switch {
	case e.status == noLiteral:
		e.text = formattedString(strings.Join(source, " "))
	case e.unsupported != "":
		e.text = "b" + e.text
	case first.text[0] == 'u' || first.text[0] == 'U':
		e.text = "u" + e.text
	}
	return e
}

// formattedString returns an f-string as Python prints it: unchanged, with single quotes if it contains none.
func formattedString(source string) string {
	inside := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(source[:1])+source[1:], `f"`), `"`)
	if len(inside) == len(source)-3 && !strings.ContainsAny(inside, `"'\`) {
		return "f'" + inside + "'"
	}
	return source
}

// parseParenthesized reads a tuple or an expression in parentheses.
func (p *pyParser) parseParenthesized() expression {
	if p.acceptToken(")") {
		return newCollection(nil, "()")
	}
	first := p.parseStarredOrNamed()
	switch {
	case p.isNext("for"):
		e := p.parseComprehension(first, "(", ")")
		p.expectToken(")")
		return e
	case p.acceptToken(")"):
		return first
	}
	items := p.parseItems(first, ")")
	text := "(" + joinTexts(items) + ")"
	if len(items) == 1 {
		text = "(" + items[0].text + ",)"
	}
	return newCollection(items, text)
}

func (p *pyParser) parseList() expression {
	if p.acceptToken("]") {
		e := newCollection(nil, "[]")
		e.unhashable = true
		return e
	}
	first := p.parseStarredOrNamed()
	if p.isNext("for") {
		e := p.parseComprehension(first, "[", "]")
		p.expectToken("]")
		return e
	}
	items := p.parseItems(first, "]")
	e := newCollection(items, "["+joinTexts(items)+"]")
	e.unhashable = true
	return e
}

// parseItems reads the remaining items of a list and its closing bracket.
func (p *pyParser) parseItems(first expression, end string) []expression {
	all := []expression{first}
	for p.acceptToken(",") && !p.isNext(end) && !p.failed {
		all = append(all, p.parseStarredOrNamed())
	}
	p.expectToken(end)
	return all
}

func (p *pyParser) parseStarredOrNamed() expression {
	if p.acceptToken("*") {
		return expression{text: "*" + p.parseTest().textAt(levelBinaryOr), level: levelAtom}
	}
	e := p.namedOrTest()
	e.text, e.level = e.textAt(levelTest), max(e.level, levelTest)
	return e
}

func joinTexts(items []expression) string {
	texts := make([]string, len(items))
	for i, e := range items {
		texts[i] = e.text
	}
	return strings.Join(texts, ", ")
}

// newCollection returns a list of the items' values. The first item that is not a literal determines the list's status.
func newCollection(items []expression, text string) expression {
	e := expression{text: text, level: levelAtom, status: literal}
	all := make([]any, len(items))
	for i, item := range items {
		all[i] = item.value
		e.mergeStatus(item)
		e.unhashable = e.unhashable || item.unhashable
	}
	e.value = all
	return e
}

// mergeStatus copies the status of a part to a literal if the part is not a valid literal.
func (e *expression) mergeStatus(part expression) {
	if e.status == literal {
		e.status = part.status
	}
	if e.unsupported == "" {
		e.unsupported = part.unsupported
	}
}

// checkKey checks a key of a dictionary or an item of a set. Neither may be a list.
func (e *expression) checkKey(part expression) {
	if e.status == literal && part.unhashable {
		e.status = badKey
	}
}

// parseBraces reads a dictionary or a set.
func (p *pyParser) parseBraces() expression {
	d := pyvalue.NewDict()
	e := expression{level: levelAtom, status: literal, value: d, unhashable: true}
	var all []string
	for !p.isNext("}") && !p.failed {
		if p.acceptToken("**") {
			all = append(all, "**"+p.parseTest().textAt(levelBinaryOr))
			e.mergeStatus(expression{})
		} else {
			key := p.parseStarredOrNamed()
			if len(all) == 0 && !p.isNext(":") {
				return p.parseSet(key)
			}
			p.expectToken(":")
			v := p.parseTest()
			all = append(all, key.text+": "+v.textAt(levelTest))
			e.setEntry(d, key, v)
		}
		if p.isNext("for") && len(all) == 1 {
			e = p.parseComprehension(expression{text: all[0], level: levelAtom}, "{", "}")
			p.expectToken("}")
			return e
		}
		if !p.acceptToken(",") {
			break
		}
	}
	p.expectToken("}")
	e.text = "{" + strings.Join(all, ", ") + "}"
	return e
}

func (p *pyParser) parseSet(first expression) expression {
	if p.isNext("for") {
		e := p.parseComprehension(first, "{", "}")
		p.expectToken("}")
		return e
	}
	items := p.parseItems(first, "}")
	e := expression{text: "{" + joinTexts(items) + "}", level: levelAtom, status: literal, unsupported: "a set",
		unhashable: true}
	for _, item := range items {
		e.mergeStatus(item)
		e.checkKey(item)
	}
	return e
}

// setEntry sets an entry of a dictionary. It converts the key to text in the same way as Python's JSON encoder.
func (e *expression) setEntry(d *pyvalue.Dict, key, v expression) {
	e.mergeStatus(key)
	e.mergeStatus(v)
	e.checkKey(key)
	switch k := key.value.(type) {
	case string:
		d.Set(k, v.value)
	case []any:
		if e.unsupported == "" {
			e.unsupported = "a dictionary with a tuple for a key"
		}
	default:
		d.Set(pyvalue.JSON(k), v.value)
	}
}

// parseComprehension reads the rest of a comprehension, starting at "for".
func (p *pyParser) parseComprehension(e expression, open, end string) expression {
	text := e.textAt(levelTest)
	for p.isNext("for") && !p.failed {
		p.acceptToken("for")
		text += " for " + p.parseTargets() + " in "
		p.expectToken("in")
		text += p.parseOr().textAt(levelTest + 1)
		for p.acceptToken("if") {
			text += " if " + p.parseOr().textAt(levelTest+1)
		}
	}
	return expression{text: open + text + end, level: levelAtom}
}

// parseTargets reads the names of the items of a comprehension.
func (p *pyParser) parseTargets() string {
	all := []string{p.parseTrailers(p.parseAtom()).text}
	for p.acceptToken(",") && !p.isNext("in") {
		all = append(all, p.parseTrailers(p.parseAtom()).text)
	}
	if len(all) == 1 {
		return all[0]
	}
	return "(" + strings.Join(all, ", ") + ")"
}
