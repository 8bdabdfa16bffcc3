package streaming

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

// Names of the index files.
const (
	offsetName         = "offset.csv"
	requestsName       = "requests_per_ts.csv"
	requestsOffsetName = "requests_per_ts_offset.csv"
	usersName          = "users_cumsum_per_ts.csv"
)

// readIndexes reads the index files and opens the files of users.
func (s *RequestSet) readIndexes(find func(name string) (*indexedFile, error), faults *fault.FaultList) {
	offsets := readLists(find, offsetName, faults)
	starts := readLists(find, requestsOffsetName, faults)
	ends := readLists(find, usersName, faults)
	requests := openFile(find, requestsName, faults)
	if faults.Len() > 0 {
		return
	}
	if len(starts) != 1 {
		faults.Addf(requestsOffsetName, "%d lines, want one", len(starts))
		return
	}
	s.openUsers(find, offsets, faults)
	if faults.Len() == 0 {
		s.readRequests(requests, starts[0], ends, faults)
	}
}

func openFile(find func(name string) (*indexedFile, error), name string, faults *fault.FaultList) *indexedFile {
	f, err := find(name)
	if err != nil {
		faults.Addf(name, "%v", err)
		return nil
	}
	return f
}

// readLists reads a file whose lines are lists of whole numbers in one cell.
func readLists(find func(name string) (*indexedFile, error), name string, faults *fault.FaultList) (lists [][]int64) {
	f := openFile(find, name, faults)
	if f == nil {
		return nil
	}
	data := make([]byte, f.size)
	if n, err := f.ReadAt(data, 0); err != nil && (!errors.Is(err, io.EOF) || int64(n) < f.size) {
		faults.Addf(name, "%v", err)
		return nil
	}
	if f.size == 0 {
		faults.Addf(name, "it is empty")
		return nil
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	for i, line := range lines {
		list, err := parseWholeNumbers(line)
		if err != nil {
			faults.Addf(fmt.Sprintf("%s, line %d", name, i+1), "%v", err)
		}
		lists = append(lists, list)
	}
	return lists
}

// parseWholeNumbers parses a line with one cell, which may be empty.
func parseWholeNumbers(line []byte) (out []int64, err error) {
	line = bytes.TrimSuffix(line, []byte("\r"))
	if len(line) > 1 && line[0] == '"' && line[len(line)-1] == '"' {
		line = line[1 : len(line)-1]
	} else if bytes.IndexByte(line, ',') >= 0 {
		return nil, errors.New("several cells, want one: a list of numbers in double quotes")
	}
	if len(line) > 1 && line[0] == '[' && line[len(line)-1] == ']' {
		line = line[1 : len(line)-1]
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil, nil
	}
	for i := 0; len(line) > 0; i++ {
		word, rest, more := bytes.Cut(line, []byte(","))
		v, err := strconv.ParseInt(string(bytes.TrimSpace(word)), 10, 64)
		if err != nil || v < 0 {
			return nil, fmt.Errorf("number %d is %.40q, want a whole one of at least 0", i+1, word)
		}
		out, line = append(out, v), rest
		if more && len(rest) == 0 {
			return nil, errors.New("it ends in a comma")
		}
	}
	return out, nil
}

// openUsers opens the files of users and checks that the offsets are possible.
func (s *RequestSet) openUsers(find func(name string) (*indexedFile, error), offsets [][]int64,
	faults *fault.FaultList) {
	for i, starts := range offsets {
		name := strconv.Itoa(i) + ".csv"
		where := fmt.Sprintf("%s, line %d", offsetName, i+1)
		if len(starts) != len(offsets[0]) || len(starts) == 0 {
			faults.Addf(where, "%d users, want as many of each file, at least 1; the first has %d", len(starts), len(offsets[0]))
		}
		f := openFile(find, name, faults)
		if f == nil {
			continue
		}
		before := int64(-1)
		for j, start := range starts {
			if start <= before || start >= f.size || j == 0 && start != 0 {
				faults.Addf(where, "user %d begins at byte %d of %s, want the first at 0, each after the one before (%d), and all "+
					"within its %d bytes", j, start, name, before, f.size)
				break
			}
			before = start
		}
		s.files, s.offsets = append(s.files, f), append(s.offsets, starts)
	}
	if users := len(offsets) * len(offsets[0]); users > math.MaxInt32 {
		faults.Addf(offsetName, "%d users, want at most %d", users, math.MaxInt32)
	}
}

// readRequests reads the lines of the periods after the training.
func (s *RequestSet) readRequests(f *indexedFile, starts []int64, ends [][]int64, faults *fault.FaultList) {
	train := s.options.TrainPeriods
	if len(starts) <= train || len(ends) != len(starts) {
		faults.Addf(requestsOffsetName, "%d periods, and %d in %s: want as many in both, and more than the %d of the "+
			"training", len(starts), len(ends), usersName, train)
		return
	}
	for t := train; t < len(starts); t++ {
		where := fmt.Sprintf("%s, line %d (period %d)", requestsName, t+1, t)
		line, err := f.readLine(nil, starts[t], lineEnd(starts, t, f))
		var users []int64
		if err == nil {
			users, err = parseWholeNumbers(line)
		}
		if err == nil && len(users) == 0 {
			err = errors.New("no requests; a period without any cannot be asked: leave it out of the data set")
		}
		if err != nil {
			faults.Addf(where, "%v", err)
			continue
		}
		s.addPeriod(users, ends[t], where, faults)
	}
}

// addPeriod adds the requests of a period. ends contains the number of requests up to each file of users.
func (s *RequestSet) addPeriod(users, ends []int64, where string, faults *fault.FaultList) {
	if len(ends) != len(s.offsets) || ends[len(ends)-1] != int64(len(users)) {
		faults.Addf(where, "%d requests to %d files; %s says %v, want a number for each file that rises to the number of "+
			"requests", len(users), len(s.offsets), usersName, shortenList(ends))
		return
	}
	each := int64(len(s.offsets[0]))
	out, lasts := make([]int32, len(users)), make([]int, len(ends))
	r := 0
	for i, end := range ends {
		if end < int64(r) || end > int64(len(users)) {
			faults.Addf(where, "%s counts %v requests, want numbers that rise to %d", usersName, shortenList(ends), len(users))
			return
		}
		for ; r < int(end); r++ {
			if users[r]/each != int64(i) {
				faults.Addf(where, "request %d is of user %d, which is not in file %d.csv: that has users %d to %d", r, users[r], i,
					int64(i)*each, int64(i+1)*each-1)
			}
			out[r] = int32(users[r])
		}
		lasts[i] = r
	}
	s.requests, s.ends = append(s.requests, out), append(s.ends, lasts)
}

// shortenList returns the first 8 values, for messages.
func shortenList(values []int64) []int64 { return values[:min(len(values), 8)] }

// lineEnd returns the start of the line after line i, or the end of the file.
func lineEnd(starts []int64, i int, f *indexedFile) int64 {
	if i+1 < len(starts) {
		return starts[i+1]
	}
	return f.size
}

// readLine reads the bytes [start, end) of a file, which must be a line, and returns it without its line end. It reuses
// the memory of buffer. The byte before start must end another line.
func (f *indexedFile) readLine(buffer []byte, start, end int64) ([]byte, error) {
	if start < 0 || start >= end || end > f.size {
		return nil, fmt.Errorf("it is said to be bytes %d to %d of %s, which has %d", start, end, f.name, f.size)
	}
	from := max(start-1, 0)
	size := int(end - from)
	if cap(buffer) < size {
		buffer = make([]byte, size+size/4)
	}
	buffer = buffer[:size]
	if n, err := f.ReadAt(buffer, from); n < size {
		return nil, err
	}
	if from < start {
		if buffer[0] != '\n' {
			return nil, fmt.Errorf("no line of %s begins at byte %d: the byte before is %q, want the end of a line", f.name,
				start, buffer[0])
		}
		buffer = buffer[1:]
	}
	if i := bytes.IndexByte(buffer, '\n'); i >= 0 && i < len(buffer)-1 || i < 0 && end < f.size {
		return nil, fmt.Errorf("bytes %d to %d of %s are not one line: are the offsets of this file?", start, end, f.name)
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(buffer, []byte("\n")), []byte("\r")), nil
}
