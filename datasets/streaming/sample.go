package streaming

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"sort"
)

// ItemEntries contains items with their categories. A rounded ID may equal RequestOptions.Items. Its row is then that
// of the last item, because the reference limits IDs in the same way.
type ItemEntries struct {
	IDs        []int32
	Categories []uint16
}

// RequestSample is a model's input for one request.
type RequestSample struct {
	User       int32
	History    ItemEntries // oldest first
	Weights    []uint8     // one per entry of the history, from its rating: 1, 2, 4, 8 or 16
	Candidates ItemEntries
	Labels     []uint8 // one per candidate: 1 for a rating of 3.5 or more, else 0
}

// ratingWeights contains the weights of ratings 1 to 5. A rating below 1 selects from the end, like a negative index in
// Python.
var ratingWeights = [...]uint8{1, 2, 4, 8, 16}

// Cells of a block.
const (
	candidateIDs = iota
	candidateRatings
	historyIDs
	historyRatings
	blockCells
)

// readBuffers are memory that is used again.
type readBuffers struct {
	line    []byte
	cells   [][]byte
	joined  []byte
	ids     numberList
	ratings numberList
}

// ReadSample reads a request of a period; both numbers start at 0. An error names the file and the line.
func (s *RequestSet) ReadSample(period, request int) (*RequestSample, error) {
	if period < 0 || period >= len(s.requests) || request < 0 || request >= len(s.requests[period]) {
		return nil, fmt.Errorf("%w: period %d, request %d, of %d periods", ErrDataset, period, request, len(s.requests))
	}
	f := sort.SearchInts(s.ends[period], request+1)
	user := s.requests[period][request]
	line := int(user) % len(s.offsets[f])
	r := s.bufferPool.Get().(*readBuffers)
	defer s.bufferPool.Put(r)
	sample, err := s.readSample(r, f, line, period)
	if err != nil {
		return nil, fmt.Errorf("%w: %s, line %d (user %d), for %s: %w", ErrDataset, s.files[f].name, line+1, user,
			s.requestLabel(period, request), err)
	}
	sample.User = user
	return sample, nil
}

func (s *RequestSet) readSample(r *readBuffers, f, line, period int) (*RequestSample, error) {
	starts := s.offsets[f]
	text, err := s.files[f].readLine(r.line, starts[line], lineEnd(starts, line, s.files[f]))
	if err != nil {
		return nil, err
	}
	r.line = text[:0:cap(text)]
	// in addition to the periods' blocks, there are one for the base of histories and one that only the training uses
	train, periods := s.options.TrainPeriods, s.options.TrainPeriods+len(s.requests)
	if r.cells, err = splitCells(r.cells[:0], text, blockCells*(periods+2)); err != nil {
		return nil, err
	}
	sample := &RequestSample{}
	if err := s.readHistory(r, sample, train, period); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	if err := s.readCandidates(r, sample, r.cells[blockCells*(train+period+2):]); err != nil {
		return nil, fmt.Errorf("candidates of the period (cells %d and %d): %w", blockCells*(train+period+2)+1,
			blockCells*(train+period+2)+2, err)
	}
	return sample, nil
}

// splitCells appends the cells of a CSV line. The line must contain want cells.
func splitCells(cells [][]byte, line []byte, want int) ([][]byte, error) {
	rest, more := line, true
	for more {
		var cell []byte
		var err error
		if cell, rest, more, err = cutCell(rest); err != nil {
			return cells, fmt.Errorf("cell %d: %w", len(cells)+1, err)
		}
		cells = append(cells, cell)
	}
	if len(cells) != want {
		return cells, fmt.Errorf("%d cells, want %d: 4 for each of %d periods, and 8", len(cells), want, want/blockCells-2)
	}
	return cells, nil
}

// cutCell returns the first cell of a line, the text after it, and whether more cells follow.
func cutCell(line []byte) (cell, rest []byte, more bool, err error) {
	if len(line) == 0 || line[0] != '"' {
		cell, rest, more = bytes.Cut(line, []byte(","))
		return cell, rest, more, nil
	}
	end := bytes.IndexByte(line[1:], '"')
	if end < 0 {
		return nil, nil, false, errors.New("it begins with a quote, and does not end with one")
	}
	cell, rest = line[1:end+1], line[end+2:]
	if len(rest) > 0 && rest[0] != ',' {
		return nil, nil, false, fmt.Errorf("%.20q follows its quotes, want a comma or the end of the line", rest)
	}
	return cell, bytes.TrimPrefix(rest, []byte(",")), len(rest) > 0, nil
}

// joinCells joins the history cells of the blocks before the period.
func (s *RequestSet) readHistory(r *readBuffers, sample *RequestSample, train, period int) (err error) {
	if err := r.joinCells(&r.ids, historyIDs, train, period); err != nil {
		return fmt.Errorf("ids: %w", err)
	}
	if err := r.joinCells(&r.ratings, historyRatings, train, period); err != nil {
		return fmt.Errorf("ratings: %w", err)
	}
	if sample.History, err = s.makeEntries(r, s.options.MaxHistory()); err != nil {
		return err
	}
	sample.Weights = make([]uint8, len(r.ratings.values))
	for i, rating := range r.ratings.values {
		index := math.Trunc(rating) - 1
		if index < 0 {
			index += float64(len(ratingWeights))
		}
		if index < 0 || index >= float64(len(ratingWeights)) {
			return fmt.Errorf("rating %d is %v, want 1 to 5", i+1, rating)
		}
		sample.Weights[i] = ratingWeights[int(index)]
	}
	return nil
}

// joinCells reads one cell of each block before a period: of the base, of the training, and of later periods. It
// skips the unused block after the training and blocks without candidates.
func (r *readBuffers) joinCells(into *numberList, cell, train, period int) error {
	r.joined = r.joined[:0]
	blocks := 0
	for b := range train + period + 2 {
		block := r.cells[blockCells*b:]
		if b == train+1 || len(block[candidateIDs]) == 0 {
			continue
		}
		if len(block[cell]) == 0 {
			return fmt.Errorf("%w in cell %d, though the block has candidates", errNoNumbers, blockCells*b+cell+1)
		}
		if blocks++; blocks > 1 {
			r.joined = append(r.joined, ',')
		}
		r.joined = append(r.joined, block[cell]...)
	}
	if blocks == 0 {
		return fmt.Errorf("%w: no block before the period has candidates", errNoNumbers)
	}
	return into.parseJSON(r.joined)
}

// readCandidates reads the candidates and ratings of the period's block.
func (s *RequestSet) readCandidates(r *readBuffers, sample *RequestSample, block [][]byte) (err error) {
	if err := r.ids.parseJSON(block[candidateIDs]); err != nil {
		return fmt.Errorf("ids: %w", err)
	}
	if err := r.ratings.parseJSON(block[candidateRatings]); err != nil {
		return fmt.Errorf("ratings: %w", err)
	}
	if sample.Candidates, err = s.makeEntries(r, s.options.MaxCandidates); err != nil {
		return err
	}
	sample.Labels = make([]uint8, len(r.ratings.values))
	for i, rating := range r.ratings.values {
		if rating >= 3.5 {
			sample.Labels[i] = 1
		}
	}
	return nil
}

// makeEntries returns entries for the first maxEntries IDs that were read.
func (s *RequestSet) makeEntries(r *readBuffers, maxEntries int) (e ItemEntries, err error) {
	ids, ratings := &r.ids, &r.ratings
	if len(ids.values) != len(ratings.values) {
		return e, fmt.Errorf("%d ids and %d ratings, want a rating for each", len(ids.values), len(ratings.values))
	}
	ids.truncateTo(maxEntries)
	ratings.truncateTo(maxEntries)
	limit := s.options.Items
	if s.options.AnyID {
		limit = maxItems
	}
	size := float64(s.options.Items / int64(s.options.Categories))
	rounded := !s.options.ExactIDs && (ids.hasFloats() || ratings.hasFloats())
	e = ItemEntries{make([]int32, len(ids.values)), make([]uint16, len(ids.values))}
	for i, id := range ids.values {
		category := math.Floor(id / size)
		if id < 0 || id >= float64(limit) || category >= maxCategories {
			return e, fmt.Errorf("id %d is %v, want 0 to %d", i+1, id, limit-1)
		}
		if rounded {
			id = float64(float32(id))
		}
		e.IDs[i], e.Categories[i] = int32(id), uint16(category)
	}
	return e, nil
}
