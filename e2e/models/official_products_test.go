package models

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/synthetic/products"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// productModules replace the imports that the official script of products does not need to score: the catalogue comes
// from files, the table is printed as JSON, and nothing is sent to a server.
var productModules = map[string]string{
	"datasets.py": `import glob, os

import pandas


def load_dataset(*_, split, **__):
    names = [os.path.join(os.environ["PLUMBLINE_CATALOGUE"], s + "-*") for s in split.split("+")]
    files = [f for n in names for f in sorted(glob.glob(n))]
    return pandas.concat([pandas.read_parquet(f) for f in files]).to_dict("records")
`,
	"loguru.py": `class logger:
    def info(text, *values):
        print(values[-1])

    def error(*_):
        pass
`,
	"tabulate.py": `import json


def tabulate(rows, **_):
    return json.dumps([[float(v) for v in r[1:]] for r in rows])
`,
	"openai/__init__.py":            "",
	"openai/types/__init__.py":      "ResponseFormatJSONSchema = dict\n",
	"openai/types/chat/__init__.py": "ChatCompletionMessageParam = dict\n",
	"score.py": `import os, sys, types

os.cpu_count = lambda: 4  # the draws for what cannot be read are those of four processes
from mlperf_inf_mm_q3vl.evaluation import run_evaluation

if __name__ == "__main__":
    run_evaluation(12345, sys.argv[1], types.SimpleNamespace(repo_id="", token=None, split=["train", "test"]))
`,
}

// TestOfficialProducts runs the official script on our logs: that of a run, and one of answers that are hard to read,
// which `harness score` scores in its place.
func TestOfficialProducts(t *testing.T) {
	checkout, python := os.Getenv("PLUMBLINE_MLC"), os.Getenv("PYTHON")
	if checkout == "" || python == "" {
		t.Skip("PLUMBLINE_MLC and PYTHON name no official script and no Python: make test-official OF=products MLC=DIR")
	}
	dir := t.TempDir()
	modules, catalogue := filepath.Join(dir, "modules"), filepath.Join(dir, "catalogue")
	for name, text := range productModules {
		testfile.WriteBelow(t, filepath.Join(modules, filepath.FromSlash(name)), text)
	}
	if err := officialdata.WriteHubProducts(catalogue); err != nil {
		t.Fatal(err)
	}
	if err := officialdata.WriteProductWords(filepath.Join(dir, "words")); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	harness.Run(t, "run", "qwen3-vl-235b-a22b", "--backend", "openai", "--backend-opt", "url="+productServer(t), "--param",
		"prompts="+filepath.Join(dir, "words"), "--param", "form=loadgen", "--dataset", catalogue, "--mode", "accuracy",
		"--scenario", "Offline", "--out", out).WantCode(t, 0)
	folder := filepath.Join(out, "qwen3-vl-235b-a22b", "Offline", "accuracy")
	log := filepath.Join(folder, "mlperf_log_accuracy.json")
	official := func() (line string, figures [2][3]float64) { // of the answers, and of random ones
		work := t.TempDir()
		cmd := harness.Command(t, python, filepath.Join(modules, "score.py"), log)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "PLUMBLINE_CATALOGUE="+filepath.Join(catalogue, "data"), "PYTHONDONTWRITEBYTECODE=1",
			"PYTHONPATH="+strings.Join([]string{modules, filepath.Join(checkout, "multimodal", "qwen3-vl", "src")},
				string(os.PathListSeparator)))
		r := harness.Finish(t, cmd).WantCode(t, 0)
		if err := json.Unmarshal([]byte(r.Stdout), &figures); err != nil {
			t.Fatalf("%v\n%s", err, r.Both())
		}
		lines := strings.Split(testfile.Read(t, filepath.Join(work, "accuracy.txt")), "\n")
		return lines[2], figures // below a title, and above the checksum of this line
	}
	compare := func(of, want string) {
		if got, _, _ := strings.Cut(testfile.Read(t, filepath.Join(folder, "accuracy.txt")), "\n"); got != want {
			t.Errorf("%s: %q, want %q", of, got, want)
		}
	}
	line, figures := official()
	compare("the run", line)
	var doc struct {
		Runs []struct {
			Accuracy struct {
				Metrics []struct {
					Name  string
					Value float64
				}
			}
		}
	}
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	for i, name := range []string{"category_f1", "brand", "second_hand_f1"} {
		want := figures[0][i] * []float64{1, 100, 1}[i]
		if got := doc.Runs[0].Accuracy.Metrics[i]; got.Name != name || got.Value != want {
			t.Errorf("%+v, want %v", got, want)
		}
	}
	if err := os.WriteFile(log, hardProducts(t), 0o666); err != nil {
		t.Fatal(err)
	}
	line, figures = official()
	harness.Run(t, "score", out).WantCode(t, 0).WantOutput(t, fmt.Sprintf("have category_f1 %.4f", figures[1][0]),
		fmt.Sprintf("and second_hand_f1 %.4f", figures[1][2]))
	compare("hard answers", line)
	t.Logf("hard answers: %v", figures)
}

// hardProducts returns a log of answers, about half of which are damaged.
func hardProducts(t *testing.T) []byte {
	rng := rand.New(rand.NewPCG(4, 2))
	pick := func(texts ...string) string { return texts[rng.IntN(len(texts))] }
	var b bytes.Buffer
	for n := range 4000 {
		i := rng.IntN(officialdata.ProductCount)
		p := products.Eval().Product(i)
		category, brand := p.Category, p.Brand
		switch rng.IntN(8) {
		case 0:
			category = pick("", " > ", category+" > ", " > "+category, strings.ReplaceAll(category, " > ", ">"),
				strings.ToLower(category), category+" > More", "\u00a0"+category+"\u2003", "\u200b"+category)
		case 1:
			category, _, _ = strings.Cut(category, " > ")
		}
		fields := []string{
			`"category":` + jsonOf(t, category), `"brand":` + jsonOf(t, pick(brand, brand+"s", "\u0130"+brand, "")),
			`"is_secondhand":` + pick("true", "false", "0", "1", "-0", "1.0", "10e-1", "0.5", `"yes"`, `"OFF"`,
				`" true"`, `"01"`, "null", "NaN", "true", "false", "true", "false", "true", "2"),
		}
		switch rng.IntN(12) {
		case 0:
			fields = append(fields, `"more":1`)
		case 1:
			fields = fields[:2]
		case 2:
			fields = append(fields, fields[0])
		case 3:
			fields = append(fields, `"category":`+pick("null", `"x"`, `"\ud800"`, "[]"))
		}
		rng.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		text := "{" + strings.Join(fields, pick(",", " ,\n", ",")) + "}"
		text = pick(text, text, text, text, text, text, text, text, " "+text+"\r\n", "```json\n"+text+"\n```",
			text+"\x00", "\ufeff"+text, text+",", "["+text+"]", text[:rng.IntN(len(text))])
		text = strings.ToValidUTF8(text, "")
		fmt.Fprintf(&b, "%c\n{\"seq_id\":%d,\"qsl_idx\":%d,\"data\":%q,\"token_count\":1}", "[,"[min(n, 1)], n, i,
			strings.ToUpper(hex.EncodeToString([]byte(text))))
	}
	return append(b.Bytes(), "\n]\n"...)
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
