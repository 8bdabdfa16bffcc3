package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plot"
	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/record/names"
	"github.com/plumbline-ml/plumbline/internal/record/results"
	"github.com/plumbline-ml/plumbline/sdk"
)

//go:embed head.html page.html page.css
var files embed.FS

// CSS is the style sheet of a page, that of charts included.
var CSS = styleSheet()

var page = ParseTemplate(readEmbedded("page.html"), nil)

func styleSheet() string {
	return strings.NewReplacer("LIGHT", plot.Light, "DARK", plot.Dark).Replace(readEmbedded("page.css")) + plot.CSS
}

func readEmbedded(name string) string {
	text, err := files.ReadFile(name)
	if err != nil { // it is embedded
		panic(err)
	}
	return string(text)
}

// ParseTemplate parses the template of a page. The page begins with {{template "head" .Head}}, where Head is a [Head].
func ParseTemplate(text string, functions template.FuncMap) *template.Template {
	t := template.Must(template.New("page").Funcs(functions).Parse(readEmbedded("head.html")))
	return template.Must(t.Parse(text))
}

// Head is the head of a page: the title, the style sheet, and a Content-Security-Policy with which a browser loads and
// runs nothing. Pictures are in the page itself.
type Head struct {
	Title, Policy string
	CSS           template.CSS
}

// NewHead returns the head of a page whose style sheet is CSS followed by rules.
func NewHead(title, rules string) Head {
	css := CSS + rules
	sum := sha256.Sum256([]byte(css))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
	return Head{title, policy, template.CSS(css)}
}

// The bounds of a page in bytes: what is over them is left out, and the page says so.
const (
	maxPage     = 3_000_000 // of all
	maxSections = 1_100_000 // of sections of runs without exhibits
	maxExhibits = 1_900_000 // of exhibits
	maxRows     = 2000      // rows of the table of all runs
)

// FileName is the name of a page in a folder of results.
const FileName = "index.html"

// WriteFolder writes the page of the results in a folder into it, and returns its path.
func WriteFolder(dir, version string) (path string, err error) {
	path = filepath.Join(dir, FileName)
	set, err := results.Read(dir)
	if err != nil {
		return path, err
	}
	return path, Report{Set: set, Version: version}.WriteFile(path)
}

// WriteFile writes the page to a file, whole or not at all.
func (r Report) WriteFile(path string) error { return WriteFile(path, r.WriteHTML) }

// WriteFile writes the output of write to a file, whole or not at all. An error of the file is the user's, because the
// user named it.
func WriteFile(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return sdk.Usage(wholefile.Write(path, b.Bytes(), 0o644))
}

// Report contains the data of a page or a text.
type Report struct {
	Set results.Set
	// Conclusion is what the runs come to, and the page's first line below its title; empty: nothing.
	Conclusion string
	// Tuned are profiles of harness tune, behind the runs.
	Tuned []Tuned
	// Reference are runs that those of the set are compared with, from the folder ReferenceName; none: empty.
	Reference     results.Set
	ReferenceName string
	// Version is that of the program that makes the report.
	Version string
}

// pageView is what page.html shows.
type pageView struct {
	names           []names.Name // of the runs
	Title, Subtitle string
	Conclusion      string
	Head            Head
	Notes           []string
	Facts           []runFact
	Machine         *machineView // nil: the runs are not those of one machine with several models
	Charts          []drawnChart // of several runs
	Sweeps          []textTable
	ChartsFirst     bool // before the table of all runs, which is long
	Rows            []runRow
	More            string
	Runs            []template.HTML
	Left            string
	Skipped         []string
	Footer          string
}

// WriteHTML writes the page.
func (r Report) WriteHTML(w io.Writer) error {
	v := pageView{
		Title: r.pageTitle(), Subtitle: r.verdictCounts(), Conclusion: r.Conclusion, Head: NewHead(r.pageTitle(), ""),
		Notes:   r.resultNotes(),
		Skipped: r.Set.Skipped, Footer: "Made by Plumbline " + r.Version + " of the files of the runs. It needs no network.",
	}
	v.Facts, v.names = runFacts(r.Set.Runs), names.NameRuns(r.Set.Runs)
	v.Machine = makeMachine(r.Set, r.Reference, r.ReferenceName)
	if len(r.Set.Runs) > 1 {
		v.addRows(r.Set.Runs)
		v.Sweeps = sweepTables(r.Set.Runs)
		v.ChartsFirst = len(v.Rows) > 40
		for _, c := range overviewCharts(r.Set.Runs, v.names) {
			if svg, err := c.SVG(); err == nil {
				v.Charts = append(v.Charts, drawnChart{ID: c.ID, Title: c.Title, SVG: template.HTML(svg)}) // its texts are escaped
			}
		}
	}
	if err := v.tunedSections(r.Tuned); err != nil {
		return err
	}
	var beside byteCounter
	if err := page.Execute(&beside, v); err != nil {
		return err
	}
	tuned := v.Runs
	v.Runs = nil
	if err := v.addSections(r.Set.Runs, maxPage-int(beside)); err != nil {
		return err
	}
	v.Runs = append(v.Runs, tuned...)
	return page.Execute(w, v)
}

// byteCounter counts what is written to it.
type byteCounter int

func (c *byteCounter) Write(p []byte) (int, error) {
	*c += byteCounter(len(p))
	return len(p), nil
}

// addSections adds the sections of the runs, as long as there is room for them beside the rest of the page. Rows of
// those that have none lead nowhere.
func (v *pageView) addSections(runs []results.FoundRun, left int) error {
	room := min(maxSections, left)
	pictures := min(maxExhibits, left-room)
	for i, f := range runs {
		s, exhibits := newSection(f, v.names[i].Full, sectionID(i), pictures)
		var text bytes.Buffer
		if err := page.ExecuteTemplate(&text, "run", s); err != nil {
			return err
		}
		if f.Serving != nil && len(s.Charts) > 0 && text.Len() > 2*room/(len(runs)-i) { // every point has its table
			s.Charts = nil
			s.Missing = "Its charts have no room beside those of so many points: harness report " + f.LogFolder() +
				" shows them."
			text.Reset()
			if err := page.ExecuteTemplate(&text, "run", s); err != nil {
				return err
			}
		}
		if room -= text.Len() - exhibits; room < 0 && i > 0 {
			v.Left = fmt.Sprintf("The page has room for the first %d of %s; harness report of a folder of its own, %s, "+
				"shows the others.", i, figure.Plural(len(runs), "run"), f.LogFolder())
			for k := i; k < len(v.Rows); k++ {
				v.Rows[k].ID = ""
			}
			v.Machine.unlinkFrom(i)
			return nil
		}
		pictures -= exhibits
		v.Runs = append(v.Runs, template.HTML(text.String())) // made by the template, which escaped it
	}
	return nil
}

func sectionID(i int) string { return fmt.Sprintf("run-%d", i+1) }

// runRow is one of the table of all runs.
type runRow struct {
	Group    string // the heading of what follows, where the runs are of several benchmarks
	ID, Name string
	runVerdict
	Value, What string
	Judged      []judgedValue
}

// addRows makes the table of all runs.
func (v *pageView) addRows(runs []results.FoundRun) {
	for i, f := range runs[:min(len(runs), maxRows)] {
		r := runRow{ID: sectionID(i), Name: v.names[i].Full, runVerdict: verdictOf(f.Run), Judged: judgedBy(f.Run)}
		if figure, ok := f.Headline(); ok {
			r.Value, r.What = figure.String(), figure.Name
		}
		if i == 0 || f.Model != runs[i-1].Model {
			r.Group = groupTitle(runs, i)
		}
		v.Rows = append(v.Rows, r)
	}
	if n := len(runs) - maxRows; n > 0 {
		v.More = "and " + figure.Count(uint64(n)) +
			" more, which have no room here: harness report of a folder of fewer shows them"
	}
}

// minGrouped is how many runs a table has at least whose benchmarks have headings.
const minGrouped = 20

// groupTitle is the heading of the runs of one benchmark that begin at a place in the list; empty where the list is
// short, or of one benchmark alone.
func groupTitle(runs []results.FoundRun, from int) string {
	to := from
	for to < len(runs) && runs[to].Model == runs[from].Model {
		to++
	}
	if len(runs) < minGrouped || to-from == len(runs) {
		return ""
	}
	return fmt.Sprintf("%s: %s", runs[from].Model, countVerdicts(runs[from:to]))
}
