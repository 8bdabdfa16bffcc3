package unet3d

import (
	"fmt"
	"strconv"

	"github.com/plumbline-ml/plumbline/datasets/kits19"
	"github.com/plumbline-ml/plumbline/preprocess/volume"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// binding is how volumes go into a model file and classes come out of it.
type binding struct {
	recipe        volume.Recipe
	sliding       *volume.Sliding
	input, output string // tensor names
}

// bind reads the parameters.
func bind(p *option.Params) binding {
	sliding := option.Parse(p, "window", parseWindow)
	if sliding == nil {
		return binding{}
	}
	return binding{volume.KiTS19(sliding.Window()), sliding, p.Text("input"), p.Text("output")}
}

// mostWindow bounds the memory of a window: 3 GiB of scores at 512.
const mostWindow = 512

func parseWindow(text string) (*volume.Sliding, error) {
	window, err := strconv.Atoi(text)
	if err != nil || window < 8 || window > mostWindow || window%4 != 0 {
		return nil, fmt.Errorf("want a multiple of 4 from 8 to %d", mostWindow)
	}
	return volume.NewSliding(window)
}

// model completes m with the tensors that the binding uses.
func (b *binding) model(m backend.Model) backend.Model {
	m.Inputs = []backend.TensorInfo{{
		Name: b.input, DType: backend.Float32, Shape: b.dims(-1, 1),
		Chosen: "--param input=NAME (empty: the first) and window=SIDE",
	}}
	m.Outputs = []backend.TensorInfo{{
		Name: b.output, DType: backend.Float32, Shape: b.dims(-1, kits19.Classes),
		Chosen: "--param output=NAME (empty: the first)",
	}}
	return m
}

// dims is the shape of a tensor of n windows.
func (b *binding) dims(n, channels int64) []int64 {
	w := int64(b.sliding.Window())
	return []int64{n, channels, w, w, w}
}
