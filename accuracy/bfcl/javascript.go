package bfcl

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/pystr"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

var scriptRules = typeRules{kinds: scriptTypes, lists: []string{"array"}, parse: parseJavaScript}

var scriptTypes = map[string]valueKind{
	"String": kindText, "integer": kindInt, "float": kindFloat, "Bigint": kindInt, "Boolean": kindBool, "dict": kindDict,
	"array": kindList, "any": kindText,
}

var (
	scriptNumberForm = compilePattern(`\A-?\d+(\.\d+)?$`)
	bigIntForm       = compilePattern(`\A-?\d+n$`)
	nestedArrayForm  = compilePattern(`\A(?:\[\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\]` +
		`|\bnew\s+Array\(\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\))`)
	innerArrayForm   = compilePattern(`\[(.*?)\]`)
	scriptArrayForm  = compilePattern(`\A(?:\[(.*?)\]|\bnew\s+Array\((.*?)\))`)
	scriptObjectForm = compilePattern(`\A\{(.*?)\}`)
)

// parseJavaScript reads a JavaScript literal. It returns text that does not match the type unchanged.
func parseJavaScript(text, typeName, items string) (any, error) {
	switch typeName {
	case "String":
		if isQuoted(text) {
			return trimEnds(text), nil
		}
		return text, nil
	case "integer":
		return parseJavaNumber(text, integerForm, false), nil
	case "float":
		if f, ok := pyfloat.Parse(text); ok && scriptNumberForm.MatchString(text) {
			return f, nil
		}
		return text, nil
	case "Bigint":
		return parseBigInt(text)
	case "Boolean":
		if text == "true" || text == "false" {
			return text == "true", nil
		}
		return text, nil
	case "any":
		return text, nil
	case "dict":
		return parseScriptObject(pystr.Trim(text)), nil
	case "array":
		return parseScriptArray(pystr.Trim(text), items), nil
	}
	return nil, fmt.Errorf("%w: it reads no %s", ErrStops, typeName)
}

// parseBigInt reads an integer with the suffix n.
func parseBigInt(text string) (any, error) {
	if !bigIntForm.MatchString(text) {
		return text, nil
	}
	n, err := pyvalue.Int(text[:len(text)-1])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStops, err) // a newline follows the n
	}
	return narrowInt(n), nil
}

func isQuoted(text string) bool {
	return strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`) ||
		strings.HasPrefix(text, `'`) && strings.HasSuffix(text, `'`)
}

func parseScriptArray(text, items string) any {
	if m := nestedArrayForm.FindString(text); m != "" {
		rows := []any{}
		for i, row := range innerArrayForm.FindAllStringSubmatch(m, -1) {
			inside := pystr.Trim(row[1])
			if i == 0 {
				inside = strings.TrimPrefix(inside, "[")
			}
			cells := []any{}
			for _, text := range strings.Split(inside, ",") {
				cells = append(cells, parseScriptValue(text))
			}
			rows = append(rows, cells)
		}
		return rows
	}
	m := scriptArrayForm.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	list := []any{}
	inside := pystr.Trim(m[1] + m[2]) // one of the two groups is empty
	if inside == "" {
		return list
	}
	for item := range strings.SplitSeq(inside, ",") {
		v, err := parseScriptItem(pystr.Trim(item), items)
		if err != nil {
			return text // the official parser does the same for every fault
		}
		list = append(list, v)
	}
	return list
}

func parseScriptItem(text, typeName string) (any, error) {
	if typeName == "" {
		return parseScriptValue(text), nil
	}
	if _, ok := scriptTypes[typeName]; !ok {
		return nil, errors.New("a type that it does not know")
	}
	items := ""
	if strings.HasPrefix(text, "'") || strings.HasPrefix(text, `"`) {
		items = "String"
	}
	return parseJavaScript(text, typeName, items)
}

func parseScriptValue(text string) any {
	text = pystr.Trim(text)
	switch {
	case text == "true" || text == "false":
		return text == "true"
	case isQuoted(text):
		return trimEnds(text)
	}
	return parsePythonNumber(text)
}

func parseScriptObject(text string) any {
	m := scriptObjectForm.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	d := pyvalue.NewDict()
	for _, p := range splitPairs(m[1]) {
		key := strings.Trim(pystr.Trim(p.key), `'"`)
		value := pystr.Trim(p.value)
		switch {
		case strings.HasPrefix(value, "[") && strings.HasSuffix(value, "]"):
			d.Set(key, parseScriptArray(value, ""))
		case strings.HasPrefix(value, "{") && strings.HasSuffix(value, "}"):
			d.Set(key, parseScriptObject(value))
		default:
			d.Set(key, parseScriptValue(strings.Trim(value, `'"`)))
		}
	}
	return d
}

type keyValue struct{ key, value string }

// splitPairs returns the keys and values of an object given without its brackets. A value ends at the first comma that
// is followed by a colon before the next comma.
func splitPairs(text string) (all []keyValue) {
	for {
		text = strings.TrimLeft(text, ":")
		key, rest, found := strings.Cut(text, ":")
		if !found {
			return all
		}
		rest = pystr.TrimLeft(rest)
		value, next := cutValue(rest)
		all = append(all, keyValue{key, value})
		text = next
	}
}

func cutValue(text string) (value, next string) {
	for i := range len(text) {
		if text[i] != ',' {
			continue
		}
		behind, _, _ := strings.Cut(text[i+1:], ",")
		colon := strings.LastIndexByte(behind, ':')
		blanks := len(behind) - len(pystr.TrimLeft(behind))
		if colon == blanks { // the key must contain a character before the colon, possibly a blank
			_, last := utf8.DecodeLastRuneInString(behind[:blanks])
			blanks -= last
		}
		if colon > 0 && colon > blanks {
			return text[:i], text[i+1+blanks:]
		}
	}
	return text, ""
}
