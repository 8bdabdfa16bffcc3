package models

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// bertDoors are the doors of question answering.
func bertDoors() []door {
	words, word := int64(len(officialdata.SQuADVocabulary())), officialdata.SQuADToken(officialdata.SQuADWord)
	const fp32, int8 = "bert_large_v1_1.onnx", "bert_large_v1_1_fake_quant.onnx"
	models := map[string]*onnxfile.Graph{
		fp32: tinymodel.BERT(words, word, "input_ids", "input_mask", "segment_ids"),
		int8: tinymodel.BERT(words, word, "input_ids", "attention_mask", "token_type_ids"),
	}
	f1 := map[string]float64{"F1": officialdata.SQuADF1}
	of := func(model string, outputs ...string) door {
		d := door{
			model: model, layouts: []string{"a folder with dev-v1.1.json and the model's vocab.txt, or the JSON file itself"},
			data:   squadFolders,
			files:  map[string]*onnxfile.Graph{filepath.Join(".cache/plumbline/models", model, fp32): models[fp32]},
			scores: map[string]map[string]float64{},
		}
		for _, out := range outputs {
			d.scores[out] = f1
		}
		return d
	}
	both := of("bert-99", "out/bert-99-smoke", "out/bert-99-int8-smoke")
	both.files[filepath.Join(".cache/plumbline/models/bert-99", int8)] = models[int8]
	return []door{both, of("bert-99.9", "out/bert-99.9-smoke")}
}

// squadFolders writes the data set as harness fetch keeps it, as a user may arrange it, and as the reference's make
// setup leaves it.
func squadFolders(dir string) error {
	reference := filepath.Join(dir, "build/data")
	err := errors.Join(
		officialdata.SQuAD(filepath.Join(dir, ".cache/plumbline/datasets/squad")),
		officialdata.SQuAD(filepath.Join(dir, "squad")),
		officialdata.SQuAD(reference),
		os.Mkdir(filepath.Join(reference, "bert_tf_v1_1_large_fp32_384_v2"), 0o755))
	if err != nil {
		return err
	}
	return os.Rename(filepath.Join(reference, "vocab.txt"),
		filepath.Join(reference, "bert_tf_v1_1_large_fp32_384_v2/vocab.txt"))
}
