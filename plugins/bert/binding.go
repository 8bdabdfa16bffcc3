package bert

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// binding is how features go into a model file and logits come out of it.
type binding struct {
	inputs  []backend.TensorInfo // token ids, mask, segments
	outputs []backend.TensorInfo // start and end logits; or one, with pairs of both
	padded  int                  // every feature is padded to this length; 0: to that of the longest of its batch
}

// bind reads the parameters.
func bind(p *option.Params) binding {
	b := binding{
		inputs:  readTensors(p, "inputs", "token ids, mask and segments", 3),
		outputs: readOutputs(p),
		padded:  option.Parse(p, "sequence", parseSequence),
	}
	for i := range b.outputs {
		b.outputs[i].DType = backend.Float32
	}
	return b
}

// readTensors reads names with commas between them, each with its aliases behind "|". The empty text binds by position.
func readTensors(p *option.Params, param, what string, n int) []backend.TensorInfo {
	tensors := make([]backend.TensorInfo, n)
	names := strings.Split(p.Text(param), ",")
	if p.Text(param) == "" {
		names = make([]string, n)
	}
	if len(names) != n {
		p.Fault(param, fmt.Errorf("want %d names with commas between them, of %s, or nothing to take the model's first",
			n, what))
		return nil
	}
	for i, name := range names {
		aliases := strings.Split(name, "|")
		tensors[i] = backend.TensorInfo{
			Name: aliases[0], Shape: []int64{-1, -1}, Aliases: aliases[1:], Chosen: "--param " + param + "=NAME,...",
		}
	}
	return tensors
}

// readOutputs reads the names of two outputs, or that of one that has both: float32 [N,S,2], pairs of a
// start and an end logit.
func readOutputs(p *option.Params) []backend.TensorInfo {
	if text := p.Text("outputs"); text == "" || strings.Contains(text, ",") {
		return readTensors(p, "outputs", "start and end logits", 2)
	}
	pairs := readTensors(p, "outputs", "pairs of start and end logits", 1)
	pairs[0].Shape = []int64{-1, -1, 2}
	return pairs
}

// free is the value of the parameter sequence for batches that are as long as their longest feature.
const free = "free"

func parseSequence(text string) (int, error) {
	if text == free {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < length {
		return 0, fmt.Errorf("want %s, or a length of at least %d that every feature is padded to", free, length)
	}
	return n, nil
}

// model completes m with the tensors that the binding uses.
func (b binding) model(m backend.Model) backend.Model {
	m.Inputs, m.Outputs = b.inputs, b.outputs
	return m
}
