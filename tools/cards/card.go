package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// modelCard is a card.json whose fields keep their order.
type modelCard struct {
	names  []string
	values map[string]json.RawMessage
	files  []modelFile // content of the field "files"
}

// modelFile is one embedded ONNX file.
type modelFile struct {
	Name      string       `json:"name"`
	Part      string       `json:"part,omitempty"` // part of a model with several
	Precision string       `json:"precision"`
	Size      int          `json:"size"`
	SHA256    string       `json:"sha256"`
	Metrics   []cardMetric `json:"metrics"`
	// Models contains metrics of single models, by model.
	Models map[string][]cardMetric `json:"models,omitempty"`
	// Audits contains the results of compliance tests by model. Each is named after its test.
	Audits map[string][]cardMetric `json:"audits,omitempty"`
}

type cardMetric struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
}

func parseCard(text []byte) (*modelCard, error) {
	c := &modelCard{values: map[string]json.RawMessage{}}
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("starts with %v, want an object: %w", open, err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		c.names = append(c.names, name.(string))
		c.values[name.(string)] = value
	}
	if err := json.Unmarshal(c.values["files"], &c.files); err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	return c, nil
}

// groupFiles returns the files by precision, with the files of all parts in each group.
func (c *modelCard) groupFiles() [][]*modelFile {
	var models [][]*modelFile
	for i := range c.files {
		f := &c.files[i]
		at := slices.IndexFunc(models, func(parts []*modelFile) bool { return parts[0].Precision == f.Precision })
		if at < 0 {
			models = append(models, []*modelFile{f})
			continue
		}
		models[at] = append(models[at], f)
	}
	return models
}

// format returns the card with its current files, in the layout of Python's json.dumps with an indent of 2.
func (c *modelCard) format() ([]byte, error) {
	var err error
	if c.values["files"], err = json.Marshal(c.files); err != nil {
		return nil, err
	}
	fields := make([]string, len(c.names))
	for i, name := range c.names {
		fields[i] = fmt.Sprintf("%q:%s", name, c.values[name])
	}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte("{"+strings.Join(fields, ",")+"}"), "", "  "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// identify sets the size and checksum from the file itself.
func (f *modelFile) identify(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, f.Name))
	if err != nil {
		return err
	}
	f.Size, f.SHA256 = len(data), fmt.Sprintf("%x", sha256.Sum256(data))
	return nil
}

// modelFigures contains measured figures by model and metric.
type modelFigures map[string]map[string]float64

// merged returns the metrics of all models together.
func (f modelFigures) merged() map[string]float64 {
	all := map[string]float64{}
	for _, model := range slices.Sorted(maps.Keys(f)) {
		maps.Copy(all, f[model])
	}
	return all
}

// update replaces the measured metrics. The error names metrics that were not measured.
func (f *modelFile) update(measured modelFigures) error {
	missing := replaceValues(f.Metrics, measured.merged())
	for _, of := range []map[string][]cardMetric{f.Models, f.Audits} {
		for _, model := range slices.Sorted(maps.Keys(of)) {
			for _, name := range replaceValues(of[model], measured[model]) {
				missing = append(missing, name+" of "+model)
			}
		}
	}
	if len(missing) > 0 {
		return errors.New("no model of the plugin measures " + strings.Join(missing, ", "))
	}
	return nil
}

// replaceValues sets the values of metrics and returns the names of metrics without a value.
func replaceValues(metrics []cardMetric, values map[string]float64) (missing []string) {
	for i := range metrics {
		value, ok := values[metrics[i].Name]
		if !ok {
			missing = append(missing, metrics[i].Name)
			continue
		}
		metrics[i].Value = value
	}
	return missing
}
