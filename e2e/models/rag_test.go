package models

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/mock"
	"github.com/plumbline-ml/plumbline/e2e/internal/officialdata"
	"github.com/plumbline-ml/plumbline/e2e/internal/testfile"
)

// TestRetrieval makes the embedded database, answers from its file, and audits: VALID, and with a pass. A manifest of
// the database is what a scoring compares it with.
func TestRetrieval(t *testing.T) {
	dir := t.TempDir()
	db, out, pages := filepath.Join(dir, "own.db"), filepath.Join(dir, "out"), filepath.Join(dir, "pages")
	harness.Run(t, "run", "e2e-rag-db", "--out", pages, "--param", "database="+db).WantCode(t, 0).WantOutput(t,
		"VALID (smoke)", "PASS")
	harness.Run(t, "audit", "all", "e2e-rag-qna", "--out", out, "--param", "database="+db).WantCode(t, 0).WantOutput(t,
		"TEST09", "stand-in: scripted server")
	harness.Run(t, "run", "e2e-rag-qna", "--out", out, "--force", "--param", "database="+db).WantCode(t, 0).WantOutput(t,
		"VALID (smoke)", "PASS", "judged by stand-in", "replies of the step queries could not be read")
	data := filepath.Join(dir, "data")
	harness.Run(t, "dataset", "export", "e2e-rag-qna", data).WantCode(t, 0)
	questions := filepath.Join(data, "frames_dataset.tsv")
	folder := filepath.Join(pages, "e2e-rag-db", "Offline", "accuracy")
	harness.Run(t, "score", pages, "--param", "database="+db, "--param", "questions="+questions).WantCode(t, 0)
	manifest := testfile.Write(t, filepath.Join(dir, "db_manifest.json"), testfile.Read(t, filepath.Join(folder, "rag",
		"db_manifest.json")))
	harness.Run(t, "score", pages, "--param", "database="+db, "--param", "manifest="+manifest).WantCode(t, 0).WantOutput(t,
		"manifest: 48 questions, overlap 1.0000", "MD5 match: PASS")
	if err := os.WriteFile(db, []byte("another file"), 0o600); err != nil {
		t.Fatal(err)
	}
	harness.Run(t, "score", pages, "--param", "database="+db).WantOutput(t, "MD5 match: FAIL",
		"is not the one that the run made")
	r := harness.Run(t, "run", "e2e-rag-qna", "--out", filepath.Join(dir, "no"), "--param", "database="+db)
	if r.Code == 0 {
		t.Error("a file that is no database is searched")
	}
	harness.WantParts(t, r.Both(), "parameter database", "does not begin with")
}

// TestOfficialRetrieval lets the official scripts score what both benchmarks have logged: the judge is a server that
// takes every answer but Unknown, for them and for `harness score`.
func TestOfficialRetrieval(t *testing.T) {
	checkout, python := os.Getenv("PLUMBLINE_MLC"), os.Getenv("PYTHON")
	if checkout == "" || python == "" {
		t.Skip("PLUMBLINE_MLC and PYTHON name no official scripts and no Python: make test-official-retrieval MLC=DIR")
	}
	dir, scripts := t.TempDir(), filepath.Join(checkout, "e2e-rag")
	db, pages, out := filepath.Join(dir, "own.db"), filepath.Join(dir, "pages"), filepath.Join(dir, "out")
	run := func(script string, args ...string) {
		t.Helper()
		cmd := exec.Command(python, append([]string{filepath.Join(scripts, script)}, args...)...)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, text)
		}
	}
	harness.Run(t, "run", "e2e-rag-db", "--mode", "accuracy", "--scenario", "Offline", "--out", pages, "--param",
		"database="+db).WantCode(t, 0)
	folder := filepath.Join(pages, "e2e-rag-db", "Offline", "accuracy")
	ours := testfile.Read(t, filepath.Join(folder, "accuracy.txt"))
	run("datasetup_accuracy_eval.py", "--log_dir", folder, "--output_dir", dir, "--database", db, "--retriever_model", "")
	theirs := testfile.Read(t, filepath.Join(folder, "accuracy.txt"))
	theirs = strings.TrimSpace(regexp.MustCompile(`(?m)^(Timestamp|Database): .*\n`).ReplaceAllString(theirs, ""))
	if !strings.HasPrefix(ours, theirs+"\nAccuracy: 100.0000\n") {
		t.Errorf("accuracy.txt:\n%swant, before the line of the checker:\n%s", ours, theirs)
	}

	rules := testfile.Write(t, filepath.Join(dir, "rules.jsonl"),
		`{"contains":"LLM ANSWER: Unknown","text":"{\"correct\": false}"}
{"contains":"LLM ANSWER: ","text":"{\"correct\": true}"}
`)
	url := mock.Start(t, mock.OpenAI, nil, "-listen", "127.0.0.1:0", "-model", "m", "-answers", rules)
	prompts := filepath.Join(dir, "prompts")
	if err := officialdata.WriteRetrievalPrompts(prompts); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(prompts, "judge.txt"), "{question} {ground_truth} LLM ANSWER: {llm_answer}")
	harness.Run(t, "run", "e2e-rag-qna", "--mode", "accuracy", "--scenario", "Offline", "--out", out).WantCode(t, 0)
	harness.Run(t, "score", out, "--param", "judge="+url, "--param", "prompts="+prompts)
	data := filepath.Join(dir, "data")
	harness.Run(t, "dataset", "export", "e2e-rag-qna", data).WantCode(t, 0)
	folder = filepath.Join(out, "e2e-rag-qna", "Offline", "accuracy")
	ours = testfile.Read(t, filepath.Join(folder, "accuracy.txt"))
	run("accuracy_eval.py", "--log_dir", folder, "--results_file", filepath.Join(folder, "rag", "results.json"),
		"--dataset_path", filepath.Join(data, "frames_dataset.tsv"), "--output", filepath.Join(dir, "metrics.json"),
		"--judge_service_url", strings.TrimSuffix(url, "/v1")+"/v1/chat/completions", "--judge_model", "m")
	theirs = testfile.Read(t, filepath.Join(folder, "accuracy.txt"))
	if theirs == "Accuracy: 0.0000\n" || !strings.HasPrefix(ours, theirs) {
		t.Errorf("accuracy.txt: %q, want %q", ours, theirs)
	}
}

// TestStoreOfPassages makes the embedded database in a store that is kept elsewhere, and answers from it. A store that
// is not there is named.
func TestStoreOfPassages(t *testing.T) {
	address := os.Getenv("PLUMBLINE_PGVECTOR")
	if address == "" {
		t.Skip("PLUMBLINE_PGVECTOR names no store: make test-store PGVECTOR=postgres://... runs this")
	}
	dir := t.TempDir()
	harness.Run(t, "run", "e2e-rag-db", "--out", filepath.Join(dir, "pages"), "--param", "index="+address).WantCode(t, 0).
		WantOutput(t, "VALID (smoke)", "PASS", "values in the table at ")
	harness.Run(t, "run", "e2e-rag-qna", "--out", filepath.Join(dir, "out"), "--param", "index="+address).WantCode(t, 0).
		WantOutput(t, "VALID (smoke)", "PASS")
	r := harness.Run(t, "run", "e2e-rag-qna", "--out", filepath.Join(dir, "no"), "--param",
		"index=postgres://a@127.0.0.1:1/a")
	if r.Code == 0 {
		t.Error("a store that is not there is taken")
	}
	r.WantOutput(t, "store of passages 127.0.0.1:1/a: connect")
}
