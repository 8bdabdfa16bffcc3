package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/internal/parallel"

	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// workItem is a request in the form in which it is sent.
type workItem struct {
	prepared                  Prepared
	fault                     string // why the request could not be encoded; empty: it could, or it is not encoded yet
	index                     int    // index among the requests
	row                       int
	session                   string
	turn                      int
	think                     time.Duration
	inputTokens, outputTokens int64 // requested tokens
	due                       time.Duration
	hasDue                    bool
	ownAnswers                *prompts.Ask // turn that continues from the server's answers; encoded when it is due
}

// workUnit is a range of items that are sent one after another: the turns of a session, or a single request.
type workUnit struct{ from, to int }

// sendableWork contains all requests that can be sent.
type sendableWork struct {
	items []workItem
	units []workUnit
	seed  uint64

	mu     sync.Mutex
	orders [][]int32 // orders of the units in the second and later rounds
}

// placer is implemented by Asks that can return a request's place without making the request.
type placer interface{ PlaceOf(i int) prompts.Ask }

// newWork returns the units of all requests without encoding them. If joined is set, neighbouring turns of a session
// form one unit.
func newWork(asks Asks, joinTurns bool, seed uint64) *sendableWork {
	w := &sendableWork{seed: seed}
	if asks == nil {
		return w
	}
	w.items = make([]workItem, asks.Len())
	for i := range w.items {
		w.items[i].index = i
	}
	if joinTurns {
		at := asks.At
		if of, ok := asks.(placer); ok {
			at = of.PlaceOf
		}
		for i := range w.items {
			a := at(i)
			w.items[i].copyPlace(&a)
		}
	}
	w.buildUnits(joinTurns)
	return w
}

// encodeUnits encodes the requests of the marked units on all cores. If own is nil, it encodes all.
func (w *sendableWork) encodeUnits(asker Asker, asks Asks, marked []bool) error {
	var mu sync.Mutex
	var faults []error
	parallel.Each(context.Background(), len(w.units), func(i int) {
		if marked != nil && !marked[i] {
			return
		}
		for k := w.units[i].from; k < w.units[i].to; k++ {
			a := asks.At(k)
			if err := w.items[k].encodeRequest(asker, &a); err != nil {
				mu.Lock()
				defer mu.Unlock()
				faults = append(faults, fmt.Errorf("request %d of the data: %w", a.Row+1, err))
				return
			}
		}
	})
	return errors.Join(faults...)
}

// copyPlace copies the row, session, turn, times and token counts of a request.
func (it *workItem) copyPlace(a *prompts.Ask) {
	*it = workItem{
		index: it.index, row: a.Row, session: a.Session, turn: a.Turn, think: a.Think, due: a.Due, hasDue: a.HasDue,
		inputTokens: metrics.Unknown, outputTokens: metrics.Unknown,
	}
}

func (it *workItem) encodeRequest(asker Asker, a *prompts.Ask) (err error) {
	it.copyPlace(a)
	if a.InputTokens > 0 {
		it.inputTokens = int64(a.InputTokens)
	}
	if a.MaxTokens > 0 && a.Exact {
		it.outputTokens = int64(a.MaxTokens)
	}
	if a.Own {
		if _, ok := asker.(Answerer); !ok {
			return errors.New("a session that goes on from the server's own answers: this client gives none back")
		}
		own := *a
		it.ownAnswers = &own
	}
	it.prepared, err = asker.Prepare(a)
	return err
}

// buildUnits builds the units. If joined is set, neighbouring turns of one session form one unit.
func (w *sendableWork) buildUnits(joinTurns bool) {
	for i := range w.items {
		it := &w.items[i]
		if n := len(w.units); joinTurns && n > 0 && it.session != "" && it.turn > 0 {
			if before := w.items[i-1]; before.session == it.session && before.turn < it.turn {
				w.units[n-1].to = i + 1
				continue
			}
		}
		w.units = append(w.units, workUnit{i, i + 1})
	}
}

// roundAt returns the round of the unit at a place in the order of sending, from 0.
func (w *sendableWork) roundAt(place int) int { return place / len(w.units) }

// unitAt returns the unit at a place in the order of sending. The first round has the data's order. Each later round
// has a new random order.
func (w *sendableWork) unitAt(place int) workUnit { return w.units[w.unitIndex(place)] }

// unitIndex returns the index of the unit at a place in the order of sending.
func (w *sendableWork) unitIndex(place int) int {
	round, i := w.roundAt(place), place%len(w.units)
	if round == 0 {
		return i
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.orders) < round {
		order := make([]int32, len(w.units))
		for k := range order {
			order[k] = int32(k)
		}
		src := rand.New(rand.NewPCG(w.seed, uint64(len(w.orders)+1)))
		src.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
		w.orders = append(w.orders, order)
	}
	return int(w.orders[round-1][i])
}

// newHistory returns an empty chat history for a unit whose turns continue from the server's answers, and nil for other
// units.
func (w *sendableWork) newHistory(u workUnit) *prompts.ChatHistory {
	if w.items[u.from].ownAnswers == nil {
		return nil
	}
	return new(prompts.ChatHistory)
}

// recordSlots stores the records in blocks that are never moved.
type recordSlots struct {
	mu       sync.Mutex
	blocks   [][]metrics.Request
	nextSize int // records in the next block
}

// blockSize is the number of records in each block after the first.
const blockSize = 4096

// newRecord returns a new record.
func (s *recordSlots) newRecord() *metrics.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.blocks)
	if n == 0 || len(s.blocks[n-1]) == cap(s.blocks[n-1]) {
		s.blocks = append(s.blocks, make([]metrics.Request, 0, max(1, s.nextSize)))
		s.nextSize = blockSize
		n++
	}
	b := &s.blocks[n-1]
	*b = append(*b, metrics.Request{})
	return &(*b)[len(*b)-1]
}

// joinRecords returns all records in one slice.
func (s *recordSlots) joinRecords() []metrics.Request {
	if len(s.blocks) == 0 {
		return nil
	}
	all := s.blocks[0]
	for i, b := range s.blocks[1:] {
		all = append(all, b...)
		s.blocks[i+1] = nil
	}
	return all
}
