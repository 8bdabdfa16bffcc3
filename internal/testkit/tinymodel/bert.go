package tinymodel

import "github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"

// BERT returns a model with the tensors of bert_large_v1_1.onnx (inputs input_ids, input_mask and segment_ids) or of
// bert_large_v1_1_fake_quant.onnx (inputs input_ids, attention_mask and token_type_ids). One word of the vocabulary is
// the beginning and the end of every answer.
func BERT(words, answer int64, inputs ...string) *onnxfile.Graph {
	g := &onnxfile.Graph{}
	for _, name := range inputs {
		g.AddInput(name, onnxfile.Int64, -1, 384)
	}
	weights := onnxfile.Random(2, 0.01, words, 2)
	weights[2*answer], weights[2*answer+1] = 10, 10
	logits := g.AddNode("Gather", []string{g.AddFloats(weights, words, 2), inputs[0]})
	for i, name := range []string{"output_start_logits", "output_end_logits"} {
		g.AddNamedNode([]string{name}, "Gather", []string{logits, g.AddInts([]int64{int64(i)})}, onnxfile.Int("axis", 2))
		g.AddOutput(name, onnxfile.Float, -1, 384)
	}
	return g
}
