package prompts

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Generated prompts consist of symbols 0 to size-1 of an alphabet, which then become ids, texts of a tokenizer or
// words. Random numbers depend only on a seed and on the purpose of a symbol, so that any prompt can be made at any
// time, on any core.

// The purposes of streams of random numbers.
const (
	orderStream uint64 = iota + 1
	lengthStream
	promptStream
	prefixStream
	blockStream
	startStream
	pictureStream
	adapterStream
)

// newRand returns a separate stream of numbers for each seed, purpose and index.
func newRand(seed, purpose, index uint64) *rand.Rand {
	return rand.New(rand.NewPCG(mixBits(seed)^purpose, mixBits(index^mixBits(purpose))))
}

// mixBits is a bijection of 64-bit numbers without a pattern: the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
func mixBits(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// promptStarts assigns two first symbols to each index. The first symbols of consecutive indices are distinct for as
// many indices as there are symbols, and the pairs are distinct for the square of that number.
type promptStarts struct{ size, offset, step, seed uint64 }

func newStarts(size int, seed uint64) promptStarts {
	r := newRand(seed, startStream, 0)
	n := uint64(size)
	s := promptStarts{size: n, offset: r.Uint64N(n), step: r.Uint64N(n-1) + 1, seed: r.Uint64()}
	for gcd(s.step, n) != 1 { // a step without a common factor visits all symbols before it repeats any
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

// writeStart writes the first symbols of an index into dst, as far as they fit, and returns their number.
func (s promptStarts) writeStart(dst []int32, index uint64) int {
	round, place := index/s.size, index%s.size
	if len(dst) > 0 {
		dst[0] = s.symbolAt(place)
	}
	if len(dst) > 1 { // the second depends on the first, so that pairs are equally frequent
		dst[1] = s.symbolAt(round + mixBits(s.seed^place)%s.size)
	}
	return min(2, len(dst))
}

func (s promptStarts) symbolAt(i uint64) int32 { return int32((i%s.size*s.step + s.offset) % s.size) }

// fillUniform fills dst with uniformly drawn symbols.
func fillUniform(dst []int32, size int, r *rand.Rand) {
	n := uint32(size)
	for i := range dst {
		dst[i] = int32(r.Uint32N(n))
	}
}

// sharedPrefix describes a share of each prompt that is one of several prefixes. The zero value means none.
type sharedPrefix struct {
	share float64
	count int
}

func readPrefix(text string) (sharedPrefix, error) {
	if text == "" {
		return sharedPrefix{}, nil
	}
	share, of, ok := strings.Cut(text, "/")
	s, err := strconv.ParseFloat(share, 64)
	n := parseCount(of)
	if !ok || err != nil || !(s > 0 && s <= 1) || n == 0 {
		return sharedPrefix{},
			fmt.Errorf("--prefix %s: want SHARE/N, a share above 0 and up to 1, and how many prefixes there "+
				"are, as 0.5/8", text)
	}
	return sharedPrefix{s, n}, nil
}

// symbolWriter writes prompts of an alphabet.
type symbolWriter struct {
	size   int
	prefix sharedPrefix
	block  int
	blocks promptStarts // starts of the blocks of hash_ids, without a seed
}

// writeUnique writes the prompt of an index. It is unique except for a shared prefix.
func (s *symbolWriter) writeUnique(dst []int32, seed uint64, own promptStarts, index uint64) {
	r := newRand(seed, promptStream, index)
	if s.prefix.count > 0 {
		which := r.Uint64N(uint64(s.prefix.count))
		shared := dst[:int(s.prefix.share*float64(len(dst))+0.5)]
		n := own.writeStart(shared, which)
		fillUniform(shared[n:], s.size, newRand(seed, prefixStream, which))
		dst = dst[len(shared):]
	}
	n := own.writeStart(dst, index)
	fillUniform(dst[n:], s.size, r)
}

// writeBlocks writes the prompt of a trace's blocks. Each block depends only on its hash. The last one is truncated.
func (s *symbolWriter) writeBlocks(dst []int32, hashes []uint64) {
	for _, h := range hashes {
		part := dst[:min(s.block, len(dst))]
		n := s.blocks.writeStart(part, h)
		fillUniform(part[n:], s.size, newRand(0, blockStream, h))
		dst = dst[len(part):]
	}
}
