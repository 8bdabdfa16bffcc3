// Package bert is the question-answering benchmark: BERT-Large on SQuAD 1.1, and an embedded network of the same
// interface on passages and questions that the project writes.
//
// In: which questions and vocabulary a run uses, the model's inputs and outputs, and scoring. Out: the choice of a
// model file (sdk/manifest), tokens and features (preprocess/text), the metric (accuracy/squad), the data set's file
// (datasets/squad), the backend.
package bert

import (
	"context"
	"embed"
	"errors"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/export"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx model/vocab.txt
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: open, Score: score, Export: manifest.Export(export.QuestionSets()),
		Samples: drawnFeatures,
	})
}

// open makes the features of all questions.
func open(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
	b, set := bind(r.Params), openQuestions(ctx, r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	if r.Embedded && r.Dataset != "" && r.Params.Text("vocab") != embeddedVocab {
		return nil, sdk.Usage(errors.New("the embedded model has a vocabulary of its own: " +
			"give parameter vocab=embedded with another data set, or a model file"))
	}
	return sdk.Batches(newWorkload(b, r.File(), set, r.Batch)), nil
}

// score reads questions, vocabulary and accepted answers.
func score(ctx context.Context, r *manifest.Request) (sdk.Scorer, error) {
	o, set := readScoring(r.Params), openQuestions(ctx, r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return newScorer(set, o, r.Exhibits), nil
}
