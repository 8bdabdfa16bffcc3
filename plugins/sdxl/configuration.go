package sdxl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/plumbline-ml/plumbline/internal/bounded"

	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/euler"
	"github.com/plumbline-ml/plumbline/preprocess/text/clip"
	"github.com/plumbline-ml/plumbline/sdk"
)

// modelConfig contains the configuration files of a model.
type modelConfig struct {
	tokenizers    [2]*clip.Tokenizer
	schedule      *euler.Schedule
	scalingFactor float32
}

// readConfiguration reads the folder of an optimum export, or the embedded files. The error lists every fault.
func readConfiguration(dir string, steps int) (*modelConfig, error) {
	if dir == embeddedFile {
		return embeddedConfiguration(steps)
	}
	files := bounded.DirFS(dir, maxConfigBytes)
	var c modelConfig
	var faults []error
	for i, name := range []string{"tokenizer", "tokenizer_2"} {
		var err error
		c.tokenizers[i], err = readTokenizer(files, name)
		faults = append(faults, err)
	}
	faults = append(faults, c.readScheduler(files, "scheduler/scheduler_config.json", steps),
		c.readScalingFactor(files, "vae_decoder/config.json"))
	if err := errors.Join(faults...); err != nil {
		return nil, sdk.Data(fmt.Errorf("%s, which should be the folder that optimum exports (parameter config names "+
			"another): %w", dir, err))
	}
	return &c, nil
}

// maxConfigBytes limits the size of a configuration file in bytes; vocabularies have a megabyte.
const maxConfigBytes = 256 << 20

// readTokenizer reads a tokenizer for generating from its folder.
func readTokenizer(files fs.FS, folder string) (*clip.Tokenizer, error) {
	config, err := fs.ReadFile(files, folder+"/tokenizer_config.json")
	if err != nil {
		return nil, err
	}
	o, err := clip.ParseConfig(config)
	if err != nil {
		return nil, fmt.Errorf("%s/tokenizer_config.json: %w", folder, err)
	}
	return readVocabulary(files, folder+"/", o)
}

// readVocabulary reads a tokenizer from vocab.json and merges.txt.
func readVocabulary(files fs.FS, prefix string, o clip.TokenizerOptions) (*clip.Tokenizer, error) {
	vocab, err := fs.ReadFile(files, prefix+"vocab.json")
	merges, err2 := fs.ReadFile(files, prefix+"merges.txt")
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	t, err := clip.Parse(vocab, merges, o)
	if err != nil {
		return nil, fmt.Errorf("%svocab.json, %[1]smerges.txt: %w", prefix, err)
	}
	return t, nil
}

func (c *modelConfig) readScheduler(files fs.FS, name string, steps int) error {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	config, err := euler.ParseConfig(data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	c.schedule, err = config.NewSchedule(steps)
	return err
}

// defaultScalingFactor is the scaling factor if vae_decoder/config.json contains none.
const defaultScalingFactor = 0.18215

// readScalingFactor reads the scaling factor. If it is missing, diffusers' default applies.
func (c *modelConfig) readScalingFactor(files fs.FS, name string) error {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	vae := struct {
		Factor float64 `json:"scaling_factor"`
	}{defaultScalingFactor}
	if err := json.Unmarshal(data, &vae); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if c.scalingFactor = float32(vae.Factor); !(c.scalingFactor > 0) || math.IsInf(float64(c.scalingFactor), 0) {
		return fmt.Errorf("%s: scaling_factor is %v, want a number above 0", name, vae.Factor)
	}
	return nil
}
