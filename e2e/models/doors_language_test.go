package models

import (
	"errors"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/onnxfile"
	"github.com/plumbline-ml/plumbline/internal/testkit/tinymodel"
)

// vocabulary is a tokenizer in its official form, and the decoder's output with it.
type vocabulary struct {
	write func(dir string) error
	says  func() (words int64, a tinymodel.Answer)
}

// languageDoors are the doors of text generation. They have the official file names, in all supported forms.
func languageDoors() []door {
	llama3 := vocabulary{officialdata.Llama3Tokenizer, officialdata.Llama3Answer}
	llama2 := vocabulary{officialdata.Llama2Tokenizer, officialdata.Llama2Answer}
	gptj := vocabulary{officialdata.GPTJTokenizer, officialdata.GPTJAnswer}
	slow := languageDoor("gptj", gptj, []string{"rouge1", "rougeL"}, officialdata.GPTJNews(), "cnn_eval.json")
	slow.queries = 4 // each with four beams and at least 30 tokens
	mixture := languageDoor("mixtral-8x7b", llama2, []string{"rouge1", "rougeL"}, officialdata.Mixture(),
		"09292024_mixtral_15k_mintoken2_v1.jsonl")
	mixture.also = []form{
		{"--model models/mixtral-8x7b/model.onnx --param tokenizer=models/mixtral-8x7b --dataset table.json",
			mixture.scores["out/mixtral-8x7b-smoke"]},
	}
	const orca, contexts = "open_orca_gpt4_tokenized_llama.sampled_24576",
		"mlperf_llama3.1_405b_dataset_8313_processed_fp16_eval"
	rouge := []string{"rouge1", "rougeL"}
	return []door{
		languageDoor("llama3.1-8b", llama3, rouge, officialdata.News(), "cnn_eval.json"),
		languageDoor("llama3.1-8b-interactive", llama3, rouge, officialdata.News(), "cnn_eval.parquet"),
		languageDoor("llama3.1-8b-edge", llama3, rouge, officialdata.News(), "sample_cnn_eval_5000.jsonl"),
		languageDoor("llama2-70b", llama2, rouge, officialdata.Orca(), orca+".jsonl"),
		languageDoor("llama2-70b-interactive", llama2, rouge, officialdata.Orca(), orca+".parquet"),
		languageDoor("llama3.1-405b", llama3, rouge[1:], officialdata.Contexts(), contexts+".jsonl"),
		languageDoor("llama3.1-405b-interactive", llama3, rouge[1:], officialdata.Contexts(), contexts+".parquet"),
		mixture,
		slow,
	}
}

// languageDoor is the door of a model whose data set is one file, given by its own path or by that of the folder data/
// around it.
func languageDoor(model string, v vocabulary, metrics []string, records []officialdata.LanguageRecord,
	file string) door {
	words, answer := v.says()
	scores := map[string]float64{}
	for _, name := range metrics {
		scores[name] = officialdata.LanguageROUGE
	}
	return door{
		model: model, layouts: []string{languageLayouts()[file[:3]]},
		files:  map[string]*onnxfile.Graph{filepath.Join("models", model, "model.onnx"): tinymodel.Decoder(words, answer)},
		scores: map[string]map[string]float64{filepath.Join("out", model+"-smoke"): scores},
		data: func(dir string) error {
			return errors.Join(
				v.write(filepath.Join(dir, "models", model)),
				officialdata.WriteLanguage(filepath.Join(dir, "data", file), records),
				officialdata.WriteLanguage(filepath.Join(dir, "table.json"), records))
		},
	}
}

// languageLayouts are the sentences of describe, by the beginning of the official file's name. The models that share a
// data set try its forms between them.
func languageLayouts() map[string]string {
	const pickled = "the official pickle turned into .jsonl by datasets/convert/convert.py, or .json or .parquet with " +
		"its columns "
	const named = ": the file, or a folder with a file of the official name"
	const records = ", or the same records as .jsonl or .parquet: the file, or a folder with a file of that name"
	return map[string]string{
		"cnn": "cnn_eval.json of GPT-J (instruction, input, output) or of Llama 3.1 8B (input, tok_input, output)" +
			records,
		"sam": "sample_cnn_eval_5000.json (input, tok_input, output)" + records,
		"ope": pickled + "(tok_input, output)" + named,
		"mlp": pickled + "(tok_input, gt_output, metric)" + named,
		"092": pickled + "(dataset, id, input, tok_input, gt_output)" + named,
	}
}
