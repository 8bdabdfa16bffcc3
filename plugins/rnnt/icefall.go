package rnnt

import (
	"context"
	"errors"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// icefallParts returns the parts of icefall's export, which sherpa-onnx runs: encoder, decoder and joiner.
func icefallParts() []partTensors {
	return []partTensors{
		{encoderPart, []backend.TensorInfo{
			floatsInfo("x", -1, -1, -1), {Name: "x_lens", DType: backend.Int64, Shape: []int64{-1}},
		}, []backend.TensorInfo{
			floatsInfo("encoder_out", -1, -1, -1),
			{Name: "encoder_out_lens", DType: backend.Int64, Also: []backend.DType{backend.Int32}, Shape: []int64{-1}},
		}},
		{predictionPart, []backend.TensorInfo{{Name: "y", DType: backend.Int64, Shape: []int64{-1, -1}}},
			[]backend.TensorInfo{floatsInfo("decoder_out", -1, -1)}},
		{jointPart, []backend.TensorInfo{floatsInfo("encoder_out", -1, -1), floatsInfo("decoder_out", -1, -1)},
			[]backend.TensorInfo{floatsInfo("logit", -1, -1)}},
	}
}

// icefallSizes returns the sizes that the files declare. The blank is symbol 0.
func icefallSizes(s sdk.Sessions) (partSizes, error) {
	encoder, decoder, joiner := s.Part(encoderPart), s.Part(predictionPart), s.Part(jointPart)
	takes, context := joiner.Inputs(), decoder.Inputs()[0].Shape
	f := partSizes{
		bins: int(encoder.Inputs()[0].Shape[2]), encoderWidth: int(takes[0].Shape[1]),
		predictionWidth: int(takes[1].Shape[1]),
		layers:          1, hidden: int(context[1]), symbols: int(joiner.Outputs()[0].Shape[1]),
	}
	var faults partFaults
	faults.addFaultUnless(f.bins > 0, "the encoder takes %s: the number of filters must be fixed in the file",
		backend.ShapeString(encoder.Inputs()[0].Shape))
	faults.addFaultUnless(f.hidden > 0,
		"the decoder takes %s: the number of symbols that it looks back on must be fixed in the file",
		backend.ShapeString(context))
	faults.addFaultUnless(f.encoderWidth > 0 && f.predictionWidth > 0 && f.symbols > 1,
		"the joiner takes %s and %s and gives %s: all widths "+
			"must be fixed in the file", backend.ShapeString(takes[0].Shape), backend.ShapeString(takes[1].Shape),
		backend.ShapeString(joiner.Outputs()[0].Shape))
	faults.checkFrames(encoder.Outputs()[0].Shape[2], takes[0].Shape[1])
	faults.checkPredictions(decoder.Outputs()[0].Shape[1], takes[1].Shape[1])
	return f, errors.Join(faults...)
}

// icefallNetwork predicts from only the last few symbols. The context before the first symbol is the blank, preceded by
// -1, as in training. The unknown symbol has no text, as with sherpa-onnx.
type icefallNetwork struct {
	decoder, joiner backend.Session
	sizes           partSizes

	contexts  []int64   // [hypotheses, context]
	predicted []float32 // [hypotheses, predicted]
	stale     []bool

	rows        []int
	context     []int64
	inputs      [2][]float32
	lastOutputs [1]backend.Tensor // output of the last run
}

func newIcefallNetwork(s sdk.Sessions, f partSizes) symbolScorer {
	return &icefallNetwork{decoder: s.Part(predictionPart), joiner: s.Part(jointPart), sizes: f}
}

func (n *icefallNetwork) startHypotheses(hypotheses int) {
	n.contexts, n.stale = n.contexts[:0], n.stale[:0]
	for range hypotheses {
		for range n.sizes.hidden - 1 {
			n.contexts = append(n.contexts, -1)
		}
		n.contexts, n.stale = append(n.contexts, int64(n.sizes.blank)), append(n.stale, true)
	}
	n.predicted = growFloats(n.predicted, hypotheses*n.sizes.predictionWidth)
}

func (n *icefallNetwork) addSymbol(hypothesis int, symbol int64) {
	if symbol == n.sizes.unknownSymbol {
		return
	}
	said := n.contexts[hypothesis*n.sizes.hidden:][:n.sizes.hidden]
	copy(said, said[1:])
	said[len(said)-1], n.stale[hypothesis] = symbol, true
}

func (n *icefallNetwork) scoreSymbols(ctx context.Context, hypotheses []int, frames [][]float32) ([]float32, error) {
	if err := n.runDecoder(ctx, hypotheses); err != nil {
		return nil, err
	}
	n.inputs[0], n.inputs[1] = n.inputs[0][:0], n.inputs[1][:0]
	for i, h := range hypotheses {
		n.inputs[0] = append(n.inputs[0], frames[i]...)
		n.inputs[1] = append(n.inputs[1], n.predicted[h*n.sizes.predictionWidth:][:n.sizes.predictionWidth]...)
	}
	rows := int64(len(hypotheses))
	in := []backend.Tensor{floatTensor(n.inputs[0], rows, int64(n.sizes.encoderWidth)),
		floatTensor(n.inputs[1], rows, int64(n.sizes.predictionWidth))}
	n.lastOutputs[0].Release()
	n.lastOutputs[0] = backend.Tensor{}
	if err := n.joiner.Run(ctx, in, n.lastOutputs[:]); err != nil {
		return nil, err
	}
	return readRows(&n.lastOutputs[0], len(hypotheses), n.sizes.symbols)
}

// runDecoder runs the decoder for the hypotheses that have a new symbol.
func (n *icefallNetwork) runDecoder(ctx context.Context, hypotheses []int) error {
	n.rows, n.context = n.rows[:0], n.context[:0]
	for _, h := range hypotheses {
		if n.stale[h] {
			n.rows, n.stale[h] = append(n.rows, h), false
			n.context = append(n.context, n.contexts[h*n.sizes.hidden:][:n.sizes.hidden]...)
		}
	}
	if len(n.rows) == 0 {
		return nil
	}
	in := []backend.Tensor{{
		DType: backend.Int64, Shape: []int64{int64(len(n.rows)), int64(n.sizes.hidden)}, Data: backend.Bytes(n.context),
	}}
	var out [1]backend.Tensor
	if err := n.decoder.Run(ctx, in, out[:]); err != nil {
		return err
	}
	defer out[0].Release()
	values, err := readRows(&out[0], len(n.rows), n.sizes.predictionWidth)
	if err != nil {
		return err
	}
	for i, h := range n.rows {
		copy(n.predicted[h*n.sizes.predictionWidth:], values[i*n.sizes.predictionWidth:][:n.sizes.predictionWidth])
	}
	return nil
}
