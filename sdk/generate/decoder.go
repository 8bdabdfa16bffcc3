package generate

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// ErrModel is wrapped by every error about a session that does not contain a decoder with a past.
var ErrModel = errors.New("the model is not a decoder with its past")

// decoderModel describes the model by the session's tensors.
type decoderModel struct {
	session backend.Session

	layers int
	heads  int // number of heads of keys and values
	dim    int // size of one head
	past   backend.DType
	logits backend.DType
	vocab  int // vocabulary size; 0: unknown

	// Indices of the tensors among the session's inputs and outputs, or -1 if the model lacks the tensor. pasts and
	// presents contain the key of layer i at 2i and its value at 2i+1.
	ids, mask, positions, keep int
	starts, ends               int // of an in-place cache
	pasts, presents            []int
	scores                     int
	lastOnly                   bool // the model returns only the logits of each row's last token
}

// inPlace reports whether the cache is a single memory that each run reads and writes. Otherwise it grows from run to
// run.
func (d *decoderModel) inPlace() bool { return d.starts >= 0 || d.ends >= 0 }

// bindDecoder binds the decoder's tensors. Its error lists all faults.
func bindDecoder(s backend.Session) (decoderModel, error) {
	d := decoderModel{session: s, ids: -1, mask: -1, positions: -1, keep: -1, starts: -1, ends: -1, scores: -1}
	p := decoderBinder{decoderModel: &d}
	p.bindInputs(s.Inputs())
	p.bindOutputs(s.Outputs())
	p.checkComplete()
	if len(p.faults) > 0 {
		return d, fmt.Errorf("%w: %s; want input_ids, past_key_values.N.key and .value -> logits, present.N.key and .value; "+
			"and attention_mask, position_ids, or, of a cache in place, write_indices, nonpad_kv_seqlen", ErrModel,
			strings.Join(p.faults, "; "))
	}
	return d, nil
}

// tokenBytes returns the size of one token of one sequence in the cache.
func (d *decoderModel) tokenBytes() int {
	return 2 * d.layers * d.heads * d.dim * d.past.Size()
}

// decoderBinder builds a decoder from tensor names.
type decoderBinder struct {
	*decoderModel
	faults []string
}

func (p *decoderBinder) addFault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

func (p *decoderBinder) bindInputs(infos []backend.TensorInfo) {
	for i, info := range infos {
		switch info.Name {
		case "input_ids":
			p.ids = p.bindIntegers(i, info, 2)
		case "attention_mask":
			p.mask = p.bindIntegers(i, info, 2)
		case "position_ids":
			p.positions = p.bindIntegers(i, info, 2)
		case "write_indices":
			p.starts = p.bindIntegers(i, info, 1)
		case "nonpad_kv_seqlen":
			p.ends = p.bindIntegers(i, info, 1)
		case "num_logits_to_keep", "logits_to_keep":
			p.keep, p.lastOnly = p.bindIntegers(i, info, 0), true
		default:
			p.bindCached("past_key_values.", i, info, &p.pasts)
		}
	}
}

func (p *decoderBinder) bindOutputs(infos []backend.TensorInfo) {
	for i, info := range infos {
		if info.Name == "logits" {
			p.scores = i
			p.checkLogits(info)
			continue
		}
		p.bindCached("present.", i, info, &p.presents)
	}
}

// bindIntegers checks an input of ids, masks or lengths with rank free dimensions, and returns its index.
func (p *decoderBinder) bindIntegers(i int, info backend.TensorInfo, rank int) int {
	fixed := slices.ContainsFunc(info.Shape, func(d int64) bool { return d >= 0 })
	if info.DType != backend.Int64 || len(info.Shape) != rank || fixed {
		p.addFault("input %v, want int64%s", info, [...]string{"[]", "[N]", "[N,N]"}[rank])
	}
	return i
}

func (p *decoderBinder) checkLogits(info backend.TensorInfo) {
	p.logits = info.DType
	if info.DType != backend.Float32 || len(info.Shape) != 3 {
		p.addFault("output %v, want float32 of rank 3", info)
		return
	}
	p.vocab = max(int(info.Shape[2]), 0)
	p.lastOnly = p.lastOnly || info.Shape[1] == 1
}

// bindCached stores the index of a key or value by its name, "PREFIX" + layer + ".key" or ".value".
func (p *decoderBinder) bindCached(prefix string, i int, info backend.TensorInfo, places *[]int) {
	slot, ok := slotIndex(strings.TrimPrefix(info.Name, prefix))
	if !ok || !strings.HasPrefix(info.Name, prefix) {
		p.addFault("tensor %q is unknown", info.Name)
		return
	}
	for len(*places) <= slot {
		*places = append(*places, -1)
	}
	(*places)[slot] = i
	p.checkCached(info)
}

// maxLayers is the limit of layer numbers in a name.
const maxLayers = 1024

func slotIndex(name string) (slot int, ok bool) {
	number, kind, _ := strings.Cut(name, ".")
	layer, err := strconv.Atoi(number)
	if err != nil || layer < 0 || layer >= maxLayers {
		return 0, false
	}
	switch kind {
	case "key":
		return 2 * layer, true
	case "value":
		return 2*layer + 1, true
	}
	return 0, false
}

// checkCached requires the shape [N, heads, N, dim] of a key or value, the same for all.
func (p *decoderBinder) checkCached(info backend.TensorInfo) {
	s := info.Shape
	switch {
	case len(s) != 4 || s[1] <= 0 || s[2] >= 0 || s[3] <= 0:
		p.addFault("tensor %v, want [N,HEADS,N,DIM] with fixed heads and dim, and free lengths", info)
	case info.DType != backend.Float32 && info.DType != backend.Float16 && info.DType != backend.BFloat16:
		p.addFault("tensor %v, want float32, float16 or bfloat16", info)
	case p.heads == 0:
		p.heads, p.dim, p.past = int(s[1]), int(s[3]), info.DType
	case int(s[1]) != p.heads || int(s[3]) != p.dim || info.DType != p.past:
		p.addFault("tensor %v, want %v[N,%d,N,%d] as the others", info, p.past, p.heads, p.dim)
	}
}

// checkComplete adds faults for missing tensors.
func (p *decoderBinder) checkComplete() {
	p.requireTensor("input_ids", p.ids)
	p.requireTensor("logits", p.scores)
	if p.inPlace() {
		p.requireTensor("write_indices", p.starts)
		p.requireTensor("nonpad_kv_seqlen", p.ends)
	} else {
		p.requireTensor("attention_mask", p.mask)
	}
	if p.inPlace() && p.mask >= 0 {
		p.addFault("attention_mask beside write_indices: want one of them")
	}
	p.requireLayers("past_key_values", p.pasts)
	p.requireLayers("present", p.presents)
	if len(p.pasts) != len(p.presents) {
		p.addFault("%d past and %d present tensors", len(p.pasts), len(p.presents))
	}
	if len(p.pasts) == 0 {
		p.addFault("it has no past: export it with its cache")
	}
	p.layers = len(p.pasts) / 2
}

func (p *decoderBinder) requireTensor(name string, place int) {
	if place < 0 {
		p.addFault("%s is missing", name)
	}
}

func (p *decoderBinder) requireLayers(name string, places []int) {
	for slot := range len(places) + len(places)%2 {
		if slot == len(places) || places[slot] < 0 {
			p.addFault("%s.%d.%s is missing", name, slot/2, [2]string{"key", "value"}[slot%2])
		}
	}
}
