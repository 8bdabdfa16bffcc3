// Package jinja renders chat templates as Hugging Face's transformers do: Jinja 2 in its immutable sandbox, with
// trim_blocks, lstrip_blocks, break, continue and the tag generation.
//
// In: templates, and values as Python has them. Out: what a chat's messages and tools are.
package jinja

import (
	"fmt"
	"strings"
	"time"
)

// Limits of what a template may take; what is beyond them is an error.
const (
	maxSource = 1 << 20   // bytes of a template
	maxDepth  = 150       // expressions, statements and macros in one another
	maxSteps  = 2_000_000 // nodes that are worked out, and 64 bytes each of texts
	maxBytes  = 128 << 20 // of all texts and lists that are made
	maxRange  = 100_000   // numbers of a range, as in the sandbox
)

// Raised is the error of raise_exception: the template refuses the messages.
type Raised struct{ Message string }

func (r *Raised) Error() string { return r.Message }

// fault is an error of a template; line is 0 where it is not known.
type fault struct {
	line int
	text string
}

func (f *fault) Error() string {
	if f.line == 0 {
		return f.text
	}
	return fmt.Sprintf("line %d: %s", f.line, f.text)
}

// fail ends what is under way; Parse and Render return it as their error.
func fail(format string, args ...any) { panic(&fault{text: fmt.Sprintf(format, args...)}) }

// caught makes the error of what fail ended, and lets other panics go on.
func caught(err *error) {
	switch v := recover().(type) {
	case nil:
	case *fault:
		*err = v
	case *Raised:
		*err = v
	default:
		panic(v)
	}
}

// Template is one that was read. It may be rendered by many goroutines.
type Template struct{ body []statement }

// Parse reads a template. The error says in which line what was found and what is wanted.
func Parse(source string) (t *Template, err error) {
	defer caught(&err)
	if len(source) > maxSource {
		fail("the template has %d bytes, want at most %d", len(source), maxSource)
	}
	source = strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\r", "\n")
	source = strings.TrimSuffix(source, "\n")
	p := &parser{tokens: lex(source)}
	t = &Template{body: p.statements()}
	if p.now().kind != tokEnd {
		p.unexpected("a statement")
	}
	return t, nil
}

// Render renders the template. Values are nil, bool, int64, float64, string, []any and *pyvalue.Dict, and those of
// pyvalue.Decode. Now is the time of strftime_now. An error is a *Raised where the template refuses the values.
func (t *Template) Render(values map[string]any, now time.Time) (text string, err error) {
	defer caught(&err)
	r := &run{now: now}
	global := &scope{names: map[string]any{}}
	for name, f := range globals {
		global.names[name] = f
	}
	for name, v := range values {
		global.names[name] = v
	}
	r.all(t.body, &scope{outer: global, names: map[string]any{}})
	return r.out.String(), nil
}

// scope are the names of a template, a loop's round or a macro.
type scope struct {
	outer *scope
	names map[string]any
}

func (s *scope) inner() *scope { return &scope{outer: s} }

func (s *scope) get(name string) any {
	for ; s != nil; s = s.outer {
		if v, ok := s.names[name]; ok {
			return v
		}
	}
	return &undefined{name}
}

func (s *scope) set(name string, v any) {
	if s.names == nil {
		s.names = map[string]any{}
	}
	s.names[name] = v
}

// run is a rendering.
type run struct {
	out          *output
	now          time.Time
	steps, bytes int
	depth        int
	flow         flow
}

// flow says why the rest of a loop's body is left out.
type flow int

const (
	goesOn flow = iota
	breaks
	continues
)

// output is the text that is written; nil is one that is empty.
type output struct{ strings.Builder }

func (o *output) String() string {
	if o == nil {
		return ""
	}
	return o.Builder.String()
}

// step counts a node.
func (r *run) step() {
	if r.steps++; r.steps > maxSteps {
		fail("the template takes more than %d steps", maxSteps)
	}
}

// work counts the bytes of a text that is looked through.
func (r *run) work(v any) {
	switch v := v.(type) {
	case string:
		r.steps += len(v) / 64
	case markup:
		r.steps += len(v) / 64
	}
	r.step()
}

// charge counts bytes that are made.
func (r *run) charge(n int) {
	if r.bytes += n; n < 0 || r.bytes > maxBytes {
		fail("the template makes more than %d MiB of texts", maxBytes>>20)
	}
}

// deeper counts what lies in one another until the function that it returns is called.
func (r *run) deeper() func() {
	if r.depth++; r.depth > maxDepth {
		fail("the template goes deeper than %d", maxDepth)
	}
	return func() { r.depth-- }
}

func (r *run) write(text string) {
	r.charge(len(text))
	if r.out == nil {
		r.out = &output{}
	}
	r.out.WriteString(text)
}

// capture renders statements into a text.
func (r *run) capture(body []statement, s *scope) string {
	before := r.out
	r.out = nil
	r.all(body, s)
	text := r.out.String()
	r.out = before
	return text
}

func (r *run) all(body []statement, s *scope) {
	for _, one := range body {
		if one.run(r, s); r.flow != goesOn {
			return
		}
	}
}
