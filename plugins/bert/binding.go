package bert

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// binding is how features go into a model file and logits come out of it.
type binding struct {
	inputs  []backend.TensorInfo // token ids, mask, segments
	outputs []backend.TensorInfo // start and end logits; or one, with pairs of both
	padded  int                  // every feature is padded to this length; 0: to that of the longest of its batch
}

// bind reads the parameters and reports every fault of them at once.
func bind(params map[string]string) (binding, error) {
	var b binding
	var faults [3]error
	b.inputs, faults[0] = parseTensors("inputs", params["inputs"], "token ids, mask and segments", 3)
	b.outputs, faults[1] = parseOutputs(params["outputs"])
	b.padded, faults[2] = parseSequence(params["sequence"])
	for i := range b.outputs {
		b.outputs[i].DType = backend.Float32
	}
	return b, sdk.Usage(errors.Join(faults[:]...))
}

// parseTensors reads names with commas between them, each with its aliases behind "|". The empty text binds by position.
func parseTensors(param, text, what string, n int) ([]backend.TensorInfo, error) {
	tensors := make([]backend.TensorInfo, n)
	names := strings.Split(text, ",")
	if text == "" {
		names = make([]string, n)
	}
	if len(names) != n {
		return nil, fmt.Errorf("parameter %s = %q, want %d names with commas between them, of %s, or nothing to take the model's first", param, text, n, what)
	}
	for i, name := range names {
		aliases := strings.Split(name, "|")
		tensors[i] = backend.TensorInfo{Name: aliases[0], Shape: []int64{-1, -1}, Aliases: aliases[1:], Chosen: "--param " + param + "=NAME,..."}
	}
	return tensors, nil
}

// parseOutputs reads the names of two outputs, or that of one that has both: float32 [N,S,2], pairs of a start and an end logit.
func parseOutputs(text string) ([]backend.TensorInfo, error) {
	if text == "" || strings.Contains(text, ",") {
		return parseTensors("outputs", text, "start and end logits", 2)
	}
	pairs, err := parseTensors("outputs", text, "pairs of start and end logits", 1)
	pairs[0].Shape = []int64{-1, -1, 2}
	return pairs, err
}

// free is the value of the parameter sequence for batches that are as long as their longest feature.
const free = "free"

func parseSequence(text string) (int, error) {
	if text == free {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < length {
		return 0, fmt.Errorf("parameter sequence = %q, want %s, or a length of at least %d that every feature is padded to", text, free, length)
	}
	return n, nil
}

// model completes m with the tensors that the binding uses.
func (b binding) model(m backend.Model) backend.Model {
	m.Inputs, m.Outputs = b.inputs, b.outputs
	return m
}
