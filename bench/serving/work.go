package serving

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plumbline-ml/plumbline/bench/serving/measure"
	"github.com/plumbline-ml/plumbline/bench/serving/prompts"
)

// item is a request as it is sent.
type item struct {
	prepared Prepared
	row      int
	session  string
	turn     int
	think    time.Duration
	in, out  int64 // tokens asked for
	due      time.Duration
	hasDue   bool
	own      *prompts.Ask // of a session that goes on from the server's answers: written when it is due
}

// unit are items that follow each other: the turns of a session, else one.
type unit struct{ from, to int }

// work is all that can be sent.
type work struct {
	items []item
	units []unit
	seed  uint64

	mu     sync.Mutex
	orders [][]int32 // of the units, by round but the first
}

// prepare has all requests written, on all cores. Turns of sessions are joined where they follow each other.
func prepare(asker Asker, asks Asks, joined bool, seed uint64) (*work, error) {
	w := &work{seed: seed}
	if asks == nil {
		return w, nil
	}
	w.items = make([]item, asks.Len())
	var (
		next   atomic.Int64
		group  sync.WaitGroup
		mu     sync.Mutex
		faults []error
	)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(w.items)); i = next.Add(1) - 1 {
				a := asks.At(int(i))
				if err := w.items[i].write(asker, &a); err != nil {
					mu.Lock()
					defer mu.Unlock()
					faults = append(faults, fmt.Errorf("request %d of the data: %w", a.Row+1, err))
					return
				}
			}
		})
	}
	group.Wait()
	w.join(joined)
	return w, errors.Join(faults...)
}

func (it *item) write(asker Asker, a *prompts.Ask) (err error) {
	*it = item{
		row: a.Row, session: a.Session, turn: a.Turn, think: a.Think, due: a.Due, hasDue: a.HasDue,
		in: measure.Unknown, out: measure.Unknown,
	}
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

// join makes units: neighbours of one session, turn after turn, are one.
func (w *work) join(joined bool) {
	for i := range w.items {
		it := &w.items[i]
		if n := len(w.units); joined && n > 0 && it.session != "" && it.turn > 0 {
			if before := w.items[i-1]; before.session == it.session && before.turn < it.turn {
				w.units[n-1].to = i + 1
				continue
			}
		}
		w.units = append(w.units, unit{i, i + 1})
	}
}

// round is how often the unit at a place in the order of sending was sent before.
func (w *work) round(place int) int { return place / len(w.units) }

// at is the unit at a place in the order of sending: all in their order, then all again, shuffled anew.
func (w *work) at(place int) unit {
	round, i := w.round(place), place%len(w.units)
	if round == 0 {
		return w.units[i]
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
	return w.units[w.orders[round-1][i]]
}

// history is where a unit remembers what was said; nil: it need not.
func (w *work) history(u unit) *prompts.History {
	if w.items[u.from].own == nil {
		return nil
	}
	return new(prompts.History)
}

// slots hold what is recorded, in blocks that never move.
type slots struct {
	mu     sync.Mutex
	blocks [][]measure.Request
	size   int // of the next block
}

// leastBlock is how many requests the blocks have that come when the first is full.
const leastBlock = 4096

// next is a new record.
func (s *slots) next() *measure.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.blocks)
	if n == 0 || len(s.blocks[n-1]) == cap(s.blocks[n-1]) {
		s.blocks = append(s.blocks, make([]measure.Request, 0, max(1, s.size)))
		s.size = leastBlock
		n++
	}
	b := &s.blocks[n-1]
	*b = append(*b, measure.Request{})
	return &(*b)[len(*b)-1]
}

// all are the records, in one piece.
func (s *slots) all() []measure.Request {
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
