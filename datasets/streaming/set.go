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
)

// ErrDataset is wrapped by every error of this package. It means that a data set is missing or invalid.
var ErrDataset = errors.New("streamed data set")

// FaultError contains all faults of a data set; errors.As finds it.
type FaultError = fault.DatasetError

// RequestOptions contains the expected properties of a data set.
type RequestOptions struct {
	// TrainPeriods is the number of periods on which models are trained. Requests come from later periods.
	TrainPeriods int   `param:"train_periods" min:"0" max:"int32"`
	Items        int64 `param:"items" min:"1" max:"int32"` // IDs are less than Items
	// Categories is the number of categories. An item's category is its ID divided by Items/Categories, rounded down.
	Categories int `param:"categories" min:"1" max:"uint16"`
	// MaxSequence is the maximum total length of a user, a history and candidates.
	MaxSequence   int `param:"max_sequence" min:"1" max:"int32"`
	MaxCandidates int `param:"max_candidates" min:"1" max:"int32"` // further candidates are left out
	// ExactIDs disables the reference's rounding of IDs. The reference stores IDs and ratings in one tensor, so a single
	// float among the ratings converts all IDs to float32, which rounds IDs above 2^24. Its model was trained in this way.
	ExactIDs bool `param:"ids" choices:"rounded,exact"`
	// AnyID accepts IDs above Items. The reference also reads them but finds no row for them.
	AnyID bool
}

// OfficialOptions returns the options of the benchmark.
func OfficialOptions() RequestOptions {
	return RequestOptions{
		TrainPeriods: 90, Items: 1_000_000_000, Categories: 128, MaxSequence: 16384, MaxCandidates: 2048,
	}
}

// MaxHistory returns the maximum number of entries of a history. Of longer histories the oldest entries are used.
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

// Limits of IDs and categories, which are stored in few bits because a data set contains billions of them.
const (
	maxItems      = 1<<31 - 64 // the largest float32 below 2^31 is 2^31 - 128
	maxCategories = 1 << 16
)

// RequestSet is a data set whose index files have passed their checks. It may be used from many goroutines.
type RequestSet struct {
	options    RequestOptions
	files      []*indexedFile // files of users
	offsets    [][]int64      // offsets of lines, for each file
	requests   [][]int32      // users who send requests, for each period after the training
	ends       [][]int        // for each of these periods, the number of requests up to the end of each file
	bufferPool sync.Pool      // of *readBuffers
	closers    []io.Closer
}

// indexedFile is a file with random access.
type indexedFile struct {
	io.ReaderAt
	name string
	size int64
}

// Open opens the data set in a folder. It checks that all files exist and that the index files agree. Lines of users
// are checked when they are read; [RequestSet.CheckRequests] reads all of them. The error is a [*FaultError] that lists
// every fault; it wraps ErrDataset. The caller must close the set.
func Open(dir string, o RequestOptions) (*RequestSet, error) {
	if err := fault.RequireFolder(ErrDataset, dir); err != nil {
		return nil, err
	}
	s := &RequestSet{}
	err := s.openFiles(dir, o, func(name string) (*indexedFile, error) {
		f, err := bounded.Open(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		s.closers = append(s.closers, f)
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

// OpenFiles is like Open for files in memory. The keys of files are the names in the folder. The caller must not change
// the bytes afterwards.
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
	s.bufferPool.New = func() any { return &readBuffers{} }
	var faults fault.FaultList
	o.checkOptions(&faults)
	if faults.Len() == 0 {
		s.readIndexes(find, &faults)
	}
	return faults.Err(ErrDataset, where)
}

// Close closes the files.
func (s *RequestSet) Close() error {
	all := make([]error, len(s.closers))
	for i, closer := range s.closers {
		all[i] = closer.Close()
	}
	s.closers = nil
	return errors.Join(all...)
}

// Periods returns the number of periods with requests, which are those after the training.
func (s *RequestSet) Periods() int { return len(s.requests) }

// Requests returns the users who send requests in a period (from 0), in order. The caller must not change them.
func (s *RequestSet) Requests(period int) []int32 { return s.requests[period] }

// Options returns the options with which the set was opened.
func (s *RequestSet) Options() RequestOptions { return s.options }

// requestLabel returns a description of a request for messages.
func (s *RequestSet) requestLabel(period, request int) string {
	return fmt.Sprintf("period %d, request %d", s.options.TrainPeriods+period, request)
}
