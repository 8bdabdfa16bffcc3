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

// CSS is the style sheet of a page, including that of charts.
var CSS = styleSheet()

var page = ParseTemplate(readEmbedded("page.html"), nil)

func styleSheet() string {
	return strings.NewReplacer("LIGHT", plot.Light, "DARK", plot.Dark).Replace(readEmbedded("page.css")) + plot.CSS
}

func readEmbedded(name string) string {
	text, err := files.ReadFile(name)
	if err != nil { // impossible for embedded files
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

// The limits of a page in bytes. The page omits what exceeds them, with a note.
const (
	maxPage     = 3_000_000 // whole page
	maxSections = 1_100_000 // sections of runs, without exhibits
	maxExhibits = 1_900_000 // exhibits
	maxRows     = 2000      // rows in the table of all runs
)

// FileName is the name of the page in a folder of results.
const FileName = "index.html"

// WriteFolder writes the page of the results in dir into dir and returns its path.
func WriteFolder(dir, version string) (path string, err error) {
	path = filepath.Join(dir, FileName)
	set, err := results.Read(dir)
	if err != nil {
		return path, err
	}
	return path, Report{Set: set, Version: version}.WriteFile(path)
}

// WriteFile writes the page to a file atomically.
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
	// Conclusion is a summary of the runs, the first line below the page's title; empty: none.
	Conclusion string
	// Tuned contains profiles of harness tune. They follow the runs.
	Tuned []Tuned
	// Reference contains runs to compare with, from the folder ReferenceName; empty: no reference.
	Reference     results.Set
	ReferenceName string
	// Version is the version of the program.
	Version string
}

// pageView contains the data of page.html.
type pageView struct {
	names           []names.Name // names of the runs
	Title, Subtitle string
	Conclusion      string
	Head            Head
	Notes           []string
	Facts           []runFact
	Machine         *machineView // nil unless the runs are of several models on one machine
	Charts          []drawnChart // charts of several runs
	Sweeps          []textTable
	ChartsFirst     bool // before the table of all runs, because the table is long
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
				v.Charts = append(v.Charts, drawnChart{ID: c.ID, Title: c.Title, SVG: template.HTML(svg)}) // SVG with escaped texts
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

// byteCounter is a writer that counts bytes.
type byteCounter int

func (c *byteCounter) Write(p []byte) (int, error) {
	*c += byteCounter(len(p))
	return len(p), nil
}

// addSections adds the sections of the runs, as far as they fit on the page. It removes the links of rows without a
// section.
func (v *pageView) addSections(runs []results.FoundRun, left int) error {
	room := min(maxSections, left)
	pictures := min(maxExhibits, left-room)
	for i, f := range runs {
		s, exhibits := newSection(f, v.names[i].Full, sectionID(i), pictures)
		var text bytes.Buffer
		if err := page.ExecuteTemplate(&text, "run", s); err != nil {
			return err
		}
		if f.Serving != nil && len(s.Charts) > 0 && text.Len() > 2*room/(len(runs)-i) { // the table has their figures
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
		v.Runs = append(v.Runs, template.HTML(text.String())) // the template has escaped it
	}
	return nil
}

func sectionID(i int) string { return fmt.Sprintf("run-%d", i+1) }

// runRow is a row in the table of all runs.
type runRow struct {
	Group    string // heading above the row in a table of several benchmarks
	ID, Name string
	runVerdict
	Value, What string
	Judged      []judgedValue
}

// addRows creates the table of all runs.
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

// minGrouped is the minimum number of runs in a table with headings per benchmark.
const minGrouped = 20

// groupTitle returns the heading for the runs of a benchmark that start at index from. It is empty if the list is short
// or has only one benchmark.
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
