// Package oddvalues tests how every scorer that reads numbers treats NaN, infinities, -0 and a second entry of one
// sample. The expected results are those of the official programs, or an error.
package oddvalues

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/auc"
	"github.com/plumbline-ml/plumbline/accuracy/coco"
	"github.com/plumbline-ml/plumbline/accuracy/dice"
	"github.com/plumbline-ml/plumbline/accuracy/entropy"
	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/accuracy/kitti3d"
	"github.com/plumbline-ml/plumbline/accuracy/pictures"
	"github.com/plumbline-ml/plumbline/accuracy/rgat"
	"github.com/plumbline-ml/plumbline/accuracy/squad"
	"github.com/plumbline-ml/plumbline/accuracy/topk"
	"github.com/plumbline-ml/plumbline/preprocess/text/features"
	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
)

// refused means an error that names the value.
const refused = "refused"

// answers contains the results of a scorer for logs of sample 0 in which one number is odd. A log with -0 must have the
// same score as one with 0. Of two entries, with 0 and then 1, the one that "again" names must count.
type answers struct {
	score               func(t *testing.T, entries ...float32) (string, error)
	nan, high, low      string
	zero, again, oneway string // a log with 0, with 0 and then with 1, and with 1 alone
}

// scorers contains a row for each scorer whose payloads contain numbers that may be odd, by its package, with the score
// after a colon if the package has several.
var scorers = map[string]answers{
	// Python's int stops at NaN and infinities, and converts -0 to 0.
	"topk": {score: classes(newTopK), nan: refused, high: refused, low: refused, zero: "good 1", again: "good 1",
		oneway: "good 0"},
	"rgat": {score: classes(newRGAT), nan: refused, high: refused, low: refused, zero: "good 1", again: "good 1",
		oneway: "good 0"},
	"generation": {score: scoreTokens, nan: refused, high: refused, low: refused, zero: "tokens [0]", again: "tokens [0]",
		oneway: "tokens [1]"},
	// The official evaluation sorts NaN scores last. They come from a broken model and are refused.
	"coco": {score: scoreBox, nan: refused, high: refused, low: refused, zero: "AP 1.000", again: "AP 1.000",
		oneway: "AP 1.000"},
	// A NaN score exceeds nothing: its detection matches nothing and is not wrong.
	"kitti3d": {score: scoreSolid, nan: "AP 0.000", high: "AP 9.091", low: "AP 0.000", zero: "AP 9.091",
		again: "AP 9.091", oneway: "AP 9.091"},
	// scikit-learn stops at both.
	"auc": {score: scoreClick, nan: refused, high: refused, low: refused, zero: "AUC 0.0", again: "AUC 0.0",
		oneway: "AUC 1.0"},
	// Probabilities are clamped; NaN makes the entropy NaN, which is counted. Each entry counts.
	"entropy": {score: scoreLike, nan: "NE NaN of 1, NaN 1", high: "NE 0.208 of 1, NaN 0", low: "NE 20.139 of 1, NaN 0",
		zero: "NE 20.139 of 1, NaN 0", again: "NE 10.173 of 2, NaN 0", oneway: "NE 0.208 of 1, NaN 0"},
	"dice": {score: scoreVoxel, nan: refused, high: refused, low: refused, zero: "dice 0.00",
		again: "dice 0.00", oneway: "dice 1.00"},
	// Python's sort has no order for NaN. Masked positions are minus infinity. The last entry counts.
	"squad": {score: scoreSpan, nan: refused, high: "answer Paris", low: "answer The", zero: "answer The",
		again: "answer Paris", oneway: "answer Paris"},
	"pictures: CLIP": {score: scorePicture, nan: refused, high: refused, low: refused, zero: "CLIP 0.0", again: "CLIP 0.0",
		oneway: "CLIP 70.7"},
	// A sum over features does not depend on the sample: a second entry is another picture.
	"pictures: FID": {score: scoreFeatures, nan: refused, high: refused, low: refused, zero: "1 pictures",
		again:  "2 pictures",
		oneway: "1 pictures"},
}

// textual contains the packages whose payloads are texts or integers, or that receive values read by other packages.
var textual = map[string]string{
	"bfcl": "text", "bleu": "text", "longcontext": "tokens read by generation", "mixture": "tokens read by generation",
	"payload": "reads elements for others", "products": "text, whose NaN and Infinity its tests hold",
	"programs": "text", "reasoning": "tokens and text", "replay": "text", "retrieval": "text", "rouge": "text",
	"wer": "text", "internal": "not scorers",
}

func TestOddValues(t *testing.T) {
	nan, high := float32(math.NaN()), float32(math.Inf(1))
	minusZero := float32(math.Copysign(0, -1))
	for name, a := range scorers {
		for _, c := range []struct {
			what    string
			entries []float32
			want    string
		}{
			{"NaN", []float32{nan}, a.nan}, {"-NaN", []float32{-nan}, a.nan}, {"infinity", []float32{high}, a.high},
			{"minus infinity", []float32{-high}, a.low}, {"0", []float32{0}, a.zero}, {"-0", []float32{minusZero}, a.zero},
			{"1", []float32{1}, a.oneway}, {"a second entry", []float32{0, 1}, a.again},
		} {
			t.Run(name+"/"+c.what, func(t *testing.T) {
				got, err := a.score(t, c.entries...)
				if err != nil {
					got = refused
				}
				if got != c.want {
					t.Errorf("%s (%v), want %s", got, err, c.want)
				}
				if err != nil && !strings.Contains(err.Error(), "NaN") && !strings.Contains(err.Error(), "Inf") {
					t.Errorf("the error does not say what was found: %v", err)
				}
			})
		}
	}
}

// TestEveryScorerIsAsked fails if a package of scorers is in neither table, or if a package of a table does not exist.
func TestEveryScorerIsAsked(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for name := range scorers {
		folder, _, _ := strings.Cut(name, ":")
		asked[folder] = true
	}
	there := map[string]bool{}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		there[e.Name()] = true
		if _, text := textual[e.Name()]; asked[e.Name()] == text {
			t.Errorf("accuracy/%s is in both tables or in neither, want one: what does it make of NaN?", e.Name())
		}
	}
	for name := range asked {
		if !there[name] {
			t.Errorf("accuracy/%s is gone", name)
		}
	}
}

func floats(values ...float32) (data []byte) {
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

// classes scores entries that name a class. The correct class is 0.
func classes(make func() (add func([]byte) error, good func() (int, error))) func(*testing.T, ...float32) (string,
	error) {
	return func(_ *testing.T, entries ...float32) (string, error) {
		add, good := make()
		for _, v := range entries {
			if err := add(floats(v)); err != nil {
				return "", err
			}
		}
		n, err := good()
		return fmt.Sprint("good ", n), err
	}
}

func newTopK() (func([]byte) error, func() (int, error)) {
	s := topk.New([]int{0}, topk.PayloadOptions{DType: accuracy.Float32})
	return func(data []byte) error { return s.Add(0, data) }, func() (int, error) {
		r, err := s.Result()
		return r.Good, err
	}
}

func newRGAT() (func([]byte) error, func() (int, error)) {
	format, err := rgat.ParseFormat("float32")
	if err != nil {
		panic(err)
	}
	s := rgat.New([]int{0}, format)
	return func(data []byte) error { return s.Add(0, data) }, func() (int, error) {
		r, err := s.Result()
		return r.Good, err
	}
}

// tokenDecoder records the tokens that it received.
type tokenDecoder struct{}

func (tokenDecoder) Decode(ids []int32) (string, error) { return fmt.Sprint("tokens ", ids), nil }

func scoreTokens(_ *testing.T, entries ...float32) (string, error) {
	a := generation.NewAnswers(1, accuracy.Float32, tokenDecoder{})
	for _, v := range entries {
		if err := a.Add(0, floats(v)); err != nil {
			return "", err
		}
	}
	all, err := a.List()
	if err != nil {
		return "", err
	}
	return all[0].Text, nil
}

func scoreBox(t *testing.T, entries ...float32) (string, error) {
	s, err := coco.New(coco.GroundTruth{
		Images: []coco.Image{{ID: 1, Width: 100, Height: 100}}, Categories: []coco.Category{{ID: 1, Name: "cup"}},
		Annotations: []coco.Annotation{{ID: 1, Image: 1, Category: 1, Box: [4]float64{10, 10, 20, 20}, Area: 400}},
	}, coco.EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range entries {
		if err := s.Add(0, floats(0, .1, .1, .3, .3, v, 1)); err != nil {
			return "", err
		}
	}
	r, err := s.Result()
	return fmt.Sprintf("AP %.3f", r.Stats.AP), err
}

func scoreSolid(_ *testing.T, entries ...float32) (string, error) {
	box := kitti3d.Box{Location: [3]float32{0, 0, 10}, Dimensions: [3]float32{1, 1, 1}}
	s := kitti3d.New([]kitti3d.Frame{{Image: 3, Objects: []kitti3d.TrueObject{{Name: "Car", Box: box}}}})
	for _, v := range entries {
		if err := s.Add(0, floats(1, 1, 1, 0, 0, 10, 0, 0, 0, 9, 9, 2, v, 3)); err != nil {
			return "", err
		}
	}
	r, err := s.Result()
	return fmt.Sprintf("AP %.3f", r.Classes[2]), err
}

func scoreClick(t *testing.T, entries ...float32) (string, error) {
	s, err := auc.New(auc.Truth{}, auc.PayloadOptions{DType: accuracy.Float32})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range entries {
		if err := s.Add(0, floats(v, 1, .5, 0)); err != nil {
			return "", err
		}
	}
	r, err := s.Result()
	return fmt.Sprintf("AUC %.1f", r.AUC), err
}

func scoreLike(_ *testing.T, entries ...float32) (string, error) {
	var s entropy.RequestScorer
	for _, v := range entries {
		if err := s.Add(floats(0, 0, v, .25, 1, 0, 1, 1, 2)); err != nil {
			return "", err
		}
	}
	r := s.Result()
	return fmt.Sprintf("NE %.3f of %d, NaN %d", r.Entropy, r.Requests, r.Odd.NaN), nil
}

func scoreVoxel(t *testing.T, entries ...float32) (string, error) {
	s, err := dice.New([]dice.Case{{
		Name: "one", Shape: [3]int{1, 1, 1}, Labels: func() ([]uint8, error) { return []uint8{1}, nil },
	}}, dice.PayloadOptions{DType: accuracy.Float32})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range entries {
		if err := s.Add(0, floats(v)); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("dice %.2f", s.ScoreOf(0).Kidney), nil
}

// scoreSpan scores "The" at position 3, with logits of 0.5, and "Paris" at 4, with the entry's logits.
func scoreSpan(t *testing.T, entries ...float32) (string, error) {
	tokenizer, err := wordpiece.New([]byte("[PAD]\n[UNK]\n[CLS]\n[SEP]\nparis\nthe\nwho\n"))
	if err != nil {
		t.Fatal(err)
	}
	builder, err := features.NewBuilder(tokenizer, features.LengthOptions{})
	if err != nil {
		t.Fatal(err)
	}
	passage := features.NewPassage(tokenizer, "The Paris")
	s := squad.New([]squad.Example{{ID: "0", Features: builder.Build(passage, "Who")}}, squad.ScoreOptions{})
	for _, v := range entries {
		if err := s.Add(0, floats(0, 0, 0, 0, 0, 0, .5, .5, v, v)); err != nil {
			return "", err
		}
	}
	r, err := s.Result()
	return "answer " + r.Predictions["0"], err
}

func scorePicture(_ *testing.T, entries ...float32) (string, error) {
	s := pictures.NewCaptionScorer(1)
	for _, v := range entries {
		if wants, err := s.NeedsScore(0); !wants || err != nil {
			continue
		}
		if err := s.Add(0, []float32{v, 1}, []float32{1, 0}); err != nil {
			return "", err
		}
	}
	r, err := s.Result()
	return fmt.Sprintf("CLIP %.1f", r.Score), err
}

func scoreFeatures(_ *testing.T, entries ...float32) (string, error) {
	var f pictures.FeatureSet
	for _, v := range entries {
		if err := f.Add([]float32{v, 1}); err != nil {
			return "", err
		}
	}
	return fmt.Sprint(f.Len(), " pictures"), nil
}
