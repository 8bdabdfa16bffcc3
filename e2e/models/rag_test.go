package models

import (
	"encoding/binary"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestRetrieval makes the embedded database, answers from its file, and audits: the run is VALID and the audit passes.
// A scoring compares the database with its manifest.
func TestRetrieval(t *testing.T) {
	dir := t.TempDir()
	db, out, pages := filepath.Join(dir, "own.db"), filepath.Join(dir, "out"), filepath.Join(dir, "pages")
	harness.Run(t, "run", "e2e-rag-db", "--out", pages, "--param", "database="+db).WantCode(t, 0).WantOutput(t,
		"VALID (smoke)", "PASS")
	harness.Run(t, "audit", "all", "e2e-rag-qna", "--out", out, "--param", "database="+db).WantCode(t, 0).WantOutput(t,
		"TEST09", "stand-in: scripted server")
	harness.Run(t, "run", "e2e-rag-qna", "--out", out, "--force", "--param", "database="+db, "--set",
		"Offline.min_query_count=12").WantCode(t, 0).WantOutput(t,
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

// TestOfficialRetrieval runs the official scripts on the logs of both benchmarks: the judge is a server that accepts
// every answer but Unknown, for them and for `harness score`.
func TestOfficialRetrieval(t *testing.T) {
	checkout, python := os.Getenv("PLUMBLINE_MLC"), os.Getenv("PYTHON")
	if checkout == "" || python == "" {
		t.Skip("PLUMBLINE_MLC and PYTHON name no official scripts and no Python: make test-official OF=retrieval MLC=DIR")
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
	url := harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-model", "m", "-answers", rules)
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

// TestStoreOfPassages makes the embedded database in an external store, and answers from it. A missing store is named.
func TestStoreOfPassages(t *testing.T) {
	address := os.Getenv("PLUMBLINE_PGVECTOR")
	if address == "" {
		t.Skip("PLUMBLINE_PGVECTOR names no store: make test-extra OF=store PGVECTOR=postgres://... runs this")
	}
	dir := t.TempDir()
	harness.Run(t, "run", "e2e-rag-db", "--out", filepath.Join(dir, "pages"), "--param", "index="+address).WantCode(t, 0).
		WantOutput(t, "VALID (smoke)", "PASS", "values in the table at ")
	harness.Run(t, "run", "e2e-rag-qna", "--out", filepath.Join(dir, "out"), "--param", "index="+address).WantCode(t, 0).
		WantOutput(t, "VALID (smoke)", "PASS")
	r := harness.Run(t, "run", "e2e-rag-qna", "--out", filepath.Join(dir, "no"), "--param",
		"index=postgres://a@127.0.0.1:1/a")
	r.WantCode(t, 6).WantOutput(t, "store of passages 127.0.0.1:1/a: connect")
}

// TestPasswordOfAStore: PGPASSWORD is sent only to the store, and without TLS only if the user allows it. A faulty
// store counts as missing data.
func TestPasswordOfAStore(t *testing.T) {
	const password = "sesame-of-a-store"
	told := make(chan string, 8)
	address := passwordServer(t, told)
	for _, c := range []struct{ more, want, told string }{
		{"", "sslmode=disable in the address", ""}, {"?sslmode=disable", "connect", password},
	} {
		out := filepath.Join(t.TempDir(), "out")
		cmd := harness.Command(t, built.Harness(), "run", "e2e-rag-qna", "--out", out, "--param",
			"index=postgres://me@"+address+"/all"+c.more)
		cmd.Env = append(os.Environ(), "PGPASSWORD="+password)
		r := harness.Finish(t, cmd).WantCode(t, 6)
		harness.WantParts(t, r.Both(), "store of passages "+address+"/all: connect", c.want)
		got := ""
		select {
		case got = <-told:
		default: // the command has ended
		}
		if got != c.told {
			t.Errorf("%q: the store was told %q, want %q", c.more, got, c.told)
		}
		if strings.Contains(r.Both(), password) {
			t.Errorf("the password is printed:\n%s", r.Both())
		}
		err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.Contains(testfile.Read(t, path), password) {
				t.Errorf("%s has the password", path)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// passwordServer implements the part of PostgreSQL's protocol that refuses TLS and asks for a password in clear.
func passwordServer(t *testing.T, told chan<- string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	serve := func(c net.Conn) {
		defer func() { _ = c.Close() }()
		message := func(head int) []byte {
			b := make([]byte, head+4)
			if _, err := io.ReadFull(c, b); err != nil {
				return nil
			}
			rest := make([]byte, max(0, int(binary.BigEndian.Uint32(b[head:]))-4))
			if _, err := io.ReadFull(c, rest); err != nil {
				return nil
			}
			return rest
		}
		const tls = 80877103
		for first := message(0); len(first) >= 4; first = message(0) {
			if binary.BigEndian.Uint32(first) == tls {
				_, _ = c.Write([]byte("N")) // a client that is gone needs none
				continue
			}
			_, _ = c.Write([]byte{'R', 0, 0, 0, 8, 0, 0, 0, 3})
			told <- strings.TrimRight(string(message(1)), "\x00")
			return
		}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return l.Addr().String()
}
