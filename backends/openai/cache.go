package openai

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// cacheWatch detects prompts that a server caches between queries: prompts that it reports as cached, and repeated
// prompts that are answered faster than new ones.
type cacheWatch struct {
	seed maphash.Seed

	mu        sync.Mutex
	seen      map[uint64]bool              // hashes of the earlier prompts
	typical   [bits.UintSize]time.Duration // time to first token of new prompts, by the size of their length
	repeated  int
	fastCount int // repeated prompts answered in less than half the typical time
	tokens    int64
}

const (
	maxRemembered = 1 << 18 // maximum number of remembered prompts
	smoothing     = 32      // approximate number of new prompts over which the typical time is averaged
	fewRepeated   = 32      // minimum number of repeated prompts for a conclusion
)

func newCacheWatch() *cacheWatch {
	return &cacheWatch{seed: maphash.MakeSeed(), seen: map[uint64]bool{}}
}

// promptHash returns the hash of a prompt.
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

// promptLength returns the approximate length of a prompt.
func promptLength(p backend.Prompt) int {
	n := len(p.Tokens)*4 + len(p.Text) + len(p.ChatJSON)
	for _, m := range p.Messages {
		n += len(m.Content)
	}
	return bits.Len(uint(n))
}

// notePrompt records the time to the first token of a prompt and the tokens that the server took from its cache.
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
				w.fastCount++
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

// GeneratorReport contains the observations of a generator.
type GeneratorReport struct {
	Answers      int64 // complete answers
	Restarted    int64 // answers that broke off and were requested again from the start: option on_failure=continue
	Retried      int64 // requests sent again because no part of an answer had arrived
	CachedTokens int64 // tokens of prompts that the servers report as cached
	Repeated     int   // prompts that were already sent in this run
	Soon         int   // repeated prompts with a first token in less than half the time that new prompts take
	Suspicious   bool  // most of enough repeated prompts were fast: the server seems to cache prompts or answers
}

func (w *cacheWatch) makeReport() GeneratorReport {
	w.mu.Lock()
	defer w.mu.Unlock()
	return GeneratorReport{
		CachedTokens: w.tokens, Repeated: w.repeated, Soon: w.fastCount,
		Suspicious: w.repeated >= fewRepeated && w.fastCount*4 > w.repeated*3,
	}
}

// String returns the report in one line.
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
