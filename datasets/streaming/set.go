package streaming

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/lists"
)

// ErrDataset is what every error of this package is: a data set that is missing or wrong.
var ErrDataset = errors.New("streamed data set")

// FaultError contains all faults of a data set; errors.As finds it.
type FaultError = fault.DatasetError

// RequestOptions contains the expected properties of a data set.
type RequestOptions struct {
	// TrainPeriods are those that models are trained on: requests are those of later ones.
	TrainPeriods int   `param:"train_periods" min:"0" max:"int32"`
	Items        int64 `param:"items" min:"1" max:"int32"` // ids are below
	// Categories are how many there are: that of an item is its id by Items/Categories, rounded down.
	Categories int `param:"categories" min:"1" max:"uint16"`
	// MaxSequence is the most that a user, a history and candidates have together.
	MaxSequence   int `param:"max_sequence" min:"1" max:"int32"`
	MaxCandidates int `param:"max_candidates" min:"1" max:"int32"` // candidates beyond are left out
	// ExactIDs leaves ids as they stand. The reference holds ids and ratings in one tensor, so that one rating with a
	// point makes all of them float32: ids above 2^24 become the nearest that there is. Its model was trained so.
	ExactIDs bool `param:"ids" choices:"rounded,exact"`
	// AnyID takes ids beyond Items, which the reference reads, too, and finds no row for.
	AnyID bool
}

// OfficialOptions are the options of the benchmark.
func OfficialOptions() RequestOptions {
	return RequestOptions{
		TrainPeriods: 90, Items: 1_000_000_000, Categories: 128, MaxSequence: 16384, MaxCandidates: 2048,
	}
}

// MaxHistory is the most entries that a history has: the oldest, where there are more.
func (o RequestOptions) MaxHistory() int { return o.MaxSequence - o.MaxCandidates - 1 }

func (o RequestOptions) checkOptions(faults *fault.FaultList) {
	if o.TrainPeriods < 0 {
		faults.Addf("options", "%d periods of training, want at least 0", o.TrainPeriods)
	}
	if o.Categories < 1 || o.Categories > maxCategories || o.Items < int64(o.Categories) || o.Items > maxItems {
		faults.Addf("options", "%d items in %d categories, want 1 to %d categories and as many items at least, up to %d",
			o.Items, o.Categories, maxCategories, int64(maxItems))
	}
	if o.MaxCandidates < 1 || o.MaxHistory() < 0 {
		faults.Addf("options", "at most %d candidates of a sequence of %d, want at least 1 and room for the user beside them",
			o.MaxCandidates, o.MaxSequence)
	}
}

// Ids and categories are held in few bits: a sample has thousands of them, and there are hundreds of thousands.
const (
	maxItems      = 1<<31 - 64 // the largest float32 below 2^31 is 2^31 - 128
	maxCategories = 1 << 16
)

// RequestSet is a data set whose index files have passed their checks. It may be used from many goroutines.
type RequestSet struct {
	options  RequestOptions
	files    []*indexedFile // of users
	offsets  [][]int64      // where lines begin, for each file
	requests [][]int32      // users that ask, for each period after the training
	ends     [][]int        // for each of them the number of requests up to the end of each file
	scratch  sync.Pool      // of *reading
	close    []io.Closer
}

// indexedFile is a file that can be read anywhere.
type indexedFile struct {
	io.ReaderAt
	name string
	size int64
}

// Open opens the data set of a folder: all files are there, and what the index files say agrees. Lines of users are
// checked as they are read; [RequestSet.CheckRequests] reads all. The error lists every fault: it is a [*FaultError],
// for which errors.Is(err, ErrDataset) holds. The caller closes the set.
func Open(dir string, o RequestOptions) (*RequestSet, error) {
	if err := fault.NoFolder(ErrDataset, dir); err != nil {
		return nil, err
	}
	s := &RequestSet{}
	err := s.openFiles(dir, o, func(name string) (*indexedFile, error) {
		f, err := bounded.Open(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		s.close = append(s.close, f)
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		return &indexedFile{f, name, info.Size()}, nil
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// OpenFiles is Open for files in memory, by their names in the folder. Their bytes must not be changed any more.
func OpenFiles(files map[string][]byte, o RequestOptions) (*RequestSet, error) {
	s := &RequestSet{}
	err := s.openFiles("in memory", o, func(name string) (*indexedFile, error) {
		data, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return &indexedFile{bytes.NewReader(data), name, int64(len(data))}, nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (s *RequestSet) openFiles(where string, o RequestOptions, find func(name string) (*indexedFile, error)) error {
	s.options = o
	s.scratch.New = func() any { return &readBuffers{} }
	var faults fault.FaultList
	o.checkOptions(&faults)
	if faults.Len() == 0 {
		s.readIndexes(find, &faults)
	}
	return faults.Err(ErrDataset, where)
}

// Close closes the files.
func (s *RequestSet) Close() error {
	all := lists.Map(s.close, io.Closer.Close)
	s.close = nil
	return errors.Join(all...)
}

// Periods is the number of periods with requests that are asked: those after the training.
func (s *RequestSet) Periods() int { return len(s.requests) }

// Requests are the users that ask in a period, from 0, in order. The caller must not change them.
func (s *RequestSet) Requests(period int) []int32 { return s.requests[period] }

// Options are those that the set was opened with.
func (s *RequestSet) Options() RequestOptions { return s.options }

// requestLabel is a request in words.
func (s *RequestSet) requestLabel(period, request int) string {
	return fmt.Sprintf("period %d, request %d", s.options.TrainPeriods+period, request)
}
