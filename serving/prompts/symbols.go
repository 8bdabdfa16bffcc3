package prompts

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Prompts that are made are symbols 0 to size-1 of an alphabet first, which become ids, a tokenizer's texts or words
// then. What is random comes from a seed and from what a symbol belongs to alone, so that any prompt can be made
// at any time, on any core.

// The streams of random numbers: what they are of.
const (
	ofOrder uint64 = iota + 1
	ofLengths
	ofPrompt
	ofPrefix
	ofBlock
	ofStart
	ofPicture
	ofAdapter
)

// random is a stream of numbers of its own for each seed, purpose and index.
func random(seed, of, index uint64) *rand.Rand {
	return rand.New(rand.NewPCG(mix(seed)^of, mix(index^mix(of))))
}

// mix is a bijection of 64-bit numbers without pattern: the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// starts gives each index two symbols of its own to begin with: the first differ for as many indices as there are
// symbols, both together for the square of that.
type starts struct{ size, offset, step, seed uint64 }

func newStarts(size int, seed uint64) starts {
	r := random(seed, ofStart, 0)
	n := uint64(size)
	s := starts{size: n, offset: r.Uint64N(n), step: r.Uint64N(n-1) + 1, seed: r.Uint64()}
	for gcd(s.step, n) != 1 { // a step that shares no factor visits all before any comes again
		s.step = s.step%(n-1) + 1
	}
	return s
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// begin writes the first symbols of an index into dst, as far as it goes, and returns how many.
func (s starts) begin(dst []int32, index uint64) int {
	round, place := index/s.size, index%s.size
	if len(dst) > 0 {
		dst[0] = s.at(place)
	}
	if len(dst) > 1 { // another one after each first, so that none is more frequent
		dst[1] = s.at(round + mix(s.seed^place)%s.size)
	}
	return min(2, len(dst))
}

func (s starts) at(i uint64) int32 { return int32((i%s.size*s.step + s.offset) % s.size) }

// fill draws the symbols of dst uniformly.
func fill(dst []int32, size int, r *rand.Rand) {
	n := uint32(size)
	for i := range dst {
		dst[i] = int32(r.Uint32N(n))
	}
}

// prefix is a share of each prompt that is one of several; the zero value is none.
type prefix struct {
	share float64
	of    int
}

func readPrefix(text string) (prefix, error) {
	if text == "" {
		return prefix{}, nil
	}
	share, of, ok := strings.Cut(text, "/")
	s, err := strconv.ParseFloat(share, 64)
	n := count(of)
	if !ok || err != nil || !(s > 0 && s <= 1) || n == 0 {
		return prefix{}, fmt.Errorf("--prefix %s: want SHARE/N, a share above 0 and up to 1, and how many prefixes there "+
			"are, as 0.5/8", text)
	}
	return prefix{s, n}, nil
}

// symbols writes prompts of an alphabet.
type symbols struct {
	size   int
	prefix prefix
	block  int
	blocks starts // of hash_ids: of no seed
}

// lone is the prompt of an index: all of its own but for a shared prefix.
func (s *symbols) lone(dst []int32, seed uint64, own starts, index uint64) {
	r := random(seed, ofPrompt, index)
	if s.prefix.of > 0 {
		which := r.Uint64N(uint64(s.prefix.of))
		shared := dst[:int(s.prefix.share*float64(len(dst))+0.5)]
		n := own.begin(shared, which)
		fill(shared[n:], s.size, random(seed, ofPrefix, which))
		dst = dst[len(shared):]
	}
	n := own.begin(dst, index)
	fill(dst[n:], s.size, r)
}

// hashed is the prompt of a trace's blocks: each is made of its hash alone, the last one is cut.
func (s *symbols) hashed(dst []int32, hashes []uint64) {
	for _, h := range hashes {
		part := dst[:min(s.block, len(dst))]
		n := s.blocks.begin(part, h)
		fill(part[n:], s.size, random(0, ofBlock, h))
		dst = dst[len(part):]
	}
}
