package evidence

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// usualPattern matches the score in the output of an accuracy script.
const usualPattern = `'exact_match':\s*([\d.]+)`

// PatternOr returns a request's pattern of a score, or the official one if it is empty.
func PatternOr(pattern string) string { return cmp.Or(pattern, usualPattern) }

// FindScore returns the first match of the pattern. If the match is not a number, problem is the script's message.
func FindScore(pattern, output string) (score *float64, problem string) {
	re, err := regexp.Compile(PatternOr(pattern))
	if err != nil {
		return nil, fmt.Sprintf("Error parsing accuracy score: %v\n", err)
	}
	match := re.FindStringSubmatch(output)
	switch {
	case match == nil:
		return nil, ""
	case len(match) < 2:
		return nil, "Error parsing accuracy score: no such group\n"
	}
	v, ok := pyfloat.Parse(match[1])
	if !ok {
		return nil, fmt.Sprintf("Error parsing accuracy score: could not convert string to float: '%s'\n", match[1])
	}
	return &v, ""
}

// FillCommand inserts the path of the accuracy log into a command, like Python's str.format. Double braces become
// single ones. Other braces are errors.
func FillCommand(command, path string) (string, error) {
	var b strings.Builder
	for command != "" {
		i := strings.IndexAny(command, "{}")
		if i < 0 {
			i = len(command)
		}
		b.WriteString(command[:i])
		command = command[i:]
		switch {
		case command == "":
		case strings.HasPrefix(command, "{{"), strings.HasPrefix(command, "}}"):
			b.WriteByte(command[0])
			command = command[2:]
		case strings.HasPrefix(command, accuracyPlace):
			b.WriteString(path)
			command = command[len(accuracyPlace):]
		default:
			return "", ErrDiedf("KeyError: the command has a brace that is not %s: %.60s", accuracyPlace, command)
		}
	}
	return b.String(), nil
}

// accuracyPlace is the placeholder of the accuracy log's path in a command.
const accuracyPlace = "{accuracy_log}"

// ScoreSummary returns the end of TEST07's text.
func ScoreSummary(lines string, pass bool) string {
	word := Fail
	if pass {
		word = Pass
	}
	return "\n" + SeparatorLine + "\nTEST07 Verification Summary\n" + SeparatorLine + "\n" + lines + word + "\n"
}
