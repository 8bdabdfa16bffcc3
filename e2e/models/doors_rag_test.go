package models

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// ragDoors are the doors of retrieval: the database, and questions that are answered from it with models at a server.
func ragDoors() []door {
	encoder := func() *onnxfile.Graph { return tinymodel.TextEncoder(officialdata.RetrievalWords, 48) }
	data := func(dir string) error {
		return errors.Join(
			officialdata.WritePages(filepath.Join(dir, "pages")), officialdata.WriteQuestions(filepath.Join(dir, "frames")),
			officialdata.WriteEncoderVocab(filepath.Join(dir, "models", "e5-base-v2")),
			officialdata.WriteEncoderVocab(filepath.Join(dir, "models", "colbertv2.0")),
			officialdata.WriteRetrievalPrompts(filepath.Join(dir, "prompts")),
		)
	}
	files := map[string]*onnxfile.Graph{
		"models/e5-base-v2/model.onnx": encoder(), "models/colbertv2.0/model.onnx": encoder(),
	}
	pages := map[string]float64{"pages": 100}
	return []door{
		{
			model: "e2e-rag-db", files: files, data: data,
			layouts: []string{"a folder of *.html, with url_mapping.json, which maps names without extension to URLs"},
			scores:  map[string]map[string]float64{filepath.Join("out", "e2e-rag-db-smoke"): pages},
		},
		{
			model: "e2e-rag-qna", files: files, data: data, server: retrievalServer,
			layouts: []string{"frames_dataset.tsv, or its folder"},
			scores: map[string]map[string]float64{
				filepath.Join("out", "rag-pages"): pages,
				filepath.Join("out", "e2e-rag-qna-smoke"): {
					"accuracy": officialdata.RetrievalAccuracy, "strict_accuracy": officialdata.RetrievalAccuracy,
					"retrieval_recall": 1,
				},
			},
		},
	}
}

// retrievalServer starts a server that replies to all steps, and returns its address.
func retrievalServer(t *testing.T) string {
	t.Helper()
	rules := filepath.Join(t.TempDir(), "rules.jsonl")
	if err := officialdata.WriteRetrievalRules(rules); err != nil {
		t.Fatal(err)
	}
	return harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-model", "m", "-answers", rules)
}
