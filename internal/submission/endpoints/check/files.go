package check

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
)

// The files and folders of a submission.
const (
	resultsDir   = "results"
	docsDir      = "docs"
	srcDir       = "src"
	pointFile    = "point.yaml"
	configFile   = "config.yaml"
	summaryFile  = "result_summary.json"
	accuracyFile = "accuracy_results.json"
	resultsFile  = "results.json"
	systemFile   = "system_desc.json"
	powerFile    = "system_power.json"
	placesFile   = "sample_idx_map.json"
)

// maxFile is the maximum size of a file in bytes.
const maxFile = 64 << 20

// shownPath returns a path in the form of rows.
func (c *submissionChecker) shownPath(p string) string {
	if p == "" {
		return ""
	}
	return path.Join(c.prefix, p)
}

func (c *submissionChecker) isDir(p string) bool {
	info, err := fs.Stat(c.root, p)
	return err == nil && info.IsDir()
}

func (c *submissionChecker) isFile(p string) bool {
	info, err := fs.Stat(c.root, p)
	return err == nil && info.Mode().IsRegular()
}

func (c *submissionChecker) fileExists(p string) bool {
	_, err := fs.Stat(c.root, p)
	return err == nil
}

// listDirs returns the names of the subfolders, including links to folders, sorted.
func (c *submissionChecker) listDirs(p string) (names []string) {
	list, _ := fs.ReadDir(c.root, p)
	for _, e := range list {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 && c.isDir(path.Join(p, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names
}

var pointName = regexp.MustCompile(`^r(\d+)$`)

// concurrencyInName returns the concurrency in the name of a point's folder.
func concurrencyInName(name string) (n int, ok bool) {
	m := pointName.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil
}

// pointDirs returns the names of a curve's point folders, ordered by number.
func (c *submissionChecker) pointDirs(curve string) (names []string) {
	for _, name := range c.listDirs(curve) {
		if _, ok := concurrencyInName(name); ok {
			names = append(names, name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		x, _ := concurrencyInName(a)
		y, _ := concurrencyInName(b)
		return x - y
	})
	return names
}

// readText reads a file.
func (c *submissionChecker) readText(p string) (string, error) {
	info, err := fs.Stat(c.root, p)
	switch {
	case err != nil:
		return "", plainError(err)
	case !info.Mode().IsRegular():
		return "", errors.New("it is no file")
	}
	f, err := c.root.Open(p)
	if err != nil {
		return "", plainError(err)
	}
	defer f.Close()
	return pyvalue.ReadText(io.LimitReader(f, maxFile+1), maxFile)
}

// plainError removes the path from an error, because the row contains it.
func plainError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// readJSON reads a JSON file like Python.
func (c *submissionChecker) readJSON(p string) (any, error) {
	text, err := c.readText(p)
	if err != nil {
		return nil, err
	}
	return pyvalue.Decode(text)
}

// readObject returns a file's JSON object, or nil. It caches the object, because several rules use it.
func (c *submissionChecker) readObject(p string) *pyvalue.Dict {
	if d, had := c.objects[p]; had {
		return d
	}
	v, _ := c.readJSON(p)
	d, _ := v.(*pyvalue.Dict)
	c.objects[p] = d
	return d
}

// readYAML reads a YAML 1.1 mapping.
func (c *submissionChecker) readYAML(p string) (*pyvalue.Dict, error) {
	text, err := c.readText(p)
	if err != nil {
		return nil, err
	}
	return schema.ParseYAML([]byte(text), maxFile)
}

// addFaults adds a row for each fault of a file.
func (c *submissionChecker) addFaults(rule, p string, all []schema.Fault) {
	for _, f := range all {
		section := ruleSections[rule]
		if f.Section != "" {
			section = f.Section
		}
		c.addRowInSection(section, rule, Error, p, "%s: %s", path.Base(p), f)
	}
}

// readForm reads a JSON file and checks it against a form. It returns nil if the file does not match.
func (c *submissionChecker) readForm(rule, p string, form schema.Kind) *schema.Record {
	v, err := c.readJSON(p)
	if err != nil {
		c.addRow(rule, Error, p, "%s cannot be read: %v", path.Base(p), err)
		return nil
	}
	return c.checkForm(rule, p, v, form)
}

func (c *submissionChecker) checkForm(rule, p string, v any, form schema.Kind) *schema.Record {
	var all schema.Faults
	r, _ := form(v, "", &all).(*schema.Record)
	if len(all) > 0 {
		c.addFaults(rule, p, all)
		return nil
	}
	return r
}

// listNames joins names for a message.
func listNames(names []string) string { return strings.Join(names, ", ") }

// wholeNumber returns a JSON integer. ok is false for other values, including booleans.
func wholeNumber(v any) (n int, ok bool) {
	if i, isInt := v.(int64); isInt {
		return int(i), true
	}
	return 0, false
}

// jsonNumber returns a JSON number. ok is false for other values, including booleans.
func jsonNumber(v any) (x float64, ok bool) {
	if _, truth := v.(bool); truth || v == nil {
		return 0, false
	}
	if _, text := v.(string); text {
		return 0, false
	}
	x, err := pyvalue.Float(v)
	return x, err == nil
}
