package tree

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// ErrRound reports that the logs of a tree do not determine its round.
var ErrRound = errors.New("the round is not known")

// FoundRound is the round of a tree's runs.
type FoundRound struct {
	Name     string // such as "v5.1"
	Runs     int    // runs with the seeds of the round, 1 or more
	RunsRead int    // examined runs, up to maxReadRuns
}

// String names the round and how it was determined.
func (f FoundRound) String() string {
	return fmt.Sprintf("round %s, by the seeds of %d of %s", f.Name, f.Runs, figure.Plural(f.RunsRead, "run"))
}

// Limits of the search for a round: two systems per submitter, some runs of each, the beginning of each log.
const (
	maxReadRuns     = 400
	maxSystemsRead  = 2
	maxRunsRead     = 3
	maxSummaryBytes = 64 << 10
	maxDetailBytes  = 256 << 10
	// minOtherShare is the minimum share of another round's runs in a tree that counts as a mix of two rounds.
	minOtherShare = 0.1
)

// seedForm matches the first of the three seeds of a round in logs of all versions.
var seedForm = regexp.MustCompile(`qsl_rng_seed\b[^0-9\n]{0,24}([0-9]{1,20})`)

// FindRound determines the round of the submissions at root from the seeds in the runs' logs, which are different in
// each round. It ignores unreadable logs and seeds of no known round. The error wraps ErrOpen if root cannot be opened
// as a folder, ErrNoSubmission if the folders of divisions are empty, and ErrRound if no log contains the seeds of a
// round or the tree mixes two rounds.
func FindRound(root string) (FoundRound, error) {
	r, err := bounded.OpenRoot(root)
	if err != nil {
		return FoundRound{}, fmt.Errorf("%w: %w", ErrOpen, bounded.ShortenPathError(err))
	}
	defer r.Close()
	s := roundFinder{root: r.FS(), votes: map[string]int{}}
	if !s.readDivisions() {
		return FoundRound{}, fmt.Errorf("%w in %s: want closed, network or open there, with a folder for each submitter",
			ErrNoSubmission, root)
	}
	return s.electedRound(root)
}

// roundFinder is the state of FindRound.
type roundFinder struct {
	root     fs.FS
	votes    map[string]int // by round
	runsRead int

	lfsPointer string // first log that is a Git LFS pointer; empty: none
}

// readDivisions reads the runs of all submitters and reports whether there is a submitter.
func (s *roundFinder) readDivisions() (found bool) {
	for _, division := range Divisions() {
		for _, submitter := range s.listFolders(division) {
			found = true
			results := path.Join(division, submitter, ResultsDir)
			systems := s.listFolders(results)
			for _, system := range systems[:min(len(systems), maxSystemsRead)] {
				s.readSystem(path.Join(results, system))
			}
		}
	}
	return found
}

func (s *roundFinder) readSystem(dir string) {
	left := maxRunsRead
	for _, benchmark := range s.listFolders(dir) {
		for _, scenario := range s.listFolders(path.Join(dir, benchmark)) {
			run := path.Join(dir, benchmark, scenario, PerformanceDir, RunDir)
			if left == 0 || s.runsRead >= maxReadRuns {
				return
			}
			if s.voteForRound(run) {
				left--
			}
		}
	}
}

// voteForRound counts the run in a folder and reports whether the folder contains a log of a run.
func (s *roundFinder) voteForRound(run string) bool {
	for _, log := range []struct {
		name string
		most int64
	}{{SummaryLog, maxSummaryBytes}, {DetailLog, maxDetailBytes}} {
		name := path.Join(run, log.name)
		text := s.readStart(name, log.most)
		if s.lfsPointer == "" && mllog.IsPointer(text) {
			s.lfsPointer = name
		}
		m := seedForm.FindSubmatch(text)
		if m == nil {
			continue
		}
		s.runsRead++
		if seed, err := strconv.ParseUint(string(m[1]), 10, 64); err == nil {
			s.countRun(mlconf.RoundOfSeed(seed))
		}
		return true
	}
	return false
}

// countRun counts a run for its round. It ignores runs with seeds of no known round.
func (s *roundFinder) countRun(round string) {
	if round != "" {
		s.votes[round]++
	}
}

func (s *roundFinder) readStart(name string, most int64) []byte {
	if info, err := fs.Stat(s.root, name); err != nil || !info.Mode().IsRegular() {
		return nil // opening a pipe would wait for a writer
	}
	f, err := s.root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, most)) // the part before a fault can be sufficient
	return text
}

// listFolders returns the names of a folder's subfolders without hidden ones.
func (s *roundFinder) listFolders(dir string) (names []string) {
	list, _ := fs.ReadDir(s.root, dir)
	for _, e := range list {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names
}

// electedRound returns the round with the most runs. Of several such rounds, it returns the first by name.
func (s *roundFinder) electedRound(root string) (FoundRound, error) {
	names := slices.SortedFunc(maps.Keys(s.votes), func(a, b string) int {
		return cmp.Or(s.votes[b]-s.votes[a], strings.Compare(a, b))
	})
	switch {
	case s.runsRead == 0 && s.lfsPointer != "":
		return FoundRound{}, fmt.Errorf("%w: the logs of %s are pointers of Git LFS, %s the first: get the files with "+
			"git lfs pull", ErrRound, root, s.lfsPointer)
	case s.runsRead == 0:
		return FoundRound{}, fmt.Errorf("%w: %s has no log of a performance run that says its seeds; name the round with "+
			"--rules", ErrRound, root)
	case len(names) == 0:
		return FoundRound{}, fmt.Errorf("%w: the logs of %s have seeds of no round from %s to %s; name the round with "+
			"--rules", ErrRound, root, mlconf.Rounds()[len(mlconf.Rounds())-1], mlconf.Rounds()[0])
	case len(names) > 1 && float64(s.votes[names[1]]) > minOtherShare*float64(s.runsRead):
		return FoundRound{}, fmt.Errorf("%w: %s holds runs of %s and of %s; name the folder of one round, or a round with "+
			"--rules", ErrRound, root, names[0], names[1])
	}
	return FoundRound{Name: names[0], Runs: s.votes[names[0]], RunsRead: s.runsRead}, nil
}

// RootOf returns the tree that contains a folder: the nearest parent folder, or dir itself, with a division's folder
// that contains submitters with results. below is the path of dir in the tree with slashes, such as
// "closed/Toylab/results", or "." for the tree itself. ok is false if there is no such tree.
func RootOf(dir string) (root, below string, ok bool) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return "", "", false
	}
	for _, division := range Divisions() {
		if hasResults(filepath.Join(whole, division)) {
			return whole, ".", true
		}
	}
	for at, parent := whole, filepath.Dir(whole); at != parent; at, parent = parent, filepath.Dir(parent) {
		if slices.Contains(Divisions(), filepath.Base(at)) && hasResults(at) {
			below, err := filepath.Rel(parent, whole)
			return parent, filepath.ToSlash(below), err == nil
		}
	}
	return "", "", false
}

// hasResults reports whether the folder of a division contains a submitter with results.
func hasResults(division string) bool {
	list, _ := os.ReadDir(division)
	return slices.ContainsFunc(list, func(e fs.DirEntry) bool {
		info, err := os.Stat(filepath.Join(division, e.Name(), ResultsDir))
		return err == nil && info.IsDir()
	})
}
