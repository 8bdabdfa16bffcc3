package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/internal/lists"

	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// workItem is a request as it is sent.
type workItem struct {
	prepared Prepared
	fault    string // why it could not be written; empty: it was, or will be
	at       int    // among the requests
	row      int
	session  string
	turn     int
	think    time.Duration
	in, out  int64 // tokens asked for
	due      time.Duration
	hasDue   bool
	own      *prompts.Ask // of a session that goes on from the server's answers: written when it is due
}

// workUnit are items that follow each other: the turns of a session, else one.
type workUnit struct{ from, to int }

// sendableWork is all that can be sent.
type sendableWork struct {
	items []workItem
	units []workUnit
	seed  uint64

	mu     sync.Mutex
	orders [][]int32 // of the units, by round but the first
}

// placer are requests that say their places without being made.
type placer interface{ PlaceOf(i int) prompts.Ask }

// planWork is what can be sent, without a request that is written: turns of sessions are joined where they follow each
// other.
func planWork(asks Asks, joined bool, seed uint64) *sendableWork {
	w := &sendableWork{seed: seed}
	if asks == nil {
		return w
	}
	w.items = make([]workItem, asks.Len())
	for i := range w.items {
		w.items[i].at = i
	}
	if joined {
		at := asks.At
		if of, ok := asks.(placer); ok {
			at = of.PlaceOf
		}
		for i := range w.items {
			a := at(i)
			w.items[i].takePlace(&a)
		}
	}
	w.joinUnits(joined)
	return w
}

// writeUnits has the requests of units written, on all cores; nil: of all.
func (w *sendableWork) writeUnits(asker Asker, asks Asks, own []bool) error {
	var mu sync.Mutex
	var faults []error
	lists.Each(context.Background(), len(w.units), func(i int) {
		if own != nil && !own[i] {
			return
		}
		for k := w.units[i].from; k < w.units[i].to; k++ {
			a := asks.At(k)
			if err := w.items[k].writeRequest(asker, &a); err != nil {
				mu.Lock()
				defer mu.Unlock()
				faults = append(faults, fmt.Errorf("request %d of the data: %w", a.Row+1, err))
				return
			}
		}
	})
	return errors.Join(faults...)
}

// takePlace takes over what an item is among others.
func (it *workItem) takePlace(a *prompts.Ask) {
	*it = workItem{
		at: it.at, row: a.Row, session: a.Session, turn: a.Turn, think: a.Think, due: a.Due, hasDue: a.HasDue,
		in: metrics.Unknown, out: metrics.Unknown,
	}
}

func (it *workItem) writeRequest(asker Asker, a *prompts.Ask) (err error) {
	it.takePlace(a)
	if a.InputTokens > 0 {
		it.in = int64(a.InputTokens)
	}
	if a.MaxTokens > 0 && a.Exact {
		it.out = int64(a.MaxTokens)
	}
	if a.Own {
		if _, ok := asker.(Answerer); !ok {
			return errors.New("a session that goes on from the server's own answers: this client gives none back")
		}
		own := *a
		it.own = &own
	}
	it.prepared, err = asker.Prepare(a)
	return err
}

// joinUnits makes units: neighbours of one session, turn after turn, are one.
func (w *sendableWork) joinUnits(joined bool) {
	for i := range w.items {
		it := &w.items[i]
		if n := len(w.units); joined && n > 0 && it.session != "" && it.turn > 0 {
			if before := w.items[i-1]; before.session == it.session && before.turn < it.turn {
				w.units[n-1].to = i + 1
				continue
			}
		}
		w.units = append(w.units, workUnit{i, i + 1})
	}
}

// roundAt is how often the unit at a place in the order of sending was sent before.
func (w *sendableWork) roundAt(place int) int { return place / len(w.units) }

// unitAt is the unit at a place in the order of sending: all in their order, then all again, shuffled anew.
func (w *sendableWork) unitAt(place int) workUnit { return w.units[w.unitIndex(place)] }

// unitIndex is the number of the unit at a place.
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

// newHistory is where a unit remembers what was said; nil: it need not.
func (w *sendableWork) newHistory(u workUnit) *prompts.ChatHistory {
	if w.items[u.from].own == nil {
		return nil
	}
	return new(prompts.ChatHistory)
}

// recordSlots hold what is recorded, in blocks that never move.
type recordSlots struct {
	mu     sync.Mutex
	blocks [][]metrics.Request
	size   int // of the next block
}

// minBlock is how many requests the blocks have that come when the first is full.
const minBlock = 4096

// newRecord is a new record.
func (s *recordSlots) newRecord() *metrics.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.blocks)
	if n == 0 || len(s.blocks[n-1]) == cap(s.blocks[n-1]) {
		s.blocks = append(s.blocks, make([]metrics.Request, 0, max(1, s.size)))
		s.size = minBlock
		n++
	}
	b := &s.blocks[n-1]
	*b = append(*b, metrics.Request{})
	return &(*b)[len(*b)-1]
}

// joinRecords are the records, in one piece.
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
