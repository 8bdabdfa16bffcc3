package resnet50

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/accuracy/topk"
	"github.com/plumbline-ml/plumbline/datasets/imagenet"
	"github.com/plumbline-ml/plumbline/sdk"
)

// expectedClasses compares the classes in a log with those in a file.
type expectedClasses struct {
	path string
	set  labelSet
	topk *topk.ClassScorer
}

// openExpectedClasses reads the file at path, which must contain a class less than classCount for each picture in the
// set. It returns nil if path is empty.
func openExpectedClasses(path string, set labelSet, d accuracy.DType, classCount int) (*expectedClasses, error) {
	if path == "" {
		return nil, nil
	}
	classes, err := imagenet.ReadClasses(path, classCount)
	if err != nil {
		return nil, sdk.Data(err)
	}
	wanted := make([]int, set.Len())
	var missing []string
	for i := range wanted {
		class, ok := classes[set.Name(i)]
		if !ok {
			missing = append(missing, set.Name(i))
		}
		wanted[i] = class
	}
	if len(missing) > 0 {
		return nil,
			sdk.Data(fmt.Errorf("%s has no class for %d of the %d pictures: want a line \"NAME CLASS\" for each, not for %s",
				path, len(missing), len(wanted), joinFirstItems(missing)))
	}
	return &expectedClasses{path, set, topk.New(wanted, topk.PayloadOptions{DType: d, KeepWrong: true})}, nil
}

// maxListedItems is the number of items of a list in a message.
const maxListedItems = 5

// joinFirstItems joins the first items of a list.
func joinFirstItems(list []string) string {
	text := strings.Join(list[:min(len(list), maxListedItems)], ", ")
	if len(list) > maxListedItems {
		text += ", ..."
	}
	return text
}

func (x *expectedClasses) addAnswer(sample uint64, answer []byte) error {
	if x == nil {
		return nil
	}
	return x.topk.Add(sample, answer)
}

// addAgreement adds the share of classes that equal the expected ones, and lists the first that differ.
func (x *expectedClasses) addAgreement(score *sdk.Score) error {
	if x == nil {
		return nil
	}
	r, err := x.topk.Result()
	if err != nil {
		return err
	}
	score.Metrics = append(score.Metrics, sdk.Metric{Name: sdk.Agreement, Unit: "%", Value: r.Accuracy})
	var others []string
	for _, w := range r.Wrong {
		others = append(others, fmt.Sprintf("%s is %d, expected %d", x.set.Name(int(w.Index)), w.Found, w.Expected))
	}
	if len(others) > 0 {
		score.Notes = append(score.Notes, fmt.Sprintf("%d of %d classes are not those of %s: %s", len(others), r.Total,
			x.path, joinFirstItems(others)))
	}
	return nil
}
