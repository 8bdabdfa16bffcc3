// Package translation is a benchmark with a two-part model, an encoder and a decoder, and known answers. Tests run it
// on every kind of backend.
//
// Its data set is a folder with expected.json, in the form of the golden cases translation/beam: ids of sentences, and
// the results of beams of several widths. Its model is a folder with encoder.onnx and decoder.onnx, or one file for
// each part. It contains no embedded model.
package translation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// Benchmark is the benchmark of known translations.
type Benchmark struct{}

// samples is the declared number of samples of the full data set.
const samples = 360

// Describe describes the only model, translation.
func (Benchmark) Describe() sdk.Description {
	return sdk.Description{
		Name: "translation", Version: "1", Summary: "a model of two parts whose answers are known",
		Models: []sdk.ModelInfo{{
			Name: "translation", Summary: "an encoder and a decoder", LoadGenKey: "gnmt", RulesKey: "gnmt",
			Scenarios: loadgen.Scenarios(), Parts: []sdk.PartInfo{{Name: "encoder"}, {Name: "decoder"}},
			Datasets: []sdk.DatasetInfo{{Name: "known", Samples: samples, PerformanceSampleCount: samples}},
			Metrics:  []sdk.MetricInfo{{Name: "exact", Unit: "%", Reference: 100, Target: 100, Share: 1}},
			Params: []sdk.ParamInfo{
				{Name: "copy_state", Default: "no", Help: "yes admits a backend that has states copied at each step"},
			},
		}},
	}
}

// Open reads the sentences of o.Dataset, and finds the model's files.
func (Benchmark) Open(_ context.Context, o sdk.Options) (sdk.Workload, error) {
	if o.Dataset == "" || o.ModelFile == "" && len(o.PartFiles) < 2 {
		return nil, sdk.Usage(errors.New("no data set or no model, want --dataset FOLDER and --model FOLDER"))
	}
	w := &translationWorkload{options: o}
	var err error
	w.sentences, err = readSentences(o.Dataset, o.Count)
	return w, err
}

// OpenScorer scores the share of answers that are exactly the expected ones.
func (Benchmark) OpenScorer(_ context.Context, o sdk.ScoreOptions) (sdk.Scorer, error) {
	all, err := readSentences(o.Dataset, o.Count)
	points := func(i int, answer []byte) (float64, error) {
		if len(answer)%4 != 0 {
			return 0, fmt.Errorf("%d bytes, want a multiple of 4", len(answer))
		}
		if !slices.Equal(backend.View[int32](answer), all[i].want) {
			return 0, nil
		}
		return 1, nil
	}
	return scoring.New(scoring.Each(len(all), points), scoring.Log{Samples: len(all)}, scoreShare), err
}

// sentence is a sample: a source, the parameters of its search, and the expected result.
type sentence struct {
	prompt backend.Prompt
	start  int32
	want   []int32 // up to and including the end token
}

// readSentences reads the sentences of all cases in which each was searched separately.
func readSentences(folder string, count int) ([]sentence, error) {
	var file struct {
		EOS     int32     `json:"eos"`
		SOS     int32     `json:"sos"`
		Sources [][]int32 `json:"source_ids"`
		Cases   []struct {
			Beams     int     `json:"beam_width"`
			Penalty   float64 `json:"length_penalty_weight"`
			Batch     int
			Sentences []struct{ IDs [][]int32 }
		}
	}
	data, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	var all []sentence
	for _, c := range file.Cases {
		for i := range min(len(c.Sentences), len(file.Sources)) {
			if c.Batch != 1 || len(c.Sentences[i].IDs) == 0 {
				continue
			}
			want := c.Sentences[i].IDs[0]
			if end := slices.Index(want, file.EOS); end >= 0 {
				want = want[:end+1]
			}
			all = append(all, sentence{start: file.SOS, want: want, prompt: backend.Prompt{
				Tokens: file.Sources[i], MaxNewTokens: 2 * len(file.Sources[i]), EOS: []int32{file.EOS}, PadToken: file.EOS,
				Beams: c.Beams, LengthPenalty: c.Penalty,
			}})
		}
	}
	if count > 0 && count < len(all) {
		all = all[:count]
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no sentence", folder)
	}
	return all, nil
}

type translationWorkload struct {
	options   sdk.Options
	sentences []sentence
}

func (w *translationWorkload) Len() int     { return len(w.sentences) }
func (w *translationWorkload) Close() error { return nil }
func (w *translationWorkload) Load(_ context.Context, i int) (sdk.Sample, error) {
	return &w.sentences[i], nil
}

// WarmSample returns the first sentence.
func (w *translationWorkload) WarmSample() sdk.Sample { return &w.sentences[0] }

// Parts returns the two models, whose tensors package generate binds.
func (w *translationWorkload) Parts() []sdk.Part {
	return []sdk.Part{w.modelPart("encoder", 1), w.modelPart("decoder", 20)}
}

func (w *translationWorkload) modelPart(name string, runs float64) sdk.Part {
	path := w.options.PartFiles[name]
	if path == "" {
		path = filepath.Join(w.options.ModelFile, name+".onnx")
	}
	return sdk.Part{Name: name, Model: backend.Model{Name: name, Path: path}, RunsPerSample: runs}
}

// Prompt returns the sentence's prompt.
func (w *translationWorkload) Prompt(s sdk.Sample) (backend.Prompt, error) {
	return s.(*sentence).prompt, nil
}

// PlanSession lets prompts run at the same time as steps.
func (w *translationWorkload) PlanSession(_ loadgen.Scenario, c backend.Config) backend.Config {
	c.Concurrency = max(c.Concurrency, 2)
	return c
}

// NewGenerator returns a generator that searches by the rule of the expected answers.
func (w *translationWorkload) NewGenerator(s sdk.Sessions, c backend.Config) (backend.Generator, error) {
	return generate.NewEncoderDecoder(
		generate.EncoderDecoder{Encoder: s.Part("encoder"), Decoder: s.Part("decoder")},
		generate.GeneratorOptions{
			MaxSequences: max(c.MaxBatch, 40), Start: []int32{w.sentences[0].start}, Beams: generate.GNMT,
			CopyState: w.options.Params["copy_state"] == "yes",
		})
}

// AppendTokens appends ids as little-endian int32.
func (w *translationWorkload) AppendTokens(dst []byte, _ sdk.Sample, t backend.Tokens) ([]byte, int, error) {
	return append(dst, backend.Bytes(t.IDs)...), t.N, nil
}

func scoreShare(m scoring.Mean, _ scoring.Counts) (sdk.Score, error) {
	return sdk.Score{
		Metrics:      []sdk.Metric{{Name: "exact", Unit: "%", Value: m.Percent()}},
		OfficialText: fmt.Sprintf("exact=%.3f%%", m.Percent()),
	}, nil
}
