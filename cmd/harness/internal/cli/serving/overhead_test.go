package serving_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// TestTemplate: what a chat template adds to prompts is part of the length that was asked for.
func TestTemplate(t *testing.T) {
	tokenizer, err := filepath.Abs("../../../../../plugins/llm/model/tokenizer.json")
	if err != nil {
		t.Fatal(err)
	}
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true, Template: 9})
	s := clitest.New(t)
	t.Chdir(s.Dir)
	chat := []string{"--api", "chat", "--tokenizer", tokenizer, "--concurrency", "2"}
	s.Want(0, bench(s, url, append(chat, "--isl", "32")...), "32 in, 4 out")
	lines, err := os.Open(filepath.Join("bench-1", "users-2", requests.JSONLName))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lines.Close() }() // opened for reading
	all, err := requests.Read(lines)
	if err != nil || len(all) < 20 {
		t.Fatal(len(all), err)
	}
	for _, r := range all {
		if r.Usage.Prompt != 32 || r.AskedIn != 32 {
			t.Errorf("%d tokens in, %d asked", r.Usage.Prompt, r.AskedIn)
		}
	}
	s.Want(2, bench(s, url, append(chat, "--isl", "9")...), "chat template adds 9 tokens to a prompt; want 10 or more")
	// Servers that count otherwise: letters, nothing, and a token for each two letters.
	url = serve(t, openaitest.Options{Owner: "vllm", Words: func(text string) int { return len(text) }})
	s.Want(0, bench(s, url, append(chat, "--isl", "1000..2000")...), "it is hardly that of its model, and lengths are "+
		"approximate")
	url = serve(t, openaitest.Options{Owner: "vllm", Words: func(string) int { return 3 }})
	s.Want(0, bench(s, url, append(chat, "--isl", "32")...), "the server counts 3 tokens in a prompt of 32 of --tokenizer")
	url = serve(t, openaitest.Options{Owner: "vllm", Words: func(text string) int { return len(text) / 2 }})
	s.Want(0, bench(s, url, append(chat, "--isl", "300..400")...), "and the", "of its chat template: lengths are "+
		"approximate")
}
