package results

import (
	"errors"
	"fmt"
	"html/template"
	"io"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
	"github.com/plumbline-ml/plumbline/internal/compare"
	"github.com/plumbline-ml/plumbline/sdk"
)

const historyHelp = `Show how results changed over time: by benchmark, the runs of each commit and label in order, and
which changes are larger than the spread of the runs.

PATH is a folder of --out folders, or the file to which --append of harness run and bench adds results.
The commit is that of the CI job (GITHUB_SHA, CI_COMMIT_SHA, GIT_COMMIT), else of git's working directory.

  harness run resnet50 --scenario Offline --repeat 4 --label nightly --append results.jsonl
  harness history results.jsonl
  harness history results.jsonl --html history.html --badge badge.svg`

// historyFlags contains the flags of history.
type historyFlags struct {
	html, csv, badge string
	json             bool
}

// HistoryCommand returns the command "harness history".
func HistoryCommand(s *shell.App) *cobra.Command {
	a := &app{s}
	f := &historyFlags{}
	c := &cobra.Command{
		Use: "history PATH", Short: "Show how results changed over time, and which changes exceed the spread",
		Long: historyHelp, Args: shell.RequireOneArgument("a folder of results, or a file that --append collects them in"),
		RunE: func(_ *cobra.Command, args []string) error { return a.showHistory(f, args[0]) },
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.html, "html", "", "also write a page to `FILE`")
	flags.StringVar(&f.csv, "csv", "", "also write the entries to `FILE` as CSV")
	flags.StringVar(&f.badge, "badge", "", "also write a badge of the newest entries to `FILE`.svg")
	flags.BoolVar(&f.json, "json", false, "print the history as JSON")
	shell.AddCIReport(s, c)
	return c
}

func (a *app) showHistory(f *historyFlags, path string) error {
	err := errors.Join(checkEnding("html", f.html, ".html", ".htm"), checkEnding("csv", f.csv, ".csv"),
		checkEnding("badge", f.badge, ".svg"))
	if err != nil {
		return sdk.Usage(err)
	}
	set, err := readRuns(path)
	if err != nil {
		return err
	}
	t, err := compare.NewTimeline(path, set)
	if err != nil {
		return err
	}
	for _, file := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{f.html, func(w io.Writer) error { return writeHistory(w, t) }}, {f.csv, t.WriteCSV},
		{f.badge, func(w io.Writer) error { return writeBadge(w, t) }},
	} {
		if file.path == "" {
			continue
		}
		if err := page.WriteFile(file.path, file.write); err != nil {
			return err
		}
	}
	for _, s := range t.Series {
		a.Report.AddTable(s.Name+": "+s.Heading(), s.Table())
	}
	a.Report.AddTable("", nil, append(t.Legend(), t.Notes...)...)
	if f.json {
		return t.WriteJSON(a.Data)
	}
	return t.WriteText(a.Stdout)
}

// The sizes of a badge in SVG units, and the maximum length of its text.
const (
	badgeLetter  = 7 // width of a wide letter
	badgePadding = 6
	maxBadgeText = 60
)

var badgePicture = template.Must(template.New("badge").Parse(
	`<svg xmlns="http://www.w3.org/2000/svg" width="{{.Width}}" height="20" role="img"
 aria-label="{{.Subject}}: {{.Text}}">
<title>{{.Subject}}: {{.Text}}</title>
<rect width="{{.Width}}" height="20" rx="3" fill="#333"/>
<path d="M{{.Left}} 0h{{.Right}}v20h-{{.Right}}z" fill="{{.Colour}}"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="6" y="14">{{.Subject}}</text><text x="{{.TextX}}" y="14">{{.Text}}</text></g></svg>
`))

// writeBadge writes an SVG badge with the results of the newest entries.
func writeBadge(w io.Writer, t compare.Timeline) error {
	subject, text, worst := t.BadgeText()
	subject, text = cutBadge(subject), cutBadge(text)
	colour := map[string]string{"good": "#0a6b2d", "bad": "#a61b1b", "warn": "#7a5200"}[verdictClass(worst)]
	if colour == "" {
		colour = "#1f5a99"
	}
	width := func(text string) int { return 2*badgePadding + badgeLetter*len([]rune(text)) }
	left, right := width(subject), width(text)
	return badgePicture.Execute(w, struct {
		Subject, Text, Colour     string
		Left, Right, Width, TextX int
	}{subject, text, colour, left, right, left + right, left + badgePadding})
}

func cutBadge(text string) string {
	if letters := []rune(text); len(letters) > maxBadgeText {
		return fmt.Sprint(string(letters[:maxBadgeText-3]), "...")
	}
	return text
}
