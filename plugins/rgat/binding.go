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
	Fanouts []int   `param:"fanouts"`
	Seed    uint64  `param:"sampling_seed"`
	Shared  bool    `param:"sampling" choices:"sample,node"` // papers of a batch share a neighbourhood
	Nodes   int     `param:"nodes" min:"1" max:"1<<22"`      // the most of a run: 17 GB of features of 1024
	Output  string  `param:"output"`
	Payload payload `param:"payload" choices:"int32,int64,uint8"`
}

func bind(p *option.Params) (b binding) {
	option.Bind(p, &b, option.By("fanouts", parseFanouts), option.By("sampling_seed", parseSeed))
	return b
}

// sampling is how a neighbourhood is drawn.
func (b *binding) sampling() sampling.Options {
	return sampling.Options{SeedType: igbh.Paper, Fanouts: b.Fanouts, Seed: b.Seed}
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
