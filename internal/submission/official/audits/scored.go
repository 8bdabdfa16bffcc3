package audits

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/submission/audit"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// judgeAccuracy reproduces TEST07's run_verification.py.
func judgeAccuracy(ctx context.Context, r Request) Verdict {
	v := newVerdict(r)
	v.Stdout = "Parsing arguments.\n"
	stop := func(text string) Verdict { v.Stdout, v.Exit = v.Stdout+text, 1; return v }
	if text := missingFolderText(r); text != "" {
		return stop(text)
	}
	threshold, text := accuracyThreshold(r)
	v.Stdout += text
	if threshold == nil {
		return stop("Error: No accuracy threshold specified.\n" +
			"Provide --accuracy-threshold or --audit-config with test07_accuracy_threshold field.\n")
	}
	v.Stdout += fmt.Sprintf("Using accuracy threshold: %s\n", pyfloat.Repr(*threshold))
	command, err := evidence.FillCommand(r.Command, r.Run.Accuracy)
	if err != nil {
		return stop(evidence.Traceback(err))
	}
	v.Stdout += fmt.Sprintf("\nRunning accuracy evaluation script...\nCommand: %s\n%s\n", command, evidence.SeparatorLine)
	output := runShell(ctx, command)
	v.Stdout += output + v.judgeScore(r, output, *threshold)
	v.TakeLogs(r.Request)
	v.Stdout += fmt.Sprintf("\nAccuracy check pass: %s\nTEST07 verification complete\n", evidence.BoolText(v.Pass))
	return v
}

// accuracyThreshold returns the threshold in use, and the script's output about it.
func accuracyThreshold(r Request) (*float64, string) {
	if r.AuditConfig == "" {
		return r.Threshold, ""
	}
	text := fmt.Sprintf("Reading audit.config from: %s\n", r.AuditConfig)
	found, err := evidence.ReadBounds(r.AuditConfig, []string{evidence.ThresholdKey}, false, func(_, value string) {
		text += fmt.Sprintf("Warning: Invalid threshold value in audit.config: %s\n", value)
	})
	if err != nil {
		text += fmt.Sprintf("Warning: Error parsing audit.config: %v\n", err)
	}
	own, ok := found[evidence.ThresholdKey]
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

// judgeScore judges an accuracy script's output, sets the verdict, and returns the verification script's output.
func (v *Verdict) judgeScore(r Request, output string, threshold float64) (printed string) {
	score, problem := evidence.FindScore(r.Pattern, output)
	v.Pass = score != nil && *score >= threshold
	v.Accuracy = audit.OutcomeOf(v.Pass)
	file := ""
	printed = problem + "\n" + evidence.SeparatorLine + "\n"
	if score != nil {
		lines := fmt.Sprintf("Accuracy score: %s\nAccuracy threshold: %s\n", pyfloat.Repr(*score), pyfloat.Repr(threshold))
		printed += lines
		file += lines + fmt.Sprintf("Accuracy check pass: %s\n", evidence.BoolText(v.Pass))
	} else {
		printed += fmt.Sprintf("Error: Could not parse accuracy score from output.\nExpected pattern: %s\n",
			evidence.PatternOr(r.Pattern))
		file += "Error: Could not parse accuracy score\n"
	}
	v.Texts = map[string]string{tree.VerifyAccuracy: output + evidence.ScoreSummary(file, v.Pass)}
	return printed
}

// runShell runs a command line and returns its output with LF as line ends.
func runShell(ctx context.Context, command string) string {
	output, _ := exec.CommandContext(ctx, "/bin/sh", "-c", command).CombinedOutput() // the exit status is ignored
	text := strings.ReplaceAll(string(output), "\r\n", "\n")
	return strings.ReplaceAll(text, "\r", "\n")
}
