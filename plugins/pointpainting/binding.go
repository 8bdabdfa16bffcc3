package pointpainting

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/onnx"
	"github.com/plumbline-ml/plumbline/preprocess/lidar"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// Names of the model's parts.
const (
	segmentationPart = "segmentation"
	detectorPart     = "detector"
)

// networkBinding maps frames to the networks' inputs and the detector's output to boxes.
type networkBinding struct {
	grid       *lidar.Grid
	MinScore   float32 `param:"score" min:"0" max:"1"`       // boxes with a higher score are used
	MaxOverlap float32 `param:"overlap" min:"0" max:"1"`     // maximum overlap of a box with a better one
	MaxBoxes   int     `param:"boxes" min:"1" max:"1<<20"`   // maximum number of boxes per frame
	LoadInRun  bool    `param:"load" choices:"memory,files"` // read files within the timed run
}

// gridSettings contains the parameters of the grid.
type gridSettings struct {
	Range   []float32 `param:"range"`
	Voxel   []float32 `param:"voxel"`
	Points  int       `param:"points" min:"1" max:"1<<16"`
	Pillars int       `param:"pillars" min:"1" max:"1<<24"`
}

// bindNetworks reads the parameters.
func bindNetworks(p *option.Params) (b networkBinding) {
	var c gridSettings
	option.Bind(p, &b)
	option.Bind(p, &c, option.ReaderFunc("range", parseNumbers(6)), option.ReaderFunc("voxel", parseNumbers(3)))
	if p.Err() != nil {
		return b
	}
	var err error
	space := lidar.Space{Low: [3]float32(c.Range), High: [3]float32(c.Range[3:])}
	b.grid, err = lidar.NewGrid(space, [3]float32(c.Voxel), c.Points, c.Pillars)
	p.AddFault("voxel", err)
	return b
}

// parseNumbers returns a parser of n numbers separated by commas.
func parseNumbers(n int) func(text string) ([]float32, error) {
	return func(text string) ([]float32, error) {
		fields := strings.Split(text, ",")
		values := make([]float32, len(fields))
		for i, field := range fields {
			v, err := strconv.ParseFloat(strings.TrimSpace(field), 32)
			if err != nil || v-v != 0 || len(fields) != n {
				return nil, fmt.Errorf("want %d numbers with commas between them", n)
			}
			values[i] = float32(v)
		}
		return values, nil
	}
}

// Values of a row of the detector's output: x, y, z, width, length, height, angle, a score for each of three classes,
// and direction.
const (
	rowValues = 11
	classes   = 3
)

// completeModels completes the models with the tensors that the binding uses. Tensors are identified by position,
// because exports name them differently.
func (b *networkBinding) completeModels(models map[string]backend.Model) map[string]backend.Model {
	s, d := models[segmentationPart], models[detectorPart]
	s.Inputs = []backend.TensorInfo{{DType: backend.Float32, Shape: []int64{-1, 3, -1, -1}}}
	s.Outputs = []backend.TensorInfo{{DType: backend.Float32, Shape: []int64{-1, lidar.Classes, -1, -1}}}
	d.Inputs = []backend.TensorInfo{
		{DType: backend.Float32, Shape: []int64{-1, int64(b.grid.MaxPoints), lidar.Painted}, Chosen: "--param points=NUMBER"},
		{DType: backend.Int64, Shape: []int64{-1, 4}},
		{DType: backend.Int32, Shape: []int64{-1}},
	}
	d.Outputs = []backend.TensorInfo{{DType: backend.Float32, Shape: []int64{-1, rowValues}}}
	return map[string]backend.Model{segmentationPart: s, detectorPart: d}
}

// checkFiles returns an error if a file's inputs are those of another part. It describes the probable mistake. Files
// that cannot be read are not checked.
func checkFiles(files map[string]backend.Model) error {
	inputs := map[string][]onnx.Value{}
	for _, part := range []string{segmentationPart, detectorPart} {
		m, err := onnx.ReadFile(files[part].Path, files[part].Bytes)
		if err != nil {
			return nil // the backend reports what is wrong with the file
		}
		inputs[part] = m.Inputs
	}
	s, d := inputs[segmentationPart], inputs[detectorPart]
	const wantS, wantD = "the pictures [N,3,H,W]", "pillars, coordinates and counts, of ranks 3, 2 and 1"
	switch {
	case len(s) == 3 && len(d) == 1 && len(d[0].Dims) == 4:
		return fmt.Errorf("the model files are exchanged: %s is the file of the %s, and %s that of the %s",
			files[segmentationPart].Name, detectorPart, files[detectorPart].Name, segmentationPart)
	case len(s) != 1:
		return fmt.Errorf("the %s (%s) has %d inputs, want 1: %s", segmentationPart, files[segmentationPart].Name, len(s),
			wantS)
	case len(d) != 3:
		return fmt.Errorf("the %s (%s) has %d inputs, want 3: %s", detectorPart, files[detectorPart].Name, len(d), wantD)
	}
	return nil
}
