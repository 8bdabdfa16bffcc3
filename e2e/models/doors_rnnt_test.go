package models

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/speech"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// rnntDoors are the doors of RNN-T.
func rnntDoors() []door {
	const word = "the"
	scores := map[string]float64{"accuracy": heard(word, speechClips)}
	return []door{{
		model: "rnnt",
		data: func(dir string) error {
			return errors.Join(
				export.Speech(context.Background(), filepath.Join(dir, "librispeech"), speech.Eval(), 0, speechClips),
				transcribed(filepath.Join(dir, "LibriSpeech", "dev-clean")))
		},
		layouts: []string{
			"as made by the official scripts: dev-clean-wav.json and the WAV files that it names",
			"or as distributed by LibriSpeech: FOLDER/.../SPEAKER-CHAPTER.trans.txt next to the .flac (or .wav) files",
		},
		files: map[string]*onnxfile.Graph{
			"rnnt/encoder.onnx":    tinymodel.RNNTEncoder(),
			"rnnt/prediction.onnx": tinymodel.RNNTPrediction(tinymodel.RNNTStart),
			"rnnt/joint.onnx":      tinymodel.RNNTJoint(word),
		},
		scores: map[string]map[string]float64{"out/rnnt-smoke": scores, "out/rnnt-flac-smoke": {"accuracy": 50}},
		also:   []form{{"--model rnnt --param bind=position --dataset librispeech", scores}},
	}}
}

// speechClips is the number of clips of the synthetic set that the doors use.
const speechClips = 20

// heard is the accuracy if one word is recognized, once, in each of the first clips.
func heard(word string, clips int) float64 {
	words, right := 0, 0
	for i := range clips {
		said := strings.Fields(speech.Eval().Transcript(i))
		words += len(said)
		if strings.Contains(" "+strings.Join(said, " ")+" ", " "+word+" ") {
			right++
		}
	}
	return 100 * float64(right) / float64(words)
}

// transcribed writes a chapter as LibriSpeech is distributed: two clips of two words, a FLAC file and a WAV file.
func transcribed(dir string) error {
	chapter := filepath.Join(dir, "1272", "128104")
	flac, errRead := os.ReadFile(filepath.Join(built.Root(), "preprocess", "audio", "testdata", "tone.flac"))
	all := speech.Eval()
	wav := filepath.Join(chapter, "clips")
	return errors.Join(errRead, os.MkdirAll(chapter, 0o777),
		export.Speech(context.Background(), wav, all, 0, 1),
		os.Rename(filepath.Join(wav, "dev-clean-wav", "1000", "100000", all.Name(0)+".wav"),
			filepath.Join(chapter, "1272-128104-0001.wav")),
		os.RemoveAll(wav),
		os.WriteFile(filepath.Join(chapter, "1272-128104-0000.flac"), flac, 0o666),
		os.WriteFile(filepath.Join(chapter, "1272-128104.trans.txt"),
			[]byte("1272-128104-0000 THE END\n1272-128104-0001 OH THE\n"), 0o666))
}
