package officialdata

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// Whisper returns the answer of tinymodel's decoders in Whisper's vocabulary, " yes no".
func Whisper() tinymodel.Answer { return tinymodel.Answer{First: 0, Second: 1, End: 50257} }

// WhisperVocabulary writes multilingual.tiktoken with as many tokens as the official file.
func WhisperVocabulary(path string) error {
	var text bytes.Buffer
	for id := range 50257 {
		token := fmt.Sprintf(" x%d", id)
		if id < 2 {
			token = []string{" yes", " No!"}[id]
		}
		fmt.Fprintf(&text, "%s %d\n", base64.StdEncoding.EncodeToString([]byte(token)), id)
	}
	return write(path, text.Bytes())
}

// WhisperAccuracy is the official metric of " yes no" on the clips, in percent. Of 50 words in 20 clips, 10 are missing
// and 10 are wrong.
const WhisperAccuracy = 100 * (1 - 20./50)

// transcript returns the transcript of clip i. Every other transcript equals the decoders' answer.
func transcript(i int) string {
	return []string{"yes no", "yes now and"}[i%2]
}

// clipFile returns the path of a clip's file below the data set's folder.
func clipFile(i int) string { return fmt.Sprintf("dev-all-repack/100-%d_%d.wav", 20+i/4, i%4) }

// WhisperClips writes dev-all-repack.json with 20 clips, and with one of more than 30 s that the benchmark omits and
// whose file does not exist.
func WhisperClips(dir string) error {
	var faults []error
	var clips []map[string]any
	for i := range 21 {
		samples := 8000 + 160*i
		if i == 20 {
			samples = 16000*30 + 1
		} else {
			faults = append(faults, write(filepath.Join(dir, filepath.FromSlash(clipFile(i))), wave(samples)))
		}
		seconds := float64(samples) / 16000
		clips = append(clips, map[string]any{
			"files": []any{map[string]any{
				"channels": 1, "sample_rate": 16000.0, "bitdepth": 16, "bitrate": 256000.0, "duration": seconds,
				"num_samples": samples, "encoding": "Signed Integer PCM", "silent": false, "fname": clipFile(i), "speed": 1,
			}},
			"original_duration": seconds, "original_num_samples": samples, "transcript": transcript(i),
		})
	}
	return errors.Join(append(faults, writeJSON(filepath.Join(dir, "dev-all-repack.json"), clips))...)
}

// WhisperTranscripts writes the same 20 clips in LibriSpeech's layout.
func WhisperTranscripts(dir string) error {
	var faults []error
	var lines strings.Builder
	folder := filepath.Join(dir, "dev-clean", "100", "20")
	for i := range 20 {
		id := fmt.Sprintf("100-20-%04d", i)
		faults = append(faults, write(filepath.Join(folder, id+".wav"), wave(8000+160*i)))
		fmt.Fprintf(&lines, "%s %s\n", id, strings.ToUpper(transcript(i)))
	}
	return errors.Join(append(faults, write(filepath.Join(folder, "100-20.trans.txt"), []byte(lines.String())))...)
}

// wave returns a WAV file with a number of 16-bit samples at 16 kHz.
func wave(samples int) []byte {
	var data bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&data, binary.LittleEndian, v) // writing to a Buffer cannot fail
		}
	}
	put([]byte("RIFF"), uint32(36+2*samples), []byte("WAVEfmt "), uint32(16), uint16(1), uint16(1), uint32(16000),
		uint32(32000), uint16(2), uint16(16), []byte("data"), uint32(2*samples))
	for k := range samples {
		put(int16(k * k % 4001))
	}
	return data.Bytes()
}
