package models

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// The official names of the files of reasoning models.
const (
	deepSeekFile     = "mlperf_deepseek_r1_dataset_4388_fp8_eval"
	ossPerformance   = "perf_eval_ref"
	ossAccuracy      = "acc_eval_inputs"
	ossCompliance    = "acc_eval_compliance_gpqa"
	ossFolder        = "gpt-oss"
	deepSeekFolder   = "deepseek-r1"
	reasoningSamples = 20
)

// reasoningDoors are the doors of reasoning models, with the official file names, in all supported forms.
func reasoningDoors() []door {
	deepSeek := vocabulary{officialdata.DeepSeekTokenizer, officialdata.DeepSeekR1Answer}
	oss := vocabulary{officialdata.HarmonyTokenizer, officialdata.GPTOSS120BAnswer}
	deepSeekLayout := "the official pickle turned into .jsonl by datasets/convert/convert.py, or .json or .parquet with " +
		"its columns (text_input; gt_output, else ground_truth; dataset, else metric): the file, or a folder with a file " +
		"of the official name"
	ossLayouts := []string{
		"perf_eval_ref.parquet, or the same records as .json or .jsonl, with the ids of whole prompts (tok_input, else " +
			"input_tokens): the file, or a folder with a file of that name",
		"the same for accuracy runs, with ground_truth and dataset: acc_eval_inputs.parquet, .json or .jsonl",
	}
	questions := func(form string) func(dir string) error {
		return func(dir string) error {
			return officialdata.WriteLanguage(filepath.Join(dir, deepSeekFolder, deepSeekFile+form), officialdata.Questions())
		}
	}
	harmony := func(form string) func(dir string) error {
		return func(dir string) error {
			return errors.Join(
				officialdata.WriteLanguage(filepath.Join(dir, ossFolder, "perf", ossPerformance+form),
					officialdata.Harmony(2*reasoningSamples)),
				officialdata.WriteLanguage(filepath.Join(dir, ossFolder, "acc", ossAccuracy+form),
					officialdata.Harmony(reasoningSamples)))
		}
	}
	return []door{
		reasoningDoor("deepseek-r1", deepSeek, questions(".jsonl"), deepSeekLayout),
		reasoningDoor("deepseek-r1-interactive", deepSeek, questions(".parquet"), deepSeekLayout),
		reasoningDoor("gpt-oss-120b", oss, harmony(".parquet"), ossLayouts...),
		reasoningDoor("gpt-oss-120b-interactive", oss, harmony(".json"), ossLayouts...),
	}
}

func reasoningDoor(model string, v vocabulary, data func(dir string) error, layouts ...string) door {
	words, answer := v.says()
	return door{
		model: model, layouts: layouts,
		files: map[string]*onnxfile.Graph{filepath.Join("models", model, "model.onnx"): tinymodel.Decoder(words, answer)},
		scores: map[string]map[string]float64{
			filepath.Join("out", model+"-smoke"): {"exact_match": officialdata.ReasoningMatch},
		},
		data: func(dir string) error {
			return errors.Join(v.write(filepath.Join(dir, "models", model)), data(dir))
		},
		// tokens are drawn at temperature 1; with a seed they are the same each time
		instead: map[string]string{"--smoke": "--smoke --param seed=1"},
	}
}

// reasoningFiles writes data sets and tokenizers of both models, with the names in the documents' commands.
func reasoningFiles(dir string) error {
	var faults []error
	for _, d := range reasoningDoors() {
		if !strings.HasSuffix(d.model, "-interactive") { // these have the same data in other forms
			faults = append(faults, d.data(dir))
		}
	}
	return errors.Join(faults...)
}
