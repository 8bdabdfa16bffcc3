package bfcl

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

var javaRules = typeRules{
	kinds: map[string]valueKind{
		"byte": kindInt, "short": kindInt, "integer": kindInt, "float": kindFloat, "double": kindFloat, "long": kindInt,
		"boolean": kindBool, "char": kindText, "Array": kindList, "ArrayList": kindList, "Set": kindSet,
		"HashMap": kindDict, "Hashtable": kindDict, "Queue": kindList, "Stack": kindList, "String": kindText,
		"any": kindText,
	},
	lists: []string{"Array", "ArrayList"},
	parse: parseJava,
}

// pythonClasses converts the character classes of patterns to Python's meaning: digits, blanks and letters of all
// scripts, and an end of text that may precede a final newline.
var pythonClasses = strings.NewReplacer(
	`\d`, `\p{Nd}`, `\s`, `[\s\v\x1c-\x1f\x{85}\p{Z}]`, `\w`, `[\p{L}\p{N}_]`, `$`, `\n?\z`,
)

func compilePattern(text string) *regexp.Regexp {
	return regexp.MustCompile(pythonClasses.Replace(text))
}

var (
	integerForm   = compilePattern(`\A-?\d+$`)
	longForm      = compilePattern(`\A-?\d+[lL]$`)
	decimalForm   = compilePattern(`\A-?\d+(\.\d+)?([eE][+-]?\d+)?$`)
	floatForm     = compilePattern(`\A-?\d+(\.\d+)?([eE][+-]?\d+)?[fF]$`)
	arrayForm     = compilePattern(`new\s+\w+\[\]\s*\{(.*?)\}`)
	asListForm    = compilePattern(`new\s+ArrayList<\w*>\(Arrays\.asList\((.+?)\)\)`)
	listBlockForm = compilePattern(`(?s)new\s+ArrayList<\w*>\(\)\s*\{\{\s*(.+?)\s*\}\}`)
	addCallForm   = compilePattern(`add\((.+?)\)`)
	emptyListForm = compilePattern(`new\s+ArrayList<\w*>\(\)`)
	mapBlockForm  = compilePattern(`(?s)new\s+HashMap<.*?>\s*\(\)\s*\{\s*\{?\s*(.*?)\s*\}?\s*\}`)
	putCallForm   = compilePattern(`put\("(.*?)",\s*(.*?)\)`)
	emptyMapForm  = compilePattern(`new\s+HashMap<.*?>\s*\(\)`)
	javaSuffixes  = "lLfF"
)

// parseJava reads a Java literal. It returns text that does not match the type unchanged.
func parseJava(text, typeName, items string) (any, error) {
	switch typeName {
	case "byte", "short", "integer":
		return parseJavaNumber(text, integerForm, false), nil
	case "long":
		return parseJavaNumber(text, longForm, false), nil
	case "float":
		return parseJavaNumber(text, floatForm, true), nil
	case "double":
		return parseJavaNumber(text, decimalForm, true), nil
	case "boolean":
		if text == "true" || text == "false" {
			return text == "true", nil
		}
		return text, nil
	case "char", "String", "any":
		return text, nil
	case "Array":
		return parseJavaArray(text, items)
	case "ArrayList":
		return parseJavaList(text, items)
	case "HashMap":
		return parseJavaMap(text), nil
	}
	return nil, fmt.Errorf("%w: it reads no %s", ErrStops, typeName)
}

// parseJavaNumber returns the number that text contains if it matches form. A newline may follow a Java suffix; the
// text then goes to Python's int and float unchanged.
func parseJavaNumber(text string, form *regexp.Regexp, float bool) any {
	if !form.MatchString(text) {
		return text
	}
	plain := strings.TrimSuffix(text, "\n")
	if form == longForm || form == floatForm {
		plain = strings.TrimRight(plain, javaSuffixes)
	}
	if float {
		if f, ok := pyfloat.Parse(plain); ok {
			return f
		}
		return text
	}
	n, err := pyvalue.Int(plain)
	if err != nil {
		return text
	}
	return narrowInt(n)
}

func parseJavaArray(text, items string) (any, error) {
	m := arrayForm.FindStringSubmatch(text)
	if m == nil {
		return text, nil
	}
	list := []any{}
	for item := range strings.SplitSeq(m[1], ",") {
		if item = pystr.Trim(item); item == "" {
			continue
		}
		v, err := parseJavaItem(item, items)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// parseJavaItem returns an array item of a type. Without a type, the item's form determines its type.
func parseJavaItem(text, typeName string) (any, error) {
	if typeName == "" {
		return parseUntypedJava(text), nil
	}
	return parseJava(text, typeName, "")
}

func parseJavaList(text, items string) (any, error) {
	var all []string
	if m := asListForm.FindStringSubmatch(text); m != nil {
		all = strings.Split(m[1], ",")
	} else if m := listBlockForm.FindStringSubmatch(text); m != nil {
		all = []string{}
		for _, add := range addCallForm.FindAllStringSubmatch(m[1], -1) {
			all = append(all, add[1])
		}
	} else if !emptyListForm.MatchString(text) {
		return text, nil
	}
	list := []any{}
	for _, item := range all {
		item = pystr.Trim(item)
		if items == "char" || items == "String" {
			list = append(list, trimEnds(item))
			continue
		}
		v, err := parseJavaItem(item, items)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// trimEnds removes the first and the last character of text.
func trimEnds(text string) string {
	r := []rune(text)
	if len(r) < 2 {
		return ""
	}
	return string(r[1 : len(r)-1])
}

func parseJavaMap(text string) any {
	m := mapBlockForm.FindStringSubmatch(text)
	if m == nil && !emptyMapForm.MatchString(text) {
		return text
	}
	d := pyvalue.NewDict()
	if m != nil {
		for _, put := range putCallForm.FindAllStringSubmatch(m[1], -1) {
			d.Set(put[1], parseUntypedJava(pystr.Trim(put[2])))
		}
	}
	return d
}

// parseUntypedJava returns a value of unknown type. Its form determines the type.
func parseUntypedJava(text string) any {
	switch {
	case text == "true" || text == "false":
		return text == "true"
	case strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`):
		return trimEnds(text)
	case longForm.MatchString(text):
		return parseJavaNumber(text, longForm, false)
	case floatForm.MatchString(text):
		return parseJavaNumber(text, floatForm, true)
	}
	return parsePythonNumber(text)
}

// parsePythonNumber returns the number that Python's int or float reads, or else the text.
func parsePythonNumber(text string) any {
	if n, err := pyvalue.Int(text); err == nil {
		return narrowInt(n)
	}
	if f, ok := pyfloat.Parse(text); ok {
		return f
	}
	return text
}
