package models

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// vlDoors are the doors of vision-language models, at a server: a catalogue of the hub, and one of the endpoints
// harness.
func vlDoors() []door {
	layout := "Parquet files of the hub (train-*.parquet and test-*.parquet, in the folder or its subfolder data), or " +
		"shopify_product_catalogue*.parquet of the endpoints harness: a folder, or a file"
	hub := func(dir string) error { return officialdata.WriteHubProducts(filepath.Join(dir, "catalogue")) }
	harness := func(dir string) error {
		return officialdata.WriteHarnessProducts(filepath.Join(dir, "catalogue-8k",
			"shopify_product_catalogue_8k_train.parquet"))
	}
	return []door{
		vlDoor("qwen3-vl-235b-a22b", hub, layout),
		vlDoor("qwen3-vl-235b-a22b-interactive", harness, "the same, only the split train"),
	}
}

func vlDoor(model string, data func(dir string) error, layout string) door {
	return door{
		model: model, layouts: []string{layout}, server: productServer,
		scores: map[string]map[string]float64{
			filepath.Join("out", model+"-smoke"): {"category_f1": officialdata.ProductF1, "brand": 50},
		},
		data: func(dir string) error {
			return errors.Join(data(dir), officialdata.WriteProductWords(filepath.Join(dir, "words")))
		},
	}
}

// productServer starts a server that answers correctly for half of the products, and returns its address.
func productServer(t *testing.T) string {
	t.Helper()
	rules := filepath.Join(t.TempDir(), "rules.jsonl")
	if err := officialdata.WriteProductRules(rules); err != nil {
		t.Fatal(err)
	}
	return harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-model", "m", "-answers", rules)
}

// TestSecondHandOfPagesOfVersion2 runs the embedded model on a catalogue as pyarrow writes it with pages of version 2:
// the first 20 products are second-hand, the next 12 are not, and the answers agree.
func TestSecondHandOfPagesOfVersion2(t *testing.T) {
	dir := t.TempDir()
	for _, err := range []error{
		os.Mkdir(filepath.Join(dir, "data"), 0o755),
		os.WriteFile(filepath.Join(dir, "data", "train-00000-of-00001.parquet"),
			[]byte(testfile.Read(t, filepath.Join("testdata", "second-hand-v2.parquet"))), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	harness.Run(t, "run", "qwen3-vl-235b-a22b", "--dataset", dir, "--count", "32", "--scenario", "Offline", "--mode",
		"accuracy", "--smoke", "--out", filepath.Join(dir, "out")).WantCode(t, 0).
		WantOutput(t, "32 samples\n", "second_hand_f1 1.0000\n")
}

// TestProductsInBothForms scores both forms of requests and of files. A server that accepts no pictures ends the run
// before it begins, with the server's own message.
func TestProductsInBothForms(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "shopify_product_catalogue_train+test.parquet")
	for _, err := range []error{
		officialdata.WriteHarnessProducts(file), officialdata.WriteProductWords(filepath.Join(dir, "words")),
		officialdata.WriteHubProducts(filepath.Join(dir, "hub")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(url, data, out string, more ...string) harness.Result {
		return harness.Run(t, append([]string{"run", "qwen3-vl-235b-a22b", "--backend", "openai", "--backend-opt",
			"url=" + url,
			"--param", "prompts=" + filepath.Join(dir, "words"), "--dataset", data, "--mode", "accuracy", "--scenario",
			"Offline", "--out", out, "--force"}, more...)...)
	}
	url := productServer(t)
	for name, args := range map[string][]string{
		"endpoints": {file}, "loadgen": {filepath.Join(dir, "hub"), "--param", "form=loadgen"},
	} {
		out := filepath.Join(dir, "out-"+name)
		run(url, args[0], out, args[1:]...).WantCode(t, 0).WantOutput(t, "category_f1", "10 answers are not the JSON object",
			"a model that looks at nothing", "other words than those of the official program")
		text := testfile.Read(t, filepath.Join(out, "qwen3-vl-235b-a22b", "Offline", "accuracy", "accuracy.txt"))
		if want := "{\"f1\": 0.5}"; text[:min(len(text), len(want))] != want {
			t.Errorf("%s: accuracy.txt: %s", name, text)
		}
		harness.Run(t, "score", out).WantCode(t, 0).WantOutput(t, text)
		picture := map[string]string{"endpoints": "official", "loadgen": "original"}[name]
		harness.WantParts(t, testfile.Read(t, filepath.Join(out, "result.json")), `"picture": "`+picture,
			`"requests_mib": "1"`)
	}
	rules := testfile.Write(t, filepath.Join(dir, "refuse.jsonl"), `{"contains":"","status":400}`+"\n")
	refusing := harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-model", "m", "-answers", rules)
	r := run(refusing, file, filepath.Join(dir, "refused"), "--mode", "performance")
	if r.Code == 0 {
		t.Error("a server that refuses is measured")
	}
	harness.WantParts(t, r.Both(), "warm-up", "told to refuse")
}

// TestProducts makes the embedded model look away from the pictures.
func TestProducts(t *testing.T) {
	harness.Run(t, "run", "qwen3-vl-235b-a22b", "--out", t.TempDir(), "--mode", "accuracy", "--scenario", "Offline",
		"--param", "hide=picture").WantCode(t, 4).WantOutput(t, "BELOW TARGET")
}

// TestProductsSubmission makes a tree of the embedded model's runs in the endpoints harness's form. The check refuses
// it as a rehearsal on drawn products. In the form of the earlier program, the tree contains LoadGen's logs.
func TestProductsSubmission(t *testing.T) {
	dir := t.TempDir()
	out, tree, work := filepath.Join(dir, "out"), filepath.Join(dir, "tree"), filepath.Join(dir, "work")
	harness.Run(t, "run", "qwen3-vl-235b-a22b", "--mode", "submission", "--out", out).WantCode(t, 0).WantOutput(t, "VALID",
		"PASS", "category_f1")
	harness.Run(t, "submission", "init", "--workspace", work, "--submitter", "Lab", "--system-type", "datacenter").
		WantCode(t, 0)
	harness.Run(t, "submission", "add", out, "--workspace", work, "--rehearsal").WantCode(t, 0)
	harness.Run(t, "submission", "build", "--workspace", work, "--out", tree, "--allow-unfilled").WantCode(t, 0)
	for _, scenario := range []string{"Offline", "Server"} {
		result := filepath.Join(tree, "closed", "Lab", "results", "system", "qwen3-vl-235b-a22b", scenario)
		harness.WantParts(t, testfile.Read(t, filepath.Join(result, "config.yaml")),
			"dataloader_random_seed: 2747215439041700203",
			"scheduler_random_seed: 16159082839903944936", "eval_method: shopify_category_f1")
		harness.WantParts(t, testfile.Read(t, filepath.Join(result, "performance", "result_summary.json")),
			`"n_samples_failed": 0`)
		harness.WantParts(t, testfile.Read(t, filepath.Join(result, "accuracy", "accuracy_results.json")),
			`"total_samples": 720`)
	}
	r := harness.Run(t, "submission", "check", tree)
	harness.WantParts(t, r.Stdout, "the seeds are the round's", "found 720; expected 48289",
		"found 720 issued, 720 completed; expected at least 48289", "min_duration_ms is too short")
	if !slow.All() { // the older form has the tree of every other benchmark, which internal/submission/assemble makes
		return
	}
	older := filepath.Join(dir, "older")
	harness.Run(t, "run", "qwen3-vl-235b-a22b", "--mode", "submission", "--scenario", "Offline", "--param", "form=loadgen",
		"--out", out, "--force").WantCode(t, 0)
	harness.Run(t, "submission", "add", out, "--workspace", work, "--rehearsal", "--only", "Offline", "--replace").
		WantCode(t, 0)
	harness.Run(t, "submission", "build", "--workspace", work, "--out", older, "--allow-unfilled").WantCode(t, 0)
	testfile.Read(t, filepath.Join(older, "closed", "Lab", "results", "system", "qwen3-vl-235b-a22b", "Offline",
		"performance",
		"run_1", "mlperf_log_detail.txt"))
}
