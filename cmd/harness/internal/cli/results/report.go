// Package results contains the commands that read finished runs, such as compare, history, rank, report and score.
package results

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/tune"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// app is one execution of a command in this package.
type app struct{ *shell.App }

const runsReportHelp = `Show runs: verdicts with their reasons; latency, throughput and tokens over time and their
distributions; accuracy with its target and sample answers; settings with their origins; system and files. Without flags
it prints a text for the terminal.

  harness report out --html report.html               a page without scripts or network access
  harness report out/resnet50/Server --text           for the terminal
  harness report out/resnet50/Server --plot latency --png latency.png

DIR is the --out folder of a run, one scenario's or one run's folder in it, or a folder of such folders. Without a
result.json the logs are read, such as the official LoadGen's: of a run, a system, a submission, or a whole repository
of published results. Their runs are named after their folders, SYSTEM: BENCHMARK SCENARIO, and accuracy.txt is judged
by the round of the logs. For a profile of harness tune, the report shows the measured settings and rates as curves.`

// runsReportFlags contains the flags of report.
type runsReportFlags struct {
	html, plot, png, svg string
	reference            string
	text                 bool
}

// ReportCommand returns the command "harness report".
func ReportCommand(s *shell.App) *cobra.Command {
	a := &app{s}
	f := &runsReportFlags{}
	c := &cobra.Command{
		Use: "report DIR...", Short: "Show runs: a page, a text, or single plots", Long: runsReportHelp,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("the folder of a run is missing; see %s --help", c.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.runReport(f, args) },
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.html, "html", "", "write one page to `FILE`")
	flags.StringVar(&f.reference, "reference", "", "with --html: compare each benchmark's results with those in `DIR`")
	flags.BoolVar(&f.text, "text", false, "print a text (the default without a file)")
	flags.StringVar(&f.plot, "plot", "", "`NAME` of the plot for --png and --svg, such as latency or throughput")
	flags.StringVar(&f.png, "png", "",
		"write the plot to `FILE` as a picture, or the plots of all runs to a folder\n(plots/)")
	flags.StringVar(&f.svg, "svg", "", "write the plot to `FILE` as SVG, or the plots of all runs to a folder")
	return c
}

func (a *app) runReport(f *runsReportFlags, paths []string) error {
	single := f.png != "" || f.svg != ""
	if single != (f.plot != "") {
		return sdk.Usage(errors.New("--plot NAME goes with --png FILE or --svg FILE"))
	}
	if err := errors.Join(checkEnding("html", f.html, ".html", ".htm"), checkEnding("png", f.png, ".png"),
		checkEnding("svg", f.svg, ".svg")); err != nil {
		return sdk.Usage(err)
	}
	r := page.Report{Version: shell.Version().Version}
	paths, r.Tuned = takeProfiles(paths)
	var err error
	if len(paths) > 0 {
		r.Set, err = readRuns(paths...)
	}
	if err != nil {
		return err
	}
	byBenchmark(r.Set)
	if err := f.readReference(&r); err != nil {
		return err
	}
	if f.html != "" {
		err = r.WriteFile(f.html)
	}
	if err == nil && single {
		err = writePlot(f, r)
	}
	if err == nil && (f.text || f.html == "" && !single) {
		err = r.WriteText(a.Stdout)
	}
	return err
}

// readReference reads the results of --reference, if given.
func (f *runsReportFlags) readReference(r *page.Report) (err error) {
	if f.reference == "" {
		return nil
	}
	if f.html == "" {
		return sdk.Usage(errors.New("--reference DIR goes with --html FILE"))
	}
	r.ReferenceName = f.reference
	if r.Reference, err = readRuns(results.SplitPaths(f.reference)...); err != nil {
		return fmt.Errorf("--reference: %w", err)
	}
	return nil
}

// takeProfiles separates the profiles of harness tune from the other paths.
func takeProfiles(paths []string) (rest []string, found []page.Tuned) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			if p, err := tune.Load(path); err == nil {
				found = append(found, page.Tuned{Path: path, Profile: p})
				continue
			}
		}
		rest = append(rest, path)
	}
	return rest, found
}

// formats lists the file extensions that imply a format for other programs.
var formats = []string{".html", ".htm", ".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff",
	".pdf", ".eps", ".json", ".csv", ".txt", ".md", ".xlsx"}

// checkEnding rejects a file name whose extension implies another format than the flag writes.
func checkEnding(flag, path string, own ...string) error {
	end := strings.ToLower(filepath.Ext(path))
	if slices.Contains(own, end) || !slices.Contains(formats, end) {
		return nil
	}
	return fmt.Errorf("--%s %s: the name ends in %s, but %s is written; want a name that ends in %s", flag, path, end,
		strings.ToUpper(flag), own[0])
}

// writePlot writes the plot of the given name to a file, or the plots of all runs to folders.
func writePlot(f *runsReportFlags, r page.Report) error {
	found, err := findPlots(f.plot, r)
	if err != nil {
		return err
	}
	for _, w := range []struct {
		path, end string
		write     func(plot.Chart, io.Writer) error
	}{{f.png, ".png", plot.Chart.WritePNG}, {f.svg, ".svg", plot.Chart.WriteSVG}} {
		folder := isFolder(w.path)
		switch {
		case w.path == "":
			continue
		case folder:
			err = errors.Join(err, sdk.Usage(os.MkdirAll(w.path, 0o755)))
		case len(found) > 1:
			return errSeveral(f.plot, found)
		}
		for _, p := range found {
			path := w.path
			if folder {
				path = filepath.Join(w.path, p.File+w.end)
			}
			err = errors.Join(err, page.WriteFile(path, func(to io.Writer) error { return w.write(p.Chart, to) }))
		}
	}
	return err
}

// isFolder reports whether the user named a folder: an existing one, or a path with a final separator.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() || path != "" && os.IsPathSeparator(path[len(path)-1])
}

// findPlots returns the plots of a name: one per run, or one of several runs.
func findPlots(name string, r page.Report) ([]page.Plot, error) {
	var found []page.Plot
	var known []string
	for _, p := range r.Plots() {
		if !slices.Contains(known, p.ID) {
			known = append(known, p.ID)
		}
		if p.ID == name {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return nil, sdk.Usage(fmt.Errorf("--plot %s: the runs have no such plot, but %s", name,
			strings.Join(known, ", ")))
	}
	return found, nil
}

// errSeveral returns the error for several plots and one file.
func errSeveral(name string, found []page.Plot) error {
	folders := make([]string, len(found))
	for i, p := range found {
		folders[i] = p.Folder
	}
	return sdk.Usage(fmt.Errorf("--plot %s: %d runs have it; name the folder of one, or for a file of each a folder, "+
		"as in --png plots/:\n  %s", name, len(found), strings.Join(folders, "\n  ")))
}
