package build

import (
	"bytes"
	"context"
	"encoding/json"
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
	"github.com/plumbline-ml/plumbline/internal/submission/assemble"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
	"github.com/plumbline-ml/plumbline/internal/submission/internal/wholetree"
)

// The folders of a submission.
const (
	resultsDir = "results"
	docsDir    = "docs"
	srcDir     = "src"
)

// Plan is a tree before it is written.
type Plan struct {
	// Root is the submission's folder in the tree: ORG/SUBMISSION_ID.
	Root       string
	Files      []wholetree.File
	Missing    []string            // what the rules require and the tree lacks, with advice
	OpenFields []assemble.Unfilled // fields that a person must still fill in
	Power      []*PowerDescription // by system
	Marks      []string            // points that cannot be submitted, with reasons

	rules *endpoints.Rules
}

// NewPlan lists the contents of a workspace's tree.
func (w *Workspace) NewPlan(rules *endpoints.Rules) (*Plan, error) {
	if len(w.Points) == 0 {
		return nil, errors.New("no point was added: harness submission add takes folders of points in")
	}
	p := &Plan{Root: path.Join(w.Organisation, w.Submission), rules: rules}
	var err error
	if p.OpenFields, err = w.OpenFields(); err != nil {
		return nil, err
	}
	if err := p.addShared(w); err != nil {
		return nil, err
	}
	var faults []error
	for _, name := range w.Systems() {
		faults = append(faults, p.addSystem(w, name))
	}
	for _, q := range w.Points {
		for _, mark := range q.Marks {
			p.Marks = append(p.Marks, q.String()+": "+mark)
		}
	}
	return p, errors.Join(faults...)
}

func (p *Plan) addMissing(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(p.Missing, text) {
		p.Missing = append(p.Missing, text)
	}
}

// addText adds a file with the given content.
func (p *Plan) addText(name, origin string, text []byte) {
	p.Files = append(p.Files, wholetree.File{Path: path.Join(p.Root, name), Origin: origin, Text: text})
}

func (p *Plan) addCopy(name, from string) {
	p.Files = append(p.Files, wholetree.File{Path: path.Join(p.Root, name), Origin: "copy of " + from, From: from})
}

// hasFile reports whether the plan contains a file name, or a file below a folder name.
func (p *Plan) hasFile(name string) bool {
	name = path.Join(p.Root, name)
	return slices.ContainsFunc(p.Files, func(f wholetree.File) bool {
		return f.Path == name || strings.HasPrefix(f.Path, name+"/")
	})
}

// addShared merges src/ and docs/ of the workspace with src/ and documentation/ of the points. Files with the same name
// must be equal.
func (p *Plan) addShared(w *Workspace) error {
	sums := map[string]string{}
	var faults []error
	merge := func(from, to string) {
		faults = append(faults, filesBelow(from, func(name, file string) error {
			sum, _, err := checksum.File(file)
			name = path.Join(to, name)
			switch had, there := sums[name]; {
			case err != nil:
				return err
			case there && had != sum:
				return fmt.Errorf("%s: %s differs from the one that another point, or the workspace, has", name, file)
			case there:
				return nil
			}
			sums[name] = sum
			p.addCopy(name, file)
			return nil
		}))
	}
	merge(filepath.Join(w.Dir, srcDir), srcDir)
	merge(filepath.Join(w.Dir, docsDir), docsDir)
	for _, q := range w.Points {
		merge(filepath.Join(q.Dir, srcDir), srcDir)
		merge(filepath.Join(q.Dir, "documentation"), docsDir)
	}
	if len(p.listImplementations()) == 0 {
		p.addMissing("%s: write README.md, which says how the points are made again, into a folder named after what serves "+
			"the "+
			"model", filepath.Join(w.Dir, srcDir, "IMPLEMENTATION"))
	}
	for _, name := range p.listImplementations() {
		readme := func(f wholetree.File) bool {
			return path.Dir(f.Path) == path.Join(p.Root, srcDir, name) && strings.EqualFold(path.Base(f.Path), "README.md")
		}
		if !slices.ContainsFunc(p.Files, readme) {
			p.addMissing("%s: write it: how the points are made again", filepath.Join(w.Dir, srcDir, name, "README.md"))
		}
	}
	if !p.hasFile(docsDir) {
		p.addMissing("%s: write what reviewers should read, such as how the weights were calibrated", filepath.Join(w.Dir,
			docsDir))
	}
	return errors.Join(faults...)
}

// listImplementations returns the folders in src/.
func (p *Plan) listImplementations() (names []string) {
	for _, f := range p.Files {
		rest, below := strings.CutPrefix(f.Path, path.Join(p.Root, srcDir)+"/")
		if name, _, nested := strings.Cut(rest, "/"); below && nested && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// filesBelow calls do for each file below a folder, with its relative name. A missing folder has no files. Links are
// errors.
func filesBelow(folder string, do func(name, file string) error) error {
	if _, err := os.Lstat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is no plain file: put the file itself there", file)
		}
		name, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		return do(filepath.ToSlash(name), file)
	})
}

// addSystem adds a system's power and points.
func (p *Plan) addSystem(w *Workspace, name string) error {
	var points []Point
	for _, q := range w.Points {
		if q.System == name {
			points = append(points, q)
		}
	}
	if len(points) == 0 {
		return nil
	}
	d, err := w.describeSystem(name)
	if err != nil {
		return err
	}
	if err := p.addPower(d, points); err != nil {
		return err
	}
	var faults []error
	highest := map[string]float64{}
	curve := map[string][]*treePoint{}
	for _, q := range points {
		m, err := p.readPoint(w, d, q, points)
		if faults = append(faults, err); m == nil || err != nil {
			continue
		}
		highest[q.Model] = max(highest[q.Model], m.throughput)
		curve[q.Model] = append(curve[q.Model], m)
	}
	for _, text := range d.missing {
		p.addMissing("%s", text)
	}
	for _, q := range points {
		for _, m := range curve[q.Model] {
			if m.Point.Concurrency == q.Concurrency && q.Mode == Performance {
				faults = append(faults, p.addPoint(m, highest[q.Model]))
			}
		}
	}
	return errors.Join(faults...)
}

// addPower adds system_power.json from a point, or else from the sheets.
func (p *Plan) addPower(d *describedSystem, points []Point) error {
	name := path.Join(resultsDir, d.name, systemPower)
	var first string
	for _, q := range points {
		file := filepath.Join(q.Dir, systemPower)
		text, err := bounded.ReadFile(file, maxFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if first != "" && first != string(text) {
			return fmt.Errorf("%s differs from that of another point of %s: a system has one", file, d.name)
		}
		if first == "" {
			first = string(text)
			p.addCopy(name, file)
		}
	}
	division := strings.ToLower(d.sheet.Text("division"))
	if first != "" || division == "rdi" || division == "serviced" {
		return nil
	}
	made := d.makePower(p.rules)
	p.Power = append(p.Power, made)
	for _, text := range made.unfinished {
		p.addMissing("%s", text)
	}
	text, err := indentedJSON(made.dict)
	p.addText(name, "made of the sheets of "+d.name, text)
	return err
}

// indentedJSON returns an object as indented JSON.
func indentedJSON(d *pyvalue.Dict) ([]byte, error) {
	var out bytes.Buffer
	err := json.Indent(&out, []byte(pyvalue.JSON(d)), "", "  ")
	return append(out.Bytes(), '\n'), err
}

// Write writes the tree to out, completely or not at all. force replaces an existing tree.
func (p *Plan) Write(ctx context.Context, out string, force bool) (replaced bool, err error) {
	organisation, _, _ := strings.Cut(p.Root, "/")
	return wholetree.Tree{Out: filepath.Clean(out), Force: force,
		IsPart: func(name string) bool { return name == organisation },
		Fill: func(root string) error {
			for _, f := range p.Files {
				if err := f.Write(ctx, root); err != nil {
					return err
				}
			}
			return nil
		}}.Write(ctx)
}

// yamlDict reads a YAML 1.1 mapping.
func yamlDict(text []byte) (*pyvalue.Dict, error) { return schema.ParseYAML(text, maxFile) }
