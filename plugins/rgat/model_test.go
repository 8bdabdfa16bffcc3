package rgat

import (
	"fmt"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

// facts is model/card.json.
type facts struct {
	manifest.ModelCard

	Parameters int // of the network
}

func TestAccuracyIsGoodAndNotPerfect(t *testing.T) {
	fp32 := 0.0
	for _, file := range manifesttest.ReadCard[facts](t).Files {
		accuracy, _ := file.Metric("accuracy")
		if accuracy < 80 || accuracy > 95 {
			t.Errorf("%s: accuracy %v %%, want 80 to 95", file.Name, accuracy)
		}
		if fp32 = max(fp32, accuracy); accuracy < 0.99*fp32 {
			t.Errorf("%s keeps less than 99 %% of FP32", file.Name)
		}
	}
}

func TestReadmeHasTheFiguresOfTheCard(t *testing.T) {
	manifesttest.CheckReadme(t, manifesttest.ReadCard[facts](t).ModelCard, func(f manifest.CardFile) string {
		accuracy, _ := f.Metric("accuracy")
		return fmt.Sprintf("%.1f", accuracy)
	})
}
