package bfcl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// FunctionCall is a function call as the model wrote it. Name is usually a string. Arguments is an object or a string
// that may contain an object.
type FunctionCall struct {
	Name      any
	Arguments any
}

// CallSource is the form in which an answer contains its calls.
type CallSource int

const (
	// NoCalls means that the answer contains no calls.
	NoCalls CallSource = iota
	// NativeCalls are calls that the server parsed from the model's output.
	NativeCalls
	// ListedCalls are calls in a JSON list of names and arguments.
	ListedCalls
	// GuessedCalls are calls found in text with Python syntax.
	GuessedCalls
)

// ExtractCalls finds the calls in an answer. text is the answer's text or the JSON of the calls that the server parsed.
// If the official scoring of the whole run would stop at the answer, the error wraps ErrStops.
func ExtractCalls(text string) ([]FunctionCall, CallSource, error) {
	text = pystr.Trim(text)
	if v, err := pyvalue.Decode(text); err == nil {
		if list, ok := v.([]any); ok {
			if calls := parseNativeCalls(list); calls != nil {
				return calls, NativeCalls, nil
			}
			if calls := parseListedCalls(list); calls != nil {
				return calls, ListedCalls, nil
			}
		}
	}
	calls, err := guessCalls(text)
	if len(calls) == 0 {
		return nil, NoCalls, err
	}
	return calls, GuessedCalls, err
}

// parseNativeCalls returns the calls in the format of servers, or nil if an item is not a call.
func parseNativeCalls(list []any) (calls []FunctionCall) {
	for _, item := range list {
		call, _ := item.(*pyvalue.Dict)
		inner, _ := call.Get("function")
		function, ok := inner.(*pyvalue.Dict)
		if !ok {
			return nil
		}
		c := FunctionCall{Name: "", Arguments: pyvalue.NewDict()}
		if name, ok := function.Get("name"); ok {
			c.Name = name
		}
		if arguments, ok := function.Get("arguments"); ok {
			c.Arguments = decodeText(arguments)
		}
		calls = append(calls, c)
	}
	return calls
}

// decodeText returns the value of a string that contains JSON. It returns other values unchanged.
func decodeText(v any) any {
	if text, ok := v.(string); ok {
		if inner, err := pyvalue.Decode(text); err == nil {
			return inner
		}
	}
	return v
}

func parseListedCalls(list []any) (calls []FunctionCall) {
	for _, item := range list {
		call, _ := item.(*pyvalue.Dict)
		name, ok := call.Get("name")
		if !ok {
			return nil
		}
		c := FunctionCall{Name: name, Arguments: pyvalue.NewDict()}
		if arguments, ok := call.Get("arguments"); ok {
			c.Arguments = arguments
		}
		calls = append(calls, c)
	}
	return calls
}

// nonFunctions are words that precede a bracket but are not function names: keywords of Python and words of prose.
var nonFunctions = strings.Fields(
	"Example For Here Note The This assert class def dict enumerate except filter float " +
		"for from if import int isinstance len list map print raise range return set str try tuple type while with zip")

// guessCalls finds calls in text. It ignores calls inside the brackets of another call.
func guessCalls(text string) (calls []FunctionCall, err error) {
	end := 0
	for i := 0; i < len(text); {
		name, bracket := callAt(text, i)
		if name == "" {
			i++
			continue
		}
		start := i
		i = bracket + 1
		if start < end || slices.Contains(nonFunctions, name) {
			continue
		}
		closing := closingBracket(text, bracket)
		if closing < 0 {
			continue
		}
		end = closing + 1
		inside := pystr.Trim(text[bracket+1 : closing])
		if inside != "" && isSignature(inside) {
			continue
		}
		given, err := guessArguments(inside)
		if err != nil {
			return nil, err
		}
		calls = append(calls, FunctionCall{name, given})
	}
	return calls, nil
}

// callAt returns the function name that begins at i and the position of the bracket after it. The name is "" if no call
// begins at i.
func callAt(text string, i int) (name string, bracket int) {
	if !isLetter(text[i]) || i > 0 && endsWord(text[:i]) {
		return "", 0
	}
	end := i
	for _, r := range text[i:] {
		if r != '_' && !pystr.IsWord(r) {
			break
		}
		end += len(string(r))
	}
	rest := pystr.TrimLeft(text[end:])
	if !strings.HasPrefix(rest, "(") {
		return "", 0
	}
	return text[i:end], len(text) - len(rest)
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

func endsWord(text string) bool {
	r := []rune(text[max(0, len(text)-4):])
	last := r[len(r)-1]
	return last == '_' || pystr.IsWord(last)
}

// closingBracket returns the position of the bracket that closes the one at i, ignoring brackets within quotes, or -1
// if it is not closed.
func closingBracket(text string, i int) int {
	depth, quote := 0, byte(0)
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// isSignature reports whether all arguments are bare names or names with a type.
func isSignature(text string) bool {
	for part := range strings.SplitSeq(text, ",") {
		part = pystr.Trim(part)
		if part == "" {
			continue
		}
		name, kind, typed := strings.Cut(part, ":")
		name, kind = pystr.TrimRight(name), pystr.TrimLeft(kind)
		if !isLetter(part[0]) || !isWordText(name) || typed && (kind == "" || !isWordText(kind)) {
			return false
		}
	}
	return true
}

func isWordText(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r != '_' && !pystr.IsWord(r) }) < 0
}

// guessArguments returns the arguments of a guessed call. Literals are decoded; other expressions become the text that
// Python prints for them.
func guessArguments(text string) (*pyvalue.Dict, error) {
	d := pyvalue.NewDict()
	if text == "" {
		return d, nil
	}
	all, err := readArguments(text)
	if err != nil {
		d.Set("_raw", text)
		return d, nil
	}
	odd := map[string]string{}
	for _, k := range all {
		delete(odd, k.name)
		switch {
		case k.value.status == badKey:
			return nil, fmt.Errorf("%w: a list in argument %s is a key of a dictionary, or lies in a set", ErrStops, k.name)
		case k.value.status == literal && k.value.unsupported != "":
			odd[k.name] = k.value.unsupported
			d.Set(k.name, nil)
		case k.value.status == literal:
			d.Set(k.name, k.value.value)
		default:
			d.Set(k.name, k.value.textAt(levelTest))
		}
	}
	for name, what := range odd {
		return nil, fmt.Errorf("%w: argument %s is %s, which JSON does not have", ErrStops, name, what)
	}
	return d, nil
}
