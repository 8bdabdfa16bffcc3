package librispeech

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// maxBytes limits the size of a manifest or a file of transcripts; RNN-T's manifest has 1.5 MB.
const maxBytes = 1 << 30

// manifestEntry contains the required fields of a clip in a manifest.
type manifestEntry struct {
	Files      []audioFile `json:"files"`
	Duration   *float64    `json:"original_duration"`
	Samples    int         `json:"original_num_samples"`
	Transcript *string     `json:"transcript"`
	TextPath   string      `json:"text_filepath"` // a file with the transcript, if Transcript is missing
}

type audioFile struct {
	Name  string  `json:"fname"`
	Speed float64 `json:"speed"`
}

// readManifest reads a list of clips. ClipIndices each clip it uses the first file with normal speed.
func readManifest(path string, faults *fault.FaultList) ([]AudioClip, error) {
	text, err := bounded.ReadFile(path, maxBytes)
	if err != nil {
		return nil, err
	}
	var records []json.RawMessage
	if err := json.Unmarshal(text, &records); err != nil {
		return nil, fmt.Errorf("%s is no list of clips in JSON: %w", path, err)
	}
	clips := make([]AudioClip, 0, len(records))
	first := make(map[string]int, len(records))
	for i, record := range records {
		where := fmt.Sprintf("clip %d", i)
		c, err := readEntry(filepath.Dir(path), record)
		if err != nil {
			faults.Addf(where, "%v", err)
			continue
		}
		if j, twice := first[c.Path]; twice {
			faults.Addf(where, "%q is clip %d, too", c.Path, j)
			continue
		}
		first[c.Path] = i
		clips = append(clips, c)
	}
	return clips, nil
}

func readEntry(dir string, record []byte) (AudioClip, error) {
	var e manifestEntry
	if err := json.Unmarshal(record, &e); err != nil {
		return AudioClip{}, fmt.Errorf("not as a manifest has it: %w", err)
	}
	if e.Duration == nil || !(*e.Duration >= 0) || math.IsInf(*e.Duration, 0) {
		return AudioClip{}, fmt.Errorf("no original_duration in seconds")
	}
	c := AudioClip{Seconds: *e.Duration, Samples: e.Samples}
	for _, f := range e.Files {
		if f.Speed == 1 && f.Name != "" {
			c.Path = f.Name
			break
		}
	}
	if c.Path == "" {
		return AudioClip{}, fmt.Errorf("none of its %d files has an fname and speed 1", len(e.Files))
	}
	var err error
	c.Transcript, err = e.readTranscript(dir)
	return c, err
}

func (e manifestEntry) readTranscript(dir string) (string, error) {
	if e.Transcript != nil {
		return *e.Transcript, nil
	}
	if e.TextPath == "" {
		return "", fmt.Errorf("neither transcript nor text_filepath")
	}
	path := AudioClip{Path: e.TextPath}.FilePath(dir)
	text, err := bounded.ReadFile(path, maxBytes)
	if err != nil {
		return "", fmt.Errorf("its text_filepath: %w", err)
	}
	return string(text), nil
}

// outputEntry is a clip in a written manifest, with fields in the order of its keys.
type outputEntry struct {
	Transcript string        `json:"transcript"`
	Files      []outputFile  `json:"files"`
	Duration   pythonSeconds `json:"original_duration"`
	Samples    int           `json:"original_num_samples"`
}

type outputFile struct {
	Channels   int           `json:"channels"`
	SampleRate pythonSeconds `json:"sample_rate"`
	BitDepth   int           `json:"bitdepth"`
	BitRate    pythonSeconds `json:"bitrate"`
	Duration   pythonSeconds `json:"duration"`
	Samples    int           `json:"num_samples"`
	Encoding   string        `json:"encoding"`
	Silent     bool          `json:"silent"`
	Name       string        `json:"fname"`
	Speed      int           `json:"speed"`
}

// WriteManifest writes a manifest of 16-bit clips that equals the official repackaging's byte for byte.
func WriteManifest(w io.Writer, clips []AudioClip) error {
	list := make([]outputEntry, len(clips))
	for i, c := range clips {
		duration := pythonSeconds(float64(c.Samples) / SampleRate)
		list[i] = outputEntry{Transcript: c.Transcript, Duration: duration, Samples: c.Samples, Files: []outputFile{{
			Channels: 1, SampleRate: SampleRate, BitDepth: 16, BitRate: 16 * SampleRate, Duration: duration, Samples: c.Samples,
			Encoding: "Signed Integer PCM", Name: c.Path, Speed: 1,
		}}}
	}
	text, err := pythonJSON(list)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// SaveManifest writes a manifest to a new file. An existing file is an error.
func SaveManifest(path string, clips []AudioClip) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if err := WriteManifest(f, clips); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}
