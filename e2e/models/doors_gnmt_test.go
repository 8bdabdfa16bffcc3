package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
)

// gnmtDoors are the doors of translation: the official files' names and layouts, and a network of the official layers
// with random weights, whose translations the official code has made.
func gnmtDoors() []door {
	exact := map[string]float64{"BLEU": 100, "sacreBLEU": 100}
	return []door{{
		model: "gnmt", data: writeNewstest, queries: 4, // each with ten beams
		layouts: []string{
			"the reference's folder nmt/data: newstest2014.tok.bpe.32000.en and .de, vocab.bpe.32000.en and .de",
		},
		scores: map[string]map[string]float64{"out/gnmt-smoke": exact},
		also: []form{{
			"--model encoder=models/gnmt/encoder.onnx --model decoder=models/gnmt/decoder.onnx --dataset nmt/data " +
				"--param vocabulary=nmt/data --param sources=newstest2014.tok.bpe.32000.en.large", exact,
		}},
	}, marianDoor()}
}

// official holds the inputs and outputs of the official code.
type official struct {
	Sources [][]int32 `json:"source_ids"`
	Cases   []struct {
		Beams     int     `json:"beam_width"`
		Penalty   float64 `json:"length_penalty_weight"`
		Batch     int
		Sentences []struct{ IDs [][]int32 }
	}
}

// writeNewstest writes the model and the data set.
func writeNewstest(dir string) error {
	from := filepath.Join(built.Root(), "backends", "ort", "testdata", "golden", "translation", "beam")
	data, models := filepath.Join(dir, "nmt", "data"), filepath.Join(dir, "models", "gnmt")
	if err := errors.Join(os.MkdirAll(data, 0o755), os.MkdirAll(models, 0o755)); err != nil {
		return err
	}
	for _, name := range []string{"encoder.onnx", "decoder.onnx"} {
		graph, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(models, name), graph, 0o600); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(filepath.Join(from, "expected.json"))
	if err != nil {
		return err
	}
	return writePairs(data, text)
}

// The sizes of the network's vocabularies.
const (
	sourceTokens = 48
	targetTokens = 53
)

func writePairs(dir string, expected []byte) error {
	var o official
	if err := json.Unmarshal(expected, &o); err != nil {
		return err
	}
	var sources, references []string
	for _, c := range o.Cases {
		if c.Beams != 10 || c.Penalty != 1 || c.Batch != 1 {
			continue
		}
		for i, s := range c.Sentences {
			sources = append(sources, gnmtLine("e", o.Sources[i]))
			references = append(references, gnmtLine("d", wholeWords(s.IDs[0])))
		}
	}
	if len(sources) == 0 {
		return errors.New("the official code translated nothing with 10 beams and a weight of 1")
	}
	write := func(name string, lines []string) error {
		return os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o600)
	}
	const test = "newstest2014.tok.bpe.32000"
	return errors.Join(
		write(test+".en", sources), write(test+".en.large", sources), write(test+".de", references),
		write("vocab.bpe.32000.en", gnmtVocabulary("e", sourceTokens)),
		write("vocab.bpe.32000.de", gnmtVocabulary("d", targetTokens)))
}

// gnmtToken returns the text of a token: one in three continues in the next.
func gnmtToken(language string, id int32) string {
	switch {
	case id < 3:
		return []string{"<unk>", "<s>", "</s>"}[id]
	case id%3 == 0:
		return fmt.Sprintf("%s%d@@", language, id)
	}
	return fmt.Sprintf("%s%d", language, id)
}

func gnmtVocabulary(language string, size int32) []string {
	var tokens []string
	for id := range size {
		tokens = append(tokens, gnmtToken(language, id))
	}
	return tokens
}

func gnmtLine(language string, ids []int32) string {
	var tokens []string
	for _, id := range ids {
		tokens = append(tokens, gnmtToken(language, id))
	}
	return strings.Join(tokens, " ")
}

// wholeWords returns the ids before the end, without the pieces of an incomplete word.
func wholeWords(ids []int32) []int32 {
	if end := slices.Index(ids, 2); end >= 0 {
		ids = ids[:end]
	}
	for len(ids) > 0 && ids[len(ids)-1]%3 == 0 && ids[len(ids)-1] > 0 {
		ids = ids[:len(ids)-1]
	}
	return ids
}
