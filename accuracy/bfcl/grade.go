package bfcl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// ErrStops is wrapped by errors for answers at which the official scoring stops without a score for the whole run. This
// package counts such an answer as wrong.
var ErrStops = errors.New("the official scoring would have stopped")

// GradingSample contains the reference data for grading an answer.
type GradingSample struct {
	Subset    string // for example "simple_java"
	Functions any    // the descriptions of the functions that may be called: a list of objects
	Answers   any    // the correct calls, each with the possible values of its arguments: a list of objects
}

// ParseSample parses the descriptions and answers of a sample, which are JSON texts of the data set. The error names
// the invalid text.
func ParseSample(subset, functions, answers string) (s GradingSample, err error) {
	s.Subset = subset
	if s.Functions, err = pyvalue.Decode(functions); err != nil {
		return s, fmt.Errorf("func_description: %w", err)
	}
	if s.Answers, err = pyvalue.Decode(answers); err != nil {
		return s, fmt.Errorf("ground_truth: %w", err)
	}
	return s, nil
}

// Grade is the result of grading an answer.
type Grade struct {
	Right  bool
	Source CallSource // the form of the calls in the answer
	Reason string     // why the answer is wrong; "" if it is right
	Stops  error      // wraps ErrStops if the official scoring would have stopped at the answer; otherwise nil
}

// Score grades an answer. text is the JSON of the calls that the server parsed or, without such calls, the answer's
// text.
//
// In the irrelevance subsets, no function helps: an answer without native calls is right, whatever its text. In
// live_relevance, a function helps but the correct arguments are unknown: an answer with native calls is right.
func (s GradingSample) Score(text string) Grade {
	calls, source, err := ExtractCalls(text)
	g := Grade{Source: source}
	switch s.Subset {
	case "irrelevance", "live_irrelevance":
		if g.Right = source != NativeCalls; !g.Right {
			g.Reason = "it calls a function, and none helps"
		}
		return g
	case "live_relevance":
		if g.Right = source == NativeCalls; !g.Right {
			g.Reason = "it calls no function"
		}
		return g
	}
	if err == nil {
		err = s.compareCalls(calls)
	}
	switch {
	case err == nil:
		g.Right = true
	case errors.Is(err, ErrStops):
		g.Stops = err
	}
	if err != nil {
		g.Reason = err.Error()
	}
	return g
}

// compareCalls compares the calls of an answer with the possible answers.
func (s GradingSample) compareCalls(calls []FunctionCall) error {
	if !pyvalue.IsTrue(s.Answers) {
		if len(calls) > 0 {
			return errors.New("it calls a function, and no call is right")
		}
		return nil
	}
	answers, ok := s.Answers.([]any)
	if !ok {
		return fmt.Errorf("%w: the possible answers are %s, no list", ErrStops, pyvalue.Name(s.Answers))
	}
	all := make([]readyCall, len(calls))
	for i, c := range calls {
		var err error
		if all[i], err = readCall(c); err != nil {
			return err
		}
	}
	switch {
	case strings.Contains(s.Subset, "parallel"):
		return s.matchCalls(all, answers)
	case strings.Contains(s.Subset, "multiple"):
		if len(all) != len(answers) {
			return fmt.Errorf("it has %d calls, want %d", len(all), len(answers))
		}
		return s.compareByName(all[0], answers[0])
	case len(all) != 1:
		return fmt.Errorf("it has %d calls, want 1", len(all))
	}
	functions, _ := s.Functions.([]any)
	if len(functions) == 0 {
		return fmt.Errorf("%w: there is no description of a function", ErrStops)
	}
	return s.compareCall(functions[0], all[0], answers[0])
}

// readyCall is a call with decoded arguments.
type readyCall struct {
	name any
	args any
}

// readCall decodes arguments that are text. Text that is not JSON yields no arguments.
func readCall(c FunctionCall) (readyCall, error) {
	switch c.Name.(type) {
	case []any, *pyvalue.Dict:
		return readyCall{}, fmt.Errorf("%w: the name of a call is %s", ErrStops, pyvalue.Name(c.Name))
	}
	args := c.Arguments
	if text, ok := args.(string); ok {
		if args = decodeText(text); args == any(text) {
			if _, err := pyvalue.Decode(text); err != nil {
				args = pyvalue.NewDict()
			}
		}
	}
	return readyCall{c.Name, args}, nil
}

// matchCalls finds, for each possible answer in order, the first unused call that matches it.
func (s GradingSample) matchCalls(calls []readyCall, answers []any) error {
	if len(calls) != len(answers) {
		return fmt.Errorf("it has %d calls, want %d", len(calls), len(answers))
	}
	taken := make([]bool, len(calls))
	for i, answer := range answers {
		found := false
		var wrong error
		for k, c := range calls {
			if taken[k] {
				continue
			}
			err := s.compareByName(c, answer)
			if errors.Is(err, ErrStops) {
				return err
			}
			if err == nil {
				taken[k], found = true, true
				break
			}
			wrong = err
		}
		if !found {
			return fmt.Errorf("no call is possible answer %d: %w", i, wrong)
		}
	}
	return nil
}

// compareByName compares a call with a possible answer. It looks up the answer's function by name.
func (s GradingSample) compareByName(c readyCall, answer any) error {
	d, ok := answer.(*pyvalue.Dict)
	if !ok || len(d.Keys()) == 0 {
		return fmt.Errorf("%w: a possible answer is %s, no call", ErrStops, pyvalue.Name(answer))
	}
	name := d.Keys()[0]
	functions, ok := s.Functions.([]any)
	if !ok {
		return s.compareCall(s.Functions, c, answer)
	}
	for _, f := range functions {
		if d, ok := f.(*pyvalue.Dict); ok {
			if n, _ := d.Get("name"); n == any(name) {
				return s.compareCall(f, c, answer)
			}
		}
	}
	return fmt.Errorf("%w: function %s of a possible answer has no description", ErrStops, name)
}

// readField returns a required field of a function description.
func readField[T any](v any, name string) (found T, err error) {
	d, _ := v.(*pyvalue.Dict)
	inner, ok := d.Get(name)
	if !ok {
		return found, fmt.Errorf("%w: a description has no %s", ErrStops, name)
	}
	if found, ok = inner.(T); !ok {
		return found, fmt.Errorf("%w: %s of a description is %s", ErrStops, name, pyvalue.Name(inner))
	}
	return found, nil
}

// functionSchema contains the name and the parameters of a function.
type functionSchema struct {
	name       string // as models write it: some model APIs do not allow dots
	properties *pyvalue.Dict
	required   []any
}

func readFunction(description any) (f functionSchema, err error) {
	name, err1 := readField[string](description, "name")
	parameters, err2 := readField[*pyvalue.Dict](description, "parameters")
	if err := errors.Join(err1, err2); err != nil {
		return f, err
	}
	properties, err1 := readField[*pyvalue.Dict](parameters, "properties")
	required, err2 := readField[[]any](parameters, "required")
	return functionSchema{strings.ReplaceAll(name, ".", "_"), properties, required}, errors.Join(err1, err2)
}

// compareCall compares a call with a possible answer and returns the first fault.
func (s GradingSample) compareCall(description any, c readyCall, answer any) error {
	d, ok := answer.(*pyvalue.Dict)
	if !ok || len(d.Keys()) == 0 {
		return fmt.Errorf("%w: a possible answer is %s, no call", ErrStops, pyvalue.Name(answer))
	}
	first, _ := d.Get(d.Keys()[0])
	f, err := readFunction(description)
	if err != nil {
		return err
	}
	if c.name != any(f.name) {
		return fmt.Errorf("it calls %s, want %s", pyvalue.Text(c.name), f.name)
	}
	if err := checkRequired(c.args, f.required); err != nil {
		return err
	}
	args, ok := c.args.(*pyvalue.Dict)
	if !ok {
		return fmt.Errorf("%w: the arguments are %s, no object", ErrStops, pyvalue.Name(c.args))
	}
	possible, ok := first.(*pyvalue.Dict)
	for _, name := range args.Keys() {
		property, described := f.properties.Get(name)
		values, among := possible.Get(name)
		if !described || !among {
			return fmt.Errorf("argument %s is not expected", name)
		}
		list, ok := values.([]any)
		if !ok {
			return fmt.Errorf("%w: the possible values of %s are %s, no list", ErrStops, name, pyvalue.Name(values))
		}
		value, _ := args.Get(name)
		if err := s.compareArgument(property, value, list); err != nil {
			return fmt.Errorf("argument %s: %w", name, err)
		}
	}
	if !ok {
		return fmt.Errorf("%w: the possible arguments are %s, no object", ErrStops, pyvalue.Name(first))
	}
	return checkOptional(args, possible)
}

// checkRequired checks that a call contains the function's required arguments. If args is a string or a list, it
// searches them as Python's operator "in" does.
func checkRequired(args any, required []any) error {
	for _, r := range required {
		has := false
		switch args := args.(type) {
		case *pyvalue.Dict:
			if name, ok := r.(string); ok {
				_, has = args.Get(name)
			}
		case []any:
			has = containsValue(args, r)
		case string:
			name, ok := r.(string)
			if !ok {
				return fmt.Errorf("%w: a required argument is %s", ErrStops, pyvalue.Name(r))
			}
			has = strings.Contains(args, name)
		default:
			return fmt.Errorf("%w: the arguments are %s, no object", ErrStops, pyvalue.Name(args))
		}
		if !has {
			return fmt.Errorf("argument %s is missing, and required", pyvalue.Text(r))
		}
	}
	return nil
}

// checkOptional checks that a call contains the arguments of a possible answer, except optional ones.
func checkOptional(args, possible *pyvalue.Dict) error {
	for _, name := range possible.Keys() {
		if _, given := args.Get(name); given {
			continue
		}
		values, _ := possible.Get(name)
		optional, err := isOptional(values)
		if err != nil {
			return err
		}
		if !optional {
			return fmt.Errorf("argument %s is missing", name)
		}
	}
	return nil
}

// isOptional reports whether the possible values contain "". It is always true if they are a string.
func isOptional(values any) (bool, error) {
	switch v := values.(type) {
	case []any:
		return containsValue(v, ""), nil
	case string:
		return true, nil
	case *pyvalue.Dict:
		_, ok := v.Get("")
		return ok, nil
	}
	return false, fmt.Errorf("%w: possible values are %s, no list", ErrStops, pyvalue.Name(values))
}

func containsValue(list []any, v any) bool {
	return slices.ContainsFunc(list, func(item any) bool { return pyvalue.Same(item, v) })
}
