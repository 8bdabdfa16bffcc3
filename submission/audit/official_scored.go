package audit

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// officialPattern finds the score in what an accuracy script prints.
const officialPattern = `'exact_match':\s*([\d.]+)`

var rule80 = strings.Repeat("=", 80)

// officialTEST07 is TEST07's run_verification.py.
func officialTEST07(ctx context.Context, r Request) Verdict {
	v := Verdict{Test: r.Test, Stdout: "Parsing arguments.\n"}
	stop := func(text string) Verdict { v.Stdout, v.Exit = v.Stdout+text, 1; return v }
	if text := officialFolder(r); text != "" {
		return stop(text)
	}
	threshold, text := officialThreshold(r)
	v.Stdout += text
	if threshold == nil {
		return stop("Error: No accuracy threshold specified.\n" +
			"Provide --accuracy-threshold or --audit-config with test07_accuracy_threshold field.\n")
	}
	v.Stdout += fmt.Sprintf("Using accuracy threshold: %s\n", pyfloat.Repr(*threshold))
	command, err := pyFormat(r.Command, r.Run.Accuracy)
	if err != nil {
		return stop(traceback(err))
	}
	v.Stdout += fmt.Sprintf("\nRunning accuracy evaluation script...\nCommand: %s\n%s\n", command, rule80)
	output := shell(ctx, command)
	v.Stdout += output + v.officialScore07(r, output, *threshold)
	v.Stdout += v.officialCopies(r, "") +
		fmt.Sprintf("\nAccuracy check pass: %s\nTEST07 verification complete\n", pyBool(v.Pass))
	return v
}

// officialThreshold is the threshold that counts, and what is printed of it.
func officialThreshold(r Request) (*float64, string) {
	if r.AuditConfig == "" {
		return r.Threshold, ""
	}
	text := fmt.Sprintf("Reading audit.config from: %s\n", r.AuditConfig)
	found, err := auditBounds(r.AuditConfig, []string{thresholdKey}, false, func(_, value string) {
		text += fmt.Sprintf("Warning: Invalid threshold value in audit.config: %s\n", value)
	})
	if err != nil {
		text += fmt.Sprintf("Warning: Error parsing audit.config: %v\n", err)
	}
	own, ok := found[thresholdKey]
	if !ok {
		return r.Threshold, text
	}
	text += fmt.Sprintf("Found threshold in audit.config: %s\n", pyfloat.Repr(own))
	if r.Threshold == nil {
		return &own, text
	}
	return r.Threshold, text + fmt.Sprintf("CLI threshold (%s) overrides audit.config (%s)\n",
		pyfloat.Repr(*r.Threshold), pyfloat.Repr(own))
}

// officialScore07 judges an accuracy script's output, sets the verdict, and returns what is printed.
func (v *Verdict) officialScore07(r Request, output string, threshold float64) (printed string) {
	score, problem := findScore(r.Pattern, output)
	v.Pass = score != nil && *score >= threshold
	v.Accuracy = passed(v.Pass)
	file := ""
	printed = problem + "\n" + rule80 + "\n"
	if score != nil {
		lines := fmt.Sprintf("Accuracy score: %s\nAccuracy threshold: %s\n", pyfloat.Repr(*score), pyfloat.Repr(threshold))
		printed += lines
		file += lines + fmt.Sprintf("Accuracy check pass: %s\n", pyBool(v.Pass))
	} else {
		printed += fmt.Sprintf("Error: Could not parse accuracy score from output.\nExpected pattern: %s\n", patternOf(r))
		file += "Error: Could not parse accuracy score\n"
	}
	v.Texts = map[string]string{tree.VerifyAccuracy: output + summary07(file, v.Pass)}
	return printed
}

func patternOf(r Request) string {
	if r.Pattern == "" {
		return officialPattern
	}
	return r.Pattern
}

// findScore finds the first match of the pattern; where that is no number, problem is what the script prints.
func findScore(pattern, output string) (score *float64, problem string) {
	if pattern == "" {
		pattern = officialPattern
	}
	re, err := regexp.Compile(pattern)
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

// pyFormat puts the path of the accuracy log into a command as Python's str.format does: another brace is an error,
// two are one.
func pyFormat(command, path string) (string, error) {
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
			return "", died("KeyError: the command has a brace that is not %s: %.60s", accuracyPlace, command)
		}
	}
	return b.String(), nil
}

// accuracyPlace stands for the path of the accuracy log in a command.
const accuracyPlace = "{accuracy_log}"

// shell runs a command line and returns all that it prints, with LF at the ends of lines.
func shell(ctx context.Context, command string) string {
	output, _ := exec.CommandContext(ctx, "/bin/sh", "-c", command).CombinedOutput() // how it ends does not count
	text := strings.ReplaceAll(string(output), "\r\n", "\n")
	return strings.ReplaceAll(text, "\r", "\n")
}
