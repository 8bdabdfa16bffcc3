// Package bert is the question-answering benchmark: BERT-Large on SQuAD 1.1, and an embedded network with the same
// interface on generated passages and questions.
//
// In scope: the questions and vocabulary of a run, the model's inputs and outputs, and scoring. Out of scope: the
// choice of a model file (sdk/manifest), tokens and features (preprocess/text), their batches (sdk/sequence), the
// metric (accuracy/squad), the data set's file (datasets/squad), the backend.
package bert

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strconv"
	"strings"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/squad"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

//go:embed manifest.json
var manifestText string

//go:embed model/card.json model/*.onnx model/vocab.txt
var modelFiles embed.FS

// New returns the benchmark.
func New() sdk.Benchmark {
	return manifest.Benchmark(manifestText, modelFiles, manifest.Implementation{
		Open: openWorkload, Score: openScorer, Params: []any{vocabularyFile, tensorBinding{}, accuracy.ScoreOptions{}},
		Export: manifest.DatasetExport(export.QuestionSets()), Samples: drawnFeatures,
	})
}

// openWorkload makes the features of all questions.
func openWorkload(ctx context.Context, r *manifest.Request) (sdk.Workload, error) {
	b, set := bindTensors(r.Params), openQuestions(ctx, r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	if r.Embedded && r.Dataset != "" && r.Params.Text(vocabularyFile.Param) != manifest.Embedded {
		return nil, sdk.Usage(errors.New("the embedded model has a vocabulary of its own: " +
			"give parameter vocab=embedded with another data set, or a model file"))
	}
	return sdk.Batches(newQuestionWorkload(b, r.File(), set.features, r.Batch)), nil
}

// openScorer reads the questions with their accepted answers, and the vocabulary.
func openScorer(ctx context.Context, r *manifest.Request) (sdk.Scorer, error) {
	o := readOptions(r.Params)
	set := openQuestions(ctx, r)
	if err := r.Err(); err != nil {
		return nil, err
	}
	s := answerScorer{set, o, r.Exhibits}
	return scoring.New(accuracy.New(set.examples, o), scoring.Log{Samples: len(set.features)}, s.scoreAnswers), nil
}

// tensorBinding maps features to a model's inputs and its outputs to logits.
type tensorBinding struct {
	Inputs       []backend.TensorInfo `param:"inputs"`   // token ids, mask, segments
	Outputs      []backend.TensorInfo `param:"outputs"`  // start and end logits, or one output with pairs of both
	PaddedLength int                  `param:"sequence"` // length to which features are padded; 0: the longest of a batch
}

func bindTensors(p *option.Params) (b tensorBinding) {
	option.Bind(p, &b,
		option.ReaderFunc("inputs", option.TensorNames("inputs", "token ids, mask and segments", 3)),
		option.ReaderFunc("outputs", parseOutputs), option.ReaderFunc("sequence", parseSequence))
	return b
}

func readOptions(p *option.Params) accuracy.ScoreOptions {
	o := accuracy.ScoreOptions{Length: featureLength}
	option.Bind(p, &o, option.ReaderFunc("dtype", accuracy.DTypes().Parse))
	return o
}

// parseOutputs parses the names of two outputs, or of one output that contains pairs of a start and an end logit,
// float32 [N,S,2].
func parseOutputs(text string) ([]backend.TensorInfo, error) {
	pairs := text != "" && !strings.Contains(text, ",")
	read := option.TensorNames("outputs", "start and end logits", 2)
	if pairs {
		read = option.TensorNames("outputs", "pairs of start and end logits", 1)
	}
	outputs, err := read(text)
	for i := range outputs {
		if outputs[i].DType = backend.Float32; pairs {
			outputs[i].Shape = []int64{-1, -1, 2}
		}
	}
	return outputs, err
}

// longestInBatch is the value of the parameter sequence that pads a batch only to its longest feature.
const longestInBatch = "free"

func parseSequence(text string) (int, error) {
	if text == longestInBatch {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < featureLength {
		return 0, fmt.Errorf("want %s, or a length of at least %d that every feature is padded to", longestInBatch,
			featureLength)
	}
	return n, nil
}
