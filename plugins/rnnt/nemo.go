package rnnt

import (
	"context"
	"errors"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// nemoParts returns the parts of NeMo's export. The prediction network and the joint network are one file,
// "decoder_joint".
func nemoParts() []partTensors {
	return []partTensors{
		{encoderPart, []backend.TensorInfo{
			floatsInfo("audio_signal", -1, -1, -1), {Name: "length", DType: backend.Int64, Shape: []int64{-1}},
		}, []backend.TensorInfo{
			floatsInfo("outputs", -1, -1, -1),
			{Name: "encoded_lengths", DType: backend.Int64, Also: []backend.DType{backend.Int32}, Shape: []int64{-1}},
		}},
		{predictionPart, []backend.TensorInfo{
			floatsInfo("encoder_outputs", -1, -1, -1), {Name: "targets", DType: backend.Int32, Shape: []int64{-1, -1}},
			{Name: "target_length", DType: backend.Int32, Shape: []int64{-1}},
			floatsInfo("input_states_1", -1, -1, -1), floatsInfo("input_states_2", -1, -1, -1),
		}, []backend.TensorInfo{
			floatsInfo("outputs", -1, -1, -1, -1), {Name: "prednet_lengths", DType: backend.Int32, Shape: []int64{-1}},
			floatsInfo("output_states_1", -1, -1, -1), floatsInfo("output_states_2", -1, -1, -1),
		}},
	}
}

// nemoSizes returns the sizes that the files declare. The blank is the last scored symbol, and also the start symbol.
func nemoSizes(s sdk.Sessions) (partSizes, error) {
	encoder, decoder := s.Part(encoderPart), s.Part(predictionPart)
	in, out := decoder.Inputs(), decoder.Outputs()
	f := partSizes{
		bins: int(encoder.Inputs()[0].Shape[1]), encoderWidth: int(in[0].Shape[1]), layers: int(in[3].Shape[0]),
		hidden: int(in[3].Shape[2]), symbols: int(out[0].Shape[3]),
	}
	f.blank = f.symbols - 1
	var faults partFaults
	faults.addFaultUnless(f.bins > 0, "the encoder takes %s: the number of filters must be fixed in the file",
		backend.ShapeString(encoder.Inputs()[0].Shape))
	faults.addFaultUnless(f.encoderWidth > 0, "%q of the decoder is %s: its width must be fixed in the file", in[0].Name,
		backend.ShapeString(in[0].Shape))
	faults.addFaultUnless(f.layers > 0 && f.hidden > 0 && canBeEqual(in[4].Shape[2], in[3].Shape[2]) &&
		canBeEqual(in[4].Shape[0], in[3].Shape[0]),
		"the states of the decoder are %s and %s: layers and width must be fixed in the file, and equal",
		backend.ShapeString(in[3].Shape), backend.ShapeString(in[4].Shape))
	faults.addFaultUnless(f.symbols > 1, "the decoder's scores are %s: their number must be fixed in the file",
		backend.ShapeString(out[0].Shape))
	faults.checkFrames(encoder.Outputs()[0].Shape[1], in[0].Shape[1])
	return f, errors.Join(faults...)
}

// nemoNetwork runs the prediction and joint networks as one. After a blank, it discards the new states.
type nemoNetwork struct {
	decoder backend.Session
	sizes   partSizes

	states     [2][]float32 // [hypotheses, layers, hidden]
	nextStates [2][]float32 // states if a symbol is added
	symbols    []int32

	rows        []int
	frames      []float32
	targets     []int32
	lengths     []int32
	gathered    [2][]float32
	lastOutputs [4]backend.Tensor // outputs of the last run
}

func newNeMoNetwork(s sdk.Sessions, f partSizes) symbolScorer {
	return &nemoNetwork{decoder: s.Part(predictionPart), sizes: f}
}

func (n *nemoNetwork) startHypotheses(hypotheses int) {
	size := hypotheses * n.sizes.layers * n.sizes.hidden
	for i := range n.states {
		n.states[i], n.nextStates[i] = growFloats(n.states[i], size), growFloats(n.nextStates[i], size)
		clear(n.states[i])
	}
	n.symbols = n.symbols[:0]
	for range hypotheses {
		n.symbols = append(n.symbols, int32(n.sizes.blank))
	}
}

func (n *nemoNetwork) addSymbol(hypothesis int, symbol int64) {
	n.symbols[hypothesis] = int32(symbol)
	each := n.sizes.layers * n.sizes.hidden
	for i := range n.states {
		copy(n.states[i][hypothesis*each:][:each], n.nextStates[i][hypothesis*each:])
	}
}

func (n *nemoNetwork) scoreSymbols(ctx context.Context, hypotheses []int, frames [][]float32) ([]float32, error) {
	n.rows = hypotheses
	rows, f := int64(len(hypotheses)), n.sizes
	n.frames, n.targets, n.lengths = n.frames[:0], n.targets[:0], n.lengths[:0]
	for i, h := range hypotheses {
		n.frames = append(n.frames, frames[i]...)
		n.targets, n.lengths = append(n.targets, n.symbols[h]), append(n.lengths, 1)
	}
	for i := range n.gathered {
		n.gathered[i] = growFloats(n.gathered[i], len(hypotheses)*f.layers*f.hidden)
		n.sizes.copyStates(n.gathered[i], n.states[i], n.rows, false)
	}
	layers, hidden := int64(f.layers), int64(f.hidden)
	in := []backend.Tensor{
		floatTensor(n.frames, rows, int64(f.encoderWidth), 1),
		{DType: backend.Int32, Shape: []int64{rows, 1}, Data: backend.Bytes(n.targets)},
		{DType: backend.Int32, Shape: []int64{rows}, Data: backend.Bytes(n.lengths)},
		floatTensor(n.gathered[0], layers, rows, hidden), floatTensor(n.gathered[1], layers, rows, hidden),
	}
	n.releaseOutputs()
	if err := n.decoder.Run(ctx, in, n.lastOutputs[:]); err != nil {
		return nil, err
	}
	return n.keepStates()
}

// keepStates stores the new states and returns the scores.
func (n *nemoNetwork) keepStates() ([]float32, error) {
	for i := range n.nextStates {
		states, err := readRows(&n.lastOutputs[2+i], len(n.rows), n.sizes.layers*n.sizes.hidden)
		if err != nil {
			return nil, err
		}
		n.sizes.copyStates(states, n.nextStates[i], n.rows, true)
	}
	return readRows(&n.lastOutputs[0], len(n.rows), n.sizes.symbols)
}

func (n *nemoNetwork) releaseOutputs() {
	for i := range n.lastOutputs {
		n.lastOutputs[i].Release()
		n.lastOutputs[i] = backend.Tensor{}
	}
}
