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
		g.AddInput(name, onnxfile.Int64, -1, -1)
	}
	g.AddInput("user", onnxfile.Int64, -1)
	g.AddInput("candidate_ids", onnxfile.Int64, -1, -1)
	g.AddInput("candidate_categories", onnxfile.Int64, -1, -1)
	lengths := g.AddInput("lengths", onnxfile.Int64, -1)
	long := g.AddNode("Unsqueeze", []string{lengths, g.AddInts([]int64{1}, 1)})
	last := g.AddNode("Sub", []string{long, g.AddInts([]int64{1}, 1, 1)})
	category := g.AddNode("GatherElements", []string{"categories", last}, onnxfile.Int("axis", 1))
	same := g.AddNode("Equal", []string{"candidate_categories", category})
	g.AddNamedNode([]string{"predictions"}, "Where", []string{
		same, g.AddFloats([]float32{SameCategory}, 1), g.AddFloats([]float32{OtherCategory}, 1),
	})
	g.AddOutput("predictions", onnxfile.Float, -1, -1)
	return g
}

// DLRMv3Rows returns a model with these tensors for separate tables with rows of two values. A candidate's prediction
// is the first value of its row.
func DLRMv3Rows() *onnxfile.Graph {
	g := &onnxfile.Graph{}
	g.AddInput("item_rows", onnxfile.Float, -1, -1, 2)
	g.AddInput("weights", onnxfile.Int64, -1, -1)
	g.AddInput("categories", onnxfile.Int64, -1, -1)
	g.AddInput("user_rows", onnxfile.Float, -1, 2)
	rows := g.AddInput("candidate_rows", onnxfile.Float, -1, -1, 2)
	g.AddInput("candidate_categories", onnxfile.Int64, -1, -1)
	g.AddInput("lengths", onnxfile.Int64, -1)
	g.AddNamedNode([]string{"predictions"}, "Gather", []string{rows, g.AddInts([]int64{0})}, onnxfile.Int("axis", 2))
	g.AddOutput("predictions", onnxfile.Float, -1, -1)
	return g
}
