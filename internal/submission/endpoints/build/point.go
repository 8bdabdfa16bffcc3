package build

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/system"
)

// treePoint is a point of the tree in preparation.
type treePoint struct {
	Point
	accuracy    string // path of the accuracy file; empty: none
	inlineFile  string // for a separate accuracy run: the performance run's accuracy file
	config      *pyvalue.Dict
	text        []byte // content of point.yaml
	description *pyvalue.Dict
	addedKeys   []any // keys to add to point.yaml, each followed by its value
	throughput  float64
}

// readPoint combines a performance run with its accuracy, its system and the disclosed data on its model. It returns
// nil for an accuracy run.
func (p *Plan) readPoint(w *Workspace, d *describedSystem, q Point, all []Point) (*treePoint, error) {
	of := firstFile(q.Dir, summaryNames()...)
	if q.Mode == Accuracy {
		of = accuracyPath(q.Dir)
	}
	if sum, _, err := checksum.File(of); err != nil || sum != q.SHA256 {
		return nil, fmt.Errorf("%v: its results in %s are missing, or not as they were when they were added: add it again, "+
			"with --replace", q, q.Dir)
	}
	partner := slices.IndexFunc(all, func(o Point) bool {
		return o.Model == q.Model && o.Concurrency == q.Concurrency && o.Mode != q.Mode
	})
	if q.Mode == Accuracy {
		if partner < 0 {
			p.addMissing("%v has no performance run: the rules want it right before the accuracy run", q)
		}
		return nil, nil
	}
	m := &treePoint{Point: q, accuracy: accuracyPath(q.Dir)}
	if partner >= 0 {
		m.inlineFile, m.accuracy = m.accuracy, accuracyPath(all[partner].Dir)
	}
	var err error
	if m.config, m.text, err = readYAML(filepath.Join(q.Dir, pointFile)); err != nil {
		return nil, err
	}
	summary, err := readJSON(of)
	if err != nil {
		return nil, err
	}
	m.throughput = summaryThroughput(summary)
	if err := m.describePoint(d); err != nil {
		return nil, err
	}
	engaged, err := d.engagementOf(m.description)
	if err != nil {
		p.addMissing("%v: %v", q, err)
	}
	sheet, _, err := w.readSheet(modelFile(q.Model), modelFields())
	if err != nil {
		return nil, err
	}
	m.discloseKeys(d, sheet, engaged, p.listImplementations())
	return m, nil
}

// summaryThroughput returns a summary's output tokens per second; 0: unknown.
func summaryThroughput(summary *pyvalue.Dict) float64 {
	ns, _ := summary.Get("duration_ns")
	lengths, _ := pyvalue.Field[*pyvalue.Dict](summary, "output_sequence_lengths")
	total, _ := lengths.Get("total")
	seconds, err := pyvalue.Float(ns)
	tokens, err2 := pyvalue.Float(total)
	if err != nil || err2 != nil || !(seconds > 0) {
		return 0
	}
	return tokens / (seconds / 1e9)
}

// describePoint sets the point's description of the system, from the file in its folder or else from the sheets, and
// adds the declarations in point.yaml.
func (m *treePoint) describePoint(d *describedSystem) error {
	own, err := readJSON(filepath.Join(m.Dir, systemDesc))
	switch {
	case err == nil:
		m.description = own
	case errors.Is(err, fs.ErrNotExist):
		m.description = d.systemDescription()
	default:
		return err
	}
	if v, there := m.config.Get("max_supported_concurrency"); there {
		m.description.Set("max_supported_concurrency", v)
	}
	if v, there := m.config.Get("c_min_override"); there {
		m.description.Set("c_min_override", v)
	}
	return nil
}

// discloseKeys collects the keys that point.yaml lacks.
func (m *treePoint) discloseKeys(d *describedSystem, model *system.Sheet, engaged []any, implementations []string) {
	add := func(key string, v any) {
		if had, _ := m.config.Get(key); v != nil && v != "" && (had == nil || had == "") {
			m.addedKeys = append(m.addedKeys, key, v)
		}
	}
	add("division", d.sheet.Text("division"))
	if division, _ := pyvalue.Field[string](m.description, "division"); d.sheet.Text("division") == "" {
		add("division", division)
	}
	for _, f := range modelFields() {
		add(f.Name, model.Text(f.Name))
	}
	if model.Text("shared_src") == "" && len(implementations) == 1 {
		add("shared_src", path.Join(srcDir, implementations[0]))
	}
	add("shared_docs", docsDir)
	for i := 0; i+1 < len(engaged); i += 2 {
		add(engaged[i].(string), engaged[i+1])
	}
}

// addedMark precedes the keys added to point.yaml.
const addedMark = "# Added by harness submission build:\n"

// pointYAML returns point.yaml with its missing keys added at the end.
func (m *treePoint) pointYAML() ([]byte, error) {
	if len(m.addedKeys) == 0 {
		return m.text, nil
	}
	out := bytes.NewBuffer(bytes.TrimRight(slices.Clone(m.text), "\n"))
	out.WriteString("\n" + addedMark)
	for i := 0; i+1 < len(m.addedKeys); i += 2 {
		fmt.Fprintf(out, "%s: %s\n", m.addedKeys[i], pyvalue.JSON(m.addedKeys[i+1])) // JSON is valid YAML
	}
	d, err := yamlDict(out.Bytes())
	for i := 0; i+1 < len(m.addedKeys) && err == nil; i += 2 {
		if v, _ := d.Get(m.addedKeys[i].(string)); pyvalue.JSON(v) != pyvalue.JSON(m.addedKeys[i+1]) {
			err = fmt.Errorf("%v would be %v", m.addedKeys[i], v)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s takes no further lines (%w): write it as lines of KEY: VALUE, without braces around them",
			filepath.Join(m.Dir, pointFile), err)
	}
	return out.Bytes(), nil
}

// copiedFiles lists the optional files of a run that are copied unchanged into the tree.
var copiedFiles = []string{configFile, "sample_idx_map.json", "serving_config.json", "report.txt",
	"metrics/final_snapshot.json"}

// addPoint adds the files of a point. highest is the curve's highest throughput.
func (p *Plan) addPoint(m *treePoint, highest float64) error {
	dir := path.Join(resultsDir, m.System, m.Model, fmt.Sprintf("r%d", m.Concurrency))
	text, err := m.pointYAML()
	if err != nil {
		return err
	}
	p.addText(path.Join(dir, pointFile), "that of "+m.Dir+", with what it lacked", text)
	p.addCopy(path.Join(dir, summaryFile), firstFile(m.Dir, summaryNames()...))
	if m.throughput > 0 && highest > 0 {
		m.description.Set("tps_utilization", m.throughput/highest)
	}
	if text, err = indentedJSON(m.description); err != nil {
		return err
	}
	p.addText(path.Join(dir, systemDesc), "made of the sheets of "+m.System+" and the point", text)
	if m.accuracy != "" {
		if text, err = accuracyText(m.accuracy, m.inlineFile); err != nil {
			return err
		}
		p.addText(path.Join(dir, accuracyFile), "that of "+m.accuracy+", its responses cut", text)
	}
	for _, name := range copiedFiles {
		if file := firstFile(m.Dir, name); file != "" {
			p.addCopy(path.Join(dir, name), file)
		}
	}
	if file := firstFile(m.Dir, resultsFile); file != "" {
		if text, err = accuracyText(file, ""); err != nil {
			return err
		}
		p.addText(path.Join(dir, resultsFile), "that of "+file+", its responses cut", text)
	}
	entries, err := os.ReadDir(m.Dir)
	for _, e := range entries {
		if ok, _ := filepath.Match("mlperf-system-info-*.json", e.Name()); ok && e.Type().IsRegular() {
			p.addCopy(path.Join(dir, e.Name()), filepath.Join(m.Dir, e.Name()))
		}
	}
	return errors.Join(err, filesBelow(filepath.Join(m.Dir, "server_configs"), func(name, file string) error {
		p.addCopy(path.Join(dir, "server_configs", name), file)
		return nil
	}))
}

// maxResponses is the maximum size in bytes of the responses in a file of the tree.
const maxResponses = 10 << 10

// accuracyText returns a file of results with its responses truncated. It adds the inline scores of the file inline, if
// the results lack them.
func accuracyText(file, inline string) ([]byte, error) {
	text, err := bounded.ReadFile(file, maxFile)
	if err != nil {
		return nil, err
	}
	d, err := readJSON(file)
	if err != nil {
		return nil, err
	}
	changed := false
	if responses, there := d.Get("responses"); there {
		cut, err := cutResponses(responses)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if cut != nil {
			d.Set("responses", cut)
			changed = true
		}
	}
	if inline != "" {
		other, err := readJSON(inline)
		if err != nil {
			return nil, err
		}
		changed = addInline(d, other) || changed
	}
	if !changed {
		return text, nil
	}
	return indentedJSON(d)
}

// cutResponses returns the first responses that fit, or nil if all fit.
func cutResponses(v any) (cut any, err error) {
	left := maxResponses - len("[]")
	take := func(text string) bool {
		left -= len(text) + len(", ")
		return left >= 0
	}
	switch v := v.(type) {
	case nil:
	case []any:
		for i, one := range v {
			if !take(pyvalue.JSON(one)) {
				return v[:i], nil
			}
		}
	case *pyvalue.Dict:
		out := pyvalue.NewDict()
		for _, key := range v.Keys() {
			one, _ := v.Get(key)
			if !take(pyvalue.JSON(key) + ": " + pyvalue.JSON(one)) {
				return out, nil
			}
			out.Set(key, one)
		}
	default:
		return nil, errors.New("its responses are neither a list nor an object: they cannot be cut to what a tree keeps")
	}
	return nil, nil
}

// addInline adds the inline scores of a performance run to those of an accuracy run. Agentic models have inline scores
// at every point.
func addInline(d, other *pyvalue.Dict) bool {
	isInline := func(v any) bool {
		one, _ := v.(*pyvalue.Dict)
		kind, _ := pyvalue.Field[string](one, "dataset_type")
		return strings.EqualFold(kind, Performance)
	}
	have, isList := pyvalue.Field[[]any](d, "accuracy_scores")
	give, _ := pyvalue.Field[[]any](other, "accuracy_scores")
	i := slices.IndexFunc(give, isInline)
	if !isList || i < 0 || slices.ContainsFunc(have, isInline) {
		return false
	}
	d.Set("accuracy_scores", append(slices.Clone(have), give[i]))
	return true
}
