package result

import (
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

func TestChanges(t *testing.T) {
	rules, err := mlconf.Round("v6.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model, baseline, compliance string
		within, good                bool
	}{
		{"resnet", "accuracy=75.25%\n", "accuracy=76.000%\n", true, true},
		{"resnet", "accuracy=75.24%\n", "accuracy=76.000%\n", false, true}, // 1.0000000000000009 %
		{"resnet", "accuracy=1%\naccuracy=76%\n", "accuracy=76%\n", true, true},
		{"resnet", "accuracy=0%\n", "accuracy=76%\n", false, false},
		{"resnet", "accuracy=76.4.6%\n", "accuracy=76%\n", false, false},
		{"resnet", "", "accuracy=76%\n", false, false},
		{"3d-unet-99.9", "Accuracy: mean = 0.860", "Accuracy: mean = 0.862", false, true},
		{"other", "accuracy=76%\n", "accuracy=76%\n", false, false},
	} {
		list, err := CompareMetrics(rules, c.model, "Offline", c.baseline, c.compliance)
		if (err == nil) != c.good {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if c.good && (len(list) != 1 || list[0].IsPermitted() != c.within) {
			t.Errorf("%+v: %+v", c, list)
		}
	}
}
