package unet3d

import (
	"fmt"
	"strconv"

	"github.com/plumbline-ml/plumbline/datasets/kits19"
	"github.com/plumbline-ml/plumbline/preprocess/volume"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// windowBinding maps volumes to a model's input and its output to classes.
type windowBinding struct {
	tensorNames
	Sliding *volume.Sliding `param:"window"`
	recipe  volume.Recipe
}

// tensorNames contains the names of the input and the output. Empty: the model's first ones.
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

// maxWindowSide limits the side of a window, because scores need 3 GiB at 512.
const maxWindowSide = 512

func parseWindow(text string) (*volume.Sliding, error) {
	window, err := strconv.Atoi(text)
	if err != nil || window < 8 || window > maxWindowSide || window%4 != 0 {
		return nil, fmt.Errorf("want a multiple of 4 from 8 to %d", maxWindowSide)
	}
	return volume.NewSliding(window)
}

// completeModel returns m with the tensors that the binding uses.
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

// windowShape returns the shape of a tensor of n windows.
func (b *windowBinding) windowShape(n, channels int64) []int64 {
	w := int64(b.Sliding.Window())
	return []int64{n, channels, w, w, w}
}
