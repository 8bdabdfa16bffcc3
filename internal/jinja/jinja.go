// Package jinja renders chat templates like Hugging Face's transformers. It implements Jinja 2 in its immutable
// sandbox, with trim_blocks, lstrip_blocks, break, continue and the tag generation.
//
// In scope: templates and Python values. Out of scope: the messages and tools of a chat.
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

// templateError is an error of a template; line is 0 where it is not known.
type templateError struct {
	line int
	text string
}

func (f *templateError) Error() string {
	if f.line == 0 {
		return f.text
	}
	return fmt.Sprintf("line %d: %s", f.line, f.text)
}

// failf ends what is under way; Parse and Render return it as their error.
func failf(format string, args ...any) { panic(&templateError{text: fmt.Sprintf(format, args...)}) }

// recoverError makes the error of what fail ended, and lets other panics go on.
func recoverError(err *error) {
	switch v := recover().(type) {
	case nil:
	case *templateError:
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
	defer recoverError(&err)
	if len(source) > maxSource {
		failf("the template has %d bytes, want at most %d", len(source), maxSource)
	}
	source = strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\r", "\n")
	source = strings.TrimSuffix(source, "\n")
	p := &parser{tokens: tokenize(source)}
	t = &Template{body: p.parseStatements()}
	if p.currentToken().kind != tokEnd {
		p.failUnexpected("a statement")
	}
	return t, nil
}

// Render renders the template. Values are nil, bool, int64, float64, string, []any and *pyvalue.Dict, and those of
// pyvalue.Decode. Now is the time of strftime_now. An error is a *Raised where the template refuses the values.
func (t *Template) Render(values map[string]any, now time.Time) (text string, err error) {
	defer recoverError(&err)
	r := &rendering{now: now}
	global := &nameScope{names: map[string]any{}}
	for name, f := range globals {
		global.names[name] = f
	}
	for name, v := range values {
		global.names[name] = v
	}
	r.executeAll(t.body, &nameScope{outer: global, names: map[string]any{}})
	return r.out.String(), nil
}

// nameScope are the names of a template, a loop's round or a macro.
type nameScope struct {
	outer *nameScope
	names map[string]any
}

func (s *nameScope) newInner() *nameScope { return &nameScope{outer: s} }

func (s *nameScope) lookupName(name string) any {
	for ; s != nil; s = s.outer {
		if v, ok := s.names[name]; ok {
			return v
		}
	}
	return &undefined{name}
}

func (s *nameScope) setName(name string, v any) {
	if s.names == nil {
		s.names = map[string]any{}
	}
	s.names[name] = v
}

// rendering is a rendering.
type rendering struct {
	out          *outputText
	now          time.Time
	steps, bytes int
	depth        int
	flow         loopControl
}

// loopControl says why the rest of a loop's body is left out.
type loopControl int

const (
	goesOn loopControl = iota
	breaks
	continues
)

// outputText is the text that is written; nil is one that is empty.
type outputText struct{ strings.Builder }

func (o *outputText) String() string {
	if o == nil {
		return ""
	}
	return o.Builder.String()
}

// countStep counts a node.
func (r *rendering) countStep() {
	if r.steps++; r.steps > maxSteps {
		failf("the template takes more than %d steps", maxSteps)
	}
}

// countWork counts the bytes of a text that is looked through.
func (r *rendering) countWork(v any) {
	switch v := v.(type) {
	case string:
		r.steps += len(v) / 64
	case markup:
		r.steps += len(v) / 64
	}
	r.countStep()
}

// chargeBytes counts bytes that are made.
func (r *rendering) chargeBytes(n int) {
	if r.bytes += n; n < 0 || r.bytes > maxBytes {
		failf("the template makes more than %d MiB of texts", maxBytes>>20)
	}
}

// enterNested counts what lies in one another until the function that it returns is called.
func (r *rendering) enterNested() func() {
	if r.depth++; r.depth > maxDepth {
		failf("the template goes deeper than %d", maxDepth)
	}
	return func() { r.depth-- }
}

func (r *rendering) writeText(text string) {
	r.chargeBytes(len(text))
	if r.out == nil {
		r.out = &outputText{}
	}
	r.out.WriteString(text)
}

// captureText renders statements into a text.
func (r *rendering) captureText(body []statement, s *nameScope) string {
	before := r.out
	r.out = nil
	r.executeAll(body, s)
	text := r.out.String()
	r.out = before
	return text
}

func (r *rendering) executeAll(body []statement, s *nameScope) {
	for _, one := range body {
		if one.run(r, s); r.flow != goesOn {
			return
		}
	}
}
