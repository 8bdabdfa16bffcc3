package prompts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/parallel"
)

// PromptSet is the source of requests: the rows of a file, or an endless series of lengths. It is safe for concurrent
// use.
type PromptSet struct {
	// API is the endpoint of all requests.
	API API
	// Notes are remarks on the data for the user.
	Notes []string

	options  *parsedOptions
	rows     []promptRow
	units    []int32 // starts of the sessions in rows, and the number of rows; nil: no sessions
	symbols  symbolWriter
	alphabet promptAlphabet
	tools    json.RawMessage
	values   []map[string]json.RawMessage // values of the columns to keep, by row
}

// Value returns the JSON value of a row, from 0, in a column of PromptOptions.Keep; nil: none.
func (s *PromptSet) Value(row int, column string) json.RawMessage {
	if row >= len(s.values) {
		return nil
	}
	return s.values[row][column]
}

// Rows returns the number of rows of the data; 0: no rows, and an endless series of requests.
func (s *PromptSet) Rows() int { return len(s.rows) }

// OfIDs returns the number of rows with prompts of token ids.
func (s *PromptSet) OfIDs() (n int) {
	for _, r := range s.rows {
		if r.ask != nil && r.ask.IDs != nil {
			n++
		}
	}
	return n
}

// Sessions returns the number of sessions with several turns in the data; 0: rows are independent.
func (s *PromptSet) Sessions() int { return max(0, len(s.units)-1) }

// Timed reports whether each row has a due time or follows a row with one.
func (s *PromptSet) Timed() bool {
	for _, r := range s.rows {
		if !r.hasDue && (r.ask == nil || r.ask.Turn == 0) {
			return false
		}
	}
	return len(s.rows) > 0
}

// buildSet returns the set of the rows that were read.
func (r *rowReader) buildSet() (*PromptSet, error) {
	s := &PromptSet{API: r.api, options: r.options, rows: r.rows, values: r.values}
	r.noteData(s)
	if r.groupSessions(s); len(r.faults.List) > 0 {
		return nil, r.faults
	}
	s.startAtZero()
	if err := errors.Join(s.checkLengths(), s.checkPictures()); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	if s.API == Chat || s.API == Responses {
		s.tools = r.options.tools
	} else if r.options.tools != nil {
		s.addNotef("--tools are of chats: none is sent with %s", s.API)
	}
	if err := r.checkPrefix(); err != nil {
		return nil, err
	}
	if r.hasGenerated {
		if err := s.makeAlphabet(); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrOptions, err)
		}
	}
	return s, nil
}

// noteData adds notes on data that is used in another way than it is written.
func (r *rowReader) noteData(s *PromptSet) {
	if r.unanswered > 0 {
		has := "have"
		if r.unanswered == 1 {
			has = "has"
		}
		s.addNotef("%d of %d conversations %s no question with an answer", r.unanswered, r.conversations, has)
	}
	if r.answers > 0 {
		s.addNotef("chats that end with a message of the assistant: %d. It is taken for the recorded answer, and not sent",
			r.answers)
	}
	if r.numbers > 0 {
		s.addNotef("prompts that are numbers, not texts: %d. They are sent as they are written; token ids are lists, [5]",
			r.numbers)
	}
	for _, preferred := range r.names.listPreferences() {
		s.addNotef("%s", preferred)
	}
	if unused := r.names.unusedColumns(); len(unused) > 0 {
		s.addNotef("columns without a use here: %s", strings.Join(unused, ", "))
	}
	if len(r.models) > 0 {
		s.addNotef("the model in the file, %s, is not asked for: --model says which",
			strings.Join(slices.Sorted(maps.Keys(r.models)), ", "))
	}
}

// checkPrefix checks that --prefix is used only with generated prompts.
func (r *rowReader) checkPrefix() error {
	if r.options.prefix.count > 0 && slices.ContainsFunc(r.rows, func(row promptRow) bool { return len(row.hashes) > 0 }) {
		return fmt.Errorf("%w: --prefix %s beside the hash_ids of --data %s, which say by themselves what prompts have "+
			"in common: leave --prefix out", ErrOptions, r.options.Prefix, r.options.File)
	}
	if !r.hasGenerated && r.options.prefix.count > 0 {
		return fmt.Errorf("%w: --prefix %s is of prompts that are made: --data %s has prompts of its own", ErrOptions,
			r.options.Prefix, r.options.File)
	}
	return nil
}

func (s *PromptSet) addNotef(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

// startAtZero shifts the times of a trace so that the first is 0.
func (s *PromptSet) startAtZero() {
	first := time.Duration(-1)
	for _, r := range s.rows {
		if r.hasDue && (first < 0 || r.due < first) {
			first = r.due
		}
	}
	for i := range s.rows {
		if s.rows[i].hasDue {
			s.rows[i].due -= first
		}
	}
}

// checkLengths checks that lengths leave room for a chat template's tokens.
func (s *PromptSet) checkLengths() error {
	for _, p := range s.options.lengths.parts {
		if s.options.Overhead > 0 && s.options.File == "" && p.in.spread == 0 && p.in.to <= s.options.Overhead {
			return fmt.Errorf("--isl %s: the server's chat template adds %d tokens to a prompt; want %d or more",
				s.options.ISL, s.options.Overhead, s.options.Overhead+1)
		}
	}
	return nil
}

// WithOverhead returns the set with prompts shortened by the tokens that a chat template adds. The error is an
// ErrOptions.
func (s *PromptSet) WithOverhead(tokens int) (*PromptSet, error) {
	other, a := *s, *s.options
	a.Overhead, other.options = tokens, &a
	if err := other.checkLengths(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	return &other, nil
}

// TokenOverhead returns the median number of tokens by which counted lengths (got) of prompts exceed the requested ones
// (asked). It is the size of a chat template if the prompts were generated without overhead, and otherwise a correction
// of the overhead. agreed reports whether nine in ten prompts have the same difference.
func TokenOverhead(asked, got []int64) (tokens int, agreed bool) {
	if len(asked) == 0 || len(asked) != len(got) {
		return 0, false
	}
	more := make([]int64, len(asked))
	for i := range asked {
		more[i] = got[i] - asked[i]
	}
	slices.Sort(more)
	median := more[len(more)/2]
	same := 0
	for _, m := range more {
		if m == median {
			same++
		}
	}
	return int(median), 10*same >= 9*len(more)
}

// RowOrder is the order in which rows are sent.
type RowOrder int

// The orders of rows.
const (
	Shuffled RowOrder = iota // by the set's seed
	InOrder                  // as in the file, in the first round
	ByTime                   // by their times, in the first round
)

// DrawOptions determines which requests of a set are made.
type DrawOptions struct {
	// N is the number of requests; for sessions, the minimum number of turns in whole sessions. 0: each row once.
	N int
	// Skip is the number of requests of earlier points. Their rows are not used again while others remain. An official
	// client's order restarts at each point.
	Skip  int
	Order RowOrder
	// WarmUp marks requests that figures exclude. They have their own salts and do not use an official client's order.
	WarmUp bool
	// Seed determines all random draws. With its own seed, a point has its own prompts.
	Seed uint64
}

// DrawnRequests contains requests that can be made at any time and in any order. It is safe for concurrent use.
type DrawnRequests struct {
	// Notes contains remarks on these requests for the user.
	Notes []string

	set    *PromptSet
	seed   uint64
	starts promptStarts
	plan   []plannedRequest
	salts  [][SaltBytes]byte // nil: no salts
}

// plannedRequest is a request that can be made.
type plannedRequest struct {
	row     int32 // -1: none
	round   int32 // number of earlier requests with the row
	in, out int32
	adapter int32 // -1: none
	exact   bool
}

// Draw chooses requests.
func (s *PromptSet) Draw(d DrawOptions) *DrawnRequests {
	w := &DrawnRequests{set: s, seed: d.Seed}
	if s.symbols.size > 0 {
		w.starts = newStarts(s.symbols.size, d.Seed)
	}
	if d.Order == Shuffled && !d.WarmUp && s.options.drawsByPython() {
		w.chooseByPython(cmp.Or(d.N, len(s.rows)))
	} else {
		w.chooseRows(d)
	}
	switch {
	case s.options.salted && d.WarmUp:
		w.drawSalts(^s.options.saltSeed)
	case s.options.salted:
		w.drawSalts(s.options.saltSeed)
	}
	lengths := newRand(d.Seed, lengthStream, uint64(d.Skip))
	for i := range w.plan {
		s.measureOut(&w.plan[i], lengths)
	}
	w.assignAdapters(d)
	w.noteSize()
	return w
}

// chooseRows chooses rows, round after round.
func (w *DrawnRequests) chooseRows(d DrawOptions) {
	s := w.set
	if len(s.rows) == 0 {
		w.plan = make([]plannedRequest, d.N)
		for i := range w.plan {
			w.plan[i] = plannedRequest{row: -1}
		}
		return
	}
	n := cmp.Or(d.N, len(s.rows))
	w.plan = make([]plannedRequest, 0, n)
	rounds := int32(0)
	for round, skip := int32(0), d.Skip; len(w.plan) < n; round++ {
		if skip >= len(s.rows) {
			skip -= len(s.rows)
			continue
		}
		for _, u := range s.orderRound(d.Order, round) {
			from, to := u, u+1
			if s.units != nil {
				from, to = s.units[u], s.units[u+1]
			}
			if skip > 0 {
				skip -= int(to - from)
				continue
			}
			if len(w.plan) >= n {
				break
			}
			for r := from; r < to; r++ {
				w.plan = append(w.plan, plannedRequest{row: r, round: round})
			}
			rounds = round + 1
		}
	}
	switch {
	case rounds > 1 && d.Skip > 0:
		w.Notes = append(w.Notes, fmt.Sprintf("the data have %s, and %s came before: rows come again, shuffled "+
			"anew, and the server's cache may answer", countText(len(s.rows), "row"), countText(d.Skip, "request")))
	case rounds > 1:
		w.Notes = append(w.Notes, fmt.Sprintf("%d requests of %s: rows come again, shuffled anew, up to %d times in all; "+
			"the server's cache may answer", len(w.plan), countText(len(s.rows), "row"), rounds))
	}
}

// countText returns a number with its noun.
func countText(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// orderRound returns the order of the rows, or the sessions, in a round.
func (s *PromptSet) orderRound(o RowOrder, round int32) []int32 {
	n := len(s.rows)
	if s.units != nil {
		n = len(s.units) - 1
	}
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	switch {
	case o == ByTime:
		slices.SortStableFunc(all, func(a, b int32) int { return cmp.Compare(s.firstRow(a).due, s.firstRow(b).due) })
	case s.options.PromptOptions.Order == InFileOrder: // in every round
	case o == Shuffled || round > 0:
		r := newRand(s.options.Seed, orderStream, uint64(round))
		r.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return all
}

// firstRow returns the first row of a row or session.
func (s *PromptSet) firstRow(unit int32) *promptRow {
	if s.units != nil {
		unit = s.units[unit]
	}
	return &s.rows[unit]
}

// measureOut determines the lengths of a request.
func (s *PromptSet) measureOut(p *plannedRequest, r *rand.Rand) {
	in, out := s.options.lengths.drawPair(r)
	p.in, p.out, p.exact = int32(in), int32(out), out > 0
	if p.row < 0 {
		return
	}
	row := &s.rows[p.row]
	p.in = row.in
	if out > 0 {
		return
	}
	if p.out, p.exact = row.out, row.exact; row.out == 0 && row.ask != nil {
		p.out = int32(row.ask.MaxTokens)
	}
	if p.out == 0 {
		p.out, p.exact = int32(s.options.MaxTokens), false
	}
}

// Len returns the number of requests.
func (w *DrawnRequests) Len() int { return len(w.plan) }

// All makes all requests, on all cores.
func (w *DrawnRequests) All() []Ask {
	all := make([]Ask, len(w.plan))
	parallel.Each(context.Background(), len(all), func(i int) { all[i] = w.At(i) })
	return all
}

// PlaceOf returns request i, from 0, without its content: its row, its position in a session, and its due time.
func (w *DrawnRequests) PlaceOf(i int) Ask {
	p, s := w.plan[i], w.set
	a := Ask{Row: i}
	if p.row >= 0 {
		row := &s.rows[p.row]
		if row.ask != nil {
			a = *row.ask
		}
		a.Row, a.Due, a.HasDue = int(p.row), row.due, row.hasDue
		if p.round > 0 && a.Session != "" {
			a.Session += "~" + strconv.Itoa(int(p.round)+1)
		}
	}
	return a
}

// At makes request i, from 0.
func (w *DrawnRequests) At(i int) Ask {
	p, s, a := w.plan[i], w.set, w.PlaceOf(i)
	a.API, a.Header = s.API, s.options.header
	if a.MaxTokens, a.Exact = int(p.out), p.exact; a.API == Embeddings || a.API == Rerank {
		a.MaxTokens, a.Exact = 0, false
	}
	if p.in > 0 {
		w.writePrompt(&a, i, p)
	}
	if w.salts != nil {
		w.addSalt(&a, i)
	}
	if s.options.image.n > 0 {
		w.addPictures(&a, i)
	}
	if a.Fields == nil {
		a.Fields = s.options.body
	}
	if a.Tools == nil {
		a.Tools = s.tools
	}
	if p.adapter >= 0 {
		a.Model = s.options.LoRA[p.adapter]
	}
	return a
}

// writePrompt writes a prompt of the planned length.
func (w *DrawnRequests) writePrompt(a *Ask, i int, p plannedRequest) {
	s := w.set
	a.InputTokens = int(p.in)
	symbols := make([]int32, max(1, int(p.in)-s.options.Overhead))
	write := func(again uint64) {
		if p.row >= 0 && len(s.rows[p.row].hashes) > 0 {
			s.symbols.writeBlocks(symbols, s.rows[p.row].hashes)
			return
		}
		s.symbols.writeUnique(symbols, w.seed^mixBits(again)*min(again, 1), w.starts, uint64(i))
	}
	write(0)
	s.alphabet.write(a, symbols, write)
}
