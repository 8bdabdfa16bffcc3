package shell

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/ci"
	"github.com/plumbline-ml/plumbline/internal/compare"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/sdk"
)

// EnvStepSummary is the environment variable of GitHub's runners for the summary file of a step.
const EnvStepSummary = "GITHUB_STEP_SUMMARY"

// ciFlags contains the files for the outcome of a command in continuous integration.
type ciFlags struct{ markdown, junit string }

// CIFlagNames lists the flags that AddRunReport adds.
var CIFlagNames = []string{"markdown", "junit", appendFlag}

// AddCIReport adds the flags --markdown and --junit to a command and writes its report to these files, and to the
// summary of a step if the environment names one. It rejects a file that cannot be written before the command starts.
// The command adds results to a.Report; its error becomes a part of the report.
func AddCIReport(a *App, c *cobra.Command) {
	f := &ciFlags{}
	c.Flags().StringVar(&f.markdown, "markdown", "", "write a summary in Markdown to `FILE`, as pages of CI jobs show it")
	c.Flags().StringVar(&f.junit, "junit", "", "write verdicts and conditions as test cases to `FILE`, in JUnit's form")
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := f.checkFiles(); err != nil {
			return sdk.Usage(err)
		}
		if f.markdown == "" && f.junit == "" && a.Env(EnvStepSummary) == "" {
			return run(c, args)
		}
		a.Report = &ci.Report{}
		err := run(c, args)
		command := c.CommandPath()
		for _, arg := range args {
			command += " " + a.Secrets.Hide(arg)
		}
		var outcome *exitcode.Outcome
		if !errors.As(err, &outcome) {
			a.Report.AddFault(command, a.hideFault(err))
		}
		fault := a.writeCIReport(f, command)
		if err == nil {
			return fault
		}
		if fault != nil { // the command's own outcome takes precedence
			a.PrintError(fault)
		}
		return err
	}
}

// AddRunReport is AddCIReport for a command that makes runs. It also adds --append, which collects the runs in a file.
func AddRunReport(a *App, c *cobra.Command) {
	file := ""
	c.Flags().StringVar(&file, appendFlag, "", "add the results to the end of `FILE`.jsonl, which harness history reads")
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := checkCollected(file); err != nil {
			return sdk.Usage(err)
		}
		if file != "" && a.Report == nil {
			a.Report = &ci.Report{}
		}
		err := run(c, args)
		if file == "" || len(a.Report.FinishedRuns()) == 0 {
			return err
		}
		fault := sdk.Usage(results.AppendCollected(file, a.projectCommit(), a.Report.FinishedRuns()))
		if err == nil {
			return fault
		}
		if fault != nil { // the command's own outcome takes precedence
			a.PrintError(fault)
		}
		return err
	}
	AddCIReport(a, c)
}

const appendFlag = "append"

// checkCollected requires a file name in an existing folder for collected results.
func checkCollected(name string) error {
	if name == "" {
		return nil
	}
	if !strings.EqualFold(filepath.Ext(name), results.CollectedEnding) {
		return fmt.Errorf("--%s %s: want a name that ends in %s", appendFlag, name, results.CollectedEnding)
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("--%s %s: not a regular file; name another one", appendFlag, name)
	}
	if dir, err := os.Stat(filepath.Dir(name)); err != nil || !dir.IsDir() {
		return fmt.Errorf("--%s %s: there is no folder %s; make it first", appendFlag, name, filepath.Dir(name))
	}
	return nil
}

// commitVariables lists the environment variables of CI services for the commit of a job.
var commitVariables = []string{"GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"}

// projectCommit returns the commit of the project in the working directory, from the CI service or git, or "" if it is
// unknown.
func (a *App) projectCommit() string {
	for _, name := range commitVariables {
		if commit := a.Env(name); commit != "" {
			return commit
		}
	}
	commit, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(commit))
}

// appendFile appends text to a file, which it creates if necessary.
func appendFile(name string, text []byte) error {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}

// hideFault returns an error without secrets. It returns nil for nil.
func (a *App) hideFault(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(a.Secrets.Hide(err.Error()))
}

// checkFiles requires that the folders of the files exist and that the files are not folders.
func (f *ciFlags) checkFiles() error {
	var faults []error
	for flag, name := range map[string]string{"markdown": f.markdown, "junit": f.junit} {
		if name == "" {
			continue
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			faults = append(faults, fmt.Errorf("--%s %s: is a folder; name a file", flag, name))
		} else if dir, err := os.Stat(filepath.Dir(name)); err != nil || !dir.IsDir() {
			faults = append(faults, fmt.Errorf("--%s %s: there is no folder %s; make it first", flag, name, filepath.Dir(name)))
		}
	}
	if f.markdown != "" && f.markdown == f.junit {
		faults = append(faults, fmt.Errorf("--markdown and --junit both name %s; name two files", f.markdown))
	}
	return errors.Join(faults...)
}

// writeCIReport writes the report. If the summary of a step cannot be written, it only prints a note, because it is not
// the user's file.
func (a *App) writeCIReport(f *ciFlags, command string) error {
	var faults []error
	markdown := func(w io.Writer) error { return a.Report.WriteMarkdown(w, command) }
	if f.markdown != "" {
		faults = append(faults, a.WriteFile(f.markdown, markdown))
	}
	if f.junit != "" {
		faults = append(faults, a.WriteFile(f.junit, func(w io.Writer) error { return a.Report.WriteJUnit(w, command) }))
	}
	if name := a.Env(EnvStepSummary); name != "" {
		var text bytes.Buffer
		err := markdown(&text)
		if err == nil {
			err = appendFile(name, text.Bytes())
		}
		if err != nil {
			a.PrintNote(fmt.Sprintf("%s: the summary of this step is not written: %v", EnvStepSummary, err))
		}
	}
	return errors.Join(faults...)
}

// ReportComparison adds the pairs of a comparison to a report; nil: not requested.
func ReportComparison(r *ci.Report, c compare.Comparison, every bool) {
	if r == nil {
		return
	}
	for _, p := range c.Pairs {
		r.AddTable(fmt.Sprintf("%s: %s against %s", p.Title(), c.New.Name, c.Base.Name), p.FigureTable(every), p.Notes...)
	}
	r.AddTable("", nil, append(c.Legend(), c.Notes...)...)
}
