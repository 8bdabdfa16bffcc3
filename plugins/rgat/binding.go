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

// samplingBinding determines how neighbourhoods are sampled, and maps a model's output to classes.
type samplingBinding struct {
	Fanouts     []int  `param:"fanouts"`
	Seed        uint64 `param:"sampling_seed"`
	SharedNodes bool   `param:"sampling" choices:"sample,node"` // papers of a batch share a neighbourhood
	// maximum number of nodes per run; at 1<<22, features of width 1024 have 17 GB
	MaxNodes int           `param:"nodes" min:"1" max:"1<<22"`
	Output   string        `param:"output"`
	Payload  payloadFormat `param:"payload" choices:"int32,int64,uint8"`
}

func bindSampling(p *option.Params) (b samplingBinding) {
	option.Bind(p, &b, option.ReaderFunc("fanouts", parseFanouts), option.ReaderFunc("sampling_seed", parseSeed))
	return b
}

// samplingOptions returns the options of the sampler.
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

// Limits of a neighbourhood.
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

// payloadFormat is the type of a class in a payload, in little endian.
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
