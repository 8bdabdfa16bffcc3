package results

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// How far a folder of runs is searched: OUT/BACKEND/ROUND, and one above; and how much may lie there.
const (
	deepest     = 4
	mostFolders = 20_000
)

// search finds the result files below a folder that has none of its own, in the order of their paths. What lies below a
// folder with one is its own, and hidden folders are nobody's.
func search(root string) ([]string, error) {
	s := searcher{root: root}
	err := s.below(root, deepest)
	return s.files, err
}

type searcher struct {
	root  string
	files []string
	seen  int
}

func (s *searcher) below(dir string, levels int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") || !isFolder(path) {
			continue
		}
		if s.seen++; s.seen > mostFolders {
			return fmt.Errorf("%s holds more than %d folders: name the folder of the runs", s.root, mostFolders)
		}
		if file := filepath.Join(path, record.FileName); isFile(file) {
			s.files = append(s.files, file)
		} else if levels > 1 {
			if err := s.below(path, levels-1); err != nil {
				return err
			}
		}
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// above finds the record of the run whose logs lie in dir: OUT/MODEL/SCENARIO/performance/run_1, say.
func above(dir string) (Set, error) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return Set{}, err
	}
	parent := whole
	for range deepest {
		parent = filepath.Dir(parent)
		file := filepath.Join(parent, record.FileName)
		if !isFile(file) {
			continue
		}
		s, err := documents([]string{file}, map[string]bool{})
		if err != nil {
			return s, err
		}
		for _, f := range s.Runs {
			if f.Folder() == whole {
				return Set{Runs: []Found{f}}, nil
			}
		}
	}
	return Set{}, fmt.Errorf("no %s in %s, nor in the folders below or above it: want the --out folder of a run, or a "+
		"folder of such folders", record.FileName, dir)
}
