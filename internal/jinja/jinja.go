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

// Limits of a template's resources. Exceeding one is an error.
const (
	maxSource = 1 << 20   // bytes of a template
	maxDepth  = 150       // nested expressions, statements and macros
	maxSteps  = 2_000_000 // evaluated nodes, plus one per 64 bytes of processed texts
	maxBytes  = 128 << 20 // of all produced texts and lists
	maxRange  = 100_000   // numbers in a range, as in the sandbox
)

// RaisedError is the error of a template that calls raise_exception to reject the messages.
type RaisedError struct{ Message string }

func (r *RaisedError) Error() string { return r.Message }

// templateError is an error of a template; line is 0 if unknown.
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

// failf aborts parsing or rendering with a panic. Parse and Render return its error.
func failf(format string, args ...any) { panic(&templateError{text: fmt.Sprintf(format, args...)}) }

// recoverError stores the error of failf in err. It repeats other panics.
func recoverError(err *error) {
	switch v := recover().(type) {
	case nil:
	case *templateError:
		*err = v
	case *RaisedError:
		*err = v
	default:
		panic(v)
	}
}

// Template is a parsed template. It is safe for concurrent rendering.
type Template struct{ body []statement }

// Parse parses a template. Its error states the line, what was found and what was expected.
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

// Render renders the template. Values may have the types nil, bool, int64, float64, string, []any, *pyvalue.Dict and
// those of pyvalue.Decode. now is the time for strftime_now. The error is a *Raised if the template rejects the values.
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

// nameScope contains the names of a template, of one iteration of a loop, or of a macro call.
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

// rendering is the state of one Render call.
type rendering struct {
	out          *outputText
	now          time.Time
	steps, bytes int
	depth        int
	flow         loopControl
}

// loopControl states whether the rest of a loop's body is skipped.
type loopControl int

const (
	flowNext loopControl = iota
	flowBreak
	flowContinue
)

// outputText collects the output; nil is the empty text.
type outputText struct{ strings.Builder }

func (o *outputText) String() string {
	if o == nil {
		return ""
	}
	return o.Builder.String()
}

// countStep counts an evaluated node.
func (r *rendering) countStep() {
	if r.steps++; r.steps > maxSteps {
		failf("the template takes more than %d steps", maxSteps)
	}
}

// countWork counts the bytes of a text that is processed.
func (r *rendering) countWork(v any) {
	switch v := v.(type) {
	case string:
		r.steps += len(v) / 64
	case markup:
		r.steps += len(v) / 64
	}
	r.countStep()
}

// chargeBytes counts produced bytes.
func (r *rendering) chargeBytes(n int) {
	if r.bytes += n; n < 0 || r.bytes > maxBytes {
		failf("the template makes more than %d MiB of texts", maxBytes>>20)
	}
}

// enterNested counts one level of nesting until the returned function is called.
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

// captureText renders statements and returns their output.
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
		if one.run(r, s); r.flow != flowNext {
			return
		}
	}
}
