package openai

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// cacheWatch looks for prompts that a server keeps between queries: those that it reports, and prompts asked again that
// are answered sooner than new ones.
type cacheWatch struct {
	seed maphash.Seed

	mu       sync.Mutex
	seen     map[uint64]bool              // prompts, by their hash
	typical  [bits.UintSize]time.Duration // time to the first token of new prompts, by the size of their length
	repeated int
	soon     int // of those, answered in less than half the typical time
	tokens   int64
}

const (
	maxRemembered = 1 << 18 // prompts that are remembered
	smoothing     = 32      // new prompts that the typical time is a mean of, roughly
	fewRepeated   = 32      // repeated prompts that say nothing yet
)

func newCacheWatch() *cacheWatch {
	return &cacheWatch{seed: maphash.MakeSeed(), seen: map[uint64]bool{}}
}

// promptHash is the hash of a prompt.
func (w *cacheWatch) promptHash(p backend.Prompt) uint64 {
	var h maphash.Hash
	h.SetSeed(w.seed)
	switch {
	case len(p.Tokens) > 0:
		for _, id := range p.Tokens {
			maphash.WriteComparable(&h, id)
		}
	case len(p.ChatJSON) > 0:
		h.Write(p.ChatJSON)
	case len(p.Messages) > 0:
		h.Write(backend.AppendChat(nil, p))
	default:
		maphash.WriteComparable(&h, p.Text)
	}
	return h.Sum64()
}

// promptLength is the length of a prompt, roughly.
func promptLength(p backend.Prompt) int {
	n := len(p.Tokens)*4 + len(p.Text) + len(p.ChatJSON)
	for _, m := range p.Messages {
		n += len(m.Content)
	}
	return bits.Len(uint(n))
}

// notePrompt notes the time to the first token of a prompt, and the tokens that the server took from its cache.
func (w *cacheWatch) notePrompt(p backend.Prompt, first time.Duration, cached int64) {
	key, length := w.promptHash(p), promptLength(p)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tokens += cached
	typical := &w.typical[length]
	if w.seen[key] {
		if *typical > 0 {
			w.repeated++
			if first < *typical/2 {
				w.soon++
			}
		}
		return
	}
	if len(w.seen) < maxRemembered {
		w.seen[key] = true
	}
	if *typical == 0 {
		*typical = first
	}
	*typical += (first - *typical) / smoothing
}

// GeneratorReport is what a generator has noticed.
type GeneratorReport struct {
	Answers      int64 // complete ones
	Restarted    int64 // answers that broke off and were asked for again, from the start: option on_failure=continue
	Retried      int64 // requests that were sent again, because nothing of an answer had come
	CachedTokens int64 // tokens of prompts that the servers report to have taken from a cache
	Repeated     int   // prompts that were asked before in this run
	Soon         int   // of those, with a first token in less than half the time that new prompts take
	Suspicious   bool  // most of enough repeated prompts came soon: the server seems to keep prompts or answers
}

func (w *cacheWatch) makeReport() GeneratorReport {
	w.mu.Lock()
	defer w.mu.Unlock()
	return GeneratorReport{
		CachedTokens: w.tokens, Repeated: w.repeated, Soon: w.soon,
		Suspicious: w.repeated >= fewRepeated && w.soon*4 > w.repeated*3,
	}
}

// String is a line for people.
func (r GeneratorReport) String() string {
	text := fmt.Sprintf("%d answers, %d requests sent again, %d answers asked for again after they broke off; %d tokens "+
		"of prompts reported as cached; "+
		"%d of %d repeated prompts had a first token in less than half the usual time", r.Answers, r.Retried, r.Restarted,
		r.CachedTokens, r.Soon, r.Repeated)
	if r.Suspicious {
		text += ": the server seems to keep prompts or answers between queries, which the rules forbid"
	}
	return text
}
