package rgat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/graph/sampling"
	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// binding is how neighbourhoods are drawn, and how classes come out of a model.
type binding struct {
	sampling sampling.Options
	shared   bool // papers of a batch share a neighbourhood
	nodes    int  // the most of a run
	output   string
	payload  payload
}

// mostNodes bounds the memory of a run: 17 GB of features of 1024.
const mostNodes = 1 << 22

// bind reads the parameters.
func bind(p *option.Params) binding {
	return binding{
		sampling: sampling.Options{
			SeedType: igbh.Paper, Fanouts: option.Parse(p, "fanouts", parseFanouts), Seed: option.Parse(p, "sampling_seed",
				parseSeed),
		},
		shared:  option.Pick(p, "sampling", map[string]bool{"sample": false, "node": true}),
		nodes:   p.Int("nodes", 1, mostNodes),
		output:  p.Text("output"),
		payload: option.Pick(p, "payload", map[string]payload{"int32": asInt32, "int64": asInt64, "uint8": asUint8}),
	}
}

func parseSeed(text string) (uint64, error) {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, errors.New("want a number from 0 to 2^64-1")
	}
	return seed, nil
}

// mostHops and mostFanout bound what a neighbourhood can grow to.
const (
	mostHops   = 8
	mostFanout = 1000
)

func parseFanouts(text string) ([]int, error) {
	var all []int
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < -1 || n == 0 || n > mostFanout {
			return nil, fmt.Errorf("%q: want numbers from 1 to %d, or -1 for all, with commas between", field, mostFanout)
		}
		all = append(all, n)
	}
	if len(all) > mostHops {
		return nil, fmt.Errorf("%d hops, want at most %d", len(all), mostHops)
	}
	return all, nil
}

// payload is how a class is written: little endian.
type payload int

const (
	asInt32 payload = iota
	asInt64
	asUint8
)

// append appends a class.
func (p payload) append(dst []byte, class int64) ([]byte, error) {
	if class < 0 || class > math.MaxInt32 {
		return dst, fmt.Errorf("%w: class %d", errOutput, class)
	}
	switch p {
	case asInt64:
		return binary.LittleEndian.AppendUint64(dst, uint64(class)), nil
	case asUint8:
		return append(dst, byte(class)), nil
	}
	return binary.LittleEndian.AppendUint32(dst, uint32(class)), nil
}
