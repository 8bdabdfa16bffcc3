package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/markdown"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestStartIsTrue runs the commands of docs/start.md in an empty folder, one after the other, and compares their output
// with the page, without numbers. PLUMBLINE_UPDATE_DOCS=1 writes the output to the page.
func TestStartIsTrue(t *testing.T) {
	path := built.Doc("start.md")
	text := testfile.Read(t, path)
	dir := t.TempDir()
	var fresh strings.Builder
	for i, part := range strings.Split(text, "```") {
		if block, is := strings.CutPrefix(part, "console\n"); is && i%2 == 1 {
			part = "console\n" + runBlock(t, dir, block)
		}
		if i > 0 {
			fresh.WriteString("```")
		}
		fresh.WriteString(part)
	}
	if os.Getenv("PLUMBLINE_UPDATE_DOCS") != "" {
		testfile.Write(t, path, fresh.String())
		return
	}
	had, have := strings.Split(masked(text), "\n"), strings.Split(masked(fresh.String()), "\n")
	for i := range max(len(had), len(have)) {
		if i >= len(had) || i >= len(have) || had[i] != have[i] {
			t.Fatalf("docs/start.md is not what the commands print (PLUMBLINE_UPDATE_DOCS=1 writes it), from here on:\n%s",
				strings.Join(have[min(i, len(have)):min(i+6, len(have))], "\n"))
		}
	}
}

// runBlock runs the commands of a block and returns them with their output.
func runBlock(t *testing.T, dir, block string) string {
	t.Helper()
	var fresh strings.Builder
	for line := range strings.Lines(block) {
		args, is := strings.CutPrefix(strings.TrimSpace(line), "$ harness ")
		if !is {
			continue
		}
		cmd := harness.Command(t, built.Harness(), strings.Fields(args)...)
		cmd.Dir = dir
		r := harness.Finish(t, cmd)
		fresh.WriteString(line + strings.ReplaceAll(r.Stdout, filepath.Dir(cmd.Path), "bin"))
		if r.Code != 0 {
			fresh.WriteString(r.Stderr)
		}
	}
	return fresh.String()
}

// Texts that differ between machines and runs.
var (
	othersLine  = regexp.MustCompile(`(?m)^.*other programs used .*\n`)
	emptyLines  = regexp.MustCompile(`\n\s*\n`)
	machineLine = regexp.MustCompile(`(?m)^ +(machine|plugin) .*\n`)
	sparks      = regexp.MustCompile(`[▁▂▃▄▅▆▇█]+`)
	date        = regexp.MustCompile(`[0-9]+ [A-Z][a-z]+ 20[0-9]{2}`)
	number      = regexp.MustCompile(`\b[0-9a-f]{12,}\b|[0-9]+([.,][0-9]+)*`)
	span        = regexp.MustCompile(`# (us|µs|ms|s|min # s|min)\b`)
)

func masked(text string) string {
	text = othersLine.ReplaceAllString(text, "")
	text = machineLine.ReplaceAllString(text, "")
	text = sparks.ReplaceAllString(text, "")
	text = date.ReplaceAllString(text, "#")
	text = number.ReplaceAllString(text, "#")
	text = span.ReplaceAllString(text, "# time")
	return emptyLines.ReplaceAllString(markdown.Blanks.ReplaceAllString(text, " "), "\n") // notes add some around them
}
