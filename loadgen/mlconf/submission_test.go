package mlconf_test

import (
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

func TestModelOfABenchmarkFolder(t *testing.T) {
	rules, err := mlconf.Round("v6.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		folder, model string
		guessed       bool
	}{
		{"resnet", "resnet", false}, {"resnet50", "resnet", false}, {"tinynet", "resnet", false},
		{"my-resnet50-v2", "resnet", true}, {"my-bert-99.9", "bert-99.9", true}, {"foonet", "foonet", false},
	} {
		model, guessed := rules.ModelOf(c.folder, map[string]string{"tinynet": "resnet"})
		if model != c.model || guessed != c.guessed {
			t.Errorf("%s: got %s, guessed %v; want %s, %v", c.folder, model, guessed, c.model, c.guessed)
		}
	}
}

func TestFactsOfSubmissions(t *testing.T) {
	rules, err := mlconf.Round("v6.0")
	if err != nil {
		t.Fatal(err)
	}
	if n := rules.OfflineSamples("bert-99"); n != 10833 {
		t.Errorf("bert-99 Offline: got %d samples, want 10833", n)
	}
	limits, ok := rules.TokenLimits("llama3.1-8b", "Interactive")
	if !ok || limits.FirstToken != 500*time.Millisecond || limits.PerToken != 30*time.Millisecond {
		t.Errorf("llama3.1-8b Interactive: got %v, %v; want 500 ms and 30 ms", limits, ok)
	}
	if rules.UsesTokens("resnet50") || !rules.UsesTokens("llama3_1-8b-edge") {
		t.Error("resnet50 makes no tokens, llama3.1-8b-edge does")
	}
	files, ok := rules.AccuracyFiles("stable-diffusion-xl")
	if !ok || files.Folder != "images" || len(files.Samples) != 10 {
		t.Errorf("stable-diffusion-xl in v6.0: got %v, %v; want ten images", files, ok)
	}
	newest, _ := mlconf.Round("")
	if _, ok := newest.AccuracyFiles("stable-diffusion-xl"); ok {
		t.Error("v6.1 asks for no images of stable-diffusion-xl")
	}
}
