package sdxl

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/datasets/coco2014"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/preprocess/text/clip"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// modelPrefix is the folder of the embedded files.
const modelPrefix = "model/"

// embeddedConfiguration returns the configuration of the embedded model: one vocabulary with two kinds of padding.
func embeddedConfiguration(steps int) (*modelConfig, error) {
	var c modelConfig
	var faults []error
	for i, o := range []clip.TokenizerOptions{{}, {Pad: "!"}} {
		var err error
		c.tokenizers[i], err = readVocabulary(modelFiles, modelPrefix, o)
		faults = append(faults, err)
	}
	faults = append(faults, c.readScheduler(modelFiles, modelPrefix+"scheduler_config.json", steps),
		c.readScalingFactor(modelFiles, modelPrefix+"vae_config.json"))
	return &c, errors.Join(faults...)
}

// embeddedStatistics returns the statistics of the generated scenes.
func embeddedStatistics() (*coco2014.FeatureStatistics, error) {
	data, err := modelFiles.ReadFile(modelPrefix + "statistics.npz")
	if err != nil {
		return nil, err
	}
	return coco2014.ParseStatistics(bytes.NewReader(data), int64(len(data)))
}

// findScorerVocabulary returns the file system and the folder with the scorer's vocab.json and merges.txt.
func findScorerVocabulary(folder string, clipFile backend.Model) (files fs.FS, prefix string, err error) {
	switch {
	case folder == embeddedFile || folder == "" && clipFile.Path == "" && clipFile.Bytes != nil:
		return modelFiles, modelPrefix, nil
	case folder == "" && clipFile.Path == "":
		return nil, "", sdk.Usage(errors.New("the scorer's clip has no file"))
	case folder == "":
		folder = filepath.Dir(clipFile.Path)
	}
	return bounded.DirFS(folder, maxConfigBytes), "", nil
}
