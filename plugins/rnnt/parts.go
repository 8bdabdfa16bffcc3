package rnnt

import (
	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// The parts of the model.
const (
	encoderPart    = "encoder"
	predictionPart = "prediction"
	jointPart      = "joint"
)

// The benchmark's symbols are the labels of its payloads, from 0, and two that are in no payload.
const (
	labels = 28
	blank  = labels // nothing more is said in this frame
	start  = labels // what the prediction network is given before anything is said: row 28 of its embedding, of zeros
	scored = labels + 1
)

// mostSymbols is how often the joint network is asked in one frame: the reference goes on to the next then.
const mostSymbols = 30

// Parts are the three networks, with the tensors of the reference's export. A clip of n frames goes through the encoder
// once, and through the others once for each symbol and each frame, as a rule.
func (w *workload) Parts() []sdk.Part {
	const runs = 100
	return []sdk.Part{
		{Name: encoderPart, Model: w.bound(encoderPart, encoderInputs(), encoderOutputs())},
		{Name: predictionPart, Model: w.bound(predictionPart, predictionInputs(), predictionOutputs()), RunsPerSample: runs},
		{Name: jointPart, Model: w.bound(jointPart, jointInputs(), jointOutputs()), RunsPerSample: runs},
	}
}

// bound is a part's file with its tensors, by name or by position.
func (w *workload) bound(part string, inputs, outputs []backend.TensorInfo) backend.Model {
	m := w.files[part]
	m.Inputs, m.Outputs = inputs, outputs
	for _, tensors := range [][]backend.TensorInfo{inputs, outputs} {
		for i := range tensors {
			tensors[i].Chosen = "--param bind=position for files whose tensors have other names, in this order"
			if w.position {
				tensors[i].Name = ""
			}
		}
	}
	return m
}

func encoderInputs() []backend.TensorInfo {
	return []backend.TensorInfo{
		floats("input", -1, -1, audio.RNNTWidth), // time, batch, width
		{Name: "feature_length", DType: backend.Int64, Shape: []int64{-1}},
	}
}

func encoderOutputs() []backend.TensorInfo {
	return []backend.TensorInfo{
		floats("x_padded", -1, -1, -1), // batch, time, width
		{Name: "x_lens", DType: backend.Int32, Also: []backend.DType{backend.Int64}, Shape: []int64{-1}},
	}
}

func predictionInputs() []backend.TensorInfo {
	return []backend.TensorInfo{
		{Name: "symbol", DType: backend.Int64, Shape: []int64{-1, 1}},
		floats("hidden_in_1", -1, -1, -1), floats("hidden_in_2", -1, -1, -1), // layers, batch, width
	}
}

func predictionOutputs() []backend.TensorInfo {
	return []backend.TensorInfo{
		floats("g", -1, -1, -1), floats("hidden_out_1", -1, -1, -1), floats("hidden_out_2", -1, -1, -1),
	}
}

func jointInputs() []backend.TensorInfo {
	return []backend.TensorInfo{floats("0", -1, 1, -1), floats("1", -1, 1, -1)}
}

func jointOutputs() []backend.TensorInfo {
	return []backend.TensorInfo{floats("result", -1, -1, -1, -1)}
}

func floats(name string, shape ...int64) backend.TensorInfo {
	return backend.TensorInfo{Name: name, DType: backend.Float32, Shape: shape}
}
