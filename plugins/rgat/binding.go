package rgat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/igbh"
	"github.com/plumbline-ml/plumbline/plugins/rgat/internal/sampling"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// samplingBinding is how neighbourhoods are drawn, and how classes come out of a model.
type samplingBinding struct {
	Fanouts []int         `param:"fanouts"`
	Seed    uint64        `param:"sampling_seed"`
	Shared  bool          `param:"sampling" choices:"sample,node"` // papers of a batch share a neighbourhood
	Nodes   int           `param:"nodes" min:"1" max:"1<<22"`      // the most of a run: 17 GB of features of 1024
	Output  string        `param:"output"`
	Payload payloadFormat `param:"payload" choices:"int32,int64,uint8"`
}

func bindSampling(p *option.Params) (b samplingBinding) {
	option.Bind(p, &b, option.ReaderFunc("fanouts", parseFanouts), option.ReaderFunc("sampling_seed", parseSeed))
	return b
}

// samplingOptions says how a neighbourhood is drawn.
func (b *samplingBinding) samplingOptions() sampling.SamplerOptions {
	return sampling.SamplerOptions{SeedType: igbh.Paper, Fanouts: b.Fanouts, Seed: b.Seed}
}

func parseSeed(text string) (uint64, error) {
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, errors.New("want a number from 0 to 2^64-1")
	}
	return seed, nil
}

// maxHops and maxFanout limit what a neighbourhood can grow to.
const (
	maxHops   = 8
	maxFanout = 1000
)

func parseFanouts(text string) ([]int, error) {
	var all []int
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < -1 || n == 0 || n > maxFanout {
			return nil, fmt.Errorf("%q: want numbers from 1 to %d, or -1 for all, with commas between", field, maxFanout)
		}
		all = append(all, n)
	}
	if len(all) > maxHops {
		return nil, fmt.Errorf("%d hops, want at most %d", len(all), maxHops)
	}
	return all, nil
}

// payloadFormat is how a class is written: little endian.
type payloadFormat int

const (
	asInt32 payloadFormat = iota
	asInt64
	asUint8
)

// appendClass appends a class.
func (p payloadFormat) appendClass(dst []byte, class int64) ([]byte, error) {
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
