package encyclopedia

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Set is a list of worlds.
type Set struct {
	first uint64
	n     int
}

// Sizes of the sets, in worlds.
const (
	TrainCount       = 48
	CalibrationCount = 1
	UnseenCount      = 12
)

// Train returns the worlds for training the embedded models.
func Train() Set { return Set{0x706c756d_00000901, TrainCount} }

// Calibration returns the world for quantising the embedded models.
func Calibration() Set { return Set{0x706c756d_00010901, CalibrationCount} }

// Unseen returns the worlds for measuring the embedded models' cards.
func Unseen() Set { return Set{0x706c756d_00020901, UnseenCount} }

// Evaluation returns a set that contains only the world of the embedded benchmarks.
func Evaluation() Set { return Set{0x706c756d_00030901, 1} }

// Len returns the number of worlds.
func (s Set) Len() int { return s.n }

// World draws world i.
func (s Set) World(i int) *World { return New(s.first + uint64(i)) }

// Eval returns the world of the embedded benchmarks.
func Eval() *World { return Evaluation().World(0) }

// File is a file of the official layout.
type File struct {
	Name    string
	Content []byte
}

// The names of the files next to the pages.
const (
	MappingName   = "url_mapping.json"
	QuestionsName = "frames_dataset.tsv"
)

// Files returns the pages and the files [MappingName] and [QuestionsName].
func (w *World) Files() ([]File, error) {
	var files []File
	urls := map[string]string{}
	for _, p := range w.Pages() {
		files = append(files, File{p.Name, p.HTML})
		urls[strings.TrimSuffix(p.Name, ".html")] = p.URL
	}
	mapping, err := json.MarshalIndent(urls, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(files, File{MappingName, append(mapping, '\n')}, File{QuestionsName, w.table()}), nil
}

// table returns the questions as a tab-separated table. Cells contain no tabs and quotes.
func (w *World) table() []byte {
	var b bytes.Buffer
	b.WriteString("\tPrompt\tAnswer\twikipedia_link_1\twikipedia_link_2\treasoning_types\n")
	for i, q := range w.Questions() {
		fmt.Fprintf(&b, "%d\t%s\t%s\t%s\t%s\tMultiple constraints\n", i, q.Prompt, q.Answer, q.URLs[0], q.URLs[1])
	}
	return b.Bytes()
}
