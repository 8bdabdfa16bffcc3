package rnnt

import (
	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Names of the model's parts.
const (
	encoderPart    = "encoder"
	predictionPart = "prediction"
	jointPart      = "joint"
)

// Symbols of the benchmark: the labels of its payloads, from 0, and two symbols that do not occur in payloads.
const (
	labelCount    = 28
	blankSymbol   = labelCount // no further symbol in this frame
	startSymbol   = labelCount // first input of the prediction network; row 28 of its embedding contains zeros
	scoredSymbols = labelCount + 1
)

// Parts returns the form's networks. A clip normally goes through the encoder once, and through the others once for
// each symbol and each frame.
func (w *speechWorkload) Parts() []sdk.Part {
	const runs = 100
	var parts []sdk.Part
	for i, p := range w.Form.parts() {
		part := sdk.Part{Name: p.name, Model: w.boundModel(p)}
		if i > 0 {
			part.RunsPerSample = runs
		}
		parts = append(parts, part)
	}
	return parts
}

// boundModel returns a part's file with its tensors, bound by name or by position.
func (w *speechWorkload) boundModel(p partTensors) backend.Model {
	m := w.files[p.name]
	m.Inputs, m.Outputs = p.inputs, p.outputs
	for _, tensors := range [][]backend.TensorInfo{p.inputs, p.outputs} {
		for i := range tensors {
			tensors[i].Chosen = "--param bind=position for files whose tensors have other names, in this order"
			if w.BindByPosition {
				tensors[i].Name = ""
			}
		}
	}
	return m
}

// partTensors contains the tensors of a part.
type partTensors struct {
	name            string
	inputs, outputs []backend.TensorInfo
}

// referenceParts returns the parts of the reference's export.
func referenceParts() []partTensors {
	return []partTensors{
		{encoderPart, []backend.TensorInfo{
			floatsInfo("input", -1, -1, audio.RNNTWidth), // time, batch, width
			{Name: "feature_length", DType: backend.Int64, Shape: []int64{-1}},
		}, []backend.TensorInfo{
			floatsInfo("x_padded", -1, -1, -1), // batch, time, width
			{Name: "x_lens", DType: backend.Int32, Also: []backend.DType{backend.Int64}, Shape: []int64{-1}},
		}},
		{predictionPart, []backend.TensorInfo{
			{Name: "symbol", DType: backend.Int64, Shape: []int64{-1, 1}},
			floatsInfo("hidden_in_1", -1, -1, -1), floatsInfo("hidden_in_2", -1, -1, -1), // layers, batch, width
		}, []backend.TensorInfo{
			floatsInfo("g", -1, -1, -1), floatsInfo("hidden_out_1", -1, -1, -1), floatsInfo("hidden_out_2", -1, -1, -1),
		}},
		{jointPart, []backend.TensorInfo{floatsInfo("0", -1, 1, -1), floatsInfo("1", -1, 1, -1)},
			[]backend.TensorInfo{floatsInfo("result", -1, -1, -1, -1)}},
	}
}

func floatsInfo(name string, shape ...int64) backend.TensorInfo {
	return backend.TensorInfo{Name: name, DType: backend.Float32, Shape: shape}
}
