package audit

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
)

// scoreText scores an accuracy log with the request's function or command. It returns the printed text, and metrics if
// the function returns them.
func (r Request) scoreText(ctx context.Context, log string) (text string, metrics map[string]float64, err error) {
	if r.Score != nil {
		s, err := r.Score(ctx, log)
		return s.Text, s.Metrics, err
	}
	command, err := evidence.FillCommand(r.Command, shellQuoted(log))
	if err != nil {
		return "", nil, err
	}
	output, err := exec.CommandContext(ctx, "/bin/sh", "-c", command).CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("the scorer's command ends with %w: %.300s", exit, output)
	}
	return string(output), nil, err
}

// shellQuoted returns a path quoted as one word of a shell.
func shellQuoted(path string) string {
	if !evidence.IsSplitByShell(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
