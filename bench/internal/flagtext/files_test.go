package flagtext

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

// onlyClip provides the official file of one part.
type onlyClip struct{}

func (onlyClip) Locate(_ sdk.ModelInfo, f sdk.ModelFile) (string, error) {
	if f.Name == "clip.onnx" {
		return "/cache/" + f.Part + "/" + f.Name, nil
	}
	return "", errors.New("it was not fetched")
}

func TestModelsOfAScorer(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own.onnx")
	if err := os.WriteFile(own, []byte("model"), 0o644); err != nil {
		t.Fatal(err)
	}
	model := sdk.ModelInfo{
		Name:        "pictures",
		ScorerParts: []sdk.PartInfo{{Name: "clip"}, {Name: "judge"}, {Name: "extra", Optional: true}},
		ScorerFiles: []sdk.ModelFile{
			{Name: "embedded-judge", Part: "judge", Embedded: true}, {Name: "clip.onnx", Part: "clip"},
			{Name: "extra.onnx", Part: "extra"},
		},
	}
	found, err := FindScorer(model, []string{"judge=" + own}, false, onlyClip{})
	if err != nil || found["judge"] != own || found["clip"] != "/cache/clip/clip.onnx" || len(found) != 2 {
		t.Errorf("%v, error %v; want the user's judge, the fetched clip and no extra one", found, err)
	}
	if found, err = FindScorer(model, nil, false, onlyClip{}); err != nil || found["judge"] != "" {
		t.Errorf("%v, error %v; want the judge left to the plugin", found, err)
	}
	if _, err := FindScorer(model, nil, true, onlyClip{}); exitcode.Of(err) != exitcode.Data ||
		!strings.Contains(err.Error(), "give --scorer-model judge=PATH") {
		t.Errorf("the embedded judge on data of the user's: %v", err)
	}
	if _, err := FindScorer(model, nil, false, nil); exitcode.Of(err) != exitcode.Data ||
		!strings.Contains(err.Error(), "give --scorer-model clip=PATH") {
		t.Errorf("a missing model: %v", err)
	}
	_, err = FindScorer(sdk.ModelInfo{Name: "plain"}, []string{"judge=" + own}, false, nil)
	if exitcode.Of(err) != exitcode.Usage {
		t.Errorf("a scorer without models: %v", err)
	}
	if _, err := FindScorer(model, []string{"clip=" + own, "clip=" + own, "juge=x"}, false, nil); err == nil ||
		!strings.Contains(err.Error(), `"clip" is given twice`) || !strings.Contains(err.Error(), `did you mean "judge"`) {
		t.Errorf("every fault at once: %v", err)
	}
}
