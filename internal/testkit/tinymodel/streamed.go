package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

// DLRMv3's predictions for a candidate of the category that the user rated last, and for other candidates.
const (
	SameCategory  = 0.8
	OtherCategory = 0.2
)

// DLRMv3 returns a model with the tensors of an export of DLRM v3.
func DLRMv3() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	for _, name := range []string{"item_ids", "weights", "categories"} {
		g.Input(name, onnxfile.Int64, -1, -1)
	}
	g.Input("user", onnxfile.Int64, -1)
	g.Input("candidate_ids", onnxfile.Int64, -1, -1)
	g.Input("candidate_categories", onnxfile.Int64, -1, -1)
	lengths := g.Input("lengths", onnxfile.Int64, -1)
	long := g.Node("Unsqueeze", []string{lengths, g.Ints([]int64{1}, 1)})
	last := g.Node("Sub", []string{long, g.Ints([]int64{1}, 1, 1)})
	category := g.Node("GatherElements", []string{"categories", last}, onnxfile.Int("axis", 1))
	same := g.Node("Equal", []string{"candidate_categories", category})
	g.Name([]string{"predictions"}, "Where", []string{
		same, g.Floats([]float32{SameCategory}, 1), g.Floats([]float32{OtherCategory}, 1),
	})
	g.Output("predictions", onnxfile.Float, -1, -1)
	return g
}

// DLRMv3Rows returns a model with these tensors for separate tables with rows of two values. A candidate's prediction
// is the first value of its row.
func DLRMv3Rows() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	g.Input("item_rows", onnxfile.Float, -1, -1, 2)
	g.Input("weights", onnxfile.Int64, -1, -1)
	g.Input("categories", onnxfile.Int64, -1, -1)
	g.Input("user_rows", onnxfile.Float, -1, 2)
	rows := g.Input("candidate_rows", onnxfile.Float, -1, -1, 2)
	g.Input("candidate_categories", onnxfile.Int64, -1, -1)
	g.Input("lengths", onnxfile.Int64, -1)
	g.Name([]string{"predictions"}, "Gather", []string{rows, g.Ints([]int64{0})}, onnxfile.Int("axis", 2))
	g.Output("predictions", onnxfile.Float, -1, -1)
	return g
}
