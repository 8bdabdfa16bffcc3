package models

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/oiptest"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// backendDoor is the door of resnet50 with backends other than ONNX Runtime in the plugin.
func backendDoor(t *testing.T) door {
	d := classifierDoors()[0]
	d.section, d.whole = "resnet50 through another backend", false
	scores := d.scores["out/resnet50-smoke"]
	d.scores["out/resnet50-process-smoke"], d.scores["out/resnet50-kserve-smoke"] = scores, scores
	d.instead = map[string]string{
		`"python3 examples/python-backend/backend.py"`: filepath.Join(built.Dir(), "plugins", "ortprocess"),
		"localhost:8001": serveColours(t),
	}
	return d
}

// serveColours starts a server that classifies pictures as tinymodel.ResNet50 does, and returns its address.
func serveColours(t *testing.T) string {
	t.Helper()
	return harness.ServeOIP(t, oiptest.ServerOptions{
		Name: "colours", Model: "resnet50", Answer: classify,
		Inputs:  []oiptest.Tensor{{Name: "input_tensor:0", Datatype: "FP32", Shape: []int64{-1, 3, 224, 224}}},
		Outputs: []oiptest.Tensor{{Name: "ArgMax:0", Datatype: "INT64", Shape: []int64{-1}}},
	})
}

// classify finds the channel with the greatest mean of each picture [3,224,224].
func classify(rows int64, inputs [][]byte) ([][]byte, error) {
	const plane = 224 * 224
	var answer []byte
	for picture := range rows {
		best, class := math.Inf(-1), 0
		for channel, c := range []int{tinymodel.Red, tinymodel.Green, tinymodel.Blue} {
			sum := 0.
			for i := 0; i < plane; i += 101 { // the pictures have one colour
				at := 4 * ((int(picture)*3+channel)*plane + i)
				sum += float64(math.Float32frombits(binary.LittleEndian.Uint32(inputs[0][at:])))
			}
			if sum > best {
				best, class = sum, c
			}
		}
		answer = binary.LittleEndian.AppendUint64(answer, uint64(class+1))
	}
	return [][]byte{answer}, nil
}
