package generate

import (
	"context"
	"slices"
)

// loop runs steps for as long as there are sequences. All of it belongs to one goroutine.
type loop struct {
	*Generator
	runner  *runner
	cache   *cache // of the running sequences
	fresh   *cache // of prompts that just ran
	running []*sequence
	owners  []*sequence // of each row of the cache

	tokens []int32
	logits [][]float32
}

func newLoop(g *Generator) *loop {
	return &loop{Generator: g, runner: newRunner(&g.model, g.session), cache: newCache(&g.model), fresh: newCache(&g.model)}
}

// run takes steps until the generator closes, and waits where there is nothing to do.
func (l *loop) run() {
	for {
		select {
		case <-l.closing:
			return
		default:
		}
		busy := l.admit()
		if l.step() || busy {
			continue
		}
		select {
		case <-l.closing:
			return
		case <-l.wake:
		}
	}
}

// admit runs prompts that wait, as far as there is room, and lets their sequences join.
func (l *loop) admit() bool {
	batch := l.take()
	if len(batch) == 0 {
		return false
	}
	prompts := make([][]int32, len(batch))
	for i, s := range batch {
		prompts[i] = s.prompt.Tokens
	}
	logits, err := l.runner.prompts(context.Background(), l.fresh, prompts, batch[0].prompt.PadToken)
	for i, s := range batch {
		if s.err = err; err == nil {
			s.advance(logits[i : i+1])
		}
	}
	for i, s := range batch {
		if s.over() {
			l.leave(s)
			continue
		}
		l.join(s, i)
	}
	l.count(func(st *Stats) { st.Prompts++ })
	return true
}

// take removes from the waiting sequences those whose prompts run now: in the order in which they came, until there is no
// room for the next one.
func (l *loop) take() []*sequence {
	l.mu.Lock()
	defer l.mu.Unlock()
	var batch []*sequence
	rows, longest, widest := len(l.owners), 0, 0
	for _, s := range l.running {
		longest = max(longest, tokensOf(&s.prompt))
	}
	for len(l.waiting) > 0 {
		s := l.waiting[0]
		n := len(s.prompt.Tokens)
		rows += branches(&s.prompt)
		longest, widest = max(longest, tokensOf(&s.prompt)), max(widest, n)
		tooMany := rows > l.options.MaxSequences || len(batch) > 0 && (len(batch)+1)*widest > l.options.PromptTokens
		if tooMany || l.memory(rows, longest) > l.options.CacheBytes {
			break
		}
		batch = append(batch, s)
		l.waiting = l.waiting[1:]
	}
	return batch
}

// join gives a sequence its rows in the cache, all copies of row i of the prompts'.
func (l *loop) join(s *sequence, i int) {
	for range s.search.tokens() {
		s.rows = append(s.rows, len(l.owners))
		l.owners = append(l.owners, s)
		l.cache.add(l.fresh, i)
	}
	l.running = append(l.running, s)
}

// step runs one token of each branch of each sequence, and says whether there was any.
func (l *loop) step() bool {
	if len(l.running) == 0 {
		return false
	}
	l.cache.trim()
	l.tokens = sized(l.tokens, l.cache.rows())
	for _, s := range l.running {
		for branch, id := range s.search.tokens() {
			l.tokens[s.rows[branch]] = id
		}
	}
	logits, err := l.runner.step(context.Background(), l.cache, l.tokens)
	for _, s := range l.running {
		if s.err = err; err == nil {
			l.advance(s, logits)
		}
	}
	l.count(func(st *Stats) { st.Steps++; st.Rows += len(l.owners) })
	l.retire()
	return true
}

// advance lets a sequence choose, and moves its rows to where its branches continue.
func (l *loop) advance(s *sequence, logits [][]float32) {
	l.logits = l.logits[:0]
	for _, row := range s.rows {
		l.logits = append(l.logits, logits[row])
	}
	s.advance(l.logits)
	if !s.over() && len(s.rows) > 1 {
		l.cache.permute(s.rows, s.search.parents())
	}
}

// retire lets the sequences go that are complete or failed.
func (l *loop) retire() {
	l.running = slices.DeleteFunc(l.running, func(s *sequence) bool {
		if !s.over() {
			return false
		}
		l.leave(s)
		return true
	})
}

// leave takes a sequence's rows out of the cache, closes the gaps with the last rows, and ends its call.
func (l *loop) leave(s *sequence) {
	slices.Sort(s.rows)
	for _, row := range slices.Backward(s.rows) {
		last := len(l.owners) - 1
		l.cache.move(row, last)
		l.owners[row] = l.owners[last]
		moved := l.owners[row].rows
		if i := slices.Index(moved, last); i >= 0 && l.owners[row] != s {
			moved[i] = row
		}
		l.owners = l.owners[:last]
		l.cache.drop(last)
	}
	l.count(func(st *Stats) {
		if s.err == nil {
			st.Sequences++
			st.Tokens += len(s.search.answer())
		}
	})
	s.finish()
}

// count changes the figures.
func (l *loop) count(change func(*Stats)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.stats)
	l.stats.CacheBytes = int64(l.cache.peak + l.fresh.peak)
}
