package unet3d

import (
	"fmt"
	"strconv"

	"github.com/plumbline-ml/plumbline/datasets/kits19"
	"github.com/plumbline-ml/plumbline/preprocess/volume"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// windowBinding is how volumes go into a model file and classes come out of it.
type windowBinding struct {
	tensorNames
	Sliding *volume.Sliding `param:"window"`
	recipe  volume.Recipe
}

// tensorNames are those of the input and the output; empty: the model's first.
type tensorNames struct {
	Input  string `param:"input"`
	Output string `param:"output"`
}

// readWindow reads the parameters of the sliding window.
func readWindow(p *option.Params) (b windowBinding) {
	option.Bind(p, &b, option.ReaderFunc("window", parseWindow))
	if b.Sliding != nil {
		b.recipe = volume.KiTS19(b.Sliding.Window())
	}
	return b
}

// maxWindow bounds the memory of a window: 3 GiB of scores at 512.
const maxWindow = 512

func parseWindow(text string) (*volume.Sliding, error) {
	window, err := strconv.Atoi(text)
	if err != nil || window < 8 || window > maxWindow || window%4 != 0 {
		return nil, fmt.Errorf("want a multiple of 4 from 8 to %d", maxWindow)
	}
	return volume.NewSliding(window)
}

// completeModel completes m with the tensors that the binding uses.
func (b *windowBinding) completeModel(m backend.Model) backend.Model {
	m.Inputs = []backend.TensorInfo{{
		Name: b.Input, DType: backend.Float32, Shape: b.windowShape(-1, 1),
		Chosen: "--param input=NAME (empty: the first) and window=SIDE",
	}}
	m.Outputs = []backend.TensorInfo{{
		Name: b.Output, DType: backend.Float32, Shape: b.windowShape(-1, kits19.Classes),
		Chosen: "--param output=NAME (empty: the first)",
	}}
	return m
}

// windowShape is the shape of a tensor of n windows.
func (b *windowBinding) windowShape(n, channels int64) []int64 {
	w := int64(b.Sliding.Window())
	return []int64{n, channels, w, w, w}
}
