package models

import (
	"errors"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// whisperDoors are the doors of Whisper: optimum's two decoders, the first of them alone, and sherpa-onnx's form.
func whisperDoors() []door {
	answer := officialdata.Whisper()
	scores := map[string]float64{"accuracy": officialdata.WhisperAccuracy, "WER": 100 - officialdata.WhisperAccuracy}
	const folder = "models/whisper"
	return []door{{
		model: "whisper",
		files: map[string]*onnxfile.Graph{
			folder + "/encoder_model.onnx":           tinymodel.WhisperEncoder(),
			folder + "/decoder_model.onnx":           tinymodel.WhisperDecoder(answer),
			folder + "/decoder_with_past_model.onnx": tinymodel.WhisperDecoderWithPast(answer),
			"models/sherpa/large-v3-encoder.onnx":    tinymodel.SherpaEncoder(),
			"models/sherpa/large-v3-decoder.onnx":    tinymodel.SherpaDecoder(answer),
		},
		data: func(dir string) error {
			return errors.Join(
				officialdata.WhisperVocabulary(filepath.Join(dir, folder, "multilingual.tiktoken")),
				officialdata.WhisperVocabulary(filepath.Join(dir, "models/sherpa/large-v3-tokens.txt")),
				officialdata.WhisperClips(filepath.Join(dir, "librispeech")),
				officialdata.WhisperTranscripts(filepath.Join(dir, "transcripts")),
				officialdata.WhisperTranscripts(filepath.Join(dir, "LibriSpeech")))
		},
		scores: map[string]map[string]float64{
			"out/whisper-smoke": scores,
			// one clip contains all words, and two of them are recognized
			"out/whisper-repack-smoke": {"accuracy": 4, "WER": 96},
		},
		also: []form{
			{"--model encoder=models/whisper/encoder_model.onnx --model decoder=models/whisper/decoder_model.onnx " +
				"--param tokenizer=models/whisper --dataset transcripts", scores},
			{"--model models/sherpa --param tokenizer=models/sherpa --dataset librispeech", scores},
		},
		layouts: []string{
			"a folder with dev-all-repack.json and the files that it names (16 kHz, one channel, WAV or FLAC)",
			"or with LibriSpeech's transcripts SPEAKER-CHAPTER.trans.txt and the clips next to them",
			"clips of more than 30 s are skipped",
		},
		queries: 4,
	}}
}
