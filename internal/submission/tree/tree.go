package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// Entry is a file or folder of the tree.
type Entry struct {
	Path string // relative to the tree, with slashes
	Name string
	Dir  bool
	Link bool  // a symbolic link; Dir and Size are those of its target
	Size int64 // in bytes; 0 for folders

	Broken    bool // a link without a target
	Irregular bool // a device, a socket or a pipe
}

// Fault is a folder that could not be read.
type Fault struct {
	Path string
	Err  error
}

// Unread returns the errors of the folders that could not be read.
func (t *Tree) Unread() []error {
	faults := make([]error, len(t.Faults))
	for i, f := range t.Faults {
		faults[i] = f.Err
	}
	return faults
}

// Submitter is a folder in a division.
type Submitter struct {
	Place
	Systems []System // folders in results/
}

// System is a folder in a submitter's results.
type System struct {
	Place
	Benchmarks []Benchmark
}

// Benchmark is a folder of a system.
type Benchmark struct {
	Place
	Scenarios []Place // all folders, including those with unknown names
}

// Tree is a folder that can contain a submission. Open reads its names, kinds and sizes. Many goroutines can use it.
type Tree struct {
	Layout     Layout
	Submitters []Submitter // of all divisions, in the order of Divisions
	Faults     []Fault

	root     *os.Root
	entries  map[string]Entry
	byFolder map[string][]Entry // by folder
}

// ErrOpen reports that root cannot be opened as a folder.
var ErrOpen = errors.New("the folder of a submission is wanted")

// Open reads the names below root. It does not follow symbolic links to folders. It returns errors about root itself
// and about the round. Tree.Faults contains all other errors.
func Open(root, round string) (*Tree, error) {
	layout, err := LayoutOf(round)
	if err != nil {
		return nil, err
	}
	r, err := bounded.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOpen, bounded.ShortenPathError(err))
	}
	t := &Tree{Layout: layout, root: r, entries: map[string]Entry{}, byFolder: map[string][]Entry{}}
	t.readFolder(".")
	for _, division := range Divisions() {
		for _, e := range t.Folders(division) {
			t.Submitters = append(t.Submitters, t.submitterAt(Place{Division: division, Submitter: e.Name}))
		}
	}
	return t, nil
}

// Close closes the folder.
func (t *Tree) Close() error { return t.root.Close() }

// Root returns the path that was passed to Open.
func (t *Tree) Root() string { return t.root.Name() }

// Open opens a file of the tree for reading. The caller closes it. It rejects links out of the tree, pipes and devices.
func (t *Tree) Open(name string) (*os.File, error) {
	if e, ok := t.Entry(name); ok && e.Irregular {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	return t.root.Open(filepath.FromSlash(name))
}

// OSPath returns the path of an entry for other programs.
func (t *Tree) OSPath(name string) string {
	return filepath.Join(t.root.Name(), filepath.FromSlash(name))
}

// Entry returns the file or folder with a name. ok is false if it does not exist.
func (t *Tree) Entry(name string) (e Entry, ok bool) {
	e, ok = t.entries[path.Clean(name)]
	return e, ok
}

// HasFile reports whether the name is a regular file, or a link to one.
func (t *Tree) HasFile(name string) bool {
	e, ok := t.Entry(name)
	return ok && !e.Dir && !e.Broken && !e.Irregular
}

// HasDir reports whether the name is a folder.
func (t *Tree) HasDir(name string) bool {
	e, ok := t.Entry(name)
	return ok && e.Dir
}

// Entries returns the content of a folder, sorted by name. It returns none if the folder does not exist.
func (t *Tree) Entries(dir string) []Entry { return slices.Clone(t.byFolder[path.Clean(dir)]) }

// Folders returns the folders in a folder.
func (t *Tree) Folders(dir string) []Entry {
	return slices.DeleteFunc(t.Entries(dir), func(e Entry) bool { return !e.Dir })
}

// Files returns the names of the files in a folder.
func (t *Tree) Files(dir string) []string {
	files := slices.DeleteFunc(t.Entries(dir), func(e Entry) bool { return e.Dir })
	names := make([]string, len(files))
	for i, e := range files {
		names[i] = e.Name
	}
	return names
}

// All calls yield with every entry of the tree, sorted by name in each folder. A folder precedes its content.
func (t *Tree) All(yield func(Entry) bool) { t.walkFolder(".", yield) }

func (t *Tree) walkFolder(dir string, yield func(Entry) bool) bool {
	for _, e := range t.byFolder[dir] {
		if !yield(e) || (e.Dir && !t.walkFolder(e.Path, yield)) {
			return false
		}
	}
	return true
}

// Results calls yield with the place of every scenario folder.
func (t *Tree) Results(yield func(Place) bool) {
	for _, s := range t.Submitters {
		for _, system := range s.Systems {
			for _, b := range system.Benchmarks {
				for _, p := range b.Scenarios {
					if !yield(p) {
						return
					}
				}
			}
		}
	}
}

// MeasurementsFile returns the path of the measurements file of a place. Before v6.0 it is the first file whose name
// begins with the system's name and ends in _SCENARIO.json, or else in .json. others contains the other such files.
func (t *Tree) MeasurementsFile(p Place) (name string, others []string, ok bool) {
	dir := t.Layout.Measurements(p)
	if !t.Layout.Apart {
		name = path.Join(dir, MeasurementFile)
		return name, nil, t.HasFile(name)
	}
	for _, file := range t.Files(dir) {
		if !strings.HasPrefix(file, p.System) || !strings.HasSuffix(file, ".json") {
			continue
		}
		if name == "" {
			name = path.Join(dir, file)
		} else {
			others = append(others, path.Join(dir, file))
		}
	}
	return name, others, name != ""
}

func (t *Tree) submitterAt(p Place) Submitter {
	s := Submitter{Place: p}
	for _, system := range t.Folders(p.Results()) {
		p.System = system.Name
		s.Systems = append(s.Systems, t.systemAt(p))
	}
	return s
}

func (t *Tree) systemAt(p Place) System {
	s := System{Place: p}
	for _, benchmark := range t.Folders(p.Results()) {
		p.Benchmark = benchmark.Name
		b := Benchmark{Place: p}
		for _, scenario := range t.Folders(p.Results()) {
			p.Scenario = scenario.Name
			b.Scenarios = append(b.Scenarios, p)
		}
		p.Scenario = ""
		s.Benchmarks = append(s.Benchmarks, b)
	}
	return s
}

func (t *Tree) readFolder(dir string) {
	list, err := t.listFolder(dir)
	if err != nil {
		t.Faults = append(t.Faults, Fault{Path: dir, Err: err})
	}
	slices.SortFunc(list, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	t.byFolder[dir] = list
	for _, e := range list {
		t.entries[e.Path] = e
		if e.Dir && !e.Link {
			t.readFolder(e.Path)
		}
	}
}

// listFolder reads a folder. It omits files that disappear meanwhile.
func (t *Tree) listFolder(dir string) ([]Entry, error) {
	f, err := t.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	found, err := f.ReadDir(-1)
	var list []Entry
	for _, d := range found {
		if e, infoErr := t.makeEntry(dir, d); infoErr == nil {
			list = append(list, e)
		} else if !errors.Is(infoErr, fs.ErrNotExist) {
			err = errors.Join(err, infoErr)
		}
	}
	return list, err
}

func (t *Tree) makeEntry(dir string, d fs.DirEntry) (Entry, error) {
	e := Entry{Path: path.Join(dir, d.Name()), Name: d.Name(), Link: d.Type()&fs.ModeSymlink != 0}
	if e.Link {
		info, err := t.root.Stat(filepath.FromSlash(e.Path))
		if err != nil {
			e.Broken = true
			return e, nil
		}
		e.setInfo(info)
		return e, nil
	}
	if d.IsDir() {
		e.Dir = true
		return e, nil
	}
	info, err := d.Info()
	if err != nil {
		return e, err
	}
	e.setInfo(info)
	return e, nil
}

func (e *Entry) setInfo(info fs.FileInfo) {
	e.Dir = info.IsDir()
	e.Irregular = !info.IsDir() && !info.Mode().IsRegular()
	if !e.Dir {
		e.Size = info.Size()
	}
}
