package rnnt

import (
	"context"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// referenceNetwork contains the prediction network and the joint network, with the states of several hypotheses, for
// one worker. A prediction for a hypothesis remains valid until the next symbol, over blanks and frames.
type referenceNetwork struct {
	prediction, joint backend.Session
	sizes             partSizes

	states    [2][]float32 // [hypotheses, layers, hidden]
	predicted []float32    // [hypotheses, predicted]
	symbols   []int64      // last symbol of each hypothesis
	stale     []bool       // hypotheses with a symbol that was added after their prediction

	rows         []int // hypotheses in a run
	inputSymbols []int64
	runStates    [4][]float32 // inputs and outputs: [layers, rows, hidden]
	inputs       [2][]float32 // of the joint network
	outputs      [2][]float32 // of the prediction network and of the joint network
	in, out      [3]backend.Tensor
}

func newReferenceNetwork(s sdk.Sessions, f partSizes) symbolScorer {
	return &referenceNetwork{prediction: s.Part(predictionPart), joint: s.Part(jointPart), sizes: f}
}

// startHypotheses resets the network to n hypotheses without symbols.
func (n *referenceNetwork) startHypotheses(hypotheses int) {
	for i := range n.states {
		n.states[i] = growFloats(n.states[i], hypotheses*n.sizes.layers*n.sizes.hidden)
		clear(n.states[i])
	}
	n.predicted = growFloats(n.predicted, hypotheses*n.sizes.predictionWidth)
	n.symbols, n.stale = n.symbols[:0], n.stale[:0]
	for range hypotheses {
		n.symbols, n.stale = append(n.symbols, startSymbol), append(n.stale, true)
	}
}

// addSymbol adds a symbol to a hypothesis.
func (n *referenceNetwork) addSymbol(hypothesis int, symbol int64) {
	n.symbols[hypothesis], n.stale[hypothesis] = symbol, true
}

// scoreSymbols returns the scores of the next symbol of some hypotheses, each in its encoder frame: [rows, scored],
// valid until the next call.
func (n *referenceNetwork) scoreSymbols(ctx context.Context, hypotheses []int, frames [][]float32) ([]float32, error) {
	if err := n.runPrediction(ctx, hypotheses); err != nil {
		return nil, err
	}
	rows, width, predicted := len(hypotheses), n.sizes.encoderWidth, n.sizes.predictionWidth
	n.inputs[0], n.inputs[1] = growFloats(n.inputs[0], rows*width), growFloats(n.inputs[1], rows*predicted)
	for i, h := range hypotheses {
		copy(n.inputs[0][i*width:], frames[i])
		copy(n.inputs[1][i*predicted:], n.predicted[h*predicted:][:predicted])
	}
	n.outputs[1] = growFloats(n.outputs[1], rows*scoredSymbols)
	in := append(n.in[:0], floatTensor(n.inputs[0], int64(rows), 1, int64(width)),
		floatTensor(n.inputs[1], int64(rows), 1, int64(predicted)))
	out := append(n.out[:0], floatTensor(n.outputs[1], int64(rows), 1, 1, scoredSymbols))
	if err := n.joint.Run(ctx, in, out); err != nil {
		return nil, err
	}
	return readRows(&out[0], rows, scoredSymbols)
}

// runPrediction runs the prediction network for the hypotheses that have a new symbol.
func (n *referenceNetwork) runPrediction(ctx context.Context, hypotheses []int) error {
	n.rows, n.inputSymbols = n.rows[:0], n.inputSymbols[:0]
	for _, h := range hypotheses {
		if n.stale[h] {
			n.rows, n.inputSymbols = append(n.rows, h), append(n.inputSymbols, n.symbols[h])
			n.stale[h] = false
		}
	}
	if len(n.rows) == 0 {
		return nil
	}
	in, out := n.writeInputs()
	if err := n.prediction.Run(ctx, in, out); err != nil {
		if slices.Contains(n.inputSymbols, startSymbol) && ctx.Err() == nil {
			return fmt.Errorf("%w: %w", errStart, err)
		}
		return err
	}
	return n.keepOutputs(out)
}

// writeInputs returns the inputs of a run of the prediction network, and memory for its outputs.
func (n *referenceNetwork) writeInputs() (in, out []backend.Tensor) {
	rows := len(n.rows)
	f := n.sizes
	size := rows * f.layers * f.hidden
	for i := range n.runStates {
		n.runStates[i] = growFloats(n.runStates[i], size)
	}
	for i, said := range n.states {
		n.sizes.copyStates(n.runStates[i], said, n.rows, false)
	}
	n.outputs[0] = growFloats(n.outputs[0], rows*f.predictionWidth)
	layers, batch, hidden := int64(f.layers), int64(rows), int64(f.hidden)
	in = append(n.in[:0],
		backend.Tensor{DType: backend.Int64, Shape: []int64{batch, 1}, Data: backend.Bytes(n.inputSymbols)},
		floatTensor(n.runStates[0], layers, batch, hidden), floatTensor(n.runStates[1], layers, batch, hidden))
	out = append(n.out[:0], floatTensor(n.outputs[0], batch, 1, int64(f.predictionWidth)),
		floatTensor(n.runStates[2], layers, batch, hidden), floatTensor(n.runStates[3], layers, batch, hidden))
	return in, out
}

// keepOutputs stores the outputs of the prediction network.
func (n *referenceNetwork) keepOutputs(out []backend.Tensor) error {
	rows, f := len(n.rows), n.sizes
	for i := range n.states {
		states, err := readRows(&out[1+i], rows, f.layers*f.hidden)
		if err != nil {
			return err
		}
		n.sizes.copyStates(states, n.states[i], n.rows, true)
	}
	values, err := readRows(&out[0], rows, f.predictionWidth)
	if err != nil {
		return err
	}
	for i, h := range n.rows {
		copy(n.predicted[h*f.predictionWidth:], values[i*f.predictionWidth:][:f.predictionWidth])
	}
	return nil
}

// copyStates copies the rows' states from memory, [hypotheses, layers, hidden], to run, [layers, rows, hidden], or in
// the opposite direction if back is set.
func (f *partSizes) copyStates(run, memory []float32, rows []int, back bool) {
	for layer := range f.layers {
		for i, h := range rows {
			of := run[(layer*len(rows)+i)*f.hidden:][:f.hidden]
			in := memory[(h*f.layers+layer)*f.hidden:][:f.hidden]
			if back {
				copy(in, of)
			} else {
				copy(of, in)
			}
		}
	}
}

// growFloats returns memory for n values with undefined content.
func growFloats(memory []float32, n int) []float32 { return slices.Grow(memory[:0], n)[:n] }
