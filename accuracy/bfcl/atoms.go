package bfcl

import (
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// atom is a name, a constant, or what brackets hold.
func (p *expressions) atom() expression {
	t := p.peek()
	switch {
	case t.kind == tokenNumber:
		return p.number()
	case t.kind == tokenString:
		return p.strings()
	case p.take("("):
		return p.bracketed()
	case p.take("["):
		return p.list()
	case p.take("{"):
		return p.braced()
	case p.take("..."):
		return expression{text: "...", level: levelAtom, worth: literal, odd: "an ellipsis"}
	}
	for text, v := range map[string]any{"True": true, "False": false, "None": nil} {
		if p.take(text) {
			return expression{text: text, level: levelAtom, worth: literal, value: v}
		}
	}
	return expression{text: p.name(), level: levelAtom}
}

func (p *expressions) number() expression {
	t := p.peek()
	p.tokens = p.tokens[1:]
	text := pyvalue.Repr(t.value)
	if f, ok := t.value.(float64); ok && math.IsInf(f, 0) {
		text = "1e309"
	}
	if t.odd != "" {
		text = strings.TrimSuffix(text, ".0") + "j"
	}
	return expression{text: text, level: levelAtom, worth: literal, value: t.value, odd: t.odd, number: true}
}

// strings joins those that stand side by side.
func (p *expressions) strings() expression {
	first := p.peek()
	e := expression{level: levelAtom, worth: literal, odd: first.odd}
	joined, source := "", []string(nil)
	for p.peek().kind == tokenString {
		t := p.peek()
		p.tokens = p.tokens[1:]
		if t.odd != first.odd {
			return p.fail() // bytes beside text
		}
		source = append(source, t.text)
		if t.raw {
			e.worth = noLiteral
			continue
		}
		joined += t.value.(string)
	}
	e.value, e.text = joined, pyvalue.Repr(joined)
	switch {
	case e.worth == noLiteral:
		e.text = formatted(strings.Join(source, " "))
	case e.odd != "":
		e.text = "b" + e.text
	case first.text[0] == 'u' || first.text[0] == 'U':
		e.text = "u" + e.text
	}
	return e
}

// formatted is an f-string as it stands, but for its quotes where no other is within.
func formatted(source string) string {
	inside := strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(source[:1])+source[1:], `f"`), `"`)
	if len(inside) == len(source)-3 && !strings.ContainsAny(inside, `"'\`) {
		return "f'" + inside + "'"
	}
	return source
}

// bracketed is a tuple, or one expression.
func (p *expressions) bracketed() expression {
	if p.take(")") {
		return collection(nil, "()")
	}
	first := p.starredOrNamed()
	switch {
	case p.is("for"):
		e := p.comprehension(first, "(", ")")
		p.want(")")
		return e
	case p.take(")"):
		return first
	}
	items := p.items(first, ")")
	text := "(" + texts(items) + ")"
	if len(items) == 1 {
		text = "(" + items[0].text + ",)"
	}
	return collection(items, text)
}

func (p *expressions) list() expression {
	if p.take("]") {
		e := collection(nil, "[]")
		e.list = true
		return e
	}
	first := p.starredOrNamed()
	if p.is("for") {
		e := p.comprehension(first, "[", "]")
		p.want("]")
		return e
	}
	items := p.items(first, "]")
	e := collection(items, "["+texts(items)+"]")
	e.list = true
	return e
}

// items are those of a list that begins with one, up to a closing bracket.
func (p *expressions) items(first expression, end string) []expression {
	all := []expression{first}
	for p.take(",") && !p.is(end) && !p.failed {
		all = append(all, p.starredOrNamed())
	}
	p.want(end)
	return all
}

func (p *expressions) starredOrNamed() expression {
	if p.take("*") {
		return expression{text: "*" + p.test().in(levelBinaryOr), level: levelAtom}
	}
	e := p.namedOrTest()
	e.text, e.level = e.in(levelTest), max(e.level, levelTest)
	return e
}

func texts(items []expression) string {
	return strings.Join(lists.Map(items, func(e expression) string { return e.text }), ", ")
}

// collection is a list of what items are worth: the first that is no literal decides.
func collection(items []expression, text string) expression {
	e := expression{text: text, level: levelAtom, worth: literal}
	all := make([]any, len(items))
	for i, item := range items {
		all[i] = item.value
		e.add(item)
		e.list = e.list || item.list
	}
	e.value = all
	return e
}

// add makes a part one of what a literal holds.
func (e *expression) add(part expression) {
	if e.worth == literal {
		e.worth = part.worth
	}
	if e.odd == "" {
		e.odd = part.odd
	}
}

// key makes a part a key of a dictionary or an item of a set, of which there may be no lists.
func (e *expression) key(part expression) {
	if e.worth == literal && part.list {
		e.worth = badKey
	}
}

// braced is a dictionary or a set.
func (p *expressions) braced() expression {
	d := pyvalue.NewDict()
	e := expression{level: levelAtom, worth: literal, value: d, list: true}
	var all []string
	for !p.is("}") && !p.failed {
		if p.take("**") {
			all = append(all, "**"+p.test().in(levelBinaryOr))
			e.add(expression{})
		} else {
			key := p.starredOrNamed()
			if len(all) == 0 && !p.is(":") {
				return p.set(key)
			}
			p.want(":")
			v := p.test()
			all = append(all, key.text+": "+v.in(levelTest))
			e.entry(d, key, v)
		}
		if p.is("for") && len(all) == 1 {
			e = p.comprehension(expression{text: all[0], level: levelAtom}, "{", "}")
			p.want("}")
			return e
		}
		if !p.take(",") {
			break
		}
	}
	p.want("}")
	e.text = "{" + strings.Join(all, ", ") + "}"
	return e
}

func (p *expressions) set(first expression) expression {
	if p.is("for") {
		e := p.comprehension(first, "{", "}")
		p.want("}")
		return e
	}
	items := p.items(first, "}")
	e := expression{text: "{" + texts(items) + "}", level: levelAtom, worth: literal, odd: "a set", list: true}
	for _, item := range items {
		e.add(item)
		e.key(item)
	}
	return e
}

// entry sets a key of a dictionary as JSON has it.
func (e *expression) entry(d *pyvalue.Dict, key, v expression) {
	e.add(key)
	e.add(v)
	e.key(key)
	switch k := key.value.(type) {
	case string:
		d.Set(k, v.value)
	case []any:
		if e.odd == "" {
			e.odd = "a dictionary with a tuple for a key"
		}
	default:
		d.Set(pyvalue.JSON(k), v.value)
	}
}

// comprehension is what brackets hold from "for" on.
func (p *expressions) comprehension(e expression, open, end string) expression {
	text := e.in(levelTest)
	for p.is("for") && !p.failed {
		p.take("for")
		text += " for " + p.targets() + " in "
		p.want("in")
		text += p.or().in(levelTest + 1)
		for p.take("if") {
			text += " if " + p.or().in(levelTest+1)
		}
	}
	return expression{text: open + text + end, level: levelAtom}
}

// targets are what the items of a comprehension are called.
func (p *expressions) targets() string {
	all := []string{p.trailers(p.atom()).text}
	for p.take(",") && !p.is("in") {
		all = append(all, p.trailers(p.atom()).text)
	}
	if len(all) == 1 {
		return all[0]
	}
	return "(" + strings.Join(all, ", ") + ")"
}
